"""Simplification of affine expressions and conditions over dimensions with known ranges.

``(o * 32 + i) floordiv 32`` is ``o`` when ``0 <= i < 32``. Expressions are represented as sums of
atoms (dimensions, divisions and remainders) with coefficients. A division or remainder by ``c``
first drops multiples of ``c``, then terms that their range decides, then terms smaller than a
common divisor of the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
)

from kc.dialects.affine_assembly import ZERO, from_terms

Bounds = tuple[int | None, int | None]
"""Inclusive lower and upper bound; None where unbounded."""

UNBOUNDED: Bounds = (None, None)

LARGEST = 2**62
"""The largest divisor when divisions are merged, so that the arithmetic fits 64 bits."""

_Terms = dict[AffineExpr, int]
_Linear = tuple[_Terms, int]


def simplify(expr: AffineExpr, ranges: Sequence[Bounds]) -> AffineExpr:
    """``expr`` simplified; the result equals ``expr`` wherever every dimension is in range.

    ``ranges[d]`` bounds dimension ``d``; dimensions beyond the end are unbounded.
    """
    if isinstance(expr, AffineConstantExpr):
        return expr
    if isinstance(expr, AffineDimExpr):
        low, high = _range(expr.position, ranges)
        return AffineExpr.constant(low) if low is not None and low == high else expr
    return from_terms(*_linear(expr, ranges))


def compose(expr: AffineExpr, values: Sequence[AffineExpr], ranges: Sequence[Bounds]) -> AffineExpr:
    """``expr`` with ``values[d]`` for dimension ``d``, simplified.

    ``ranges`` bounds the dimensions of ``values``.
    """
    return from_terms(*_linear(expr, ranges, values))


def bounds(expr: AffineExpr, ranges: Sequence[Bounds]) -> Bounds:
    """Bounds of ``expr`` for dimensions in range: sound, and exact if each dimension occurs
    once.
    """
    if type(expr) is AffineDimExpr:
        return _range(expr.position, ranges)
    return _bounds(_linear(expr, ranges), ranges)


def bounds_of_sum(terms: dict[AffineExpr, int], constant: int, ranges: Sequence[Bounds]) -> Bounds:
    """:func:`bounds` of the sum of ``terms``, each with its factor, and a constant."""
    if all(type(atom) is AffineDimExpr for atom in terms):
        return _bounds((terms, constant), ranges)
    return bounds(from_terms(terms, constant), ranges)


def decide(constraint: AffineConstraintExpr, ranges: Sequence[Bounds]) -> bool | None:
    """True if ``constraint`` always holds, False if it never does, None if neither is proven."""
    return _decide(constraint.kind, _linear(constraint.lhs - constraint.rhs, ranges), ranges)


def simplify_constraint(
    constraint: AffineConstraintExpr, ranges: Sequence[Bounds]
) -> AffineConstraintExpr | bool:
    """An equivalent condition ``expr >= 0`` or ``expr == 0``, or its truth value if the ranges
    decide it.
    """
    kind, expr = constraint.kind, constraint.lhs - constraint.rhs
    if kind is AffineConstraintKind.le:
        kind, expr = AffineConstraintKind.ge, expr * -1
    terms, constant = _linear(expr, ranges)
    decision = _decide(kind, (terms, constant), ranges)
    if decision is not None:
        return decision
    divisor = math.gcd(*terms.values())
    if kind is AffineConstraintKind.eq and constant % divisor:
        return False
    terms = {atom: factor // divisor for atom, factor in terms.items()}
    constant //= divisor
    if kind is AffineConstraintKind.ge:
        # 8 * i - j + 7 >= 0  ==  i >= 0  for j < 8
        reduced = _drop_small(terms, constant, 0, ranges)
        if reduced is not None:
            _, terms, constant, _ = reduced
            decision = _decide(kind, (terms, constant), ranges)
            if decision is not None:
                return decision
    return AffineConstraintExpr(kind, from_terms(terms, constant), ZERO)


def simplify_constraints(
    constraints: Sequence[AffineConstraintExpr], ranges: Sequence[Bounds]
) -> list[AffineConstraintExpr] | None:
    """The conjunction, simplified and without redundant constraints; None if it never holds."""
    simplified: dict[AffineConstraintExpr, None] = {}
    for constraint in constraints:
        simple = simplify_constraint(constraint, ranges)
        if simple is False:
            return None
        if simple is not True:
            simplified[simple] = None
    return list(simplified)


def _range(dim: int, ranges: Sequence[Bounds]) -> Bounds:
    return ranges[dim] if dim < len(ranges) else UNBOUNDED


def _linear(
    expr: AffineExpr, ranges: Sequence[Bounds], values: Sequence[AffineExpr] | None = None
) -> _Linear:
    """``expr``, with ``values`` for its dimensions if given, as a simplified sum."""
    terms: _Terms = {}
    constant = 0
    has_mod = False
    work = [(expr, 1, values)]
    # The types are compared directly: isinstance is slow on xDSL's expressions, which have an ABC.
    while work:
        part, factor, values = work.pop()
        if type(part) is AffineConstantExpr:
            constant += factor * part.value
            continue
        if type(part) is AffineDimExpr:
            if values is not None and part.position < len(values):
                work.append((values[part.position], factor, None))
                continue
            low, high = _range(part.position, ranges)
            if low is not None and low == high:
                constant += factor * low
                continue
        elif type(part) is AffineBinaryOpExpr:
            lhs, rhs = part.lhs, part.rhs
            if part.kind is AffineBinaryOpKind.Add:
                work += [(rhs, factor, values), (lhs, factor, values)]
                continue
            if type(rhs) is AffineConstantExpr:
                if part.kind is AffineBinaryOpKind.Mul:
                    work.append((lhs, factor * rhs.value, values))
                    continue
                if rhs.value > 0:
                    inner, extra = _divide(part.kind, lhs, rhs.value, ranges, values)
                    constant += factor * extra
                    for atom, count in inner.items():
                        terms[atom] = terms.get(atom, 0) + factor * count
                    has_mod = True
                    continue
        if values is not None:
            work.append((part.replace_dims_and_symbols(values, ()), factor, None))
            continue
        terms[part] = terms.get(part, 0) + factor
    terms = {atom: factor for atom, factor in terms.items() if factor}
    if has_mod:
        return _recombine(terms, constant, ranges)
    return terms, constant


def _divide(
    kind: AffineBinaryOpKind,
    lhs: AffineExpr,
    divisor: int,
    ranges: Sequence[Bounds],
    values: Sequence[AffineExpr] | None,
) -> _Linear:
    terms, constant = _linear(lhs, ranges, values)
    if kind is AffineBinaryOpKind.CeilDiv:
        return _floor_div(terms, constant + divisor - 1, divisor, ranges)
    if kind is AffineBinaryOpKind.FloorDiv:
        return _floor_div(terms, constant, divisor, ranges)
    return _mod(terms, constant, divisor, ranges)


def _floor_div(terms: _Terms, constant: int, divisor: int, ranges: Sequence[Bounds]) -> _Linear:
    whole, rest = _split(terms, divisor)
    whole_constant, constant = divmod(constant, divisor)
    if not rest:
        return whole, whole_constant
    low, high = _bounds((rest, constant), ranges)
    if low is not None and high is not None and low // divisor == high // divisor:
        return whole, whole_constant + low // divisor
    reduced = _drop_small(rest, constant, divisor, ranges)
    if reduced is not None:
        common, large, quotient, _ = reduced
        more, more_constant = _floor_div(large, quotient, divisor // common, ranges)
        return _add(whole, more), whole_constant + more_constant
    for atom, factor in rest.items():
        inner = _divided(atom, AffineBinaryOpKind.FloorDiv)
        if factor == 1 and inner is not None:
            # (x floordiv b + y) floordiv c  ==  (x + y * b) floordiv (b * c)
            dividend, by = inner
            nested, nested_constant = _linear(dividend, ranges)
            flat: _Terms = {}
            for term, count in rest.items():
                flat = _add(flat, nested if term is atom else {term: count * by})
            start = nested_constant + constant * by
            ends = _bounds((flat, start), ranges) if len(rest) > 1 else (start, start)
            if all(bound is not None and abs(bound) <= LARGEST for bound in (*ends, by * divisor)):
                more, more_constant = _floor_div(flat, start, by * divisor, ranges)
                return _add(whole, more), whole_constant + more_constant
    quotient = AffineBinaryOpExpr(
        AffineBinaryOpKind.FloorDiv, from_terms(rest, constant), AffineConstantExpr(divisor)
    )
    return _add(whole, {quotient: 1}), whole_constant


def _mod(terms: _Terms, constant: int, divisor: int, ranges: Sequence[Bounds]) -> _Linear:
    _, rest = _split(terms, divisor)
    constant %= divisor
    for atom, factor in rest.items():
        inner = _divided(atom, AffineBinaryOpKind.Mod)
        if inner is not None and factor * inner[1] % divisor == 0:
            # factor * (x mod m) differs from factor * x by a multiple of the divisor
            nested, nested_constant = _linear(inner[0], ranges)
            remaining = {a: count for a, count in rest.items() if a is not atom}
            flat = _add(remaining, {a: factor * count for a, count in nested.items()})
            return _mod(flat, constant + factor * nested_constant, divisor, ranges)
    if not rest:
        return {}, constant
    low, high = _bounds((rest, constant), ranges)
    if low is not None and high is not None and low // divisor == high // divisor:
        return rest, constant - low // divisor * divisor
    reduced = _drop_small(rest, constant, divisor, ranges)
    if reduced is not None:
        common, large, quotient, (small, small_constant) = reduced
        more, more_constant = _mod(large, quotient, divisor // common, ranges)
        scaled = {atom: factor * common for atom, factor in more.items()}
        return _add(scaled, small), more_constant * common + small_constant
    remainder = AffineBinaryOpExpr(
        AffineBinaryOpKind.Mod, from_terms(rest, constant), AffineConstantExpr(divisor)
    )
    return {remainder: 1}, 0


def _drop_small(
    terms: _Terms, constant: int, divisor: int, ranges: Sequence[Bounds]
) -> tuple[int, _Terms, int, _Linear] | None:
    """Split ``terms + constant`` into ``g * (large + quotient) + small`` with 0 <= small < g.

    ``g`` divides ``divisor``. Then the quotient by ``divisor`` is that of ``large + quotient`` by
    ``divisor / g``. Returns ``g, large, quotient, small``.
    """
    candidates = {math.gcd(divisor, factor) for factor in terms.values()}
    candidates.add(math.gcd(divisor, *terms.values()))
    for common in sorted(candidates, reverse=True):
        if common == 1:
            return None
        small = {atom: factor for atom, factor in terms.items() if factor % common}
        low, high = _bounds((small, constant % common), ranges)
        if low is None or high is None or low // common != high // common:
            continue
        shift = low // common
        large = {atom: factor // common for atom, factor in terms.items() if atom not in small}
        return (
            common,
            large,
            constant // common + shift,
            (small, constant % common - shift * common),
        )
    return None


def _split(terms: _Terms, divisor: int) -> tuple[_Terms, _Terms]:
    """The coefficients divided by ``divisor`` towards zero: quotients and remainders."""
    whole: _Terms = {}
    rest: _Terms = {}
    for atom, factor in terms.items():
        quotient = abs(factor) // divisor * (1 if factor > 0 else -1)
        if quotient:
            whole[atom] = quotient
        if factor != quotient * divisor:
            rest[atom] = factor - quotient * divisor
    return whole, rest


def _add(lhs: _Terms, rhs: _Terms) -> _Terms:
    total = dict(lhs)
    for atom, factor in rhs.items():
        total[atom] = total.get(atom, 0) + factor
    return {atom: factor for atom, factor in total.items() if factor}


def _divided(atom: AffineExpr, kind: AffineBinaryOpKind) -> tuple[AffineExpr, int] | None:
    """The dividend and divisor if ``atom`` is a division (or remainder) by a positive constant,
    else None.
    """
    if isinstance(atom, AffineBinaryOpExpr) and atom.kind is kind:
        if isinstance(atom.rhs, AffineConstantExpr) and atom.rhs.value > 0:
            return atom.lhs, atom.rhs.value
    return None


def _recombine(terms: _Terms, constant: int, ranges: Sequence[Bounds]) -> _Linear:
    """Replace ``a * c * (x floordiv c) + a * (x mod c)`` by ``a * x``."""
    work = list(terms)
    while work:
        atom = work.pop()
        inner = _divided(atom, AffineBinaryOpKind.Mod)
        factor = terms.get(atom)
        if inner is None or factor is None:
            continue
        dividend, by = inner
        flat, extra = _linear(dividend, ranges)
        same = None
        quotient, quotient_constant = _floor_div(flat, extra, by, ranges)
        if list(quotient.values()) == [1] and not quotient_constant:
            same = _same_quotient(next(iter(quotient)), terms, ranges)
        if same is None or terms[same] != factor * by:
            candidates = [expr for expr, count in terms.items() if count == factor * by]
            congruent = _congruent_dividend((flat, extra), by, candidates, ranges)
            if congruent is None:
                continue
            same, (flat, extra) = congruent
        del terms[atom], terms[same]
        constant += factor * extra
        terms = _add(terms, {a: factor * count for a, count in flat.items()})
        work = list(terms)
    return terms, constant


def _congruent_dividend(
    dividend: _Linear, by: int, candidates: Sequence[AffineExpr], ranges: Sequence[Bounds]
) -> tuple[AffineExpr, _Linear] | None:
    """The quotient by ``by`` whose dividend has the remainder of ``dividend``, and that dividend.

    ``x mod c`` may be written as ``y mod c`` while the quotient is still ``x floordiv c``:
    ``((f mod 49) * 16 + i) mod 28`` is ``(f * 16 + i) mod 28``.
    """
    for candidate in candidates:
        quotient = _divided(candidate, AffineBinaryOpKind.FloorDiv)
        if quotient is None or quotient[1] != by:
            continue
        terms, constant = _linear(quotient[0], ranges)
        remainder, rest = _mod(terms, constant, by, ranges)
        if list(remainder.values()) != [1] or rest:
            continue
        inner = _divided(next(iter(remainder)), AffineBinaryOpKind.Mod)
        if inner is not None and inner[1] == by and _linear(inner[0], ranges) == dividend:
            return candidate, (terms, constant)
    return None


def _same_quotient(atom: AffineExpr, terms: _Terms, ranges: Sequence[Bounds]) -> AffineExpr | None:
    """The term of ``terms`` that is ``atom``, or a quotient of the same sum in another order. None
    if no term matches.
    """
    if atom in terms:
        return atom
    quotient = _divided(atom, AffineBinaryOpKind.FloorDiv)
    for candidate in terms if quotient is not None else ():
        fraction = _divided(candidate, AffineBinaryOpKind.FloorDiv)
        if fraction is not None and quotient is not None and fraction[1] == quotient[1]:
            if _linear(fraction[0], ranges) == _linear(quotient[0], ranges):
                return candidate
    return None


def _decide(kind: AffineConstraintKind, value: _Linear, ranges: Sequence[Bounds]) -> bool | None:
    low, high = _bounds(value, ranges)
    if kind is AffineConstraintKind.le:
        low, high = (None if high is None else -high), (None if low is None else -low)
        kind = AffineConstraintKind.ge
    if high is not None and high < 0:
        return False
    if kind is AffineConstraintKind.ge:
        return True if low is not None and low >= 0 else None
    if low is not None and low > 0:
        return False
    return True if low == 0 and high == 0 else None


def _bounds(value: _Linear, ranges: Sequence[Bounds]) -> Bounds:
    terms, constant = value
    low: int | None = constant
    high: int | None = constant
    for atom, factor in terms.items():
        atom_low, atom_high = _atom_bounds(atom, ranges)
        if factor < 0:
            atom_low, atom_high = atom_high, atom_low
        low = None if low is None or atom_low is None else low + factor * atom_low
        high = None if high is None or atom_high is None else high + factor * atom_high
        if low is None and high is None:
            break
    return low, high


def _atom_bounds(atom: AffineExpr, ranges: Sequence[Bounds]) -> Bounds:
    if type(atom) is AffineDimExpr:
        return _range(atom.position, ranges)
    quotient = _divided(atom, AffineBinaryOpKind.FloorDiv)
    if quotient is not None:
        low, high = bounds(quotient[0], ranges)
        by = quotient[1]
        return (None if low is None else low // by), (None if high is None else high // by)
    remainder = _divided(atom, AffineBinaryOpKind.Mod)
    if remainder is not None:
        low, high = bounds(remainder[0], ranges)
        by = remainder[1]
        if low is not None and high is not None and low // by == high // by:
            return low % by, high % by
        return 0, by - 1
    return UNBOUNDED
