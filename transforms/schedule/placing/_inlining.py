"""Copies of a block's body at another place, with affine expressions for its variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.dialects.affine_assembly import ZERO
from kc.dialects.direct_access import move_before
from kc.dialects.tir import ApplyOp, BlockOp, LoadOp, StoreOp
from kc.transforms.affine_rewrite import compact, replace_with_expr
from kc.transforms.schedule._blocks import Position


@dataclass(frozen=True)
class Argument:
    """The value of a variable of the block: an affine expression over ``operands``."""

    expr: AffineExpr
    operands: Sequence[SSAValue]


def arguments_of(places: Sequence[Position | None], access: LoadOp | StoreOp) -> list[Argument]:
    """The variables of a block for the element of ``access``; see ``positions``."""
    return arguments_at(
        [
            ZERO if place is None else AffineExpr.dimension(place.dim) - place.offset
            for place in places
        ],
        access,
    )


def arguments_at(variables: Sequence[AffineExpr], access: LoadOp | StoreOp) -> list[Argument]:
    """``variables``, which are over the indices of an element, for the element of ``access``."""
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
    """Copy the body of ``block`` before ``anchor``, without the operations in ``leave``.

    ``values`` maps values from outside the body to values at the anchor; the values of the body are
    added.
    """
    home = anchor.parent
    assert home is not None
    stand_ins = _stand_in(block, arguments, anchor, values)
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
    _replace(stand_ins)


def move_body(
    block: BlockOp,
    arguments: Sequence[Argument],
    anchor: Operation,
    values: dict[SSAValue, SSAValue],
    store: StoreOp,
) -> SSAValue:
    """Move the body of ``block`` before ``anchor``, and return the value of its erased ``store``.

    A fast form of :func:`insert_body` for a block that is erased afterwards. ``values`` maps values
    from outside the body to values at the anchor.
    """
    body = block.body.block
    renamed = {old: new for old, new in values.items() if old is not new}
    stand_ins = _stand_in(block, arguments, anchor, values)
    for arg in body.args:
        arg.replace_all_uses_with(values[arg])
    for op in body.ops if renamed else ():
        for inner in loop_tree.preorder(op):
            for number, operand in enumerate(inner.operands):
                if operand in renamed:
                    inner.operands[number] = renamed[operand]
    result = store.value
    store.detach()
    store.erase()
    move_before(body, anchor)
    _replace(stand_ins)
    return result


def _stand_in(
    block: BlockOp,
    arguments: Sequence[Argument],
    anchor: Operation,
    values: dict[SSAValue, SSAValue],
) -> list[tuple[ApplyOp, Argument]]:
    """Placeholder operations before ``anchor`` for the variables of ``block``."""
    home = anchor.parent
    assert home is not None
    stand_ins: list[tuple[ApplyOp, Argument]] = []
    for arg, argument in zip(block.body.block.args, arguments, strict=True):
        stand_in = ApplyOp(argument.expr, argument.operands)
        stand_in.location = anchor.location
        stand_in.result.name_hint = arg.name_hint
        home.insert_op_before(stand_in, anchor)
        stand_ins.append((stand_in, argument))
        values[arg] = stand_in.result
    return stand_ins


def _replace(stand_ins: Iterable[tuple[ApplyOp, Argument]]) -> None:
    """Replace placeholder operations by their expressions."""
    for stand_in, argument in stand_ins:
        replace_with_expr(
            stand_in.result, argument.expr, argument.operands, InsertPoint.after(stand_in)
        )
        stand_in.detach()
        stand_in.erase()


def combine_guards(inner: scf.IfOp) -> None:
    """Merge two nested branches that yield the same constant if their condition does not hold.

    Zeros around an image and zeros around a tile become one condition of a copy::

        scf.if %c { ...; scf.if %d { %x } else { %zero } } else { %zero }
        ...; scf.if %c and %d { %x } else { %zero }
    """
    outer = inner.parent_op()
    if not isinstance(outer, scf.IfOp) or inner.parent is not outer.true_region.block:
        return
    *before, last, yielded = outer.true_region.block.ops
    if last is not inner or list(yielded.operands) != list(inner.results):
        return
    constants = [_otherwise(branch) for branch in (outer, inner)]
    if None in constants or not all(map(_is_total, before)):
        return
    if len(set(map(str, constants))) > 1:  # 0.0 and -0.0 are equal, but not the same
        return
    home = outer.parent
    assert home is not None
    both = arith.AndIOp(outer.cond, inner.cond)
    both.location = inner.location
    for op in before:
        op.detach()
    home.insert_ops_before([*before, both], outer)
    outer.operands[0] = both.result
    branch = list(inner.true_region.block.ops)
    for op in branch:
        op.detach()
    for op in (yielded, inner):
        op.detach()
        op.erase()
    outer.true_region.block.add_ops(branch)


def _otherwise(branch: scf.IfOp) -> Attribute | None:
    """The constant of an ``else`` without other operations; None for any other ``else``."""
    if len(branch.results) != 1 or not branch.false_region.blocks:
        return None
    constant, *rest = branch.false_region.block.ops
    if not isinstance(constant, arith.ConstantOp) or len(rest) != 1:
        return None
    return constant.value if rest[0].operands[0] is constant.result else None


def _is_total(op: Operation) -> bool:
    """True if an operation may run even if a condition does not hold, such as an index or a
    comparison.
    """
    if isinstance(op, ApplyOp):
        return not any(
            isinstance(part, AffineBinaryOpExpr)
            and part.kind not in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul)
            and not isinstance(part.rhs, AffineConstantExpr)
            for expr in op.map.data.results
            for part in expr.dfs()
        )
    return isinstance(op, arith.ConstantOp | arith.CmpiOp | arith.AndIOp | arith.OrIOp)


def element_at(
    store: StoreOp, places: Sequence[Position | None], access: LoadOp | StoreOp
) -> tuple[AffineMap, list[SSAValue]] | None:
    """The position at which the block of ``store`` stores its value for the element of ``access``.

    A map over operands of ``access`` and values from outside the block; None if the position
    depends on anything except the variables of the block. See :func:`arguments_of`.
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
            argument = arguments[root.index]
            inner = [AffineExpr.dimension(len(operands) + n) for n in range(len(argument.operands))]
            dims.append(argument.expr.replace_dims_and_symbols(inner, []))
            operands += argument.operands
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
