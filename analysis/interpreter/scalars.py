"""Runs regions of scalars: no memory, no threads, and few imports.

Only operations of dialects other than ``arith`` and ``math`` need the rest of the interpreter.
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
    """The end of a combiner."""

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
    """The function that ``region``, of one block that ends with a ``tir.yield``, computes.

    It takes and gives numbers as the interpreter has them: integers as signed ones, ``i1`` as bool,
    floats of numpy's types. Raises what the interpreter raises.
    """
    if all(op.name.startswith(("arith.", "math.", "tir.yield")) for op in region.walk()):
        interpreter = KernelInterpreter(ModuleOp([]))
        for functions in SCALAR_FUNCTIONS:
            interpreter.register_implementations(functions)
    else:
        from kc.analysis.interpreter.running import make_interpreter  # with all dialects

        interpreter = make_interpreter(ModuleOp([]))
    return interpreter.standalone(region)
