"""Minima and maxima of affine expressions, without operands that never decide the result."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import AffineExpr

from kc.analysis.affine.index_values import IndexValues
from kc.dialects.tir import ExtremeKind


def at_least(larger: AffineExpr, smaller: AffineExpr, index: IndexValues) -> bool:
    """True if ``larger`` is proven to be at least ``smaller``, both over the roots of ``index``."""
    return index.is_natural(index.simplify(larger - smaller))


def outermost(
    kind: ExtremeKind, exprs: Sequence[AffineExpr], index: IndexValues
) -> list[AffineExpr]:
    """The expressions of ``exprs`` that may be the minimum or maximum (``kind``)."""
    outer: list[AffineExpr] = []
    for n, expr in enumerate(exprs):
        rivals = (*outer, *exprs[n + 1 :])
        if not any(_is_beyond(kind, rival, expr, index) for rival in rivals):
            outer.append(expr)
    return outer


def outermost_groups(
    kind: ExtremeKind, groups: Sequence[Sequence[AffineExpr]], index: IndexValues
) -> list[list[AffineExpr]]:
    """The groups of ``groups`` that may be the minimum or maximum (``kind``).

    The value of a group is the opposite extreme of its expressions. Expressions that never decide
    this value are dropped.
    """
    opposite = "max" if kind == "min" else "min"
    short = [outermost(opposite, group, index) for group in groups]
    outer: list[list[AffineExpr]] = []
    for n, group in enumerate(short):
        rivals = (*outer, *short[n + 1 :])
        # max(min(a, b), min(c, d)): the second minimum never decides the maximum if a and b are
        # each at least c or d.
        if not any(
            all(any(_is_beyond(kind, a, b, index) for b in group) for a in rival)
            for rival in rivals
        ):
            outer.append(group)
    return outer


def _is_beyond(kind: ExtremeKind, value: AffineExpr, term: AffineExpr, index: IndexValues) -> bool:
    """True if the extreme of ``value`` and ``term`` always equals ``value``."""
    return at_least(term, value, index) if kind == "min" else at_least(value, term, index)
