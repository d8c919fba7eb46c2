"""convert-gpu-to-llvm-amdgpu: the kernels of gpu modules in the dialect llvm, for GPUs of AMD.

Before::

    gpu.module @m {
      gpu.func @k(%A: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>)
          kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
        %t = gpu.thread_id x
        ...
        gpu.barrier

After::

    gpu.module @m {
      llvm.mlir.global internal @k_S() {addr_space = 3 : i32} : !llvm.array<64 x f32>
      llvm.func amdgpu_kernelcc @k(%A: !llvm.ptr<1> {...}) attributes {passthrough = ...} {
        %0 = llvm.call_intrinsic "llvm.amdgcn.workitem.id.x"() : () -> i32
        %t = llvm.sext %0 : i32 to i64
        ...
        llvm.fence syncscope("workgroup") release
        llvm.call_intrinsic "llvm.amdgcn.s.barrier"() : () -> ()
        llvm.fence syncscope("workgroup") acquire

A barrier alone does not order memory accesses; the fences do. A shuffle is a ``ds_bpermute`` for
each 32-bit word, within wavefronts of the target's size. Unless they are constant, the numbers of
blocks and threads are read from the implicit arguments of the launch (code object version 5).

Raises CodegenError, with the module unchanged, as ``convert-gpu-to-nvvm``: KC4302, KC4303, KC4362.

MLIR: ``convert-gpu-to-rocdl``, whose operations represent the same intrinsics.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntAttr,
    ModuleOp,
    StringAttr,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion._gpu_devices import PATTERNS as DEVICE_PATTERNS
from kc.conversion._gpu_devices import Device, DeviceFunction, lower_device_modules
from kc.conversion.convert_gpu_to_nvvm.collectives import from_words, words_of
from kc.conversion.convert_gpu_to_nvvm.function import LowerDynamicSharedMemory
from kc.conversion.convert_to_llvm.arith import compare
from kc.conversion.convert_to_llvm.function import LlvmPattern
from kc.conversion.convert_to_llvm.memref import emit_gep
from kc.conversion.convert_to_llvm.types import convert_type
from kc.dialects import gpu, llvm
from kc.dialects.gpu import ShuffleMode
from kc.dialects.gpu.ids import SubgroupNumberOp
from kc.support.target import Target

_IMPLICIT = LLVMPointerType(IntAttr(4))
"""The pointer to the implicit arguments of every kernel (AMDGPU User Guide: code object V5
metadata).
"""
_BLOCK_COUNT, _BLOCK_SIZE = 0, 12
"""Their byte offsets: three 32-bit numbers, and three 16-bit numbers."""


class AmdFunction(DeviceFunction):
    """The translation of one kernel for a GPU of AMD."""

    device = Device("convert-gpu-to-llvm-amdgpu", "amdgpu_kernelcc", 5, 4)
    conversion = ("convert-gpu-to-llvm-amdgpu", "the dialect llvm")

    def kernel_properties(self) -> dict[str, Attribute]:
        size = self.source.known_block_size
        most = self._limit("max_threads_per_block")
        least = 1
        if size is not None:
            x, y, z = size.get_values()
            least = most = x * y * z
        bounds = [StringAttr("amdgpu-flat-work-group-size"), StringAttr(f"{least},{most}")]
        return {**super().kernel_properties(), "passthrough": ArrayAttr([ArrayAttr(bounds)])}

    @property
    def warp(self) -> int:
        """The number of threads in a wavefront."""
        return self._limit("thread_warp_size")

    def _limit(self, name: str) -> int:
        """A limit of the target, or of the default AMD GPU if the target has none."""
        limits = self.target.limits
        return limits[name] if name in limits else Target("rocm").limits[name]

    def intrinsic(self, name: str, *operands: SSAValue, result: Attribute = i32) -> SSAValue:
        """The result of an intrinsic call."""
        call = llvm.CallIntrinsicOp(f"llvm.amdgcn.{name}", operands, [result])
        return self.insert(call).results[0]

    def number(self, what: str, axis: str) -> SSAValue:
        """``workitem`` or ``workgroup``: the number of a thread or block, as an index."""
        return self.emit(llvm.SExtOp, [self.intrinsic(f"{what}.id.{axis}")], i64)

    def block_size(self, axis: str) -> SSAValue:
        """The number of threads in a block along an axis."""
        n, size = "xyz".index(axis), self.source.known_block_size
        if size is not None:
            return self.int_constant(size.get_values()[n])
        return self._implicit(_BLOCK_SIZE + 2 * n, i16)

    def block_count(self, axis: str) -> SSAValue:
        """The number of blocks along an axis."""
        return self._implicit(_BLOCK_COUNT + 4 * "xyz".index(axis), i32)

    def _implicit(self, offset: int, type_: Attribute) -> SSAValue:
        base = self.intrinsic("implicitarg.ptr", result=_IMPLICIT)
        place = emit_gep(self, base, [offset], i8)
        value = self.emit(llvm.LoadOp, [place], type_)
        return self.emit(llvm.ZExtOp, [value], i64)

    def lane(self) -> SSAValue:
        """The number of a thread in its wavefront."""
        full, zero = self.int_constant(-1, i32), self.int_constant(0, i32)
        low = self.intrinsic("mbcnt.lo", full, zero)
        return low if self.warp <= 32 else self.intrinsic("mbcnt.hi", full, low)

    def linear_thread(self) -> SSAValue:
        """The number of a thread in its block: x + nx * (y + ny * z)."""
        x, y, z = (self.number("workitem", axis) for axis in "xyz")
        rows = self.emit(llvm.MulOp, [self.block_size("y"), z], i64)
        rows = self.emit(llvm.AddOp, [y, rows], i64)
        plane = self.emit(llvm.MulOp, [self.block_size("x"), rows], i64)
        return self.emit(llvm.AddOp, [x, plane], i64)


class LowerNumber(LlvmPattern):
    """A thread or block index, or a count of threads or blocks.

    ::

        %t = gpu.thread_id x    ->    %0 = llvm.call_intrinsic "llvm.amdgcn.workitem.id.x"()
                                      %t = llvm.sext %0 : i32 to i64
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.ThreadIdOp | gpu.BlockIdOp | gpu.BlockDimOp | gpu.GridDimOp | gpu.GlobalIdOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s, axis = self.conversion, op.dimension.data.value
        assert isinstance(s, AmdFunction)
        if isinstance(op, gpu.ThreadIdOp):
            value = s.number("workitem", axis)
        elif isinstance(op, gpu.BlockIdOp):
            value = s.number("workgroup", axis)
        elif isinstance(op, gpu.BlockDimOp):
            value = s.block_size(axis)
        elif isinstance(op, gpu.GridDimOp):
            value = s.block_count(axis)
        else:
            first = s.emit(llvm.MulOp, [s.number("workgroup", axis), s.block_size(axis)], i64)
            value = s.emit(llvm.AddOp, [first, s.number("workitem", axis)], i64)
        s.define(op.result, value)


class LowerSubgroupNumber(LlvmPattern):
    """The number of a thread in its wavefront, of the wavefront in its block, and their counts."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.LaneIdOp | gpu.SubgroupIdOp | gpu.NumSubgroupsOp | gpu.SubgroupSizeOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s = self.conversion
        assert isinstance(s, AmdFunction)
        assert isinstance(op, SubgroupNumberOp)
        size = s.int_constant(s.warp)
        if isinstance(op, gpu.LaneIdOp):
            value = s.emit(llvm.SExtOp, [s.lane()], i64)
        elif isinstance(op, gpu.SubgroupSizeOp):
            value = size
        elif isinstance(op, gpu.SubgroupIdOp):
            value = s.emit(llvm.UDivOp, [s.linear_thread(), size], i64)
        else:
            x, y, z = (s.block_size(axis) for axis in "xyz")
            threads = s.emit(llvm.MulOp, [s.emit(llvm.MulOp, [x, y], i64), z], i64)
            rounded = s.emit(llvm.AddOp, [threads, s.int_constant(s.warp - 1)], i64)
            value = s.emit(llvm.UDivOp, [rounded, size], i64)
        s.define(op.result, value)


class LowerBarrier(LlvmPattern):
    """A barrier, with the fences that order memory accesses.

    ::

        gpu.barrier    ->    llvm.fence syncscope("workgroup") release
                             llvm.call_intrinsic "llvm.amdgcn.s.barrier"()
                             llvm.fence syncscope("workgroup") acquire
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.BarrierOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        s.insert(llvm.FenceOp("release", "workgroup"))
        s.insert(llvm.CallIntrinsicOp("llvm.amdgcn.s.barrier", []))
        s.insert(llvm.FenceOp("acquire", "workgroup"))


class LowerShuffle(LlvmPattern):
    """The value of another lane, word by word. Each lane gives the byte address of the lane that it
    reads.

    ::

        %v, %valid = gpu.shuffle xor %x, %o, %c64 : f32

    becomes ::

        %lane = llvm.call_intrinsic "llvm.amdgcn.mbcnt.hi"(...)
        %from = llvm.xor %lane, %o
        %0 = llvm.call_intrinsic "llvm.amdgcn.ds.bpermute"(%from * 4, %x as i32) : (i32, i32) -> i32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.ShuffleOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        assert isinstance(s, AmdFunction)
        width, offset, lane = s.value(op.width), s.value(op.offset), s.lane()
        last = s.emit(llvm.SubOp, [width, s.int_constant(1, i32)], i32)
        own = s.emit(llvm.AndOp, [lane, last], i32)  # the lane's number within its segment
        first = s.emit(llvm.SubOp, [lane, own], i32)
        kinds = {ShuffleMode.XOR: llvm.XOrOp, ShuffleMode.UP: llvm.SubOp,
                 ShuffleMode.DOWN: llvm.AddOp}  # fmt: skip
        kind = kinds.get(op.mode.data)
        source = offset if kind is None else s.emit(kind, [own, offset], i32)
        valid = compare(s, "ult", source, width)
        source = s.emit(llvm.SelectOp, [valid, source, own], i32)
        place = s.emit(llvm.AddOp, [first, source], i32)
        place = s.emit(llvm.ShlOp, [place, s.int_constant(2, i32)], i32)
        received: list[SSAValue] = []
        for word in words_of(s, s.value(op.value)):
            bits = word if word.type == i32 else s.emit(llvm.BitcastOp, [word], i32)
            value = s.intrinsic("ds.bpermute", place, bits)
            received.append(
                value if word.type == i32 else s.emit(llvm.BitcastOp, [value], word.type)
            )
        s.define(op.shuffle_result, from_words(s, received, convert_type(op.value.type)))
        s.define(op.valid, valid)


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerNumber,
    LowerSubgroupNumber,
    LowerBarrier,
    LowerShuffle,
    LowerDynamicSharedMemory,
    *DEVICE_PATTERNS,
)


@dataclass(frozen=True)
class ConvertGpuToLlvmAmdgpuPass(ModulePass):
    """Translate the kernels of gpu modules for a GPU of AMD."""

    name = "convert-gpu-to-llvm-amdgpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        lower_device_modules(op, AmdFunction, PATTERNS)
