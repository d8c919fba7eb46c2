"""What is known where an op stands: conditions that always hold there need not be asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineSet

from kc.analysis import loop_tree
from kc.analysis.instances import Instance, Space
from kc.dialects.tir import BlockOp, IfOp, IterType
from kc.transforms.affine_rewrite import compact, set_block_spaces


def simplify_below(root: Operation, values: Iterable[SSAValue]) -> None:
    """Simplify what ``root`` holds by the ranges of the loops, as far as it depends on ``values``.

    Predicates lose what always holds, reductions an init that never runs, ``tir.if`` that always or
    never hold are replaced by what is in them.
    """
    known = {one for value in values for one in loop_tree.derived_values(value)}
    for op in list(root.walk()):
        if op.parent is None:
            continue  # of a branch that was erased
        if isinstance(op, BlockOp) and not known.isdisjoint(op.operands):
            drop_known_conditions(op)
            if op.has_init and _never_starts(op):
                op.init.detach_block(0).erase()
        elif isinstance(op, IfOp) and not known.isdisjoint(op.operands_of_set):
            _replace_if_known(op)


def drop_known_conditions(block: BlockOp) -> None:
    """Drop the parts of a block's predicate that the loops around it imply."""
    operands = list(block.predicate_operands)
    constraints = block.predicate.data.constraints
    kept = _unknown(block, constraints, operands)
    if len(kept) < len(constraints):
        rest = AffineSet(len(operands), 0, tuple(kept))
        set_block_spaces(block, predicate=compact(rest, operands))


def _unknown(
    op: Operation, constraints: Sequence[AffineConstraintExpr], operands: Sequence[SSAValue]
) -> list[AffineConstraintExpr]:
    """Those of ``constraints`` that may not hold at ``op``."""
    space = Space()
    place = space.place(op)
    texts = [_text(space, one, operands, place) for one in constraints]
    return [
        one
        for one, text in zip(constraints, texts, strict=True)
        if space.find([place], [f"not ({text})"]) is not None
    ]


def _text(
    space: Space, one: AffineConstraintExpr, operands: Sequence[SSAValue], place: Instance
) -> str:
    return space.condition(AffineSet(len(operands), 0, (one,)), operands, place)


def _never_starts(block: BlockOp) -> bool:
    """Whether no instance of ``block`` has all reduce variables at 0."""
    space = Space()
    made = space.instance(block)
    zeros = [
        f"{made.values[arg]} = 0"
        for arg, kind in zip(block.body.block.args, block.types, strict=True)
        if kind is IterType.REDUCE
    ]
    return space.find([made], zeros) is None


def _replace_if_known(op: IfOp) -> None:
    space = Space()
    place = space.place(op)
    text = space.condition(op.condition.data, op.operands_of_set, place)
    if space.find([place], [f"not ({text})"]) is None:
        taken: Region = op.then
    elif space.find([place], [text]) is None:
        taken = op.orelse
    else:
        return
    home = op.parent
    assert home is not None
    for body in taken.blocks:
        for inner in list(body.ops):
            inner.detach()
            home.insert_op_before(inner, op)
    op.detach()
    op.erase(safe_erase=False)
