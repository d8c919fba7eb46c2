"""convert-nvvm-to-gpu: convert NVIDIA instructions in kernels to generic operations of gpu.

Before::

    %t = nvvm.read.ptx.sreg.tid.x : i32
    %y = nvvm.shfl.sync bfly %all, %x, %c1, %c31 : f32 -> f32
    nvvm.barrier0

After::

    %0 = gpu.thread_id x
    %t = arith.index_cast %0 : index to i32
    %y, %valid = gpu.shuffle xor %x, %c1, %c32 : f32
    gpu.barrier

With this pass, kernels of other projects run in the emulator. Votes, matches and reductions become
shuffles from lane to lane. The mask must be the constant of all 32 lanes, and the segments of a
shuffle must be constant. Fences are dropped, because the emulator executes accesses in a single
order.

An operation that the target's architecture lacks is refused (KC4360), as in
``convert-gpu-to-nvvm``: a kernel that runs here must also run on that GPU. A ``cuda-emu`` without
``-arch`` accepts the operations of any GPU.

Operations without a counterpart remain. ``convert-gpu-to-cpu`` handles barriers of some threads,
asynchronous copies and matrix products, and refuses all others by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from kc.dialects import gpu, llvm, nvvm
from kc.dialects.arith import CmpiOp, SelectOp
from kc.dialects.gpu import AllReduceOperation, Dimension, ShuffleMode
from kc.dialects.nvvm.base import NVVMOp
from kc.dialects.nvvm.requirements import require
from kc.dialects.nvvm.special_registers import RangedRegisterOp
from kc.support.nvidia import Architecture, architecture_of
from kc.support.target import Target, target_of
from kc.transforms.gpu._lanes import WARP_SIZE
from kc.transforms.gpu._warp_values import Emitter, fold_lanes
from kc.transforms.gpu.gpu_expand_collectives import PATTERNS as COLLECTIVES

_ALL_LANES = -1
_DIMENSIONS: dict[str, Callable[[Dimension], Operation]] = {
    "tid": gpu.ThreadIdOp,
    "ntid": gpu.BlockDimOp,
    "ctaid": gpu.BlockIdOp,
    "nctaid": gpu.GridDimOp,
}
_NUMBERS: dict[str, Callable[[], Operation]] = {
    "laneid": gpu.LaneIdOp,
    "warpid": gpu.SubgroupIdOp,
    "warpsize": gpu.SubgroupSizeOp,
}
_SREG = "nvvm.read.ptx.sreg."
_SHUFFLES = {
    "bfly": ShuffleMode.XOR,
    "up": ShuffleMode.UP,
    "down": ShuffleMode.DOWN,
    "idx": ShuffleMode.IDX,
}
_REDUCTIONS = {
    "add": AllReduceOperation.ADD,
    "and": AllReduceOperation.AND,
    "or": AllReduceOperation.OR,
    "xor": AllReduceOperation.XOR,
    "min": AllReduceOperation.MINSI,
    "max": AllReduceOperation.MAXSI,
    "umin": AllReduceOperation.MINUI,
    "umax": AllReduceOperation.MAXUI,
}


@dataclass(frozen=True)
class ConvertNvvmToGpuPass(ModulePass):
    """Convert operations of nvvm to their counterparts in gpu.

    Raises CodegenError KC4360, with the module unchanged.
    """

    name = "convert-nvvm-to-gpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        instructions = [inner for inner in op.walk() if inner.name.startswith("nvvm.")]
        if not instructions:
            return
        if (arch := _architecture(target_of(op))) is not None:
            for instruction in instructions:
                if isinstance(instruction, NVVMOp):
                    require(instruction, arch.number, arch.ptx, arch.is_specific)
        patterns = [pattern() for pattern in (*PATTERNS, *COLLECTIVES)]
        walker = PatternRewriteWalker(GreedyRewritePatternApplier(patterns))
        for function in list(op.walk()):
            if isinstance(function, gpu.GPUFuncOp):
                walker.rewrite_region(function.body)


def _architecture(target: Target) -> Architecture | None:
    """The architecture of the target; None if kernels are for any architecture."""
    is_any = target.kind == "cuda-emu" and not {"arch", "mcpu"} & target.attrs.keys()
    is_nvidia = target.kind in ("cuda", "nvptx", "cuda-emu")
    return architecture_of(target) if is_nvidia and not is_any else None


def _constant(value: SSAValue) -> int | None:
    """The signed value of a constant."""
    op = value.owner
    attribute = op.get_attr_or_prop("value") if isinstance(op, Operation) else None
    if not isinstance(op, arith.ConstantOp | llvm.ConstantOp):
        return None
    if not isinstance(attribute, IntegerAttr):
        return None
    number = attribute.value.data
    return number - (1 << 32) if number >= 1 << 31 else number


class ConvertRegister(RewritePattern):
    """``nvvm.read.ptx.sreg.tid.x`` -> ``gpu.thread_id x`` as an i32."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RangedRegisterOp, rewriter: PatternRewriter, /) -> None:
        register, _, axis = op.name.removeprefix(_SREG).partition(".")
        if register in _DIMENSIONS and axis:
            number = _DIMENSIONS[register](Dimension(axis))
        elif register in _NUMBERS and not axis:
            number = _NUMBERS[register]()
        else:
            return
        rewriter.replace(op, [number, arith.IndexCastOp(number.results[0], i32)])


class ConvertBarrier(RewritePattern):
    """``nvvm.barrier0``, or ``nvvm.barrier`` of barrier 0 without a thread count ->
    ``gpu.barrier``.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nvvm.Barrier0Op | nvvm.BarrierOp, rewriter: PatternRewriter, /
    ) -> None:
        if isinstance(op, nvvm.BarrierOp):
            if op.number_of_threads is not None or op.reduction_op is not None:
                return
            if op.barrier_id is not None and _constant(op.barrier_id) != 0:
                return
        rewriter.replace(op, gpu.BarrierOp())


class ConvertBarrierReduction(RewritePattern):
    """``%r = nvvm.barrier #nvvm.reduction<popc> %p -> i32`` -> ``gpu.all_reduce``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.BarrierOp, rewriter: PatternRewriter, /) -> None:
        predicate = op.reduction_predicate
        if op.reduction_op is None or predicate is None:
            return
        e = Emitter(rewriter, op)
        holds = e.emit(CmpiOp(predicate, e.number(0, i32), "ne"))
        word = e.emit(arith.ExtUIOp(holds, i32))
        kinds = {
            "popc": AllReduceOperation.ADD,
            "and": AllReduceOperation.AND,
            "or": AllReduceOperation.OR,
        }
        rewriter.replace(op, gpu.AllReduceOp(kinds[op.reduction_op.data], word))


class ConvertShuffle(RewritePattern):
    """``nvvm.shfl.sync bfly`` of all lanes -> ``gpu.shuffle xor``.

    The clamp contains the last lane of a segment (the first for ``up``). Above it are the bits of a
    lane that a segment has in common.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.ShflOp, rewriter: PatternRewriter, /) -> None:
        clamp = _constant(op.mask_and_clamp)
        if clamp is None or _constant(op.thread_mask) != _ALL_LANES:
            return
        common, last = clamp >> 8 & 31, clamp & 31
        width = WARP_SIZE - common
        if width & (width - 1) or last != (0 if op.kind.data == "up" else 31):
            return
        parts = [use.operation for use in op.res.uses]
        if op.return_value_and_is_valid is not None and not all(
            isinstance(part, llvm.ExtractValueOp) for part in parts
        ):
            return
        e = Emitter(rewriter, op)
        shuffle = gpu.ShuffleOp(_SHUFFLES[op.kind.data], op.val, op.offset, e.number(width, i32))
        e.add(shuffle)
        if op.return_value_and_is_valid is None:
            rewriter.replace(op, [], [shuffle.shuffle_result])
            return
        for part in parts:
            assert isinstance(part, llvm.ExtractValueOp)
            (position,) = part.position.get_values()
            rewriter.replace(part, [], [shuffle.results[position]])
        rewriter.erase(op)


class ConvertVote(RewritePattern):
    """``nvvm.vote.sync`` -> the predicates of all lanes, as the bits of a word."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.VoteSyncOp, rewriter: PatternRewriter, /) -> None:
        if _constant(op.mask) != _ALL_LANES:
            return
        e = Emitter(rewriter, op)
        ballot = _bits(e, e.emit(arith.ExtUIOp(op.pred, i32)), lambda inner, value: value)
        if op.kind.data == "ballot":
            rewriter.replace(op, [], [ballot])
            return
        nobody = e.emit(CmpiOp(ballot, e.number(0, i32), "eq"))
        everybody = e.emit(CmpiOp(ballot, _bits_of_all(e), "eq"))
        if op.kind.data == "all":
            result = everybody
        elif op.kind.data == "uni":
            result = e.emit(arith.OrIOp(nobody, everybody))
        else:
            result = e.emit(CmpiOp(ballot, e.number(0, i32), "ne"))
        rewriter.replace(op, [], [result])


class ConvertMatch(RewritePattern):
    """``nvvm.match.sync any`` -> a word with a bit for each lane that has the same value."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.MatchSyncOp, rewriter: PatternRewriter, /) -> None:
        parts = [use.operation for use in op.res.uses]
        of_all = op.kind.data == "all"
        if _constant(op.thread_mask) != _ALL_LANES or (
            of_all and not all(isinstance(part, llvm.ExtractValueOp) for part in parts)
        ):
            return
        e = Emitter(rewriter, op)

        def is_same(inner: Emitter, value: SSAValue) -> SSAValue:
            return inner.emit(arith.ExtUIOp(inner.emit(CmpiOp(value, op.val, "eq")), i32))

        same = _bits(e, op.val, is_same)
        if not of_all:
            rewriter.replace(op, [], [same])
            return
        everybody = e.emit(CmpiOp(same, _bits_of_all(e), "eq"))
        lanes = e.emit(SelectOp(everybody, same, e.number(0, i32)))
        for part in parts:
            assert isinstance(part, llvm.ExtractValueOp)
            (position,) = part.position.get_values()
            rewriter.replace(part, [], [(lanes, everybody)[position]])
        rewriter.erase(op)


class ConvertRedux(RewritePattern):
    """``nvvm.redux.sync add`` -> ``gpu.subgroup_reduce add`` on integers."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.ReduxOp, rewriter: PatternRewriter, /) -> None:
        kind = _REDUCTIONS.get(op.kind.data)
        if kind is None or _constant(op.mask_and_clamp) != _ALL_LANES:
            return
        rewriter.replace(op, gpu.SubgroupReduceOp(kind, op.val))


class ConvertElect(RewritePattern):
    """``nvvm.elect.sync`` -> true in the first lane, after all lanes have arrived."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.ElectSyncOp, rewriter: PatternRewriter, /) -> None:
        if op.membermask is not None and _constant(op.membermask) != _ALL_LANES:
            return
        e = Emitter(rewriter, op)
        rewriter.insert(nvvm.SyncWarpOp(e.number(_ALL_LANES, i32)))
        rewriter.replace(op, CmpiOp(e.emit(gpu.LaneIdOp()), e.number(0), "eq"))


class EraseFence(RewritePattern):
    """``nvvm.memory.barrier <cta>`` -> nothing, because the emulator executes accesses in a single
    order.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.MembarOp, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


def _bits(e: Emitter, value: SSAValue, bit: Callable[[Emitter, SSAValue], SSAValue]) -> SSAValue:
    """A word with a bit for each lane, computed by ``bit`` from the lane's value."""

    def step(inner: Emitter, so_far: SSAValue, value: SSAValue, lane: SSAValue) -> SSAValue:
        shifted = inner.emit(arith.ShLIOp(bit(inner, value), lane))
        return inner.emit(arith.OrIOp(so_far, shifted))

    return fold_lanes(e, value, e.number(0, i32), step)


def _bits_of_all(e: Emitter) -> SSAValue:
    """A word with the bits of all existing lanes set."""
    return _bits(e, e.number(1, i32), lambda inner, value: value)


PATTERNS: tuple[type[RewritePattern], ...] = (
    ConvertRegister,
    ConvertBarrier,
    ConvertBarrierReduction,
    ConvertShuffle,
    ConvertVote,
    ConvertMatch,
    ConvertRedux,
    ConvertElect,
    EraseFence,
)
