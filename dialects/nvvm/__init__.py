"""The nvvm dialect: NVIDIA GPU instructions, with MLIR's names and text.

Each operation states the architecture and the PTX version that it needs
(:mod:`kc.dialects.nvvm.requirements`). All are exported here::

    from kc.dialects.nvvm import NVVM, ShflOp, ThreadIdXOp
"""

from xdsl.ir import Attribute, Dialect, Operation

# fmt: off
# ruff: noqa: I001
from kc.dialects.nvvm.barriers import (
    Barrier0Op, BarrierArriveOp, BarrierOp, ClusterArriveOp, ClusterArriveRelaxedOp,
    ClusterWaitOp, SyncWarpOp,
)
from kc.dialects.nvvm.base import (
    CLUSTER_POINTER, CONSTANT_POINTER, GENERIC_POINTER, GLOBAL_POINTER, LOCAL_POINTER, NVVMOp,
    SHARED_POINTER,
)
from kc.dialects.nvvm.bulk import (
    CpAsyncBulkCommitGroupOp, CpAsyncBulkGlobalToSharedClusterOp, CpAsyncBulkPrefetchOp,
    CpAsyncBulkSharedCTAToGlobalOp, CpAsyncBulkSharedCTAToSharedClusterOp,
    CpAsyncBulkTensorGlobalToSharedClusterOp, CpAsyncBulkTensorPrefetchOp,
    CpAsyncBulkTensorReduceOp, CpAsyncBulkTensorSharedCTAToGlobalOp, CpAsyncBulkWaitGroupOp,
)
from kc.dialects.nvvm.control import (
    ConvertFloatToTF32Op, ExitOp, GriddepcontrolOp, NanosleepOp, PrefetchOp, RcpApproxFtzF32Op,
    SetMaxRegisterOp,
)
from kc.dialects.nvvm.cp_async import (
    CpAsyncCommitGroupOp, CpAsyncMBarrierArriveOp, CpAsyncOp, CpAsyncWaitGroupOp,
)
from kc.dialects.nvvm.enums import (
    BarrierReductionAttr, CacheEvictionPriorityAttr, FPRoundingModeAttr, GridDepActionAttr,
    LdStMatrixEltTypeAttr, LoadCacheModifierAttr, MMAB1OpAttr, MMAFragAttr,
    MMAIntOverflowAttr, MMALayoutAttr, MMATypesAttr, MatchSyncKindAttr, MemOrderKindAttr,
    MemScopeKindAttr, PrefetchCacheLevelAttr, ProxyKindAttr, ReduxKindAttr,
    SaturationModeAttr, SetMaxRegisterActionAttr, SharedSpaceAttr, ShflKindAttr,
    TMALoadModeAttr, TMAReduxKindAttr, TMAStoreModeAttr, VoteSyncKindAttr, WGMMAScaleInAttr,
    WGMMAScaleOutAttr, WGMMATypesAttr,
)
from kc.dialects.nvvm.fences import (
    FenceMbarrierInitOp, FenceProxyAcquireOp, FenceProxyOp, FenceProxyReleaseOp,
    FenceProxySyncRestrictOp, FenceScClusterOp, FenceSyncRestrictOp, MembarOp,
)
from kc.dialects.nvvm.fragments import (
    SCOPES, FragmentAttr,
)
from kc.dialects.nvvm.inline_ptx import (
    InlinePtxOp,
)
from kc.dialects.nvvm.matrix import (
    LdMatrixOp, StMatrixOp,
)
from kc.dialects.nvvm.mbarriers import (
    MBarrierArriveDropExpectTxOp, MBarrierArriveDropNocompleteOp, MBarrierArriveDropOp,
    MBarrierArriveExpectTxOp, MBarrierArriveNocompleteOp, MBarrierArriveOp,
    MBarrierCompleteTxOp, MBarrierExpectTxOp, MBarrierInitOp, MBarrierInvalOp,
    MBarrierTestWaitOp, MBarrierTryWaitOp, MBarrierTryWaitParityOp, MapaOp,
)
from kc.dialects.nvvm.mma import (
    MmaOp,
)
from kc.dialects.nvvm.requirements import (
    ANY, Requirement, require,
)
from kc.dialects.nvvm.shapes import (
    LdStMatrixShapeAttr, MMAShapeAttr,
)
from kc.dialects.nvvm.special_registers import (
    AggrSmemSizeOp, BlockDimXOp, BlockDimYOp, BlockDimZOp, BlockIdXOp, BlockIdYOp,
    BlockIdZOp, BlockInClusterIdXOp, BlockInClusterIdYOp, BlockInClusterIdZOp, Clock64Op,
    ClockOp, ClusterDimBlocksXOp, ClusterDimBlocksYOp, ClusterDimBlocksZOp, ClusterDimOp,
    ClusterDimXOp, ClusterDimYOp, ClusterDimZOp, ClusterIdOp, ClusterIdXOp, ClusterIdYOp,
    ClusterIdZOp, DynamicSmemSizeOp, GlobalTimerLoOp, GlobalTimerOp, GridDimXOp, GridDimYOp,
    GridDimZOp, GridIdOp, LaneIdOp, LaneMaskEqOp, LaneMaskGeOp, LaneMaskGtOp, LaneMaskLeOp,
    LaneMaskLtOp, SmDimOp, SmIdOp, ThreadIdXOp, ThreadIdYOp, ThreadIdZOp, TotalSmemSizeOp,
    WarpDimOp, WarpIdOp, WarpSizeOp,
)
from kc.dialects.nvvm.warp import (
    ElectSyncOp, MatchSyncOp, ReduxOp, ShflOp, VoteSyncOp,
)
from kc.dialects.nvvm.wgmma import (
    WgmmaFenceAlignedOp, WgmmaGroupSyncAlignedOp, WgmmaMmaAsyncOp, WgmmaWaitGroupSyncOp,
)
from kc.dialects.nvvm.wmma import (
    WmmaLoadOp, WmmaMmaOp, WmmaStoreOp,
)

__all__ = [
    "ANY", "AggrSmemSizeOp", "Barrier0Op", "BarrierArriveOp", "BarrierOp", "BarrierReductionAttr",
    "BlockDimXOp", "BlockDimYOp", "BlockDimZOp", "BlockIdXOp", "BlockIdYOp", "BlockIdZOp",
    "BlockInClusterIdXOp", "BlockInClusterIdYOp", "BlockInClusterIdZOp", "CLUSTER_POINTER",
    "CONSTANT_POINTER", "CacheEvictionPriorityAttr", "Clock64Op", "ClockOp", "ClusterArriveOp",
    "ClusterArriveRelaxedOp", "ClusterDimBlocksXOp", "ClusterDimBlocksYOp", "ClusterDimBlocksZOp",
    "ClusterDimOp", "ClusterDimXOp", "ClusterDimYOp", "ClusterDimZOp", "ClusterIdOp",
    "ClusterIdXOp", "ClusterIdYOp", "ClusterIdZOp", "ClusterWaitOp", "ConvertFloatToTF32Op",
    "CpAsyncBulkCommitGroupOp", "CpAsyncBulkGlobalToSharedClusterOp", "CpAsyncBulkPrefetchOp",
    "CpAsyncBulkSharedCTAToGlobalOp", "CpAsyncBulkSharedCTAToSharedClusterOp",
    "CpAsyncBulkTensorGlobalToSharedClusterOp", "CpAsyncBulkTensorPrefetchOp",
    "CpAsyncBulkTensorReduceOp", "CpAsyncBulkTensorSharedCTAToGlobalOp", "CpAsyncBulkWaitGroupOp",
    "CpAsyncCommitGroupOp", "CpAsyncMBarrierArriveOp", "CpAsyncOp", "CpAsyncWaitGroupOp",
    "DynamicSmemSizeOp", "ElectSyncOp", "ExitOp", "FPRoundingModeAttr", "FenceMbarrierInitOp",
    "FenceProxyAcquireOp", "FenceProxyOp", "FenceProxyReleaseOp", "FenceProxySyncRestrictOp",
    "FenceScClusterOp", "FenceSyncRestrictOp", "FragmentAttr", "GENERIC_POINTER", "GLOBAL_POINTER",
    "GlobalTimerLoOp", "GlobalTimerOp", "GridDepActionAttr", "GridDimXOp", "GridDimYOp",
    "GridDimZOp", "GridIdOp", "GriddepcontrolOp", "InlinePtxOp", "LOCAL_POINTER", "LaneIdOp",
    "LaneMaskEqOp", "LaneMaskGeOp", "LaneMaskGtOp", "LaneMaskLeOp", "LaneMaskLtOp", "LdMatrixOp",
    "LdStMatrixEltTypeAttr", "LdStMatrixShapeAttr", "LoadCacheModifierAttr",
    "MBarrierArriveDropExpectTxOp", "MBarrierArriveDropNocompleteOp", "MBarrierArriveDropOp",
    "MBarrierArriveExpectTxOp", "MBarrierArriveNocompleteOp", "MBarrierArriveOp",
    "MBarrierCompleteTxOp", "MBarrierExpectTxOp", "MBarrierInitOp", "MBarrierInvalOp",
    "MBarrierTestWaitOp", "MBarrierTryWaitOp", "MBarrierTryWaitParityOp", "MMAB1OpAttr",
    "MMAFragAttr", "MMAIntOverflowAttr", "MMALayoutAttr", "MMAShapeAttr", "MMATypesAttr", "MapaOp",
    "MatchSyncKindAttr", "MatchSyncOp", "MemOrderKindAttr", "MemScopeKindAttr", "MembarOp", "MmaOp",
    "NVVM", "NVVMOp", "NanosleepOp", "PrefetchCacheLevelAttr", "PrefetchOp", "ProxyKindAttr",
    "RcpApproxFtzF32Op", "ReduxKindAttr", "ReduxOp", "Requirement", "SCOPES", "SHARED_POINTER",
    "SaturationModeAttr", "SetMaxRegisterActionAttr", "SetMaxRegisterOp", "SharedSpaceAttr",
    "ShflKindAttr", "ShflOp", "SmDimOp", "SmIdOp", "StMatrixOp", "SyncWarpOp", "TMALoadModeAttr",
    "TMAReduxKindAttr", "TMAStoreModeAttr", "ThreadIdXOp", "ThreadIdYOp", "ThreadIdZOp",
    "TotalSmemSizeOp", "VoteSyncKindAttr", "VoteSyncOp", "WGMMAScaleInAttr", "WGMMAScaleOutAttr",
    "WGMMATypesAttr", "WarpDimOp", "WarpIdOp", "WarpSizeOp", "WgmmaFenceAlignedOp",
    "WgmmaGroupSyncAlignedOp", "WgmmaMmaAsyncOp", "WgmmaWaitGroupSyncOp", "WmmaLoadOp", "WmmaMmaOp",
    "WmmaStoreOp", "require",
]
# fmt: on

_NAMED = [
    value
    for value in map(globals().get, __all__)
    if isinstance(value, type) and getattr(value, "name", "").startswith("nvvm.")
]

NVVM = Dialect(
    "nvvm",
    [value for value in _NAMED if Operation in value.__mro__],
    [value for value in _NAMED if Attribute in value.__mro__],
)
