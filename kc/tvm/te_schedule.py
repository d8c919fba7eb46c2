"""Functions of TVM's ``te.schedule`` that analyze schedules and scans."""

from __future__ import annotations

from typing import Any

from kc.expr.constructors import IterVar
from kc.expr.tensor import Operation, ScanOp
from kc.te.schedule import Schedule
from kc.tvm.nodes.node_class import Node
from kc.tvm.scan_fixpoint import fixed_axes


def CreateAttachPath(schedule: Schedule) -> dict[Operation, list[IterVar]]:  # noqa: N802
    """The axes that enclose each operation's stage, innermost first: the axis it is attached at,
    and those of the enclosing stages. Empty for stages at the root, and for inlined stages.
    """
    paths: dict[Operation, list[IterVar]] = {}
    for stage in schedule.stages:
        path = paths.setdefault(stage.op, [])
        inner = stage
        while inner.attach_stage is not None and inner.attach_ivar is not None:
            leaves, axis = inner.attach_stage.leaf_iter_vars, inner.attach_ivar
            position = next(n for n, leaf in enumerate(leaves) if leaf is axis)
            path += reversed(leaves[: position + 1])
            inner = inner.attach_stage
    return paths


def ScanGetBody(scan_op: ScanOp) -> list[Operation]:  # noqa: N802 - TVM's name
    """The operations of one step of a scan, producers first."""
    return list(scan_op.steps)


def ScanFixPointAnalysis(scan_op: ScanOp) -> dict[IterVar, int]:  # noqa: N802 - TVM's name
    """For each spatial axis of a scan, 1 if an element depends only on elements of earlier steps
    with the same index along the axis, so that its threads need no synchronization; else 0.
    """
    return fixed_axes(scan_op)


class Rebase(Node):
    """Axes shifted to start at 0. All axes of kc start there, so that this class has no
    instances.
    """

    __module__ = "kc.te.schedule"
    comes_from = "every axis begins at 0 already"

    @classmethod
    def holds(cls, value: Any) -> bool:
        del value
        return False
