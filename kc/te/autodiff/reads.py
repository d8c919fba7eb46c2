"""The adjoint of reading a tensor: the adjoint of an element is a sum over its readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr

from kc.analysis.affine.isl_sets import is_impossible
from kc.analysis.affine.simplify_affine import Bounds
from kc.analysis.affine.terms import (
    Condition,
    Term,
    all_of,
    condition_of,
    dim,
    term_of,
)
from kc.dialects.affine_assembly import from_terms, linear_terms
from kc.expr.constructors import (
    Binary,
    Compare,
    Element,
    Expr,
    IterVar,
    Var,
    binary,
    cast,
    compare,
    const,
    walk,
)
from kc.expr.dtypes import INTS, UINTS
from kc.expr.indices import Space, affine_condition, from_affine
from kc.expr.relations import dim_of
from kc.expr.rewrite import Substitution
from kc.expr.tensor import Dim
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.autodiff.solve import System, Variable


@dataclass(frozen=True)
class Read:
    """An element that an operation reads, and the adjoint through this read in one iteration."""

    element: Element
    flow: Expr
    """The adjoint, over the axes of the operation and the preceding axes of the head."""
    conditions: tuple[Expr, ...]
    """The conditions under which the element is read."""


@dataclass(frozen=True)
class Nest:
    """The loops of the operation that performs the reads."""

    name: str
    axes: tuple[IterVar, ...]
    prefix: tuple[IterVar, ...]
    """The axes of the head that precede those of the result."""
    ties: tuple[tuple[IterVar, IterVar], ...] = ()
    """Axes that must be equal for anything to flow: the head is an identity."""


@dataclass(frozen=True)
class Flow:
    """The adjoint that flows to one element of a tensor: the sum of ``term`` over ``loops``."""

    targets: tuple[IterVar, ...]
    """The indices of the element: the axes of the head, followed by those of the tensor."""
    term: Expr
    loops: tuple[tuple[IterVar, Dim], ...]
    """The loops, with their extents."""
    conditions: tuple[Expr, ...]


def adjoint(read: Read, nest: Nest) -> Flow | None:
    """The adjoint of each element of the tensor that ``read`` reads. None if it is zero."""
    return _Adjoint(read, nest).flow()


class _Adjoint:
    def __init__(self, read: Read, nest: Nest) -> None:
        self.read, self.nest = read, nest
        self.space = space = Space()
        shape = read.element.tensor.shape
        self.elements = tuple(IterVar(f"x{n}", extent, "spatial") for n, extent in enumerate(shape))
        self.box = [*nest.prefix, *self.elements]
        variables: dict[int, Variable] = {}
        for axis in nest.axes:
            extent = space.affine(axis.extent)
            variables[space.number(axis)] = Variable(axis.name, extent, axis.kind == "reduce")
        ranges: dict[int, Bounds] = {}
        for axis in self.box:
            extent = dim_of(axis.extent)
            ranges[space.number(axis)] = (0, extent - 1 if isinstance(extent, int) else None)
        for axis in (*self.box, *nest.axes):
            if isinstance(axis.extent, Var):  # a size is never negative
                ranges[space.number(axis.extent)] = (0, None)
        equations = [
            space.affine(index) - space.affine(axis)
            for index, axis in zip(read.element.indices, self.elements, strict=True)
        ]
        equations += [space.affine(axis) - space.affine(tied) for tied, axis in nest.ties]
        self.system = System(space, variables, ranges, equations)
        self.loops: dict[int, IterVar] = {}
        self._values: dict[int, Expr] = {}

    def flow(self) -> Flow | None:
        if not self.system.solve():
            return None
        for n in self.system.loops:
            self.loops[n] = IterVar(self.system.variables[n].name, 0, "reduce")
        conditions = self._necessary()
        if conditions is None:
            return None
        replaced = self._replaced(self.read.flow)
        return Flow(
            (*self.nest.prefix, *self.elements),
            Substitution(replaced)(self.read.flow),
            tuple((axis, self._extent(n)) for n, axis in self.loops.items()),
            tuple(conditions),
        )

    # Expressions over elements and loops ----------------------------------------------------

    def _leaf(self, n: int) -> Expr:
        """The expression of dimension ``n`` of the space."""
        if n in self.loops:
            return self.loops[n]
        if n not in self._values:
            leaf = self.space.leaves[n]
            assert leaf is not None
            inside = [axis for axis in walk(leaf) if axis in self.nest.axes]
            value = Substitution({axis: self._value(axis) for axis in inside})(leaf)
            self._values[n] = cast(value, "int64") if value.dtype in UINTS else value
        return self._values[n]

    def _value(self, expr: Expr) -> Expr:
        """An index expression over the loops of the operation, in its simplest form."""
        return from_affine(self.system.substituted(self.space.affine(expr)), self._leaf)

    def _replaced(self, expr: Expr) -> dict[Expr, Expr]:
        """Replacements of the axes in ``expr``, and of elements: their indices in simplest form."""
        replacements: dict[Expr, Expr] = {}
        for part in walk(expr):
            if part in self.nest.axes:
                replacements[part] = self._value(part)
            elif isinstance(part, Element):
                indices = tuple(map(self._value, part.indices))
                replacements[part] = Element(part.tensor, indices, part.dtype, part.location)
        return replacements

    def _extent(self, n: int) -> Dim:
        extent = self.system.substituted(self.system.variables[n].extent)
        names = self.system.needs(extent)
        if names:
            loop = self.system.variables[n].name
            needed = self.system.variables[min(names)].name
            raise TEError(
                "KC2205",
                f"te.gradient: the extent of loop {loop} of {self.nest.name} depends on {needed}, "
                "and both are summed over",
                location=caller_location(),
                why=f"the gradient of {self.read.element.tensor.name} sums over the iterations of "
                f"{self.nest.name} that read an element, and the extents of one sum are fixed",
                hints=[f"give {loop} its largest extent, and a condition: where={loop} < ..."],
            )
        return dim_of(from_affine(extent, self._leaf))

    # Conditions -----------------------------------------------------------------------------

    def _necessary(self) -> list[Expr] | None:
        """The conditions that the others do not imply. None if they contradict each other."""
        constraints: list[tuple[Condition | None, Expr]] = []
        for constraint in self.system.conditions():
            constraints.append((condition_of(constraint, _dim), self._constraint(constraint)))
        for conjunct in conjuncts(self.read.conditions):
            constraints.append(
                (self._condition(conjunct), Substitution(self._replaced(conjunct))(conjunct))
            )
        domain = self._domain()
        if self._is_empty(
            [domain, *(assumed for assumed, _ in constraints if assumed is not None)]
        ):
            return None
        # First drop conditions that follow from earlier ones, then conditions that follow from all
        # remaining ones.
        for start in (False, True):
            n = 0
            while n < len(constraints):
                condition = constraints[n][0]
                rest = constraints[:n] + (constraints[n + 1 :] if start else [])
                assumptions = [assumed for assumed, _ in rest if assumed is not None]
                if condition is not None and self._is_empty([domain, *assumptions, ~condition]):
                    del constraints[n]
                else:
                    n += 1
        return [expr for _, expr in constraints]

    def _is_empty(self, parts: Sequence[Condition]) -> bool:
        """True if ``parts`` contradict each other; False if undecided."""
        return is_impossible(all_of(parts), [f"d{n}" for n in range(len(self.space.leaves))])

    def _domain(self) -> Condition:
        """The elements, the loops and the sizes."""
        parts: list[Condition] = []
        extents = {self.space.number(axis): self.space.affine(axis.extent) for axis in self.box}
        extents.update({n: self.system.variables[n].extent for n in self.loops})
        for n, extent in extents.items():
            parts.append(_dim(n).within(_term(self.system.substituted(extent))))
        for n, (low, _) in self.system.ranges.items():
            if n not in extents and low is not None:
                parts.append(_dim(n) >= low)
        return all_of(parts)

    def _constraint(self, constraint: AffineConstraintExpr) -> Expr:
        """``lhs >= 0`` or ``lhs == 0``, with the negative terms moved to the other side."""
        terms, constant = linear_terms(constraint.lhs)
        large = {atom: factor for atom, factor in terms.items() if factor > 0}
        small = {atom: -factor for atom, factor in terms.items() if factor < 0}
        left = from_affine(from_terms(small, max(-constant, 0)), self._leaf)
        right = from_affine(from_terms(large, max(constant, 0)), self._leaf)
        return compare("eq" if constraint.kind is AffineConstraintKind.eq else "le", left, right)

    def _condition(self, condition: Expr) -> Condition | None:
        """``condition`` over the dimensions of the space, where it is one of affine indices."""
        return affine_condition(
            condition, lambda side: _term(self.system.substituted(self.space.affine(side)))
        )


def _dim(n: int) -> Term:
    return dim(f"d{n}")


def _term(expr: AffineExpr) -> Term:
    return term_of(expr, _dim)


# Conditions in general --------------------------------------------------------------------------

_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


def conjuncts(conditions: Sequence[Expr]) -> list[Expr]:
    """The parts that must all hold."""
    parts: list[Expr] = []
    stack = list(reversed(conditions))
    while stack:
        conjunct = stack.pop()
        if isinstance(conjunct, Binary) and conjunct.op == "and":
            stack += [conjunct.rhs, conjunct.lhs]
        else:
            parts.append(conjunct)
    return parts


def negation(condition: Expr) -> Expr:
    """The negation of ``condition``; for floats it also holds if an operand is NaN."""
    if isinstance(condition, Compare) and condition.lhs.dtype in INTS:
        return compare(_OPPOSITE[condition.op], condition.lhs, condition.rhs)
    if isinstance(condition, Binary) and condition.op in ("and", "or"):
        parts = negation(condition.lhs), negation(condition.rhs)
        return binary("or" if condition.op == "and" else "and", *parts)
    return binary("xor", condition, const(True))


def is_of_indices(condition: Expr) -> bool:
    """True if a condition reads no tensor."""
    return not any(isinstance(part, Element) for part in walk(condition))
