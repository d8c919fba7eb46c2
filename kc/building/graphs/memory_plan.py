"""The static plan of a graph's memory: each buffer's place in one arena.

Buffers that are not alive at the same time may share memory. A buffer is alive from the step that
first writes it to the step that last reads it, and during a whole loop that it enters from outside.
A kernel that computes each element of its result from the same element of an operand writes in
place, if that operand is read for the last time. The workspace of a kernel is a buffer that is
alive while the kernel runs.

Offsets are multiples of 64 bytes. Buffers of known size are placed by decreasing size, each where
the smallest gap is that it fits in (best fit), in several orders of which the smallest arena is
kept: at least as many bytes as are alive at once are needed, and seldom more. Buffers whose size
has names come behind these: buffers of equal size share slots, and offsets are expressions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kc.building.graphs.plan_picture import plan_html, plan_page
from kc.building.graphs.program import (
    Branch,
    Buffer,
    Copy,
    Launch,
    Loop,
    Place,
    Program,
    Step,
    View,
)
from kc.dialects.graph.declaration import OperatorOp, Pattern
from kc.dialects.graph.functions import FuncOp
from kc.dialects.graph.sizes import Size, SizeExpr, ceil_div, evaluate
from kc.dialects.graph.types import TensorSpec
from kc.dialects.graph.values import ConstantOp
from kc.graph.group import type_leaves
from kc.runtime.signature import DTYPES
from kc.support.display import Shown, show_text

ALIGNMENT = 64
"""Bytes that offsets are multiples of: a cache line."""
_TRIES = 200
"""Orders that are tried where the first ones leave gaps."""
_MOST_TRIED = 400
"""The buffers of the largest plan that is tried in more orders."""


@dataclass(frozen=True)
class Allocation:
    """The place of a buffer in the arena, and the steps from which and to which it is alive."""

    buffer: Buffer
    bytes: Size
    offset: Size
    first: int
    last: int


@dataclass(frozen=True)
class MemoryPlan:
    """The plan: ``print`` shows it as a table."""

    allocations: tuple[Allocation, ...]
    arena_bytes: Size
    """The size of the arena; an expression if sizes have names."""
    constant_bytes: int
    """The bytes of constants, which are not in the arena."""
    shared: Mapping[str, str] = field(default_factory=dict)
    """Buffers that are parts of others, or that are computed in place: name -> name."""

    @property
    def live_peak_bytes(self) -> Size:
        """The bytes of the largest set of buffers that are alive at once: no plan needs less.

        With names in sizes it is the largest of the sets whose sizes can be compared.
        """
        most: Size = 0
        for moment in self.allocations:
            alive: Size = 0
            for allocation in self.allocations:
                if allocation.first <= moment.first <= allocation.last:
                    alive = alive + _aligned(allocation.bytes)
            most = _larger(most, alive)
        return most

    @property
    def separate_bytes(self) -> Size:
        """The bytes that all buffers would take if none shared memory."""
        total: Size = 0
        for allocation in self.allocations:
            total = total + _aligned(allocation.bytes)
        return total

    def at(self, sizes: Mapping[str, int]) -> MemoryPlan:
        """The plan for sizes of the dimensions with names."""

        def number(size: Size) -> int:
            return evaluate(size, sizes)

        return MemoryPlan(
            tuple(
                Allocation(
                    allocation.buffer,
                    number(allocation.bytes),
                    number(allocation.offset),
                    allocation.first,
                    allocation.last,
                )
                for allocation in self.allocations
            ),
            number(self.arena_bytes),
            self.constant_bytes,
            self.shared,
        )

    def table(self) -> str:
        """The allocations by their offsets, as text."""
        rows = [("buffer", "tensor", "bytes", "offset", "alive at steps")]
        ordered = sorted(
            self.allocations,
            key=lambda allocation: (
                not _is_known(allocation.offset),
                str(allocation.offset).zfill(20),
            ),
        )
        rows += [
            (
                allocation.buffer.name,
                str(allocation.buffer.spec),
                str(allocation.bytes),
                str(allocation.offset),
                f"{allocation.first} to {allocation.last}",
            )
            for allocation in ordered
        ]
        widths = [max(len(row[n]) for row in rows) for n in range(5)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        lines += [f"{name}  in the memory of {into}" for name, into in self.shared.items()]
        lines.append(
            f"arena: {self.arena_bytes} bytes; alive at once: {self.live_peak_bytes}; "
            f"without sharing: {self.separate_bytes}; constants: {self.constant_bytes}"
        )
        return "\n".join(lines)

    def show(self, path: str | Path | None = None) -> Shown:
        """Print the table, or show picture and table in a notebook, and return the table as text.

        With ``path``, a page with the picture and the table is written there instead.
        """
        if path is None:
            return show_text(self.table(), self.table, self._repr_html_)
        Path(path).write_text(plan_page(self), encoding="utf-8")
        return Shown(self.table())

    def _repr_html_(self) -> str:
        return plan_html(self)

    def __str__(self) -> str:
        return self.table()


def plan_memory(
    program: Program,
    may_write_in_place: Callable[[Launch, int], bool] = lambda launch, number: False,
    workspace_of: Callable[[Launch], int] = lambda launch: 0,
    *,
    shares: bool = True,
) -> MemoryPlan:
    """The plan of a program, whose kernels that write in place are noted in it.

    ``may_write_in_place`` tells whether the schedule of a kernel permits that for an input;
    ``workspace_of`` gives the bytes that a kernel needs besides its arguments, and each launch gets
    them as a buffer. ``shares=False`` gives each buffer memory of its own, for tests.
    """
    lives = lifetimes(program)
    if shares:
        _write_in_place(program, lives, may_write_in_place)
    for position, step in positions(program):
        size = workspace_of(step) if isinstance(step, Launch) else 0
        if isinstance(step, Launch) and size:
            name = f"{step.group.sym_name.data}_workspace_{len(program.buffers)}"
            step.workspace = Buffer(name, TensorSpec((size,), "uint8"), Place.ARENA)
            program.buffers.append(step.workspace)
            lives[step.workspace] = (position, position)
    alive = [(buffer, *lives[buffer]) for buffer in program.buffers if buffer in lives]
    shared = {
        buffer.name: View(buffer, 0, buffer.spec).resolved.buffer.name
        for buffer in program.buffers
        if buffer.into is not None
    }
    constants = sum(_number(_aligned(buffer.bytes)) for buffer in program.constants)
    sized = [interval for interval in alive if isinstance(interval[0].bytes, int)]
    named = [interval for interval in alive if not isinstance(interval[0].bytes, int)]
    intervals = [(_number(_aligned(buffer.bytes)), first, last) for buffer, first, last in sized]
    offsets, arena = _separate(intervals) if not shares else best_offsets(intervals)
    allocations = [
        Allocation(buffer, buffer.bytes, offset, first, last)
        for (buffer, first, last), offset in zip(sized, offsets, strict=True)
    ]
    total: Size = arena
    for placed in _slots(named, shares):
        size = _aligned(placed[0][0].bytes)
        count = 0
        for buffer, first, last, slot in placed:
            allocations.append(Allocation(buffer, buffer.bytes, total + size * slot, first, last))
            count = max(count, slot + 1)
        total = total + size * count
    return MemoryPlan(tuple(allocations), total, constants, shared)


def lifetimes(program: Program) -> dict[Buffer, tuple[int, int]]:
    """For each buffer in the arena the first and the last of the steps at which it is alive."""
    lives: dict[Buffer, tuple[int, int]] = {}
    position = 0

    def touch(view: View) -> None:
        buffer = view.resolved.buffer
        if buffer.place is Place.ARENA:
            first, last = lives.get(buffer, (position, position))
            lives[buffer] = (min(first, position), max(last, position))

    def visit(steps: Sequence[Step]) -> None:
        nonlocal position
        for step in steps:
            match step:
                case Launch():
                    for view in (*step.inputs, *step.outputs):
                        touch(view)
                case Copy():
                    touch(step.source)
                    touch(step.target)
                case Branch():
                    touch(step.condition)
                    position += 1
                    visit(step.then)
                    visit(step.otherwise)
                case Loop():
                    start = position
                    visit(step.test)
                    touch(step.condition)
                    position += 1
                    visit(step.body)
                    for buffer, (first, last) in lives.items():
                        if first < start <= last:
                            lives[buffer] = (first, position)
            position += 1

    visit(program.steps)
    return lives


def positions(program: Program) -> Iterator[tuple[int, Launch | Copy]]:
    """The launches and copies with their positions, as :func:`lifetimes` counts."""
    position = 0

    def visit(steps: Sequence[Step]) -> Iterator[tuple[int, Launch | Copy]]:
        nonlocal position
        for step in steps:
            if isinstance(step, Branch):
                position += 1
                yield from visit(step.then)
                yield from visit(step.otherwise)
            elif isinstance(step, Loop):
                yield from visit(step.test)
                position += 1
                yield from visit(step.body)
            else:
                yield position, step
            position += 1

    yield from visit(program.steps)


def position_of_steps(program: Program) -> dict[Launch | Copy, int]:
    """The position of each launch and copy."""
    return {step: position for position, step in positions(program)}


def _write_in_place(
    program: Program,
    lives: dict[Buffer, tuple[int, int]],
    may_write_in_place: Callable[[Launch, int], bool],
) -> None:
    for position, step in positions(program):
        if not isinstance(step, Launch) or len(step.outputs) != 1:
            continue
        (output,) = step.outputs
        result = output.buffer
        if result.into is not None or result.is_fixed or result.place is not Place.ARENA:
            continue
        roots = [view.resolved.buffer for view in step.inputs]
        for number, view in enumerate(step.inputs):
            root = roots[number]
            if (
                root.place is Place.ARENA
                and not root.is_fixed
                and root is not result
                and roots.count(root) == 1
                and lives[root][1] == position
                and view.resolved.is_whole
                and root.bytes == result.bytes
                and is_pointwise(step.group, number)
                and may_write_in_place(step, number)
            ):
                result.into = View(root, 0, result.spec)
                step.in_place = {0: number}
                first, _ = lives[root]
                lives[root] = (first, lives.pop(result)[1])
                break


def is_pointwise(group: FuncOp, number: int) -> bool:
    """True if each element of the only result is computed of the element of an argument at the same
    place, and of elements of others."""
    inputs = [leaf for argument in group.body.block.args for leaf in type_leaves(argument.type)]
    (result, *more) = type_leaves(group.function_type.outputs.data[0])
    source = inputs[number]
    if more or source.shape != result.shape:
        return False
    if DTYPES[source.dtype].size != DTYPES[result.dtype].size:
        return False
    return all(
        isinstance(op, ConstantOp)
        or op is group.body.block.last_op
        or (
            isinstance(op, OperatorOp)
            and op.OPERATOR.pattern <= Pattern.BROADCAST
            and op.OPERATOR.is_pure
            and isinstance(type_leaves(op.result.type)[0], TensorSpec)
        )
        for op in group.body.block.ops
    )


def best_offsets(intervals: Sequence[tuple[int, int, int]]) -> tuple[list[int], int]:
    """Offsets of buffers, given as (bytes, first step, last step), and the size of the arena.

    The bytes are multiples of the alignment. Orders are tried until one needs no more than what is
    alive at once; with a fixed seed, so that equal programs have equal plans.
    """
    count = len(intervals)
    bound = live_peak(intervals)
    by_size = sorted(range(count), key=lambda n: (-intervals[n][0], intervals[n][1]))
    by_life = sorted(
        range(count), key=lambda n: -intervals[n][0] * (intervals[n][2] - intervals[n][1] + 1)
    )
    by_start = sorted(range(count), key=lambda n: (intervals[n][1], -intervals[n][0]))
    best, arena = _placed(intervals, by_size)
    best_order = by_size
    for order in (by_life, by_start):
        if arena <= bound:
            return best, arena
        offsets, size = _placed(intervals, order)
        if size < arena:
            best, arena, best_order = offsets, size, order
    draw = random.Random(0)
    for _ in range(_TRIES if count <= _MOST_TRIED else 0):
        if arena <= bound:
            break
        order = list(best_order)
        moved = order.pop(draw.randrange(count))
        order.insert(draw.randrange(count), moved)
        offsets, size = _placed(intervals, order)
        if size <= arena:
            best, arena, best_order = offsets, size, order
    return best, arena


def live_peak(intervals: Sequence[tuple[int, int, int]]) -> int:
    """The bytes of the largest set of buffers that are alive at once."""
    return max(
        (
            sum(size for size, first, last in intervals if first <= moment <= last)
            for _, moment, _ in intervals
        ),
        default=0,
    )


def _placed(
    intervals: Sequence[tuple[int, int, int]], order: Sequence[int]
) -> tuple[list[int], int]:
    """Each buffer, in this order, in the smallest gap that it fits in."""
    offsets = [0] * len(intervals)
    placed: list[int] = []
    for number in order:
        size, first, last = intervals[number]
        beside = sorted(
            (offsets[n], offsets[n] + intervals[n][0])
            for n in placed
            if intervals[n][1] <= last and first <= intervals[n][2]
        )
        end, place, smallest = 0, -1, -1
        for start, stop in beside:
            gap = start - end
            if gap >= size and (place < 0 or gap < smallest):
                place, smallest = end, gap
            end = max(end, stop)
        offsets[number] = end if place < 0 else place
        placed.append(number)
    arena = max((offsets[n] + intervals[n][0] for n in placed), default=0)
    return offsets, arena


def _separate(intervals: Sequence[tuple[int, int, int]]) -> tuple[list[int], int]:
    offsets: list[int] = []
    total = 0
    for size, _, _ in intervals:
        offsets.append(total)
        total += size
    return offsets, total


def _slots(
    alive: Sequence[tuple[Buffer, int, int]], shares: bool
) -> list[list[tuple[Buffer, int, int, int]]]:
    """Buffers of equal size with the slots that they share: as few as are alive at once."""
    classes: dict[Size, list[tuple[Buffer, int, int]]] = {}
    for entry in sorted(alive, key=lambda interval: interval[1]):
        classes.setdefault(_aligned(entry[0].bytes), []).append(entry)
    result: list[list[tuple[Buffer, int, int, int]]] = []
    for members in classes.values():
        ends: list[int] = []
        placed: list[tuple[Buffer, int, int, int]] = []
        for buffer, first, last in members:
            free = [n for n, end in enumerate(ends) if shares and end < first]
            slot = free[0] if free else len(ends)
            if slot == len(ends):
                ends.append(last)
            ends[slot] = last
            placed.append((buffer, first, last, slot))
        result.append(placed)
    return result


def _aligned(size: Size) -> Size:
    return ceil_div(size, ALIGNMENT) * ALIGNMENT


def _number(size: Size) -> int:
    assert isinstance(size, int)
    return size


def _is_known(size: Size) -> bool:
    return isinstance(size, int)


def _larger(left: Size, right: Size) -> Size:
    """The larger of two sizes for all positive values of their names, or else the left one."""
    difference = right - left
    if isinstance(difference, int):
        return right if difference > 0 else left
    assert isinstance(difference, SizeExpr)
    return right if all(coefficient > 0 for _, coefficient in difference.terms) else left
