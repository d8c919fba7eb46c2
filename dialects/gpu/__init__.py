"""The gpu dialect with MLIR's names and text: kernels, launches, and collective operations.

xDSL's dialect has fewer operations, and only their generic form.
"""

from xdsl.dialects.gpu import LoopDimMapAttr
from xdsl.ir import Attribute, Dialect, Operation

from kc.dialects.gpu.attrs import (
    MAPPINGS,
    AddressSpace,
    AddressSpaceAttr,
    AllReduceOperation,
    AllReduceOperationAttr,
    AsyncTokenType,
    BlockMappingAttr,
    BroadcastType,
    BroadcastTypeAttr,
    Dimension,
    DimensionAttr,
    LaneMappingAttr,
    MappingId,
    MappingMaskAttr,
    ShuffleMode,
    ShuffleModeAttr,
    ThreadMappingAttr,
    WarpgroupMappingAttr,
    WarpMappingAttr,
)
from kc.dialects.gpu.collectives import (
    AllReduceOp,
    BarrierOp,
    RotateOp,
    ShuffleOp,
    SubgroupBroadcastOp,
    SubgroupReduceOp,
    YieldOp,
)
from kc.dialects.gpu.ids import (
    BlockDimOp,
    BlockIdOp,
    ClusterBlockIdOp,
    ClusterDimBlocksOp,
    ClusterDimOp,
    ClusterIdOp,
    GlobalIdOp,
    GridDimOp,
    LaneIdOp,
    NumSubgroupsOp,
    SubgroupIdOp,
    SubgroupSizeOp,
    ThreadIdOp,
)
from kc.dialects.gpu.launch import LaunchFuncOp, LaunchOp, TerminatorOp
from kc.dialects.gpu.memory import (
    AllocOp,
    DeallocOp,
    DynamicSharedMemoryOp,
    HostRegisterOp,
    HostUnregisterOp,
    MemcpyOp,
    MemsetOp,
    PrintfOp,
    SetDefaultDeviceOp,
    WaitOp,
)
from kc.dialects.gpu.module import GPUFuncOp, GPUModuleOp, ReturnOp

__all__ = [
    "GPU",
    "MAPPINGS",
    "AddressSpace",
    "AddressSpaceAttr",
    "AllReduceOp",
    "AllReduceOperation",
    "AllReduceOperationAttr",
    "AllocOp",
    "AsyncTokenType",
    "BarrierOp",
    "BlockDimOp",
    "BlockIdOp",
    "BlockMappingAttr",
    "BroadcastType",
    "BroadcastTypeAttr",
    "ClusterBlockIdOp",
    "ClusterDimBlocksOp",
    "ClusterDimOp",
    "ClusterIdOp",
    "DeallocOp",
    "Dimension",
    "DimensionAttr",
    "DynamicSharedMemoryOp",
    "GPUFuncOp",
    "GPUModuleOp",
    "GlobalIdOp",
    "GridDimOp",
    "HostRegisterOp",
    "HostUnregisterOp",
    "LaneIdOp",
    "LaneMappingAttr",
    "LaunchFuncOp",
    "LaunchOp",
    "LoopDimMapAttr",
    "MappingId",
    "MappingMaskAttr",
    "MemcpyOp",
    "MemsetOp",
    "NumSubgroupsOp",
    "PrintfOp",
    "ReturnOp",
    "RotateOp",
    "SetDefaultDeviceOp",
    "ShuffleMode",
    "ShuffleModeAttr",
    "ShuffleOp",
    "SubgroupBroadcastOp",
    "SubgroupIdOp",
    "SubgroupReduceOp",
    "SubgroupSizeOp",
    "TerminatorOp",
    "ThreadIdOp",
    "ThreadMappingAttr",
    "WaitOp",
    "WarpMappingAttr",
    "WarpgroupMappingAttr",
    "YieldOp",
]

_NAMED = [
    value
    for value in map(globals().get, __all__)
    if isinstance(value, type) and getattr(value, "name", "").startswith("gpu.")
]

GPU = Dialect(
    "gpu",
    [value for value in _NAMED if Operation in value.__mro__],
    [value for value in _NAMED if Attribute in value.__mro__],
)
