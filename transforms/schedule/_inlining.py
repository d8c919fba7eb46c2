"""A block's body at another place, its variables being affine expressions there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import ApplyOp, BlockOp, LoadOp, StoreOp
from kc.transforms.affine_rewrite import replace_with_expr
from kc.transforms.schedule._blocks import Position


@dataclass(frozen=True)
class Argument:
    """What a variable of the block is: an affine expression over ``operands``."""

    expr: AffineExpr
    operands: Sequence[SSAValue]


def arguments_of(places: Sequence[Position | None], access: LoadOp | StoreOp) -> list[Argument]:
    """The variables of a block that defines the element ``access`` is about; see ``positions``."""
    exprs = access.indices.data.results
    return [
        Argument(ZERO, ())
        if one is None
        else Argument(exprs[one.dim] - one.offset, list(access.operands_of_map))
        for one in places
    ]


def insert_body(
    block: BlockOp,
    arguments: Sequence[Argument],
    anchor: Operation,
    values: dict[SSAValue, SSAValue],
    leave: Sequence[Operation],
) -> None:
    """Copy the body of ``block`` before ``anchor``, without the ops in ``leave``.

    ``values`` maps values from outside of the body, and then those of the body, to those here.
    """
    home = anchor.parent
    assert home is not None
    stand_ins: list[tuple[ApplyOp, Argument]] = []
    for arg, given in zip(block.body.block.args, arguments, strict=True):
        stand_in = ApplyOp(given.expr, given.operands)
        stand_in.location = anchor.location
        stand_in.result.name_hint = arg.name_hint
        home.insert_op_before(stand_in, anchor)
        stand_ins.append((stand_in, given))
        values[arg] = stand_in.result
    for op in block.body.block.ops:
        if op in leave:
            continue
        copy = op.clone(values)
        copy.location = op.location
        values.update(zip(op.results, copy.results, strict=True))
        home.insert_op_before(copy, anchor)
    for stand_in, given in stand_ins:
        replace_with_expr(stand_in.result, given.expr, given.operands, InsertPoint.after(stand_in))
        stand_in.detach()
        stand_in.erase()
