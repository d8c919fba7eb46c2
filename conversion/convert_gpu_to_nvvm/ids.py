"""Thread and block indices: 32-bit special registers, converted to the type index."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.function import LlvmPattern
from kc.dialects import gpu, llvm, nvvm
from kc.dialects.gpu import Dimension
from kc.dialects.gpu.ids import DimensionOp, SubgroupNumberOp
from kc.dialects.llvm.ranges import ConstantRangeAttr
from kc.dialects.nvvm.special_registers import RangedRegisterOp

WARP_SIZE = 32
MAX_BLOCK = {Dimension.X: 1024, Dimension.Y: 1024, Dimension.Z: 64}
"""The maximum number of threads of a block along each dimension (CUDA C++ Programming Guide)."""
MAX_GRID = {Dimension.X: 2**31 - 1, Dimension.Y: 65535, Dimension.Z: 65535}
"""The maximum number of blocks of a grid along each dimension."""

_REGISTERS: dict[type[DimensionOp], str] = {
    gpu.ThreadIdOp: "tid",
    gpu.BlockIdOp: "ctaid",
    gpu.BlockDimOp: "ntid",
    gpu.GridDimOp: "nctaid",
    gpu.ClusterIdOp: "clusterid",
    gpu.ClusterDimOp: "nclusterid",
    gpu.ClusterBlockIdOp: "cluster.ctaid",
    gpu.ClusterDimBlocksOp: "cluster.nctaid",
}
_BY_NAME = {op.name: op for op in nvvm.NVVM.operations}


def special_register(name: str) -> type[Operation]:
    """The operation that reads a special register."""
    return _BY_NAME[f"nvvm.read.ptx.sreg.{name}"]


class LowerDimension(LlvmPattern):
    """An index of a thread or block, or a count of threads or blocks.

    ::

        %t = gpu.thread_id x    ->    %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
                                      %t = llvm.sext %0 : i32 to i64
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.ThreadIdOp
        | gpu.BlockIdOp
        | gpu.BlockDimOp
        | gpu.GridDimOp
        | gpu.ClusterIdOp
        | gpu.ClusterDimOp
        | gpu.ClusterBlockIdOp
        | gpu.ClusterDimBlocksOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s = self.conversion
        dimension = op.dimension.data
        read = special_register(f"{_REGISTERS[type(op)]}.{dimension.value}")()
        if isinstance(read, RangedRegisterOp):
            bounds = self._bounds(op)
            if bounds is not None:
                read.properties["range"] = ConstantRangeAttr(i32, *bounds)
        value = s.insert(read).results[0]
        s.define(op.result, s.emit(llvm.SExtOp, [value], i64))

    def _bounds(self, op: DimensionOp) -> tuple[int, int] | None:
        """The minimum, and the maximum plus one; None if unknown."""
        source, dimension = self.conversion.source, op.dimension.data
        is_block = isinstance(op, gpu.ThreadIdOp | gpu.BlockDimOp)
        if not is_block and not isinstance(op, gpu.BlockIdOp | gpu.GridDimOp):
            return None
        sizes = source.known_block_size if is_block else source.known_grid_size  # pyright: ignore
        size = _known(sizes, dimension)
        limit = size or (MAX_BLOCK if is_block else MAX_GRID)[dimension]
        if isinstance(op, gpu.ThreadIdOp | gpu.BlockIdOp):
            return 0, limit
        return (size or 1), min(limit + 1, 2**31 - 1)


def _known(sizes: DenseArrayBase[IntegerType] | None, dimension: Dimension) -> int | None:
    if sizes is None:
        return None
    return sizes.get_values()["xyz".index(dimension.value)]


class LowerGlobalId(LlvmPattern):
    """``%g = gpu.global_id x`` -> ``ctaid.x * ntid.x + tid.x``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.GlobalIdOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        parts = [
            s.emit(
                llvm.SExtOp,
                [s.insert(special_register(f"{name}.{op.dimension.data.value}")()).results[0]],
                i64,
            )
            for name in ("ctaid", "ntid", "tid")
        ]
        product = s.emit(llvm.MulOp, parts[:2], i64)
        s.define(op.result, s.emit(llvm.AddOp, [product, parts[2]], i64))


class LowerSubgroupNumber(LlvmPattern):
    """The index of a thread in its warp, of the warp in its block, and their counts."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.LaneIdOp | gpu.SubgroupIdOp | gpu.NumSubgroupsOp | gpu.SubgroupSizeOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s = self.conversion
        assert isinstance(op, SubgroupNumberOp)
        if isinstance(op, gpu.LaneIdOp):
            value = s.insert(special_register("laneid")()).results[0]
            s.define(op.result, s.emit(llvm.SExtOp, [value], i64))
        elif isinstance(op, gpu.SubgroupSizeOp):
            s.define(op.result, s.int_constant(WARP_SIZE))
        elif isinstance(op, gpu.SubgroupIdOp):
            number = self._linear()
            s.define(op.result, s.emit(llvm.LShrOp, [number, s.int_constant(5)], i64))
        else:
            x, y, z = (self._read(f"ntid.{axis}") for axis in "xyz")
            threads = s.emit(llvm.MulOp, [s.emit(llvm.MulOp, [x, y], i64), z], i64)
            rounded = s.emit(llvm.AddOp, [threads, s.int_constant(WARP_SIZE - 1)], i64)
            s.define(op.result, s.emit(llvm.LShrOp, [rounded, s.int_constant(5)], i64))

    def _read(self, name: str) -> SSAValue:
        s = self.conversion
        return s.emit(llvm.SExtOp, [s.insert(special_register(name)()).results[0]], i64)

    def _linear(self) -> SSAValue:
        """The linear index of a thread in its block: x + nx * (y + ny * z)."""
        s = self.conversion
        x, y, z = (self._read(f"tid.{axis}") for axis in "xyz")
        rows = s.emit(llvm.MulOp, [self._read("ntid.y"), z], i64)
        rows = s.emit(llvm.AddOp, [y, rows], i64)
        plane = s.emit(llvm.MulOp, [self._read("ntid.x"), rows], i64)
        return s.emit(llvm.AddOp, [x, plane], i64)


PATTERNS: tuple[type[RewritePattern], ...] = (LowerDimension, LowerGlobalId, LowerSubgroupNumber)
