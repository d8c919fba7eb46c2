"""Execution of scalar regions: no memory, no threads, and few imports.

The rest of the interpreter is loaded only for dialects other than ``arith`` and ``math``.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Region

from kc.analysis.interpreter.arith_float import ArithValueFunctions, float_functions
from kc.analysis.interpreter.arith_integer import integer_functions
from kc.analysis.interpreter.engine import KernelInterpreter, Runner
from kc.analysis.interpreter.math import math_functions
from kc.dialects import tir


@register_impls
class YieldFunctions(InterpreterFunctions):
    """The terminator of a combiner."""

    @impl_terminator(tir.YieldOp)
    def yield_(
        self, interpreter: Interpreter, op: tir.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()


SCALAR_FUNCTIONS = (
    ArithValueFunctions(),
    YieldFunctions(),
    float_functions(),
    integer_functions(),
    math_functions(),
)
"""Implementations of the operations on scalars."""


def scalar_runner(region: Region) -> Runner:
    """The function that ``region`` computes: a single block that ends with a ``tir.yield``.

    Arguments and results are in the interpreter's representation: integers signed, ``i1`` as bool,
    floats in numpy's types. Raises the interpreter's errors.
    """
    if all(op.name.startswith(("arith.", "math.", "tir.yield")) for op in region.walk()):
        interpreter = KernelInterpreter(ModuleOp([]))
        for functions in SCALAR_FUNCTIONS:
            interpreter.register_implementations(functions)
    else:
        from kc.analysis.interpreter.running import make_interpreter  # with all dialects

        interpreter = make_interpreter(ModuleOp([]))
    return interpreter.standalone(region)
