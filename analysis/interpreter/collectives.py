"""Operations of several threads on values: reductions across threads, and shuffles between
lanes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.interpreter import InterpreterFunctions, register_impls
from xdsl.ir import Operation

from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import ExecutionError
from kc.dialects.gpu import BarrierOp, ShuffleMode, ShuffleOp
from kc.dialects.nvvm import CpAsyncCommitGroupOp, CpAsyncWaitGroupOp
from kc.dialects.tir import (
    MBarrierExpectOp,
    MBarrierInitOp,
    MBarrierWaitOp,
    ThreadAllreduceOp,
)
from kc.dialects.tir.threads import LANE_AXES

WARP_SIZE = 32


@register_impls
class CollectiveFunctions(InterpreterFunctions):
    """Collective operations outside of kernels, where there is one thread."""

    @prepared(BarrierOp)
    def barrier(self, interpreter: KernelInterpreter, op: BarrierOp) -> Run:
        return lambda: None

    @prepared(CpAsyncCommitGroupOp)
    def commit(self, interpreter: KernelInterpreter, op: CpAsyncCommitGroupOp) -> Run:
        return lambda: None  # copies complete at once here

    @prepared(CpAsyncWaitGroupOp)
    def wait(self, interpreter: KernelInterpreter, op: CpAsyncWaitGroupOp) -> Run:
        return lambda: None

    @prepared(MBarrierInitOp)
    def init(self, interpreter: KernelInterpreter, op: MBarrierInitOp) -> Run:
        return lambda *_: None

    @prepared(MBarrierExpectOp)
    def expect(self, interpreter: KernelInterpreter, op: MBarrierExpectOp) -> Run:
        return lambda *_: None

    @prepared(MBarrierWaitOp)
    def wait_for_bytes(self, interpreter: KernelInterpreter, op: MBarrierWaitOp) -> Run:
        return lambda *_: None

    @prepared(ShuffleOp)
    def shuffle(self, interpreter: KernelInterpreter, op: ShuffleOp) -> Run:
        return lambda *operands: shuffled(op, [0], [operands])[0]

    @prepared(ThreadAllreduceOp)
    def allreduce(self, interpreter: KernelInterpreter, op: ThreadAllreduceOp) -> Run:
        return lambda *values: values[0] if len(values) == 1 else values


def number_in_block(numbers: Mapping[Any, int], extents: Mapping[str, int]) -> int:
    """The number of a thread in its block; ``threadIdx.x`` counts fastest."""
    number = 0
    for axis in reversed(LANE_AXES):
        number = number * extents.get(axis, 1) + numbers.get(axis, 0)
    return number


def source_lane(op: ShuffleOp, number: int, offset: int, width: int) -> int | None:
    """The number of the thread whose value thread ``number`` receives; None if that lane does not
    exist.

    Lanes are in groups of ``width``; for ``idx``, the offset is relative to the group.
    """
    lane = number % width
    source = {
        ShuffleMode.XOR: lane ^ offset,
        ShuffleMode.UP: lane - offset,
        ShuffleMode.DOWN: lane + offset,
        ShuffleMode.IDX: offset,
    }[op.mode.data]
    return number - lane + source if 0 <= source < width else None


def shuffled(
    op: ShuffleOp, numbers: Sequence[int], operands: Sequence[tuple[Any, int, int]]
) -> list[tuple[Any, bool]]:
    """The value that each thread of a block receives. ``numbers`` are the threads, ``operands``
    their (value, offset, width).

    A thread without a source lane keeps its own value.
    """
    values = {number: value for number, (value, _, _) in zip(numbers, operands, strict=True)}
    results: list[tuple[Any, bool]] = []
    for number, (value, offset, width) in zip(numbers, operands, strict=True):
        if not 0 < width <= WARP_SIZE:
            raise ExecutionError(op, f"a shuffle has {width} lanes, must have 1 to {WARP_SIZE}")
        source = source_lane(op, number, offset, width)
        if source is None:
            results.append((value, False))
        elif source not in values:
            raise _absent(op, number, source)
        else:
            results.append((values[source], True))
    return results


def _absent(op: Operation, number: int, source: int) -> ExecutionError:
    return ExecutionError(
        op,
        f"thread {number} of the block reads the value of thread {source}, which does not take "
        "part",
    )
