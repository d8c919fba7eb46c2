"""Kernels: loops bound to thread axes run as :mod:`kc.dialects.tir.threads` defines.

All threads of a kernel run in lockstep, op by op, each in a separate environment. Programs without
a defined result raise :class:`ExecutionError`: two threads store different values to one element, a
thread block reads an element that another block writes, only some threads reach a barrier, or some
threads skip shared work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from xdsl.ir import Block, Operation, Region

from kc.analysis.interpreter.affine_code import map_function, set_function
from kc.analysis.interpreter.block_memory import BlockMemory
from kc.analysis.interpreter.collectives import number_in_block, shuffled
from kc.analysis.interpreter.empty_reductions import EmptyReduction, possibly_empty
from kc.analysis.interpreter.engine import KernelInterpreter, Run, Step
from kc.analysis.interpreter.errors import ExecutionError, index_text
from kc.analysis.interpreter.memory import Index, reader, writer
from kc.analysis.interpreter.thread_blocks import BlockEntry
from kc.analysis.interpreter.values import Buffer
from kc.analysis.loop_tree import memory_scope
from kc.dialects import gpu, tir
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES, is_shared
from kc.support.locations import op_name

Place = frozenset[tuple[Hashable, int]]
"""Some coordinates of a thread: pairs of an axis (or the loop, if the axis has no name) and a
number.
"""


class Thread:
    """A thread: its coordinates and its environment."""

    __slots__ = ("block", "env", "lane", "numbers", "place", "row", "team")

    def __init__(self, numbers: dict[Hashable, int], env: list[Any]) -> None:
        self.numbers = numbers
        self.env = env
        self.place: Place = frozenset(numbers.items())
        self.block: Place = frozenset((axis, n) for axis, n in numbers.items() if axis in _BLOCKS)
        self.lane: Place = frozenset((axis, n) for axis, n in numbers.items() if axis in _LANES)
        self.team: Place = self.place - self.lane
        self.row: Place = self.without(["threadIdx.x"])

    def group(self, name: str) -> Place:
        """The coordinates of the thread's "block" or "warp"."""
        return self.row if name == "warp" else self.team

    def fork(self, axis: Hashable, number: int) -> Thread:
        """A copy of the thread with coordinate ``number`` along ``axis``."""
        return Thread({**self.numbers, axis: number}, self.env.copy())

    def along(self, axes: Iterable[Hashable]) -> Place:
        """The coordinates along ``axes``."""
        return self.place - self.without(axes)

    def without(self, axes: Iterable[Hashable]) -> Place:
        """The coordinates along all axes but ``axes``."""
        left = set(axes)
        return frozenset((axis, n) for axis, n in self.numbers.items() if axis not in left)

    def __str__(self) -> str:
        names = [(axis.label if isinstance(axis, tir.ForOp) else axis) for axis in self.numbers]
        numbers = zip(names, self.numbers.values(), strict=True)
        return "thread " + ", ".join(f"{name} = {n}" for name, n in numbers)


_CONVERGED = nullcontext()
_BLOCKS = frozenset(BLOCK_AXES)
_LANES = frozenset(LANE_AXES)

Threads = Sequence[Thread]


@dataclass(eq=False)
class Divergence:
    """A branch that ``chosen`` of ``threads`` take: a context manager that adds itself to
    ``entered``.
    """

    chosen: Threads
    threads: Threads
    entered: list[Divergence]
    split_teams: dict[str, set[Place]] = field(default_factory=dict, init=False)

    def apart(self, group: str) -> set[Place]:
        """The blocks, or the warps, in which not all threads take the branch."""
        if group not in self.split_teams:
            there = Counter(thread.group(group) for thread in self.threads)
            here = Counter(thread.group(group) for thread in self.chosen)
            self.split_teams[group] = {team for team, count in here.items() if count < there[team]}
        return self.split_teams[group]

    def __enter__(self) -> None:
        self.entered.append(self)

    def __exit__(self, *_: object) -> None:
        self.entered.pop()


class Written(NamedTuple):
    """The last store to an element: its threads, its value, and the branches taken then."""

    threads: list[Thread]
    value: Any
    places: list[Divergence]


@dataclass
class Kernel:
    """One execution of a kernel."""

    interpreter: KernelInterpreter
    functions: dict[Operation, Any]
    """Results that are computed once per op."""
    current: Thread | None = None
    """The running thread."""
    extents: dict[Hashable, tuple[int, tir.ForOp]] = field(default_factory=dict)
    written: dict[Buffer, dict[Index, Written]] = field(default_factory=dict)
    divergences: list[Divergence] = field(default_factory=list)
    """The branches that currently separate threads."""
    single: frozenset[str] | None = None
    """The axes along which the kernel has a single block; None if the kernel has a single block in
    all.
    """
    read: dict[Buffer, dict[Index, Place | None]] = field(default_factory=dict)
    """The block that has read each element of global memory; None for several blocks."""
    own: set[int] = field(default_factory=set)
    """The slots of buffers private to blocks."""
    memory: BlockMemory = field(default_factory=BlockMemory)

    def run(self, root: tir.ForOp, extent: int) -> None:
        """Run the kernel below ``root`` in the interpreter's current environment."""
        env = self.interpreter.environment
        self.single = self._function(root, lambda: single_axes(root))
        try:
            self._thread_loop(root, [extent], [Thread({}, env)])
        except ExecutionError as error:
            if self.current is not None:
                error.within(str(self.current))
            raise
        finally:
            self.interpreter.environment = env

    # Regions -------------------------------------------------------------------------------

    def _region(self, region: Region, threads: Threads) -> None:
        block = region.blocks.first
        if block is None or not threads:
            return
        for step in self.interpreter.plan(block).steps:
            op, run, operands, result, results = step
            together = _TOGETHER.get(type(op))
            if together is not None:
                getattr(self, together)(step, threads)
                continue
            for thread in threads:
                value = self._run(run, operands, thread)
                if result >= 0:
                    thread.env[result] = value
                elif results:
                    for slot, result_value in zip(results, value, strict=True):
                        thread.env[slot] = result_value

    def _run(self, run: Run, operands: Callable, thread: Thread) -> Any:
        self.current, self.interpreter.environment = thread, thread.env
        return run(*operands(thread.env))

    def _enter(self, block: Block, entering: Iterable[tuple[Thread, Sequence[Any]]]) -> None:
        """Bind the arguments of a block in each thread."""
        arguments = self.interpreter.plan(block).arguments
        for thread, values in entering:
            for slot, value in zip(arguments, values, strict=True):
                thread.env[slot] = value

    def _function(self, op: Operation, make: Callable[[], Any]) -> Any:
        function = self.functions.get(op)
        if function is None:
            function = self.functions[op] = make()
        return function

    def _some(self, chosen: Threads, threads: Threads) -> AbstractContextManager[None]:
        """A context in which only ``chosen`` of ``threads`` run, so that they cannot wait for the
        other threads.
        """
        if len(chosen) == len(threads):
            return _CONVERGED
        return Divergence(chosen, threads, self.divergences)

    # Control flow ----------------------------------------------------------------------------

    def _for(self, step: Step, threads: Threads) -> None:
        op, _, operands, _, _ = step
        dynamic = [operands(thread.env) for thread in threads]
        extents = [sizes[0] if sizes else op.extent_attr.value.data for sizes in dynamic]
        for reduction in self._function(op, lambda: possibly_empty(op)):
            self._initialise(reduction, threads)
        if op.axis is not None:
            self._thread_loop(op, extents, threads)
            return
        i, body = 0, op.body
        condition = op.condition if op.kind.data is tir.ForKind.WHILE else None
        (index,) = self.interpreter.plan(body.block).arguments
        everyone, active = min(extents), threads
        try:
            for i in range(max(extents)):
                if i >= everyone:
                    active = [
                        thread
                        for thread, extent in zip(threads, extents, strict=True)
                        if i < extent
                    ]
                for thread in active:
                    thread.env[index] = i
                with self._some(active, threads):
                    self._region(body, active)
                if condition is not None:
                    slot = self.interpreter.slot(condition.condition)
                    done = {thread for thread in active if not thread.env[slot]}
                    extents = [
                        i + 1 if thread in done else extent
                        for thread, extent in zip(threads, extents, strict=True)
                    ]
                    if max(extents) <= i + 1:
                        break
                    everyone = min(extents)
        except ExecutionError as error:
            error.within(f"{op.label} = {i}")
            raise

    def _initialise(self, reduction: EmptyReduction, threads: Threads) -> None:
        init = reduction.block.init
        elements: list[list[tuple[int, ...]]] = []
        for thread in threads:
            self.interpreter.environment = thread.env
            self.interpreter.execute(reduction.makers)
            elements.append(list(reduction.instances(self.interpreter.value)))
        for n in range(max(map(len, elements))):
            entering = [
                (thread, own[n])
                for thread, own in zip(threads, elements, strict=True)
                if n < len(own)
            ]
            active = [thread for thread, _ in entering]
            with self._some(active, threads):
                self._enter(init.block, entering)
                self._region(init, active)

    def _thread_loop(self, op: tir.ForOp, extents: Sequence[int], threads: Threads) -> None:
        axis: Hashable = op if op.axis == "vthread" else op.axis
        extent, first = self.extents.setdefault(axis, (extents[0], op))
        for size in extents:
            if extent != size:
                raise ExecutionError(
                    op,
                    f"{op.label} has {size} threads of {op.axis}, but {first.label} has {extent}",
                )
        if axis in threads[0].numbers:
            inner = threads
            self._require_all(op, axis, extent, threads)
        else:
            inner = [thread.fork(axis, n) for thread in threads for n in range(extent)]
            if axis in _BLOCKS and extent > 1:
                self._give_own_memory(axis, inner)
        body = op.body
        self._enter(body.block, ((thread, [thread.numbers[axis]]) for thread in inner))
        self._region(body, inner)

    def _require_all(self, op: tir.ForOp, axis: Hashable, extent: int, threads: Threads) -> None:
        """Require a thread for every iteration of a loop."""
        teams = Counter(thread.without([axis]) for thread in threads)
        for count in teams.values():
            if count != extent:
                self.current = None
                raise ExecutionError(
                    op,
                    f"only {count} of the {extent} threads of {op.axis} reach {op.label}, whose "
                    "iterations they share",
                )

    def _if(self, step: Step, threads: Threads) -> None:
        op, _, operands, _, _ = step
        holds = self._function(op, lambda: set_function(op.condition.data))
        then: list[Thread] = []
        orelse: list[Thread] = []
        for thread in threads:
            self.current = thread
            taken = holds(*operands(thread.env))
            (then if taken else orelse).append(thread)
        for region, chosen in ((op.then, then), (op.orelse, orelse)):
            if chosen:
                with self._some(chosen, threads):
                    self._region(region, chosen)

    def _block(self, step: Step, threads: Threads) -> None:
        op, _, operands, _, _ = step
        enter = self._function(op, lambda: BlockEntry(op))
        active: list[tuple[Thread, tuple[int, ...]]] = []
        for thread in threads:
            self.current = thread
            values = enter.variables(operands(thread.env))
            if values is not None:
                active.append((thread, values))
        if not active:
            return
        if enter.reduced_by:
            self._reduce(op, enter, active)
            return
        with self._some([thread for thread, _ in active], threads):
            self._block_bodies(op, enter, active)

    def _block_bodies(
        self, op: tir.BlockOp, enter: BlockEntry, active: Sequence[tuple[Thread, tuple[int, ...]]]
    ) -> None:
        try:
            if op.has_init:
                first = [entry for entry in active if enter.is_first(entry[1])]
                init = op.init
                self._enter(init.block, first)
                self._region(init, [thread for thread, _ in first])
            body = op.body
            self._enter(body.block, active)
            self._region(body, [thread for thread, _ in active])
        except ExecutionError as error:
            error.within(f'block "{op.label}"')
            raise

    def _reduce(
        self, op: tir.BlockOp, enter: BlockEntry, active: Sequence[tuple[Thread, tuple[int, ...]]]
    ) -> None:
        """Run a reduction over threads: the steps of an element run one after the other, beginning
        with the initialising step. Threads that differ only in other axes stay in lockstep.
        """
        steps: dict[Place, list[tuple[Thread, tuple[int, ...]]]] = {}
        for thread, values in active:
            steps.setdefault(thread.along(enter.reduced_by), []).append((thread, values))
        done: set[tuple[Any, ...]] = set()
        for step in sorted(
            steps.values(), key=lambda step: not any(enter.is_first(entry[1]) for entry in step)
        ):
            left: list[tuple[Thread, tuple[int, ...]]] = []
            for thread, values in step:
                buffers = [thread.env[self.interpreter.slot(buffer)] for buffer in enter.written]
                # Thread loops in the block have an iteration for each thread.
                key = (values, thread.along(enter.shared_by), *buffers)
                if key not in done:
                    done.add(key)
                    left.append((thread, values))
            if left:
                self._block_bodies(op, enter, left)

    # Memory --------------------------------------------------------------------------------

    def _alloc(self, step: Step, threads: Threads) -> None:
        op, run, operands, slot, _ = step
        scope = memory_scope(op.buffer)
        if scope != "global":
            self.own.add(slot)
        buffers: dict[Hashable, Buffer] = {}
        for thread in threads:
            owner = self._owner(scope, thread)
            if owner not in buffers:
                buffers[owner] = self._run(run, operands, thread)
            thread.env[slot] = buffers[owner]

    def _give_own_memory(self, axis: Hashable, threads: Threads) -> None:
        """Give each block along ``axis`` a copy of the private memory."""
        for slot in self.own:
            for thread in threads:
                buffer = thread.env[slot]
                if isinstance(buffer, Buffer) and buffer.data is not None:
                    number = thread.numbers[axis]
                    thread.env[slot] = self.memory.of_block(buffer, axis, number)

    def _owner(self, scope: str, thread: Thread) -> Hashable:
        """The coordinates common to the threads that share one buffer of a memory scope."""
        return thread.without(
            axis
            for axis in thread.numbers
            if is_shared(scope, axis if isinstance(axis, str) else "vthread")
        )

    def _load(self, step: Step, threads: Threads) -> None:
        op, _, operands, slot, _ = step
        index, read = self._function(
            op, lambda: (map_function(op.indices.data), reader(op, op.result.type))
        )
        is_noted = self.single is not None and memory_scope(op.buffer) == "global"
        for thread in threads:
            self.current = thread
            buffer, *rest = operands(thread.env)
            at = index(*rest)
            value = read(buffer, at)
            for n, own in enumerate(self.memory.of_each_block(buffer)):
                value_of_block = read(own, at)
                if n == 0:
                    value = value_of_block
                elif not _are_same(value, value_of_block):
                    raise ExecutionError(
                        op,
                        f"blocks of threads have {value} and {value_of_block} in "
                        f"{buffer.name}{index_text(at)}, which is read outside of their loops",
                    )
            thread.env[slot] = value
            if is_noted:
                readers = self.read.setdefault(buffer, {})
                block = self._block_of(thread)
                for element in _elements(at, value):
                    if readers.setdefault(element, block) != block:
                        readers[element] = None
            elements = self.written.get(buffer)
            if elements is not None:
                for element in _elements(at, value):
                    last = elements.get(element)
                    if last is not None and thread not in last.threads:
                        self._require_visible(op, buffer, element, last, thread)

    def _require_visible(
        self, op: tir.LoadOp, buffer: Buffer, at: Index, last: Written, thread: Thread
    ) -> None:
        if self.single is not None and not any(
            self._block_of(writer) <= thread.place for writer in last.threads
        ):
            raise ExecutionError(
                op,
                f"{buffer.name}{index_text(at)} was written by another block of threads, and "
                "blocks run in any order",
            )
        scope = memory_scope(op.buffer)
        kind = _group_of(scope)
        group = thread.group(kind)
        is_apart = any(
            divergence in last.places and group in divergence.apart(kind)
            for divergence in self.divergences
        )
        if is_apart and not any(self._lane_of(writer) <= thread.place for writer in last.threads):
            raise ExecutionError(
                op,
                f"{buffer.name}{index_text(at)} was written by another thread at a place that "
                "not all threads reach, so they cannot wait for each other",
            )

    def _lane_of(self, thread: Thread) -> Place:
        """The coordinates of a thread in its block, without axes of a single thread."""
        return frozenset(part for part in thread.lane if self.extents[part[0]][0] > 1)

    def _barrier(self, step: Step, threads: Threads) -> None:
        """Require that all threads of a block reach the barrier. Threads in lockstep need no
        waiting.
        """
        self._require_convergence(step[0], "block")

    def _require_convergence(self, op: Operation, group: str) -> None:
        if any(divergence.apart(group) for divergence in self.divergences):
            raise ExecutionError(op, f"not all threads of a {group} reach {op_name(op)}")

    def _shuffle(self, step: Step, threads: Threads) -> None:
        op, _, operands, _, slots = step
        self._require_convergence(op, "warp")
        extents = self._block_extents()
        blocks: dict[Place, list[Thread]] = {}
        for thread in threads:
            blocks.setdefault(thread.team, []).append(thread)
        for team in blocks.values():
            numbers = [number_in_block(thread.numbers, extents) for thread in team]
            results = shuffled(op, numbers, [operands(thread.env) for thread in team])
            for thread, values in zip(team, results, strict=True):
                for slot, value in zip(slots, values, strict=True):
                    thread.env[slot] = value

    def _block_extents(self) -> dict[str, int]:
        """The number of threads along each axis of a block."""
        return {axis: self.extents[axis][0] for axis in LANE_AXES if axis in self.extents}

    def _allreduce(self, step: Step, threads: Threads) -> None:
        op, _, operands, slot, slots = step
        self._require_convergence(op, "block")
        groups: dict[Place, list[Thread]] = {}
        for thread in threads:
            groups.setdefault(thread.without(op.axis_names), []).append(thread)
        extents = self._block_extents()
        combine = self._function(op, lambda: self.interpreter.runner(op.combiner))
        for group in groups.values():
            group.sort(key=lambda thread: number_in_block(thread.numbers, extents))
            values = [tuple(operands(thread.env)) for thread in group]
            total, first = values[0], group[0]
            self.interpreter.environment = first.env
            for value in values[1:]:
                total = combine(*total, *value)
            for thread in group:
                for at, value in zip([slot] if slot >= 0 else slots, total, strict=True):
                    thread.env[at] = value

    def _store(self, step: Step, threads: Threads) -> None:
        op, _, operands, _, _ = step
        index, write = self._function(
            op, lambda: (map_function(op.indices.data), writer(op, op.value.type))
        )
        places = self.divergences.copy()
        stored: dict[tuple[Buffer, Index], tuple[Any, list[Thread]]] = {}
        for thread in threads:
            self.current = thread
            value, buffer, *rest = operands(thread.env)
            at = index(*rest)
            parts = list(zip(_elements(at, value), _parts(value), strict=True))
            for own in self.memory.stored_to(buffer):
                write(value, own, at)
                for element, part in parts:
                    entry = stored.get((own, element))
                    if entry is None:
                        stored[own, element] = part, [thread]
                        continue
                    if not _is_same(entry[0], part):
                        self.current = None
                        raise ExecutionError(
                            op,
                            f"{entry[1][0]} and {thread} store {entry[0]} and {part} to "
                            f"{buffer.name}{index_text(element)} at the same time",
                        )
                    entry[1].append(thread)
        for (buffer, element), (value, writers) in stored.items():
            entry = self.written.setdefault(buffer, {})
            last = entry.get(element)
            if last is not None and _is_same(last.value, value):
                # A thread that stores the value already there changes nothing for those that read
                # it before.
                writers = [*writers, *(writer for writer in last.threads if writer not in writers)]
            elif self.single is not None and memory_scope(op.buffer) == "global":
                self._require_alone(op, buffer, element, value, last, writers)
            entry[element] = Written(writers, value, places)

    def _require_alone(
        self,
        op: tir.StoreOp,
        buffer: Buffer,
        at: Index,
        value: Any,
        last: Written | None,
        writers: Threads,
    ) -> None:
        """Require that no other block has stored to or read the element that ``writers`` change.

        This applies to global memory only. Each block has its own copy of any other memory,
        wherever it is allocated, so stores of other blocks do not affect it.
        """
        blocks = {self._block_of(writer) for writer in writers}
        before = {self._block_of(writer) for writer in last.threads} if last is not None else blocks
        element = f"{buffer.name}{index_text(at)}"
        text = None
        if last is not None and len(before) > 1:
            text = (
                f"several blocks of threads store {last.value}, then {value} to {element}, and "
                "blocks do not wait for each other"
            )
        elif last is not None and blocks != before:
            text = (
                f"{last.threads[0]} and {writers[0]} store {last.value} and {value} to "
                f"{element}, and blocks of threads run in any order"
            )
        elif at in (readers := self.read.get(buffer, {})) and {readers[at]} != blocks:
            text = (
                f"{writers[0]} stores to {element}, which another block of threads reads, and "
                "blocks run in any order"
            )
        if text is not None:
            self.current = None
            raise ExecutionError(op, text)

    def _block_of(self, thread: Thread) -> Place:
        """The block of a thread, without axes of a single block."""
        assert self.single is not None
        return frozenset(
            coordinate for coordinate in thread.block if coordinate[0] not in self.single
        )


def single_axes(root: tir.ForOp) -> frozenset[str] | None:
    """The axes of a kernel along which it has one block; None if it has a single block in all."""
    loops = [op for op in root.walk() if isinstance(op, tir.ForOp) and op.axis in _BLOCKS]
    several = {str(loop.axis) for loop in loops if loop.static_extent != 1}
    return frozenset(_BLOCKS - several) if several else None


def _group_of(scope: str) -> str:
    """The group of threads that must converge where values pass through a memory scope."""
    return "warp" if scope == "warp" else "block"


def _parts(value: Any) -> Sequence[Any]:
    """The elements of a value."""
    return list(value.reshape(-1)) if isinstance(value, np.ndarray) else [value]


def _elements(at: Index, value: Any) -> list[Index]:
    """The indices of the elements that an access of ``value`` touches: several for a vector."""
    if not isinstance(value, np.ndarray):
        return [at]
    leading = len(at) - value.ndim
    return [
        (*at[:leading], *(i + n for i, n in zip(at[leading:], offset, strict=True)))
        for offset in np.ndindex(value.shape)
    ]


def _is_same(value: Any, rhs: Any) -> bool:
    return bool(value == rhs) or (value != value and rhs != rhs)  # noqa: PLR0124


def _are_same(value: Any, rhs: Any) -> bool:
    """True if two values from memory are equal in all elements."""
    return all(map(_is_same, _parts(value), _parts(rhs)))


_TOGETHER: dict[type[Operation], str] = {
    gpu.BarrierOp: "_barrier",
    gpu.ShuffleOp: "_shuffle",
    tir.AllocOp: "_alloc",
    tir.BlockOp: "_block",
    tir.ForOp: "_for",
    tir.IfOp: "_if",
    tir.LoadOp: "_load",
    tir.StoreOp: "_store",
    tir.ThreadAllreduceOp: "_allreduce",
}
"""The methods of :class:`Kernel` that run an op for all threads together."""
