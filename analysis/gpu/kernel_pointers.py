"""Accesses of nvvm operations through pointers: the array and the elements accessed.

In kernels that kc generates, a pointer is the begin of an array plus an offset in bytes or
elements. An access of 16 bytes is one row of a matrix, or a part of a copy:

===========================  =====================================================================
``nvvm.ldmatrix``, stmatrix  eight lanes for each matrix hold the addresses of its rows
``nvvm.wmma.load``, store    one row of the matrix for each lane, as long as there are rows
``cp.async.shared.global``   a read and a write, both pending until they are waited for
===========================  =====================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import FixedBitwidthType, MemRefType
from xdsl.ir import Operation, SSAValue

from kc.analysis.affine.terms import ALWAYS, Condition, Term, number
from kc.analysis.gpu.kernel_values import WARP_SIZE, KernelValues
from kc.dialects import llvm, nvvm

POINTERS = (llvm.IntToPtrOp, llvm.GEPOp, memref.ExtractAlignedPointerAsIndexOp)
"""Operations that compute pointers and access no memory."""
_ROW = 16
"""Bytes of a row of an 8 x 8 matrix."""


@dataclass(frozen=True)
class PointerAccess:
    """An access of ``lanes`` elements of ``array``, from element ``first`` on.

    Only threads that satisfy ``who`` execute it. ``alignment`` is the required alignment of the
    address in bytes, 0 for no requirement. ``is_whole``: the access certainly touches all these
    elements.
    """

    array: SSAValue
    first: Term
    lanes: int
    writes: bool
    who: Condition = ALWAYS
    alignment: int = 0
    is_asynchronous: bool = False
    is_whole: bool = True


def pointer_accesses(op: Operation, reader: KernelValues) -> Sequence[PointerAccess] | None:
    """The accesses of an operation, possibly none; None if the accesses are unknown."""
    if isinstance(op, nvvm.CpAsyncOp):
        size = op.size.value.data
        # the part that is not read is filled with zeros
        to = _part(op.dst, size, reader, writes=True)
        start = _part(op.src, size, reader, writes=False)
        may, is_whole = _is_read(op, reader)
        return _known(
            [
                to and _with(to, size, is_asynchronous=True),
                start and _with(start, size, who=may, is_asynchronous=True, is_whole=is_whole),
            ]
        )
    if isinstance(op, nvvm.LdMatrixOp | nvvm.StMatrixOp):
        is_load = isinstance(op, nvvm.LdMatrixOp)
        count = op.num.value.data if isinstance(op, nvvm.LdMatrixOp) else len(op.sources)
        if op.shape.sizes != (8, 8):
            return None
        part = _part(op.ptr, _ROW, reader, writes=not is_load)
        who = reader.linear() % WARP_SIZE < 8 * count
        return _known([part and _with(part, _ROW, who=who)])
    if isinstance(op, nvvm.WmmaLoadOp | nvvm.WmmaStoreOp):
        return _matrix(op, reader)
    return ()


def _is_read(copy: nvvm.CpAsyncOp, reader: KernelValues) -> tuple[Condition, bool]:
    """The condition under which a copy may read, and True if the copy then certainly reads all of
    its bytes: it has no byte count, or a condition selects between all bytes and none.
    """
    if copy.cp_size is None:
        return ALWAYS, True
    choice = copy.cp_size.owner
    if not isinstance(choice, arith.SelectOp):
        return ALWAYS, False
    counts = [reader.integer(value) for value in choice.operands[1:]]
    if counts != [number(copy.size.value.data), number(0)]:
        return ALWAYS, False
    may, must = reader.condition(choice.cond)
    return may, may == must


def _known(parts: Sequence[PointerAccess | None]) -> Sequence[PointerAccess] | None:
    accesses = [part for part in parts if part is not None]
    return accesses if len(accesses) == len(parts) else None


def _with(
    part: PointerAccess,
    alignment: int,
    *,
    who: Condition = ALWAYS,
    is_asynchronous: bool = False,
    is_whole: bool = True,
) -> PointerAccess:
    return PointerAccess(
        part.array, part.first, part.lanes, part.writes, who, alignment, is_asynchronous, is_whole
    )


def _part(
    pointer: SSAValue, size: int, reader: KernelValues, *, writes: bool
) -> PointerAccess | None:
    """An access of ``size`` bytes at a pointer; None if these bytes are not whole elements of an
    array.
    """
    place = _place(pointer, reader)
    if place is None:
        return None
    array, offset = place
    width = _width(array)
    if width is None or size % width or (offset % width).value != 0:
        return None
    return PointerAccess(array, offset // width, size // width, writes)


def _matrix(
    op: nvvm.WmmaLoadOp | nvvm.WmmaStoreOp, reader: KernelValues
) -> Sequence[PointerAccess] | None:
    m, n, k = op.shape
    kind = op.frag.data if isinstance(op, nvvm.WmmaLoadOp) else "c"
    rows, columns = {"a": (m, k), "b": (k, n)}.get(kind, (m, n))
    if op.layout.data == "col":
        rows, columns = columns, rows
    place, stride = _place(op.ptr, reader), reader.integer(op.stride)
    if place is None or stride is None or stride.value is None or rows > WARP_SIZE:
        return None
    array, offset = place
    width = _width(array)
    if width is None or (offset % width).value != 0:
        return None
    lane = reader.linear() % WARP_SIZE
    first = offset // width + lane * stride.value
    writes = isinstance(op, nvvm.WmmaStoreOp)
    return [PointerAccess(array, first, columns, writes, lane < rows)]


def _place(pointer: SSAValue, reader: KernelValues) -> tuple[SSAValue, Term] | None:
    """The array that a pointer points into, and the offset in bytes; None if unknown."""
    op = pointer.owner
    if isinstance(op, memref.ExtractAlignedPointerAsIndexOp):
        return op.source, number(0)
    if isinstance(op, llvm.IntToPtrOp | arith.IndexCastOp):
        return _place(op.operands[0], reader)
    if isinstance(op, arith.AddiOp):
        for side, shift in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            place = _place(side, reader)
            if place is not None:
                by = reader.integer(shift)
                return None if by is None else (place[0], place[1] + by)
        return None
    if isinstance(op, llvm.GEPOp):
        place, indices = _place(op.ptr, reader), list(op.rawConstantIndices.iter_values())
        if place is None or len(indices) != 1 or not isinstance(op.elem_type, FixedBitwidthType):
            return None
        by = reader.integer(op.ssa_indices[0]) if op.ssa_indices else number(indices[0])
        return None if by is None else (place[0], place[1] + by * (op.elem_type.bitwidth // 8))
    return None


def _width(array: SSAValue) -> int | None:
    """Bytes of an element; None if its size is no whole number of bytes."""
    type_ = array.type
    assert isinstance(type_, MemRefType)
    element = type_.element_type
    if not isinstance(element, FixedBitwidthType) or element.bitwidth % 8:
        return None
    return element.bitwidth // 8
