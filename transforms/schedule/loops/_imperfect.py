"""Conversion of imperfect nests: statements beside a loop move into its first or last iteration.

The nest changes as a whole after all checks, in the order of its loops. A rewrite pattern sees one
operation at a time, and could move only a part of the statements.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.affine.terms import number
from kc.analysis.captures import captured_values
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import AllocOp, BlockOp, ForKind, ForOp, IfOp, LoadOp
from kc.transforms.affine_rewrite import add_predicate
from kc.transforms.schedule._blocks import describe


def why_it_stays(chain: Sequence[ForOp]) -> str | None:
    """The reason why the statements beside ``chain[1]`` cannot move into it and the inner loops;
    None if they can.
    """
    outer, nested = chain[0], chain[1]
    if nested.parent is not outer.body.block:
        return f"{nested.label} is in a branch of {outer.label}, which would guard a part of it"
    siblings = [op for op in outer.body.block.ops if op is not nested and not is_index(op, chain)]
    if not siblings:
        return None
    first = siblings[0]
    for inner in chain[1:]:
        if inner.kind.data is not ForKind.SERIAL:
            return (
                f"{describe(first)} would move into one iteration of {inner.label}, which is "
                f"{inner.kind_text}"
            )
        if not _has_iterations(inner):
            return (
                f"{describe(first)} would move into an iteration of {inner.label}, which may have "
                f"none: its extent is {loop_tree.extent_text(inner.extent_value)}"
            )
    for op in siblings:
        if isinstance(op, AllocOp):
            return f"alloc {op.label} would belong to one iteration of {nested.label}"
    pending = [*nested.operands, *captured_values(nested)]
    while pending:
        definition = pending.pop().owner
        if definition in siblings:
            assert isinstance(definition, Operation)
            return f"{nested.label} uses a result of {describe(definition)} in every iteration"
        if isinstance(definition, Operation) and definition.parent is outer.body.block:
            pending += definition.operands
    return None


def _has_iterations(loop: ForOp) -> bool:
    """True if ``loop`` provably has at least one iteration."""
    if loop.static_extent is not None:
        return loop.static_extent > 0
    space = Space()
    outer = loop.parent_op()
    assert outer is not None
    place = space.place(outer, for_inits=True)
    assert loop.dynamic_extent is not None
    size = space.value(loop.dynamic_extent, place)
    return space.find([place], [size < number(1)]) is None


def is_index(op: Operation, chain: Sequence[ForOp]) -> bool:
    """True if ``op``, in a loop of ``chain``, may be moved to any place in the nest where its
    operands are available.

    Such operations are arithmetic, and loads of loop extents from memory that the loops around them
    do not write. A load does not leave a loop that may have no iteration, because the loaded
    element may not exist.
    """
    if not loop_tree.has_work(op):
        return True
    home = op.parent_op()
    if not isinstance(op, LoadOp) or not loop_tree.is_size(op) or home not in chain:
        return False
    if _is_written(op, loop_tree.loops_around(op)[0]):
        return False
    return all(
        loop.static_extent or not loop_tree.derived_values(loop.var).isdisjoint(op.operands)
        for loop in chain[: chain.index(home) + 1]
    )


def is_perfect(chain: Sequence[ForOp]) -> bool:
    """True if each loop has the next loop as its only child, apart from operations of
    :func:`is_index`.
    """
    return all(
        [op for op in outer.body.block.ops if not is_index(op, chain)] == [nested]
        for outer, nested in zip(chain, chain[1:], strict=False)
    )


def _is_written(load: LoadOp, loop: ForOp) -> bool:
    """True if an operation in ``loop`` other than a load uses the buffer of ``load``, or if the
    buffer is defined in ``loop``.
    """
    return loop_tree.defined_inside(load.buffer, loop) or any(
        loop_tree.is_inside(use.operation, loop) and not isinstance(use.operation, LoadOp)
        for use in load.buffer.uses
    )


def sink_siblings(chain: Sequence[ForOp]) -> None:
    """Move the statements beside each loop of ``chain`` into the loop under a guard, which makes
    the nest perfect.
    """
    for outer, nested in zip(chain, chain[1:], strict=False):
        ops = [op for op in outer.body.block.ops if not _is_size(op, chain)]
        at = ops.index(nested)
        first = InsertPoint.at_start(nested.body.block)
        for group, is_before in ((ops[:at], True), (ops[at + 1 :], False)):
            # Arithmetic before the loop stays: the loop and the moved statements may use it.
            moved = [op for op in group if not is_before or loop_tree.has_work(op) or _is_last(op)]
            if not any(loop_tree.has_work(op) for op in moved):
                continue
            _sink(moved, nested, first if is_before else InsertPoint.at_end(nested.body.block))


def _is_size(op: Operation, chain: Sequence[ForOp]) -> bool:
    """True if ``op`` is a load that may stay in place."""
    return loop_tree.has_work(op) and is_index(op, chain)


def _is_last(op: Operation) -> bool:
    """True if ``op`` depends on a result of an operation with work, such as arithmetic on a
    load.
    """
    pending = list(op.operands)
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and owner.parent is op.parent:
            if loop_tree.has_work(owner):
                return True
            pending += owner.operands
    return False


def _sink(ops: Sequence[Operation], loop: ForOp, point: InsertPoint) -> None:
    """Move ``ops`` to ``point`` in ``loop``, so that they run in its first or last iteration."""
    at_start = point.insert_before is not None
    values: list[SSAValue] = [loop.var]
    position: AffineExpr = ZERO
    if not at_start:
        extent = loop.extent_value
        if isinstance(extent, int):
            position = AffineExpr.constant(extent - 1)
        else:
            values.append(extent)
            position = AffineExpr.dimension(1) - 1
    once = AffineConstraintExpr(
        AffineConstraintKind.eq, AffineExpr.dimension(0) - position, ZERO, canonicalize=False
    )
    for op in ops:
        op.detach()
    work = [op for op in ops if loop_tree.has_work(op)]
    if all(isinstance(op, BlockOp) for op in work):
        for op in ops:
            Rewriter.insert_op(op, point)
            if isinstance(op, BlockOp):
                add_predicate(op, once, values)
        return
    guard = IfOp(AffineSet(len(values), 0, (once,)), values, Region(Block(ops)))
    guard.location = work[0].location
    Rewriter.insert_op(guard, point)
