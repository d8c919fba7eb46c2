"""Facts about loop variables implied by facts about index expressions.

If ``f floordiv 4`` and ``f mod 4`` are known, so is ``f``. If ``k_o * 4 + k_i`` is 0 and both terms
are at least 0, both are 0. These rules recover variables behind splits and fusions, also symbolic
ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineDimExpr,
    AffineExpr,
)

from kc.analysis.affine.index_values import IndexValues, dimensions
from kc.dialects.affine_assembly import at_least_zero, linear_terms
from kc.dialects.tir import DelinearizeOp, ForOp, LinearizeOp


def forced_to_zero(exprs: Iterable[AffineExpr], index: IndexValues) -> set[SSAValue]:
    """Root values that are 0 whenever all of ``exprs`` (over the roots) are 0."""

    def parts(expr: AffineExpr) -> list[AffineExpr]:
        terms, constant = linear_terms(expr)
        same_sign = all(factor > 0 for factor in terms.values()) or all(
            factor < 0 for factor in terms.values()
        )
        natural = all(index.is_natural(atom) for atom in terms)
        return list(terms) if constant == 0 and same_sign and natural else []

    return _consequences(exprs, index, parts)


def determined(exprs: Iterable[AffineExpr], index: IndexValues) -> set[SSAValue]:
    """Root values that are functions of the values of ``exprs`` (over the roots)."""

    def parts(expr: AffineExpr) -> list[AffineExpr]:
        # A mixed-radix number: each digit counts more than all smaller digits together.
        terms, _ = linear_terms(expr)
        span = 0
        for atom, factor in sorted(terms.items(), key=lambda term: abs(term[1])):
            if span is None or abs(factor) <= span:
                return []
            low, high = index.bounds(atom)
            width = None if low is None or high is None else abs(factor) * (high - low)
            span = None if width is None else span + width
        return list(terms)

    return _consequences(exprs, index, parts)


def in_range(exprs: Iterable[AffineExpr], index: IndexValues) -> list[AffineConstraintExpr]:
    """Conditions under which ``exprs`` (over the roots) are not poison, without conditions that are
    proven to hold.

    The result of ``tir.linearize`` is poison if a part is not less than its size. Loops whose
    extents do not divide reach such iterations; their bodies are guarded.
    """
    conditions: dict[AffineConstraintExpr, None] = {}
    pending = [index.roots[dim] for expr in exprs for dim in dimensions(expr)]
    seen: set[SSAValue] = set()
    while pending:
        value = pending.pop()
        if value is None or value in seen or not isinstance(value.owner, LinearizeOp):
            continue
        seen.add(value)
        for part, size in zip(value.owner.indices, value.owner.sizes, strict=True):
            expr = index.expr(part)
            pending += [index.roots[dim] for dim in dimensions(expr)]
            rest = index.simplify(index.expr(size) - expr - 1)
            if not _counts_to(part, size) and not index.is_natural(rest):
                conditions[at_least_zero(rest)] = None
    return list(conditions)


def _counts_to(value: SSAValue, size: SSAValue) -> bool:
    """True if ``value`` is the variable of a loop of ``size`` iterations."""
    loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return isinstance(loop, ForOp) and loop.dynamic_extent is size


def _consequences(
    exprs: Iterable[AffineExpr],
    index: IndexValues,
    parts: Callable[[AffineExpr], list[AffineExpr]],
) -> set[SSAValue]:
    """The roots implied by ``exprs``; ``parts`` gives the expressions implied by a sum.

    Works for any property that passes from a quotient and a remainder to the dividend, and from the
    results of a linearization or delinearization to its operands.
    """
    seen: set[AffineExpr] = set()
    values: set[SSAValue] = set()
    work = list(exprs)
    while work:
        expr = work.pop()
        if expr in seen or isinstance(expr, AffineConstantExpr):
            continue
        seen.add(expr)
        if isinstance(expr, AffineDimExpr):
            value = index.roots[expr.position]
            if value is not None:
                values.add(value)
                work += _operands(value, values, index)
        else:
            work += [atom for atom in parts(expr) if atom not in seen]
        # A remainder and its quotient may become known in either order.
        for part in list(seen):
            if isinstance(part, AffineBinaryOpExpr) and part.kind is AffineBinaryOpKind.Mod:
                if part.lhs not in seen and index.simplify(part.lhs // part.rhs) in seen:
                    work.append(part.lhs)
    return values


def _operands(value: SSAValue, fixed: set[SSAValue], index: IndexValues) -> list[AffineExpr]:
    owner = value.owner
    if isinstance(owner, LinearizeOp):
        return [index.expr(operand) for operand in owner.indices]
    if isinstance(owner, DelinearizeOp):
        # Results that are constant (a size of 1) are no roots.
        if all(
            operand in fixed or isinstance(index.expr(operand), AffineConstantExpr)
            for operand in owner.indices
        ):
            return [index.expr(owner.index)]
    return []
