"""Proof that a tensor expression reads outside a tensor, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr

from kc.analysis.affine.conditions import conjunction, implied
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.isl_sets import first_point
from kc.analysis.affine.simplify_affine import bounds
from kc.analysis.affine.terms import Condition, Term, all_of, any_of, condition_of, dim, term_of
from kc.analysis.trust import Undecided
from kc.dialects import te


@dataclass(frozen=True)
class OutOfBounds:
    """A read that leaves its tensor."""

    read: te.ReadOp
    dimension: int
    size: int
    point: dict[str, int]
    """The axes and their values at the failing read, by name."""
    index: int
    """The index at that point."""


@dataclass(frozen=True)
class EarlyRead:
    """A read of a row of a scan's state that is not, or not provably, computed before the read."""

    read: te.ReadOp
    time: int = 0
    """The row being computed at the time of the read."""
    row: int = 0
    """The row that is read."""
    why: str | None = None
    """The reason why the row is unknown; None if it is known."""


@dataclass(frozen=True)
class _Axis:
    """The range ``low <= axis <= high``."""

    name: str
    low: int
    high: int


def out_of_bounds(compute: te.ComputeOp) -> OutOfBounds | None:
    """The first read of ``compute`` that certainly leaves its tensor; None if no read certainly
    does.

    The answer is exact if the size of the tensor and the extents of the axes in the index are
    constant, for the terms that take part in a reduction. Other reads are not judged, as the sizes
    that the caller passes may be right.
    """
    axes: dict[SSAValue, _Axis] = {}
    regions = [
        region for region in compute.regions if region is not compute.combine and region.blocks
    ]
    for n, (name, extent) in enumerate(zip(compute.names, compute.extents, strict=True)):
        if extent == 0:
            return None  # an empty domain
        if isinstance(extent, int):
            for region in regions:
                if n < len(region.block.args):
                    axes[region.block.args[n]] = _Axis(name, 0, extent - 1)
    scan = compute.parent_op()
    if isinstance(scan, te.ScanOp) and isinstance(extent := scan.extent_value, int):
        if extent <= scan.start:
            return None
        axes[scan.time] = _Axis(scan.axis_name.data, scan.start, extent - 1)
    for region in regions:
        guard = guard_of(compute) if region is compute.body else Guard()
        for read, guard_of_read in reads_in(region.block, guard):
            read_outside = (
                _check(read, axes, guard_of_read.conditions) if guard_of_read.complete else None
            )
            if read_outside is not None:
                return read_outside
    return None


Known = tuple[AffineConstraintExpr, list[SSAValue]]
"""A condition and its operands."""


@dataclass(frozen=True)
class Guard:
    """The conditions under which a body is evaluated: the conjunction of ``conditions``."""

    conditions: tuple[Known, ...] = ()
    complete: bool = True
    """True if ``conditions`` is complete and no condition depends on values known only at run
    time.
    """


def reads_in(block: Block, guard: Guard) -> Iterator[tuple[te.ReadOp, Guard]]:
    """The reads in ``block``, each with its guard. ``guard`` is the guard of the block itself."""
    for op in block.ops:
        if isinstance(op, te.ReadOp):
            yield op, guard
        elif isinstance(op, scf.IfOp):
            for region, holds in ((op.true_region, True), (op.false_region, False)):
                index = IndexValues()
                complete = conjunction(op.cond, index, holds=holds) is not None
                if not region.blocks:
                    continue
                space, operands = index.to_set(implied(op.cond, index, holds=holds))
                more = [(part, operands) for part in space.constraints]
                inner = Guard((*guard.conditions, *more), guard.complete and complete)
                yield from reads_in(region.block, inner)


def guard_of(compute: te.ComputeOp) -> Guard:
    """The guard of the body of ``compute``."""
    if not compute.has_where:
        return Guard()
    last = compute.where.block.last_op
    assert isinstance(last, te.ConditionOp)
    twin: dict[SSAValue, SSAValue] = {}
    twin.update(zip(compute.where.block.args, compute.body.block.args, strict=True))
    operands = [twin.get(arg, arg) for arg in last.operands_of_set]
    constraints = last.condition.data.constraints
    return Guard(tuple((part, operands) for part in constraints), last.value is None)


def _check(
    read: te.ReadOp, axes: dict[SSAValue, _Axis], guard: Sequence[Known]
) -> OutOfBounds | None:
    operands = list(read.operands_of_map)
    if any(value not in axes for value in operands):
        return None
    shape = read.tensor.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    ranges = [(axes[value].low, axes[value].high) for value in operands]
    for n, (expr, size) in enumerate(zip(read.indices.data.results, shape, strict=True)):
        if size == te.DYNAMIC:
            continue
        low, high = bounds(expr, ranges)
        if low is not None and high is not None and low >= 0 and high < size:
            continue
        point = _witness(expr, operands, size, axes, guard)
        if point is not None:
            values = [point[axes[value].name] for value in operands]
            used = {axes[value].name: point[axes[value].name] for value in operands}
            return OutOfBounds(read, n, size, used, expr.eval(values, []))
    return None


def _witness(
    expr: AffineExpr,
    operands: Sequence[SSAValue],
    size: int,
    axes: dict[SSAValue, _Axis],
    guard: Sequence[Known],
) -> dict[str, int] | None:
    """Values of the axes at which ``expr`` violates ``0 <= expr < size``; None if there are no such
    values.
    """
    used = dict.fromkeys([*operands, *(value for _, group in guard for value in group)])
    if any(value not in axes for value in used):
        return None
    names = {value: f"d{n}" for n, value in enumerate(used)}
    index = _index(expr, operands, names)
    conditions = [_holds(part, group, names) for part, group in guard]
    if index is None or None in conditions:
        return None
    facts = [condition for condition in conditions if condition is not None]
    for value, name in names.items():
        facts += [dim(name) >= axes[value].low, dim(name) <= axes[value].high]
    point = first_point(all_of([*facts, ~index.within(size)]), list(names.values()))
    if not isinstance(point, dict):
        return None
    return {axes[value].name: point[name] for value, name in names.items()}


class _NotAffine(Exception):
    pass


def _not_affine() -> Term:
    raise _NotAffine


def _index(
    expr: AffineExpr, operands: Sequence[SSAValue], names: Mapping[SSAValue, str]
) -> Term | None:
    """An index as a term over the values in ``names``; None if the index is not affine."""
    try:
        return term_of(expr, lambda n: dim(names[operands[n]]), _not_affine)
    except _NotAffine:
        return None


def _holds(
    constraint: AffineConstraintExpr, operands: Sequence[SSAValue], names: Mapping[SSAValue, str]
) -> Condition | None:
    """A constraint as a condition over the values in ``names``; None if the constraint is not
    affine.
    """
    try:
        return condition_of(constraint, lambda n: dim(names[operands[n]]), _not_affine)
    except _NotAffine:
        return None


def early_read(compute: te.ComputeOp, scan: te.ScanOp) -> EarlyRead | None:
    """The first read of a state of ``scan`` whose row is not proven to be computed before."""
    for region in compute.regions:
        guard = guard_of(compute) if region is compute.body else Guard()
        for read, condition in reads_in(region.block, guard) if region.blocks else ():
            early = _early(read, condition, compute, scan) if read.tensor in scan.states else None
            if early is not None:
                return early
    return None


def _early(
    read: te.ReadOp, guard: Guard, compute: te.ComputeOp, scan: te.ScanOp
) -> EarlyRead | None:
    """The fault of a read of a state; None if the read is proven correct."""
    operands = list(read.operands_of_map)
    used = dict.fromkeys(
        [scan.time, *operands, *(value for c in guard.conditions for value in c[1])]
    )
    names = {value: f"d{n}" for n, value in enumerate(used)}
    time = dim(names[scan.time])
    index = _index(read.indices.data.results[0], operands, names)
    if index is None:
        return EarlyRead(read, why="the index is not affine")
    domain = [time >= scan.start]
    if isinstance(scan.extent_value, int):
        domain.append(time < scan.extent_value)
    values: set[SSAValue] = {scan.time}
    for value, name in names.items():
        extent = _extent_of(value, compute)
        if extent is not None:
            values.add(value)
            domain.append(dim(name) >= 0)
            if isinstance(extent, int):
                domain.append(dim(name) < extent)
    conditions = [_holds(part, group, names) for part, group in guard.conditions]
    domain += [condition for condition in conditions if condition is not None]
    decided = guard.complete and None not in conditions
    early = any_of([index >= time, index < 0])
    point = first_point(all_of([*domain, early]), list(names.values()))
    if point is None:
        return None
    if isinstance(point, Undecided):
        return EarlyRead(read, why=point.reason)
    if set(operands) - values:
        return EarlyRead(read, why="the row is known only at run time")
    row = read.indices.data.results[0].eval([point[names[value]] for value in operands], [])
    if not decided:
        why = f"at {scan.axis_name.data}={time.at(point)} it may read row {row}"
        return EarlyRead(read, why=f"{why}, depending on values that are known only at run time")
    return EarlyRead(read, time.at(point), row)


def _extent_of(value: SSAValue, compute: te.ComputeOp) -> int | SSAValue | None:
    """The extent of the axis ``value``; None if ``value`` is no axis of ``compute``."""
    for region in compute.regions:
        if region is not compute.combine and region.blocks and value in region.block.args:
            return compute.extents[region.block.args.index(value)]  # pyright: ignore
    return None
