"""A block's body at another place, its variables being affine expressions there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from kc.analysis import loop_tree
from kc.analysis.index_values import IndexValues
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import ApplyOp, BlockOp, LoadOp, StoreOp
from kc.transforms.affine_rewrite import compact, replace_with_expr
from kc.transforms.schedule._blocks import Position


@dataclass(frozen=True)
class Argument:
    """The value of a variable of the block: an affine expression over ``operands``."""

    expr: AffineExpr
    operands: Sequence[SSAValue]


def arguments_of(places: Sequence[Position | None], access: LoadOp | StoreOp) -> list[Argument]:
    """The variables of a block that defines the element ``access`` is about; see ``positions``."""
    return arguments_at(
        [
            ZERO if place is None else AffineExpr.dimension(place.dim) - place.offset
            for place in places
        ],
        access,
    )


def arguments_at(variables: Sequence[AffineExpr], access: LoadOp | StoreOp) -> list[Argument]:
    """``variables``, over the indices of an element, of the element that ``access`` is about."""
    exprs = access.indices.data.results
    return [
        Argument(expr.replace_dims_and_symbols(exprs, ()), list(access.operands_of_map))
        for expr in variables
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
    instead = {op: values[result] for op in leave for result in op.results}
    for op in block.body.block.ops:
        if op in leave:
            continue
        copy = op.clone(values)
        pairs = list(zip(op.walk(), copy.walk(), strict=True))
        for old, new in pairs:
            new.location = old.location
            if old in leave:  # in a branch
                new.results[0].replace_all_uses_with(instead[old])
                new.detach()
                new.erase()
        values.update(zip(op.results, copy.results, strict=True))
        home.insert_op_before(copy, anchor)
    for stand_in, given in stand_ins:
        replace_with_expr(stand_in.result, given.expr, given.operands, InsertPoint.after(stand_in))
        stand_in.detach()
        stand_in.erase()


def element_at(
    store: StoreOp, places: Sequence[Position | None], access: LoadOp | StoreOp
) -> tuple[AffineMap, list[SSAValue]] | None:
    """Where the block of ``store`` stores what it computes for the element of ``access``.

    A map over operands of ``access`` and values from outside of the block; None if the place
    depends on anything else than the variables of the block. See :func:`arguments_of`.
    """
    body = store.parent
    assert body is not None
    index = IndexValues()
    exprs = [index.compose(expr, store.operands_of_map) for expr in store.indices.data.results]
    arguments = arguments_of(places, access)
    operands: list[SSAValue] = []
    dims: list[AffineExpr] = []
    for root in index.roots:
        if isinstance(root, BlockArgument) and root.block is body:
            given = arguments[root.index]
            inner = [AffineExpr.dimension(len(operands) + n) for n in range(len(given.operands))]
            dims.append(given.expr.replace_dims_and_symbols(inner, []))
            operands += given.operands
            continue
        block = body.parent_op()
        if root is None or block is None or loop_tree.defined_inside(root, block):
            return None
        dims.append(AffineExpr.dimension(len(operands)))
        operands.append(root)
    moved = tuple(expr.replace_dims_and_symbols(dims, []) for expr in exprs)
    map_, used = compact(AffineMap(len(operands), 0, moved), operands)
    assert isinstance(map_, AffineMap)
    return map_, used
