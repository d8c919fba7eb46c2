"""Affine maps and sets over operands, in terms of what the operands are computed from."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap, AffineSet

from kc.analysis.affine.index_values import IndexValues

_Weight = tuple[int, int, int]


def simpler_map(
    space: AffineMap, operands: Sequence[SSAValue], index: IndexValues | None = None
) -> tuple[AffineMap, list[SSAValue]] | None:
    """``space`` over what ``operands`` are computed from, simplified; None if it is so already.

    ``index`` may know the ranges of operands beforehand.
    """
    index = index or IndexValues()
    weight = _weight(space.results, operands, index)
    simple, values = index.to_map([index.compose(expr, operands) for expr in space.results])
    return (simple, values) if _weight(simple.results, values, index) < weight else None


def simpler_set(
    space: AffineSet, operands: Sequence[SSAValue], index: IndexValues | None = None
) -> tuple[AffineSet, list[SSAValue]] | bool | None:
    """``space`` over what ``operands`` are computed from, without the conditions that always hold.

    True or False where that is its value; None if it is simple already.
    """
    index = index or IndexValues()
    conditions = index.conditions(space, operands)
    if not conditions:
        return conditions is not None
    weight = _weight([constraint.lhs for constraint in space.constraints], operands, index)
    simple, values = index.to_set(conditions)
    is_simpler = (
        _weight([constraint.lhs for constraint in simple.constraints], values, index) < weight
    )
    return (simple, values) if is_simpler else None


def _weight(
    exprs: Sequence[AffineExpr], operands: Sequence[SSAValue], index: IndexValues
) -> _Weight:
    """The cost that a rewrite reduces: operands to see through, operands, operations."""
    return (
        sum(not is_root(operand, index) for operand in operands),
        len(operands),
        sum(1 for expr in exprs for _ in expr.dfs()),
    )


def is_root(value: SSAValue, index: IndexValues) -> bool:
    """True if an index is a root: an index with no known expression in terms of other indices."""
    expr = index.expr(value)
    return isinstance(expr, AffineDimExpr) and index.roots[expr.position] is value
