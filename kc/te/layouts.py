"""transform_layout of TE: a tensor is kept, and computed, in another order of its elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xdsl.ir.affine import AffineExpr

from kc.expr.constructors import IterVar
from kc.expr.relations import Transform
from kc.expr.tensor import ComputeOp, ScanOp
from kc.support.diagnostics import ScheduleError, counted
from kc.support.locations import caller_location
from kc.transforms.schedule._index_map import IndexMap

if TYPE_CHECKING:
    from kc.te.stage import Stage


def transform_layout(stage: Stage, mapping: Callable[..., Any]) -> list[IterVar] | None:
    """See :meth:`kc.te.stage.Stage.transform_layout`."""
    rank = len(stage.op.shape)
    transformed = [relation for relation in stage.relations if isinstance(relation, Transform)]
    axes = list(transformed[-1].results if transformed else stage.op.axis)
    rank = len(axes) if transformed else rank
    index_map = IndexMap.from_func(mapping, ndim=rank)
    if len(index_map.names) != rank:
        raise ScheduleError(
            "KC3150",
            f"transform_layout: the map takes {counted(len(index_map.names), 'index', 'indices')}, "
            f"{stage.op.name} has {rank}",
            location=caller_location(),
            why="the map must take one index for each dimension",
        )
    if stage.scan is not None or isinstance(stage.op, ScanOp):
        raise ScheduleError(
            "KC3152",
            f"transform_layout: {stage.op.name} is computed step by step",
            location=caller_location(),
            why="the first index of its tensor is time",
        )
    assert stage.schedule is not None
    for scan in (user.op for user in stage.schedule.stages if isinstance(user.op, ScanOp)):
        if any(tensor.op is stage.op for tensor in scan.init):
            raise ScheduleError(
                "KC3152",
                f"transform_layout: {stage.op.name} computes the first rows of scan {scan.name}",
                location=caller_location(),
                why="they are stored in the tensor of the scan, whose first index is time",
            )
    if not isinstance(stage.op, ComputeOp) or index_map.is_swizzle:
        stage.store("transform-layout", {"index_map": index_map})
        return axes if isinstance(stage.op, ComputeOp) else None
    for axis in axes:
        stage.leaf(axis, "transform_layout")
    start = stage.leaf_iter_vars.index(axes[0]) if axes else 0
    order = stage.leaf_iter_vars[start : start + rank]
    if any(a is not b for a, b in zip(order, axes, strict=False)) or len(order) != rank:
        names = ", ".join(leaf.name for leaf in stage.leaf_iter_vars)
        raise ScheduleError(
            "KC3150",
            f"transform_layout: the axes of {stage.op.name} are reordered",
            location=caller_location(),
            why=f"the map is about {', '.join(axis.name for axis in axes)}, side by side; the "
            f"order is {names}",
            hints=["transform_layout first, then reorder"],
        )
    new_axes = tuple(stage.new_axis(f"ax{n}", "spatial") for n in range(len(index_map.results)))
    stage.leaf_iter_vars[start : start + rank] = new_axes
    reduce = list(stage.op.reduce_axis)
    names = (*index_map.names, *(f"r{n}" for n in range(len(reduce))))
    reductions = (AffineExpr.dimension(rank + n) for n in range(len(reduce)))
    whole = IndexMap(names, (*index_map.results, *reductions))
    relation = Transform(tuple(axes), new_axes)
    stage.record("transform-block-layout", axes, {"index_map": whole}, relation, keeps=reduce)
    stage.store("transform-layout", {"index_map": index_map})
    return list(new_axes)
