"""The reader of index values as terms, from which questions to isl are built."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineSet

from kc.analysis.affine.conditions import integer_value
from kc.analysis.affine.index_reader import IndexReader
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.terms import (
    Condition,
    Term,
    all_of,
    condition_of,
    extreme,
    number,
    quotient_towards_zero,
    term_of,
)
from kc.dialects.tir import ExtremeKind


class TermReader(IndexReader[Term]):
    """Reads index values as terms.

    ``values`` maps the values read so far to their terms. ``leaf`` returns the term of a value that
    no folded operation computes, and ``opaque`` a term without known properties.
    """

    def __init__(
        self,
        values: dict[SSAValue, Term],
        leaf: Callable[[SSAValue], Term],
        opaque: Callable[[str], Term],
    ) -> None:
        self.values = values
        self._leaf = leaf
        self._opaque = opaque

    def read(self, value: SSAValue) -> Term:
        term = self.values.get(value)
        if term is None:
            term = self.computed(value)
            if term is None:
                term = self._leaf(value)
            self.values[value] = term
        return term

    def expr(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> Term:
        """An affine expression over ``operands`` as a term."""
        return term_of(expr, lambda n: self.read(operands[n]), self._not_affine)

    def condition(self, condition: AffineSet, operands: Sequence[SSAValue]) -> Condition:
        """The condition that the constraints of ``condition`` hold for the values ``operands``."""
        return all_of(
            condition_of(constraint, lambda n: self.read(operands[n]), self._not_affine)
            for constraint in condition.constraints
        )

    def _not_affine(self) -> Term:
        return self._opaque("an index is not affine")

    def _applied(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> Term:
        return self.expr(expr, operands)

    def _number(self, value: int) -> Term:
        return number(value)

    def _known(self, form: Term) -> int | None:
        return form.value

    def _extreme(self, kind: ExtremeKind, lhs: Term, rhs: Term) -> Term:
        return extreme(kind, lhs, rhs)

    def _towards_zero(self, value: SSAValue, divisor: int) -> Term:
        index = IndexValues()
        natural = index.is_natural(index.expr(value))
        return quotient_towards_zero(self.read(value), divisor, natural=natural)

    def _cast(self, op: arith.IndexCastOp) -> Term | None:
        index = IndexValues()
        expr = integer_value(op.input, index)
        if expr is None:
            return None
        return self.expr(expr, [root for root in index.roots if root is not None])
