"""The loop-level tensor IR from Python: the eager schedule and the names of ``tvm.tir``."""

from importlib import import_module as _import_module
from typing import Any as _Any

from kc.support.diagnostics import ScheduleError
from kc.te.buffers import Buffer, decl_buffer
from kc.te.calls import (
    call_cpacked,
    call_extern,
    call_intrin,
    call_llvm_intrin,
    call_llvm_pure_intrin,
    call_packed,
    call_pure_extern,
    trace,
)
from kc.te.expr import IterVar, const, if_then_else
from kc.te.expr import all_of as all  # noqa: A004
from kc.te.expr import any_of as any  # noqa: A004
from kc.te.expr import broadcast as Broadcast
from kc.te.expr import ramp as Ramp
from kc.te.expr import select as Select
from kc.te.functions import (
    abs,  # noqa: A004
    ceil,
    cos,
    erf,
    exp,
    exp2,
    floor,
    floordiv,
    floormod,
    indexdiv,
    indexmod,
    log,
    log1p,
    log2,
    log10,
    max,  # noqa: A004
    min,  # noqa: A004
    round,  # noqa: A004
    rsqrt,
    sigmoid,
    sin,
    sqrt,
    sum,  # noqa: A004
    tan,
    tanh,
    trunc,
    truncdiv,
    truncmod,
)
from kc.te.intrinsics import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    ceildiv,
    clz,
    copysign,
    cosh,
    div,
    exp10,
    fmod,
    hypot,
    isfinite,
    isinf,
    isnan,
    ldexp,
    likely,
    multiply,
    nearbyint,
    nextafter,
    popcount,
    pow,  # noqa: A004
    power,
    q_multiply_shift,
    reinterpret,
    shift_left,
    shift_right,
    sinh,
)
from kc.te.reducers import (
    comm_reducer,
    max_value,
    min_value,
)
from kc.te.tensor import var as Var
from kc.te.vectors import vectorcombine, vectorhigh, vectorlow
from kc.tir import ir_builder
from kc.tir.prim_func import PrimFunc
from kc.tir.schedule import BlockRV, ExprRV, LoopRV, Schedule, Trace
from kc.tir.values import Cast, FloatImm, IntImm, SizeVar, infinity
from kc.transforms.intrinsics.tensor_intrin import TensorIntrin
from kc.transforms.schedule._index_map import IndexMap

__all__ = [
    "BlockRV",
    "Broadcast",
    "Buffer",
    "Cast",
    "ExprRV",
    "FloatImm",
    "IndexMap",
    "IntImm",
    "IterVar",
    "LoopRV",
    "PrimFunc",
    "Ramp",
    "Schedule",
    "ScheduleError",
    "Select",
    "SizeVar",
    "TensorIntrin",
    "Trace",
    "Var",
    "abs",
    "acos",
    "acosh",
    "all",
    "any",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "call_cpacked",
    "call_extern",
    "call_intrin",
    "call_llvm_intrin",
    "call_llvm_pure_intrin",
    "call_packed",
    "call_pure_extern",
    "ceil",
    "ceildiv",
    "clz",
    "comm_reducer",
    "const",
    "copysign",
    "cos",
    "cosh",
    "decl_buffer",
    "div",
    "erf",
    "exp",
    "exp10",
    "exp2",
    "floor",
    "floordiv",
    "floormod",
    "fmod",
    "hypot",
    "if_then_else",
    "indexdiv",
    "indexmod",
    "infinity",
    "ir_builder",
    "isfinite",
    "isinf",
    "isnan",
    "ldexp",
    "likely",
    "log",
    "log10",
    "log1p",
    "log2",
    "max",
    "max_value",
    "min",
    "min_value",
    "multiply",
    "nearbyint",
    "nextafter",
    "popcount",
    "pow",
    "power",
    "q_multiply_shift",
    "reinterpret",
    "round",
    "rsqrt",
    "shift_left",
    "shift_right",
    "sigmoid",
    "sin",
    "sinh",
    "sqrt",
    "sum",
    "tan",
    "tanh",
    "trunc",
    "trace",
    "truncdiv",
    "truncmod",
    "vectorcombine",
    "vectorhigh",
    "vectorlow",
]


def __getattr__(name: str) -> _Any:
    # Its passes stand above this package, and are loaded at first use.
    if name != "transform":
        raise AttributeError(f"module 'kc.tir' has no attribute '{name}'")
    return _import_module("kc.tir_transform")


def __dir__() -> list[str]:
    return sorted([*__all__, "transform"])
