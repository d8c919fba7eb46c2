"""The ranges of the axes of a TE schedule, as they are at the places where stages are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from kc.analysis.simplify_affine import simplify
from kc.support.target import Target
from kc.te.expr import Expr, IterVar, Var, as_expr, binary, const, walk
from kc.te.indices import from_affine
from kc.te.lowering import Lowered, lower_schedule
from kc.te.relations import add, dim_of, results
from kc.te.schedule import Schedule
from kc.te.tensor import Dim, PlaceholderOp, ScanOp, Tensor
from kc.tir.module import IRModule


@dataclass(frozen=True)
class Range:
    """``min <= axis < min + extent``; both are expressions, of axes and sizes."""

    min: Expr
    extent: Expr


def arguments(schedule: Schedule) -> list[Tensor | Var]:
    """The arguments of a function of ``schedule``: inputs, outputs, and other sizes."""
    scans = [one.op for one in schedule.stages if isinstance(one.op, ScanOp)]
    states = {state.op for scan in scans for state in scan.state_placeholder}
    inputs = [
        one.op.output(0)
        for one in schedule.stages
        if isinstance(one.op, PlaceholderOp) and one.op not in states
    ]
    outputs = [op.output(n) for op in schedule.outputs for n in range(op.num_outputs)]
    sizes = {dim for one in (*inputs, *outputs) for dim in one.shape if isinstance(dim, Var)}
    found: dict[Var, None] = {}
    for stage in schedule.stages:
        for expr in stage.expressions():
            for part in walk(expr):
                if isinstance(part, Var) and part not in sizes:
                    found[part] = None
    return [*inputs, *outputs, *found]


def schedule_ops(schedule: Schedule) -> IRModule:
    """The loops of ``schedule``, as a function of :func:`arguments`."""
    return IRModule(_lowered(schedule).tir)


def _lowered(schedule: Schedule) -> Lowered:
    target = Target.current() or Target.generic()
    return lower_schedule(schedule, arguments(schedule), "main", target)


def infer_bound(schedule: Schedule) -> dict[IterVar, Range]:
    """The range of every axis, leaves and others.

    Where a stage is computed at a consumer's axis, the extents of its axes are those of the box
    around what is read there, and their starts are in terms of the consumers' axes. Axes that were
    made by splits and fusions count from 0. Raises what :func:`kc.lower` raises.
    """
    lowered = _lowered(schedule)
    sizes = {
        part.name: part
        for stage in schedule.stages
        for expr in stage.expressions()
        for part in walk(expr)
        if isinstance(part, Var)
    }
    found: dict[IterVar, Range] = {}
    for stage in schedule.stages:
        if isinstance(stage.op, ScanOp):
            time = stage.op.scan_axis
            found[time] = Range(const(time.start), as_expr(time.extent))
    for stage, starts in lowered.entered.items():
        extents: dict[IterVar, Dim] = {}
        for axis, start in zip(stage.roots, starts, strict=True):
            extents[axis] = start.extent if start.extent is not None else dim_of(axis.extent)
            low = _to_te(start.base, start.values, sizes)
            found[axis] = Range(add(low, const(axis.start)), as_expr(extents[axis]))
        for relation in stage.relations:
            extents.update(relation.extents(extents))
            made = [axis for axis in results(relation) if axis in lowered.extents]
            extents.update({axis: lowered.extents[axis] for axis in made})
        for axis in stage.all_iter_vars:
            if axis not in found and axis in extents:
                found[axis] = Range(const(0), as_expr(extents[axis]))
    return found


def _to_te(
    expr: AffineExpr, values: Sequence[IterVar | str | None], sizes: Mapping[str, Var]
) -> Expr:
    """An affine expression over axes (None: one that is at its start) and named sizes."""

    def leaf(n: int) -> Expr:
        value = values[n]
        if isinstance(value, IterVar):
            return binary("sub", value, value.start) if value.start else value
        assert value is not None  # those at their start are replaced below
        return sizes.get(value) or Var(value)

    at_start = [
        AffineExpr.constant(0) if value is None else AffineExpr.dimension(n)
        for n, value in enumerate(values)
    ]
    return from_affine(simplify(expr.replace_dims_and_symbols(at_start, []), []), leaf)
