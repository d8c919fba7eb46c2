"""Kernels executed as a GPU launches them: thread blocks one by one, with private memory.

By definition, a schedule is one execution of all threads in lockstep (:mod:`.threads`), where a
buffer allocated outside of the kernel is ordinary memory. Here the blocks of a kernel run in any
order, each to its end before the next one begins; all threads of a block run the whole kernel; and
shared, warp and local memory lives as long as the block, warp or thread that owns it, wherever it
is allocated. A kernel that passes ``verify-gpu-code`` gives the same results in both.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from kc.analysis.captures import makers_inside
from kc.analysis.interpreter.collectives import WARP_SIZE, number_in_block
from kc.analysis.interpreter.engine import Step
from kc.analysis.interpreter.errors import ExecutionError
from kc.analysis.interpreter.threads import Kernel, Thread, Threads, single_axes
from kc.analysis.interpreter.values import Buffer, fresh_array
from kc.analysis.loop_tree import defined_inside, memory_scope, preorder
from kc.dialects import tir
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES, VIRTUAL_AXES


@dataclass
class Launch(Kernel):
    """One launch of a kernel."""

    random: Random = field(default_factory=Random)
    """Draws the order of blocks, and of threads in a block."""
    sizes: dict[str, int] = field(default_factory=dict)
    """The number of blocks or threads along each axis."""
    allocated: dict[tuple[tir.AllocOp, int], Buffer] = field(default_factory=dict)
    """Global buffers that the kernel allocates, shared by all blocks."""
    count: dict[tir.AllocOp, int] = field(default_factory=dict)
    """The number of allocations by each op in the current block."""

    def run(self, root: tir.ForOp, extent: int) -> None:
        loops = [op for op in preorder(root) if isinstance(op, tir.ForOp)]
        extents = self.sizes
        self.single = self._function(root, lambda: single_axes(root))
        for loop in loops:
            if loop.axis is not None and loop.axis not in VIRTUAL_AXES:
                extents.setdefault(loop.axis, max(self._count(loop, root), 1))
        if not extents:
            super().run(root, extent)  # virtual threads of a CPU
            return
        private = self._private_buffers(root)
        env = self.interpreter.environment
        blocks = list(_points(extents, BLOCK_AXES))
        self.random.shuffle(blocks)
        try:
            for block in blocks:
                threads = [
                    Thread({**block, **lane}, env.copy()) for lane in _points(extents, LANE_AXES)
                ]
                self._give_memory(private, threads)
                self.random.shuffle(threads)
                self.count.clear()
                self._thread_loop(root, [extent] * len(threads), threads)
        finally:
            self.interpreter.environment = env

    def _count(self, loop: tir.ForOp, root: tir.ForOp) -> int:
        """The extent of a thread loop. Raises ExecutionError if the extent is computed in the
        kernel ``root``, after the launch.
        """
        size = loop.extent_value
        if isinstance(size, int):
            return size
        makers = makers_inside(size, root)
        if makers is None:
            raise ExecutionError(
                loop,
                f"the extent of loop {loop.label} is computed in the kernel, which is launched "
                "with it",
            )
        self.interpreter.execute(makers)
        return self.interpreter.value(size)

    def _private_buffers(self, root: tir.ForOp) -> list[SSAValue]:
        """The private buffers that the kernel uses but does not allocate."""
        used = dict.fromkeys(value for op in preorder(root) for value in op.operands)
        return [
            value
            for value in used
            if isinstance(value.type, MemRefType)
            and memory_scope(value) != "global"
            and not defined_inside(value, root)
        ]

    def _owner(self, scope: str, thread: Thread) -> Hashable:
        owner = super()._owner(scope, thread)
        if scope != "warp":
            return owner
        return owner, number_in_block(thread.numbers, self.sizes) // WARP_SIZE

    def _block_extents(self) -> dict[str, int]:
        return self.sizes

    def _give_memory(self, buffers: Sequence[SSAValue], threads: Threads) -> None:
        for value in buffers:
            slot, scope = self.interpreter.slot(value), memory_scope(value)
            memory: dict[Hashable, Buffer] = {}
            for thread in threads:
                owner = self._owner(scope, thread)
                if owner not in memory:
                    memory[owner] = self._like(value, thread.env[slot])
                thread.env[slot] = memory[owner]

    def _like(self, value: SSAValue, buffer: Buffer) -> Buffer:
        """New memory with the type and name of ``buffer``."""
        op = value.owner
        assert isinstance(op, tir.AllocOp)
        type_ = value.type
        assert isinstance(type_, MemRefType)
        return Buffer(fresh_array(op, buffer.array(op).shape, type_.element_type), buffer.name)

    def _thread_loop(self, op: tir.ForOp, extents: Sequence[int], threads: Threads) -> None:
        if max(extents) > 0:  # an empty grid has no thread to run the code around the loop
            super()._thread_loop(op, extents, threads)

    def _require_all(self, op: tir.ForOp, axis: Hashable, extent: int, threads: Threads) -> None:
        if axis not in BLOCK_AXES:  # blocks run one at a time
            super()._require_all(op, axis, extent, threads)

    def _alloc(self, step: Step, threads: Threads) -> None:
        op, _, _, slot, _ = step
        if memory_scope(op.buffer) == "global":
            number = self.count[op] = self.count.get(op, -1) + 1
            if (op, number) in self.allocated:
                for thread in threads:
                    thread.env[slot] = self.allocated[op, number]
                return
            super()._alloc(step, threads)
            self.allocated[op, number] = threads[0].env[slot]
            return
        super()._alloc(step, threads)


def _points(extents: dict[str, int], axes: Sequence[str]) -> Iterator[dict[Any, int]]:
    """All coordinates along the axes of ``axes`` that have an extent."""
    there = [axis for axis in axes if axis in extents]
    for numbers in itertools.product(*(range(extents[axis]) for axis in there)):
        yield dict(zip(there, numbers, strict=True))
