"""TE's schedule: primitives are recorded, and replayed as ``tir`` primitives at lower or build.

Recording checks at once whatever cannot change later (an axis that is no longer a leaf, a factor
that is not a number, a parallel reduction). All other checks run when the record is replayed, and
report the line of the recorded call. TE thus has no engine of its own:
:meth:`Schedule.to_tir_script` prints the equivalent ``tir`` schedule.

Caches and partial results (``cache_read``, ``cache_write``, ``rfactor``) rewrite the tensor
expressions at the call, in copies that the schedule owns: the user's tensors remain the keys of
their stages, and are unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kc.expr.constructors import Element, Expr, IterVar, walk
from kc.expr.rewrite import replace_dataflow
from kc.expr.tags import BROADCAST, ELEMWISE
from kc.expr.tensor import ComputeOp, Operation, ScanOp, Tensor
from kc.support.diagnostics import ScheduleError, TEError
from kc.support.display import to_html
from kc.support.locations import caller_location
from kc.support.public_names import PublicNames
from kc.te import caching, factoring
from kc.te.groups import create_group
from kc.te.intrin_calls import tensorize_call
from kc.te.stage import Attach, Group, Stage
from kc.te.stage_text import schedule_text
from kc.te.to_ir import post_order


def create_schedule(ops: Operation | Tensor | Sequence[Operation | Tensor]) -> Schedule:
    """A schedule of everything that the operations ``ops`` need; they are its outputs.

    Raises KC3101 for anything but an operation, KC2017 when two computes reduce over one axis.
    """
    roots = list(ops) if isinstance(ops, list | tuple) else [ops]
    outputs = []
    for item in roots:
        op = item.op if isinstance(item, Tensor) else item
        if not isinstance(op, Operation):
            raise ScheduleError(
                "KC3101",
                f"create_schedule: {type(item).__name__} is not an operation",
                location=caller_location(),
                hints=["te.create_schedule(C.op)"],
            )
        outputs.append(op)
    schedule = Schedule(outputs)
    _refuse_shared_axes([stage.op for stage in schedule.stages])
    return schedule


def _refuse_shared_axes(order: Sequence[Operation]) -> None:
    """Refuse two computes over the same reduction axis (KC2017).

    Programs may write alternatives of a compute with the same axes, and schedule one of them.
    """
    owners: dict[IterVar, Operation] = {}
    for op in order:
        for axis in op.reduce_axis:
            owner = owners.setdefault(axis, op)
            if owner is not op:
                raise TEError(
                    "KC2017",
                    f"reduction axis {axis.name} belongs to {owner.name} already",
                    location=op.location,
                    facts=[f"{owner.name} is computed at {owner.location}"],
                    why="an axis is one loop, and a loop belongs to one compute",
                    hints=[f"make another: te.reduce_axis({axis.dom!r}, name={axis.name!r})"],
                )


class Schedule(metaclass=PublicNames):
    """The schedule of a graph of tensors, with a :class:`Stage` for each operation."""

    _INTERNAL = frozenset(("current", "rewrite"))

    def __init__(self, outputs: Sequence[Operation]) -> None:
        self.outputs = list(dict.fromkeys(outputs))
        """The operations whose results the caller gets, as they are computed now."""
        self.stage_map: dict[Operation, Stage] = {}
        """The stage of each operation, also of those that were rewritten since."""
        self.groups: list[Group] = []
        self._list_stages()

    def _list_stages(self) -> None:
        order = post_order(self.outputs)
        scan_of = {step: op for op in order if isinstance(op, ScanOp) for step in op.steps}
        for op in order:
            if op not in self.stage_map:
                self.stage_map[op] = Stage(op, self, scan_of.get(op))
                tensorize_call(self.stage_map[op])
            self.stage_map[op].scan = scan_of.get(op)
        self.stages = [self.stage_map[op] for op in order]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - self._INTERNAL)

    def __repr__(self) -> str:
        return schedule_text(self)

    def _repr_html_(self) -> str:
        return to_html((repr(self), "kc-loops"))

    def __getitem__(self, key: Tensor | Operation) -> Stage:
        op = key.op if isinstance(key, Tensor) else key
        stage = self.stage_map.get(op) if isinstance(op, Operation) else None
        if stage is None:
            names = ", ".join(stage.op.name for stage in self.stages)
            is_name = isinstance(op, str) and op in names.split(", ")
            raise ScheduleError(
                "KC3102",
                f"{getattr(op, 'name', op)!r} is not part of the schedule",
                location=caller_location(),
                why=f"the schedule computes {names}",
                hints=[
                    f"s[{op}] takes the tensor, not its name"
                    if is_name
                    else "create the schedule from an operation that needs it"
                ],
            )
        return stage

    def current(self, tensor: Tensor) -> Tensor:
        """The tensor that ``tensor`` is computed as now."""
        stage = self.stage_map.get(tensor.op)
        return tensor if stage is None else stage.op.output(tensor.value_index)

    def rewrite(
        self,
        tensors: Mapping[Tensor, Tensor],
        readers: Iterable[Stage] | None = None,
        became: Mapping[Stage, Operation] | None = None,
    ) -> None:
        """Replace the inputs ``tensors`` by other tensors, in ``readers`` (default: in all stages).

        ``became`` maps stages to their new operations. New operations get stages.
        """
        chosen = None if readers is None else {stage.op for stage in readers}
        new = replace_dataflow([stage.op for stage in self.stages], tensors, chosen)
        for stage, op in [*((self.stage_map[op], new[op]) for op in new), *(became or {}).items()]:
            stage.op = op
            self.stage_map[op] = stage
        self.outputs = [self.stage_map[op].op for op in self.outputs]
        self._list_stages()

    # Primitives ------------------------------------------------------------------------------

    def cache_read(
        self,
        tensor: Tensor,
        scope: str,
        readers: Tensor | Operation | Sequence[Tensor | Operation],
    ) -> Tensor:
        """A copy of ``tensor`` in the memory scope ``scope``, which ``readers`` read instead."""
        return caching.cache_read(self, tensor, scope, readers)

    def cache_write(self, tensor: Any, scope: str) -> Any:
        """Compute ``tensor`` in the memory scope ``scope``, and copy it from there.

        The result is the tensor in that scope. A list of all outputs of an operation gives a list.
        The copy has a dimension for each leaf of the data-parallel axes, in their order: splits and
        reorders before the call are its layout.
        """
        return caching.cache_write(self, tensor, scope)

    def rfactor(self, tensor: Tensor, axis: IterVar, factor_axis: int = 0) -> Any:
        """Compute partial results of a reduction, one for each iteration of its leaf ``axis``.

        The partial results are returned; ``axis`` is their dimension ``factor_axis``, and
        ``tensor`` becomes a reduction of them.
        """
        return factoring.rfactor(self, tensor, axis, factor_axis)

    def create_group(self, outputs: Any, inputs: Any, include_inputs: bool = False) -> Group:
        """The stages on the way from ``inputs`` to ``outputs``, to be computed at one place."""
        return create_group(self, outputs, inputs, include_inputs)

    def copy(self) -> Schedule:
        """An independent copy of the schedule. Tensors and axes are shared."""
        return self._copied(schedule=True)

    def without_schedule(self) -> Schedule:
        """The current tensors (with caches and partial results), unscheduled: the start of
        :meth:`to_tir_script`.
        """
        return self._copied(schedule=False)

    def _copied(self, *, schedule: bool) -> Schedule:
        copied = Schedule(self.outputs)
        stages = {old: copied.stage_map[old.op] for old in self.stages}
        copied.stage_map.update({op: stages[old] for op, old in self.stage_map.items()})
        groups: dict[Group, Group] = {}
        if schedule:
            groups = {group: Group(copied, group.ops) for group in self.groups}
            for old, new in [*groups.items(), *stages.items()]:
                new.group = groups[old.group] if old.group is not None else None
                if (at := old.attach) is not None:
                    parent = stages[at.parent] if at.parent is not None else None
                    new.attach = Attach(at.kind, at.location, parent, at.axis)
            for old, new in stages.items():
                new.continue_as(old)
        copied.groups = list(groups.values())
        return copied

    def normalize(self) -> Schedule:
        """A copy whose attach axes are current leaves. An axis that was split or fused later is
        replaced by the leaf that it became.
        """
        normalized = self.copy()
        for unit in [*normalized.groups, *normalized.stages]:
            if (at := unit.attach) is not None and at.parent is not None and at.axis is not None:
                unit.attach = Attach(at.kind, at.location, at.parent, at.parent.leaf_of(at.axis))
        return normalized

    def to_tir_script(self, sch: str = "sch") -> str:
        """The equivalent ``kc.tir.Schedule`` calls, as Python text.

        They are calls on the module of :meth:`without_schedule`.
        """
        # it loads the primitives, hence it is imported at first use
        from kc.te.script import tir_script

        return tir_script(self, sch)


# What TVM has in te.schedule -------------------------------------------------------------------


def AutoInlineElemWise(schedule: Schedule) -> None:  # noqa: N802 - TVM's name
    """Inline the tensors that are read only at the index that is computed, or have the tag
    "elemwise".
    """
    _inline(schedule, lambda op: _is_elementwise(op, broadcast=False), ELEMWISE)


def AutoInlineBroadcast(schedule: Schedule) -> None:  # noqa: N802 - TVM's name
    """Inline the tensors that are read at all or some axes of the computed element, or have the
    tag "elemwise" or "broadcast".
    """
    _inline(schedule, lambda op: _is_elementwise(op, broadcast=True), ELEMWISE, BROADCAST)


def AutoInlineInjective(schedule: Schedule) -> None:  # noqa: N802 - TVM's name
    """Inline all tensors that are not reductions."""
    _inline(schedule, lambda op: not op.reduce_axis)


def _inline(schedule: Schedule, is_chosen: Any, *tags: str) -> None:
    for stage in schedule.stages:
        if (
            isinstance(stage.op, ComputeOp)
            and stage.op.num_outputs == 1
            and not (stage.records or stage.storage or stage.place or stage.is_output)
            and (is_chosen(stage.op) or (stage.op.tag in tags and not stage.op.reduce_axis))
        ):
            stage.compute_inline()


def _is_elementwise(op: ComputeOp, *, broadcast: bool) -> bool:
    if op.reduce_axis:
        return False
    for part in walk(*op.bodies):
        if isinstance(part, Element):
            axes: list[Expr] = list(part.indices)
            positions = [n for index in axes for n, own in enumerate(op.axis) if own is index]
            if len(positions) != len(axes) or positions != sorted(set(positions)):
                return False
            if not broadcast and len(positions) != len(op.axis):
                return False
    return True
