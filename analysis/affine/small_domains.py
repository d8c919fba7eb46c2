"""Exhaustive decisions on sets with few points: all points are evaluated at once.

Addresses of swizzled memory are sums of many quotients, each of which becomes a dimension of isl's
set. But a warp and the loops around it have only some thousand points, and numpy evaluates a
condition at all of them in a millisecond.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from kc.analysis.affine import terms
from kc.analysis.affine.isl_sets import Point
from kc.analysis.affine.terms import NEVER, All, Compare, Condition, Exists, Quotient, Term, all_of

MAX_POINTS = 1 << 20
"""The most points evaluated, including those of ``exists``."""

TOO_LARGE: Literal["too large"] = "too large"
"""The answer if the points are too many, or if a dimension has no bounds."""

_Bounds = Mapping[str, tuple[int, int]]


class _TooLargeError(Exception):
    pass


def first_of_few(condition: Condition, names: Sequence[str]) -> Point | None | Literal["too large"]:
    """The lexicographically first point of ``names`` where ``condition`` holds. None if
    ``condition`` holds nowhere, :data:`TOO_LARGE` if the points are too many to evaluate.
    """
    import numpy as np

    condition, same = _substituted(condition, names)
    if condition == NEVER:
        return None
    bounds = _bounds(condition, names)
    distinct = [name for name in names if name not in same]
    if any(name not in bounds for name in distinct):
        return TOO_LARGE
    if any(low > high for low, high in (bounds[name] for name in distinct)):
        return None
    used = set(_open(condition, distinct).names())
    axes = [name for name in distinct if name in used]
    try:
        holds = _Box(axes, bounds).holds(condition)
    except _TooLargeError:
        return TOO_LARGE
    shape = [bounds[name][1] - bounds[name][0] + 1 for name in axes]
    flat = np.broadcast_to(holds, shape).ravel()
    first = int(flat.argmax()) if flat.size else 0
    if not flat.size or not flat[first]:
        return None
    place = np.unravel_index(first, shape) if shape else ()
    point = {name: bounds[name][0] for name in distinct}
    point.update((name, bounds[name][0] + int(at)) for name, at in zip(axes, place, strict=True))
    for name, value in reversed(same.items()):
        point[name] = value.at(point)
    return {name: point[name] for name in names}


def _parts(condition: Condition) -> Sequence[Condition]:
    return condition.parts if isinstance(condition, All) else (condition,)


def _substituted(condition: Condition, names: Sequence[str]) -> tuple[Condition, dict[str, Term]]:
    """The condition without the names that equal a constant or another dimension, and their
    values.
    """
    same: dict[str, Term] = {}
    while True:
        for part in _parts(condition):
            pair = _pair(part, names)
            if pair is not None:
                break
        else:
            return condition, same
        same[pair[0]] = pair[1]
        condition = all_of(part.where(dict([pair])) for part in _parts(condition))


def _pair(part: Condition, names: Sequence[str]) -> tuple[str, Term] | None:
    """A name of ``names`` and its value, from an equality such as ``x = 3`` or ``x = y``; None if
    ``part`` is no such equality.
    """
    if not isinstance(part, Compare) or part.sign != "=" or len(part.term.atoms) > 2:
        return None
    atoms = part.term.atoms
    if not all(isinstance(atom, str) and abs(factor) == 1 for atom, factor in atoms.items()):
        return None
    for atom in sorted((atom for atom in atoms if atom in names), key=str, reverse=True):
        assert isinstance(atom, str)
        rest = Term({name: n for name, n in atoms.items() if name != atom}, part.term.constant)
        if rest.atoms and rest.atoms.get(next(iter(rest.atoms))) == atoms[atom]:
            return None  # x = -y
        return atom, rest * -atoms[atom]
    return None


def _bounds(condition: Condition, names: Sequence[str]) -> _Bounds:
    """The ranges of ``names`` from the comparisons of a condition."""
    lows: dict[str, int] = {}
    highs: dict[str, int] = {}
    for part in _parts(condition):
        bound = _bound(part)
        if bound is None or bound[0] not in names:
            continue
        name, is_low, value = bound
        if is_low:
            lows[name] = max(value, lows.get(name, value))
        else:
            highs[name] = min(value, highs.get(name, value))
    return {name: (lows[name], highs[name]) for name in names if name in lows and name in highs}


def _bound(part: Condition) -> tuple[str, bool, int] | None:
    """The name, True for a lower bound, and the bound; None if ``part`` is not a bound of one
    name.
    """
    if not isinstance(part, Compare) or part.sign != ">=" or len(part.term.atoms) != 1:
        return None
    ((atom, factor),) = part.term.atoms.items()
    if not isinstance(atom, str):
        return None
    constant = part.term.constant
    return (atom, True, -(constant // factor)) if factor > 0 else (atom, False, constant // -factor)


def _open(condition: Condition, names: Sequence[str]) -> Condition:
    """The parts of a condition that do not bound ``names``."""
    bounds = ((part, _bound(part)) for part in _parts(condition))
    return all_of(part for part, bound in bounds if bound is None or bound[0] not in names)


class _Box:
    """Values of dimensions, each dimension along its own numpy axis."""

    def __init__(self, axes: Sequence[str], bounds: _Bounds) -> None:
        import numpy as np

        self.axes, self.bounds = axes, bounds
        self.shape = [bounds[name][1] - bounds[name][0] + 1 for name in axes]
        if math.prod(self.shape) > MAX_POINTS:
            raise _TooLargeError
        self.values: dict[str, Any] = {}
        for n, (name, size) in enumerate(zip(axes, self.shape, strict=True)):
            along = [1] * len(axes)
            along[n] = size
            low = bounds[name][0]
            self.values[name] = np.arange(low, low + size, dtype=np.int64).reshape(along)
        self.terms: dict[Term, Any] = {}

    def holds(self, condition: Condition) -> Any:
        """The truth value of a condition at all points."""
        import numpy as np

        if isinstance(condition, Compare):
            if _bound(condition) is not None and not self._is_used(condition):
                return np.True_
            value = self.value(condition.term)
            if condition.sign == ">=":
                return value >= 0
            return value == 0 if condition.sign == "=" else value != 0
        if isinstance(condition, All):
            result = np.True_
            for part in sorted(condition.parts, key=lambda part: isinstance(part, Exists)):
                if not np.any(result):
                    break
                result = result & self.holds(part)
            return result
        if isinstance(condition, terms.Any):
            result = np.False_
            for part in condition.parts:
                result = result | self.holds(part)
            return result
        assert isinstance(condition, Exists)
        exists = self._exists(condition)
        return exists if condition.holds else ~exists

    def _is_used(self, condition: Compare) -> bool:
        return all(name in self.values for name in condition.names())

    def _exists(self, condition: Exists) -> Any:
        import numpy as np

        body, same = _substituted(condition.body, condition.dims)
        present = set(body.names())
        hidden = [name for name in condition.dims if name in present and name not in same]
        bounds = _bounds(body, hidden)
        body = all_of(part for part in _parts(body) if not self._is_implied(part))
        used = set(_open(body, hidden).names())
        inner = [name for name in hidden if name in used]
        if any(name not in bounds for name in hidden):
            raise _TooLargeError
        if body == NEVER or any(low > high for low, high in bounds.values()):
            return np.False_
        outer = [name for name in self.axes if name in used]
        box = _Box([*outer, *inner], {**self.bounds, **bounds})
        where = np.broadcast_to(box.holds(body), box.shape)
        where = where.any(axis=tuple(range(len(outer), len(box.shape))))
        sizes = [
            size if name in outer else 1 for name, size in zip(self.axes, self.shape, strict=True)
        ]
        return where.reshape(sizes)

    def _is_implied(self, part: Condition) -> bool:
        """True if the bounds of this box imply ``part``, a bound of one of its dimensions."""
        bound = _bound(part)
        if bound is None or bound[0] not in self.bounds:
            return False
        name, is_low, value = bound
        low, high = self.bounds[name]
        return low >= value if is_low else high <= value

    def value(self, term: Term) -> Any:
        """The value of a term at all points."""
        import numpy as np

        cached = self.terms.get(term)
        if cached is not None:
            return cached
        total: Any = np.int64(term.constant)
        for atom, factor in term.atoms.items():
            if isinstance(atom, str):
                value = self.values[atom]
            elif isinstance(atom, Quotient):
                value = self.value(atom.dividend) // atom.divisor
            else:
                function = np.minimum if atom.kind == "min" else np.maximum
                value = function(self.value(atom.lhs), self.value(atom.rhs))
            total = total + value * factor
        self.terms[term] = total
        return total


def count_quotients(condition: Condition) -> int:
    """The number of different quotients in a condition; each becomes a dimension of isl's set."""
    quotients: set[Quotient] = set()

    def visit(term: Term) -> Term:
        for atom in term.atoms:
            if isinstance(atom, Quotient) and atom not in quotients:
                quotients.add(atom)
                visit(atom.dividend)
            elif not isinstance(atom, str | Quotient):
                visit(atom.lhs)
                visit(atom.rhs)
        return term

    condition.mapped(visit)
    return len(quotients)
