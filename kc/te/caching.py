"""cache_read and cache_write of TE: copies of tensors, as tensor expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kc.expr.constructors import Expr, IterVar
from kc.expr.relations import Rebase, Transform, dim_of, family
from kc.expr.rewrite import Substitution
from kc.expr.tensor import ComputeOp, Operation, Tensor, make_axis
from kc.support.diagnostics import ScheduleError
from kc.support.locations import caller_location
from kc.te.intrin_calls import forget_call
from kc.te.stage import Stage, check_scope

if TYPE_CHECKING:
    from kc.te.schedule import Schedule


def cache_name(name: str, scope: str) -> str:
    """``A_shared``: the name of a copy of the tensor ``name``."""
    return f"{name}_" + re.sub(r"\W", "_", scope or "global", flags=re.ASCII)


def cache_read(
    schedule: Schedule,
    tensor: Tensor,
    scope: str,
    readers: Tensor | Operation | Sequence[Tensor | Operation],
) -> Tensor:
    """See :meth:`kc.te.schedule.Schedule.cache_read`."""
    location = caller_location()
    check_scope("cache_read", scope)
    source = known_tensor(schedule, "cache_read", tensor)
    consumers: list[Any] = list(readers) if isinstance(readers, list | tuple) else [readers]
    stages = [schedule[reader] for reader in consumers]
    reading = [stage.op.name for stage in schedule.stages if source in stage.op.input_tensors]
    for stage in stages:
        if source not in stage.op.input_tensors:
            inputs = ", ".join(operand.name for operand in stage.op.input_tensors) or "nothing"
            raise ScheduleError(
                "KC3130",
                f"cache_read: {stage.op.name} does not read {tensor.name}",
                location=location,
                why=f"{stage.op.name} reads {inputs}",
                hints=[f"{tensor.name} is read by {', '.join(reading)}"] if reading else (),
            )
    if not stages:
        raise ScheduleError(
            "KC3130",
            f"cache_read: no reader of {tensor.name} is named",
            location=location,
            why="the copy needs at least one reader",
            hints=[f"{tensor.name} is read by {', '.join(reading)}"] if reading else (),
        )
    axis = [make_axis(f"ax{n}", dim, "spatial", location) for n, dim in enumerate(source.shape)]
    body = (source(*axis),)
    op = ComputeOp(
        cache_name(source.name, scope), source.shape, source.dtype, location, axis, body=body
    )
    schedule.rewrite({source: op.output(0)}, readers=stages)
    _place(schedule, op, scope, schedule[source.op])
    return op.output(0)


def known_tensor(schedule: Schedule, primitive: str, tensor: Any) -> Tensor:
    """``tensor`` as ``schedule`` computes it now, or a refusal (KC3141)."""
    if not isinstance(tensor, Tensor):
        raise ScheduleError(
            "KC3141",
            f"{primitive}: {type(tensor).__name__} is not a tensor",
            location=caller_location(),
            hints=[f"s.{primitive}(C, ...) takes a result of te.compute"],
        )
    return schedule[tensor].op.output(tensor.value_index)


def join_group(stage: Stage, near: Stage) -> None:
    """Put a new stage into the group of ``near``."""
    stage.group = near.group
    if near.group is not None:
        near.group.ops.append(stage.op)


def _place(schedule: Schedule, op: Operation, scope: str, near: Stage) -> None:
    """Put the new stage of ``op`` into its scope, and into the group of ``near``."""
    stage = schedule[op]
    join_group(stage, near)
    stage.set_scope(scope)


def cache_write(schedule: Schedule, tensor: Any, scope: str) -> Any:
    """See :meth:`kc.te.schedule.Schedule.cache_write`."""
    check_scope("cache_write", scope)
    several = isinstance(tensor, list | tuple)
    results = tensor if several else [tensor]
    tensors = [known_tensor(schedule, "cache_write", result) for result in results]
    op = _writer(tensors)
    stage = schedule[op]
    require_no_transform(stage, "cache_write")
    cache, args = _cache(stage, op, scope)
    copies = tuple(cache.output(n)(*args) for n in range(op.num_outputs))
    copy = replace(
        op,
        axis=list(op.axis),
        reduce_axis=[],
        rebased={},
        body=copies,
        call=None,
    )
    if cache.call is not None:
        forget_call(stage)  # the call belongs to the cache
    reason = f"{op.name} is now the copy of {cache.name}, by cache_write at {caller_location()}"
    outputs = {op.output(n): copy.output(n) for n in range(op.num_outputs)}
    stage.become(copy, reason)
    schedule.rewrite(outputs, became={stage: copy})
    _place(schedule, cache, scope, stage)
    caches = [cache.output(result.value_index) for result in tensors]
    return caches if several else caches[0]


def require_no_transform(stage: Stage, primitive: str) -> None:
    """Refuse (KC3150) a stage whose tensor has another layout already."""
    if any(isinstance(relation, Transform) for relation in stage.relations):
        raise ScheduleError(
            "KC3150",
            f"{primitive}: the layout of {stage.op.name} is transformed",
            location=caller_location(),
            why="its axes belong to the new layout, but its expression uses the old layout",
            hints=[f"{primitive} first, then transform_layout"],
        )


def _writer(tensors: Sequence[Tensor]) -> ComputeOp:
    """The compute whose results are exactly ``tensors``."""
    location = caller_location()
    if not tensors:
        raise ScheduleError("KC3141", "cache_write: there are no tensors", location=location)
    op = tensors[0].op
    if not isinstance(op, ComputeOp):
        raise ScheduleError(
            "KC3141",
            f"cache_write: {op.name} is not computed by te.compute",
            location=location,
            why="a cache has one element for each point of the axes",
            hints=[f"s.cache_read({op.name}, scope, readers) makes a copy that is read"],
        )
    if len({id(tensor.op) for tensor in tensors}) > 1:
        names = ", ".join(tensor.name for tensor in tensors)
        raise ScheduleError(
            "KC3141",
            f"cache_write: {names} are not results of one compute",
            location=location,
            why="the list must hold all results of one compute, which are computed together",
            hints=["one cache_write for each of them"],
        )
    if (
        len({tensor.value_index for tensor in tensors}) != op.num_outputs
        or len(tensors) > op.num_outputs
    ):
        raise ScheduleError(
            "KC3141",
            f"cache_write: {len(tensors)} of the {op.num_outputs} results of {op.name}",
            location=location,
            why="the results of one compute are computed together, so all go to the cache",
            hints=[f"s.cache_write([{op.name}.output(0), ...], scope) with all of them"],
        )
    return op


def _cache(stage: Stage, op: ComputeOp, scope: str) -> tuple[ComputeOp, list[Expr]]:
    """The cache of ``op``, with a dimension for each spatial leaf, and the indices in the cache of
    an element of ``op``.
    """
    touched = {relative for axis in op.reduce_axis for relative in family(stage.relations, axis)}
    time = op.axis[:1] if stage.scan is not None else []
    leaves = [*time, *(leaf for leaf in stage.leaf_iter_vars if leaf not in touched)]
    mixed = [axis for axis in op.axis if axis in touched]
    split = [
        leaf for leaf in stage.leaf_iter_vars if leaf in touched and leaf not in op.reduce_axis
    ]
    if split or mixed:
        axis = (split or mixed)[0]
        was = ", ".join(
            root.name for root in op.reduce_axis if root in family(stage.relations, axis)
        )
        raise ScheduleError(
            "KC3136",
            f"cache_write: axis {axis.name} of {op.name} is "
            + ("made from a reduction axis and an axis of the result" if mixed else "a reduction"),
            location=caller_location(),
            why=f"the cache has a dimension for each data-parallel axis; {axis.name} comes from "
            f"{was}, over which {op.name} is reduced",
            hints=[
                f"cache_write first, then split or fuse {was} of the cache",
                *([] if mixed else [f"s.rfactor({op.name}, {axis.name}) makes it data-parallel"]),
            ],
        )
    rebase = Rebase(stage.relations, [*op.axis, *op.reduce_axis], op.extent_of)
    own: dict[IterVar, Expr] = {}
    axes: list[IterVar] = []
    for leaf in leaves:
        axes.append(make_axis(f"{leaf.name}_c", rebase.extents[leaf], "spatial", op.location))
        own[leaf] = axes[-1]
    roots, _ = rebase.to_roots(own)
    substitute = Substitution({axis: roots[axis] for axis in op.axis})
    cache = op.rebase(
        substitute,
        name=cache_name(op.name, scope),
        shape=tuple(dim_of(axis.extent) for axis in axes),
        axis=axes,
        call=None if op.call is None else op.call.on(roots),
    )
    values = rebase.to_leaves()
    return cache, [values[leaf] for leaf in leaves]
