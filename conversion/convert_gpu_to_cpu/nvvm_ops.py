"""Which operations of nvvm are emulated, besides those that ``convert-nvvm-to-gpu`` converts."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, f16
from xdsl.ir import Operation, SSAValue

from kc.dialects import llvm, nvvm
from kc.dialects.nvvm.base import points_to_cluster
from kc.dialects.nvvm.mbarriers import ArrivingOp, NocompleteOp, TransactionOp

WARP_SIZE = 32
NAMED_BARRIERS = 16

BARRIERS = (nvvm.BarrierOp, nvvm.BarrierArriveOp, nvvm.SyncWarpOp)
COPIES = (
    nvvm.CpAsyncOp,
    nvvm.CpAsyncCommitGroupOp,
    nvvm.CpAsyncWaitGroupOp,
    nvvm.CpAsyncMBarrierArriveOp,
)
MBARRIERS = (
    nvvm.MBarrierInitOp,
    nvvm.MBarrierInvalOp,
    nvvm.MBarrierArriveOp,
    nvvm.MBarrierArriveDropOp,
    nvvm.MBarrierArriveNocompleteOp,
    nvvm.MBarrierArriveDropNocompleteOp,
    nvvm.MBarrierArriveExpectTxOp,
    nvvm.MBarrierArriveDropExpectTxOp,
    nvvm.MBarrierExpectTxOp,
    nvvm.MBarrierCompleteTxOp,
    nvvm.MBarrierTryWaitOp,
    nvvm.MBarrierTestWaitOp,
    nvvm.MBarrierTryWaitParityOp,
)
MATRICES = (
    nvvm.LdMatrixOp,
    nvvm.StMatrixOp,
    nvvm.MmaOp,
    nvvm.WmmaLoadOp,
    nvvm.WmmaMmaOp,
    nvvm.WmmaStoreOp,
)
BULK = (
    nvvm.CpAsyncBulkGlobalToSharedClusterOp,
    nvvm.CpAsyncBulkSharedCTAToGlobalOp,
    nvvm.CpAsyncBulkCommitGroupOp,
    nvvm.CpAsyncBulkWaitGroupOp,
    nvvm.FenceProxyOp,
)
BOXES = (
    nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp,
    nvvm.CpAsyncBulkTensorSharedCTAToGlobalOp,
)
WARPGROUPS = (
    nvvm.WgmmaMmaAsyncOp,
    nvvm.WgmmaGroupSyncAlignedOp,
    nvvm.WgmmaWaitGroupSyncOp,
    nvvm.SetMaxRegisterOp,
)
HINTS = (
    nvvm.WgmmaFenceAlignedOp,
    nvvm.FenceMbarrierInitOp,
    nvvm.CpAsyncBulkPrefetchOp,
    nvvm.CpAsyncBulkTensorPrefetchOp,
    nvvm.PrefetchOp,
    nvvm.NanosleepOp,
)
"""What changes nothing here: threads run in one order, and blocks on their own."""
NVVM = (
    *BARRIERS,
    *COPIES,
    *MBARRIERS,
    *MATRICES,
    *BULK,
    *BOXES,
    *WARPGROUPS,
    *HINTS,
    nvvm.ConvertFloatToTF32Op,
)
"""What is emulated."""


def problem_of(op: Operation) -> str | None:
    """Why a form of an operation of :data:`NVVM` is not emulated."""
    if isinstance(op, nvvm.BarrierOp | nvvm.BarrierArriveOp):
        number = constant_of(op.barrier_id)
        if number is not None and not 0 <= number < NAMED_BARRIERS:
            return f"a block has the barriers 0 to {NAMED_BARRIERS - 1}, and no {number}"
        count = constant_of(op.number_of_threads)
        if count is not None and (count <= 0 or count % WARP_SIZE):
            return f"warps come as a whole, so threads are a multiple of 32, and not {count}"
    if isinstance(op, ArrivingOp | TransactionOp | NocompleteOp):
        if points_to_cluster(op.addr):
            return "blocks run one after the other, and there are no clusters"
        if isinstance(op, nvvm.MBarrierArriveExpectTxOp) and op.predicate is not None:
            return "it has a predicate, and a branch is what else there is"
    if isinstance(op, nvvm.MBarrierInitOp) and op.predicate is not None:
        return "it has a predicate, and a branch is what else there is"
    if isinstance(op, nvvm.WgmmaMmaAsyncOp) and f16 in getattr(op.inouts.type, "types", ()):
        return "its registers are f16, and hold two such numbers each: vector<2xf16> or i32"
    if isinstance(op, BOXES):
        if op.mode.data != "tile":
            return f"boxes of the mode {op.mode.data} are not known, and those of tile are"
        if op.predicate is not None:
            return "it has a predicate, and a branch is what else there is"
    if (
        isinstance(
            op,
            nvvm.CpAsyncBulkGlobalToSharedClusterOp | nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp,
        )
        and op.multicast_mask is not None
    ):
        return "blocks run one after the other, and there are no clusters"
    if isinstance(op, nvvm.CpAsyncBulkSharedCTAToGlobalOp) and op.byte_mask is not None:
        return "it has a mask of bytes"
    if isinstance(op, nvvm.LdMatrixOp | nvvm.StMatrixOp) and op.shape.sizes != (8, 8):
        m, n = op.shape.sizes
        return f"the matrices are of {m} x {n} elements, and those of 8 x 8 are known"
    if isinstance(op, nvvm.ConvertFloatToTF32Op):
        if op.rnd.data != "rna" or op.relu.value.data or op.sat.data != "none":
            return "it rounds to nearest, ties away from zero (rna), and does nothing else"
    if isinstance(op, nvvm.MmaOp) and op.shape.sizes == (8, 8, 4) and op.element_type == "f16":
        return "m8n8k4 of f16 has another layout than all other shapes"
    return None


def constant_of(value: SSAValue | None) -> int | None:
    """The number that a value is, where it is a constant."""
    op = None if value is None else value.owner
    if not isinstance(op, arith.ConstantOp | llvm.ConstantOp):
        return None
    attribute = op.get_attr_or_prop("value")
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None
