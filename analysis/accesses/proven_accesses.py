"""Proof that code accesses nothing outside its buffers, for code that runs before anybody calls it.

In builds and calls (:mod:`kc.analysis.accesses.access_bounds`), undecided accesses pass, and the
caller answers for them. Here undecided accesses fail.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr, MemRefType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap

from kc.analysis.accesses.access_bounds import guards_around, is_natural
from kc.analysis.affine.index_values import IndexValues
from kc.dialects.tir import BlockOp, LoadOp, StoreOp, ViewOp

FIRST_ELEMENT = "kc.first_element"
"""The attribute that marks an address as the address of a view's first element, rather than of its
buffer's.
"""
POINTER = "memref.extract_aligned_pointer_as_index"


def stays_inside(op: Operation, index: IndexValues) -> bool:
    """True if an operation is proven to access only elements of its buffer, or has no accesses.

    Loads, stores and views of ``tir`` qualify if conditions and loops of constant extent bound
    their indices to the buffer, blocks if their bindings lie in their domains, and loads and stores
    of ``llvm`` if their address has a constant distance from the first element of a dense view.
    """
    if isinstance(op, LoadOp | StoreOp):
        value = op.result if isinstance(op, LoadOp) else op.value
        sizes = [1] * len(op.indices.data.results)
        if isinstance(value.type, VectorType) and sizes:
            sizes[-1] = math.prod(value.type.get_shape())
        return _box_is_inside(op, op.buffer, op.indices.data, op.operands_of_map, sizes, index)
    if isinstance(op, ViewOp):
        if "tir.zero_outside" in op.attributes:
            return False
        sizes = [1] * len(op.indices.data.results)
        type_ = op.result.type
        assert isinstance(type_, MemRefType)
        for dim, size in zip(op.dims.get_values(), type_.get_shape(), strict=True):
            sizes[dim] = size
        return _box_is_inside(op, op.buffer, op.indices.data, op.operands_of_map, sizes, index)
    if isinstance(op, BlockOp):
        first = op.body.block.first_op
        guards = guards_around(first, index) if first is not None else []
        return all(
            isinstance(extent, int)
            and _is_in(index.compose(expr, op.binding_operands), 1, extent, guards, index)
            for expr, extent in zip(op.bindings.data.results, op.extents, strict=True)
        )
    if op.name in ("llvm.load", "llvm.store"):
        return _is_near_the_first_element(op)
    return True


def _box_is_inside(
    op: Operation,
    buffer: SSAValue,
    map_: AffineMap,
    operands: Sequence[SSAValue],
    sizes: Sequence[int],
    index: IndexValues,
) -> bool:
    """True if a box of ``sizes`` elements, which starts at the indices, lies in the buffer."""
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    guards = guards_around(op, index)
    return all(
        _is_in(index.compose(expr, operands), size, extent, guards, index)
        for expr, size, extent in zip(map_.results, sizes, type_.get_shape(), strict=True)
    )


def _is_in(
    first: AffineExpr, size: int, extent: int, guards: Sequence[AffineExpr], index: IndexValues
) -> bool:
    if size < 1 or extent < size:  # of unknown size, too
        return False
    last = AffineConstantExpr(extent - size) - first
    return is_natural(first, guards, index) and is_natural(last, guards, index)


def _is_near_the_first_element(op: Operation) -> bool:
    pointer = op.operands[-1].owner
    accessed = _bytes((op.results or op.operands)[0].type)
    if not isinstance(pointer, Operation) or pointer.name != "llvm.inttoptr" or accessed is None:
        return False
    place, distance = pointer.operands[0], 0
    if isinstance(place.owner, arith.AddiOp):
        constant = place.owner.rhs.owner
        if not isinstance(constant, arith.ConstantOp):
            return False
        assert isinstance(constant.value, IntegerAttr)
        place, distance = place.owner.lhs, constant.value.value.data
    if not isinstance(place.owner, arith.IndexCastOp):
        return False
    address = place.owner.input.owner
    if not isinstance(address, Operation) or address.name != POINTER:
        return False
    type_ = address.operands[0].type
    assert isinstance(type_, MemRefType)
    held = _bytes(type_)
    if held is None or FIRST_ELEMENT not in address.attributes or not _is_dense(type_):
        return False
    return 0 <= distance <= held - accessed


def _bytes(type_: Attribute) -> int | None:
    """The bytes of the elements of a type; None if their number is unknown."""
    shape: Sequence[int] = ()
    if isinstance(type_, MemRefType | VectorType):
        shape, type_ = type_.get_shape(), type_.element_type
    if not isinstance(type_, FixedBitwidthType) or type_.bitwidth % 8 or any(n < 0 for n in shape):
        return None
    return math.prod(shape) * type_.bitwidth // 8


def _is_dense(type_: MemRefType) -> bool:
    """True if the elements of a view follow each other without gaps, in order."""
    strides = type_.get_strides()
    expected = 1
    for size, stride in zip(reversed(type_.get_shape()), reversed(strides or ()), strict=True):
        if stride != expected:
            return False
        expected *= size
    return True
