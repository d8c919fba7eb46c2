"""The gpu dialect, with the names and the text of MLIR's: kernels, launches, and what threads do
together.

xDSL's has the generic form of its operations alone, and fewer of them.
"""

from xdsl.ir import Attribute, Dialect, Operation

from kc.dialects.gpu.attrs import (
    AddressSpace,
    AddressSpaceAttr,
    AllReduceOperation,
    AllReduceOperationAttr,
    AsyncTokenType,
    BroadcastType,
    BroadcastTypeAttr,
    Dimension,
    DimensionAttr,
    ShuffleMode,
    ShuffleModeAttr,
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
    "LaunchFuncOp",
    "LaunchOp",
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
    "WaitOp",
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
