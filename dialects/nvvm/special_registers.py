"""The special registers that a thread can read: indices, sizes, clocks.

The table at the end lists all of them, with MLIR's names.
"""

from __future__ import annotations

from abc import ABC
from typing import Any, TypeVar

from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.irdl import irdl_op_definition, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.ranges import ConstantRangeAttr
from kc.dialects.nvvm.base import NVVMOp
from kc.dialects.nvvm.requirements import ANY, Requirement


class SpecialRegisterOp(NVVMOp, ABC):
    """``%r = nvvm.read.ptx.sreg.laneid : i32``."""


class RangedRegisterOp(SpecialRegisterOp, ABC):
    """``%r = nvvm.read.ptx.sreg.tid.x range <i32, 0, 256> : i32``, the same at every reading."""

    res = result_def(i32)
    bounds = opt_prop_def(ConstantRangeAttr, prop_name="range")

    traits = traits_def(Pure())
    assembly_format = "(`range` $range^)? attr-dict `:` type($res)"

    def __init__(self, bounds: ConstantRangeAttr | None = None):
        super().__init__(result_types=[i32], properties={"range": bounds})

    def verify_(self) -> None:
        bounds = self.bounds
        if bounds is None:
            return
        if bounds.type != i32:
            raise VerifyException(f"{self.name}: a range of {bounds.type} for a register of i32")
        lower, upper = bounds.lower.data, bounds.upper.data
        # LLVM represents both the empty and the full range with these bounds.
        if lower == upper and lower not in (0, -1):
            raise VerifyException(
                f"{self.name}: the range from {lower} to {upper} is empty; "
                "the bounds of an empty range are both 0, those of a full range both -1"
            )


class FixedRegisterOp(SpecialRegisterOp, ABC):
    """A 32-bit register with the same value at every read."""

    res = result_def(i32)

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"

    def __init__(self):
        super().__init__(result_types=[i32])


class ClockRegisterOp(SpecialRegisterOp, ABC):
    """A counter: two reads must not be merged into one."""

    assembly_format = "attr-dict `:` type($res)"


class Clock32Op(ClockRegisterOp, ABC):
    """A 32-bit counter."""

    res = result_def(i32)

    def __init__(self):
        super().__init__(result_types=[i32])


class Clock64BitOp(ClockRegisterOp, ABC):
    """A 64-bit counter."""

    res = result_def(i64)

    def __init__(self):
        super().__init__(result_types=[i64])


Shape = TypeVar("Shape", bound=SpecialRegisterOp)

CLUSTERS = Requirement(sm=90, ptx=78)


def register(
    shape: type[Shape], class_name: str, name: str, about: str, requires: Requirement = ANY
) -> type[Shape]:
    """The op ``nvvm.read.ptx.sreg.NAME``, with this base class."""
    ty: IntegerType = i64 if issubclass(shape, Clock64BitOp) else i32
    fields = {
        "name": f"nvvm.read.ptx.sreg.{name}",
        "__doc__": f"``%r = nvvm.read.ptx.sreg.{name} : {ty}``: {about}.",
        "__module__": shape.__module__,
    }
    plain: Any = type(class_name, (shape,), fields)
    op: Any = irdl_op_definition(plain)
    op.REQUIRES = requires
    return op


def _axes(
    class_name: str, name: str, about: str, requires: Requirement = ANY
) -> tuple[type[RangedRegisterOp], type[RangedRegisterOp], type[RangedRegisterOp]]:
    """The registers of the axes x, y and z; ``{}`` in the names is replaced by the axis."""
    x, y, z = (
        register(
            RangedRegisterOp,
            class_name.format(axis.upper()),
            f"{name}.{axis}",
            f"{about} along {axis}",
            requires,
        )
        for axis in "xyz"
    )
    return x, y, z


# fmt: off
ThreadIdXOp, ThreadIdYOp, ThreadIdZOp = _axes(
    "ThreadId{}Op", "tid", "the thread's index in its block")
BlockDimXOp, BlockDimYOp, BlockDimZOp = _axes(
    "BlockDim{}Op", "ntid", "threads of a block")
BlockIdXOp, BlockIdYOp, BlockIdZOp = _axes(
    "BlockId{}Op", "ctaid", "the block's index in the grid")
GridDimXOp, GridDimYOp, GridDimZOp = _axes(
    "GridDim{}Op", "nctaid", "blocks of the grid")
ClusterIdXOp, ClusterIdYOp, ClusterIdZOp = _axes(
    "ClusterId{}Op", "clusterid", "the cluster's index in the grid", CLUSTERS)
ClusterDimXOp, ClusterDimYOp, ClusterDimZOp = _axes(
    "ClusterDim{}Op", "nclusterid", "clusters of the grid", CLUSTERS)
BlockInClusterIdXOp, BlockInClusterIdYOp, BlockInClusterIdZOp = _axes(
    "BlockInClusterId{}Op", "cluster.ctaid", "the block's index in its cluster", CLUSTERS)
ClusterDimBlocksXOp, ClusterDimBlocksYOp, ClusterDimBlocksZOp = _axes(
    "ClusterDimBlocks{}Op", "cluster.nctaid", "blocks of a cluster", CLUSTERS)
ClusterIdOp = register(
    RangedRegisterOp, "ClusterIdOp", "cluster.ctarank", "the block's rank in its cluster",
    CLUSTERS)
ClusterDimOp = register(
    RangedRegisterOp, "ClusterDimOp", "cluster.nctarank", "blocks of a cluster in all", CLUSTERS)
LaneIdOp = register(RangedRegisterOp, "LaneIdOp", "laneid", "the thread's lane in its warp")
WarpIdOp = register(RangedRegisterOp, "WarpIdOp", "warpid", "the warp that runs the thread")
WarpDimOp = register(RangedRegisterOp, "WarpDimOp", "nwarpid", "the most warps of a processor")
SmIdOp = register(RangedRegisterOp, "SmIdOp", "smid", "the processor that runs the thread")
SmDimOp = register(RangedRegisterOp, "SmDimOp", "nsmid", "the most processors")
GridIdOp = register(RangedRegisterOp, "GridIdOp", "gridid", "the launch")
WarpSizeOp = register(RangedRegisterOp, "WarpSizeOp", "warpsize", "threads of a warp")
LaneMaskEqOp = register(FixedRegisterOp, "LaneMaskEqOp", "lanemask.eq", "the bit of the lane")
LaneMaskLeOp = register(
    FixedRegisterOp, "LaneMaskLeOp", "lanemask.le", "bits of the lane and those before it")
LaneMaskLtOp = register(
    FixedRegisterOp, "LaneMaskLtOp", "lanemask.lt", "bits of the lanes before it")
LaneMaskGeOp = register(
    FixedRegisterOp, "LaneMaskGeOp", "lanemask.ge", "bits of the lane and those after it")
LaneMaskGtOp = register(
    FixedRegisterOp, "LaneMaskGtOp", "lanemask.gt", "bits of the lanes after it")
DynamicSmemSizeOp = register(
    FixedRegisterOp, "DynamicSmemSizeOp", "dynamic.smem.size",
    "bytes of shared memory that the launch gave", Requirement(sm=20, ptx=41))
TotalSmemSizeOp = register(
    FixedRegisterOp, "TotalSmemSizeOp", "total.smem.size",
    "bytes of the block's shared memory", Requirement(sm=20, ptx=41))
AggrSmemSizeOp = register(
    FixedRegisterOp, "AggrSmemSizeOp", "aggr.smem.size",
    "bytes of shared memory with those that the system reserves", Requirement(sm=90, ptx=81))
ClockOp = register(Clock32Op, "ClockOp", "clock", "cycles, which wrap around")
Clock64Op = register(Clock64BitOp, "Clock64Op", "clock64", "cycles")
GlobalTimerOp = register(
    Clock64BitOp, "GlobalTimerOp", "globaltimer", "nanoseconds", Requirement(sm=30, ptx=32))
GlobalTimerLoOp = register(
    Clock32Op, "GlobalTimerLoOp", "globaltimer.lo", "the low half of globaltimer",
    Requirement(sm=30, ptx=32))
# fmt: on
