"""The ranges of the axes of a TE schedule after ``compute_at`` placed the stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from kc.analysis.affine.simplify_affine import simplify
from kc.expr.constructors import Expr, IterVar, Var, as_expr, binary, const, walk
from kc.expr.indices import from_affine, simplified
from kc.expr.relations import add, dim_of, results
from kc.expr.tensor import Dim, PlaceholderOp, ScanOp, Tensor
from kc.support.target import Target
from kc.te.lowering import Lowered, lower_schedule
from kc.te.schedule import Schedule
from kc.tir.module import IRModule


@dataclass(frozen=True)
class Range:
    """``min <= axis < min + extent``; both are expressions, of axes and sizes."""

    min: Expr
    extent: Expr


def arguments(schedule: Schedule) -> list[Tensor | Var]:
    """The parameters of a function of ``schedule``: inputs, outputs, and the remaining size
    variables.
    """
    scans = [stage.op for stage in schedule.stages if isinstance(stage.op, ScanOp)]
    states = {state.op for scan in scans for state in scan.state_placeholder}
    inputs = [
        stage.op.output(0)
        for stage in schedule.stages
        if isinstance(stage.op, PlaceholderOp) and stage.op not in states
    ]
    outputs = [op.output(n) for op in schedule.outputs for n in range(op.num_outputs)]
    sizes = {dim for tensor in (*inputs, *outputs) for dim in tensor.shape if isinstance(dim, Var)}
    extra: dict[Var, None] = {}
    for stage in schedule.stages:
        for expr in stage.expressions():
            for part in walk(expr):
                if isinstance(part, Var) and part not in sizes:
                    extra[part] = None
    return [*inputs, *outputs, *extra]


def ScheduleOps(  # noqa: N802 - TVM's name
    schedule: Schedule, bounds: Mapping[IterVar, Range] | None = None
) -> IRModule:
    """The loops of ``schedule``, as a function of :func:`arguments`. The loop bounds are those of
    :func:`InferBound`; ``bounds`` is ignored.
    """
    del bounds
    return IRModule(_lowered(schedule).tir)


def _lowered(schedule: Schedule) -> Lowered:
    target = Target.current() or Target.generic()
    return lower_schedule(schedule, arguments(schedule), "main", target)


def InferBound(schedule: Schedule) -> dict[IterVar, Range]:  # noqa: N802 - TVM's name
    """The range of every axis, leaf or not.

    If a stage is computed at a consumer's axis, the extents of its axes are the sizes of the box
    that the consumer reads there, and their starts are expressions of the consumers' axes. Axes
    that splits and fusions created start at 0. Raises the errors of :func:`kc.lower`.
    """
    lowered = _lowered(schedule)
    sizes = {
        part.name: part
        for stage in schedule.stages
        for expr in stage.expressions()
        for part in walk(expr)
        if isinstance(part, Var)
    }
    ranges: dict[IterVar, Range] = {}
    for stage in schedule.stages:
        if isinstance(stage.op, ScanOp):
            time = stage.op.scan_axis
            ranges[time] = Range(const(time.start), as_expr(time.extent))
    for stage, starts in lowered.entered.items():
        extents: dict[IterVar, Dim] = {}
        for axis, start in zip(stage.roots, starts, strict=True):
            extent = start.extent
            extents[axis] = dim_of(stage.op.extent_of(axis)) if extent is None else extent
            low = _to_te(start.base, start.values, sizes)
            ranges[axis] = Range(add(low, const(axis.start)), as_expr(extents[axis]))
        for relation in stage.relations:
            extents.update(relation.extents(extents))
            new_axes = [axis for axis in results(relation) if axis in lowered.extents]
            extents.update({axis: lowered.extents[axis] for axis in new_axes})
        for axis in stage.all_iter_vars:
            if axis not in ranges and axis in extents:
                ranges[axis] = Range(const(0), as_expr(simplified(extents[axis])))
    return ranges


def _to_te(
    expr: AffineExpr, values: Sequence[IterVar | str | None], sizes: Mapping[str, Var]
) -> Expr:
    """An affine expression over axes and named sizes as a TE expression; None is an axis at its
    start.
    """

    def leaf(n: int) -> Expr:
        value = values[n]
        if isinstance(value, IterVar):
            return binary("sub", value, value.start) if value.start else value
        assert value is not None  # None values are replaced below
        return sizes.get(value) or Var(value)

    at_start = [
        AffineExpr.constant(0) if value is None else AffineExpr.dimension(n)
        for n, value in enumerate(values)
    ]
    return from_affine(simplify(expr.replace_dims_and_symbols(at_start, []), []), leaf)
