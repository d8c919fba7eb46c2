"""Ops of the nvvm dialect as calls of LLVM's NVPTX intrinsics.

Ops that need inline assembly, several instructions, or other operands are converted before by
``convert-nvvm-to-llvm``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import i32
from xdsl.dialects.llvm import InlineAsmOp
from xdsl.ir import Operation, SSAValue

from kc.codegen.llvm_ir.calls import inline_asm
from kc.codegen.llvm_ir.function import FunctionWriter, OpWriter
from kc.dialects import nvvm
from kc.dialects.nvvm.special_registers import SpecialRegisterOp

NVVM_WRITERS: dict[type[Operation], OpWriter] = {}
"""The ops with an intrinsic, and inline assembly."""


def _writes(*ops: type[Operation]) -> Callable[[Callable[[FunctionWriter, Any], str]], OpWriter]:
    def register(writer: Callable[[FunctionWriter, Any], str]) -> OpWriter:
        NVVM_WRITERS.update(dict.fromkeys(ops, writer))
        return writer

    return register


def _call(w: FunctionWriter, op: Operation, name: str, *operands: SSAValue) -> str:
    result = op.results[0] if op.results else None
    return w.call_intrinsic(f"llvm.nvvm.{name}", result, operands)


def _with_zero(w: FunctionWriter, op: Operation, name: str, *operands: SSAValue) -> str:
    """A call whose first argument is barrier 0."""
    texts = ["i32 0", *map(w.typed, operands)]
    types = [i32, *(operand.type for operand in operands)]
    result = op.results[0] if op.results else None
    return w.call_intrinsic(f"llvm.nvvm.{name}", result, operands, texts, types)


@_writes(*(op for op in nvvm.NVVM.operations if issubclass(op, SpecialRegisterOp)))
def _special_register(w: FunctionWriter, op: SpecialRegisterOp) -> str:
    bounds = getattr(op, "bounds", None)
    # nvvm.read.ptx.sreg.dynamic.smem.size
    name = op.name.removeprefix("nvvm.").replace(".smem.size", "_smem_size")
    if bounds is None or bounds.lower.data == bounds.upper.data == -1:  # all numbers
        return _call(w, op, name)
    text = _call(w, op, name)
    return text.replace(
        "call i32", f"call range(i32 {bounds.lower.data}, {bounds.upper.data}) i32", 1
    )


@_writes(InlineAsmOp)
def _inline_asm(w: FunctionWriter, op: InlineAsmOp) -> str:
    """Inline assembly that is convergent: LLVM must not move it into a divergent branch."""
    return f"{inline_asm(w, op)} convergent"


@_writes(nvvm.Barrier0Op)
def _barrier0(w: FunctionWriter, op: nvvm.Barrier0Op) -> str:
    return _with_zero(w, op, "barrier.cta.sync.aligned.all")


@_writes(nvvm.BarrierOp)
def _barrier(w: FunctionWriter, op: nvvm.BarrierOp) -> str:
    if op.barrier_id is None:
        return _with_zero(w, op, "barrier.cta.sync.aligned.all")
    if op.number_of_threads is None:
        return _call(w, op, "barrier.cta.sync.aligned.all", op.barrier_id)
    count = op.number_of_threads
    return _call(w, op, "barrier.cta.sync.aligned.count", op.barrier_id, count)


@_writes(nvvm.SyncWarpOp)
def _sync_warp(w: FunctionWriter, op: nvvm.SyncWarpOp) -> str:
    return _call(w, op, "bar.warp.sync", *op.operands)


@_writes(nvvm.ShflOp)
def _shuffle(w: FunctionWriter, op: nvvm.ShflOp) -> str:
    type_ = "i32" if op.val.type == i32 else "f32"
    with_valid = "p" if op.return_value_and_is_valid is not None else ""
    name = f"shfl.sync.{op.kind.data}.{type_}{with_valid}"
    return _call(w, op, name, *op.operands)


@_writes(nvvm.VoteSyncOp)
def _vote(w: FunctionWriter, op: nvvm.VoteSyncOp) -> str:
    return _call(w, op, f"vote.{op.kind.data}.sync", *op.operands)


@_writes(nvvm.MatchSyncOp)
def _match(w: FunctionWriter, op: nvvm.MatchSyncOp) -> str:
    suffix = "p" if op.kind.data == "all" else ""
    return _call(w, op, f"match.{op.kind.data}.sync.{op.val.type}{suffix}", *op.operands)


@_writes(nvvm.ReduxOp)
def _redux(w: FunctionWriter, op: nvvm.ReduxOp) -> str:
    name = f"redux.sync.{op.kind.data}"
    name += ".abs" if op.abs.value.data else ""
    name += ".NaN" if op.nan.value.data else ""
    return _call(w, op, name, *op.operands)


_PLAIN: Mapping[type[Operation], str] = {
    nvvm.CpAsyncCommitGroupOp: "cp.async.commit.group",
    nvvm.CpAsyncBulkCommitGroupOp: "cp.async.bulk.commit.group",
    nvvm.WgmmaGroupSyncAlignedOp: "wgmma.commit_group.sync.aligned",
    nvvm.FenceMbarrierInitOp: "fence.mbarrier_init.release.cluster",
    nvvm.FenceScClusterOp: "fence.sc.cluster",
    nvvm.NanosleepOp: "nanosleep",
    nvvm.ExitOp: "exit",
    nvvm.RcpApproxFtzF32Op: "rcp.approx.ftz.f",
}


@_writes(*_PLAIN)
def _plain(w: FunctionWriter, op: Operation) -> str:
    return _call(w, op, _PLAIN[type(op)], *op.operands)
