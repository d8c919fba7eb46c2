"""The ops of ``te``: every element of every tensor, one after another.

Reductions start from the combiner's neutral element and run in increasing index order, each
step rounded to the element type.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Attribute, Operation, SSAValue

from kc.analysis.interpreter.affine_code import map_function
from kc.analysis.interpreter.combine import combining_function
from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import ExecutionError
from kc.analysis.interpreter.memory import element_reader
from kc.analysis.interpreter.values import Buffer, float_type, fresh_array, int_width, is_float
from kc.dialects import te
from kc.dialects.te import Combiner

_INTEGER_KIND = {
    Combiner.SUM: "add",
    Combiner.PROD: "mul",
    Combiner.MIN: "minsi",
    Combiner.MAX: "maxsi",
    Combiner.UMIN: "minui",
    Combiner.UMAX: "maxui",
}
_FLOAT_KIND = {
    Combiner.SUM: "add",
    Combiner.PROD: "mul",
    Combiner.MIN: "minimumf",
    Combiner.MAX: "maximumf",
}


def neutral_element(op: Operation, combiner: Combiner, type_: Attribute) -> Any:
    """The value that ``combiner`` starts from."""
    if is_float(type_):
        start = {Combiner.SUM: 0, Combiner.PROD: 1, Combiner.MIN: np.inf, Combiner.MAX: -np.inf}
        return float_type(op, type_)(start[combiner])
    width = int_width(op, type_)
    least, greatest = -(1 << (width - 1)), (1 << (width - 1)) - 1
    value = {
        Combiner.SUM: 0,
        Combiner.PROD: 1,
        Combiner.MIN: greatest,
        Combiner.MAX: least,
        Combiner.UMIN: -1,
        Combiner.UMAX: 0,
    }[combiner]
    return bool(value) if width == 1 else value


def symbol_value(interpreter: KernelInterpreter, op: Operation, name: str) -> Run:
    """How a symbolic size gets its value."""

    def run() -> int:
        if name not in interpreter.symbols:
            known = ", ".join(interpreter.symbols) or "nothing"
            raise ExecutionError(op, f"no argument gives the size {name}; they give {known}")
        return interpreter.symbols[name]

    return run


def extents_from(extents: Sequence[int | SSAValue]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """How static extents are completed with the values of the dynamic ones."""
    static = [one if isinstance(one, int) else None for one in extents]

    def complete(dynamic: Sequence[int]) -> tuple[int, ...]:
        rest = iter(dynamic)
        return tuple(next(rest) if one is None else one for one in static)

    return complete


@register_impls
class TeFunctions(InterpreterFunctions):
    """Tensor expressions."""

    @prepared(te.ComputeOp)
    def compute(self, interpreter: KernelInterpreter, op: te.ComputeOp) -> Run:
        assert isinstance(result := op.result.type, TensorType)
        body, complete, rank = interpreter.runner(op.body), extents_from(op.extents), op.rank
        element = result.element_type
        combine = start = None
        if op.combiner is not None:
            combiner = op.combiner.data
            kinds = _FLOAT_KIND if is_float(element) else _INTEGER_KIND
            combine = combining_function(op, kinds[combiner], element)
            start = neutral_element(op, combiner, element)

        def element_at(point: tuple[int, ...], steps: Sequence[range]) -> Any:
            if combine is None:
                return body(*point)[0]
            total = start
            for step in itertools.product(*steps):
                total = combine(total, body(*point, *step)[0])
            return total

        def run(*dynamic: int) -> Buffer:
            extents = complete(dynamic)
            data = fresh_array(op, extents[:rank], element)
            steps = [range(extent) for extent in extents[rank:]]
            for point in itertools.product(*map(range, extents[:rank])):
                try:
                    data[point] = element_at(point, steps)
                except ExecutionError as error:
                    error.within(f"{op.label}[{', '.join(map(str, point))}]")
                    raise
            return Buffer(data, op.label)

        return run

    @prepared(te.ReadOp)
    def read(self, interpreter: KernelInterpreter, op: te.ReadOp) -> Run:
        read, index = element_reader(op, op.result.type), map_function(op.indices.data)
        return lambda tensor, *operands: read(tensor, index(*operands))

    @prepared(te.SymbolOp)
    def symbol(self, interpreter: KernelInterpreter, op: te.SymbolOp) -> Run:
        return symbol_value(interpreter, op, op.symbol.data)

    @impl_terminator(te.YieldOp)
    def yield_(
        self, interpreter: Interpreter, op: te.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()

    @impl_terminator(te.ReturnOp)
    def return_(
        self, interpreter: Interpreter, op: te.ReturnOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()
