"""Canonicalization of ``arith`` on indices, beyond what xDSL has."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.affine.extremes import outermost
from kc.analysis.affine.index_reader import extreme_of
from kc.analysis.affine.index_values import IndexValues
from kc.dialects.tir import INDEX


class ShortenExtremes(RewritePattern):
    """Remove an operand of a chain of minima, or of maxima, that is never the smallest, or the
    largest.

    ::

        tir.for %i in 8 {
          %a = arith.minsi %n, %c8 : index
          %b = arith.minsi %a, %i : index    ->    %b = arith.minsi %n, %i : index
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: arith.MinSIOp | arith.MaxSIOp, rewriter: PatternRewriter, /
    ) -> None:
        if op.result.type != INDEX:
            return
        terms = _terms(op)
        index = IndexValues()
        # Two values with the same expression are equal, so an expression identifies the value to
        # use.
        values = {index.expr(term): term for term in reversed(terms)}
        exprs = outermost(extreme_of(op), [index.expr(term) for term in terms], index)
        in_order = [values[expr] for expr in exprs]
        if len(in_order) == len(terms):
            return
        value, *remaining = in_order
        chain: list[arith.MinSIOp | arith.MaxSIOp] = []
        for term in remaining:
            chain.append(type(op)(value, term))
            value = chain[-1].result
        rewriter.replace(op, chain, [value])


def _terms(op: arith.MinSIOp | arith.MaxSIOp) -> list[SSAValue]:
    """The operands of a chain of operations like ``op``, of which the chain computes the minimum or
    maximum.
    """
    terms: list[SSAValue] = []
    pending = [op.rhs, op.lhs]
    while pending:
        value = pending.pop()
        if isinstance(owner := value.owner, type(op)):
            pending += [owner.rhs, owner.lhs]
        else:
            terms.append(value)
    return terms


PATTERNS: tuple[RewritePattern, ...] = (ShortenExtremes(),)
"""The patterns, in the order in which they are tried."""
