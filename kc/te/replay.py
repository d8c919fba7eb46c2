"""A TE schedule as steps, each a primitive on loops and blocks of ``tir``.

Consumers precede their producers, because the axes of a producer span the elements that its place
of computation needs, and the consumer's primitives determine that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kc.expr.constructors import IterVar
from kc.expr.relations import Rebase, Split, offspring
from kc.expr.tensor import ComputeOp, Dim, ScanOp
from kc.support.diagnostics import Location, ScheduleError
from kc.te.axes import Record
from kc.te.stage import Attach, Stage

if TYPE_CHECKING:
    from kc.te.schedule import Schedule


@dataclass(frozen=True)
class Leaf:
    """A loop: the current form of an axis of a stage."""

    stage: Stage
    axis: IterVar


@dataclass(frozen=True)
class BlockOf:
    """The block of a stage."""

    stage: Stage


@dataclass(frozen=True)
class Result:
    """The buffer that a stage writes: its n-th output."""

    number: int = 0


@dataclass(frozen=True)
class Step:
    """A primitive, with values for its fields, and the axes that its loops become."""

    primitive: str
    stage: Stage
    fields: dict[str, Any]
    location: Location | None
    results: tuple[IterVar, ...] = ()
    threads: Dim | None = None
    """The number of iterations that its loop must have."""


@dataclass(frozen=True)
class Enter:
    """From here on, the axes of ``stage`` are loops: the innermost loops around its block."""

    stage: Stage
    moved: bool


def steps(schedule: Schedule) -> Iterator[Step | Enter]:
    """The steps, in order. Raises the errors that can be decided without the loops."""
    planned: set[Stage] = set()
    for stage in reversed(schedule.stages):
        if isinstance(stage.op, ComputeOp | ScanOp) or stage.op.axis:
            yield from _of_stage(stage, planned)
            planned.add(stage)
    for stage in reversed(schedule.stages):
        yield from _of_storage(schedule, stage, rolling=False)
    # a rolling buffer must be computed from buffers that already roll
    for stage in schedule.stages:
        yield from _of_storage(schedule, stage, rolling=True)
    for primitive in _LAST:
        for stage in reversed(schedule.stages):
            for record in stage.records if not _is_inline(stage) else ():
                if record.primitive == primitive:
                    yield Step(primitive, stage, _fields(stage, record), record.location)


_LAST = ("prefetch", "tensorize")
"""Primitives that are applied last, to the final loops."""


def _is_inline(stage: Stage) -> bool:
    return stage.place is not None and stage.place.kind == "inline"


def _of_storage(schedule: Schedule, stage: Stage, *, rolling: bool) -> Iterator[Step]:
    """The calls on the tensor of a stage: the rolling-buffer calls, or all other calls."""
    for record in stage.storage if not _is_inline(stage) else ():
        if (record.primitive == "rolling-buffer") is rolling:
            fields = {**_buffer(schedule, stage, record), **record.arguments}
            yield Step(record.primitive, stage, fields, record.location)


def _buffer(schedule: Schedule, stage: Stage, record: Record) -> dict[str, Any]:
    """The tensor of a stage; for an input, the read of a block."""
    if record.primitive == "annotate":
        return {"block": BlockOf(stage)}
    if isinstance(stage.op, ComputeOp | ScanOp):
        return {"block": BlockOf(stage), "buffer": Result()}
    tensor = stage.op.output(0)
    waiting = [tensor]
    for reader in schedule.stages:
        if any(read in waiting for read in reader.op.input_tensors):
            if not _is_inline(reader):
                return {"block": BlockOf(reader), "buffer": tensor}
            waiting += reader.op.outputs
    raise ScheduleError(
        "KC3134",
        f"{record.primitive.replace('-', '_')}: nothing reads the input {tensor.name}",
        location=record.location,
    )


def _of_stage(stage: Stage, planned: set[Stage]) -> Iterator[Step | Enter]:
    block, place = BlockOf(stage), stage.place
    if _is_inline(stage):
        yield Step("compute-inline", stage, {"block": block}, place and place.location)
        return
    at = None if place is None else _attach_loop(stage, place, planned)
    scope = stage.scope or (_default_scope(at) if at is not None else "global")
    if scope != "global":
        for n in range(stage.op.num_outputs):
            fields = {"block": block, "buffer": Result(n), "scope": scope}
            where = stage.scope_location if stage.scope or place is None else place.location
            yield Step("set-scope", stage, fields, where)
    if place is not None:
        fields = {"block": block, "loop": at, "preserve_unit_loops": True}
        yield Step("compute-at", stage, fields, place.location)
    yield Enter(stage, place is not None)
    for record in stage.records:
        if record.primitive in _LAST:
            continue
        fields = _fields(stage, record)
        threads = fields.pop("threads", None)
        new_axes = (*record.results, *record.keeps)
        yield Step(record.primitive, stage, fields, record.location, new_axes, threads)


def _fields(stage: Stage, record: Record) -> dict[str, Any]:
    loops = tuple(Leaf(stage, axis) for axis in record.axes)
    if record.primitive in ("fuse", "reorder"):
        return {"loops": loops}
    if record.primitive == "prefetch":
        return {"block": BlockOf(stage), "loop": loops[0], **record.arguments}
    if record.primitive == "transform-block-layout" or not loops:
        return {"block": BlockOf(stage), **record.arguments}
    if isinstance(record.relation, Split) and _is_tight(stage, record.relation):
        return {"loop": loops[0], **record.arguments, "tighten": True}
    return {"loop": loops[0], **record.arguments}


def _is_tight(stage: Stage, split: Split) -> bool:
    """True if a split's loop must not exceed the extent that it divides, which may be smaller.

    A number of threads is not reduced, because other stages may share the threads.
    """
    size = split.factor if split.nparts is None else split.nparts
    if not isinstance(size, int):
        return False
    sized = split.inner if split.nparts is None else split.outer
    results = offspring(stage.relations, sized)
    if any(record.primitive == "bind" and record.axes[0] in results for record in stage.records):
        return False
    whole = Rebase(stage.relations, stage.roots, stage.op.extent_of).extents.get(split.parent)
    if stage.place is not None or (isinstance(whole, int) and 0 < whole < size):
        return True
    return any(
        isinstance(relation, Split)
        and split.parent in (relation.outer, relation.inner)
        and _is_tight(stage, relation)
        for relation in stage.relations
    )


def _attach_loop(stage: Stage, place: Attach, planned: set[Stage]) -> Leaf:
    parent, axis = place.parent, place.axis
    assert parent is not None
    assert axis is not None
    name, consumer = stage.op.name, parent.op.name
    if _is_inline(parent):
        at = parent.place
        raise ScheduleError(
            "KC3138",
            f"compute_at: {name} at axis {axis.name} of {consumer}, which has no loops",
            location=place.location,
            why=f"{consumer} is computed inline by the call at {at and at.location}",
            hints=[f"compute {name} at an axis of what reads {consumer}"],
        )
    if parent not in planned:
        readers = [reader.op.name for reader in planned if _reads(reader, stage)]
        raise ScheduleError(
            "KC3138",
            f"compute_at: {name} at axis {axis.name} of {consumer}, which does not read it",
            location=place.location,
            why=f"{consumer} is computed before {name}, which it needs"
            if _reads(stage, parent)
            else f"nothing computed in {consumer} needs {name}",
            hints=[f"an axis of {' or of '.join(sorted(readers))}"] if readers else (),
        )
    leaf = parent.leaf_of(axis)
    if not any(leaf is iter_var for iter_var in parent.leaf_iter_vars):
        names = ", ".join(iter_var.name for iter_var in parent.leaf_iter_vars)
        raise ScheduleError(
            "KC3131",
            f"compute_at: axis {axis.name} of {consumer}, where {name} is to be computed, is gone",
            location=place.location,
            why=parent.why_gone(axis),
            hints=[f"{consumer} has the axes {names}"] if names else (),
        )
    return Leaf(parent, leaf)


def _default_scope(at: Leaf) -> str:
    """The default scope of a tensor that is computed in a loop: a thread has its own memory, the
    threads of a block share one, and otherwise the scope is global.
    """
    tags: list[str] = []
    stage, axis = at.stage, at.axis
    while True:
        order = stage.leaf_iter_vars
        around = order[: [iter_var is axis for iter_var in order].index(True) + 1]
        tags += [
            record.arguments["thread_axis"]
            for record in stage.records
            if record.primitive == "bind" and any(record.axes[0] is iter_var for iter_var in around)
        ]
        place = stage.place
        if place is None or place.parent is None or place.axis is None:
            break
        stage, axis = place.parent, place.parent.leaf_of(place.axis)
    if any(not tag.startswith("blockIdx") for tag in tags):
        return "local"
    return "shared" if tags else "global"


def _reads(stage: Stage, producer: Stage) -> bool:
    """True if ``stage`` depends on ``producer``, directly or not."""
    seen = {stage.op}
    waiting = [stage.op]
    while waiting:
        for tensor in waiting.pop().input_tensors:
            if tensor.op is producer.op:
                return True
            if tensor.op not in seen:
                seen.add(tensor.op)
                waiting.append(tensor.op)
    return False
