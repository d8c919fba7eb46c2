"""The ``tir`` dialect: loops, blocks and buffers, the level at which programs are scheduled.

A function is a ``func.func`` on memrefs. ``tir.for`` is a named loop from 0 to its extent;
``tir.block`` is a unit of computation over its own typed iteration variables, bound to the loops
around it; ``tir.load`` and ``tir.store`` index with affine maps. The concepts are those of
TensorIR (Feng et al., ASPLOS 2023); the syntax is MLIR's.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from kc.dialects.assembly import DYNAMIC, INDEX, is_name
from kc.dialects.tir.block import BlockOp, IterType, IterTypeAttr
from kc.dialects.tir.calls import CallExternOp
from kc.dialects.tir.canonicalization import ConstantIndices
from kc.dialects.tir.combine import CombineOp, ThreadAllreduceOp, YieldOp
from kc.dialects.tir.indices import (
    ApplyOp,
    DelinearizeOp,
    ExtremeKind,
    LinearizeOp,
    SymbolOp,
    symbol_names,
)
from kc.dialects.tir.loops import (
    WHILE_EXTENT,
    ConditionOp,
    ForKind,
    ForKindAttr,
    ForOp,
    IfOp,
)
from kc.dialects.tir.mbarriers import (
    LoadBoxOp,
    MBarrierArriveOp,
    MBarrierExpectOp,
    MBarrierInitOp,
    MBarrierWaitOp,
    StoreBoxOp,
)
from kc.dialects.tir.memory import AllocOp, LoadOp, StoreOp
from kc.dialects.tir.prefetch import PrefetchOp
from kc.dialects.tir.views import CallOp, MatrixDescriptorOp, ViewOp
from kc.dialects.tir.workers import NumThreadsOp, ThreadNumberOp

__all__ = [
    "DYNAMIC",
    "INDEX",
    "TIR",
    "WHILE_EXTENT",
    "AllocOp",
    "ApplyOp",
    "ExtremeKind",
    "BlockOp",
    "CallExternOp",
    "CallOp",
    "CombineOp",
    "ConditionOp",
    "DelinearizeOp",
    "ForKind",
    "ForKindAttr",
    "ForOp",
    "IfOp",
    "IterType",
    "IterTypeAttr",
    "LinearizeOp",
    "LoadBoxOp",
    "LoadOp",
    "MBarrierArriveOp",
    "MBarrierExpectOp",
    "MBarrierInitOp",
    "MBarrierWaitOp",
    "MatrixDescriptorOp",
    "NumThreadsOp",
    "PrefetchOp",
    "StoreBoxOp",
    "StoreOp",
    "SymbolOp",
    "ThreadAllreduceOp",
    "ThreadNumberOp",
    "ViewOp",
    "YieldOp",
    "is_name",
    "symbol_names",
]


TIR = Dialect(
    "tir",
    [
        AllocOp,
        ApplyOp,
        BlockOp,
        CallExternOp,
        CallOp,
        CombineOp,
        ConditionOp,
        DelinearizeOp,
        ForOp,
        IfOp,
        LinearizeOp,
        LoadBoxOp,
        LoadOp,
        MBarrierArriveOp,
        MBarrierExpectOp,
        MBarrierInitOp,
        MBarrierWaitOp,
        MatrixDescriptorOp,
        NumThreadsOp,
        PrefetchOp,
        StoreBoxOp,
        StoreOp,
        SymbolOp,
        ThreadAllreduceOp,
        ThreadNumberOp,
        ViewOp,
        YieldOp,
    ],
    [ForKindAttr, IterTypeAttr],
    [ConstantIndices()],
)
