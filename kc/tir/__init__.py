"""The loop-level tensor IR from Python: the eager schedule and the names of ``tvm.tir``."""

from kc.support.diagnostics import ScheduleError
from kc.te import (
    Select,
    const,
    floordiv,
    floormod,
    indexdiv,
    indexmod,
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
    "const",
    "floordiv",
    "floormod",
    "indexdiv",
    "indexmod",
    "truncdiv",
    "truncmod",
]
