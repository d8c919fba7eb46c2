"""Kernels split at the operations where threads wait, into segments that can be loops over threads.

A kernel is a sequence of :data:`Item`: segments, which threads may execute one after the other, and
loops and branches that contain segments and that all threads execute together. The values are

* uniform: equal in all threads, and computed once, outside of segments;
* cheap: computed from uniform values and the number of the thread, at each use;
* stored: written to an array with an element for each thread, if another segment uses them.

(pocl: "parallel region formation"; MCUDA: "deep fission".)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref, scf, vector
from xdsl.dialects.builtin import MemRefType, VectorType, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from kc.dialects import gpu
from kc.dialects.gpu import AddressSpace, AddressSpaceAttr, GPUFuncOp
from kc.dialects.memref_views import GenericAtomicRMWOp

WAITS = (gpu.BarrierOp, gpu.ShuffleOp)
"""The operations at which threads wait for each other."""
OF_A_THREAD = (gpu.ThreadIdOp, gpu.LaneIdOp, gpu.SubgroupIdOp, gpu.GlobalIdOp)
"""The operations whose results differ between the threads of a block."""


class ApartError(Exception):
    """Not all threads wait together at a waiting operation, or the control flow is not
    supported.
    """


@dataclass(frozen=True)
class Keep:
    """Each thread stores values to its elements of arrays: ``target = source``."""

    pairs: tuple[tuple[SSAValue, SSAValue], ...]


@dataclass(frozen=True)
class Exchange:
    """Each thread reads the element of another thread, after all threads have stored their
    elements.
    """

    op: gpu.ShuffleOp


Step = Operation | Keep | Exchange


@dataclass
class Segment:
    """The steps of a thread between two waits; ``depth`` is the number of loops around them."""

    depth: int
    steps: list[Step] = field(default_factory=list)


@dataclass
class Once:
    """A uniform value, computed once for all threads."""

    op: Operation


@dataclass
class Control:
    """A loop or a branch that all threads execute together."""

    op: scf.ForOp | scf.IfOp
    bodies: list[list[Item]]


Item = Segment | Once | Control


ATOMIC_UPDATES = (memref.AtomicRMWOp, GenericAtomicRMWOp)


def spins(op: Operation) -> bool:
    """True if a loop waits for memory to change: it carries no values, reads memory that threads
    share, and writes memory only by atomic updates."""
    if not isinstance(op, scf.WhileOp) or op.operands or op.results:
        return False
    inside = list(op.walk())
    if any(isinstance(inner, memref.StoreOp | vector.StoreOp) for inner in inside):
        return False
    return any(
        isinstance(inner, (memref.LoadOp, *ATOMIC_UPDATES))
        and not any(map(_is_of_a_thread, inner.operands))
        for inner in inside
    )


def _is_of_a_thread(memory: SSAValue) -> bool:
    if not isinstance(memory.type, MemRefType):
        return False
    is_private = memory.type.memory_space == AddressSpaceAttr(AddressSpace.PRIVATE)
    return is_private or isinstance(memory.owner, memref.AllocaOp)


def waits(op: Operation) -> bool:
    """True if ``op`` contains an operation at which threads wait."""
    return any(isinstance(inner, WAITS) for inner in op.walk())


class Plan:
    """The segments of a kernel, and the kind of each value.

    Raises ApartError for a kernel that cannot be split.
    """

    def __init__(self, function: GPUFuncOp) -> None:
        (block,) = _only_block(function.body.blocks)
        private = function.private_memory
        self.uniform: set[SSAValue] = {arg for arg in block.args if arg not in private}
        self.cheap: set[SSAValue] = set()
        self.home: dict[SSAValue, Segment] = {}
        """The segment that computes each value."""
        self.crossing: dict[SSAValue, None] = {}
        """The values that are stored in an array with an element for each thread."""
        self.same: dict[SSAValue, SSAValue] = {}
        """The results of loops, each with the value with which it shares an array."""
        self.memory: dict[SSAValue, int] = dict.fromkeys(private, 0)
        """The private memory of threads, with the number of loops around each allocation."""
        self.items, self._segment = self._block(block, 0)
        for segment in self.segments():
            for value in used_from_outside(segment):
                if value in self.memory or self.is_computed(value):
                    continue
                if self.home.get(value) is not segment:
                    self._keep(value)

    def is_computed(self, value: SSAValue) -> bool:
        """True if the value is uniform or cheap."""
        return value in self.uniform or value in self.cheap

    def segments(self) -> Iterator[Segment]:
        """All segments in program order."""
        yield from _segments(self.items)

    def _keep(self, value: SSAValue) -> None:
        element = value.type
        if isinstance(element, MemRefType) or (
            isinstance(element, VectorType)
            and (len(element.get_shape()) != 1 or element.element_type == i1)
        ):
            raise ApartError
        self.crossing[value] = None

    def _block(self, block: Block, depth: int) -> tuple[list[Item], Segment]:
        """The items of a block, and its last segment, which is the last item."""
        items: list[Item] = []
        segment = Segment(depth)
        for op in block.ops:
            if isinstance(op, scf.YieldOp | gpu.ReturnOp):
                break
            if isinstance(op, WAITS):
                if isinstance(op, gpu.ShuffleOp):
                    self._offer(op, segment)
                items.append(segment)
                segment = Segment(depth)
                if isinstance(op, gpu.ShuffleOp):
                    segment.steps.append(Exchange(op))
                    self.home.update(dict.fromkeys(op.results, segment))
            elif waits(op):
                if isinstance(op, scf.ForOp):
                    pairs = tuple(zip(op.body.block.args[1:], op.iter_args, strict=True))
                    self._assign(pairs, segment)
                items.append(segment)
                items.append(self._control(op, depth))
                segment = Segment(depth)
            elif isinstance(op, memref.AllocaOp):
                if op.operands:
                    raise ApartError
                self.memory[op.results[0]] = depth
            elif self._is_pure(op) and all(value in self.uniform for value in op.operands):
                self.uniform.update(op.results)
                items.append(Once(op))
            elif self._is_cheap(op):
                self.cheap.update(op.results)
            else:
                segment.steps.append(op)
                self.home.update(dict.fromkeys(op.results, segment))
        items.append(segment)
        return items, segment

    def _control(self, op: Operation, depth: int) -> Control:
        """A loop or a branch. Its results are stored in arrays."""
        if isinstance(op, scf.ForOp):
            if not all(value in self.uniform for value in (op.lb, op.ub, op.step)):
                raise ApartError
            args = op.body.block.args
            self.uniform.add(args[0])
            body, last = self._block(op.body.block, depth + 1)
            if any(isinstance(step, Exchange) for step in last.steps):
                # Other threads still read the values that the next iteration overwrites.
                last = Segment(depth + 1)
                body.append(last)
            end = op.body.block.last_op
            assert end is not None
            self._assign(tuple(zip(args[1:], end.operands, strict=True)), last)
            bodies = [body]
            for result, arg in zip(op.results, args[1:], strict=True):
                self._keep(arg)
                self._keep(result)
                self.same[result] = arg
        elif isinstance(op, scf.IfOp) and op.cond in self.uniform:
            bodies = []
            for region in op.regions:
                if not region.blocks:
                    continue
                body, last = self._block(region.block, depth)
                end = region.block.last_op
                yielded = end.operands if isinstance(end, scf.YieldOp) else ()
                self._assign(tuple(zip(op.results, yielded, strict=True)), last)
                bodies.append(body)
            for result in op.results:
                self._keep(result)
        else:
            raise ApartError
        return Control(op, bodies)

    def _assign(self, pairs: Sequence[tuple[SSAValue, SSAValue]], segment: Segment) -> None:
        if pairs:
            segment.steps.append(Keep(tuple(pairs)))

    def _offer(self, op: gpu.ShuffleOp, segment: Segment) -> None:
        """Make the operand of a shuffle available to other threads."""
        if op.value in self.uniform:
            return
        self._keep(op.value)
        if op.value in self.cheap:
            segment.steps.append(Keep(((op.value, op.value),)))

    def _is_pure(self, op: Operation) -> bool:
        if op.regions or isinstance(op, OF_A_THREAD):
            return False
        return isinstance(op, gpu.DynamicSharedMemoryOp) or is_side_effect_free(op)

    def _is_cheap(self, op: Operation) -> bool:
        if isinstance(op, OF_A_THREAD):
            return True
        return self._is_pure(op) and all(map(self.is_computed, op.operands))


def _only_block(blocks: Sequence[Block]) -> Sequence[Block]:
    if len(blocks) != 1:
        raise ApartError
    return blocks


def _segments(items: Sequence[Item]) -> Iterator[Segment]:
    for item in items:
        if isinstance(item, Segment):
            yield item
        elif isinstance(item, Control):
            for body in item.bodies:
                yield from _segments(body)


def used_from_outside(segment: Segment) -> Iterator[SSAValue]:
    """The values that a segment uses and does not define. A value may occur more than once."""
    for step in segment.steps:
        if isinstance(step, Keep):
            yield from (source for _, source in step.pairs)
        elif isinstance(step, Exchange):
            yield from (step.op.offset, step.op.width)
            yield step.op.value
        else:
            inside = set(_defined(step))
            for op in step.walk():
                yield from (value for value in op.operands if value not in inside)


def _defined(op: Operation) -> Iterator[SSAValue]:
    for inner in op.walk():
        if inner is not op:
            yield from inner.results
        for region in inner.regions:
            for block in region.blocks:
                yield from block.args
