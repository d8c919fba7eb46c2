"""The ops of ``vector``: accesses, and conversions between vectors and elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from xdsl.dialects import vector
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerAttr, MemRefType, VectorType
from xdsl.dialects.utils import FastMathFlag
from xdsl.interpreter import InterpreterFunctions, register_impls
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr

from kc.analysis.interpreter.combine import combining_function
from kc.analysis.interpreter.elementwise import elementwise
from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import OutOfBoundsError, PoisonError, UninterpretableError
from kc.analysis.interpreter.math import fused_multiply_add
from kc.analysis.interpreter.memory import (
    element_reader,
    element_writer,
    vector_reader,
    vector_writer,
)
from kc.analysis.interpreter.values import (
    Buffer,
    Poison,
    dtype_of,
    float_type,
    splat,
    stored_element,
    vector_of,
)
from kc.analysis.interpreter.vector_shapes import outer_mask
from kc.dialects.tir import DYNAMIC
from kc.dialects.vector import PrintOp, element_of


def _shape(type_: Any) -> tuple[int, ...]:
    assert isinstance(type_, VectorType)
    return tuple(type_.get_shape())


def _printed(element: Any, op: PrintOp) -> str:
    """A number in the format of C's printf."""
    if isinstance(element, Poison):
        raise PoisonError(op, "poison is printed")
    assert op.source is not None
    type_ = element_of(op.source)
    if isinstance(type_, AnyFloat):
        text = f"{float(element):g}"
        return f"-{text}" if np.isnan(element) and np.signbit(element) else text
    return str(int(element) % (1 << 64) if isinstance(type_, IndexType) else int(element))


def _shifted(index: Sequence[int], lane: tuple[int, ...]) -> tuple[int, ...]:
    """``index`` advanced by ``lane`` along the last dimensions."""
    leading = len(index) - len(lane)
    return (*index[:leading], *(i + n for i, n in zip(index[leading:], lane, strict=True)))


@register_impls
class VectorAccessFunctions(InterpreterFunctions):
    """Vector loads and stores. Masked-out elements are not accessed."""

    @prepared(vector.LoadOp)
    def load(self, interpreter: KernelInterpreter, op: vector.LoadOp) -> Run:
        assert isinstance(type_ := op.result.type, VectorType)
        read = vector_reader(op, type_)
        return lambda buffer, *index: read(buffer, index)

    @prepared(vector.StoreOp)
    def store(self, interpreter: KernelInterpreter, op: vector.StoreOp) -> Run:
        assert isinstance(type_ := op.vector.type, VectorType)
        write = vector_writer(op, type_)
        return lambda value, buffer, *index: write(value, buffer, index)

    @prepared(vector.MaskedLoadOp)
    def masked_load(self, interpreter: KernelInterpreter, op: vector.MaskedLoadOp) -> Run:
        assert isinstance(type_ := op.result.type, VectorType)
        read = element_reader(op, type_.element_type)

        def run(buffer: Buffer, *args: Any) -> np.ndarray:
            *index, mask, result = args
            result = result.copy()
            for lane, active in np.ndenumerate(mask):
                if active:
                    result[lane] = read(buffer, _shifted(index, lane))
            return result

        return run

    @prepared(vector.MaskedStoreOp)
    def masked_store(self, interpreter: KernelInterpreter, op: vector.MaskedStoreOp) -> Run:
        write = element_writer(op)

        def run(buffer: Buffer, *args: Any) -> None:
            *index, mask, value = args
            for lane, active in np.ndenumerate(mask):
                if active:
                    write(stored_element(value, lane), buffer, _shifted(index, lane))

        return run

    @prepared(vector.TransferReadOp)
    def transfer_read(self, interpreter: KernelInterpreter, op: vector.TransferReadOp) -> Run:
        assert isinstance(type_ := op.result.type, VectorType)
        read = element_reader(op, type_.element_type)
        lanes, rank = _transfer_lanes(op, type_), len(op.indices)
        active = outer_mask(op)

        def run(buffer: Buffer, *args: Any) -> np.ndarray:
            index, padding = args[:rank], args[rank]
            result = splat(_shape(type_), padding)
            mask = args[rank + 1] if op.mask else None
            for lane, place in lanes(buffer, index, mask, active()):
                result[lane] = read(buffer, place)
            return result

        return run

    @prepared(vector.TransferWriteOp)
    def transfer_write(self, interpreter: KernelInterpreter, op: vector.TransferWriteOp) -> Run:
        assert isinstance(type_ := op.vector.type, VectorType)
        if not isinstance(op.source.type, MemRefType):
            raise UninterpretableError(
                op, f"a transfer into {op.source.type} cannot be interpreted"
            )
        write = element_writer(op)
        lanes, rank = _transfer_lanes(op, type_), len(op.indices)
        active = outer_mask(op)

        def run(value: np.ndarray, buffer: Buffer, *args: Any) -> None:
            mask = args[rank] if op.mask else None
            for lane, place in lanes(buffer, args[:rank], mask, active()):
                write(stored_element(value, lane), buffer, place)

        return run


def _transfer_lanes(op: vector.TransferReadOp | vector.TransferWriteOp, type_: VectorType) -> Run:
    """The function that lists the elements to transfer: their index in the vector and in memory.

    Masked-out elements are not listed, nor are elements out of bounds in a dimension that is not
    ``in_bounds``.
    """
    dims = [
        expr.position if isinstance(expr, AffineDimExpr) else None
        for expr in op.permutation_map.data.results
    ]
    promised = [
        isinstance(attr, IntegerAttr) and bool(attr.value.data) for attr in op.in_bounds.data
    ]
    # The mask has a dimension for each one that is not broadcast, in the order of the memory.
    masked = [n for _, n in sorted((dim, n) for n, dim in enumerate(dims) if dim is not None)]
    all_lanes = list(itertools.product(*map(range, type_.get_shape())))

    def lanes(buffer: Buffer, index: Sequence[int], *masks: np.ndarray | None) -> Any:
        sizes = buffer.array(op).shape
        for lane in all_lanes:
            at = tuple(lane[n] for n in masked)
            if any(mask is not None and not mask[at] for mask in masks):
                continue
            place = list(index)
            for n, dim in enumerate(dims):
                if dim is not None:
                    place[dim] += lane[n]
            outside = {n for n, i in enumerate(place) if not 0 <= i < sizes[n]}
            allowed = {dim for n, dim in enumerate(dims) if dim is not None and not promised[n]}
            if not outside:
                yield lane, tuple(place)
            elif not outside <= allowed:
                raise OutOfBoundsError(op, buffer, place)

    return lanes


@register_impls
class VectorFunctions(InterpreterFunctions):
    """Operations on vectors in registers."""

    @prepared(vector.BroadcastOp)
    def broadcast(self, interpreter: KernelInterpreter, op: vector.BroadcastOp) -> Run:
        shape = _shape(op.vector.type)
        if isinstance(op.source.type, VectorType):
            return lambda source: np.broadcast_to(source, shape).copy()
        return lambda source: splat(shape, source)

    @prepared(vector.ExtractOp)
    def extract(self, interpreter: KernelInterpreter, op: vector.ExtractOp) -> Run:
        place = _position(op, op.static_position.get_values(), _shape(op.vector.type))

        def run(source: np.ndarray, *dynamic: int) -> Any:
            at = place(dynamic)
            return at if isinstance(at, Poison) else source[at]

        return run

    @prepared(vector.InsertOp)
    def insert(self, interpreter: KernelInterpreter, op: vector.InsertOp) -> Run:
        shape = _shape(op.result.type)
        place = _position(op, op.static_position.get_values(), shape)

        def run(source: Any, target: np.ndarray, *dynamic: int) -> np.ndarray:
            at = place(dynamic)
            if isinstance(at, Poison):
                return splat(shape, at)
            result = target.copy()
            result[at] = source
            return result

        return run

    @prepared(vector.ShuffleOp)
    def shuffle(self, interpreter: KernelInterpreter, op: vector.ShuffleOp) -> Run:
        mask = list(op.mask.get_values())
        missing = Poison(op, "no element is chosen")

        def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            elements = np.concatenate([np.atleast_1d(a), np.atleast_1d(b)])
            result = elements[mask]
            for row in (n for n, lane in enumerate(mask) if lane < 0):
                result[row] = missing
            return result

        return run

    @prepared(vector.FMAOp)
    def fma(self, interpreter: KernelInterpreter, op: vector.FMAOp) -> Run:
        kind = float_type(op, op.res.type)
        return elementwise(op, lambda a, b, c: fused_multiply_add(kind, a, b, c))

    @prepared(vector.ReductionOp)
    def reduction(self, interpreter: KernelInterpreter, op: vector.ReductionOp) -> Run:
        combine = combining_function(op, op.kind.data.value, op.dest.type)
        active = outer_mask(op)
        in_halves = FastMathFlag.REASSOC in op.fastmath.data

        def run(elements: np.ndarray, *accumulator: Any) -> Any:
            mask = active()
            if mask is not None:
                elements = elements[mask.astype(bool)]
            values = [*accumulator, *elements]
            if not values:
                return Poison(op, "a reduction of no elements")
            poison = next((value for value in values if isinstance(value, Poison)), None)
            if poison is not None:
                return poison
            if in_halves and mask is None:
                values = [*accumulator, _folded(combine, list(elements))]
            return reduce(combine, values)

        return run

    @prepared(PrintOp)
    def print_(self, interpreter: KernelInterpreter, op: PrintOp) -> Run:
        *before, last = op.texts

        def run(value: Any = None) -> tuple[()]:
            elements = () if op.source is None else np.asarray(value, object).reshape(-1)
            shown = zip(before, elements, strict=True)
            line = "".join(text + _printed(element, op) for text, element in shown) + last
            print(line, end="", flush=True)
            return ()

        return run

    @prepared(vector.CreateMaskOp)
    def create_mask(self, interpreter: KernelInterpreter, op: vector.CreateMaskOp) -> Run:
        shape = _shape(op.mask_vector.type)

        def run(*sizes: int) -> np.ndarray:
            mask = splat(shape, False)
            mask[tuple(slice(0, max(size, 0)) for size in sizes)] = True
            return mask

        return run

    @prepared(vector.BitcastOp)
    def bitcast(self, interpreter: KernelInterpreter, op: vector.BitcastOp) -> Run:
        assert isinstance(source := op.source.type, VectorType)
        assert isinstance(target := op.result.type, VectorType)
        from_, to = dtype_of(op, source.element_type), dtype_of(op, target.element_type)
        if np.bool_ not in (from_, to) or from_ == to:
            return lambda a: vector_of(a.astype(from_).view(to))

        def run(a: np.ndarray) -> np.ndarray:
            if from_ == np.bool_:
                return vector_of(
                    np.packbits(a.astype(np.bool_), axis=-1, bitorder="little").view(to)
                )
            whole = np.ascontiguousarray(a.astype(from_)).view(np.uint8)
            return vector_of(np.unpackbits(whole, axis=-1, bitorder="little").astype(to))

        return run


def _folded(combine: Callable[[Any, Any], Any], values: list[Any]) -> Any:
    """The combination of ``values``: in a binary tree if their number is a power of two, as LLVM
    combines lanes on x86 if the order is free.
    """
    if len(values) & (len(values) - 1):
        return reduce(combine, values)
    while len(values) > 1:
        half = len(values) // 2
        values = list(map(combine, values[:half], values[half:]))
    return values[0]


def _position(op: Operation, static: Sequence[int], shape: tuple[int, ...]) -> Run:
    """The function that completes a position with its dynamic parts. The position is poison if it
    is out of bounds.
    """

    def place(dynamic: Sequence[int]) -> Any:
        rest = iter(dynamic)
        at = tuple(next(rest) if i == DYNAMIC else i for i in static)
        for i, size in zip(at, shape, strict=False):
            if type(i) is Poison:
                return i
            if not 0 <= i < size:
                return Poison(
                    op, f"position {list(at)} is out of bounds of a vector of {list(shape)}"
                )
        return at

    return place
