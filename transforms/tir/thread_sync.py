"""thread-sync: barriers, where threads of a block would otherwise not wait for each other.

Before::

    tir.for %i in 64 thread "threadIdx.x" {
      tir.for %k in 16 {
        tir.store %x, %S[%i] : memref<64xf32, "shared">
        %y = tir.load %S[63 - %i] : memref<64xf32, "shared">
        ...

After::

    tir.for %i in 64 thread "threadIdx.x" {
      tir.for %k in 16 {
        gpu.barrier
        tir.store %x, %S[%i] : memref<64xf32, "shared">
        gpu.barrier
        %y = tir.load %S[63 - %i] : memref<64xf32, "shared">
        ...

The loops of threads mean lockstep (:mod:`kc.dialects.tir.threads`); a GPU runs threads at their own
pace. Two accesses of one element by different threads of a block, one of them a store, need a
barrier in between, in the same iteration of the serial loops around them or on the way from an
earlier iteration to a later one. Which pairs there are is decided exactly
(:mod:`kc.analysis.instances`); what is not decided counts as one. Where a barrier would serve is a
set of places; places are chosen that serve all pairs, those first that serve many and are executed
rarely, and none of them can be left out.

Memory of the threads themselves needs no barriers, nor what only one thread touches or nobody
writes. Barriers that are there already are counted with.

Requires: kernels have one loop for each axis (``unify-thread-binding``). *Legal when*

1. KC4223: there is a place for each barrier that all threads of the block come to.

TVM: ``ThreadSync``, which compares what it knows of the index ranges. The exact question is that of
racecheck tools, asked of the schedule in place of a run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.dependence import base_buffer
from kc.analysis.instances import Instance, Space, Witness, is_before, touched
from kc.analysis.loop_tree import buffer_name, memory_scope, touches_memory
from kc.analysis.terms import Condition, any_of, equal
from kc.dialects.gpu import BarrierOp, ShuffleOp
from kc.dialects.tir import ForOp, LoadOp, StoreOp
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES, is_shared
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.tir.unify_thread_binding import is_uniform, kernel_roots, launch_loops

DYNAMIC_COUNT = 64
"""How often a loop of unknown extent is taken to run, where places are compared."""


@dataclass(frozen=True)
class ThreadSyncPass(ModulePass):
    """Insert the barriers that lockstep needs on a GPU."""

    name = "thread-sync"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        chosen = [
            (kernel, kernel.choose())
            for function in loop_tree.functions(op)
            for root in kernel_roots(function)
            for kernel in (_Kernel(root),)
        ]
        for kernel, slots in chosen:
            kernel.insert(slots)


class Slot(NamedTuple):
    """A place for a barrier: in front of the operation with this number in a block, or behind the
    last one."""

    block: Block
    number: int


@dataclass(eq=False)
class Access:
    """An operation that touches memory which threads of a block share."""

    op: Operation
    buffer: SSAValue | None
    """None: it may be any."""
    writes: bool
    path: list[tuple[Block, int]]
    """The blocks around it in the kernel, from the inside out, each with the number of the
    operation in it that it is, or is in."""


@dataclass(eq=False)
class Hazard:
    """Two accesses that need a barrier in between, and where that may be."""

    first: Access
    second: Access
    loop: ForOp | None
    """The loop from whose earlier iteration to a later one the barrier is needed."""
    witness: Witness
    space: Space
    slots: frozenset[Slot]
    best: Slot | None
    """The slot right before the second access, in the outermost block of the slots."""


@dataclass
class _Kernel:
    """A kernel, and what its threads touch."""

    root: ForOp
    numbers: dict[Operation, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chain = launch_loops(self.root)
        self.body = self.chain[-1].body.block
        self.lanes = [loop for loop in self.chain if loop.axis in LANE_AXES]
        self.uniform: dict[Block, bool] = {self.body: True}
        for op in self.chain[-1].walk():
            for region in op.regions:
                for block in region.blocks:
                    for n, inner in enumerate(block.ops):
                        self.numbers[inner] = n

    # Accesses

    def accesses(self) -> list[Access]:
        """The accesses of memory that threads of a block share and some of them write."""
        accesses = [access for op in self.chain[-1].walk() for access in self._accesses_of(op)]
        written = {access.buffer for access in accesses if access.writes}
        return [
            access
            for access in accesses
            if None in written or access.buffer is None or access.buffer in written
        ]

    def _accesses_of(self, op: Operation) -> Iterator[Access]:
        if op is self.chain[-1] or isinstance(op, BarrierOp | ShuffleOp):
            return
        if isinstance(op, LoadOp | StoreOp):
            values = [op.buffer]
            writes = isinstance(op, StoreOp)
        elif touches_memory(op):
            values = [operand for operand in op.operands if isinstance(operand.type, MemRefType)]
            writes = True
        else:
            return
        for value in values:
            if any(is_shared(memory_scope(value), loop.axis) for loop in self.lanes):
                base = base_buffer(value)
                yield Access(op, base, writes, self._path(op))
        if not values:
            yield Access(op, None, True, self._path(op))

    def _path(self, op: Operation) -> list[tuple[Block, int]]:
        path: list[tuple[Block, int]] = []
        while True:
            block = op.parent
            parent = op.parent_op()
            assert block is not None
            assert parent is not None
            path.append((block, self.numbers[op]))
            if block is self.body:
                return path
            op = parent

    # Hazards

    def hazards(self) -> list[Hazard]:
        """The pairs of accesses that need a barrier in between."""
        if math.prod(loop.static_extent or DYNAMIC_COUNT for loop in self.lanes) <= 1:
            return []
        accesses = self.accesses()
        return [
            hazard
            for first in accesses
            for second in accesses
            if (first.writes or second.writes)
            and (first.buffer is second.buffer or None in (first.buffer, second.buffer))
            for hazard in self._between(first, second)
        ]

    def _between(self, first: Access, second: Access) -> Iterator[Hazard]:
        loops = self._common_loops(first, second)
        if is_before(first.op, second.op):
            hazard = self._ask(first, second, loops, None, 0)
            if hazard is not None:
                yield hazard
        for depth, loop in enumerate(loops):
            if loop.static_extent is not None and loop.static_extent <= 1:
                continue
            near = self._ask(first, second, loops[:depth], loop, 1)
            # What is far apart has all places of the near, and more.
            hazard = near or self._ask(first, second, loops[:depth], loop, 2)
            if hazard is not None:
                yield hazard

    def _common_loops(self, first: Access, second: Access) -> list[ForOp]:
        """The serial loops around both, outermost first."""
        blocks = {block for block, _ in first.path}
        parents = [block.parent_op() for block, _ in second.path if block in blocks]
        return [loop for loop in reversed(parents) if isinstance(loop, ForOp) and loop.axis is None]

    def _ask(
        self,
        first: Access,
        second: Access,
        same: Sequence[ForOp],
        loop: ForOp | None,
        distance: int,
    ) -> Hazard | None:
        """Whether the two touch one element in different threads: in one iteration of ``same``, and
        of ``loop`` one behind the other (distance 1) or further apart (2)."""
        space = Space()
        instances = [space.place(access.op) for access in (first, second)]
        here, there = instances
        constraints: list[Condition] = []
        for outer in loop_tree.all_loops_around(self.chain[-1]):
            if outer.axis is None or outer.axis in BLOCK_AXES:
                constraints.append(here.loops[outer].equals(there.loops[outer]))
        threads = [here.loops[lane].differs(there.loops[lane]) for lane in self.lanes]
        constraints.append(any_of(threads))
        constraints += [here.loops[outer].equals(there.loops[outer]) for outer in same]
        if loop is not None:
            later, earlier = there.loops[loop], here.loops[loop]
            if distance == 1:
                constraints.append(later.equals(earlier + 1))
            else:
                constraints.append(later >= earlier + distance)
        elements = [
            _element(space, access, at)
            for access, at in zip((first, second), instances, strict=True)
        ]
        names = []
        if elements[0] is not None and elements[1] is not None:
            names = touched(len(elements[0]))
            constraints += [*equal(names, elements[0]), *equal(names, elements[1])]
        witness = space.find(instances, constraints, names)
        if witness is None:
            return None
        slots, best = self._slots(first, second, loop, is_far=distance > 1)
        return Hazard(first, second, loop, witness, space, slots, best)

    # Places

    def _slots(
        self, first: Access, second: Access, loop: ForOp | None, *, is_far: bool
    ) -> tuple[frozenset[Slot], Slot | None]:
        """Where a barrier serves a pair, and which of these places is right before the second."""
        after = dict(first.path)
        before = dict(second.path)
        slots: set[Slot] = set()
        if loop is None:
            top = next(block for block, _ in first.path if block in before)
            if self._waits(top):
                slots.update(Slot(top, n) for n in range(after[top] + 1, before[top] + 1))
            inner = lambda path: _until(path, top)  # noqa: E731
        else:
            top = loop.body.block
            if is_far and self._waits(top):
                slots.update(Slot(top, n) for n in range(len(top.ops) + 1))
            inner = lambda path: [*_until(path, top), (top, dict(path)[top])]  # noqa: E731
        for block, number in inner(first.path):
            if self._waits(block):
                slots.update(Slot(block, n) for n in range(number + 1, len(block.ops) + 1))
        for block, number in inner(second.path):
            if self._waits(block):
                slots.update(Slot(block, n) for n in range(number + 1))
        best = Slot(top, before[top])
        return frozenset(slots), best if best in slots else None

    def _waits(self, block: Block) -> bool:
        """Whether all threads of the block come to a place at the same time."""
        known = self.uniform.get(block)
        if known is None:
            parent = block.parent_op()
            assert parent is not None
            outer = parent.parent
            assert outer is not None
            known = self.uniform[block] = is_uniform(parent) and self._waits(outer)
        return known

    def weight(self, slot: Slot) -> int:
        """How often a place is come to."""
        count, parent = 1, slot.block.parent_op()
        while parent is not None and parent is not self.chain[-1]:
            if isinstance(parent, ForOp):
                extent = parent.static_extent
                count *= DYNAMIC_COUNT if extent is None else max(extent, 1)
            parent = parent.parent_op()
        return count

    # The choice

    def choose(self) -> list[Slot]:
        """Places that serve all hazards, none of which can be left out."""
        there = {
            Slot(block, number)
            for op, number in self.numbers.items()
            if isinstance(op, BarrierOp) and (block := op.parent) is not None
        }
        # A barrier is in front of itself, and of what follows.
        there |= {Slot(slot.block, slot.number + 1) for slot in there}
        hazards = [hazard for hazard in self.hazards() if not hazard.slots & there]
        for hazard in hazards:
            if not hazard.slots:
                raise self._refuse(hazard)
        left = list(hazards)
        chosen: list[Slot] = []
        while left:
            served: dict[Slot, int] = {}
            liked: dict[Slot, int] = {}
            for hazard in left:
                for slot in hazard.slots:
                    served[slot] = served.get(slot, 0) + 1
                if hazard.best is not None:
                    liked[hazard.best] = liked.get(hazard.best, 0) + 1
            best = max(
                served,
                key=lambda slot: (
                    served[slot] / self.weight(slot),
                    liked.get(slot, 0),
                    -slot.number,
                ),
            )
            chosen.append(best)
            left = [hazard for hazard in left if best not in hazard.slots]
        for slot in list(chosen):
            rest = [place for place in chosen if place is not slot]
            if all(hazard.slots.intersection(rest) for hazard in hazards):
                chosen = rest
        return chosen

    def insert(self, slots: Sequence[Slot]) -> None:
        """Insert barriers, the last of a block first, so that numbers stay."""
        for block, number in sorted(slots, key=lambda slot: -slot.number):
            barrier = BarrierOp()
            ops = list(block.ops)
            if number < len(ops):
                barrier.location = ops[number].location
                block.insert_op_before(barrier, ops[number])
            else:
                barrier.location = ops[-1].location
                block.add_op(barrier)

    def _refuse(self, hazard: Hazard) -> CodegenError:
        first, second = hazard.first, hazard.second
        buffer = first.buffer or second.buffer
        name = "memory" if buffer is None else buffer_name(buffer)
        why = hazard.witness.undecided
        if why is None:
            element = ", ".join(map(str, hazard.witness.element))
            why = (
                f"one thread {_verb(first)} {name}[{element}] and another one {_verb(second)} it "
                "after that, with no place between them that all threads of the block come to"
            )
        return CodegenError(
            "KC4223",
            f"thread-sync: threads need a barrier for {name} where not all of them are",
            location=location_of(second.op),
            facts=[
                f"{_verb(access)} {name}: {location_of(access.op)}" for access in (first, second)
            ],
            why=str(why),
            hints=[
                "put a condition around each of them instead of both, so that all threads can wait "
                "in between"
            ],
        )


def _element(space: Space, access: Access, instance: Instance):
    op = access.op
    if isinstance(op, LoadOp | StoreOp) and op.buffer is access.buffer:
        return space.element(op, instance)
    return None


def _until(path: Sequence[tuple[Block, int]], top: Block) -> list[tuple[Block, int]]:
    """The blocks of a path that are inside of ``top``."""
    blocks = [block for block, _ in path]
    return list(path[: blocks.index(top)])


def _verb(access: Access) -> str:
    return "writes" if access.writes else "reads"
