"""gpu-expand-collectives: reductions and broadcasts become shuffles and accesses of shared memory.

Before::

    %r = gpu.all_reduce add %x {} : (f32) -> (f32)

After, where a block has 64 threads::

    %0, %valid = gpu.shuffle xor %x, %c1, %c32 : f32
    %1 = arith.addf %x, %0 : f32
    ...                                          // 2, 4, 8, 16: a warp has its sum
    scf.if %is_first_lane {
      memref.store %5, %reduced[%warp] : memref<32xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %r = scf.for %i = %c1 to %warps step %c1 iter_args(%sum = %first) -> (f32) { ... }
    gpu.barrier

``gpu.subgroup_reduce`` becomes the first part of this code. ``gpu.rotate`` and
``gpu.subgroup_broadcast`` become a shuffle of the kind ``idx``. The last warp of a block may have
fewer than 32 lanes; no lane takes the value of a missing lane.

The memory is an argument of the kernel, so kernels must be outlined (``gpu-kernel-outlining``). An
operation whose combiner is a region of several blocks stays, and a later pass refuses it. So do all
operations for a target whose warps do not have 32 threads.

(MLIR: ``populateGpuAllReducePatterns``, ``populateGpuLowerSubgroupReduceToShufflePatterns``.)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, ModuleOp, i32
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from kc.analysis.loop_tree import preorder
from kc.dialects import gpu
from kc.dialects.arith import CmpiOp
from kc.dialects.gpu import AddressSpace, AddressSpaceAttr, BroadcastType, ShuffleMode
from kc.dialects.gpu.module import attributions
from kc.support.target import target_of
from kc.transforms.gpu._lanes import WARP_SIZE
from kc.transforms.gpu._warp_values import (
    Emitter,
    combiner,
    combiner_of_region,
    kernel_around,
    known_threads,
    reduce_lanes,
)
from kc.transforms.gpu.binding.lower_thread_allreduce import warp_size


@dataclass(frozen=True)
class GpuExpandCollectivesPass(ModulePass):
    """Expand reductions, rotations and broadcasts into shuffles, barriers and shared memory."""

    name = "gpu-expand-collectives"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        if warp_size(target_of(op)) != WARP_SIZE:
            return  # lanes are numbered in warps of 32 threads: a later pass refuses the operations
        if not any(isinstance(inner, COLLECTIVES) for inner in preorder(op)):
            return
        PatternRewriteWalker(
            GreedyRewritePatternApplier([pattern() for pattern in PATTERNS]),
            apply_recursively=False,
        ).rewrite_module(op)


class ExpandSubgroupReduce(RewritePattern):
    """``gpu.subgroup_reduce add %x`` -> a butterfly of shuffles."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.SubgroupReduceOp, rewriter: PatternRewriter, /) -> None:
        function = kernel_around(op)
        if function is None:
            return
        size = WARP_SIZE if op.cluster_size is None else op.cluster_size.value.data
        stride = op.cluster_stride.value.data
        if size * stride > WARP_SIZE:
            return
        combine = combiner(op.op.data, op.value.type)
        e = Emitter(rewriter, op)
        rewriter.replace(op, [], [reduce_lanes(e, function, op.value, combine, size, stride)])


class ExpandAllReduce(RewritePattern):
    """``gpu.all_reduce add %x {}`` -> reductions of warps, whose results combine in shared
    memory."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.AllReduceOp, rewriter: PatternRewriter, /) -> None:
        function = kernel_around(op)
        if function is None or len(op.body.blocks) > 1:
            return
        value, type_ = op.value, op.value.type
        combine = combiner(op.op.data, type_) if op.op else combiner_of_region(op.body)
        e = Emitter(rewriter, op)
        of_warp = reduce_lanes(e, function, value, combine, WARP_SIZE, 1)
        threads = known_threads(function)
        if threads is not None and threads <= WARP_SIZE:
            rewriter.replace(op, [], [of_warp])
            return
        space = AddressSpaceAttr(AddressSpace.WORKGROUP)
        count = len(function.workgroup_memory)
        shared = rewriter.insert_block_argument(
            function.body.blocks[0],
            len(function.arguments) + count,
            MemRefType(type_, [WARP_SIZE], memory_space=space),
        )
        shared.name_hint = "reduced"
        function.attributes.update(attributions(count + 1))
        if function.workgroup_attrib_attrs is not None:
            attrs = [*function.workgroup_attrib_attrs, DictionaryAttr({})]
            function.properties["workgroup_attrib_attrs"] = ArrayAttr(attrs)
        zero = e.number(0)
        is_first = e.emit(CmpiOp(e.emit(gpu.LaneIdOp()), zero, "eq"))
        warp, warps = e.emit(gpu.SubgroupIdOp()), e.emit(gpu.NumSubgroupsOp())
        store = memref.StoreOp.get(of_warp, shared, [warp])
        e.add(scf.IfOp(is_first, [], Region(Block([store, scf.YieldOp()]))))
        e.add(gpu.BarrierOp())
        result = e.fold(
            1,
            warps,
            e.emit(memref.LoadOp.get(shared, [zero])),
            lambda inner, warp, so_far: combine(
                inner, so_far, inner.emit(memref.LoadOp.get(shared, [warp]))
            ),
        )
        e.add(gpu.BarrierOp())  # the memory may be written again
        rewriter.replace(op, [], [result])


class ExpandRotate(RewritePattern):
    """``gpu.rotate %x, 4, 16`` -> the value of the lane 4 further in its segment of 16 lanes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.RotateOp, rewriter: PatternRewriter, /) -> None:
        e = Emitter(rewriter, op)
        lane = e.emit(gpu.LaneIdOp())
        further = e.emit(arith.AddiOp(lane, e.number(op.offset.value.data)))
        place = e.emit(arith.RemUIOp(further, e.number(op.width.value.data)))
        width = e.number(op.width.value.data, i32)
        offset = e.emit(arith.IndexCastOp(place, i32))
        rewriter.replace(op, gpu.ShuffleOp(ShuffleMode.IDX, op.value, offset, width))


class ExpandBroadcast(RewritePattern):
    """``gpu.subgroup_broadcast %x, specific_lane %l`` -> the value of that lane, or of the first
    lane."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.SubgroupBroadcastOp, rewriter: PatternRewriter, /) -> None:
        e = Emitter(rewriter, op)
        lane = op.lane if op.broadcast_type.data is BroadcastType.SPECIFIC_LANE else 0
        assert lane is not None
        rewriter.replace(op, [], [e.shuffle(ShuffleMode.IDX, op.src, lane)])


COLLECTIVES = (gpu.SubgroupReduceOp, gpu.AllReduceOp, gpu.RotateOp, gpu.SubgroupBroadcastOp)
PATTERNS: tuple[type[RewritePattern], ...] = (
    ExpandSubgroupReduce,
    ExpandAllReduce,
    ExpandRotate,
    ExpandBroadcast,
)
