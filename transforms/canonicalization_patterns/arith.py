"""Canonicalization of ``arith`` on indices, beyond what xDSL has."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.index_values import IndexValues
from kc.dialects.tir import INDEX


class ShortenExtremes(RewritePattern):
    """In a chain of minima, or of maxima, what is never the smallest, or largest, is left out.

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
        kept: list[SSAValue] = []
        for n, term in enumerate(terms):
            rest = (*kept, *terms[n + 1 :])
            if not any(_is_beyond(op, rival, term, index) for rival in rest):
                kept.append(term)
        if len(kept) == len(terms):
            return
        value, *remaining = kept
        chain: list[arith.MinSIOp | arith.MaxSIOp] = []
        for term in remaining:
            chain.append(type(op)(value, term))
            value = chain[-1].result
        rewriter.replace(op, chain, [value])


def _terms(op: arith.MinSIOp | arith.MaxSIOp) -> list[SSAValue]:
    """The values that a chain of operations like ``op`` is the smallest, or largest, of."""
    terms: list[SSAValue] = []
    pending = [op.rhs, op.lhs]
    while pending:
        value = pending.pop()
        if isinstance(owner := value.owner, type(op)):
            pending += [owner.rhs, owner.lhs]
        else:
            terms.append(value)
    return terms


def _is_beyond(
    op: arith.MinSIOp | arith.MaxSIOp, value: SSAValue, term: SSAValue, index: IndexValues
) -> bool:
    """Whether ``op`` of ``value`` and ``term`` is always ``value``."""
    difference = index.simplify(index.expr(term) - index.expr(value))
    if isinstance(op, arith.MaxSIOp):
        difference = index.simplify(difference * -1)
    return index.is_natural(difference)


PATTERNS: tuple[RewritePattern, ...] = (ShortenExtremes(),)
"""In the order in which they are tried."""
