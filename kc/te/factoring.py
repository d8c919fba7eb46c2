"""rfactor of TE: one leaf of a reduction becomes an axis of a tensor of partial results."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kc.expr.constructors import CommReducer, Expr, IterVar, Reduce, binary, select
from kc.expr.reducers import identity
from kc.expr.relations import Rebase, depends_on_element, dim_of, family
from kc.expr.rewrite import Substitution
from kc.expr.tensor import ComputeOp, Tensor, make_axis
from kc.support.diagnostics import ScheduleError
from kc.support.locations import caller_location
from kc.te.caching import join_group, known_tensor, require_no_transform
from kc.te.stage import Stage

if TYPE_CHECKING:
    from kc.te.schedule import Schedule


def rfactor(schedule: Schedule, tensor: Tensor, axis: IterVar, factor_axis: int = 0) -> Any:
    """See :meth:`kc.te.schedule.Schedule.rfactor`."""
    source = known_tensor(schedule, "rfactor", tensor)
    stage = schedule[source]
    op = stage.op
    if not isinstance(op, ComputeOp) or not isinstance(op.bodies[0], Reduce):
        raise ScheduleError(
            "KC3139",
            f"rfactor: {op.name} is not a reduction",
            location=caller_location(),
            why="only reductions have partial results",
        )
    require_no_transform(stage, "rfactor")
    if stage.scan is not None:
        raise ScheduleError(
            "KC3152",
            f"rfactor: {op.name} is part of the step of the scan {stage.scan.name}",
            location=caller_location(),
            why="the partial results would have rows that no step computes",
        )
    stage.leaf(axis, "rfactor")
    related = family(stage.relations, axis)
    touched = [spatial for spatial in op.axis if spatial in related]
    if axis.kind != "reduce" or touched:
        kinds = [leaf.name for leaf in stage.leaf_iter_vars if _is_factor(stage, op, leaf)]
        raise ScheduleError(
            "KC3139",
            f"rfactor: axis {axis.name} of {op.name} is "
            + ("not of the reduction alone" if axis.kind == "reduce" else "not of the reduction"),
            location=caller_location(),
            why=f"it is made from {', '.join(spatial.name for spatial in touched)}, an axis of the "
            "result"
            if axis not in touched
            else f"{op.name} has an element for each of its iterations",
            hints=[f"the axes of the reduction: {', '.join(kinds)}"] if kinds else (),
        )
    length = Rebase(stage.relations, [*op.axis, *op.reduce_axis], op.extent_of).extents[axis]
    if depends_on_element(length):
        raise ScheduleError(
            "KC3139",
            f"rfactor: axis {axis.name} of {op.name} has a number of iterations that "
            "differs between elements",
            location=caller_location(),
            why=f"the partial results would have {length} elements along it, and a dimension of a "
            "tensor has one size",
            hints=["split it by factor=8, or by nparts=8, and factor the axis that has 8 of them"],
        )
    rank = len(op.axis)
    if not isinstance(factor_axis, int) or not -rank - 1 <= factor_axis <= rank:
        raise ScheduleError(
            "KC3140",
            f"rfactor: factor_axis {factor_axis} for {op.name}",
            location=caller_location(),
            why=f"{op.name} has {rank} dimension{'s' * (rank != 1)}, the partial results one more",
            hints=[f"factor_axis=0 to {rank}, or -1 for the last"],
        )
    place = factor_axis % (rank + 1)
    partial, has_empty_parts = _partial(stage, op, axis, place)
    final = _final(op, partial, axis, place, has_empty_parts)
    reason = f"{op.name} is now the reduction of {partial.name}, by rfactor at {caller_location()}"
    stage.become(final, reason, used=related)
    schedule.rewrite(dict(zip(op.outputs, final.outputs, strict=True)), became={stage: final})
    join_group(schedule[partial], stage)
    return list(partial.outputs) if op.num_outputs > 1 else partial.output(0)


def reduction_of(op: ComputeOp) -> Reduce:
    """The first reduction of the results of ``op``."""
    first = op.bodies[0]
    assert isinstance(first, Reduce)
    return first


def _is_factor(stage: Stage, op: ComputeOp, axis: IterVar) -> bool:
    related = family(stage.relations, axis)
    return axis.kind == "reduce" and not any(spatial in related for spatial in op.axis)


def _partial(stage: Stage, op: ComputeOp, axis: IterVar, place: int) -> tuple[ComputeOp, bool]:
    """The partial results, and True if some of them may have no term. ``axis`` becomes an axis of
    the partial results; the other leaves of the same axes are reduced; other reduction axes stay.
    """
    reduce = reduction_of(op)
    rebase = Rebase(stage.relations, [*op.axis, *op.reduce_axis], op.extent_of)
    related = family(stage.relations, axis)
    factor = make_axis(axis.name, rebase.extents[axis], "spatial", op.location)
    leaves: dict[IterVar, Expr] = {axis: factor}
    rest = [reduce_axis for reduce_axis in op.reduce_axis if reduce_axis not in related]
    for leaf in stage.leaf_iter_vars:
        if leaf in related and leaf is not axis:
            copy = make_axis(leaf.name, rebase.extents[leaf], "reduce", op.location)
            leaves[leaf] = copy
            rest.append(copy)
    roots, conditions = rebase.to_roots(leaves)
    substitute = Substitution(roots)
    values = tuple(substitute(value) for value in reduce.values)
    if conditions:
        # The other iterations are invalid: their values can be computed (indices wrap), but are
        # ignored.
        values = _where(conditions, values, reduce)
    condition = None if reduce.condition is None else substitute(reduce.condition)
    sizes = [dim_of(reduced.extent) for reduced in rest]
    has_empty_parts = bool(conditions) or condition is not None
    has_empty_parts |= not all(isinstance(size, int) for size in sizes)
    if has_empty_parts:
        reduce = _of_empty_parts(reduce)
    if rest:
        bodies = _results(reduce, values, tuple(rest), condition, None)
    else:
        bodies = values if condition is None else _where([condition], values, reduce)
    axes = list(op.axis)
    axes.insert(place, factor)
    partial = replace(
        op,
        name=f"{op.name}_rf",
        shape=tuple(dim_of(iter_var.extent) for iter_var in axes),
        axis=axes,
        reduce_axis=rest,
        body=bodies,
    )
    return partial, has_empty_parts


def _of_empty_parts(reduce: Reduce) -> Reduce:
    """A copy of ``reduce`` whose combiner must also combine two identities to the identity, because
    parts may be empty.
    """
    combiner = reduce.combiner
    if not isinstance(combiner, CommReducer) or combiner.laws != "checked":
        return reduce
    return replace(reduce, combiner=replace(combiner, laws="checked for empty parts"))


def _where(conditions: Sequence[Expr], values: Sequence[Expr], reduce: Reduce) -> tuple[Expr, ...]:
    """``values`` where all ``conditions`` hold, and the combiner's identity elsewhere."""
    holds = functools.reduce(lambda x, y: binary("and", x, y), conditions)
    pairs = zip(values, identity(reduce), strict=True)
    return tuple(select(holds, value, neutral) for value, neutral in pairs)


def _final(
    op: ComputeOp, partial: ComputeOp, axis: IterVar, place: int, has_empty_parts: bool
) -> ComputeOp:
    """The reduction of the partial results that replaces ``op``. Its axes are new."""
    reduce = reduction_of(op)
    if has_empty_parts:
        reduce = _of_empty_parts(reduce)
    axes = [
        make_axis(spatial.name, dim_of(spatial.extent), "spatial", op.location)
        for spatial in op.axis
    ]
    extent = dim_of(partial.axis[place].extent)
    factor = make_axis(f"{axis.name}_v", extent, "reduce", op.location)
    indices: list[IterVar] = list(axes)
    indices.insert(place, factor)
    values = tuple(output(*indices) for output in partial.outputs)
    init = None
    own: dict[IterVar, Expr] = dict(zip(op.axis, axes, strict=True))
    moved = Substitution(own)
    if reduce.init is not None:
        init = tuple(map(moved, reduce.init))
    reduce = replace(reduce, captured=tuple(map(moved, reduce.captured)))
    results = _results(reduce, values, (factor,), None, init)
    return replace(
        op,
        axis=axes,
        reduce_axis=[factor],
        rebased={},
        body=results,
    )


def _results(
    reduce: Reduce,
    values: tuple[Expr, ...],
    axes: tuple[IterVar, ...],
    condition: Expr | None,
    init: tuple[Expr, ...] | None,
) -> tuple[Reduce, ...]:
    """The results of a reduction like ``reduce``, but of other values."""
    return tuple(
        replace(
            reduce,
            values=values,
            axes=axes,
            condition=condition,
            init=init,
            value_index=n,
            dtype=value.dtype,
        )
        for n, value in enumerate(values)
    )
