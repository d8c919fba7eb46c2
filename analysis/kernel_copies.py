"""Whether copies that go on by themselves (``cp.async``) are done: by the waits on a way.

A thread commits the copies that it has started as a group, and ``nvvm.cp.async.wait.group N`` waits
until at most the last N groups are not done. So a copy is done where a wait follows more than N
commits, and other threads of its block see that behind a barrier that follows the wait. What a way
consists of is a lower bound: more operations on it take back nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects import scf
from xdsl.ir import Operation

from kc.dialects import gpu, nvvm

BARRIERS = (gpu.BarrierOp, nvvm.Barrier0Op)
"""What all threads of a block wait for each other at."""

_ROUNDS = 8
"""Iterations of a loop on the way that are looked at, at most."""


class CopyWay:
    """What is certain of a copy after some operations of the thread that started it."""

    def __init__(self, trips: Callable[[scf.ForOp], int]) -> None:
        self.trips = trips
        """How many iterations a loop has at least."""
        self.commits = 0
        self.is_done = False
        """For the thread itself."""
        self.is_visible = False
        """For the threads of its block."""

    def along(self, ops: Iterable[Operation]) -> CopyWay:
        """Go along operations in their order."""
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
