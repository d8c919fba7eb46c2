"""Cheap proofs that a condition over integers is unsatisfiable.

Equalities between mixed-radix numbers are split into digits (``10 a + b = 0`` with ``-10 < b < 10``
implies ``a = 0`` and ``b = 0``), and each equality is solved for an atom. The rest is refuted by
common divisors, by propagation of bounds, or by a case distinction. ``not exists`` is refuted by
explicit values. A proof is exact. If there is no proof, the caller asks isl, which takes several
times as long.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kc.analysis.affine.terms import (
    All,
    Any,
    Atom,
    Compare,
    Condition,
    Exists,
    Extreme,
    Quotient,
    Term,
    at_least_zero,
    extreme,
)

MAX_CASES = 40
"""The most cases distinguished. A question that needs more cases is left to isl."""

MAX_STEPS = 40
"""The most equalities solved."""

ROUNDS = 3
"""The most rounds of bound propagation between comparisons."""


def is_never(condition: Condition) -> bool:
    """True if ``condition`` is proven unsatisfiable."""
    system = _System(_Budget(MAX_CASES))
    return not system.add(condition) or system.is_refuted()


class _ContradictionError(Exception):
    """The known facts contradict each other."""


@dataclass
class _Budget:
    cases: int


Key = frozenset[tuple[Atom, int]]


@dataclass
class _System:
    """A conjunction to be refuted."""

    budget: _Budget
    equalities: list[Term] = field(default_factory=list)
    naturals: list[Term] = field(default_factory=list)
    """Terms that are at least 0."""
    unequal: list[Term] = field(default_factory=list)
    """Terms that are not 0."""
    choices: list[Any] = field(default_factory=list)
    absent: list[Exists] = field(default_factory=list)
    solved: list[tuple[str, Term]] = field(default_factory=list)
    """Eliminated dimensions with their values, in order of elimination."""
    defined: set[Atom] = field(default_factory=set)
    low: dict[Atom, int] = field(default_factory=dict)
    high: dict[Atom, int] = field(default_factory=dict)
    least: dict[Key, int] = field(default_factory=dict)
    """Lower bounds of sums of several atoms."""

    def copy(self) -> _System:
        """A copy of the system, for the facts of one case."""
        return _System(
            self.budget,
            list(self.equalities),
            list(self.naturals),
            list(self.unequal),
            list(self.choices),
            list(self.absent),
            list(self.solved),
            set(self.defined),
        )

    def add(self, condition: Condition) -> bool:
        """Add a condition; False if it is trivially unsatisfiable."""
        if isinstance(condition, All):
            return all([self.add(part) for part in condition.parts])
        if isinstance(condition, Any):
            self.choices.append(condition)
            return bool(condition.parts)
        if isinstance(condition, Exists):
            if not condition.holds:
                self.absent.append(condition)
            return True  # a statement of existence does not help to refute
        assert isinstance(condition, Compare)
        kinds = {"=": self.equalities, ">=": self.naturals, "!=": self.unequal}
        kinds[condition.sign].append(condition.term)
        return True

    def is_refuted(self) -> bool:
        """True if the conjunction is proven unsatisfiable."""
        if self.budget.cases <= 0:
            return False
        self.budget.cases -= 1
        try:
            self._define()
            self._solve()
            return any(self._exists(question) for question in self.absent) or self._by_cases()
        except _ContradictionError:
            return True

    # Definitions of atoms

    def _define(self) -> None:
        """Add the defining facts of quotients and extremes."""
        pending = [*self.equalities, *self.naturals, *self.unequal]
        while pending:
            for atom in pending.pop().atoms:
                if isinstance(atom, str) or atom in self.defined:
                    continue
                self.defined.add(atom)
                facts = list(_definition(atom, self.choices))
                self.naturals += facts
                pending += facts

    # Equalities --------------------------------------------------------------------------------

    def _solve(self) -> None:
        """Solve equalities and derive bounds."""
        for _ in range(MAX_STEPS):
            self._normalise()
            pivot = self._pivot()
            if pivot is None and not self._solve_quotient():
                self._find_bounds()
                if not self._split_digits():
                    return
            elif pivot is None:
                continue
            else:
                self._substitute(*pivot)
        self._normalise()
        self._find_bounds()

    def _normalise(self) -> None:
        normalised: dict[Term, None] = {}
        for term in self.equalities:
            if not term.atoms:
                if term.constant:
                    raise _ContradictionError
                continue
            divisor = math.gcd(*term.atoms.values())
            if term.constant % divisor:
                raise _ContradictionError
            normalised[_divided(term, divisor)] = None
        self.equalities = list(normalised)
        normalised = {}
        for term in self.naturals:
            if not term.atoms:
                if term.constant < 0:
                    raise _ContradictionError
                continue
            normalised[_divided(term, math.gcd(*term.atoms.values()))] = None
        self.naturals = list(normalised)
        if any(not term.atoms and not term.constant for term in self.unequal):
            raise _ContradictionError

    def _pivot(self) -> tuple[int, Atom] | None:
        """An equality, and an atom of the equality with coefficient 1 or -1 to solve for. None if
        no equality has such an atom.
        """
        for n, term in enumerate(self.equalities):
            is_sum = any(abs(factor) != 1 for factor in term.atoms.values())
            signs = [factor > 0 for factor in term.atoms.values()]
            for atom, factor in term.atoms.items():
                if abs(factor) != 1 or not isinstance(atom, str) or _is_nested(atom, term):
                    continue
                # Digits of both sides stay in one equality, to be split later.
                if not is_sum or len(signs) == 2 or signs.count(factor > 0) == 1:
                    return n, atom
        return None

    def _substitute(self, n: int, atom: Atom) -> None:
        equality = self.equalities.pop(n)
        factor = equality.atoms[atom]
        rest = Term({a: by for a, by in equality.atoms.items() if a != atom})
        value = (rest + equality.constant) * -factor
        for terms in (self.equalities, self.naturals, self.unequal):
            terms[:] = [_replaced(term, atom, value) for term in terms]
        if isinstance(atom, str):
            values = {atom: value}
            self.solved.append((atom, value))
            for condition in [choice.where(values) for choice in self._take_choices()]:
                if not self.add(condition):
                    raise _ContradictionError
        self._define()

    def _solve_quotient(self) -> bool:
        """Solve ``0 <= t - c * x < c`` for the dimension x, which is ``t // c``."""
        constant_of = {frozenset(term.atoms.items()): term.constant for term in self.naturals}
        for key, constant in constant_of.items():
            for atom, factor in key:
                if factor > -1 or not isinstance(atom, str):
                    continue
                if constant_of.get(_negated(key)) != -constant - factor - 1:
                    continue
                rest = Term({a: by for a, by in key if a != atom}, constant)
                if atom not in rest.names():
                    self.equalities.append(Term({atom: 1}) - rest // -factor)
                    self._substitute(len(self.equalities) - 1, atom)
                    return True
        return False

    def _take_choices(self) -> list[Any]:
        choices, self.choices = self.choices, []
        return choices

    def _split_digits(self) -> bool:
        """Split an equality into digits where bounds leave few values for its small terms;
        otherwise solve it for any atom.
        """
        for n, term in enumerate(self.equalities):
            ordered = sorted(term.atoms.items(), key=lambda item: abs(item[1]))
            for count in range(1, len(ordered)):
                common = math.gcd(*(factor for _, factor in ordered[count:]))
                small = Term(dict(ordered[:count]), term.constant)
                if common == 1:
                    break
                low, high = self._minimum(small), self._maximum(small)
                if low is None or high is None:
                    continue
                first, last = -(-low // common), high // common
                if first > last:
                    raise _ContradictionError
                if first == last:
                    large = Term(dict(ordered[count:]), first * common)
                    self.equalities[n : n + 1] = [small - first * common, large]
                    return True
        for n, term in enumerate(self.equalities):
            for atom, factor in term.atoms.items():
                if abs(factor) == 1 and not _is_nested(atom, term):
                    self._substitute(n, atom)
                    return True
        return False

    # Bounds ------------------------------------------------------------------------------------

    def _find_bounds(self) -> None:
        self.low, self.high, self.least = {}, {}, {}
        sums: list[Term] = []
        for term in [*self.naturals, *self.equalities, *(-term for term in self.equalities)]:
            if len(term.atoms) == 1:
                self._bound(term)
                continue
            sums.append(term)
            key = frozenset(term.atoms.items())
            self.least[key] = max(-term.constant, self.least.get(key, -term.constant))
        for key, low in self.least.items():
            if low + self.least.get(_negated(key), -low) > 0:
                raise _ContradictionError
        for _ in range(ROUNDS):
            if not any([self._pass_on(term) for term in sums]):
                break

    def _bound(self, term: Term) -> bool:
        """Apply the bound from ``term >= 0``, where ``term`` has one atom. True if the bound is
        tighter than before.
        """
        ((atom, factor),) = term.atoms.items()
        return self._tighten(atom, factor, -term.constant)

    def _tighten(self, atom: Atom, factor: int, least: int) -> bool:
        """Record ``factor * atom >= least``. True if the bound is tighter than before."""
        if factor > 0:
            value = -(-least // factor)
            if atom in self.low and self.low[atom] >= value:
                return False
            self.low[atom] = value
        else:
            value = -least // -factor
            if atom in self.high and self.high[atom] <= value:
                return False
            self.high[atom] = value
        if atom in self.low and atom in self.high and self.low[atom] > self.high[atom]:
            raise _ContradictionError
        return True

    def _pass_on(self, term: Term) -> bool:
        """Bound each atom of a term that is at least 0 by the bounds of the other atoms. True if
        any bound is tighter than before.
        """
        tops: list[int | None] = [self._top(atom, by) for atom, by in term.atoms.items()]
        unknown = tops.count(None)
        if unknown > 1:
            return False
        total = sum(top for top in tops if top is not None) + term.constant
        if not unknown and total < 0:
            raise _ContradictionError
        new = False
        for (atom, factor), top in zip(term.atoms.items(), tops, strict=True):
            if unknown and top is not None:
                continue
            rest = total if top is None else total - top
            new = self._tighten(atom, factor, -rest) or new
        return new

    def _top(self, atom: Atom, factor: int) -> int | None:
        """The maximum of ``factor * atom``; None if unbounded."""
        end = self.high.get(atom) if factor > 0 else self.low.get(atom)
        return None if end is None else end * factor

    def _maximum(self, term: Term) -> int | None:
        low = self._minimum(-term)
        return None if low is None else -low

    def _minimum(self, term: Term) -> int | None:
        """A lower bound from the bounds of the atoms or from known bounds of partial sums."""
        best = self._sum_of_lows(term)
        for key, low in self.least.items():
            if all(term.atoms.get(atom) == factor for atom, factor in key):
                atoms = {atom for atom, _ in key}
                rest = {atom: by for atom, by in term.atoms.items() if atom not in atoms}
                low_sum = self._sum_of_lows(Term(rest, term.constant + low))
                if low_sum is not None and (best is None or low_sum > best):
                    best = low_sum
        return best

    def _sum_of_lows(self, term: Term) -> int | None:
        total = term.constant
        for atom, factor in term.atoms.items():
            end = self.low.get(atom) if factor > 0 else self.high.get(atom)
            if end is None:
                return None
            total += end * factor
        return total

    # Cases -------------------------------------------------------------------------------------

    def _by_cases(self) -> bool:
        self._narrow()
        if not self.choices and not self.unequal:
            return False
        choices, unequal = list(self.choices), list(self.unequal)
        if choices:
            cases = min(choices, key=lambda choice: len(choice.parts))
            choices.remove(cases)
            alternatives: Sequence[Condition] = cases.parts
        else:
            term = unequal.pop()
            alternatives = [at_least_zero(term - 1), at_least_zero(-term - 1)]
        for part in alternatives:
            if self._is_excluded(part):
                continue
            case = self.copy()
            case.choices, case.unequal = list(choices), list(unequal)
            if case.add(part) and not case.is_refuted():
                return False
        return True

    def _narrow(self) -> None:
        """Remove alternatives that bounds exclude from the choices. A single remaining alternative
        becomes a fact.
        """
        while True:
            single: list[Condition] = []
            for choice in self._take_choices():
                parts = [part for part in choice.parts if not self._is_excluded(part)]
                if not parts:
                    raise _ContradictionError
                if len(parts) == 1:
                    single += parts
                else:
                    self.choices.append(Any(tuple(parts)))
            if not single:
                return
            if not all([self.add(part) for part in single]):
                raise _ContradictionError
            self._define()
            self._solve()

    def _is_excluded(self, part: Condition) -> bool:
        """True if bounds alone refute ``part``."""
        if isinstance(part, All):
            return any(self._is_excluded(inner) for inner in part.parts)
        if not isinstance(part, Compare):
            return False
        high = self._maximum(part.term)
        if part.sign == ">=":
            return high is not None and high < 0
        low = self._minimum(part.term)
        if part.sign == "=":
            return (high is not None and high < 0) or (low is not None and low > 0)
        return low == high == 0

    # Existence ---------------------------------------------------------------------------------

    def _exists(self, question: Exists) -> bool:
        """True if values that satisfy ``question`` are proven to exist. Only one choice of values
        is tried.
        """
        body = question.body
        for name, value in self.solved:
            body = body.where({name: value})
        body = _with_values(body, question.dims)
        if body is None:
            return False
        body = body.mapped(self._simplified)
        parts = body.parts if isinstance(body, All) else (body,)
        return all(self._always(part) for part in parts)

    def _simplified(self, term: Term) -> Term:
        """``term`` with the quotients that bounds determine replaced by their values."""
        total = Term({}, term.constant)
        for atom, factor in term.atoms.items():
            value = Term({atom: 1})
            if isinstance(atom, Quotient):
                dividend = self._simplified(atom.dividend)
                value = dividend // atom.divisor
                low, high = self._minimum(dividend), self._maximum(dividend)
                if low is not None and high is not None:
                    if low // atom.divisor == high // atom.divisor:
                        value = Term({}, low // atom.divisor)
            total += value * factor
        return total

    def _always(self, part: Condition) -> bool:
        """True if ``part`` is implied by the conjunction."""
        if self._is_excluded(~part):
            return True
        case = self.copy()
        case.absent = []
        return not case.add(~part) or case.is_refuted()


def _with_values(body: Condition, dims: Iterable[str]) -> Condition | None:
    """``body`` with values substituted for ``dims``, for which ``body`` may hold; None if the
    search finds no values.
    """
    left = dict.fromkeys(dims)
    while left:
        parts = body.parts if isinstance(body, All) else (body,)
        terms = [part for part in parts if isinstance(part, Compare)]
        values = _by_equality([term.term for term in terms if term.sign == "="], left)
        if values is None:
            values = _by_bound([compare.term for compare in terms if compare.sign == ">="], left)
        if values is None:
            unused = left.keys() - set(body.names())
            if not unused:
                return None
            values = {name: Term({}) for name in unused}
        body = body.where(values)
        for name in values:
            del left[name]
    return body


def _by_equality(terms: Sequence[Term], dims: dict[str, None]) -> dict[str, Term] | None:
    """Values of some of ``dims`` from an equality: of one dimension, or of the digits of a
    number.
    """
    for term in terms:
        own = {a: by for a, by in term.atoms.items() if isinstance(a, str) and a in dims}
        rest = Term({a: by for a, by in term.atoms.items() if a not in own}, term.constant)
        if not own or any(name in dims for name in rest.names()):
            continue
        digits = sorted(own.items(), key=lambda item: abs(item[1]))
        factors = [by for _, by in digits]
        if abs(factors[0]) != 1 or any(by * factors[0] < 0 for by in factors):
            continue
        steps = [abs(by) for by in factors]
        if any(large % small for small, large in zip(steps, steps[1:], strict=False)):
            continue
        whole = rest * -factors[0]
        values: dict[str, Term] = {}
        for n, (name, _) in enumerate(digits):
            assert isinstance(name, str)
            digit = whole // steps[n]
            values[name] = digit % (steps[n + 1] // steps[n]) if n + 1 < len(steps) else digit
        return values
    return None


def _by_bound(terms: Sequence[Term], dims: dict[str, None]) -> dict[str, Term] | None:
    """A value for one of ``dims``: its largest lower bound."""
    for name in dims:
        bounds: list[Term] = []
        for term in terms:
            factor = term.atoms.get(name, 0)
            if factor <= 0:
                continue
            rest = Term({a: by for a, by in term.atoms.items() if a != name}, term.constant)
            if any(name in dims for name in rest.names()):
                break
            bounds.append(-(rest // factor))  # factor * name >= -rest
        else:
            if bounds:
                value = bounds[0]
                for bound in bounds[1:]:
                    value = extreme("max", value, bound)
                return {name: value}
    return None


def _definition(atom: Quotient | Extreme, choices: list[Any]) -> Iterator[Term]:
    """Terms that are at least 0 by the definition of ``atom``. Alternatives are appended to
    ``choices``.
    """
    itself = Term({atom: 1})
    if isinstance(atom, Quotient):
        remainder = atom.dividend - itself * atom.divisor
        yield remainder
        yield -remainder + (atom.divisor - 1)
        return
    sign = 1 if atom.kind == "max" else -1
    yield (itself - atom.lhs) * sign
    yield (itself - atom.rhs) * sign
    choices.append(Any((itself.equals(atom.lhs), itself.equals(atom.rhs))))


def _is_nested(atom: Atom, term: Term) -> bool:
    """True if ``atom`` occurs inside another atom of ``term``."""
    return any(_holds(a, atom) for a in term.atoms if a != atom)


def _holds(atom: Atom, inner: Atom) -> bool:
    if isinstance(atom, str):
        return False
    parts = (atom.dividend,) if isinstance(atom, Quotient) else (atom.lhs, atom.rhs)
    return any(a == inner or _holds(a, inner) for part in parts for a in part.atoms)


def _replaced(term: Term, atom: Atom, value: Term) -> Term:
    """``term`` with ``value`` substituted for ``atom``."""
    if isinstance(atom, str):
        return term.where({atom: value})
    factor = term.atoms.get(atom)
    if factor is None:
        return term
    rest = Term({a: by for a, by in term.atoms.items() if a != atom}, term.constant)
    return rest + value * factor


def _divided(term: Term, divisor: int) -> Term:
    if divisor == 1:
        return term
    return Term({a: by // divisor for a, by in term.atoms.items()}, term.constant // divisor)


def _negated(key: Key) -> Key:
    return frozenset((atom, -factor) for atom, factor in key)
