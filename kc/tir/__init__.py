"""The loop-level tensor IR from Python: the eager schedule and the names of ``tvm.tir``."""

from kc.support.diagnostics import ScheduleError
from kc.te import (
    Select,
    all,  # noqa: A004
    any,  # noqa: A004
    const,
    floordiv,
    floormod,
    if_then_else,
    indexdiv,
    indexmod,
    max_value,
    min_value,
    truncdiv,
    truncmod,
)
from kc.te import var as Var
from kc.tir.schedule import BlockRV, ExprRV, LoopRV, Schedule, Trace
from kc.transforms.intrinsics.tensor_intrin import TensorIntrin

__all__ = [
    "BlockRV",
    "ExprRV",
    "LoopRV",
    "Schedule",
    "ScheduleError",
    "Select",
    "TensorIntrin",
    "Trace",
    "Var",
    "all",
    "any",
    "const",
    "floordiv",
    "floormod",
    "if_then_else",
    "indexdiv",
    "indexmod",
    "max_value",
    "min_value",
    "truncdiv",
    "truncmod",
]
