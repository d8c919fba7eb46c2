"""The semantics of splits and fusions: the extents and values of the axes on both sides.

A schedule that stores a tensor in the order of its leaves (``cache_write``), or turns a leaf of a
reduction into an axis of a tensor (``rfactor``), rewrites the tensor expression in terms of the
leaves. :class:`Rebase` computes the extents of the leaves, the axes of the compute as expressions
of the leaves, and the inverse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kc.expr.constructors import (
    Cast,
    Const,
    Element,
    Expr,
    ExprLike,
    IterVar,
    binary,
    cast,
    compare,
    const,
    walk,
)
from kc.expr.nodes import Dim


@dataclass(frozen=True, eq=False)
class Split:
    """``parent == outer * (extent of inner) + inner``; exactly one of ``factor`` and ``nparts`` is
    set.
    """

    parent: IterVar
    outer: IterVar
    inner: IterVar
    factor: Dim | None
    nparts: Dim | None

    def extents(self, extent_of: Mapping[IterVar, Dim]) -> dict[IterVar, Dim]:
        """The extents of the results."""
        whole = extent_of[self.parent]
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

    def extents(self, extent_of: Mapping[IterVar, Dim]) -> dict[IterVar, Dim]:
        """The extent of the result."""
        total: Dim = 1
        for axis in self.axes:
            total = multiply(total, extent_of[axis])
        return {self.fused: total}


@dataclass(frozen=True, eq=False)
class Singleton:
    """``iter`` has one iteration."""

    iter: IterVar

    def extents(self, extent_of: Mapping[IterVar, Dim]) -> dict[IterVar, Dim]:
        """The extent of the axis."""
        del extent_of
        return {self.iter: 1}


@dataclass(frozen=True, eq=False)
class Transform:
    """``results`` count the same iterations as ``axes``, in the order of an index map."""

    axes: tuple[IterVar, ...]
    results: tuple[IterVar, ...]

    def extents(self, extent_of: Mapping[IterVar, Dim]) -> dict[IterVar, Dim]:
        """Empty: the loops determine the extents."""
        del extent_of
        return {}


Relation = Split | Fuse | Singleton | Transform


def parents(relation: Relation) -> tuple[IterVar, ...]:
    """The axes that a relation starts from."""
    if isinstance(relation, Split):
        return (relation.parent,)
    return () if isinstance(relation, Singleton) else relation.axes


def results(relation: Relation) -> tuple[IterVar, ...]:
    """The axes that a relation creates."""
    if isinstance(relation, Split):
        return relation.outer, relation.inner
    if isinstance(relation, Fuse):
        return (relation.fused,)
    return relation.results if isinstance(relation, Transform) else (relation.iter,)


def offspring(relations: Sequence[Relation], axis: IterVar) -> set[IterVar]:
    """``axis`` and all axes that come from it."""
    descendants = {axis}
    for relation in relations:  # in the order in which they were recorded
        if descendants.intersection(parents(relation)):
            descendants.update(results(relation))
    return descendants


def family(relations: Sequence[Relation], axis: IterVar) -> set[IterVar]:
    """``axis`` and all axes related to it: its ancestors, and their descendants."""
    relatives = {axis}
    grows = True
    while grows:
        grows = False
        for relation in relations:
            related = {*parents(relation), *results(relation)}
            if related & relatives and not related <= relatives:
                relatives |= related
                grows = True
    return relatives


class Rebase:
    """The axes of a compute in terms of its leaves, and the inverse."""

    def __init__(
        self,
        relations: Sequence[Relation],
        roots: Sequence[IterVar],
        extent_of: Callable[[IterVar], ExprLike] = lambda axis: axis.extent,
    ) -> None:
        """``extent_of`` gives the extents of ``roots``, where the operation rebased them."""
        self.relations = list(relations)
        self.roots = list(roots)
        self.extents: dict[IterVar, Dim] = {axis: dim_of(extent_of(axis)) for axis in roots}
        for relation in self.relations:
            if all(parent in self.extents for parent in parents(relation)):
                self.extents.update(relation.extents(self.extents))

    def to_leaves(self) -> dict[IterVar, Expr]:
        """All axes, counted from 0, as expressions of the roots."""
        values: dict[IterVar, Expr] = {}
        for root in self.roots:
            values[root] = binary("sub", root, root.start) if root.start else root
        for relation in self.relations:
            if isinstance(relation, Split):
                value, inner = values[relation.parent], self.extents[relation.inner]
                values[relation.outer], values[relation.inner] = (
                    quotient(value, inner),
                    rest(value, inner),
                )
            elif isinstance(relation, Fuse):
                value = values[relation.axes[0]]
                for axis in relation.axes[1:]:
                    value = add(scale(value, self.extents[axis]), values[axis])
                values[relation.fused] = value
            elif isinstance(relation, Singleton):
                values[relation.iter] = const(0)
        return values

    def to_roots(self, leaves: Mapping[IterVar, Expr]) -> tuple[dict[IterVar, Expr], list[Expr]]:
        """The roots as expressions of the values of ``leaves``, and the guards for valid
        iterations.

        The iterations of an uneven split that exceed the parent's extent violate a guard. The
        expressions are defined for these iterations too.
        """
        value_of: dict[IterVar, Expr] = dict(leaves)
        conditions: list[Expr] = []
        for relation in reversed(self.relations):
            if isinstance(relation, Split) and relation.outer in value_of:
                inner = self.extents[relation.inner]
                value = add(scale(value_of[relation.outer], inner), value_of[relation.inner])
                whole = self.extents[relation.parent]
                if multiply(self.extents[relation.outer], inner) != whole:
                    conditions.append(compare("lt", value, whole))
                    value = (
                        rest(value, whole)
                        if isinstance(whole, int)
                        else binary("min", value, binary("sub", whole, 1))
                    )
                value_of[relation.parent] = value
            elif isinstance(relation, Fuse) and relation.fused in value_of:
                value = value_of[relation.fused]
                for axis in reversed(relation.axes[1:]):
                    value_of[axis] = rest(value, self.extents[axis])
                    value = quotient(value, self.extents[axis])
                value_of[relation.axes[0]] = value
        values = {root: value_of[root] for root in self.roots if root in value_of}
        for root, value in values.items():
            moved = binary("add", value, root.start) if root.start else value
            values[root] = _as_axis(moved, root.dtype)
        return values, conditions


def _as_axis(value: Expr, dtype: str) -> Expr:
    """``value`` in the type of the axis that it stands for."""
    return value if value.dtype == dtype else Cast(value, dtype, value.location, is_axis=True)


def dim_of(extent: ExprLike) -> Dim:
    """An extent as an int if it is constant."""
    if isinstance(extent, Const):
        return int(extent.value)
    return extent if isinstance(extent, Expr) else int(extent)  # pyright: ignore


def depends_on_element(extent: Any) -> bool:
    """True if an extent differs between elements: it reads a tensor or an axis."""
    parts = walk(extent) if isinstance(extent, Expr) else ()
    return any(isinstance(part, Element | IterVar) for part in parts)


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
