"""Host code: launches become calls, and device memory is host memory."""

from __future__ import annotations

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    MemRefType,
    UnrankedMemRefType,
    UnrealizedConversionCastOp,
    i1,
    i8,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from kc.analysis.gpu.kernel_launches import constant_of
from kc.conversion._tensor_maps import MAP_BYTES, tensor_map
from kc.conversion.convert_gpu_to_cpu.kernel import (
    INDEX,
    Emitter,
    plain,
    unsupported,
)
from kc.conversion.convert_to_llvm.types import element_size
from kc.dialects import gpu, llvm
from kc.dialects.gpu import LaunchFuncOp
from kc.dialects.nvgpu import MAX_RANK, TensorMapDescriptorType, TmaCreateDescriptorOp
from kc.support.pass_context import pipeline_options
from kc.support.target import Target
from kc.transforms.gpu.binding.verify_gpu_code import gpu_target


def require_supported_host(host: Operation) -> None:
    for op in host.walk():
        if op.name.startswith(("gpu.", "nvvm.")) and not isinstance(op, (LaunchFuncOp, *HOST)):
            raise unsupported(op)
        if isinstance(op, TmaCreateDescriptorOp):
            tensor_map(op, "convert-gpu-to-cpu")


class ConvertLaunch(RewritePattern):
    """Convert a launch to a synchronous call. With ``checks_launches``, it is skipped if sizes that
    are not constant exceed the limits of the target.
    """

    def __init__(self, launches: dict[tuple[str, str], str], target: Target) -> None:
        self.launches = launches
        limits = gpu_target(target).limits
        self.limits: list[int] = [
            *limits["max_grid_dims"],
            *limits["max_block_dims"],
            limits["max_shared_memory_per_block"],
            limits["max_threads_per_block"],
        ]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LaunchFuncOp, rewriter: PatternRewriter, /) -> None:
        e = Emitter(rewriter, op)
        sizes = [*op.grid, *op.block]
        if sizes[0].type != INDEX:
            sizes = [e.emit(arith.IndexCastOp(size, INDEX)) for size in sizes]
        if op.dynamic_shared_memory_size is None:
            dynamic = e.number(0)
        else:
            dynamic = e.emit(arith.IndexCastOp(op.dynamic_shared_memory_size, INDEX))
        launch = func.CallOp(
            self.launches[op.kernel_names], [*sizes, dynamic, *op.kernel_operands], []
        )
        operands = [*sizes, dynamic]
        if pipeline_options().checks_launches and None in map(constant_of, operands):
            fits = e.call("kc_emu_fits", [*operands, *map(e.number, self.limits)], [i1]).results[0]
            launch.location = op.location
            e.add(scf.IfOp(fits, [], [launch, scf.YieldOp()]))
        else:
            e.add(launch)
        rewriter.erase(op)


class ConvertTensorMap(RewritePattern):
    """A tensor map: its bytes, which the emulator fills.

    ::

        %map = nvgpu.tma.create.descriptor %all box[...]

        func.call @kc_emu_tensor_map(%bytes, %array, %form, %sizes, %strides, %box)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TmaCreateDescriptorOp, rewriter: PatternRewriter, /) -> None:
        e = Emitter(rewriter, op)
        map_ = tensor_map(op, "convert-gpu-to-cpu")
        type_ = map_.array.type
        assert isinstance(type_, MemRefType)
        rank, size = type_.get_num_dims(), element_size(type_)
        metadata = memref.ExtractStridedMetaDataOp(map_.array)
        e.add(metadata)
        bytes_ = e.number(size)
        sizes: list[SSAValue] = [*reversed(metadata.sizes)]
        strides = [e.emit(arith.MuliOp(step, bytes_)) for step in reversed(metadata.strides)][1:]
        sizes += [e.number(1)] * (MAX_RANK - rank)
        strides += [e.number(0)] * (MAX_RANK - rank)
        start = e.emit(
            memref.ExtractAlignedPointerAsIndexOp.build(operands=[map_.array], result_types=[INDEX])
        )
        count = e.number(MAP_BYTES, i64)
        place = e.emit(llvm.AllocaOp(count, i8, 64))
        address = e.emit(arith.IndexCastOp(e.emit(llvm.PtrToIntOp(place, i64)), INDEX))
        numbers = [e.emit(arith.IndexCastOp(value, i64)) for value in (*sizes, *strides)]
        box = [e.number(extent, i64) for extent in map_.box]
        e.call("kc_emu_tensor_map", [address, start, e.number(map_.form, i64), *numbers, *box])
        rewriter.replace(op, [], [place])


class TakeMap(RewritePattern):
    """``builtin.unrealized_conversion_cast %p : !llvm.ptr to !nvgpu.tensormap.descriptor<...>``

    Kernels receive the address of the map.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: UnrealizedConversionCastOp, rewriter: PatternRewriter, /
    ) -> None:
        if isinstance(op.outputs[0].type, TensorMapDescriptorType):
            rewriter.replace(op, [], list(op.inputs))


class EraseCastOfWhole(RewritePattern):
    """Remove the cast to an unranked array; the map's array is known with its rank."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.CastOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(op.dest.type, UnrankedMemRefType) and not op.dest.uses:
            rewriter.erase(op)


class ConvertAlloc(RewritePattern):
    """Allocate device memory as host memory."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.AllocOp, rewriter: PatternRewriter, /) -> None:
        type_ = plain(op.memref.type)
        assert isinstance(type_, MemRefType)
        alloc = memref.AllocOp(op.dynamic_sizes, op.symbol_operands, type_)
        results = [alloc.memref, None] if op.async_token is not None else [alloc.memref]
        rewriter.replace(op, alloc, results)


class ConvertDealloc(RewritePattern):
    """Free device memory as host memory."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.DeallocOp, rewriter: PatternRewriter, /) -> None:
        _replace_async(rewriter, op, memref.DeallocOp.get(op.memref))


class ConvertMemcpy(RewritePattern):
    """Convert an asynchronous copy to a synchronous one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.MemcpyOp, rewriter: PatternRewriter, /) -> None:
        _replace_async(rewriter, op, memref.CopyOp(op.src, op.dst))


class ConvertMemset(RewritePattern):
    """Fill memory synchronously."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.MemsetOp, rewriter: PatternRewriter, /) -> None:
        e = Emitter(rewriter, op)
        type_ = op.dst.type
        assert isinstance(type_, MemRefType)
        sizes = [e.emit(memref.DimOp(op.dst, e.number(n))) for n in range(type_.get_num_dims())]
        zero, step = e.number(0), e.number(1)
        indices: list[SSAValue] = []
        loops: list[Operation] = []
        for size in sizes:
            body = Block(arg_types=[INDEX])
            indices.append(body.args[0])
            loops.append(scf.ForOp(zero, size, step, [], Region(body)))
        nest: Operation = memref.StoreOp.get(op.value, op.dst, indices)
        for loop in reversed(loops):
            loop.regions[0].block.add_ops([nest, scf.YieldOp()])
            nest = loop
        e.add(nest)
        rewriter.replace(op, [], [None] * len(op.results))


class EraseHostNote(RewritePattern):
    """Remove registrations of host memory, which is also device memory here."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.HostRegisterOp | gpu.HostUnregisterOp | gpu.SetDefaultDeviceOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        rewriter.erase(op)


class ConvertWait(RewritePattern):
    """Remove a wait: all operations are synchronous."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.WaitOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, [], [None] * len(op.results))


def _replace_async(rewriter: PatternRewriter, op: Operation, new: Operation) -> None:
    rewriter.replace(op, new, [None] * len(op.results))


HOST_PATTERNS: tuple[type[RewritePattern], ...] = (
    ConvertTensorMap,
    TakeMap,
    EraseCastOfWhole,
    ConvertAlloc,
    ConvertDealloc,
    ConvertMemcpy,
    ConvertMemset,
    ConvertWait,
    EraseHostNote,
)
HOST = (
    gpu.AllocOp,
    gpu.DeallocOp,
    gpu.MemcpyOp,
    gpu.MemsetOp,
    gpu.WaitOp,
    gpu.HostRegisterOp,
    gpu.HostUnregisterOp,
    gpu.SetDefaultDeviceOp,
)
"""The operations of gpu in host code that are converted, besides launches."""
