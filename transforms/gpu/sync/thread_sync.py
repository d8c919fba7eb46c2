"""thread-sync: insert the barriers that order accesses of different threads of a block.

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

Thread loops have lockstep semantics (:mod:`kc.dialects.tir.threads`), but a GPU runs threads
independently. Two accesses of one element by different threads of a block, at least one of them a
store, need a barrier in between, in the same iteration of the serial loops around them or between
an earlier iteration and a later one. These pairs are decided exactly
(:mod:`kc.analysis.accesses.instances`); an undecided pair counts as a conflict. Each pair has a set
of places for its barrier. The chosen places serve all pairs, with preference for places that serve
many pairs and run rarely. None of the chosen places can be omitted.

Buffers to which ``merge-shared-memory-allocations`` has assigned overlapping memory are compared by
the addresses of their elements. Memory of a single thread needs no barriers. Neither do elements
that only one thread accesses or that no thread writes. Existing barriers are taken into account.

In the branch of a role (``specialize-warps``) a barrier covers the threads of that role. A producer
has already waited at an mbarrier for the readers of the data that it overwrites.

If rows of threads (along ``threadIdx.x``) are groups of warps and no two rows access the data that
a barrier protects, threads wait only for the threads of their row (``tir.row`` on the barrier). So
the groups of four warps in an attention kernel need not run in step.

An asynchronous copy is complete when its thread has waited for it, so accesses by other threads
need a barrier after that wait. A copy of a box is complete when all threads have waited for it at
an mbarrier, and needs no barrier; but earlier accesses of the data that it overwrites do.

Requires: kernels have one loop for each axis (``unify-thread-binding``). *Legal when*

1. KC4223: each barrier has a place that all threads of the block reach.

TVM: ``ThreadSync``, which compares index ranges. Racecheck tools ask the exact question about a
run; this pass asks it about the schedule.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.accesses.instances import Instance, Space, Witness, is_before, touched
from kc.analysis.affine.terms import Condition, Term, any_of, equal
from kc.analysis.gpu.shared_memory import OFFSET, buffer_bytes, share_memory
from kc.analysis.loop_tree import buffer_name, memory_scope, touches_memory
from kc.dialects.gpu import BarrierOp, ShuffleOp
from kc.dialects.nvvm import CpAsyncCommitGroupOp, CpAsyncWaitGroupOp, SetMaxRegisterOp
from kc.dialects.tir import (
    AllocOp,
    CallOp,
    ForOp,
    LoadOp,
    MBarrierArriveOp,
    MBarrierExpectOp,
    MBarrierInitOp,
    MBarrierWaitOp,
    StoreOp,
    ViewOp,
)
from kc.dialects.tir.memory import ASYNC_COPY
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES, is_shared
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.gpu.binding.unify_thread_binding import is_uniform, kernel_roots, launch_loops
from kc.transforms.gpu.sync.specialize_warps import ROLE, is_of_producer, role_of
from kc.transforms.gpu.tensor_copies._mbarrier_rings import is_ring

MBARRIER_OPS = (MBarrierArriveOp, MBarrierInitOp, MBarrierExpectOp, MBarrierWaitOp)
"""The operations that order threads by a ring of mbarriers."""

WITHOUT_MEMORY = (CpAsyncCommitGroupOp, CpAsyncWaitGroupOp, SetMaxRegisterOp)
"""Operations that access no memory: commits of and waits for asynchronous copies, and others."""

ROW = "tir.row"
"""The attribute of a barrier for the threads of a row (along ``threadIdx.x``)."""

ROWS = 14
"""The most rows, including rows of producers, that may each have a separate barrier: a block has 16
barriers, of which one is for all threads and one for a role.
"""

WARP = 32
"""The number of threads that reach a barrier together."""

DYNAMIC_COUNT = 64
"""The assumed trip count of a loop of unknown extent, to compare places."""


@dataclass(frozen=True)
class ThreadSyncPass(ModulePass):
    """Insert the barriers that lockstep semantics requires on a GPU."""

    name = "thread-sync"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        chosen = [
            (kernel, slots, kernel.of_rows(slots))
            for function in loop_tree.functions(op)
            for root in kernel_roots(function)
            for kernel in (_Kernel(root),)
            for slots in (kernel.choose(),)
        ]
        for kernel, slots, of_rows in chosen:
            kernel.insert(slots, of_rows)


class Slot(NamedTuple):
    """A place for a barrier: before the operation with this number in a block, or after the last
    operation.
    """

    block: Block
    number: int


@dataclass(eq=False)
class Access:
    """An operation that accesses memory shared by the threads of a block."""

    op: Operation
    buffer: SSAValue | None
    """The buffer; None if it may be any buffer."""
    writes: bool
    path: list[tuple[Block, int]]
    """The blocks around the access in the kernel, innermost first, each with the number of its
    operation that is or contains the access."""
    view: ViewOp | None = None
    """The part of the buffer that is passed to a call."""


def _is_counted(access: Access) -> bool:
    """True if the access is a copy of a box: all threads that continue after it have waited for it
    at an mbarrier.
    """
    return access.writes and ASYNC_COPY in access.op.attributes and isinstance(access.op, CallOp)


@dataclass(eq=False)
class Pair:
    """An access, an access that may follow it, and the places for a barrier between them."""

    first: Access
    second: Access
    same: Sequence[ForOp]
    """The loops of which both accesses are in the same iteration."""
    loop: ForOp | None
    """The loop of which ``second`` is in a later iteration; None if both are in the same iteration
    of all loops.
    """
    is_far: bool
    """True if ``second`` is more than one iteration later."""
    slots: frozenset[Slot]
    best: Slot | None
    """The slot directly before the second access, in the outermost block of the slots."""


@dataclass(eq=False)
class Hazard:
    """A pair of accesses that needs a barrier in between."""

    pair: Pair
    witness: Witness
    """Two threads, their iterations and the element on which they conflict."""


@dataclass
class _Kernel:
    """A kernel, and the memory that its threads access."""

    root: ForOp
    numbers: dict[Operation, int] = field(default_factory=dict)
    """The number of each operation in its block."""
    ops: dict[Block, list[Operation]] = field(default_factory=dict)
    """The operations of each block."""
    pairs: list[Pair] = field(default_factory=list)
    """All pairs that were examined."""

    def __post_init__(self) -> None:
        self.chain = launch_loops(self.root)
        self.body = self.chain[-1].body.block
        self.lanes = [loop for loop in self.chain if loop.axis in LANE_AXES]
        self.uniform: dict[Block, bool] = {self.body: True}
        self.offsets: dict[SSAValue, int] = {
            op.buffer: offset.value.data
            for op in self.chain[-1].walk()
            if isinstance(op, AllocOp)
            and isinstance(offset := op.attributes.get(OFFSET), IntegerAttr)
        }
        for op in self.chain[-1].walk():
            for region in op.regions:
                for block in region.blocks:
                    ops = self.ops[block] = list(block.ops)
                    self.numbers.update((inner, n) for n, inner in enumerate(ops))

    # Accesses

    def accesses(self) -> list[Access]:
        """The accesses of memory that threads of a block share and that some access writes."""
        accesses = [access for op in self.chain[-1].walk() for access in self._accesses_of(op)]
        written = {access.buffer for access in accesses if access.writes}
        return [
            access
            for access in accesses
            if None in written or access.buffer is None or access.buffer in written
        ]

    def _accesses_of(self, op: Operation) -> Iterator[Access]:
        if op is self.chain[-1] or isinstance(op, (BarrierOp, ShuffleOp, *WITHOUT_MEMORY)):
            return
        if isinstance(op, MBARRIER_OPS):
            return  # they order threads
        if isinstance(op, LoadOp | StoreOp):
            values = [(op.buffer, isinstance(op, StoreOp))]
        elif isinstance(op, CallOp):
            values = [
                (value, writes)
                for value, _, writes in op.accesses
                if not is_ring(base_buffer(value))
            ]
        elif touches_memory(op):
            values = [
                (operand, True) for operand in op.operands if isinstance(operand.type, MemRefType)
            ]
        else:
            return
        for value, writes in values:
            if any(is_shared(memory_scope(value), loop.axis) for loop in self.lanes):
                view = value.owner if isinstance(value.owner, ViewOp) else None
                yield Access(op, base_buffer(value), writes, self._path(op), view)
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
        """The pairs of accesses that need a barrier in between. A pair is omitted if all possible
        positions of the barrier for another pair are also possible positions for this pair.
        """
        if math.prod(loop.static_extent or DYNAMIC_COUNT for loop in self.lanes) <= 1:
            return []
        accesses = self.accesses()
        pairs: list[Pair] = []
        for n, first in enumerate(accesses):
            for second in accesses[n:]:
                if self._may_meet(first, second):
                    pairs += self._pairs(first, second)
                    if first is not second:
                        pairs += self._pairs(second, first)
        pairs += self._waits_for_copies(accesses)
        self.pairs = pairs
        hazards: list[Hazard] = []
        for pair in sorted(pairs, key=lambda pair: len(pair.slots)):
            if any(hazard.pair.slots <= pair.slots for hazard in hazards):
                continue
            hazard = self._ask(pair)
            if hazard is not None:
                hazards.append(hazard)
        return hazards

    def _may_meet(self, first: Access, second: Access) -> bool:
        """True if two accesses may conflict.

        For two stores, which threads mostly make to separate elements, this first decides whether
        different threads ever store to the same element.
        """
        if not (first.writes or second.writes):
            return False
        if first.buffer is not second.buffer:
            if first.buffer is None or second.buffer is None:
                return True
            return share_memory(self.offsets, first.buffer, second.buffer)
        if not (first.writes and second.writes):
            return True
        return self._meets(first, second)

    def _pairs(self, first: Access, second: Access) -> Iterator[Pair]:
        """The pairs in which ``second`` may come after ``first``."""
        if _is_counted(first) or (_is_counted(second) and is_of_producer(second.op)):
            return
        loops = self._common_loops(first, second)
        if is_before(first.op, second.op):
            yield self._pair(first, second, loops, None)
        for depth, loop in enumerate(loops):
            if loop.static_extent is None or loop.static_extent > 1:
                yield self._pair(first, second, loops[:depth], loop)
                if loop.static_extent != 2:
                    yield self._pair(first, second, loops[:depth], loop, is_far=True)

    def _waits_for_copies(self, accesses: Sequence[Access]) -> Iterator[Pair]:
        """The pairs of a wait for asynchronous copies and an access of the copied data by other
        threads. Each thread waits for its own copies, and the barrier comes after that wait.
        """
        waits = [op for op in self.numbers if isinstance(op, CpAsyncWaitGroupOp)]
        copies = [
            access
            for access in accesses
            if ASYNC_COPY in access.op.attributes and not _is_counted(access)
        ]
        for second in accesses if waits else ():
            if second in copies or not any(
                self._may_meet(first, second) and self._meets(first, second) for first in copies
            ):
                continue
            for op in waits:
                first = Access(op, second.buffer, writes=True, path=self._path(op))
                yield from self._pairs(first, second)

    def _meets(self, first: Access, second: Access) -> bool:
        """True if two threads access one element, in any iterations."""
        space, instances, constraints, names = self._touching(first, second)
        return space.find(instances, constraints, names) is not None

    def _common_loops(self, first: Access, second: Access) -> list[ForOp]:
        """The serial loops around both accesses, outermost first."""
        blocks = {block for block, _ in first.path}
        parents = [block.parent_op() for block, _ in second.path if block in blocks]
        return [loop for loop in reversed(parents) if isinstance(loop, ForOp) and loop.axis is None]

    def _ask(self, pair: Pair) -> Hazard | None:
        """The hazard of a pair; None if different threads never access one element."""
        space, instances, constraints, names = self._touching(pair.first, pair.second)
        here, there = instances
        constraints += [here.loops[loop].equals(there.loops[loop]) for loop in pair.same]
        if pair.loop is not None:
            earlier, later = here.loops[pair.loop], there.loops[pair.loop]
            near = later.equals(earlier + 1)
            constraints.append(later >= earlier + 2 if pair.is_far else near)
        witness = space.find(instances, constraints, names)
        return None if witness is None else Hazard(pair, witness)

    def _touching(
        self, first: Access, second: Access
    ) -> tuple[Space, list[Instance], list[Condition], Sequence[Term]]:
        """The constraints under which two threads of a block access one element."""
        space = Space()
        accesses = (first, second)
        here, there = instances = [space.place(access.op) for access in accesses]
        outer = loop_tree.all_loops_around(self.chain[-1])
        constraints: list[Condition] = [
            here.loops[loop].equals(there.loops[loop])
            for loop in outer
            if loop.axis is None or loop.axis in BLOCK_AXES
        ]
        constraints.append(
            any_of([here.loops[lane].differs(there.loops[lane]) for lane in self.lanes])
        )
        elements = [
            _element(space, access, at) for access, at in zip(accesses, instances, strict=True)
        ]
        names: Sequence[Term] = []
        if first.buffer is not second.buffer:
            constraints += self._same_address(accesses, elements)
        elif elements[0] is not None and elements[1] is not None:
            names = touched(len(elements[0]))
            constraints += [*equal(names, elements[0]), *equal(names, elements[1])]
        return space, instances, constraints, names

    def _same_address(
        self, accesses: Sequence[Access], elements: Sequence[list[Term] | None]
    ) -> list[Condition]:
        """The condition that accesses of two buffers overlap in memory; empty if it is unknown."""
        if any(access.buffer is None for access in accesses):
            return []
        addresses: list[Term] = []
        sizes: list[int] = []
        for access, element in zip(accesses, elements, strict=True):
            buffer = access.buffer
            if buffer is None or element is None:
                return []
            type_ = buffer.type
            assert isinstance(type_, MemRefType)
            shape = type_.get_shape()
            size = buffer_bytes(buffer) // max(math.prod(shape), 1)
            number = element[0] * 1
            for index, extent in zip(element[1:], shape[1:], strict=True):
                number = number * extent + index
            addresses.append(number * size + self.offsets[buffer])
            sizes.append(size)
        if sizes[0] == sizes[1] and not any(
            self.offsets[access.buffer] % sizes[0]  # pyright: ignore[reportArgumentType]
            for access in accesses
        ):
            return [addresses[0].equals(addresses[1])]
        first, second = addresses
        return [first < second + sizes[1], second < first + sizes[0]]

    # Places

    def _pair(
        self,
        first: Access,
        second: Access,
        same: Sequence[ForOp],
        loop: ForOp | None,
        *,
        is_far: bool = False,
    ) -> Pair:
        after, before = dict(first.path), dict(second.path)
        slots: set[Slot] = set()
        if loop is None:
            top = next(block for block, _ in first.path if block in before)
            inner = [_until(first.path, top), _until(second.path, top)]
            if self._waits(top):
                slots.update(Slot(top, n) for n in range(after[top] + 1, before[top] + 1))
        else:
            top = loop.body.block
            inner = [_until(path, top, including=True) for path in (first.path, second.path)]
            if is_far and self._waits(top):
                slots.update(Slot(top, n) for n in range(len(self.ops[top]) + 1))
        for block, number in inner[0]:
            if self._waits(block):
                slots.update(Slot(block, n) for n in range(number + 1, len(self.ops[block]) + 1))
        for block, number in inner[1]:
            if self._waits(block):
                slots.update(Slot(block, n) for n in range(number + 1))
        roles = {role_of(first.op), role_of(second.op)}
        if len(roles) > 1:  # threads of different roles wait at different barriers
            inside = {block for role in roles - {None} for block in _blocks_in(role)}
            slots = {slot for slot in slots if slot.block not in inside}
        best = Slot(top, before[top])
        return Pair(
            first, second, same, loop, is_far, frozenset(slots), best if best in slots else None
        )

    def _waits(self, block: Block) -> bool:
        """True if all threads of the block reach a place at the same time."""
        waits = self.uniform.get(block)
        if waits is None:
            parent = block.parent_op()
            assert parent is not None
            outer = parent.parent
            assert outer is not None
            together = is_uniform(parent) or ROLE in parent.attributes
            waits = self.uniform[block] = together and self._waits(outer)
        return waits

    def weight(self, slot: Slot) -> int:
        """The number of times that a place is reached."""
        count, parent = 1, slot.block.parent_op()
        while parent is not None and parent is not self.chain[-1]:
            if isinstance(parent, ForOp):
                extent = parent.static_extent
                count *= DYNAMIC_COUNT if extent is None else max(extent, 1)
            parent = parent.parent_op()
        return count

    # The choice

    def _barriers(self) -> set[Slot]:
        """The places that already have a barrier for all threads."""
        there = {
            Slot(block, number)
            for op, number in self.numbers.items()
            if isinstance(op, BarrierOp)
            and ROW not in op.attributes
            and (block := op.parent) is not None
        }
        # A barrier serves the slot in front of it and the slot behind it.
        return there | {Slot(slot.block, slot.number + 1) for slot in there}

    def choose(self) -> list[Slot]:
        """Places that serve all hazards. None of them can be omitted. Raises the refusal of a
        hazard without a possible place.
        """
        there = self._barriers()
        hazards = self.hazards()
        for hazard in hazards:
            if not hazard.pair.slots:
                raise self._refuse(hazard)
        pairs = [hazard.pair for hazard in hazards if not hazard.pair.slots & there]
        left = list(pairs)
        chosen: list[Slot] = []
        while left:
            served = Counter(slot for pair in left for slot in pair.slots)
            liked = Counter(pair.best for pair in left)
            best = max(
                served,
                key=lambda slot: (served[slot] / self.weight(slot), liked[slot], -slot.number),
            )
            chosen.append(best)
            left = [pair for pair in left if best not in pair.slots]
        for slot in list(chosen):
            rest = [place for place in chosen if place is not slot]
            if all(pair.slots.intersection(rest) for pair in pairs):
                chosen = rest
        return chosen

    def of_rows(self, slots: Sequence[Slot]) -> set[Slot]:
        """The chosen places at which threads need to wait only for the threads of their row."""
        rows = self._rows()
        if rows is None:
            return set()
        served = {*slots, *self._barriers()}
        chosen: set[Slot] = set()
        in_row: dict[tuple[Access, Access], bool] = {}
        for slot in slots:
            if _is_in_role_of_producer(slot):
                continue
            serving = served - chosen - {slot}
            pairs = [pair for pair in self.pairs if slot in pair.slots and not pair.slots & serving]
            if all(self._is_in_row(pair.first, pair.second, rows, in_row) for pair in pairs):
                chosen.add(slot)
        return chosen

    def _rows(self) -> ForOp | None:
        """The loop over rows of threads, if each row consists of several whole warps and the GPU
        has barriers for rows, as indicated by mbarriers in the kernel; else None.
        """
        if not any(isinstance(op, MBarrierWaitOp) for op in self.numbers):
            return None
        axes = {loop.axis: loop for loop in self.lanes}
        x, y, z = (axes.get(axis) for axis in LANE_AXES)
        if x is None or y is None or (z is not None and z.static_extent != 1):
            return None
        width, count = x.static_extent or 0, y.static_extent or 0
        consumers = count - any(is_of_producer(op) for op in self.numbers)
        if width <= WARP or width % WARP or consumers <= 1 or count > ROWS:
            return None
        return y

    def _is_in_row(
        self,
        first: Access,
        second: Access,
        rows: ForOp,
        is_in_row: dict[tuple[Access, Access], bool],
    ) -> bool:
        """True if threads of different rows never access the same element in these two accesses."""
        key = first, second
        if key not in is_in_row:
            space, instances, constraints, names = self._touching(first, second)
            here, there = instances
            constraints.append(here.loops[rows].differs(there.loops[rows]))
            is_in_row[key] = space.find(instances, constraints, names) is None
        return is_in_row[key]

    def insert(self, slots: Sequence[Slot], of_rows: Collection[Slot]) -> None:
        """Insert barriers, from the last to the first of a block, so that numbers stay valid."""
        for slot in sorted(slots, key=lambda slot: -slot.number):
            block, number = slot
            barrier = BarrierOp()
            if slot in of_rows:
                barrier.attributes[ROW] = UnitAttr()
            ops = list(block.ops)
            if number < len(ops):
                barrier.location = ops[number].location
                block.insert_op_before(barrier, ops[number])
            else:
                barrier.location = ops[-1].location
                block.add_op(barrier)

    def _refuse(self, hazard: Hazard) -> CodegenError:
        first, second = hazard.pair.first, hazard.pair.second
        buffer = first.buffer or second.buffer
        name = "memory" if buffer is None else buffer_name(buffer)
        why = hazard.witness.undecided
        if why is None:
            element = ", ".join(map(str, hazard.witness.element))
            why = (
                f"one thread {_verb(first)} {name}[{element}] and another thread then "
                f"{_verb(second)} it, but not all threads of the block reach any place in between"
            )
        return CodegenError(
            "KC4223",
            f"thread-sync: threads need a barrier for {name} at a place that not all of them reach",
            location=location_of(second.op),
            facts=[
                f"{_verb(access)} {name}: {location_of(access.op)}" for access in (first, second)
            ],
            why=str(why),
            hints=[
                "guard each access by a condition of its own, so that all threads can wait in "
                "between"
            ],
        )


def _is_in_role_of_producer(slot: Slot) -> bool:
    parent = slot.block.parent_op()
    return parent is not None and is_of_producer(parent)


def _blocks_in(op: Operation | None) -> Iterator[Block]:
    if op is not None:
        for inner in op.walk():
            for region in inner.regions:
                yield from region.blocks


def _element(space: Space, access: Access, instance: Instance) -> list[Term] | None:
    op = access.op
    if isinstance(op, LoadOp | StoreOp) and op.buffer is access.buffer:
        return space.element(op, instance)
    if isinstance(op, CallOp) and access.view is not None and access.view.buffer is access.buffer:
        return space.element(access.view, instance)
    return None


def _until(
    path: Sequence[tuple[Block, int]], top: Block, *, including: bool = False
) -> Sequence[tuple[Block, int]]:
    """The blocks of a path that are inside of ``top``; with ``including``, also ``top``."""
    blocks = [block for block, _ in path]
    return path[: blocks.index(top) + including]


def _verb(access: Access) -> str:
    return "writes" if access.writes else "reads"
