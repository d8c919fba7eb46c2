"""The ops of ``te``: every element of every tensor is computed in turn.

Reductions start from the combiner's identity, or from the value of the init, and run in increasing
index order, with each step rounded to the element type.
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

from kc.analysis.interpreter.affine_code import map_function, set_function
from kc.analysis.interpreter.arith_float import constant_value
from kc.analysis.interpreter.combine import combining_function
from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import ExecutionError
from kc.analysis.interpreter.memory import element_reader
from kc.analysis.interpreter.values import Buffer, float_type, fresh_array, int_width, is_float
from kc.dialects import te
from kc.dialects.te import Combiner
from kc.support.float_formats import upper_limit

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
    """The neutral element of ``combiner``."""
    if is_float(type_):
        top = upper_limit(str(type_))
        start = {Combiner.SUM: 0, Combiner.PROD: 1, Combiner.MIN: top, Combiner.MAX: -top}
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
    """The function that looks up a symbolic size."""

    def run() -> int:
        if name not in interpreter.symbols:
            symbols_text = ", ".join(interpreter.symbols) or "nothing"
            raise ExecutionError(
                op, f"no argument determines the size {name}; they determine {symbols_text}"
            )
        return interpreter.symbols[name]

    return run


def extents_from(extents: Sequence[int | SSAValue]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """The function that merges dynamic extents into the static ones."""
    static = [extent if isinstance(extent, int) else None for extent in extents]

    def complete(dynamic: Sequence[int]) -> tuple[int, ...]:
        rest = iter(dynamic)
        return tuple(next(rest) if size is None else size for size in static)

    return complete


def _buffers(op: te.ComputeOp | te.ExternOp | te.ScanOp, arrays: Sequence[np.ndarray]) -> Any:
    """The results of ``op`` as buffers; a single buffer without a tuple."""
    buffers = tuple(
        Buffer(data, te.output_name(op.label, n, len(arrays))) for n, data in enumerate(arrays)
    )
    return buffers if len(buffers) != 1 else buffers[0]


def _element(
    interpreter: KernelInterpreter, op: te.ComputeOp
) -> Callable[[tuple[int, ...], Sequence[range]], Sequence[Any]]:
    """The function that computes the values of ``op`` at a point from the ranges of its reduction
    axes.
    """
    body, types = interpreter.runner(op.body), op.element_types
    if not op.is_reduction:
        return lambda point, steps: body(*point)
    where = interpreter.runner(op.where) if op.has_where else None
    init = interpreter.runner(op.init) if op.has_init else None
    if op.combiner is not None:
        combiner = op.combiner.data
        kinds = _FLOAT_KIND if is_float(types[0]) else _INTEGER_KIND
        function = combining_function(op, kinds[combiner], types[0])
        identity = [neutral_element(op, combiner, types[0])]

        def combine(old: Any, new: Any) -> Sequence[Any]:
            return [function(old, new)]
    else:
        assert op.identity is not None
        combine = interpreter.runner(op.combine)
        identity = [
            constant_value(op, attr, type_)
            for attr, type_ in zip(op.identity.data, types, strict=True)
        ]

    def element_at(point: tuple[int, ...], steps: Sequence[range]) -> Sequence[Any]:
        total = identity if init is None else init(*point)
        for step in itertools.product(*steps):
            if where is None or where(*point, *step)[0]:
                total = combine(*total, *body(*point, *step))
        return total

    return element_at


def _ranges(
    interpreter: KernelInterpreter, op: te.ComputeOp
) -> Callable[[tuple[int, ...], Sequence[int]], list[range]]:
    """The function that computes the ranges of the reduction axes of ``op`` at a point from their
    dynamic extents.
    """
    extents = op.extents[op.rank :]
    domain = interpreter.runner(op.domain) if op.has_domain else None

    def ranges_at(point: tuple[int, ...], dynamic: Sequence[int]) -> list[range]:
        rest = iter(dynamic if domain is None else domain(*point))
        return [range(extent if isinstance(extent, int) else next(rest)) for extent in extents]

    return ranges_at


@register_impls
class TeFunctions(InterpreterFunctions):
    """Tensor expressions."""

    @prepared(te.ComputeOp)
    def compute(self, interpreter: KernelInterpreter, op: te.ComputeOp) -> Run:
        complete, types = extents_from(op.spatial_extents), op.element_types
        fixed = sum(not isinstance(extent, int) for extent in op.spatial_extents)
        element_at, ranges_at = _element(interpreter, op), _ranges(interpreter, op)

        def run(*dynamic: int) -> Any:
            extents = complete(dynamic[:fixed])
            arrays = [fresh_array(op, extents, type_) for type_ in types]
            for point in itertools.product(*map(range, extents)):
                try:
                    values = element_at(point, ranges_at(point, dynamic[fixed:]))
                except ExecutionError as error:
                    error.within(f"{op.label}[{', '.join(map(str, point))}]")
                    raise
                for data, value in zip(arrays, values, strict=True):
                    data[point] = value
            return _buffers(op, arrays)

        return run

    @prepared(te.ScanOp)
    def scan(self, interpreter: KernelInterpreter, op: te.ScanOp) -> Run:
        step, start, types = (
            interpreter.runner(op.body),
            op.start,
            [tensor.type for tensor in op.tensors],
        )
        static = op.extent_value if isinstance(op.extent_value, int) else None

        def run(*args: Any) -> Any:
            rows, inits = (args[0], args[1:]) if static is None else (static, args)
            arrays: list[np.ndarray] = []
            for init, type_ in zip(inits, types, strict=True):
                assert isinstance(type_, TensorType)
                data = fresh_array(op, (rows, *init.data.shape[1:]), type_.element_type)
                data[:start] = init.data[:rows]
                arrays.append(data)
            buffers = _buffers(op, arrays)
            states = buffers if isinstance(buffers, tuple) else (buffers,)
            t = start
            try:
                for t in range(start, rows):
                    for data, row in zip(arrays, step(t, *states), strict=True):
                        data[t] = row.data
            except ExecutionError as error:
                error.within(f"{op.axis_name.data} = {t}")
                raise
            return buffers

        return run

    @prepared(te.ExternOp)
    def extern(self, interpreter: KernelInterpreter, op: te.ExternOp) -> Run:
        body, types = interpreter.runner(op.body), [tensor.type for tensor in op.tensors]
        completes = [extents_from(op.extents(n)) for n in range(len(types))]
        tensors, first = len(op.tensor_inputs), len(op.inputs)

        def run(*args: Any) -> Any:
            sizes = args[first:]
            arrays: list[np.ndarray] = []
            for complete, type_ in zip(completes, types, strict=True):
                assert isinstance(type_, TensorType)
                count = list(type_.get_shape()).count(te.DYNAMIC)
                arrays.append(fresh_array(op, complete(sizes[:count]), type_.element_type))
                sizes = sizes[count:]
            buffers = _buffers(op, arrays)
            outputs = buffers if isinstance(buffers, tuple) else (buffers,)
            try:
                body(*args[:tensors], *outputs, *args[tensors:first])
            except ExecutionError as error:
                error.within(op.label)
                raise
            return buffers

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

    @impl_terminator(te.ConditionOp)
    def condition(
        self, interpreter: Interpreter, op: te.ConditionOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        count = len(op.operands_of_set)
        holds = set_function(op.condition.data)(*args[:count])
        return ReturnedValues((holds and all(map(bool, args[count:])),)), ()

    @impl_terminator(te.ReturnOp)
    def return_(
        self, interpreter: Interpreter, op: te.ReturnOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()
