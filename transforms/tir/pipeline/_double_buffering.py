"""The overlap of a loop with its next iteration by a double-buffered allocation, and its legality.

Shared by the primitive ``double_buffer``, which refuses with an :class:`Obstacle`, and the pass
``inject-double-buffer``, which performs the overlap after all other primitives of the schedule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.accesses.regions import scope_of, stores_to
from kc.analysis.affine.terms import any_of, equal
from kc.analysis.captures import captured_values
from kc.analysis.loop_tree import all_loops_around, buffer_name, memory_scope
from kc.dialects.tir import AllocOp, BlockOp, ForKind, ForOp, LoadOp, StoreOp
from kc.dialects.tir.threads import BLOCK_AXES
from kc.transforms.tir.storage.compact_buffer_allocation import carries_values

Access = LoadOp | StoreOp


class Obstacle(Exception):
    """The reason why a buffer cannot be filled one iteration ahead."""

    def __init__(
        self,
        code: str,
        message: str,
        why: str,
        at: Operation,
        marks: dict[Operation, str],
        hints: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.why = why
        self.at = at
        self.marks = marks
        self.hints = hints


@dataclass
class Overlap:
    """The plan to fill the buffer of ``alloc`` one iteration ahead."""

    alloc: AllocOp
    loop: ForOp
    """The loop for whose next iteration the buffer is filled."""
    accesses: list[Access]
    fill: list[Operation]
    """The children of the loop that write the buffer, in order."""
    values: list[Operation] = field(default_factory=list)
    """The children of the loop that compute the operands of ``fill``, in order: indices, and
    loads."""

    @property
    def filling(self) -> list[Operation]:
        """All operations that fill the buffer, in order."""
        both = {*self.values, *self.fill}
        return [op for op in self.loop.body.block.ops if op in both]


def plan_overlap(alloc: AllocOp) -> Overlap:
    """The plan to fill the buffer of ``alloc`` ahead. Raises :class:`Obstacle` if it is not
    legal."""
    accesses = _accesses(alloc)
    loop = _common_loop(alloc, accesses)
    name = alloc.label
    if loop.kind.data is not ForKind.SERIAL:
        raise Obstacle(
            "KC3471",
            f"loop {loop.label}, which fills and reads {name}, is {loop.kind.data.value}",
            "the buffer is filled for the next iteration while the current one runs, so iterations "
            "must run in order",
            loop,
            {loop: f"fills and reads {name}"},
        )
    blocks = [outer for outer in all_loops_around(loop) if outer.axis in BLOCK_AXES]
    if blocks and memory_scope(alloc.buffer) == "global":
        raise Obstacle(
            "KC3479",
            f"the blocks of {blocks[0].axis} share {name}, which is global memory",
            f"at any time they are in different iterations of loop {loop.label}, and each fills "
            f"{name} for its next iteration",
            loop,
            {blocks[0]: "blocks", loop: f"fills and reads {name}"},
            [f'set_scope of {name} to "shared" or "local" first'],
        )
    overlap = Overlap(alloc, loop, accesses, _fill(alloc, loop, accesses))
    overlap.values = _values(overlap)
    _require_filled_first(overlap)
    # A buffer that is allocated in the loop is a new buffer in each iteration.
    if not loop_tree.is_inside(alloc, loop) and carries_values(accesses, loop):
        raise Obstacle(
            "KC3472",
            f"an iteration of {loop.label} may read elements of {name} that it has not written",
            "iterations alternate between the two halves, so each must write every element that it "
            "reads",
            loop,
            {loop: f"fills and reads {name}"},
        )
    _require_early(overlap)
    return overlap


def _accesses(alloc: AllocOp) -> list[Access]:
    accesses: list[Access] = []
    for use in alloc.buffer.uses:
        op = use.operation
        if not isinstance(op, Access) or op.buffer is not alloc.buffer:
            raise Obstacle(
                "KC3303",
                f"{alloc.label} is used by {op.name}",
                f"the effect of {op.name} on it is unknown",
                op,
                {op: f"uses {alloc.label}"},
            )
        accesses.append(op)
    return accesses


def _common_loop(alloc: AllocOp, accesses: Sequence[Access]) -> ForOp:
    """The innermost loop around all accesses."""
    paths = [all_loops_around(access) for access in accesses]
    common = [loop for loop in paths[0] if all(loop in path for path in paths)] if paths else []
    stores = [access for access in accesses if isinstance(access, StoreOp)]
    if not common or len(stores) == len(accesses):
        at = _unit(stores[0]) if stores else alloc
        raise Obstacle(
            "KC3470",
            f"no loop both fills and reads {alloc.label}",
            "the stores of one iteration of a loop are overlapped with the loads of another",
            at,
            {at: "here"},
        )
    return common[-1]


def _unit(op: Operation) -> Operation:
    """The unit of ``op`` in the loop tree: the block that contains it, or ``op``."""
    scope = scope_of(op)
    return scope if isinstance(scope, BlockOp) else op


def _fill(alloc: AllocOp, loop: ForOp, accesses: Sequence[Access]) -> list[Operation]:
    """The children of ``loop`` that write the buffer. Raises :class:`Obstacle` if they have other
    effects.
    """
    name = alloc.label
    stores = [access for access in accesses if isinstance(access, StoreOp)]
    children = list(loop.body.block.ops)
    fill = [op for op in children if any(loop_tree.is_inside(store, op) for store in stores)]
    for op in fill:
        for inner in op.walk():
            writes_other = isinstance(inner, StoreOp) and inner.buffer is not alloc.buffer
            if writes_other or _is_opaque(inner):
                what = (
                    f"writes {buffer_name(inner.buffer)}"
                    if isinstance(inner, StoreOp)
                    else f"contains {inner.name}"
                )
                raise Obstacle(
                    "KC3473",
                    f"the code that fills {name} in loop {loop.label} also {what}",
                    "this would happen one iteration early",
                    loop,
                    {loop: f"fills and reads {name}", _unit(inner): what},
                )
    return fill


def _values(overlap: Overlap) -> list[Operation]:
    """The children of the loop that compute the operands of the fill: indices and loaded values."""
    loop = overlap.loop
    needed: dict[Operation, None] = {}
    pending = [value for op in overlap.fill for value in captured_values(op)]
    for size in overlap.alloc.dynamic_sizes:
        if loop_tree.defined_inside(size, loop):
            raise _missing(overlap, size)
    while pending:
        value = pending.pop()
        if value is overlap.alloc.buffer or not loop_tree.defined_inside(value, loop):
            continue
        owner = value.owner
        if not isinstance(owner, Operation):
            continue  # the variable of the loop
        if loop_tree.has_work(owner) and not isinstance(owner, LoadOp):
            raise _missing(overlap, value)
        needed[owner] = None
        pending += owner.operands
    return [op for op in loop.body.block.ops if op in needed]


def _require_filled_first(overlap: Overlap) -> None:
    """Require that an iteration writes its part of the buffer before it reads the buffer."""
    loop, name = overlap.loop, overlap.alloc.label
    inner = overlap.filling
    readers = [
        op
        for op in loop.body.block.ops
        if op not in inner and any(loop_tree.is_inside(access, op) for access in overlap.accesses)
    ]
    fill = overlap.fill
    late = bool(fill) and any(reader.is_before_in_block(fill[-1]) for reader in readers)
    # Elements that the fill itself loads, to update them, may not be used for anything else.
    partial = [
        use.operation
        for op in overlap.values
        if isinstance(op, LoadOp) and op.buffer is overlap.alloc.buffer
        for use in op.result.uses
    ]
    late = late or any(_child(loop, user) not in inner for user in partial)
    if late or not readers or not fill:
        raise Obstacle(
            "KC3474",
            f"{name} is not filled first and then read in each iteration of {loop.label}",
            f"loop {loop.label} writes to it after it reads from it"
            if late
            else f"one child of loop {loop.label} both fills and reads it"
            if fill
            else f"nothing in loop {loop.label} writes to it",
            loop,
            {loop: f"fills and reads {name}"},
        )


def _child(loop: ForOp, op: Operation) -> Operation:
    """The child of ``loop`` that is or contains ``op``."""
    while (parent := op.parent_op()) is not None and parent is not loop:
        op = parent
    return op


def _missing(overlap: Overlap, value: SSAValue) -> Obstacle:
    name, what = overlap.alloc.label, value.name_hint or "a value"
    return Obstacle(
        "KC3475",
        f"filling {name} needs {what}, which is computed in an iteration of {overlap.loop.label}",
        "it is not available one iteration early",
        overlap.loop,
        {overlap.loop: f"fills and reads {name}"},
    )


def _require_early(overlap: Overlap) -> None:
    """Require that all values that fill the buffer are available one iteration early."""
    loop, last = overlap.loop, overlap.fill[-1]
    children = list(loop.body.block.ops)
    for child in children:
        if child in overlap.fill:
            continue
        for inner in child.walk():
            if _is_opaque(inner):
                raise Obstacle(
                    "KC3476",
                    f"filling {overlap.alloc.label} one iteration early is not proven correct",
                    f"{inner.name} may write its inputs",
                    loop,
                    {loop: f"fills and reads {overlap.alloc.label}"},
                )
    for child in overlap.filling:
        for load in child.walk():
            if not isinstance(load, LoadOp) or load.buffer is overlap.alloc.buffer:
                continue
            for store in stores_to(load.buffer):
                top = next((op for op in children if loop_tree.is_inside(store, op)), None)
                if top is None or top in overlap.fill:
                    continue
                _require_apart(overlap, load, store, top.is_before_in_block(child), last, top)


def _require_apart(
    overlap: Overlap, load: LoadOp, store: StoreOp, is_before: bool, last: Operation, top: Operation
) -> None:
    """Require that ``store`` writes no element that ``load`` reads, if the move would put the store
    after the load.
    """
    loop = overlap.loop
    space = Space()
    read = space.instance(load)
    outside = {}
    for around, dim in read.loops.items():
        if around is loop:
            break
        if around.kind.data is not ForKind.THREAD:  # threads run each step together
            outside[around] = dim
    write = space.instance(store, outside)
    same = [
        *equal(space.element(load, read), space.element(store, write)),
        *space.same_buffer(load.buffer, read, write),
    ]
    at, by = read.loops[loop], write.loops[loop]
    crossed = [by.equals(at)] if is_before else []
    if last.is_before_in_block(top):
        crossed.append(by.equals(at - 1))
    if not crossed:
        return
    witness = space.find([read, write], [*same, any_of(crossed)])
    if witness is None:
        return
    name, reader, writer = buffer_name(load.buffer), _unit(load), _unit(store)
    who = f"block {writer.label}" if isinstance(writer, BlockOp) else f"loop {loop.label}"
    raise Obstacle(
        "KC3476",
        f"filling {overlap.alloc.label} one iteration early "
        + ("is not proven correct" if witness.undecided else "changes the result"),
        witness.undecided.reason
        if witness.undecided is not None
        else f"{who} writes {name}{write.at(witness)}, which the fill reads{read.at(witness)}",
        loop,
        {reader: f"reads {name}", writer: f"writes {name}"},
    )


def _is_opaque(op: Operation) -> bool:
    """True if ``op`` itself may have unknown effects."""
    is_understood = isinstance(op, LoadOp | StoreOp | AllocOp) or bool(op.regions)
    return not is_understood and loop_tree.has_effects(op)
