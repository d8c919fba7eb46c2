"""The ops of ``vector`` that move or reduce elements of several dimensions, and ``vector.mask``."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Attribute, Operation

from kc.analysis.interpreter.combine import combining_function
from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import UninterpretableError
from kc.analysis.interpreter.memory import element_reader, element_writer
from kc.analysis.interpreter.values import Buffer, Poison, float_type, splat, stored_element
from kc.dialects import vector
from kc.dialects.vector import element_of, shape_of

_MASKS: WeakKeyDictionary[Operation, Any] = WeakKeyDictionary()
"""The mask of each running ``vector.mask``."""


def outer_mask(op: Operation) -> Callable[[], np.ndarray | None]:
    """The function that returns the mask of the ``vector.mask`` around an op; the function returns
    None if no ``vector.mask`` encloses the op.
    """
    around = op.parent_op()
    if not isinstance(around, vector.MaskOp):
        return lambda: None
    return lambda: _MASKS[around]


def object_array(values: np.ndarray) -> np.ndarray:
    """A numpy array of numbers as a vector of Python numbers."""
    result = np.empty(values.shape, object)
    result.reshape(-1)[:] = values.reshape(-1).tolist()
    return result


def _extension(op: Operation, narrow: Attribute, wide: Attribute) -> Callable[[Any], Any]:
    """The function that extends numbers of type ``narrow`` to type ``wide``."""
    if narrow == wide:
        return lambda value: value
    if isinstance(narrow, IntegerType) and isinstance(wide, IntegerType):
        # Integers are Python's, with their signs; a true i1 extends to all ones.
        return (lambda value: value) if narrow.width.data > 1 else (lambda value: -int(value))
    if isinstance(narrow, AnyFloat) and isinstance(wide, AnyFloat):
        kind = float_type(op, wide)
        return lambda value: value if isinstance(value, Poison) else kind(value)
    raise UninterpretableError(op, f"products of {narrow} are combined in {wide}")


def combined(combine: Callable[[Any, Any], Any], total: Any, value: Any) -> Any:
    """The combination of two elements; poison if either is poison."""
    for operand in (total, value):
        if isinstance(operand, Poison):
            return operand
    return combine(total, value)


@register_impls
class VectorShapeFunctions(InterpreterFunctions):
    """Operations that move elements."""

    @prepared(vector.TransposeOp)
    def transpose(self, interpreter: KernelInterpreter, op: vector.TransposeOp) -> Run:
        order = [int(dim) for dim in op.permutation.iter_values()]
        return lambda source: source.transpose(order).copy()

    @prepared(vector.ShapeCastOp)
    def shape_cast(self, interpreter: KernelInterpreter, op: vector.ShapeCastOp) -> Run:
        shape = shape_of(op.result)
        return lambda source: source.reshape(shape).copy()

    @prepared(vector.ConstantMaskOp)
    def constant_mask(self, interpreter: KernelInterpreter, op: vector.ConstantMaskOp) -> Run:
        mask = splat(shape_of(op.result), False)
        sizes = [int(size) for size in op.mask_dim_sizes.iter_values()]
        if mask.ndim:
            mask[tuple(slice(0, size) for size in sizes)] = True
        else:
            mask[()] = sizes[0] > 0
        return lambda: mask

    @prepared(vector.ExtractStridedSliceOp)
    def extract_slice(
        self, interpreter: KernelInterpreter, op: vector.ExtractStridedSliceOp
    ) -> Run:
        sizes = shape_of(op.result)
        part = tuple(slice(at, at + size) for at, size in zip(op.starts, sizes, strict=True))
        return lambda source: source[part].copy()

    @prepared(vector.InsertStridedSliceOp)
    def insert_slice(self, interpreter: KernelInterpreter, op: vector.InsertStridedSliceOp) -> Run:
        shape = shape_of(op.value_to_store)
        sizes = [*[1] * (len(op.starts) - len(shape)), *shape]
        part = tuple(slice(at, at + size) for at, size in zip(op.starts, sizes, strict=True))

        def run(source: np.ndarray, target: np.ndarray) -> np.ndarray:
            result = target.copy()
            result[part] = source.reshape(sizes)
            return result

        return run

    @prepared(vector.InterleaveOp)
    def interleave(self, interpreter: KernelInterpreter, op: vector.InterleaveOp) -> Run:
        shape = shape_of(op.result)
        return lambda a, b: np.stack([a, b], axis=-1).reshape(shape)

    @prepared(vector.DeinterleaveOp)
    def deinterleave(self, interpreter: KernelInterpreter, op: vector.DeinterleaveOp) -> Run:
        return lambda source: (source[..., 0::2].copy(), source[..., 1::2].copy())

    @prepared(vector.StepOp)
    def step(self, interpreter: KernelInterpreter, op: vector.StepOp) -> Run:
        numbers = object_array(np.arange(shape_of(op.result)[0]))
        return lambda: numbers

    @prepared(vector.FromElementsOp)
    def from_elements(self, interpreter: KernelInterpreter, op: vector.FromElementsOp) -> Run:
        shape = shape_of(op.dest)

        def run(*elements: Any) -> np.ndarray:
            result = np.empty(shape, object)
            result.reshape(-1)[:] = elements
            return result

        return run

    @prepared(vector.ToElementsOp)
    def to_elements(self, interpreter: KernelInterpreter, op: vector.ToElementsOp) -> Run:
        if len(op.elements) == 1:
            return lambda source: source.reshape(-1)[0]
        return lambda source: tuple(source.reshape(-1))


@register_impls
class VectorReductionFunctions(InterpreterFunctions):
    """Operations that combine elements, in order."""

    @prepared(vector.MultiReductionOp)
    def multi_reduction(self, interpreter: KernelInterpreter, op: vector.MultiReductionOp) -> Run:
        combine = combining_function(op, op.kind.data.value, element_of(op.acc))
        reduced, active = {*op.reduced}, outer_mask(op)
        places = list(itertools.product(*map(range, shape_of(op.source))))
        targets = [tuple(i for n, i in enumerate(place) if n not in reduced) for place in places]

        def run(source: np.ndarray, start: Any) -> Any:
            mask = active()
            total = _copied(start)
            for place, at in zip(places, targets, strict=True):
                if mask is None or mask[place]:
                    total[at] = combined(combine, total[at], source[place])
            return _uncopied(total, start)

        return run

    @prepared(vector.ContractionOp)
    def contraction(self, interpreter: KernelInterpreter, op: vector.ContractionOp) -> Run:
        element = element_of(op.acc)
        widen = _extension(op, element_of(op.lhs), element)
        combine = combining_function(op, op.kind.data.value, element)
        multiply = combining_function(op, "mul", element)
        lhs, rhs, out = op.maps
        places = list(itertools.product(*map(range, op.extents)))
        active = outer_mask(op)

        def run(a: np.ndarray, b: np.ndarray, start: Any) -> Any:
            mask = active()
            total = _copied(start)
            for place in places:
                if mask is None or mask[place]:
                    left, right = (
                        widen(value[tuple(place[n] for n in dims)])
                        for value, dims in ((a, lhs), (b, rhs))
                    )
                    at = tuple(place[n] for n in out)
                    total[at] = combined(combine, total[at], combined(multiply, left, right))
            return _uncopied(total, start)

        return run

    @prepared(vector.OuterProductOp)
    def outer_product(self, interpreter: KernelInterpreter, op: vector.OuterProductOp) -> Run:
        element, shape = element_of(op.result), shape_of(op.result)
        multiply = combining_function(op, "mul", element)
        combine = combining_function(op, op.kind.data.value, element)
        active = outer_mask(op)

        def run(a: np.ndarray, b: Any, start: np.ndarray | None = None) -> np.ndarray:
            mask = active()
            result = np.empty(shape, object)
            for place in itertools.product(*map(range, shape)):
                if start is not None and mask is not None and not mask[place]:
                    result[place] = start[place]
                    continue
                factor = b[place[1]] if len(place) == 2 else b
                product = combined(multiply, a[place[0]], factor)
                result[place] = (
                    product if start is None else combined(combine, start[place], product)
                )
            return result

        return run

    @prepared(vector.ScanOp)
    def scan(self, interpreter: KernelInterpreter, op: vector.ScanOp) -> Run:
        combine = combining_function(op, op.kind.data.value, element_of(op.source))
        shape, dim, is_inclusive = shape_of(op.source), op.dim, op.is_inclusive
        places = list(itertools.product(*map(range, shape_of(op.initial_value))))

        def run(source: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            result, last = np.empty(shape, object), np.empty(start.shape, object)
            for place in places:
                line = source[(*place[:dim], slice(None), *place[dim:])]
                total = line[0] if is_inclusive else start[place]
                for n in range(shape[dim]):
                    if n:
                        total = combined(combine, total, line[n if is_inclusive else n - 1])
                    result[(*place[:dim], n, *place[dim:])] = total
                last[place] = total
            return result, last

        return run

    @prepared(vector.MaskOp)
    def mask(self, interpreter: KernelInterpreter, op: vector.MaskOp) -> Run:
        body = interpreter.runner(op.body)

        def run(mask: np.ndarray, passed: Any = None) -> Any:
            _MASKS[op] = mask
            try:
                results = body()
            finally:
                del _MASKS[op]
            return results[0] if len(results) == 1 else results

        return run

    @impl_terminator(vector.YieldOp)
    def yield_(
        self, interpreter: Interpreter, op: vector.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()


def _copied(value: Any) -> np.ndarray:
    """A mutable copy of a vector, or a vector of one element."""
    if isinstance(value, np.ndarray):
        return value.copy()
    result = np.empty((), object)
    result[()] = value
    return result


def _uncopied(total: np.ndarray, start: Any) -> Any:
    return total if isinstance(start, np.ndarray) else total[()]


def _moved(index: tuple[Any, ...], lane: int) -> tuple[int, ...]:
    """``index`` advanced by ``lane`` elements; a scalar in memory has no index."""
    return (*index[:-1], index[-1] + lane) if index else ()


@register_impls
class VectorGatherFunctions(InterpreterFunctions):
    """Gathers and scatters: elements at computed indices."""

    @prepared(vector.GatherOp)
    def gather(self, interpreter: KernelInterpreter, op: vector.GatherOp) -> Run:
        read, rank = element_reader(op, element_of(op.result)), len(op.offsets)
        active = outer_mask(op)

        def run(buffer: Buffer, *args: Any) -> np.ndarray:
            index, (places, mask, result) = args[:rank], args[rank:]
            outer, result = active(), result.copy()
            for lane in np.ndindex(result.shape):
                if mask[lane] and (outer is None or outer[lane]):
                    result[lane] = read(buffer, _moved(index, places[lane]))
            return result

        return run

    @prepared(vector.ScatterOp)
    def scatter(self, interpreter: KernelInterpreter, op: vector.ScatterOp) -> Run:
        write, rank = element_writer(op), len(op.offsets)
        active = outer_mask(op)

        def run(buffer: Buffer, *args: Any) -> None:
            index, (places, mask, value) = args[:rank], args[rank:]
            outer = active()
            for lane in np.ndindex(mask.shape):
                if mask[lane] and (outer is None or outer[lane]):
                    write(stored_element(value, lane), buffer, _moved(index, places[lane]))

        return run

    @prepared(vector.ExpandLoadOp)
    def expand_load(self, interpreter: KernelInterpreter, op: vector.ExpandLoadOp) -> Run:
        read = element_reader(op, element_of(op.result))

        def run(buffer: Buffer, *args: Any) -> np.ndarray:
            *index, mask, result = args
            result = result.copy()
            for n, lane in enumerate(lane for lane, is_set in enumerate(mask) if is_set):
                result[lane] = read(buffer, _moved(tuple(index), n))
            return result

        return run

    @prepared(vector.CompressStoreOp)
    def compress_store(self, interpreter: KernelInterpreter, op: vector.CompressStoreOp) -> Run:
        write = element_writer(op)

        def run(buffer: Buffer, *args: Any) -> None:
            *index, mask, value = args
            for n, lane in enumerate(lane for lane, is_set in enumerate(mask) if is_set):
                write(stored_element(value, lane), buffer, _moved(tuple(index), n))

        return run
