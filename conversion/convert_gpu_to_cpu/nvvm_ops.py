"""The emulated operations of nvvm, besides those that ``convert-nvvm-to-gpu`` converts."""

from __future__ import annotations

import math

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, f16
from xdsl.ir import Operation, SSAValue

from kc.dialects import llvm, nvvm
from kc.dialects.gpu import GPUFuncOp
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
    nvvm.FenceMbarrierInitOp,
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
    nvvm.WgmmaFenceAlignedOp,
)
CLUSTERS = (
    nvvm.ClusterArriveOp,
    nvvm.ClusterArriveRelaxedOp,
    nvvm.ClusterWaitOp,
    nvvm.MapaOp,
)
HINTS = (
    nvvm.CpAsyncBulkPrefetchOp,
    nvvm.CpAsyncBulkTensorPrefetchOp,
    nvvm.PrefetchOp,
    nvvm.NanosleepOp,
)
"""Operations without effect in the emulator, where threads run one after the other."""
NVVM = (
    *BARRIERS,
    *COPIES,
    *MBARRIERS,
    *MATRICES,
    *BULK,
    *BOXES,
    *WARPGROUPS,
    *CLUSTERS,
    *HINTS,
    nvvm.ConvertFloatToTF32Op,
)
"""Emulated operations."""


_NO_CLUSTER = (
    "its kernel has no clusters, which an attribute such as nvvm.cluster_dim = array<i32: 2, 1, "
    "1> would define"
)


def cluster_size(op: Operation) -> int:
    """The number of blocks in a cluster of the kernel around ``op``."""
    around: Operation | None = op
    while around is not None and not isinstance(around, GPUFuncOp):
        around = around.parent_op()
    return 1 if around is None else math.prod(cluster_dims(around))


def cluster_dims(kernel: GPUFuncOp) -> tuple[int, int, int]:
    """The blocks of a cluster along each axis."""
    dims = kernel.attributes.get("nvvm.cluster_dim")
    if not isinstance(dims, DenseArrayBase):
        return (1, 1, 1)
    x, y, z = dims.get_values()
    return int(x), int(y), int(z)


def problem_of(op: Operation) -> str | None:
    """The reason why a form of an operation of :data:`NVVM` is not emulated; None if it is."""
    if isinstance(op, nvvm.BarrierOp | nvvm.BarrierArriveOp):
        number = constant_of(op.barrier_id)
        if number is not None and not 0 <= number < NAMED_BARRIERS:
            return f"a block has the barriers 0 to {NAMED_BARRIERS - 1}, and no {number}"
        count = constant_of(op.number_of_threads)
        if count is not None and (count <= 0 or count % WARP_SIZE):
            return (
                f"the number of threads is {count}, but must be a multiple of 32, the size of a "
                "warp"
            )
    if isinstance(op, ArrivingOp | TransactionOp | NocompleteOp):
        if points_to_cluster(op.addr) and cluster_size(op) == 1:
            return _NO_CLUSTER
        if isinstance(op, nvvm.MBarrierArriveExpectTxOp) and op.predicate is not None:
            return "it has a predicate: use a branch around the operation instead"
    if isinstance(op, nvvm.MBarrierInitOp) and op.predicate is not None:
        return "it has a predicate: use a branch around the operation instead"
    if isinstance(op, nvvm.WgmmaMmaAsyncOp) and f16 in getattr(op.inouts.type, "types", ()):
        return "its registers are f16, and hold two such numbers each: vector<2xf16> or i32"
    if isinstance(op, BOXES):
        if op.mode.data != "tile":
            return (
                f"boxes of the mode {op.mode.data} are not supported; the only supported mode is "
                "tile"
            )
        if op.predicate is not None:
            return "it has a predicate: use a branch around the operation instead"
        is_load = isinstance(op, nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp)
        if is_load and op.multicast_mask is not None and cluster_size(op) == 1:
            return _NO_CLUSTER
    if isinstance(op, nvvm.CpAsyncBulkGlobalToSharedClusterOp) and op.multicast_mask is not None:
        return "copies of bytes go to a single block; only copies of boxes go to several"
    if isinstance(op, nvvm.CpAsyncBulkSharedCTAToGlobalOp) and op.byte_mask is not None:
        return "it has a mask of bytes"
    if isinstance(op, nvvm.LdMatrixOp | nvvm.StMatrixOp) and op.shape.sizes != (8, 8):
        m, n = op.shape.sizes
        return f"the matrices are of {m} x {n} elements; only 8 x 8 is supported"
    if isinstance(op, nvvm.ConvertFloatToTF32Op):
        if op.rnd.data != "rna" or op.relu.value.data or op.sat.data != "none":
            return "it rounds to nearest, ties away from zero (rna), and does nothing else"
    if isinstance(op, nvvm.MmaOp) and op.shape.sizes == (8, 8, 4) and op.element_type == "f16":
        return "m8n8k4 of f16 has another layout than all other shapes"
    return None


def constant_of(value: SSAValue | None) -> int | None:
    """The number if ``value`` is constant, else None."""
    op = None if value is None else value.owner
    if not isinstance(op, arith.ConstantOp | llvm.ConstantOp):
        return None
    attribute = op.get_attr_or_prop("value")
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None
