"""create_group of TE: the stages between some tensors, to be computed at one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kc.expr.tensor import ComputeOp, Operation
from kc.support.diagnostics import ScheduleError
from kc.support.locations import caller_location
from kc.te.stage import Group, Stage

if TYPE_CHECKING:
    from kc.te.schedule import Schedule


def create_group(schedule: Schedule, outputs: Any, inputs: Any, include_inputs: bool) -> Group:
    """See :meth:`kc.te.schedule.Schedule.create_group`."""
    location = caller_location()
    ends = [schedule[tensor].op for tensor in _listed(outputs)]
    starts = [schedule[tensor].op for tensor in _listed(inputs)]
    between = subgraph(ends, starts, include_inputs)
    members = [op for op in between if isinstance(op, ComputeOp)]
    if not members:
        names = ", ".join(op.name for op in ends) or "nothing"
        raise ScheduleError(
            "KC3146",
            "create_group: there is nothing to group",
            location=location,
            why=f"no computation leads from {', '.join(op.name for op in starts) or 'nothing'} "
            f"to {names}",
            hints=["create_group(outputs=C, inputs=A) groups the stages from A to C"],
        )
    stages = [schedule[member] for member in members]
    group = Group(schedule, members)
    units = _units(stages)
    around = {unit.group for unit in units}
    if len(around) > 1:
        names = " and ".join(
            f"{unit.op.name if isinstance(unit, Stage) else unit.describe()} "
            + (f"in {unit.group.describe()}" if unit.group is not None else "in no group")
            for unit in units[:2]
        )
        raise ScheduleError(
            "KC3146",
            f"create_group: the stages of {group.describe().removeprefix('the group of ')} are in "
            "different groups",
            location=location,
            why=f"there are {names}; a group must contain another group completely or not at all",
            hints=["group all stages of the other group, or make the groups inside of it"],
        )
    group.group = around.pop()
    for unit in units:
        unit.group = group
    schedule.groups.append(group)
    return group


def _units(stages: list[Stage]) -> list[Stage | Group]:
    """``stages``, with each group replacing its stages if all of them are listed."""
    chosen = {stage.op for stage in stages}
    units: dict[Stage | Group, None] = {}
    for stage in stages:
        unit: Stage | Group = stage
        while unit.group is not None and chosen.issuperset(
            unit.group.schedule[op].op for op in unit.group.ops
        ):
            unit = unit.group
        units[unit] = None
    return list(units)


def subgraph(
    outputs: list[Operation], inputs: list[Operation], include_inputs: bool
) -> list[Operation]:
    """The operations on the ways from ``inputs`` to ``outputs``, producers first."""
    reaches: dict[Operation, bool] = {}
    stack = [*reversed(outputs)]
    while stack:
        op = stack[-1]
        before = [] if op in inputs else [tensor.op for tensor in op.input_tensors]
        waiting = [producer for producer in before if producer not in reaches]
        if waiting and op not in reaches:
            stack.extend(reversed(waiting))
            continue
        reaches.setdefault(op, op in inputs or any(reaches[producer] for producer in before))
        stack.pop()
    return [
        op for op, reached in reaches.items() if reached and (include_inputs or op not in inputs)
    ]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
