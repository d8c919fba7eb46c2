"""Completion of asynchronous copies (``cp.async``) along a path of operations.

A thread commits the copies that it has started as a group, and ``nvvm.cp.async.wait.group N`` waits
until at most the last N groups are pending. A copy is therefore complete after a wait that follows
more than N commits, and visible to the other threads of its block after a barrier that follows the
wait. The path may be incomplete: further operations on it never undo a completion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects import scf
from xdsl.ir import Operation

from kc.dialects import gpu, nvvm

BARRIERS = (gpu.BarrierOp, nvvm.Barrier0Op)
"""Operations at which all threads of a block wait for each other."""

_ROUNDS = 8
"""The most iterations of a loop on the path that are followed."""


class CopyWay:
    """The progress of a copy after some operations of the thread that started it."""

    def __init__(self, trips: Callable[[scf.ForOp], int]) -> None:
        self.trips = trips
        """A lower bound of the trip count of a loop."""
        self.commits = 0
        self.is_done = False
        """True if the copy is complete for its own thread."""
        self.is_visible = False
        """True if the copy is visible to all threads of its block."""

    def along(self, ops: Iterable[Operation]) -> CopyWay:
        """Follow ``ops`` in program order."""
        for op in ops:
            if isinstance(op, nvvm.CpAsyncCommitGroupOp):
                self.commits += 1
            elif isinstance(op, nvvm.CpAsyncWaitGroupOp):
                self.is_done |= self.commits > op.n.value.data
            elif isinstance(op, BARRIERS):
                self.is_visible |= self.is_done
            elif isinstance(op, scf.ForOp):
                for _ in range(min(self.trips(op), _ROUNDS)):
                    self.along(op.body.block.ops)
        return self
