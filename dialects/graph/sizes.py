"""Sizes of tensors: numbers, and polynomials of named dimensions such as ``2 * n + m // 4``.

Two sizes are equal if their normal forms are. The text of a size is Python's syntax, in the
attribute ``#graph.dims`` of a tensor type and in attributes of operators.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

MOST_CHARACTERS = 1000
"""The length of the longest text of a size that is read."""


@dataclass(frozen=True, order=True)
class Quotient:
    """``dividend // divisor``, or ``dividend % divisor`` if ``is_remainder``; rounded down."""

    dividend: SizeExpr
    divisor: int
    is_remainder: bool = False

    def __str__(self) -> str:
        dividend = str(self.dividend)
        if not dividend.isidentifier():
            dividend = f"({dividend})"
        return f"{dividend} {'%' if self.is_remainder else '//'} {self.divisor}"


@dataclass(frozen=True, order=True)
class SizeExpr:
    """A polynomial of dimension names and quotients: a sum of monomials in normal form."""

    terms: tuple[tuple[tuple[str | Quotient, ...], int], ...]
    """(factors, coefficient); the factors of the constant term are ()."""

    def __add__(self, other: Size) -> Size:
        return _sum([(self, 1), (other, 1)])

    def __sub__(self, other: Size) -> Size:
        return _sum([(self, 1), (other, -1)])

    def __rsub__(self, other: int) -> Size:
        return _sum([(self, -1), (other, 1)])

    def __neg__(self) -> Size:
        return _sum([(self, -1)])

    def __mul__(self, other: Size) -> Size:
        terms: dict[tuple[str | Quotient, ...], int] = {}
        for left, a in self.terms:
            for right, b in _terms(other):
                key = tuple(sorted((*left, *right), key=_order))
                terms[key] = terms.get(key, 0) + a * b
        return _normal(terms)

    __radd__ = __add__
    __rmul__ = __mul__

    def __floordiv__(self, divisor: Size) -> Size:
        if isinstance(divisor, SizeExpr):
            exact = _exact_quotient(self, divisor)
            if exact is None:
                raise ValueError(f"{self} is not divided by {divisor}: it may leave a rest")
            return exact
        return _divided(self, divisor)

    def __mod__(self, divisor: int) -> Size:
        if divisor == 1:
            return 0
        rest = _sum([(SizeExpr(((key, value % divisor),)), 1) for key, value in self.terms])
        if isinstance(rest, int):
            return rest % divisor
        return SizeExpr((((Quotient(rest, divisor, True),), 1),))

    def __str__(self) -> str:
        text = ""
        for factors, coefficient in self.terms:
            number = abs(coefficient)
            words = [str(number)] if number != 1 or not factors else []
            is_alone = len(factors) == 1 and coefficient == 1
            for factor in factors:
                in_product = isinstance(factor, Quotient) and not is_alone
                words.append(f"({factor})" if in_product else str(factor))
            sign = "-" if coefficient < 0 else "+"
            term = " * ".join(words)
            text += f" {sign} {term}" if text else term if coefficient > 0 else f"-{term}"
        return text

    __repr__ = __str__

    @property
    def names(self) -> frozenset[str]:
        """The dimension names in it."""
        names: set[str] = set()
        for factors, _ in self.terms:
            for factor in factors:
                names |= {factor} if isinstance(factor, str) else factor.dividend.names
        return frozenset(names)


Size: TypeAlias = int | SizeExpr
"""A known size."""
MaybeSize: TypeAlias = int | SizeExpr | None
"""A size; None if it is unknown."""


def dimension(name: str) -> SizeExpr:
    """The size with this name: equal names are equal sizes."""
    if not name.isidentifier():
        raise ValueError(f"{name!r} is not a name of a dimension")
    return SizeExpr((((name,), 1),))


def size_of_text(text: str) -> Size:
    """Read the text of a size, as ``str`` writes it. Raises ValueError for any other text."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"the text of a size has {len(text)} characters")
    try:
        return _read(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError, ZeroDivisionError) as error:
        raise ValueError(f"{text!r} is not a size") from error


def evaluate(size: Size, values: Mapping[str, int]) -> int:
    """The number that a size is, for the values of its names. Raises KeyError for a missing one."""
    if isinstance(size, int):
        return size
    total = 0
    for factors, coefficient in size.terms:
        product = coefficient
        for factor in factors:
            if isinstance(factor, str):
                product *= values[factor]
            else:
                dividend = evaluate(factor.dividend, values)
                product *= (
                    dividend % factor.divisor if factor.is_remainder else dividend // factor.divisor
                )
        total += product
    return total


def substitute(size: MaybeSize, values: Mapping[str, Size]) -> MaybeSize:
    """A size with some of its names replaced by sizes."""
    if not isinstance(size, SizeExpr) or not size.names & values.keys():
        return size
    total: Size = 0
    for factors, coefficient in size.terms:
        product: Size = coefficient
        for factor in factors:
            if isinstance(factor, str):
                product = product * values.get(factor, dimension(factor))
            else:
                dividend = substitute(factor.dividend, values)
                assert dividend is not None
                product = product * (
                    dividend % factor.divisor if factor.is_remainder else dividend // factor.divisor
                )
        total = total + product
    return total


def product_of(sizes: Iterable[MaybeSize]) -> MaybeSize:
    """The product of sizes; None if a factor is unknown and none is 0."""
    product: MaybeSize = 1
    for size in sizes:
        if size == 0:
            return 0
        product = None if product is None or size is None else product * size
    return product


def ceil_div(size: Size, divisor: int) -> Size:
    """``size / divisor``, rounded up."""
    return (size + (divisor - 1)) // divisor


def _order(factor: str | Quotient) -> tuple[int, str]:
    return (0, factor) if isinstance(factor, str) else (1, str(factor))


def _terms(size: Size) -> tuple[tuple[tuple[str | Quotient, ...], int], ...]:
    return size.terms if isinstance(size, SizeExpr) else (((), size),)


def _sum(parts: Iterable[tuple[Size, int]]) -> Size:
    terms: dict[tuple[str | Quotient, ...], int] = {}
    for size, sign in parts:
        for key, value in _terms(size):
            terms[key] = terms.get(key, 0) + sign * value
    return _normal(terms)


def _normal(terms: Mapping[tuple[str | Quotient, ...], int]) -> Size:
    nonzero = [(key, value) for key, value in terms.items() if value]
    if not nonzero:
        return 0
    if len(nonzero) == 1 and nonzero[0][0] == ():
        return nonzero[0][1]
    return SizeExpr(
        tuple(sorted(nonzero, key=lambda term: (-len(term[0]), [*map(_order, term[0])])))
    )


def _divided(size: SizeExpr, divisor: int) -> Size:
    """``size // divisor``: what is a multiple of the divisor for all sizes leaves the quotient."""
    if divisor == 1:
        return size
    whole = _sum([(SizeExpr(((key, value // divisor),)), 1) for key, value in size.terms])
    rest = _sum([(SizeExpr(((key, value % divisor),)), 1) for key, value in size.terms])
    if isinstance(rest, int):  # it is less than the divisor
        return whole
    return whole + SizeExpr((((Quotient(rest, divisor),), 1),))


def _exact_quotient(size: SizeExpr, divisor: SizeExpr) -> Size | None:
    """``size / divisor`` if the divisor is one monomial that divides every term; else None."""
    if size == divisor:
        return 1
    if len(divisor.terms) != 1:
        return None
    (factors, coefficient) = divisor.terms[0]
    quotient: dict[tuple[str | Quotient, ...], int] = {}
    for key, value in size.terms:
        rest = list(key)
        if value % coefficient:
            return None
        for factor in factors:
            if factor not in rest:
                return None
            rest.remove(factor)
        quotient[tuple(rest)] = value // coefficient
    return _normal(quotient)


def _read(node: ast.expr) -> Size:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name):
            return dimension(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return 0 - _read(operand)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _read(left), _read(right)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.FloorDiv() if isinstance(b, int) and b > 0:
                    return a // b
                case ast.Mod() if isinstance(b, int) and b > 0:
                    return a % b
                case _:
                    pass
        case _:
            pass
    raise ValueError("a size is a sum or product of names and numbers, or divided by a number")
