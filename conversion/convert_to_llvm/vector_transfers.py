"""Ops of the vector dialect that access memory, row by row.

A row of a vector extends along its last dimension. If its elements are adjacent in memory, it is
one load or store, masked if only a part may be accessed; otherwise it is an access through a vector
of pointers. Elements that are masked out or out of bounds are not accessed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import vector as xdsl_vector
from xdsl.dialects.builtin import IntegerAttr, IntegerType, MemRefType, VectorType, i1, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.arith import compare
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.conversion.convert_to_llvm.memref import (
    access,
    add,
    element_pointer,
    emit_load,
    emit_store,
    from_storage,
    strides_of,
    to_storage,
)
from kc.conversion.convert_to_llvm.types import (
    dense,
    element_size,
    memory_element,
    storage_type,
    unsupported_type,
)
from kc.conversion.convert_to_llvm.values import MemRef
from kc.conversion.convert_to_llvm.vector_lanes import (
    constant_mask,
    element,
    lane_count,
    lanes,
    pick,
    shuffle,
    splat,
    vector_type,
    widened,
    with_element,
)
from kc.dialects import llvm, vector
from kc.dialects.arith import vector_of
from kc.dialects.vector import shape_of


@dataclass(frozen=True)
class _Row:
    """A row of a vector: the index of its first element, its lanes, and the mask of the access."""

    index: tuple[int | SSAValue, ...]
    lanes: slice
    mask: SSAValue | None  # None: all of it


class _Rows:
    """The rows in memory of a vector of ``shape``.

    ``dims`` maps each dimension of the vector to a dimension of the memref, or to None if the
    vector repeats its elements along the dimension. ``promised`` is True for each dimension whose
    indices are in bounds.
    """

    def __init__(
        self,
        s: FunctionLowering,
        memref: MemRef,
        shape: Sequence[int],
        dims: Sequence[int | None],
        promised: Sequence[bool],
    ) -> None:
        self.s, self.memref = s, memref
        self.shape, self.dims, self.promised = list(shape), list(dims), list(promised)
        if not self.shape:
            self.shape, self.dims, self.promised = [1], [None], [True]
        self.length, self.last = self.shape[-1], self.dims[-1]
        stride = 0 if self.last is None else strides_of(s, memref)[self.last]
        self.stride = stride
        self.is_dense = self.length == 1 or stride == 1

    def all(self, start: Sequence[int | SSAValue], mask: SSAValue | None) -> Iterator[_Row]:
        """The rows of an access at ``start``; ``mask`` has a lane for each element."""
        s, length = self.s, self.length
        leading = itertools.product(*map(range, self.shape[:-1]))
        for n, place in enumerate(leading):
            index = list(start)
            inside: SSAValue | None = None
            for dim, promised, at in zip(self.dims, self.promised, place, strict=False):
                if dim is None:
                    continue
                index[dim] = add(s, start[dim], at)
                if not promised:
                    inside = self._and(inside, self._below(index[dim], dim))
            own = slice(n * length, (n + 1) * length)
            allowed = None if inside is None else splat(s, inside, VectorType(i1, [length]))
            if self.last is not None and not self.promised[-1]:
                allowed = self._and(allowed, self._lanes_below(index[self.last], self.last))
            if mask is not None:
                allowed = self._and(allowed, pick(s, mask, lanes(self.shape).reshape(-1)[own]))
            yield _Row(tuple(index), own, allowed)

    def _and(self, lhs: SSAValue | None, rhs: SSAValue) -> SSAValue:
        return rhs if lhs is None else self.s.emit(llvm.AndOp, [lhs, rhs], rhs.type)

    def _below(self, index: int | SSAValue, dim: int) -> SSAValue:
        """The condition that an index is in bounds; a negative index is large as an unsigned
        number.
        """
        s = self.s
        return compare(s, "ult", s.as_value(index), s.as_value(self.memref.shape[dim]))

    def _lanes_below(self, index: int | SSAValue, dim: int) -> SSAValue:
        s, ty = self.s, VectorType(i64, [self.length])
        first = splat(s, s.as_value(index), ty)
        numbers = s.constant(dense(ty, range(self.length)), ty)
        places = s.emit(llvm.AddOp, [first, numbers], ty)
        return compare(s, "ult", places, splat(s, s.as_value(self.memref.shape[dim]), ty))

    def pointers(self, row: _Row) -> SSAValue:
        """The address of each element of a row."""
        s = self.s
        first = element_pointer(s, self.memref, row.index, inbounds=False)
        ty = VectorType(i64, [self.length])
        numbers = s.constant(dense(ty, range(self.length)), ty)
        if self.stride != 1:
            step = splat(s, s.as_value(self.stride), ty)
            numbers = s.emit(llvm.MulOp, [numbers, step], ty)
        return pointers_at(s, first, numbers, self.memref.type)


def pointers_at(
    s: FunctionLowering, first: SSAValue, numbers: SSAValue, memref: MemRefType
) -> SSAValue:
    """A vector of pointers, at offsets of ``numbers`` elements from ``first``."""
    op = llvm.GEPOp(
        first,
        [llvm.GEP_USE_SSA_VAL],
        memory_element(memref),
        ssa_indices=[numbers],
        result_type=VectorType(first.type, [lane_count(numbers.type)]),
    )
    s.insert(op)
    return op.result


def _alignment(memref: MemRef) -> dict[str, Attribute]:
    return {"alignment": IntegerAttr(element_size(memref.type), i32)}


def _part(s: FunctionLowering, value: SSAValue, own: slice) -> SSAValue:
    if own == slice(0, lane_count(value.type)):
        return value
    return shuffle(s, value, value, [*range(own.start, own.stop)])


def _joined(s: FunctionLowering, parts: Sequence[SSAValue]) -> SSAValue:
    """The lanes of vectors of equal length, concatenated pairwise."""
    level = list(parts)
    while len(level) > 1:
        joined: list[SSAValue] = []
        for n in range(0, len(level) - 1, 2):
            width = max(lane_count(level[n].type), lane_count(level[n + 1].type))
            left, right = (lane_count(part.type) for part in level[n : n + 2])
            mask = [*range(left), *range(width, width + right)]
            first, second = (widened(s, part, width) for part in level[n : n + 2])
            joined.append(shuffle(s, first, second, mask))
        level = [*joined, *level[len(level) // 2 * 2 :]]
    return level[0]


def read_rows(
    s: FunctionLowering,
    rows: _Rows,
    start: Sequence[int | SSAValue],
    mask: SSAValue | None,
    inactive: SSAValue | None,
    result: SSAValue,
) -> None:
    """Define ``result`` as the elements in memory; lanes that are not accessed come from the vector
    ``inactive``.
    """
    memref = rows.memref
    ty = vector_type(result)
    stored = storage_type(vector_of(ty.element_type, rows.length))
    parts: list[SSAValue] = []
    for row in rows.all(start, mask):
        pass_thru = None if inactive is None else to_storage(s, _part(s, inactive, row.lanes))
        if rows.is_dense and row.mask is None:
            pointer = element_pointer(s, memref, row.index)
            alignment: dict[str, Attribute] = {
                "alignment": IntegerAttr(element_size(memref.type), i64)
            }
            parts.append(s.emit(llvm.LoadOp, [pointer], stored, alignment))
            continue
        import numpy as np

        allowed = constant_mask(s, np.ones(rows.length, bool)) if row.mask is None else row.mask
        if rows.is_dense:
            pointer = element_pointer(s, memref, row.index, inbounds=False)
            kind = llvm.MaskedLoadOp
        else:
            pointer, kind = rows.pointers(row), llvm.MaskedGatherOp
        operands = [pointer, allowed, *([] if pass_thru is None else [pass_thru])]
        parts.append(s.emit(kind, operands, stored, _alignment(memref)))
    s.define(result, from_storage(s, _joined(s, parts), result.type))


def write_rows(
    s: FunctionLowering,
    rows: _Rows,
    start: Sequence[int | SSAValue],
    mask: SSAValue | None,
    value: SSAValue,
) -> None:
    """Store the lanes of the vector ``value`` for which ``mask`` is set."""
    memref = rows.memref
    memref.origin.written = True
    for row in rows.all(start, mask):
        part = to_storage(s, _part(s, value, row.lanes))
        if rows.is_dense and row.mask is None:
            pointer = element_pointer(s, memref, row.index)
            alignment: dict[str, Attribute] = {
                "alignment": IntegerAttr(element_size(memref.type), i64)
            }
            s.create(llvm.StoreOp, [part, pointer], (), alignment)
            continue
        import numpy as np

        allowed = constant_mask(s, np.ones(rows.length, bool)) if row.mask is None else row.mask
        if rows.is_dense:
            pointer = element_pointer(s, memref, row.index, inbounds=False)
            s.create(llvm.MaskedStoreOp, [part, pointer, allowed], (), _alignment(memref))
        else:
            operands = [part, rows.pointers(row), allowed]
            s.create(llvm.MaskedScatterOp, operands, (), _alignment(memref))


def _whole_rows(s: FunctionLowering, memref: MemRef, value: SSAValue) -> _Rows:
    """The rows of a vector along the last dimensions of memory, all in bounds."""
    shape, rank = shape_of(value), len(memref.shape)
    if len(shape) > rank:
        raise unsupported_type(memref.type, f"{value.type} has more dimensions")
    return _Rows(s, memref, shape, range(rank - len(shape), rank), [True] * len(shape))


class LowerVectorLoad(LlvmPattern):
    """Load adjacent elements, from any element on.

    ::

        %v = vector.load %A[%i] : memref<8xf32>, vector<4xf32>    ->    llvm.load {alignment = 4}
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: xdsl_vector.LoadOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        memref, indices, (result,) = s.memref(op.operands[0]), op.operands[1:], op.results
        if len(shape_of(result)) <= 1:
            emit_load(s, op, memref, indices)
            return
        rows = _whole_rows(s, memref, result)
        read_rows(s, rows, [s.index(index) for index in indices], None, None, result)


class LowerVectorStore(LlvmPattern):
    """Store adjacent elements, from any element on.

    ::

        vector.store %v, %A[%i]    ->    llvm.store {alignment = 4}
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: xdsl_vector.StoreOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        value, memref, indices = op.operands[0], s.memref(op.operands[1]), op.operands[2:]
        if len(shape_of(value)) <= 1:
            emit_store(s, op, value, memref, indices)
            return
        rows = _whole_rows(s, memref, value)
        write_rows(s, rows, [s.index(index) for index in indices], None, s.value(value))


class LowerMaskedLoad(LlvmPattern):
    """Load the lanes that a mask selects; the others are not accessed.

    ::

        %v = vector.maskedload %A[%i], %m, %p    ->    %v = llvm.intr.masked.load
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: xdsl_vector.MaskedLoadOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        memref, (result,) = s.memref(op.base), op.results
        if len(shape_of(result)) == 1 and memref.strides is None:
            operands = [
                access(s, memref, op.indices),
                s.value(op.mask),
                to_storage(s, s.value(op.pass_thru)),
            ]
            stored = storage_type(result.type)
            loaded = s.emit(llvm.MaskedLoadOp, operands, stored, _alignment(memref))
            s.define(result, from_storage(s, loaded, result.type))
            return
        rows = _whole_rows(s, memref, result)
        start = [s.index(index) for index in op.indices]
        read_rows(s, rows, start, s.value(op.mask), s.value(op.pass_thru), op.result)


class LowerMaskedStore(LlvmPattern):
    """Store the lanes that a mask selects.

    ::

        vector.maskedstore %A[%i], %m, %v    ->    llvm.intr.masked.store
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: xdsl_vector.MaskedStoreOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        memref = s.memref(op.base)
        if len(shape_of(op.value_to_store)) == 1 and memref.strides is None:
            memref.origin.written = True
            value = to_storage(s, s.value(op.value_to_store))
            operands = [value, access(s, memref, op.indices), s.value(op.mask)]
            s.create(llvm.MaskedStoreOp, operands, (), _alignment(memref))
            return
        rows = _whole_rows(s, memref, op.value_to_store)
        start = [s.index(index) for index in op.indices]
        write_rows(s, rows, start, s.value(op.mask), s.value(op.value_to_store))


def _transfer_rows(
    s: FunctionLowering,
    op: xdsl_vector.TransferReadOp | xdsl_vector.TransferWriteOp,
    value: SSAValue,
) -> _Rows:
    if not isinstance(op.source.type, MemRefType):
        raise unsupported_type(op.source.type, f"{op.name} accesses memory")
    dims = [
        expr.position if isinstance(expr, AffineDimExpr) else None
        for expr in op.permutation_map.data.results
    ]
    promised = [
        isinstance(attr, IntegerAttr) and bool(attr.value.data) for attr in op.in_bounds.data
    ]
    if len(dims) != len(shape_of(value)):
        raise unsupported_type(op.source.type, "its elements are vectors")
    return _Rows(s, s.memref(op.source), shape_of(value), dims, promised)


def _transfer_mask(
    s: FunctionLowering,
    op: xdsl_vector.TransferReadOp | xdsl_vector.TransferWriteOp,
    rows: _Rows,
    outer: SSAValue | None,
) -> SSAValue | None:
    """A mask with a lane for each element. Its dimensions are those of the memory, without
    broadcast ones.
    """
    import numpy as np

    masks = [s.value(op.mask)] if op.mask is not None else []
    masks += [] if outer is None else [outer]
    if not masks:
        return None
    places = sorted((dim, n) for n, dim in enumerate(rows.dims) if dim is not None)
    order = [n for _, n in places]
    own = lanes([rows.shape[n] for n in order])
    full = np.transpose(own, np.argsort(order)) if order else own
    for n, dim in enumerate(rows.dims):
        if dim is None:
            full = np.expand_dims(full, n)
    chosen = np.broadcast_to(full, rows.shape)
    picked = [pick(s, mask, chosen) for mask in masks]
    return picked[0] if len(picked) == 1 else s.emit(llvm.AndOp, picked, picked[0].type)


def lower_transfer_read(
    s: FunctionLowering, op: xdsl_vector.TransferReadOp, outer: SSAValue | None = None
) -> None:
    """Read a part of memory, with the padding value for elements out of bounds or masked out."""
    rows = _transfer_rows(s, op, op.result)
    mask = _transfer_mask(s, op, rows, outer)
    inactive = splat(s, s.value(op.padding), vector_type(op.result))
    read_rows(s, rows, [s.index(index) for index in op.indices], mask, inactive, op.result)


def lower_transfer_write(
    s: FunctionLowering, op: xdsl_vector.TransferWriteOp, outer: SSAValue | None = None
) -> None:
    """Write a part of memory, except for elements out of bounds or masked out."""
    rows = _transfer_rows(s, op, op.vector)
    if None in rows.dims and shape_of(op.vector):
        raise unsupported_type(op.vector.type, f"{op.name} writes no element more than once")
    mask = _transfer_mask(s, op, rows, outer)
    start = [s.index(index) for index in op.indices]
    write_rows(s, rows, start, mask, s.value(op.vector))


class LowerTransferRead(LlvmPattern):
    """Read a part of memory, with a padding value for elements out of bounds or masked out.

    ::

        %v = vector.transfer_read %A[%i], %p : memref<?xf32>, vector<4xf32>

    becomes ::

        %m = llvm.icmp "ult" (%i + [0, 1, 2, 3]), %A_0
        %v = llvm.intr.masked.load %A[%i], %m, %p
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: xdsl_vector.TransferReadOp, rewriter: PatternRewriter, /
    ) -> None:
        lower_transfer_read(self.conversion, op)


class LowerTransferWrite(LlvmPattern):
    """Write a part of memory, except for elements out of bounds or masked out.

    ::

        vector.transfer_write %v, %A[%i]    ->    llvm.intr.masked.store %v, %A[%i], %m
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: xdsl_vector.TransferWriteOp, rewriter: PatternRewriter, /
    ) -> None:
        lower_transfer_write(self.conversion, op)


def _indexed(
    s: FunctionLowering, op: vector.GatherOp | vector.ScatterOp
) -> tuple[MemRef, SSAValue]:
    """The memory, and the index of each lane along the last dimension."""
    if not isinstance(op.base.type, MemRefType):
        raise unsupported_type(op.base.type, f"{op.name} accesses memory")
    memref = s.memref(op.base)
    numbers = s.value(op.indices)
    assert isinstance(numbers.type, VectorType)
    wide = VectorType(i64, numbers.type.shape)
    number = numbers.type.element_type
    assert isinstance(number, IntegerType)
    if number.width.data < 64:
        numbers = s.emit(llvm.SExtOp, [numbers], wide)
    elif number.width.data > 64:
        raise unsupported_type(op.indices.type, "an index has 64 bits")
    stride = strides_of(s, memref)[-1] if memref.shape else 1
    if stride != 1:
        numbers = s.emit(llvm.MulOp, [numbers, splat(s, s.as_value(stride), wide)], wide)
    start = [s.index(index) for index in op.offsets]
    first = element_pointer(s, memref, start, inbounds=False)
    return memref, pointers_at(s, first, numbers, memref.type)


def lower_gather(s: FunctionLowering, op: vector.GatherOp, outer: SSAValue | None = None) -> None:
    """Load elements at arbitrary indices of a row of memory."""
    memref, pointers = _indexed(s, op)
    mask = s.value(op.mask)
    if outer is not None:
        mask = s.emit(llvm.AndOp, [mask, outer], mask.type)
    operands = [pointers, mask, to_storage(s, s.value(op.pass_thru))]
    stored = storage_type(op.result.type)
    loaded = s.emit(llvm.MaskedGatherOp, operands, stored, _alignment(memref))
    s.define(op.result, from_storage(s, loaded, op.result.type))


def lower_scatter(s: FunctionLowering, op: vector.ScatterOp, outer: SSAValue | None = None) -> None:
    """Store elements at arbitrary indices of a row of memory, in the order of the lanes."""
    memref, pointers = _indexed(s, op)
    memref.origin.written = True
    mask = s.value(op.mask)
    if outer is not None:
        mask = s.emit(llvm.AndOp, [mask, outer], mask.type)
    operands = [to_storage(s, s.value(op.value_to_store)), pointers, mask]
    s.create(llvm.MaskedScatterOp, operands, (), _alignment(memref))


class LowerGather(LlvmPattern):
    """Load elements at arbitrary indices of a row of memory.

    ::

        %v = vector.gather %A[%i][%at], %m, %p    ->    %v = llvm.intr.masked.gather
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.GatherOp, rewriter: PatternRewriter, /) -> None:
        lower_gather(self.conversion, op)


class LowerScatter(LlvmPattern):
    """Store elements at arbitrary indices of a row of memory.

    ::

        vector.scatter %A[%i][%at], %m, %v    ->    llvm.intr.masked.scatter
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ScatterOp, rewriter: PatternRewriter, /) -> None:
        lower_scatter(self.conversion, op)


def _packed(
    s: FunctionLowering, op: vector.ExpandLoadOp | vector.CompressStoreOp
) -> tuple[MemRef, SSAValue, SSAValue]:
    """The memory, and the index of each active lane: the number of active lanes before it."""
    memref, mask = s.memref(op.base), s.value(op.mask)
    count = lane_count(mask.type)
    strides = strides_of(s, memref)
    if len(shape_of(op.mask)) != 1 or (strides and strides[-1] != 1):
        raise unsupported_type(op.base.type, f"{op.name} accesses neighbours")
    ty = VectorType(i64, [count])
    numbers, before = s.emit(llvm.PoisonOp, [], ty), s.int_constant(0)
    for lane in range(count):
        numbers = with_element(s, numbers, before, lane)
        is_set = s.emit(llvm.ZExtOp, [element(s, mask, lane)], i64)
        before = s.emit(llvm.AddOp, [before, is_set], i64)
    first = access(s, memref, op.indices)
    return memref, pointers_at(s, first, numbers, memref.type), mask


class LowerExpandLoad(LlvmPattern):
    """Load adjacent elements into the lanes for which the mask is set.

    ::

        %v = vector.expandload %A[%i], %m, %p    ->    %v = llvm.intr.masked.gather
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ExpandLoadOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        memref, pointers, mask = _packed(s, op)
        operands = [pointers, mask, to_storage(s, s.value(op.pass_thru))]
        stored = storage_type(op.result.type)
        loaded = s.emit(llvm.MaskedGatherOp, operands, stored, _alignment(memref))
        s.define(op.result, from_storage(s, loaded, op.result.type))


class LowerCompressStore(LlvmPattern):
    """Store the lanes for which the mask is set to adjacent elements.

    ::

        vector.compressstore %A[%i], %m, %v    ->    llvm.intr.masked.scatter
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.CompressStoreOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        memref, pointers, mask = _packed(s, op)
        memref.origin.written = True
        operands = [to_storage(s, s.value(op.value_to_store)), pointers, mask]
        s.create(llvm.MaskedScatterOp, operands, (), _alignment(memref))


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerVectorLoad,
    LowerVectorStore,
    LowerMaskedLoad,
    LowerMaskedStore,
    LowerTransferRead,
    LowerTransferWrite,
    LowerGather,
    LowerScatter,
    LowerExpandLoad,
    LowerCompressStore,
)
