"""create_group of TE: the stages between some tensors, to be computed at one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kc.support.diagnostics import ScheduleError
from kc.support.locations import caller_location
from kc.te.stage import Group, Stage
from kc.te.tensor import ComputeOp, Operation

if TYPE_CHECKING:
    from kc.te.schedule import Schedule


def create_group(schedule: Schedule, outputs: Any, inputs: Any, include_inputs: bool) -> Group:
    """See :meth:`kc.te.schedule.Schedule.create_group`."""
    location = caller_location()
    ends = [schedule[one].op for one in _listed(outputs)]
    starts = [schedule[one].op for one in _listed(inputs)]
    between = subgraph(ends, starts, include_inputs)
    members = [one for one in between if isinstance(one, ComputeOp)]
    if not members:
        names = ", ".join(one.name for one in ends) or "nothing"
        raise ScheduleError(
            "KC3146",
            "create_group: there is nothing to group",
            location=location,
            why=f"no computation leads from {', '.join(one.name for one in starts) or 'nothing'} "
            f"to {names}",
            hints=["create_group(outputs=C, inputs=A) groups what leads from A to C"],
        )
    stages = [schedule[one] for one in members]
    made = Group(schedule, members)
    units = _units(stages)
    around = {one.group for one in units}
    if len(around) > 1:
        names = " and ".join(
            f"{one.op.name if isinstance(one, Stage) else one.describe()} "
            + (f"in {one.group.describe()}" if one.group is not None else "in no group")
            for one in units[:2]
        )
        raise ScheduleError(
            "KC3146",
            f"create_group: the stages of {made.describe().removeprefix('the group of ')} are in "
            "different groups",
            location=location,
            why=f"there are {names}; a group holds others as a whole",
            hints=["group all stages of the other group, or make the groups inside of it"],
        )
    made.group = around.pop()
    for one in units:
        one.group = made
    schedule.groups.append(made)
    return made


def _units(stages: list[Stage]) -> list[Stage | Group]:
    """``stages``, or the groups that hold nothing but some of them."""
    chosen = {one.op for one in stages}
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
        before = [] if op in inputs else [one.op for one in op.input_tensors]
        waiting = [one for one in before if one not in reaches]
        if waiting and op not in reaches:
            stack.extend(reversed(waiting))
            continue
        reaches.setdefault(op, op in inputs or any(reaches[one] for one in before))
        stack.pop()
    return [op for op, found in reaches.items() if found and (include_inputs or op not in inputs)]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
