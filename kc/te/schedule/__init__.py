"""TE's schedule, and what TVM has beside it in ``te.schedule``.

:mod:`kc.te.schedule.schedule` is the schedule. ``InferBound`` and ``ScheduleOps`` need its loops,
and are made above (:mod:`kc.tir.bounds`): they are loaded when they are asked for.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from kc.support.absent_names import no_attribute as _no_attribute
from kc.te.buffers import Buffer as Buffer
from kc.te.expr import IterVar as IterVar
from kc.te.relations import Fuse, Singleton, Split
from kc.te.schedule.schedule import (
    AutoInlineBroadcast,
    AutoInlineElemWise,
    AutoInlineInjective,
    CreateAttachPath,
    Rebase,
    ScanFixPointAnalysis,
    ScanGetBody,
    Schedule,
    create_schedule,
)
from kc.te.specialized_condition import SpecializedCondition
from kc.te.stage import Stage

if _TYPE_CHECKING:
    from kc.tir.bounds import InferBound, ScheduleOps

__all__ = [
    "AutoInlineBroadcast",
    "AutoInlineElemWise",
    "AutoInlineInjective",
    "CreateAttachPath",
    "Fuse",
    "InferBound",
    "Rebase",
    "ScanFixPointAnalysis",
    "ScanGetBody",
    "Schedule",
    "ScheduleOps",
    "Singleton",
    "SpecializedCondition",
    "Split",
    "Stage",
    "create_schedule",
]


def __getattr__(name: str) -> _Any:
    if name in ("InferBound", "ScheduleOps"):
        from kc.tir import bounds

        return getattr(bounds, name)
    raise _no_attribute("te.schedule", name)


def __dir__() -> list[str]:
    return __all__
