"""Adjacent vector loads whose results are concatenated, merged into one load.

LLVM merges such loads itself unless it knows a larger alignment for the first load than for the
others. In that case the 16 rows of four bytes of a dot product became 16 insertions.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import FixedBitwidthType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from kc.conversion.convert_to_llvm.function import FunctionLowering
from kc.dialects import llvm
from kc.dialects.arith import vector_of
from kc.dialects.llvm.pointers import GEP_USE_SSA_VAL

_LIMIT = 512
"""The width in bits of the largest register; a longer load would be split again."""

_HARMLESS = (
    llvm.LoadOp, llvm.GEPOp, llvm.ConstantOp, llvm.PoisonOp, llvm.BitcastOp, llvm.ShuffleVectorOp,
    llvm.InsertElementOp, llvm.ExtractElementOp,
)  # fmt: skip
"""Operations that do not write memory."""


def joined_load(s: FunctionLowering, first: SSAValue, second: SSAValue) -> SSAValue | None:
    """One load of ``first`` and ``second``, if they are loads of adjacent memory in this block and
    nothing in between writes to memory.
    """
    a, b = first.owner, second.owner
    if not (isinstance(a, llvm.LoadOp) and isinstance(b, llvm.LoadOp)):
        return None
    if a.parent is not s.block or b.parent is not s.block or a.properties != b.properties:
        return None
    if a.volatile_ or a.ordering.value.data or a.alignment is None:
        return None
    if a.attributes != b.attributes or not isinstance(type_ := first.type, VectorType):
        return None
    element = type_.element_type
    if first.type != second.type or not isinstance(element, FixedBitwidthType):
        return None
    (lanes,) = type_.get_shape()
    bits = lanes * element.bitwidth
    if bits % 8 or 2 * bits > _LIMIT or _distance(a.ptr, b.ptr) != bits // 8:
        return None
    earlier = next(op for op in s.block.ops if op in (a, b))
    if not all(isinstance(op, _HARMLESS) for op in _from(earlier)):
        return None
    return s.emit(llvm.LoadOp, [a.ptr], vector_of(element, 2 * lanes), dict(a.properties))


def _from(op: Operation | None) -> Iterator[Operation]:
    while op is not None:
        yield op
        op = op.next_op


def _distance(first: SSAValue, second: SSAValue) -> int | None:
    """The distance in bytes between two addresses, if they differ only in constant indices."""
    a, b = first.owner, second.owner
    if not (isinstance(a, llvm.GEPOp) and isinstance(b, llvm.GEPOp)):
        return None
    if a.ptr is not b.ptr or a.elem_type != b.elem_type:
        return None
    if list(a.ssa_indices) != list(b.ssa_indices):
        return None
    distance, type_ = 0, a.elem_type
    pairs = zip(a.rawConstantIndices.get_values(), b.rawConstantIndices.get_values(), strict=False)
    for n, (own, further) in enumerate(pairs):
        if n:
            if not isinstance(type_, llvm.LLVMArrayType):
                return None
            type_ = type_.type
        if (own == GEP_USE_SSA_VAL) != (further == GEP_USE_SSA_VAL):
            return None
        size = _bytes(type_)
        if size is None:
            return None
        distance += (further - own) * size
    return distance


def _bytes(type_: Attribute) -> int | None:
    if isinstance(type_, llvm.LLVMArrayType):
        size = _bytes(type_.type)
        return None if size is None else type_.size.data * size
    if isinstance(type_, FixedBitwidthType) and type_.bitwidth in (8, 16, 32, 64):
        return type_.bitwidth // 8
    return None
