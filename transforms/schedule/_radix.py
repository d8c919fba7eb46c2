"""The values of a block's variables for an accessed part of a buffer, through reshapes.

An index ``i * 8 + j``, with ``j < 8``, is a number of two digits, and ``f floordiv 8`` and ``f mod
8`` are the digits of ``f``. A range of a number bounds its digits, and ranges of all digits bound
the number. The ranges are propagated in both directions until they reach the variables.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from kc.analysis.accesses.regions import WHOLE, BoundIndexValues, Interval
from kc.analysis.affine.index_values import IndexValues
from kc.dialects.affine_assembly import ZERO, linear_terms
from kc.dialects.tir import BlockOp, LoadOp, StoreOp


def variables_in(
    block: BlockOp, access: LoadOp | StoreOp, region: Sequence[Interval], index: IndexValues
) -> list[Interval]:
    """The values of the variables of ``block`` for which ``access``, in its body, is in ``region``.

    The result is a box over the roots of ``index``, like ``region``; ``WHOLE`` for a variable
    without a bound.
    """
    reader = _Reader(index, block)
    for expr, part in zip(access.indices.data.results, region, strict=True):
        if part.size is not None:
            reader.learn(reader.own.compose(expr, access.operands_of_map), part)
    reader.read()
    return [reader.intervals.get(reader.own.expr(arg), WHOLE) for arg in block.body.block.args]


class _Reader:
    def __init__(self, index: IndexValues, block: BlockOp) -> None:
        self.own = BoundIndexValues(level=block.body.block)
        """The index values of the block; the keys of ``intervals`` are over its roots, the values
        are over the roots of ``index``.
        """
        self.index = index
        self.intervals: dict[AffineExpr, Interval] = {}
        self.work: list[AffineExpr] = []

    def learn(self, expr: AffineExpr, part: Interval) -> None:
        """Record that ``expr`` lies in ``part``."""
        if expr not in self.intervals:
            self.intervals[expr] = part
            self.work.append(expr)

    def read(self) -> None:
        """Propagate all ranges."""
        while self.work:
            while self.work:
                self._read_digits(self.work.pop())
            self._read_numbers()
            if not self.work:
                self._read_quotients()

    def _read_digits(self, expr: AffineExpr) -> None:
        """Derive the ranges of the digits of a number."""
        part = self.intervals[expr]
        terms, constant = linear_terms(expr)
        digits = sorted(terms.items(), key=lambda term: term[1])
        if isinstance(expr, AffineDimExpr) or not self._are_digits(digits):
            return
        base = self.index.simplify(part.base - constant)
        for n, (atom, worth) in enumerate(digits):
            next_worth = digits[n + 1][1] if n + 1 < len(digits) else None
            digit = self._digit(Interval(base, part.size), worth, next_worth)
            if digit.size is not None:
                self.learn(atom, digit)

    def _are_digits(self, digits: Sequence[tuple[AffineExpr, int]]) -> bool:
        """True if the weight of each digit is a multiple of the previous weight, and exceeds the
        sum of all smaller digits.
        """
        span, last = 0, 1
        for atom, worth in digits:
            low, high = self.own.bounds(atom)
            if span is None or worth <= span or worth % last or low is None or low < 0:
                return False
            span, last = None if high is None else span + worth * high, worth
        return True

    def _digit(self, number: Interval, worth: int, next_worth: int | None) -> Interval:
        """The range of the digit with the weight ``worth`` in a range of numbers."""
        assert number.size is not None
        simplify = self.index.simplify
        if number.size == 1 or self._divides(number.size, number.base, worth):
            count = 1  # all numbers lie between two multiples of the weight
        elif simplify(number.base % worth) == ZERO:
            count = -(-number.size // worth)
        else:
            count = (number.size + worth - 2) // worth + 1
        first = simplify(number.base // worth)
        if next_worth is None:
            return Interval(first, count)
        radix = next_worth // worth
        if count == 1 or (count < radix and self._divides(count, first, radix)):
            return Interval(simplify(first % radix), count)
        return WHOLE

    def _divides(self, size: int, base: AffineExpr, whole: int) -> bool:
        """True if ``whole`` is a multiple of ``size``, and ``base`` is aligned to ``size``."""
        return whole % size == 0 and self.index.simplify(base % size) == ZERO

    def _read_numbers(self) -> None:
        """Derive the ranges of numbers whose quotient and remainder have known ranges."""
        for expr, low in list(self.intervals.items()):
            if (by := _divisor(expr, AffineBinaryOpKind.Mod)) is not None:
                assert isinstance(expr, AffineBinaryOpExpr)
                quotient = self.intervals.get(self.own.simplify(expr.lhs // by))
                if quotient is not None:
                    self.learn(expr.lhs, _number(quotient, by, low))

    def _read_quotients(self) -> None:
        """Derive the ranges of numbers of which only the quotient has a known range."""
        for expr, high in list(self.intervals.items()):
            if (by := _divisor(expr, AffineBinaryOpKind.FloorDiv)) is not None:
                assert isinstance(expr, AffineBinaryOpExpr)
                self.learn(expr.lhs, _number(high, by, WHOLE))


def _divisor(expr: AffineExpr, kind: AffineBinaryOpKind) -> int | None:
    """The constant divisor of a quotient or remainder; None for any other expression."""
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is kind:
        return expr.rhs.value if isinstance(expr.rhs, AffineConstantExpr) else None
    return None


def _number(high: Interval, by: int, low: Interval) -> Interval:
    """The range of numbers with quotients in ``high`` and remainders in ``low``."""
    assert high.size is not None
    if high.size == 1 and low.size is not None and low.size < by:
        return Interval(high.base * by + low.base, low.size)
    return Interval(high.base * by, high.size * by)
