"""The division of a block's iterations into the part of an outer block and the part inside.

Loops around a block are outside or inside. A binding over both is divided as ``outer * factor +
inner`` with ``0 <= inner < factor``, so that the pair of outer and inner determines the variable
exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import Literal

from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineDimExpr, AffineExpr

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.affine.index_values import IndexValues, dimensions
from kc.dialects.affine_assembly import at_least_zero, from_terms, linear_terms
from kc.dialects.tir import BlockOp, ForOp

Side = Literal["inner", "outer", "free", "mixed"]
"""The origin of a value: loops inside, loops or blocks outside, neither, or a mixture."""

Terms = dict[AffineExpr, int]


@dataclass(frozen=True)
class Division:
    """A variable of a block as ``outer * factor + inner``; an absent part is None."""

    outer: AffineExpr | None
    factor: int
    inner: AffineExpr | None


class Subspace:
    """A block, relative to a loop around it (or to itself, without a loop inside)."""

    def __init__(self, block: BlockOp, inside: Sequence[ForOp], index: IndexValues) -> None:
        self.block = block
        self.inside = list(inside)
        self.root = inside[0] if inside else block
        self.index = index
        self._variables = {loop.var for loop in inside}
        self.exprs = [index.compose(expr, block.binding_operands) for expr in block.binding_exprs]

    # Sides ---------------------------------------------------------------------------------

    def side(self, value: SSAValue) -> Side:
        """The origin of ``value``."""
        if value in self._variables:
            return "inner"
        if not loop_tree.defined_inside(value, self.root):
            return "outer" if _varies(value) else "free"
        sides = {self.side(source) for source in _sources(value)}
        return "inner" if "inner" in sides and sides <= {"inner", "free"} else "mixed"

    def _parts(self, expr: AffineExpr) -> dict[Side, Terms] | None:
        """The terms of ``expr`` by side; None if a term belongs to several sides."""
        terms, _ = linear_terms(expr)
        by_side: dict[Side, Terms] = {"inner": {}, "outer": {}, "free": {}}
        for atom, factor in terms.items():
            sides = {self.side(value) for value in self.roots(atom)}
            if "mixed" in sides or {"inner", "outer"} <= sides:
                return None
            side: Side = "inner" if "inner" in sides else "outer" if "outer" in sides else "free"
            by_side[side][atom] = factor
        return by_side

    def roots(self, expr: AffineExpr) -> list[SSAValue]:
        """The values in ``expr``."""
        roots = (self.index.roots[dim] for dim in dimensions(expr))
        return [root for root in roots if root is not None]

    # Division ------------------------------------------------------------------------------

    def divide(self, expr: AffineExpr) -> Division | None:
        """``expr`` as outer and inner part; None if ``expr`` does not divide."""
        parts = self._parts(expr)
        if parts is None:
            return None
        _, constant = linear_terms(expr)
        inner = parts["inner"]
        if not inner:
            return Division(expr, 1, None)
        if not parts["outer"]:
            return Division(None, 1, expr)
        outer = {**parts["outer"], **parts["free"]}
        low, high = self.index.bounds(from_terms(inner, 0))
        if low is None or high is None:
            return None
        factor = gcd(*outer.values())
        shift = (constant + low) // factor * factor
        if high + constant - shift >= factor:
            return None
        quotient = {atom: coefficient // factor for atom, coefficient in outer.items()}
        return Division(
            self.index.simplify(from_terms(quotient, shift // factor)),
            factor,
            self.index.simplify(from_terms(inner, constant - shift)),
        )

    def reach(self, expr: AffineExpr) -> str:
        """The reason why ``expr`` does not divide, for a refusal."""
        parts = self._parts(expr)
        if parts is None:
            return "a part of it depends on loops on both sides"
        low, high = self.index.bounds(from_terms(parts["inner"], 0))
        names = " and ".join(
            dict.fromkeys(
                value.name_hint or "a value"
                for atom in parts["inner"]
                for value in self.roots(atom)
            )
        )
        if low is None or high is None:
            return f"the range of {names} is not constant"
        factor = gcd(*parts["outer"].values(), *parts["free"].values())
        return (
            f"the part with {names} takes {high - low + 1} values and the rest goes in steps of "
            f"{factor}, so the two would overlap"
        )

    def conditions(self) -> list[AffineConstraintExpr] | None:
        """The predicate of the block over the roots; None if the predicate never holds."""
        return self.index.conditions(self.block.predicate.data, self.block.predicate_operands)

    def condition_side(
        self, condition: AffineConstraintExpr, divisions: Sequence[Division]
    ) -> tuple[Side, AffineConstraintExpr, dict[int, int]]:
        """The side of a condition of the predicate.

        For an inner condition also the remaining condition, and the factor with which each outer
        variable is added.
        """
        parts = self._parts(condition.lhs)
        if parts is None:
            return "mixed", condition, {}
        if not parts["inner"]:
            return "outer", condition, {}
        _, constant = linear_terms(condition.lhs)
        rest, added = dict(parts["outer"]), {}
        for n, division in enumerate(divisions):
            if division.outer is None:
                continue
            terms, offset = linear_terms(division.outer)
            lead = next((atom for atom in terms if atom in rest), None)
            if lead is None or rest[lead] % terms[lead]:
                continue
            added[n] = times = rest[lead] // terms[lead]
            constant -= times * offset
            for atom, factor in terms.items():
                rest[atom] = rest.get(atom, 0) - times * factor
            rest = {atom: factor for atom, factor in rest.items() if factor}
        left: Terms = {**parts["inner"]}
        free = dict(parts["free"])
        for atom, factor in rest.items():
            if self._is_free(atom):
                free[atom] = free.get(atom, 0) + factor
            else:
                return "mixed", condition, {}
        left.update({atom: factor for atom, factor in free.items() if factor})
        inner = AffineConstraintExpr(condition.kind, from_terms(left, constant), condition.rhs)
        return "inner", inner, added

    def _is_free(self, atom: AffineExpr) -> bool:
        return all(self.side(value) == "free" for value in self.roots(atom))

    def domain_guards(self, divisions: Sequence[Division]) -> list[AffineConstraintExpr]:
        """The conditions that restrict outer variables to their domains, if the outer loops do not.

        They hold wherever an instance of the block runs.
        """
        space = Space()
        place = space.place(self.root)
        guards: list[AffineConstraintExpr] = []
        for division, extent in zip(divisions, self.block.extents, strict=True):
            if division.outer is None:
                continue
            low, high = self.index.bounds(division.outer)
            if low is not None and low >= 0 and isinstance(extent, int):
                if high is not None and high * division.factor < extent:
                    continue
            map_, operands = self.index.to_map([division.outer])
            outer = space.expr(map_.results[0], operands, place)
            end = space.size(extent, place)
            if space.find([place], [outer < 0]) is not None:
                guards.append(at_least_zero(division.outer))
            if space.find([place], [outer * division.factor >= end]) is not None:
                size = AffineExpr.constant(extent) if isinstance(extent, int) else None
                whole = size if size is not None else self.index.expr(extent)  # pyright: ignore
                rest = whole - division.outer * division.factor - 1
                guards.append(at_least_zero(self.index.simplify(rest)))
        return guards

    # Uses ----------------------------------------------------------------------------------

    def loose_uses(self) -> list[SSAValue]:
        """The values that vary outside and are used inside, except by the block's own bindings and
        predicate.
        """
        loose: dict[SSAValue, None] = {}
        for op in self.root.walk():
            operands = op.operands
            if op is self.block:
                operands = self.block.dynamic_extents
            for value in operands:
                if not loop_tree.defined_inside(value, self.root) and _varies(value):
                    loose[value] = None
        return list(loose)


def stand_in(value: SSAValue, divisions: Sequence[Division], index: IndexValues) -> int | None:
    """The number of the variable whose outer part is ``value``; None if no variable has this outer
    part.
    """
    for n, division in enumerate(divisions):
        outer = division.outer
        if isinstance(outer, AffineDimExpr) and index.roots[outer.position] is value:
            return n
    return None


def outer_extent(extent: int | SSAValue, division: Division) -> int | SSAValue | None:
    """The extent of the outer variable; None if operations must compute it: ``extent ceildiv
    factor``.
    """
    if division.outer is None:
        return 1
    if division.factor == 1:
        return extent
    return -(-extent // division.factor) if isinstance(extent, int) else None


def _sources(value: SSAValue) -> Sequence[SSAValue]:
    owner = value.owner
    return () if isinstance(owner, Block) else owner.operands


def _varies(value: SSAValue) -> bool:
    """True if ``value`` depends on a loop or on a block's variable."""
    owner = value.owner
    if isinstance(owner, Block):
        return isinstance(owner.parent_op(), ForOp | BlockOp)
    return any(_varies(operand) for operand in owner.operands)
