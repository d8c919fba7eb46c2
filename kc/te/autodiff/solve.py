"""The iterations of a loop nest that read a given element: index equations, solved for the loops.

An iteration reads ``X[f(i)]``; the adjoint of ``X[x]`` is a sum over all ``i`` with ``f(i) == x``.
The equations are solved, so that loops remain only over variables that the equations do not
determine:

- ``x == i + k``: ``i`` is ``x - k``, and ``k`` stays a loop (the longest loop is eliminated);
- ``x == 4 * i + k``: modulo 4, ``k == x mod 4 + 4 * t`` with a loop ``t`` of a quarter of the
  iterations (no loop if ``k < 4``), and then ``i + t == x floordiv 4``;
- ``x == i floordiv 4``: with ``i == 4 * q + r``, ``q`` is determined, and ``r`` is a loop.

Conditions remain: the values must be in the ranges of their loops, and divisions must be exact.
TVM's autodiff solves linear equations in Smith normal form and then inequalities. Solving for one
variable at a time suffices for the usual indices of tensors, and keeps the user's loops and names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
)

from kc.analysis.affine.simplify_affine import UNBOUNDED, Bounds, bounds, simplify
from kc.dialects.affine_assembly import ZERO, at_least_zero, from_terms, linear_terms
from kc.expr.constructors import IterVar, Var, walk
from kc.expr.indices import Space

ONE = AffineExpr.constant(1)

_MANY = 2.0**40
"""The assumed trip count of a symbolic loop, for comparisons."""


@dataclass(frozen=True)
class Variable:
    """A loop: ``0 <= value < extent``."""

    name: str
    extent: AffineExpr
    is_reduce: bool

    @property
    def size(self) -> float:
        """The number of iterations; a symbolic one is larger than any constant."""
        return self.extent.value if isinstance(self.extent, AffineConstantExpr) else math.inf


@dataclass
class System:
    """Equations ``expr == 0`` over loops and known values, and their partial solution."""

    space: Space
    variables: dict[int, Variable]
    """The loops by their dimensions."""
    ranges: dict[int, Bounds]
    """The known ranges of other dimensions."""
    equations: list[AffineExpr]
    values: dict[int, AffineExpr] = field(default_factory=dict)
    """The determined loops, as expressions of the other loops and known values."""
    exact: list[AffineExpr] = field(default_factory=list)
    """Expressions that must be 0 as well."""
    _parts: dict[tuple[AffineExpr, int], tuple[AffineExpr, AffineExpr]] = field(
        default_factory=dict
    )

    def solve(self) -> bool:
        """Solve the equations as far as possible; False if they have no solution."""
        for n, variable in self.variables.items():
            if variable.extent == ONE:
                self._determine(n, ZERO)
        self.equations = [
            self._without_divisions(self.substituted(equation)) for equation in self.equations
        ]
        for (whole, by), (quotient, rest) in self._parts.items():
            self.equations.append(whole - quotient * by - rest)
        while True:
            self.equations = [
                self._divided(self.substituted(equation)) for equation in self.equations
            ]
            if any(_number(equation) not in (None, 0) for equation in self.equations):
                return False
            self.equations = [equation for equation in self.equations if _number(equation) is None]
            if not self._step():
                self.exact += self.equations
                return True

    def substituted(self, expr: AffineExpr) -> AffineExpr:
        """``expr`` with the determined loops substituted, simplified."""
        dims = [self.values.get(n, AffineExpr.dimension(n)) for n in range(self._count)]
        return simplify(expr.replace_dims_and_symbols(dims, []), self.bounds())

    @property
    def _count(self) -> int:
        return len(self.space.leaves)

    def bounds(self) -> list[Bounds]:
        """The ranges of all dimensions."""
        ranges = [self.ranges.get(n, UNBOUNDED) for n in range(self._count)]
        for n, variable in self.variables.items():
            ranges[n] = (0, int(variable.size) - 1 if variable.size < math.inf else None)
        return ranges

    @property
    def loops(self) -> list[int]:
        """The loops that the solution does not determine."""
        return [n for n in self.variables if n not in self.values]

    def needs(self, expr: AffineExpr) -> set[int]:
        """The loops that ``expr`` depends on, including those in non-affine parts."""
        loops: set[int] = set()
        stack = list(expr.used_dims())
        while stack:
            n = stack.pop()
            leaf = self.space.leaves[n]
            if n in self.values:
                stack += self.values[n].used_dims()
            elif n in self.variables:
                loops.add(n)
            elif leaf is not None:
                axes = {self.space.number(axis) for axis in walk(leaf) if isinstance(axis, IterVar)}
                stack += axes - {n}
        return loops

    def conditions(self) -> list[AffineConstraintExpr]:
        """The conditions under which the solution is an iteration of the nest."""
        constraints: list[AffineConstraintExpr] = []
        for n, variable in self.variables.items():
            if n in self.values:
                value = self.values[n]
                constraints += [
                    at_least_zero(value),
                    at_least_zero(self.substituted(variable.extent) - value - 1),
                ]
        equal = AffineConstraintKind.eq
        constraints += [
            AffineConstraintExpr(equal, self.substituted(equation), ZERO) for equation in self.exact
        ]
        return constraints

    # Before: divisions become variables -----------------------------------------------------

    def _without_divisions(self, expr: AffineExpr) -> AffineExpr:
        """``expr`` with variables for quotient and remainder in the place of divisions of loops."""
        terms, constant = linear_terms(expr)
        total: AffineExpr = AffineExpr.constant(constant)
        for atom, factor in terms.items():
            total = total + self._atom(atom) * factor
        return simplify(total, self.bounds())

    def _atom(self, atom: AffineExpr) -> AffineExpr:
        if not isinstance(atom, AffineBinaryOpExpr) or not self.needs(atom):
            return atom
        assert isinstance(atom.rhs, AffineConstantExpr)
        by, whole = atom.rhs.value, self._without_divisions(atom.lhs)
        if atom.kind is AffineBinaryOpKind.CeilDiv:
            whole = whole + (by - 1)
        key = (whole, by)
        if key not in self._parts:
            parts = self._quotient(whole, by)
            if parts is None:  # an unknown range: treated like any other value
                return AffineExpr.dimension(self.space.number(self.space.expr(atom)))
            self._parts[key] = parts
        return self._parts[key][1 if atom.kind is AffineBinaryOpKind.Mod else 0]

    def _quotient(self, whole: AffineExpr, by: int) -> tuple[AffineExpr, AffineExpr] | None:
        """The quotient and the remainder of ``whole`` as new variables. None if its range is
        unknown.
        """
        terms, constant = linear_terms(whole)
        low, _ = bounds(whole, self.bounds())
        if low is None:
            return None
        top: AffineExpr = AffineExpr.constant(constant)
        names: list[str] = []
        for atom, factor in terms.items():
            n = atom.position if isinstance(atom, AffineDimExpr) else -1
            if n in self.variables:
                names.append(self.variables[n].name)
                if factor > 0:
                    top = top + (self.variables[n].extent - 1) * factor
            elif n >= 0 and isinstance(self.space.leaves[n], Var):
                top = top + atom * factor
            else:
                return None
        first = low // by
        extent = simplify(top // by - first + 1, self.bounds())
        name = "_".join(names)
        quotient = self._new(Variable(f"{name}_o", extent, True)) + first
        return quotient, self._new(Variable(f"{name}_i", AffineExpr.constant(by), True))

    def _new(self, variable: Variable) -> AffineExpr:
        n = self.space.fresh()
        self.variables[n] = variable
        return AffineExpr.dimension(n)

    # Steps ----------------------------------------------------------------------------------

    def _step(self) -> bool:
        """Determine another loop, by the rule that leaves the fewest iterations of the others."""
        ways = (self._only_one, self._longest, self._by_remainder, self._any, self._by_division)
        return any(way(n) for way in ways for n in range(len(self.equations)))

    def _unknowns(self, expr: AffineExpr) -> dict[int, int]:
        """The loops that ``expr`` is linear in, with their factors."""
        terms, _ = linear_terms(expr)
        return {
            atom.position: factor
            for atom, factor in terms.items()
            if isinstance(atom, AffineDimExpr) and atom.position in self.variables
        }

    def _size(self, n: int) -> tuple[float, bool]:
        """The sort key of loops by length. Of equal loops, a spatial one counts as longer."""
        return self.variables[n].size, not self.variables[n].is_reduce

    def _divided(self, expr: AffineExpr) -> AffineExpr:
        """The equation ``expr == 0`` divided by the greatest common divisor of its coefficients."""
        unknowns = self._unknowns(expr)
        divisor = math.gcd(*unknowns.values())
        if divisor <= 1:
            return expr
        rest = expr - _sum(unknowns)
        remainder = simplify(rest % divisor, self.bounds())
        if _number(remainder) not in (None, 0):
            return ONE
        if _number(remainder) is None:
            self.exact.append(remainder)
        smaller = {n: factor // divisor for n, factor in unknowns.items()}
        return simplify(_sum(smaller) + rest // divisor, self.bounds())

    def _only_one(self, at: int) -> bool:
        unknowns = self._unknowns(self.equations[at])
        return len(unknowns) == 1 and self._solve(at, *unknowns)

    def _longest(self, at: int) -> bool:
        unknowns = self._unknowns(self.equations[at])
        if not unknowns or self._left_by_remainder(unknowns) < self._left(self._sizes(unknowns)):
            return False
        return self._solve(at, max(unknowns, key=self._size))

    def _sizes(self, unknowns: Iterable[int]) -> list[float]:
        return [min(self.variables[n].size, _MANY) for n in unknowns]

    def _left(self, sizes: Sequence[float]) -> float:
        """The number of iterations that remain if the longest loop is determined by the other
        loops.
        """
        return math.prod(sizes) / max(*sizes, 1)

    def _left_by_remainder(self, unknowns: dict[int, int]) -> float:
        """The iterations that remain if a loop is first determined modulo a factor of the
        others.
        """
        fewest = math.inf
        for n in unknowns:
            modulus = math.gcd(*(factor for dim, factor in unknowns.items() if dim != n))
            if modulus > 1:
                sizes = self._sizes(dim for dim in unknowns if dim != n)
                (own,) = self._sizes([n])
                fewest = min(fewest, self._left([*sizes, math.ceil(own / modulus)]))
        return fewest

    def _any(self, at: int) -> bool:
        unknowns = self._unknowns(self.equations[at])
        return any(self._solve(at, n) for n in sorted(unknowns, key=self._size, reverse=True))

    def _solve(self, at: int, n: int) -> bool:
        """Solve an equation for ``n``, if its factor there is 1 or -1."""
        equation = self.equations[at]
        factor = self._unknowns(equation)[n]
        rest = simplify(equation - AffineExpr.dimension(n) * factor, self.bounds())
        if abs(factor) != 1 or n in self.needs(rest):
            return False
        return self._determine(n, rest * -factor)

    def _determine(self, n: int, value: AffineExpr) -> bool:
        self.values[n] = value
        self.values = {dim: self.substituted(value) for dim, value in self.values.items()}
        return True

    def _by_remainder(self, at: int) -> bool:
        """Determine a loop modulo a common factor of the other loops in an equation."""
        equation = self.equations[at]
        unknowns = self._unknowns(equation)
        rest = simplify(equation - _sum(unknowns), self.bounds())
        for n in sorted(unknowns, key=self._size):
            other_factors = {dim: factor for dim, factor in unknowns.items() if dim != n}
            modulus = math.gcd(*other_factors.values())
            if modulus <= 1 or n in self.needs(rest):
                continue
            own = unknowns[n]
            first = simplify(rest * -pow(own, -1, modulus) % modulus, self.bounds())
            extent = simplify(self.variables[n].extent.ceil_div(modulus), self.bounds())
            steps: AffineExpr = ZERO
            if extent != ONE:
                steps = self._new(Variable(self.variables[n].name, extent, True))
            # rest + own * first is a multiple of the modulus
            if own == 1:
                whole = (rest * -1) // modulus * -1
            elif own == -1:
                whole = rest // modulus
            else:
                whole = (rest + first * own) // modulus
            fewer = {dim: factor // modulus for dim, factor in other_factors.items()}
            self.equations[at] = _sum(fewer) + steps * own + whole
            return self._determine(n, first + steps * modulus)
        return False

    def _by_division(self, at: int) -> bool:
        """Solve an equation for a loop by dividing by the loop's factor."""
        equation = self.equations[at]
        unknowns = self._unknowns(equation)
        for n in sorted(unknowns, key=self._size, reverse=True):
            factor = unknowns[n]
            rest = simplify(equation - AffineExpr.dimension(n) * factor, self.bounds())
            if n in self.needs(rest):
                continue
            self.exact.append(rest % abs(factor))
            self.equations[at] = ZERO
            sign = -1 if factor > 0 else 1
            return self._determine(n, (rest * sign) // abs(factor))
        return False


def _number(expr: AffineExpr) -> int | None:
    return expr.value if isinstance(expr, AffineConstantExpr) else None


def _sum(terms: dict[int, int]) -> AffineExpr:
    return from_terms({AffineExpr.dimension(n): factor for n, factor in terms.items()}, 0)
