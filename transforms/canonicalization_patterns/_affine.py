"""Simplification of affine maps and sets in terms of the values from which their operands are
computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap, AffineSet

from kc.analysis.affine.index_values import IndexValues

_Weight = tuple[int, int, int]


def simpler_map(
    space: AffineMap, operands: Sequence[SSAValue], index: IndexValues | None = None
) -> tuple[AffineMap, list[SSAValue]] | None:
    """``space`` over the values from which ``operands`` are computed, simplified; None if it is
    already in this form. ``index`` may hold known ranges of operands.
    """
    index = index or IndexValues()
    weight = _weight(space.results, operands, index)
    simple, values = index.to_map([index.compose(expr, operands) for expr in space.results])
    return (simple, values) if _weight(simple.results, values, index) < weight else None


def simpler_set(
    space: AffineSet, operands: Sequence[SSAValue], index: IndexValues | None = None
) -> tuple[AffineSet, list[SSAValue]] | bool | None:
    """``space`` over the values from which ``operands`` are computed, without the conditions that
    always hold. True or False if the set has this value everywhere; None if it is already simple.
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
    """The cost that a rewrite reduces: computed operands that composition would remove, operands,
    operations.
    """
    return (
        sum(not is_root(operand, index) for operand in operands),
        len(operands),
        sum(1 for expr in exprs for _ in expr.dfs()),
    )


def is_root(value: SSAValue, index: IndexValues) -> bool:
    """True if an index is a root: it has no known expression in terms of other indices."""
    expr = index.expr(value)
    return isinstance(expr, AffineDimExpr) and index.roots[expr.position] is value
