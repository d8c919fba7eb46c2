"""What splits and fusions mean: extents and values of axes on both sides of them.

A schedule that stores a tensor in the order of its leaves (``cache_write``), or makes one leaf of a
reduction an axis of a tensor (``rfactor``), rewrites the tensor expression in terms of the leaves:
:class:`Rebase` gives the extents of the leaves, the axes of the compute as expressions of them, and
the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kc.te.expr import Cast, Const, Expr, ExprLike, IterVar, binary, cast, compare, const
from kc.te.tensor import Dim


@dataclass(frozen=True, eq=False)
class Split:
    """``parent == outer * (extent of inner) + inner``; ``factor`` or ``nparts`` is given."""

    parent: IterVar
    outer: IterVar
    inner: IterVar
    factor: Dim | None
    nparts: Dim | None

    def extents(self, known: Mapping[IterVar, Dim]) -> dict[IterVar, Dim]:
        """The extents of the results."""
        whole = known[self.parent]
        if self.factor is not None:
            return {self.outer: ceil_divide(whole, self.factor), self.inner: self.factor}
        assert self.nparts is not None
        return {self.outer: self.nparts, self.inner: ceil_divide(whole, self.nparts)}


@dataclass(frozen=True, eq=False)
class Fuse:
    """``fused`` counts the iterations of the nest of ``axes``, outermost first."""

    axes: tuple[IterVar, ...]
    fused: IterVar

    @property
    def outer(self) -> IterVar:
        """The outermost of the fused axes."""
        return self.axes[0]

    @property
    def inner(self) -> IterVar:
        """The innermost of the fused axes."""
        return self.axes[-1]

    def extents(self, known: Mapping[IterVar, Dim]) -> dict[IterVar, Dim]:
        """The extent of the result."""
        total: Dim = 1
        for one in self.axes:
            total = multiply(total, known[one])
        return {self.fused: total}


@dataclass(frozen=True, eq=False)
class Singleton:
    """``iter`` has one iteration."""

    iter: IterVar

    def extents(self, known: Mapping[IterVar, Dim]) -> dict[IterVar, Dim]:
        """The extent of the axis."""
        del known
        return {self.iter: 1}


@dataclass(frozen=True, eq=False)
class Transform:
    """``results`` count the same iterations as ``axes``, in the order of an index map."""

    axes: tuple[IterVar, ...]
    results: tuple[IterVar, ...]

    def extents(self, known: Mapping[IterVar, Dim]) -> dict[IterVar, Dim]:
        """Nothing: the loops tell."""
        del known
        return {}


Relation = Split | Fuse | Singleton | Transform


def parents(relation: Relation) -> tuple[IterVar, ...]:
    """The axes that a relation starts from."""
    if isinstance(relation, Split):
        return (relation.parent,)
    return () if isinstance(relation, Singleton) else relation.axes


def results(relation: Relation) -> tuple[IterVar, ...]:
    """The axes that a relation makes."""
    if isinstance(relation, Split):
        return relation.outer, relation.inner
    if isinstance(relation, Fuse):
        return (relation.fused,)
    return relation.results if isinstance(relation, Transform) else (relation.iter,)


def family(relations: Sequence[Relation], axis: IterVar) -> set[IterVar]:
    """``axis`` and all that is related to it: what it came from, and what else came from that."""
    found = {axis}
    grows = True
    while grows:
        grows = False
        for one in relations:
            related = {*parents(one), *results(one)}
            if related & found and not related <= found:
                found |= related
                grows = True
    return found


class Rebase:
    """The axes of a compute in terms of its leaves, and the other way round."""

    def __init__(self, relations: Sequence[Relation], roots: Sequence[IterVar]) -> None:
        self.relations = list(relations)
        self.roots = list(roots)
        self.extents: dict[IterVar, Dim] = {one: dim_of(one.extent) for one in roots}
        for one in self.relations:
            if all(parent in self.extents for parent in parents(one)):
                self.extents.update(one.extents(self.extents))

    def to_leaves(self) -> dict[IterVar, Expr]:
        """All axes, counted from 0, as expressions of the roots."""
        found: dict[IterVar, Expr] = {}
        for one in self.roots:
            found[one] = binary("sub", one, one.start) if one.start else one
        for one in self.relations:
            if isinstance(one, Split):
                value, inner = found[one.parent], self.extents[one.inner]
                found[one.outer], found[one.inner] = quotient(value, inner), rest(value, inner)
            elif isinstance(one, Fuse):
                value = found[one.axes[0]]
                for axis in one.axes[1:]:
                    value = add(scale(value, self.extents[axis]), found[axis])
                found[one.fused] = value
            elif isinstance(one, Singleton):
                found[one.iter] = const(0)
        return found

    def to_roots(self, leaves: Mapping[IterVar, Expr]) -> tuple[dict[IterVar, Expr], list[Expr]]:
        """The roots as expressions of the values of ``leaves``, and when these are meant.

        A split that is not even has iterations that stand for nothing; they are those where a
        condition fails. The expressions give a value that the root has there too.
        """
        found: dict[IterVar, Expr] = dict(leaves)
        conditions: list[Expr] = []
        for one in reversed(self.relations):
            if isinstance(one, Split) and one.outer in found:
                inner = self.extents[one.inner]
                value = add(scale(found[one.outer], inner), found[one.inner])
                whole = self.extents[one.parent]
                if multiply(self.extents[one.outer], inner) != whole:
                    conditions.append(compare("lt", value, whole))
                    value = (
                        rest(value, whole)
                        if isinstance(whole, int)
                        else binary("min", value, binary("sub", whole, 1))
                    )
                found[one.parent] = value
            elif isinstance(one, Fuse) and one.fused in found:
                value = found[one.fused]
                for axis in reversed(one.axes[1:]):
                    found[axis] = rest(value, self.extents[axis])
                    value = quotient(value, self.extents[axis])
                found[one.axes[0]] = value
        values = {one: found[one] for one in self.roots if one in found}
        for one, value in values.items():
            moved = binary("add", value, one.start) if one.start else value
            values[one] = _as_axis(moved, one.dtype)
        return values, conditions


def _as_axis(value: Expr, dtype: str) -> Expr:
    """``value`` in the type of the axis that it stands for."""
    return value if value.dtype == dtype else Cast(value, dtype, value.location, is_axis=True)


def dim_of(extent: ExprLike) -> Dim:
    """An extent as a number where it is one."""
    if isinstance(extent, Const):
        return int(extent.value)
    return extent if isinstance(extent, Expr) else int(extent)  # pyright: ignore


def ceil_divide(whole: Dim, part: Dim) -> Dim:
    """``whole / part``, rounded up."""
    if isinstance(whole, int) and isinstance(part, int):
        return -(-whole // part)
    if isinstance(part, int) and part == 1:
        return whole
    rest_of_part = part - 1 if isinstance(part, int) else binary("sub", part, 1)
    return binary("floordiv", binary("add", whole, rest_of_part), part)


def multiply(lhs: Dim, rhs: Dim) -> Dim:
    """The product of two extents."""
    if isinstance(lhs, int) and isinstance(rhs, int):
        return lhs * rhs
    if isinstance(lhs, int):
        lhs, rhs = rhs, lhs
    return lhs if isinstance(rhs, int) and rhs == 1 else binary("mul", lhs, rhs)


def scale(value: Expr, by: Dim) -> Expr:
    """``value * by``; by a size, in 64 bits."""
    if _is(by, 1) or _is(value, 0):
        return value
    if isinstance(by, int):
        return binary("mul", value, by)
    return binary("mul", cast(value, "int64"), cast(by, "int64"))


def add(lhs: Expr, rhs: Expr) -> Expr:
    """``lhs + rhs``."""
    if _is(lhs, 0):
        return rhs
    return lhs if _is(rhs, 0) else binary("add", lhs, rhs)


def quotient(value: Expr, by: Dim) -> Expr:
    """``value // by``."""
    return value if _is(by, 1) or _is(value, 0) else binary("floordiv", value, by)


def rest(value: Expr, by: Dim) -> Expr:
    """``value % by``."""
    if _is(by, 1):
        return const(0)
    return value if _is(value, 0) else binary("floormod", value, by)


def _is(value: Dim, number: int) -> bool:
    if isinstance(value, Const):
        value = int(value.value)
    return isinstance(value, int) and value == number
