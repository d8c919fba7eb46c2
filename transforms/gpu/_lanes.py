"""The source lane of a shuffle, as arithmetic."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, i1
from xdsl.ir import Operation, SSAValue

from kc.dialects.arith import CmpiOp, SelectOp
from kc.dialects.gpu import ShuffleMode

WARP_SIZE = 32
_INDEX = IndexType()


def shuffle_source(
    emit: Callable[[Operation], SSAValue],
    mode: ShuffleMode,
    thread: SSAValue,
    count: int | SSAValue,
    offset: SSAValue,
    width: SSAValue,
) -> tuple[SSAValue, SSAValue]:
    """The number of the thread whose value ``thread`` of ``count`` threads reads, and the validity
    flag of the shuffle.

    ``emit`` inserts an operation and returns its result. Lanes are in segments of ``width``. The
    lowest 5 bits of the offset are used. If the source lane is outside of the segment, or does not
    exist, the value is the lane's own (PTX: ``shfl.sync``).
    """

    def number(value: int) -> SSAValue:
        return emit(arith.ConstantOp(IntegerAttr(value, _INDEX)))

    far, wide = _constant(offset), _constant(width)
    whole_warps = isinstance(count, int) and count % WARP_SIZE == 0
    if mode is ShuffleMode.XOR and wide is not None and far is not None and whole_warps:
        is_segment = wide & (wide - 1) == 0 and 0 < wide <= WARP_SIZE
        if is_segment and 0 <= far < wide:
            yes = emit(arith.ConstantOp(BoolAttr.from_bool(True), i1))
            return emit(arith.XOrIOp(thread, number(far))), yes
    size = number(WARP_SIZE)
    offset = emit(arith.AndIOp(emit(arith.IndexCastOp(offset, _INDEX)), number(WARP_SIZE - 1)))
    width = emit(arith.IndexCastOp(width, _INDEX))
    lane = emit(arith.RemUIOp(thread, size))
    within = emit(arith.RemUIOp(lane, width))
    first = emit(arith.SubiOp(lane, within))
    if mode is ShuffleMode.XOR:  # an offset of at least the width may lead to an earlier segment
        partner = emit(arith.XOrIOp(lane, offset))
        valid = emit(CmpiOp(partner, emit(arith.AddiOp(first, width)), "ult"))
    else:
        if mode is ShuffleMode.UP:
            partner = emit(arith.SubiOp(within, offset))
        elif mode is ShuffleMode.DOWN:
            partner = emit(arith.AddiOp(within, offset))
        else:
            partner = emit(arith.RemUIOp(offset, width))
        valid = emit(
            CmpiOp(partner, width, "ult")
        )  # compared as unsigned numbers, so a negative lane is invalid
        partner = emit(arith.AddiOp(first, partner))
    source = emit(arith.AddiOp(emit(arith.SubiOp(thread, lane)), partner))
    threads = number(count) if isinstance(count, int) else count
    there = emit(arith.AndIOp(valid, emit(CmpiOp(source, threads, "ult"))))
    return emit(SelectOp(there, source, thread)), valid


def _constant(value: SSAValue) -> int | None:
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None
