"""The errors of kc (see :mod:`kc.support.diagnostics`)."""

from kc.support.diagnostics import (
    CallError,
    CodegenError,
    DeviceError,
    GraphError,
    InputError,
    InternalError,
    KCError,
    ParseError,
    ScheduleError,
    TargetError,
    TEError,
)

TVMError = KCError

__all__ = [
    "CallError",
    "CodegenError",
    "DeviceError",
    "GraphError",
    "InputError",
    "InternalError",
    "KCError",
    "ParseError",
    "ScheduleError",
    "TEError",
    "TVMError",
    "TargetError",
]
