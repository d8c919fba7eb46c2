"""TE's schedule, and the other names of TVM's ``te.schedule``.

:mod:`kc.te.schedule.schedule` defines the schedule. A higher layer defines the names that only
programs for TVM use; they are loaded at first use.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from kc.expr.buffers import Buffer as Buffer
from kc.expr.constructors import IterVar as IterVar
from kc.expr.relations import Fuse, Singleton, Split
from kc.support.absent_names import no_attribute as _no_attribute
from kc.te.schedule.schedule import (
    AutoInlineBroadcast,
    AutoInlineElemWise,
    AutoInlineInjective,
    Schedule,
    create_schedule,
)
from kc.te.stage import Stage

if _TYPE_CHECKING:
    from kc.te.specialized_condition import SpecializedCondition
    from kc.tvm.bounds import InferBound, ScheduleOps
    from kc.tvm.te_schedule import CreateAttachPath, Rebase, ScanFixPointAnalysis, ScanGetBody

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


# A name, and the module of a higher layer that defines it.
_LATE = {
    "CreateAttachPath": "kc.tvm.te_schedule",
    "InferBound": "kc.tvm.bounds",
    "Rebase": "kc.tvm.te_schedule",
    "ScanFixPointAnalysis": "kc.tvm.te_schedule",
    "ScanGetBody": "kc.tvm.te_schedule",
    "ScheduleOps": "kc.tvm.bounds",
    "SpecializedCondition": "kc.te.specialized_condition",
}


def __getattr__(name: str) -> _Any:
    if name not in _LATE:
        raise _no_attribute("te.schedule", name)
    value = getattr(_import_module(_LATE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
