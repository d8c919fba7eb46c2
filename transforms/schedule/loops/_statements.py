"""Statements of a function outside all loops, and the operations that must move with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from kc.analysis import loop_tree
from kc.analysis.loop_tree import memory_scope, touches_memory
from kc.dialects.tir import AllocOp, BlockOp, ForKind, ForOp
from kc.transforms.schedule.base import Site


@dataclass(frozen=True)
class Statements:
    """Consecutive operations in the body of a function."""

    inside: tuple[Operation, ...]
    """The operations that become the body of a loop around the statements, in order."""
    before: tuple[Operation, ...]
    """The operations between the statements that stay before such a loop, because operations
    outside the loop use their results.
    """


def first_statements(site: Site) -> Statements:
    """The first statements of the function outside all loops, with the operations between them.

    The users of their values move with them, and so do the users of memory that is local to a
    thread or to a thread block. Refuses (KC3345) if no such statements exist, if the terminator of
    the function uses them, or if a bound, parallel or vectorized loop would move with them.
    """
    body = site.function.body.block
    ops = list(body.ops)
    first = next((n for n, op in enumerate(ops) if is_statement(op)), None)
    if first is None:
        raise site.refuse(
            "KC3345",
            "no statement is outside a loop",
            at=site.function,
            mark={},
            why="block=root puts a loop around the statements outside all loops",
            hints=["name the block or loop to surround: block=NAME or loop=NAME"],
        )
    first, last = _closed(ops, first, first)
    while (following := _next_statement(ops, last)) is not None:
        first, last = _closed(ops, first, following)
    chosen = ops[first : last + 1]
    for op in chosen:
        reason = _cannot_move(op)
        if reason is not None:
            raise site.refuse(
                "KC3345",
                "the statements outside all loops cannot be moved into a loop",
                at=op,
                why=reason,
                hints=["name the block or loop to surround: block=NAME or loop=NAME"],
            )
    inside = set(chosen)
    before: list[Operation] = []
    for op in chosen:
        if _stays_outside(op, inside):
            before.append(op)
            inside.discard(op)
    return Statements(tuple(op for op in chosen if op in inside), tuple(before))


def is_statement(op: Operation) -> bool:
    """True if an operation of a function's body uses memory and is not a loop."""
    if isinstance(op, ForOp | AllocOp) or op.has_trait(IsTerminator):
        return False
    return isinstance(op, BlockOp) or any(touches_memory(inner) for inner in op.walk())


def _next_statement(ops: Sequence[Operation], last: int) -> int | None:
    """The position of the next statement if only computations come before it; None otherwise."""
    for n in range(last + 1, len(ops)):
        if is_statement(ops[n]):
            return n
        if not (isinstance(ops[n], AllocOp) or is_side_effect_free(ops[n])):
            return None
    return None


def _closed(ops: Sequence[Operation], first: int, last: int) -> tuple[int, int]:
    """The smallest range that contains all operations that must be in the same loop as its
    members.
    """
    body = ops[0].parent
    assert body is not None
    places = {op: n for n, op in enumerate(ops)}
    while True:
        inside = set(ops[first : last + 1])
        reached = {places[op] for op in _bound_together(inside, body)} | {first, last}
        if min(reached) == first and max(reached) == last:
            return first, last
        first, last = min(reached), max(reached)


def _bound_together(inside: set[Operation], body: Block) -> Iterator[Operation]:
    """The users of values that statements compute, and all users of memory with a scope other than
    global.
    """
    for op in inside:
        if not _stays_outside(op, inside):
            for result in op.results:
                yield from _users(result, body)
        for inner in op.walk():
            for operand in inner.operands:
                if isinstance(operand.owner, AllocOp) and memory_scope(operand) != "global":
                    yield from _users(operand, body)


def _users(value: SSAValue, body: Block) -> Iterator[Operation]:
    for use in value.uses:
        ancestor = body.find_ancestor_op_in_block(use.operation)
        if ancestor is not None:
            yield ancestor


def _stays_outside(op: Operation, inside: set[Operation]) -> bool:
    """True if an operation can stay before a loop around ``inside``.

    Such operations are allocations, and computations on values that are available before the loop.
    """
    if isinstance(op, AllocOp):
        return memory_scope(op.buffer) == "global" and not _depends(op, inside)
    return not op.regions and is_side_effect_free(op) and not _depends(op, inside)


def _depends(op: Operation, inside: Iterable[Operation]) -> bool:
    """True if ``op`` uses a result of an operation that moves into the loop."""
    inside = inside if isinstance(inside, set) else set(inside)
    return any(
        isinstance(owner := operand.owner, Operation)
        and owner in inside
        and not _stays_outside(owner, inside)
        for operand in op.operands
    )


def _cannot_move(op: Operation) -> str | None:
    if op.has_trait(IsTerminator):
        return "the function returns one of their values"
    for loop in loop_tree.loops(op):
        if loop.axis is not None:
            return f"loop {loop.label}, which uses their results, is bound to {loop.axis}"
        if (
            loop is op
            and loop.kind.data is not ForKind.SERIAL
            and loop.kind.data is not ForKind.WHILE
        ):
            return f"loop {loop.label}, which uses their results, is {loop.kind.data.value}"
    return None
