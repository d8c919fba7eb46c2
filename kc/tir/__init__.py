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
from kc.te.buffers import Buffer, decl_buffer
from kc.te.calls import (
    call_cpacked,
    call_extern,
    call_intrin,
    call_llvm_intrin,
    call_llvm_pure_intrin,
    call_packed,
    call_pure_extern,
)
from kc.tir import ir_builder
from kc.tir.prim_func import PrimFunc
from kc.tir.schedule import BlockRV, ExprRV, LoopRV, Schedule, Trace
from kc.transforms.intrinsics.tensor_intrin import TensorIntrin

__all__ = [
    "BlockRV",
    "Buffer",
    "ExprRV",
    "LoopRV",
    "PrimFunc",
    "Schedule",
    "ScheduleError",
    "Select",
    "TensorIntrin",
    "Trace",
    "Var",
    "all",
    "any",
    "call_cpacked",
    "call_extern",
    "call_intrin",
    "call_llvm_intrin",
    "call_llvm_pure_intrin",
    "call_packed",
    "call_pure_extern",
    "const",
    "decl_buffer",
    "floordiv",
    "floormod",
    "if_then_else",
    "indexdiv",
    "indexmod",
    "ir_builder",
    "max_value",
    "min_value",
    "truncdiv",
    "truncmod",
]
