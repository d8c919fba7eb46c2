"""Index expressions and conditions as immutable values, from which questions to isl are built.

A :class:`Term` is a sum of atoms with integer factors: named dimensions, quotients by constants,
and minima or maxima of two terms. A :class:`Condition` compares terms or combines comparisons.
Terms and conditions are in normal form (sums without zeros, negations pushed to the comparisons),
so that equal expressions are equal values.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
)


class Term:
    """The sum of ``factor * atom``, plus ``constant``."""

    __slots__ = ("_hash", "atoms", "constant")

    def __init__(self, atoms: Mapping[Atom, int], constant: int = 0) -> None:
        self.atoms = atoms
        self.constant = constant
        self._hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((frozenset(self.atoms.items()), self.constant))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Term)
            and self.constant == other.constant
            and hash(self) == hash(other)
            and self.atoms == other.atoms
        )

    def __repr__(self) -> str:
        return f"Term({term_text(self)})"

    @property
    def value(self) -> int | None:
        """The number if the term is constant, else None."""
        return None if self.atoms else self.constant

    def __add__(self, other: Term | int) -> Term:
        if isinstance(other, int):
            return Term(self.atoms, self.constant + other) if other else self
        return _sum(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Term | int) -> Term:
        if isinstance(other, int):
            return self + -other
        return _sum(self, other, -1)

    def __rsub__(self, other: int) -> Term:
        return -self + other

    def __neg__(self) -> Term:
        return self * -1

    def __mul__(self, factor: int) -> Term:
        if factor in (0, 1):
            return self if factor else ZERO_TERM
        return Term({atom: n * factor for atom, n in self.atoms.items()}, self.constant * factor)

    __rmul__ = __mul__

    def __floordiv__(self, divisor: int) -> Term:
        """The quotient by a positive ``divisor``, rounded down."""
        if divisor == 1:
            return self
        whole = {atom: n // divisor for atom, n in self.atoms.items() if n % divisor == 0}
        rest = {atom: n for atom, n in self.atoms.items() if n % divisor}
        quotient, constant = divmod(self.constant, divisor)
        if not rest:
            return Term(whole, quotient)
        digit = Quotient(Term(rest, constant), divisor)
        return _sum(Term(whole, quotient), Term({digit: 1}), 1)

    def __mod__(self, divisor: int) -> Term:
        return self - (self // divisor) * divisor

    def __lt__(self, other: Term | int) -> Condition:
        return at_least_zero(other - self - 1)

    def __le__(self, other: Term | int) -> Condition:
        return at_least_zero(other - self)

    def __gt__(self, other: Term | int) -> Condition:
        return at_least_zero(self - other - 1)

    def __ge__(self, other: Term | int) -> Condition:
        return at_least_zero(self - other)

    def equals(self, rhs: Term | int) -> Condition:
        """The condition that the term equals ``rhs``."""
        return _compared("=", self - rhs)

    def differs(self, rhs: Term | int) -> Condition:
        """The condition that the term differs from ``rhs``."""
        return _compared("!=", self - rhs)

    def within(self, size: Term | int) -> Condition:
        """The condition ``0 <= term < size``."""
        return _within(self, size)

    def names(self) -> Iterator[str]:
        """The dimensions in the term, possibly with repetitions."""
        for atom in self.atoms:
            if isinstance(atom, str):
                yield atom
            elif isinstance(atom, Quotient):
                yield from atom.dividend.names()
            else:
                yield from atom.lhs.names()
                yield from atom.rhs.names()

    def at(self, point: Mapping[str, int]) -> int:
        """The value of the term at a point."""
        total = self.constant
        for atom, factor in self.atoms.items():
            if isinstance(atom, str):
                total += factor * point[atom]
            elif isinstance(atom, Quotient):
                total += factor * (atom.dividend.at(point) // atom.divisor)
            else:
                total += factor * _EXTREMES[atom.kind](atom.lhs.at(point), atom.rhs.at(point))
        return total

    def where(self, values: Mapping[str, Term]) -> Term:
        """The term with dimensions substituted."""
        terms: dict[Atom, int] = {}
        changed: list[tuple[Term, int]] = []
        for atom, factor in self.atoms.items():
            if isinstance(atom, str):
                value = values.get(atom)
            elif isinstance(atom, Quotient):
                inner = atom.dividend.where(values)
                value = None if inner is atom.dividend else inner // atom.divisor
            else:
                lhs, rhs = atom.lhs.where(values), atom.rhs.where(values)
                same = lhs is atom.lhs and rhs is atom.rhs
                value = None if same else extreme(atom.kind, lhs, rhs)
            if value is None:
                terms[atom] = factor
            else:
                changed.append((value, factor))
        if not changed:
            return self
        total = Term(terms, self.constant)
        for value, factor in changed:
            total = _sum(total, value, factor)
        return total


@dataclass(frozen=True)
class Quotient:
    """The quotient ``dividend // divisor``, rounded down."""

    dividend: Term
    divisor: int


@dataclass(frozen=True)
class Extreme:
    """The minimum or maximum of two terms."""

    kind: Literal["min", "max"]
    lhs: Term
    rhs: Term


Atom: TypeAlias = "str | Quotient | Extreme"

ZERO_TERM = Term({})
_EXTREMES: dict[str, Callable[[int, int], int]] = {"min": min, "max": max}


@functools.lru_cache(maxsize=1 << 12)  # every question begins with the same names
def dim(name: str) -> Term:
    """The term that is the dimension ``name``."""
    return Term({name: 1})


@functools.lru_cache(maxsize=1 << 10)
def number(value: int) -> Term:
    """The constant term ``value``."""
    return Term({}, value)


def extreme(kind: Literal["min", "max"], lhs: Term, rhs: Term) -> Term:
    """The minimum or maximum of two terms."""
    difference = (lhs - rhs).value
    if difference is not None:
        return lhs if (difference < 0) is (kind == "min") else rhs
    return Term({Extreme(kind, lhs, rhs): 1})


def quotient_towards_zero(dividend: Term, divisor: int, *, natural: bool) -> Term:
    """``dividend / divisor`` (``divisor`` not 0), rounded towards zero. ``natural`` states that the
    dividend is at least 0.
    """
    if divisor < 0:
        return -quotient_towards_zero(dividend, -divisor, natural=natural)
    if natural:
        return dividend // divisor
    above = extreme("max", dividend, ZERO_TERM) // divisor
    return above - extreme("max", -dividend, ZERO_TERM) // divisor


def _sum(lhs: Term, rhs: Term, factor: int) -> Term:
    atoms = dict(lhs.atoms)
    for atom, n in rhs.atoms.items():
        total = atoms.get(atom, 0) + factor * n
        if total:
            atoms[atom] = total
        else:
            del atoms[atom]
    return Term(atoms, lhs.constant + factor * rhs.constant)


def term_of(
    expr: AffineExpr, value: Callable[[int], Term], opaque: Callable[[], Term] | None = None
) -> Term:
    """``expr`` as a term; ``value(n)`` is the term of dimension ``n``.

    ``opaque()`` is the term of a part that is not affine (a product, or a division by a
    non-constant). Without ``opaque``, ``expr`` must be affine.
    """
    if isinstance(expr, AffineConstantExpr):
        return number(expr.value)
    if isinstance(expr, AffineDimExpr):
        return value(expr.position)
    if isinstance(expr, AffineBinaryOpExpr):
        lhs, rhs = (term_of(part, value, opaque) for part in (expr.lhs, expr.rhs))
        by = rhs.value
        if expr.kind is AffineBinaryOpKind.Add:
            return lhs + rhs
        if expr.kind is AffineBinaryOpKind.Mul:
            if by is not None:
                return lhs * by
            if lhs.value is not None:
                return rhs * lhs.value
        elif by is not None and by > 0:
            if expr.kind is AffineBinaryOpKind.FloorDiv:
                return lhs // by
            return -(-lhs // by) if expr.kind is AffineBinaryOpKind.CeilDiv else lhs % by
    assert opaque is not None, f"{expr} is not affine"
    return opaque()


# Conditions -----------------------------------------------------------------------------------


class Condition:
    """A condition on terms: a comparison, a conjunction, a disjunction, or an existence
    statement.
    """

    __slots__ = ()

    def __invert__(self) -> Condition:
        raise NotImplementedError

    def names(self) -> Iterator[str]:
        """The dimensions in the condition, possibly with repetitions."""
        raise NotImplementedError

    def mapped(self, change: Callable[[Term], Term]) -> Condition:
        """The condition with ``change`` applied to its terms."""
        raise NotImplementedError

    def where(self, values: Mapping[str, Term]) -> Condition:
        """The condition with dimensions substituted. An ``exists`` in the condition must not bind
        any of them.
        """
        return self.mapped(lambda term: term.where(values))


Sign = Literal[">=", "=", "!="]


@dataclass(frozen=True)
class Compare(Condition):
    """``term >= 0``, ``term = 0`` or ``term != 0``."""

    sign: Sign
    term: Term

    def __invert__(self) -> Condition:
        if self.sign == ">=":
            return at_least_zero(-self.term - 1)
        return Compare("!=" if self.sign == "=" else "=", self.term)

    def names(self) -> Iterator[str]:
        return self.term.names()

    def mapped(self, change: Callable[[Term], Term]) -> Condition:
        term = change(self.term)
        return self if term is self.term else _compared(self.sign, term)


@dataclass(frozen=True)
class All(Condition):
    """The conjunction of ``parts``; true if there are none."""

    parts: tuple[Condition, ...]

    def __invert__(self) -> Condition:
        return any_of([~part for part in self.parts])

    def names(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.names()

    def mapped(self, change: Callable[[Term], Term]) -> Condition:
        return all_of([part.mapped(change) for part in self.parts])


@dataclass(frozen=True)
class Any(Condition):
    """The disjunction of ``parts``; false if there are none."""

    parts: tuple[Condition, ...]

    def __invert__(self) -> Condition:
        return all_of([~part for part in self.parts])

    def names(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.names()

    def mapped(self, change: Callable[[Term], Term]) -> Condition:
        return any_of([part.mapped(change) for part in self.parts])


@dataclass(frozen=True)
class Exists(Condition):
    """The statement that values of ``dims`` exist for which ``body`` holds, or (``holds`` false)
    that no such values exist.
    """

    dims: tuple[str, ...]
    body: Condition
    holds: bool = True

    def __invert__(self) -> Condition:
        return Exists(self.dims, self.body, not self.holds)

    def names(self) -> Iterator[str]:
        return (name for name in self.body.names() if name not in self.dims)

    def mapped(self, change: Callable[[Term], Term]) -> Condition:
        return Exists(self.dims, self.body.mapped(change), self.holds)


ALWAYS = All(())
NEVER = Any(())


def _compared(sign: Sign, term: Term) -> Condition:
    value = term.value
    if value is None:
        return Compare(sign, term)
    holds = value >= 0 if sign == ">=" else (value == 0) is (sign == "=")
    return ALWAYS if holds else NEVER


def at_least_zero(term: Term) -> Condition:
    """The condition ``term >= 0``."""
    return _compared(">=", term)


def all_of(parts: Iterable[Condition]) -> Condition:
    """The conjunction of ``parts``."""
    distinct: dict[Condition, None] = {}
    for part in parts:
        for inner in part.parts if isinstance(part, All) else (part,):
            if type(inner) is Any and not inner.parts:
                return NEVER
            distinct[inner] = None
    return next(iter(distinct)) if len(distinct) == 1 else All(tuple(distinct))


def any_of(parts: Iterable[Condition]) -> Condition:
    """The disjunction of ``parts``."""
    distinct: dict[Condition, None] = {}
    for part in parts:
        for inner in part.parts if isinstance(part, Any) else (part,):
            if type(inner) is All and not inner.parts:
                return ALWAYS
            distinct[inner] = None
    return next(iter(distinct)) if len(distinct) == 1 else Any(tuple(distinct))


@functools.lru_cache(maxsize=1 << 12)  # loops and axes of a few sizes, again and again
def _within(term: Term, size: Term | int) -> Condition:
    return all_of([term >= 0, term < size])


def exists(dims: Sequence[str], body: Condition) -> Condition:
    """The condition that values of ``dims`` exist for which ``body`` holds."""
    return Exists(tuple(dims), body) if dims else body


def equal(lhs: Iterable[Term], rhs: Iterable[Term]) -> list[Condition]:
    """The conditions that each term of ``lhs`` equals its counterpart in ``rhs``."""
    return [x.equals(y) for x, y in zip(lhs, rhs, strict=True)]


def lexicographic(lhs: Sequence[Term], rhs: Sequence[Term]) -> Condition:
    """The condition that ``lhs`` precedes ``rhs`` in lexicographic order."""
    return any_of(all_of([*equal(lhs[:n], rhs[:n]), lhs[n] < rhs[n]]) for n in range(len(lhs)))


def condition_of(
    constraint: AffineConstraintExpr,
    value: Callable[[int], Term],
    opaque: Callable[[], Term] | None = None,
) -> Condition:
    """An affine constraint as a condition; ``value`` and ``opaque`` as in :func:`term_of`."""
    lhs = term_of(constraint.lhs, value, opaque)
    rhs = term_of(constraint.rhs, value, opaque)
    if constraint.kind is AffineConstraintKind.eq:
        return lhs.equals(rhs)
    return lhs <= rhs if constraint.kind is AffineConstraintKind.le else lhs >= rhs


# Text -----------------------------------------------------------------------------------------


def term_text(term: Term) -> str:
    """A term in isl's syntax."""
    parts: list[str] = []
    for atom, factor in term.atoms.items():
        if isinstance(atom, str):
            text = atom
        elif isinstance(atom, Quotient):
            text = f"floor(({term_text(atom.dividend)})/{atom.divisor})"
        else:
            text = f"{atom.kind}({term_text(atom.lhs)}, {term_text(atom.rhs)})"
        parts.append(text if factor == 1 else f"{factor}*{text}")
    if term.constant or not parts:
        parts.append(str(term.constant))
    return " + ".join(parts)


def condition_text(condition: Condition) -> str:
    """A condition in isl's syntax."""
    if isinstance(condition, Compare):
        return f"{term_text(condition.term)} {condition.sign} 0"
    if isinstance(condition, All):
        return " and ".join(f"({condition_text(part)})" for part in condition.parts) or "1 = 1"
    if isinstance(condition, Any):
        return " or ".join(f"({condition_text(part)})" for part in condition.parts) or "1 = 0"
    assert isinstance(condition, Exists)
    text = f"exists ({', '.join(condition.dims)} : {condition_text(condition.body)})"
    return text if condition.holds else f"not ({text})"
