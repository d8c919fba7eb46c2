"""The loop-level tensor IR from Python: the eager schedule and the names of ``tvm.tir``."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from kc.expr.buffers import Buffer, decl_buffer
from kc.expr.calls import (
    address_of,
    call_cpacked,
    call_extern,
    call_intrin,
    call_llvm_intrin,
    call_llvm_pure_intrin,
    call_packed,
    call_pure_extern,
    trace,
)
from kc.expr.constructors import all_of as all  # noqa: A004
from kc.expr.constructors import any_of as any  # noqa: A004
from kc.expr.constructors import const, if_then_else
from kc.expr.functions import (
    abs,  # noqa: A004
    ceil,
    cos,
    erf,
    exp,
    exp2,
    expm1,
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
from kc.expr.intrinsics import (
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
    isnullptr,
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
from kc.expr.reducers import (
    comm_reducer,
    max_value,
    min_value,
)
from kc.expr.vectors import vectorcombine, vectorhigh, vectorlow
from kc.support.absent_names import no_attribute
from kc.support.diagnostics import ScheduleError
from kc.support.second_names import second_names as _second_names
from kc.tir import ir_builder
from kc.tir.prim_func import PrimFunc
from kc.tir.schedule import BlockRV, ExprRV, LoopRV, Schedule, Trace
from kc.tir.schedule_state import BlockScope, ScheduleState, StmtSRef
from kc.transforms.intrinsics.tensor_intrin import TensorIntrin

if _TYPE_CHECKING:
    from kc.tir import analysis as analysis
    from kc.tir import stmt_functor as stmt_functor
    from kc.tir import tensor_intrin as tensor_intrin
    from kc.tir import transform as transform
    from kc.tvm.data_layout import BijectiveLayout, Layout, bijective_layout, layout
    from kc.tvm.index_map import IndexMap
    from kc.tvm.listing.loops_text import listing_text as listing_text
    from kc.tvm.nodes.expression_classes import (
        EQ,
        GE,
        GT,
        LE,
        LT,
        NE,
        Add,
        And,
        Broadcast,
        BufferLoad,
        Call,
        CallEffectKind,
        Cast,
        CommReducer,
        DataProducer,
        Div,
        FloatImm,
        FloorDiv,
        FloorMod,
        IntImm,
        Let,
        Load,
        Max,
        Min,
        Mod,
        Mul,
        Not,
        Or,
        PrimExpr,
        ProducerLoad,
        Ramp,
        Reduce,
        Select,
        Shuffle,
        SizeVar,
        StringImm,
        Sub,
        Var,
        infinity,
    )
    from kc.tvm.nodes.expression_classes import AnySize as Any
    from kc.tvm.nodes.statement_classes import (
        Allocate,
        AllocateConst,
        AssertStmt,
        AttrStmt,
        Block,
        BlockRealize,
        BufferRealize,
        BufferRegion,
        BufferStore,
        Evaluate,
        For,
        ForKind,
        IfThenElse,
        IterVar,
        LetStmt,
        MatchBufferRegion,
        Prefetch,
        SeqStmt,
        Stmt,
        Store,
        While,
        stmt_list,
        stmt_seq,
    )
    from kc.tvm.relay.text_printer import relay_text as relay_text
    from kc.tvm.specialize import specialized as specialized
    from kc.tvm.tvmscript.printer import function_text as function_text
    from kc.tvm.tvmscript.printer import script_text as script_text

__all__ = [
    "Add",
    "Allocate",
    "AllocateConst",
    "AssertStmt",
    "BijectiveLayout",
    "Layout",
    "bijective_layout",
    "layout",
    "And",
    "Any",
    "AttrStmt",
    "Block",
    "BlockRV",
    "BlockRealize",
    "BlockScope",
    "BufferRealize",
    "Broadcast",
    "Buffer",
    "BufferLoad",
    "BufferRegion",
    "BufferStore",
    "Call",
    "CallEffectKind",
    "Cast",
    "CommReducer",
    "DataProducer",
    "Div",
    "EQ",
    "Evaluate",
    "ExprRV",
    "FloatImm",
    "FloorDiv",
    "FloorMod",
    "For",
    "ForKind",
    "GE",
    "GT",
    "IfThenElse",
    "IndexMap",
    "IntImm",
    "IterVar",
    "LE",
    "LT",
    "Let",
    "LetStmt",
    "MatchBufferRegion",
    "Load",
    "LoopRV",
    "Max",
    "Min",
    "Mod",
    "Mul",
    "NE",
    "Not",
    "Or",
    "Prefetch",
    "PrimExpr",
    "PrimFunc",
    "ProducerLoad",
    "Ramp",
    "Reduce",
    "Schedule",
    "ScheduleState",
    "ScheduleError",
    "Select",
    "SeqStmt",
    "Shuffle",
    "SizeVar",
    "Stmt",
    "StmtSRef",
    "Store",
    "StringImm",
    "Sub",
    "TensorIntrin",
    "Trace",
    "Var",
    "While",
    "abs",
    "address_of",
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
    "expm1",
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
    "isnullptr",
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
    "stmt_functor",
    "stmt_list",
    "stmt_seq",
    "sum",
    "tan",
    "tanh",
    "trace",
    "trunc",
    "truncdiv",
    "truncmod",
    "vectorcombine",
    "vectorhigh",
    "vectorlow",
]


_second_names(__name__, "buffer", "expr", "function", "op")


_FROM_ABOVE = {
    "kc.tvm.data_layout": "BijectiveLayout Layout bijective_layout layout",
    "kc.tvm.nodes.expression_classes": """
        EQ GE GT LE LT NE Add And Broadcast BufferLoad Call CallEffectKind Cast CommReducer
        DataProducer Div FloatImm FloorDiv FloorMod IntImm Let Load Max Min Mod Mul Not Or
        PrimExpr ProducerLoad Ramp Reduce Select Shuffle SizeVar StringImm Sub Var infinity
    """,
    "kc.tvm.index_map": "IndexMap",
    "kc.tvm.specialize": "specialized",
    "kc.tvm.nodes.statement_classes": """
        Allocate AllocateConst AssertStmt AttrStmt Block BlockRealize BufferRealize BufferRegion
        BufferStore Evaluate For ForKind IfThenElse IterVar LetStmt MatchBufferRegion Prefetch
        SeqStmt Stmt Store While stmt_list stmt_seq
    """,
    "kc.tvm.listing.loops_text": "listing_text",
    "kc.tvm.tvmscript.printer": "function_text script_text",
    "kc.tvm.relay.text_printer": "relay_text",
}
"""The names that higher layers define, loaded at first use: the classes that programs for TVM
visit, and the printers of ``PrimFunc.script`` with their results.
"""

_MODULE_OF = {name: module for module, names in _FROM_ABOVE.items() for name in names.split()}
_MODULES = ("transform", "analysis", "tensor_intrin", "stmt_functor")


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _import_module(f"kc.tir.{name}")
    if name == "Any":
        value = _import_module(_MODULE_OF["Var"]).AnySize
    elif name in _MODULE_OF:
        value = getattr(_import_module(_MODULE_OF[name]), name)
    else:
        raise no_attribute("tir", name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "analysis", "transform"])
