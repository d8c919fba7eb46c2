"""Statements of a function that stand in no loop, and what has to stay together with them."""

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
    """Operations that follow one another in the body of a function."""

    inside: tuple[Operation, ...]
    """What a loop around them has in it, in order."""
    before: tuple[Operation, ...]
    """Those between them that stay in front of such a loop: others use what they make."""


def first_statements(site: Site) -> Statements:
    """The first statements of the function that stand in no loop, and what is between them.

    With them goes what uses their values, and what uses memory that only a thread or a block of
    threads would have. Refuses (KC3345) if there are none, if they are a part of what ends the
    function, or if a loop that is bound, parallel or vectorized would go with them.
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
            why="with the root, it goes around the statements that are in no loop",
            hints=["name what it should go around: block=NAME or loop=NAME"],
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
                "the statements that are outside a loop cannot be put into one",
                at=op,
                why=reason,
                hints=["name what it should go around: block=NAME or loop=NAME"],
            )
    inside = set(chosen)
    before: list[Operation] = []
    for op in chosen:
        if _stays_outside(op, inside):
            before.append(op)
            inside.discard(op)
    return Statements(tuple(op for op in chosen if op in inside), tuple(before))


def is_statement(op: Operation) -> bool:
    """Whether an operation of a function's body uses memory, and is no loop."""
    if isinstance(op, ForOp | AllocOp) or op.has_trait(IsTerminator):
        return False
    return isinstance(op, BlockOp) or any(touches_memory(inner) for inner in op.walk())


def _next_statement(ops: Sequence[Operation], last: int) -> int | None:
    """The place of a statement that follows, with nothing but computations in between."""
    for n in range(last + 1, len(ops)):
        if is_statement(ops[n]):
            return n
        if not (isinstance(ops[n], AllocOp) or is_side_effect_free(ops[n])):
            return None
    return None


def _closed(ops: Sequence[Operation], first: int, last: int) -> tuple[int, int]:
    """The least range with everything that has to be in one loop with what is in it."""
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
    """What uses values that statements compute, and all uses of memory that is not global."""
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
    """Whether an operation can stand in front of a loop around the others: it allocates, or
    computes something of what is computed in front of it as well."""
    if isinstance(op, AllocOp):
        return memory_scope(op.buffer) == "global" and not _depends(op, inside)
    return not op.regions and is_side_effect_free(op) and not _depends(op, inside)


def _depends(op: Operation, inside: Iterable[Operation]) -> bool:
    """Whether it uses what an operation computes that goes into the loop."""
    inside = inside if isinstance(inside, set) else set(inside)
    return any(
        isinstance(owner := operand.owner, Operation)
        and owner in inside
        and not _stays_outside(owner, inside)
        for operand in op.operands
    )


def _cannot_move(op: Operation) -> str | None:
    if op.has_trait(IsTerminator):
        return "one of their values is what the function returns"
    for loop in loop_tree.loops(op):
        if loop.axis is not None:
            return f"loop {loop.label}, which uses what they compute, is bound to {loop.axis}"
        if (
            loop is op
            and loop.kind.data is not ForKind.SERIAL
            and loop.kind.data is not ForKind.WHILE
        ):
            return f"loop {loop.label}, which uses what they compute, is {loop.kind.data.value}"
    return None
