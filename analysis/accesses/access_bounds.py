"""Proof that an access of a loop nest leaves its buffer, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr

from kc.analysis.accesses.instances import Instance, Space
from kc.analysis.affine.conditions import conjunction, implied
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.isl_sets import first_point
from kc.analysis.affine.simplify_affine import Bounds
from kc.analysis.affine.terms import Term, all_of
from kc.analysis.loop_tree import preorder
from kc.dialects.tir import DYNAMIC, BlockOp, ForOp, IfOp, LoadOp, StoreOp


@dataclass(frozen=True)
class OutOfBounds:
    """An access that leaves its buffer."""

    access: LoadOp | StoreOp
    dimension: int
    size: int
    point: dict[str, int]
    """Loop variables around the access, by name, with their values at the failing iteration."""
    index: int
    """The index at that iteration."""


def out_of_bounds(function: FuncOp) -> OutOfBounds | None:
    """The first access that certainly leaves its buffer; None if no access certainly does.

    The answer is exact if the size of the dimension is constant and if the index and the guards
    depend only on loops of constant extent. Other accesses are not judged, as the sizes that the
    caller passes may be right.
    """
    index = IndexValues()
    for op in preorder(function):
        if isinstance(op, LoadOp | StoreOp):
            doubtful = _doubtful(op, index)
            outside = _check(op, doubtful, index) if doubtful else None
            if outside is not None:
                return outside
    return None


def may_leave(function: FuncOp) -> bool:
    """True if an access by ``memref`` in loops of ``scf`` may leave its buffer. Only the bounds of
    the indices count; guards are ignored.
    """
    index = IndexValues()
    for op in preorder(function):
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            type_ = op.memref.type
            assert isinstance(type_, MemRefType)
            for value, size in zip(op.indices, type_.get_shape(), strict=True):
                if size != DYNAMIC and not _is_inside(index.bounds(index.expr(value)), size):
                    return True
    return False


def _is_inside(bounds: Bounds, size: int) -> bool:
    """True if all indices within ``bounds`` lie in the dimension, or if a bound is unknown."""
    low, high = bounds
    return low is None or high is None or (low >= 0 and high < size)


def _doubtful(access: LoadOp | StoreOp, index: IndexValues) -> list[tuple[int, int]]:
    """The dimensions, with their sizes, in which the bounds of the index do not prove the access
    inside.

    A dimension is left out if the bounds of its index are unknown: such an index depends on more
    than loops of constant extent.
    """
    type_ = access.buffer.type
    assert isinstance(type_, MemRefType)
    shape = type_.get_shape()
    value = access.result if isinstance(access, LoadOp) else access.value
    lanes = value.type.get_shape()[-1] if isinstance(value.type, VectorType) else 1
    doubtful: list[tuple[int, int]] = []
    guards: list[AffineExpr] | None = None
    for n, (expr, size) in enumerate(zip(access.indices.data.results, shape, strict=True)):
        if size == DYNAMIC:
            continue
        more = lanes - 1 if n == len(shape) - 1 else 0
        first = index.compose(expr, access.operands_of_map)
        low, high = index.bounds(first)
        if _is_inside((low, None if high is None else high + more), size):
            continue
        guards = guards_around(access, index) if guards is None else guards
        ends = (first, AffineExpr.constant(size - 1 - more) - first)
        if not all(is_natural(end, guards, index) for end in ends):
            doubtful.append((n, size))
    return doubtful


def is_natural(expr: AffineExpr, guards: Sequence[AffineExpr], index: IndexValues) -> bool:
    """True if ``expr`` is proven to be at least 0, by its bounds or by one of ``guards``."""
    return index.is_natural(expr) or any(
        index.is_natural(index.simplify(expr - guard)) for guard in guards
    )


def guards_around(access: Operation, index: IndexValues) -> list[AffineExpr]:
    """Expressions that are at least 0 under the conditions around ``access``."""
    conditions: list[AffineConstraintExpr] = []
    for parent, child in _around(access):
        if isinstance(parent, BlockOp):
            conditions += index.conditions(parent.predicate.data, parent.predicate_operands) or []
        elif isinstance(parent, IfOp) and child.parent_region() is parent.then:
            conditions += index.conditions(parent.condition.data, parent.operands_of_set) or []
        elif isinstance(parent, scf.IfOp):
            holds = child.parent_region() is parent.true_region
            conditions += implied(parent.cond, index, holds=holds)
    guards: list[AffineExpr] = []
    for condition in conditions:
        difference = condition.lhs - condition.rhs
        if condition.kind is not AffineConstraintKind.le:
            guards.append(difference)
        if condition.kind is not AffineConstraintKind.ge:
            guards.append(-difference)
    return guards


def _around(op: Operation) -> Iterator[tuple[Operation, Operation]]:
    """The ops around ``op`` up to its function, each with its child on the path to ``op``."""
    child, parent = op, op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        yield parent, child
        child, parent = parent, parent.parent_op()


def _check(
    access: LoadOp | StoreOp, dimensions: Sequence[tuple[int, int]], index: IndexValues
) -> OutOfBounds | None:
    """The point at which ``access`` leaves one of ``dimensions`` (number, size); None if it stays
    inside.
    """
    if not _is_executed_as_told(access, index):
        return None
    space = Space()
    place = space.place(access)
    element = space.element(access, place)
    if place.opaque or space.parameters:
        return None
    for dimension, size in dimensions:
        point = _outside(place, element[dimension], size)
        if point is not None:
            loops = {loop.label: at.at(point) for loop, at in place.loops.items()}
            return OutOfBounds(access, dimension, size, loops, element[dimension].at(point))
    return None


def _outside(instance: Instance, index: Term, size: int) -> dict[str, int] | None:
    """Coordinates at which ``index`` violates ``0 <= index < size``; None if no coordinates do."""
    point = first_point(all_of([*instance.constraints, ~index.within(size)]), instance.dims)
    return point if isinstance(point, dict) else None


def _is_executed_as_told(access: Operation, index: IndexValues) -> bool:
    """True if only loops and affine conditions decide whether the access is executed, and no loop
    is empty.
    """
    for parent, child in _around(access):
        if isinstance(parent, ForOp) and parent.static_extent == 0:
            return False
        if isinstance(parent, BlockOp) and 0 in parent.extents:
            return False
        if isinstance(parent, scf.IfOp):
            holds = child.parent_region() is parent.true_region
            if conjunction(parent.cond, index, holds=holds) is None:
                return False
    return True
