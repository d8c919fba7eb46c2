"""convert-nvvm-to-llvm: convert NVIDIA instructions to LLVM intrinsics and inline assembly.

Before::

    nvvm.cp.async.wait.group 1
    %b = nvvm.elect.sync -> i1
    nvvm.barrier.arrive id = %i number_of_threads = %n

After::

    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.call_intrinsic "llvm.nvvm.cp.async.wait.group"(%c1) : (i32) -> ()
    %0 = llvm.call_intrinsic "llvm.nvvm.elect.sync"(%m1) : (i32) -> !llvm.struct<(i32, i1)>
    %b = llvm.extractvalue %0[1] : !llvm.struct<(i32, i1)>
    llvm.inline_asm has_side_effects "bar.arrive $0, $1;", "r,r" %i, %n : (i32, i32) -> ()

The operations that remain map to one intrinsic call each, with the same operands, in the writer of
LLVM IR. An earlier pass has checked that the GPU has the instruction (``convert-gpu-to-nvvm``,
KC4360).

Raises CodegenError KC4365 for a size that must be a constant, with the module unchanged.

MLIR: ``convert-nvvm-to-llvm`` for the inline assembly, and its translation to LLVM IR for the
intrinsics.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import IntAttr, IntegerAttr, IntegerType, ModuleOp, i1, i16, i32, i64
from xdsl.dialects.llvm import InlineAsmOp, LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.loop_tree import preorder
from kc.conversion.driver import Conversion, ConversionPattern, ConversionTarget, own_and_added
from kc.dialects import llvm, nvvm
from kc.dialects.llvm.types import LLVMStructType
from kc.dialects.nvvm.base import GENERIC_POINTER, SHARED_POINTER, points_to_cluster
from kc.dialects.nvvm.inline_ptx import PLACEHOLDER
from kc.dialects.nvvm.mma import FLOAT8
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.patterns import matching

TARGET = ConversionTarget("convert-nvvm-to-llvm")


@dataclass(frozen=True)
class ConvertNvvmToLlvmPass(ModulePass):
    """Translate nvvm operations that are not calls of one intrinsic on the same operands."""

    name = "convert-nvvm-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for inner in op.walk():
            if isinstance(inner, nvvm.FenceProxyAcquireOp):
                _require_constant(inner)
        if needs_conversion(op):
            NvvmToLlvm(own_and_added(TARGET, PATTERNS)).convert(op.body.block)


def needs_conversion(module: Operation) -> bool:
    """True if a pattern applies to an operation in ``module``."""
    patterns = own_and_added(TARGET, PATTERNS)
    kinds = {type(op) for op in preorder(module) if patterns != PATTERNS or not _is_plain(op)}
    return any(matching(patterns, kind) for kind in kinds)


def _is_plain(op: Operation) -> bool:
    """True if ``op`` is a barrier without a reduction, which no pattern changes."""
    return isinstance(op, nvvm.BarrierOp) and op.reduction_op is None


class NvvmToLlvm(Conversion):
    """The translation, which has no state."""

    def __init__(self, patterns: tuple[type[RewritePattern], ...]) -> None:
        super().__init__(patterns, _Inside)


class _Inside(ConversionPattern[NvvmToLlvm]):
    """Visit the regions of an operation without changing the operation."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if op.regions:
            self.conversion.convert_next(*(block for part in op.regions for block in part.blocks))


def _require_constant(op: nvvm.FenceProxyAcquireOp) -> None:
    if isinstance(op.size.owner, llvm.ConstantOp):
        return
    raise CodegenError(
        "KC4365",
        f"convert-nvvm-to-llvm: the size of {op.name} is not constant",
        location=location_of(op),
        why="PTX has it in the instruction",
        hints=["%size = llvm.mlir.constant(128 : i32) : i32"],
    )


# What patterns make ---------------------------------------------------------------------------


def _constant(rewriter: PatternRewriter, number: int, type_: IntegerType = i32) -> SSAValue:
    op = llvm.ConstantOp(IntegerAttr(number, type_), type_)
    rewriter.insert(op)
    return op.result


def _call(
    rewriter: PatternRewriter,
    op: Operation,
    name: str,
    args: Sequence[SSAValue] = (),
    *,
    returns: Attribute | None = None,
) -> None:
    """Replace ``op`` by a call of an intrinsic, and its result by that of the call.

    ``returns`` is the intrinsic's result type if it differs from the op's: an unused result is
    dropped, and a single word is wrapped in the op's structure.
    """
    result_type = op.results[0].type if op.results else returns
    if op.results and isinstance(result_type, LLVMStructType) and len(result_type.types) == 1:
        # LLVM returns a single value without a structure around it.
        call = llvm.CallIntrinsicOp(f"llvm.nvvm.{name}", args, [result_type.types.data[0]])
        empty = llvm.UndefOp(result_type)
        whole = llvm.InsertValueOp((0,), empty.res, call.results[0])
        rewriter.replace(op, [call, empty, whole])
        return
    call = llvm.CallIntrinsicOp(
        f"llvm.nvvm.{name}", args, [] if result_type is None else [result_type]
    )
    rewriter.replace(op, [call], call.results if op.results else [])


def _assembly(
    rewriter: PatternRewriter,
    op: Operation,
    text: str,
    args: Sequence[SSAValue],
    *,
    constraints: Sequence[str] | None = None,
    result: Attribute | None = None,
    predicate: SSAValue | None = None,
) -> InlineAsmOp:
    """Insert inline assembly. The predicate is the last operand; ``constraints`` lists the
    constraints of the other operands.
    """
    all_constraints = (
        [_constraint(arg.type) for arg in args] if constraints is None else [*constraints]
    )
    args = list(args)
    if predicate is not None:
        text = f"@${len(args)} {text}"
        args.append(predicate)
        all_constraints.append("b")
    results = [] if result is None else [result]
    asm = InlineAsmOp(text, ",".join(all_constraints), args, results, 0, has_side_effects=True)
    rewriter.insert(asm)
    return asm


def _constraint(type_: Attribute) -> str:
    """The register constraint of a value (LLVM Language Reference, NVPTX constraints)."""
    if isinstance(type_, LLVMPointerType):
        return "r" if type_ == SHARED_POINTER else "l"
    if isinstance(type_, IntegerType):
        return {1: "b", 16: "h", 64: "l", 128: "q"}.get(type_.width.data, "r")
    return "d" if getattr(type_, "bitwidth", 32) == 64 else "f"


def _erase(rewriter: PatternRewriter, op: Operation) -> None:
    rewriter.replace(op, [], [])


def _in_shared(rewriter: PatternRewriter, pointer: SSAValue) -> SSAValue:
    """A value as a pointer to shared memory."""
    if pointer.type != GENERIC_POINTER:
        return pointer
    cast = llvm.AddrSpaceCastOp(pointer, SHARED_POINTER)
    rewriter.insert(cast)
    return cast.results[0]


def _suffix(pointer: SSAValue) -> str:
    """``.shared`` for a pointer to shared memory; empty for a generic pointer."""
    return ".shared" if pointer.type == SHARED_POINTER else ""


def _space(pointer: SSAValue) -> str:
    """The part of an intrinsic's name for the address space of a pointer."""
    assert isinstance(pointer.type, LLVMPointerType)
    return f"p{getattr(pointer.type.addr_space, 'data', 0)}"


def _optional(
    rewriter: PatternRewriter, *values: tuple[SSAValue | None, IntegerType]
) -> list[SSAValue]:
    """Optional values, with zero for missing ones, followed by a flag for each."""
    numbers = [_constant(rewriter, 0, type_) if value is None else value for value, type_ in values]
    return numbers + [_constant(rewriter, int(value is not None), i1) for value, _ in values]


class _NvvmPattern(ConversionPattern[NvvmToLlvm]):
    """A pattern for operations of nvvm."""


# Barriers, fences, launches -------------------------------------------------------------------


class LowerBarrierReduction(_NvvmPattern):
    """``nvvm.barrier #nvvm.reduction<or> %i -> i32``: the disjunction, conjunction or number of
    nonzero values.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.BarrierOp, rewriter: PatternRewriter, /) -> None:
        if op.reduction_op is None:
            return
        kind = op.reduction_op.data
        operand = op.reduction_predicate
        assert operand is not None
        is_set = llvm.ICmpOp(operand, _constant(rewriter, 0), "ne")
        rewriter.insert(is_set)
        name = f"llvm.nvvm.barrier.cta.red.{kind}.aligned.all"
        args = [_constant(rewriter, 0), is_set.results[0]]
        call = llvm.CallIntrinsicOp(name, args, [i32 if kind == "popc" else i1])
        new: list[Operation] = [call]
        if kind != "popc":
            new.append(llvm.ZExtOp(call.results[0], i32))
        rewriter.replace(op, new)


class LowerBarrierArrive(_NvvmPattern):
    """``nvvm.barrier.arrive id = %i number_of_threads = %n`` -> ``bar.arrive $0, $1;``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.BarrierArriveOp, rewriter: PatternRewriter, /) -> None:
        text = "bar.arrive 0, $0;" if op.barrier_id is None else "bar.arrive $0, $1;"
        _assembly(rewriter, op, text, op.operands)
        _erase(rewriter, op)


class LowerClusterBarrier(_NvvmPattern):
    """``nvvm.cluster.arrive {aligned}`` -> ``llvm.nvvm.barrier.cluster.arrive.aligned``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.ClusterArriveOp | nvvm.ClusterArriveRelaxedOp | nvvm.ClusterWaitOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        aligned = ".aligned" if op.aligned is not None else ""
        _call(rewriter, op, f"barrier.{op.name.removeprefix('nvvm.')}{aligned}")


class LowerFence(_NvvmPattern):
    """``nvvm.memory.barrier <gpu>`` -> ``llvm.nvvm.membar.gl``, and the fences of proxies"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.MembarOp
        | nvvm.FenceProxyOp
        | nvvm.FenceProxyReleaseOp
        | nvvm.FenceSyncRestrictOp
        | nvvm.FenceProxySyncRestrictOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        match op:
            case nvvm.MembarOp():
                scope = op.scope.data
                word = {"gpu": "gl"}.get(scope, scope)
                name = "fence.sc.cluster" if scope == "cluster" else f"membar.{word}"
            case nvvm.FenceProxyOp():
                name = f"fence.proxy.{op.kind.data}"
                if op.space is not None:
                    name += f"_{op.space.data}"
            case nvvm.FenceProxyReleaseOp():
                name = f"fence.proxy.tensormap_generic.release.{op.scope.data}"
            case _:
                order = op.order.data
                proxy = "proxy.async_generic." if "proxy" in op.name else ""
                space = "cluster" if order == "acquire" else "cta"
                name = f"fence.{proxy}{order}.sync_restrict.space.{space}.scope.cluster"
        _call(rewriter, op, name)


class LowerFenceProxyAcquire(_NvvmPattern):
    """``nvvm.fence.proxy.acquire <gpu> %p, %size`` -> a call with the pointer and the size"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.FenceProxyAcquireOp, rewriter: PatternRewriter, /) -> None:
        name = f"fence.proxy.tensormap_generic.acquire.{op.scope.data}"
        _call(rewriter, op, name, [op.addr, op.size])


class LowerNumbered(_NvvmPattern):
    """An operation whose instruction contains a number: ``nvvm.cp.async.wait.group 1``,
    ``nvvm.setmaxregister``
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.CpAsyncWaitGroupOp
        | nvvm.CpAsyncBulkWaitGroupOp
        | nvvm.SetMaxRegisterOp
        | nvvm.GriddepcontrolOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        match op:
            case nvvm.CpAsyncWaitGroupOp():
                name, number, type_ = "cp.async.wait.group", op.n, i32
            case nvvm.CpAsyncBulkWaitGroupOp():
                read = ".read" if op.read is not None else ""
                name, number, type_ = f"cp.async.bulk.wait.group{read}", op.group, i32
            case nvvm.SetMaxRegisterOp():
                word = "inc" if op.action.data == "increase" else "dec"
                name, number, type_ = f"setmaxnreg.{word}.sync.aligned.u32", op.reg_count, i32
            case nvvm.GriddepcontrolOp():
                _call(rewriter, op, f"griddepcontrol.{op.kind.data.replace('_', '.')}")
                return
        _call(rewriter, op, name, [_constant(rewriter, number.value.data, type_)])


# Warps and matrices ---------------------------------------------------------------------------


class LowerElectSync(_NvvmPattern):
    """``%b = nvvm.elect.sync -> i1``: the second result of the intrinsic"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.ElectSyncOp, rewriter: PatternRewriter, /) -> None:
        mask = op.operands[0] if op.operands else _constant(rewriter, -1)
        both = LLVMStructType.from_type_list([i32, i1])
        call = llvm.CallIntrinsicOp("llvm.nvvm.elect.sync", [mask], [both])
        rewriter.replace(op, [call, llvm.ExtractValueOp((1,), call.results[0])])


class LowerMatrixCopy(_NvvmPattern):
    """``nvvm.ldmatrix``, ``nvvm.stmatrix`` -> ``llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nvvm.LdMatrixOp | nvvm.StMatrixOp, rewriter: PatternRewriter, /
    ) -> None:
        m, n = op.shape.sizes
        count = op.num.value.data if isinstance(op, nvvm.LdMatrixOp) else len(op.sources)
        turned = ".trans" if op.layout.data == "col" else ""
        name = f"{op.name.removeprefix('nvvm.')}.sync.aligned.m{m}n{n}.x{count}{turned}"
        _call(rewriter, op, f"{name}.{op.elt_type.data}.{_space(op.ptr)}", op.operands)


class LowerMma(_NvvmPattern):
    """``nvvm.mma.sync A[...] B[...] C[...]`` -> ``llvm.nvvm.mma.m16n8k16.row.col.f32.f32``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.MmaOp, rewriter: PatternRewriter, /) -> None:
        m, n, k = op.shape.sizes
        element = op.element_type
        second = element if op.type_b is None else op.type_b.data
        name = "mma"
        if op.b1_op is not None:
            name += f".{op.b1_op.data.replace('_', '.')}"
        name += f".m{m}n{n}k{k}.{op.layout_a.data}.{op.layout_b.data}"
        if op.overflow is not None and op.overflow.data == "satfinite":
            name += ".satfinite"
        if element == "f16":  # the intrinsic is named by the type of its sums
            total = "f32" if str(op.operand_c[0].type) == "f32" else "f16"
            name += f".{total}.{total}"
        elif element in FLOAT8:
            name += f".f32.{element}.{second}.f32"
        else:
            name += f".{element}" if second == element else f".{element}.{second}"
        _call(rewriter, op, name, op.operands)


class LowerWmma(_NvvmPattern):
    """``nvvm.wmma.load`` -> ``llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0``, and so on"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.WmmaLoadOp | nvvm.WmmaMmaOp | nvvm.WmmaStoreOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        m, n, k = op.shape
        name = f"wmma.m{m}n{n}k{k}"
        match op:
            case nvvm.WmmaLoadOp():
                name += f".load.{op.frag.data}.{op.layout.data}.stride.{op.eltype.data}"
                name += f".{_space(op.ptr)}"
            case nvvm.WmmaStoreOp():
                name += f".store.d.{op.layout.data}.stride.{op.eltype.data}.{_space(op.ptr)}"
            case nvvm.WmmaMmaOp():
                element, total = op.eltype_a.data, op.eltype_b.data
                named = f"{total}.{total}" if element == "f16" else element
                name += f".mma.{op.layout_a.data}.{op.layout_b.data}.{named}"
        _call(rewriter, op, name, op.operands)


class LowerWgmma(_NvvmPattern):
    """``nvvm.wgmma.mma_async``: inline assembly, whose results are the words of its structure.

    ::

        { .reg .pred p; setp.ne.b32 p, $10, 0;
          wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, ...}, $8, $9, p, 1, 1, 0, 0; }
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.WgmmaMmaAsyncOp, rewriter: PatternRewriter, /) -> None:
        whole = op.inouts.type
        assert isinstance(whole, LLVMStructType)
        words: list[SSAValue] = []
        for number in range(len(whole.types)):
            part = llvm.ExtractValueOp((number,), op.inouts)
            rewriter.insert(part)
            words.append(part.results[0])
        count = len(words)
        a, b, d = op.type_a.data, op.type_b.data, op.type_d.data
        numbers = [int(op.scale_d.data == "one")]
        if d != "s32":
            numbers += [-1 if scale.data == "neg" else 1 for scale in (op.scale_a, op.scale_b)]
        # True if an operand is transposed: the natural layout is row for A and col for B.
        if a in ("f16", "bf16"):
            numbers += [int(op.layout_a.data == "col"), int(op.layout_b.data == "row")]
        m, n, k = op.shape.sizes
        saturated = ".satfinite" if op.satfinite is not None else ""
        first = 2 * count + 2
        sums = ", ".join(f"${number}" for number in range(count))
        flags = "".join(f", ${first + number}" for number in range(1, len(numbers)))
        text = (
            f"{{ .reg .pred p; setp.ne.b32 p, ${first}, 0; wgmma.mma_async.sync.aligned."
            f"m{m}n{n}k{k}.{d}.{a}.{b}{saturated} {{{sums}}}, ${2 * count}, ${2 * count + 1}, p"
            f"{flags}; }}"
        )
        register = _constraint(words[0].type)
        constraints = [f"={register}"] * count + [str(number) for number in range(count)]
        constraints += ["l", "l"] + ["n"] * len(numbers)
        args = [*words, op.descriptor_a, op.descriptor_b]
        args += [_constant(rewriter, number) for number in numbers]
        asm = _assembly(rewriter, op, text, args, constraints=constraints, result=whole)
        rewriter.replace(op, [], [asm.results[0]])


class LowerWgmmaFence(_NvvmPattern):
    """``nvvm.wgmma.fence.aligned``: the initial registers of later products in the block are
    operands of inline assembly, so that they are written before the fence.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.WgmmaFenceAlignedOp, rewriter: PatternRewriter, /) -> None:
        behind = _behind(op)
        inside = set(behind)
        held = dict.fromkeys(
            after.inouts
            for after in behind
            if isinstance(after, nvvm.WgmmaMmaAsyncOp) and after.inouts.owner not in inside
        )
        if not held:
            _call(rewriter, op, "wgmma.fence.sync.aligned")
            return
        _pass_through(rewriter, op, "wgmma.fence.sync.aligned;", held, inside)


class LowerWgmmaWait(_NvvmPattern):
    """``nvvm.wgmma.wait.group.sync.aligned 0``: registers that are read later in the block are
    results of inline assembly, so that they are read after the wait.

    If groups stay pending, nothing may read the registers, and the wait is a plain call.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nvvm.WgmmaWaitGroupSyncOp, rewriter: PatternRewriter, /
    ) -> None:
        behind = _behind(op)
        inside = set(behind)
        held = dict.fromkeys(
            after.container
            for after in behind
            if isinstance(after, llvm.ExtractValueOp)
            and after.container.owner not in inside
            and isinstance(type_ := after.container.type, LLVMStructType)
            and len(set(type_.types)) == 1
        )
        number = op.group.value.data
        if not held or number:
            _call(rewriter, op, "wgmma.wait_group.sync.aligned", [_constant(rewriter, number, i64)])
            return
        _pass_through(rewriter, op, f"wgmma.wait_group.sync.aligned {number};", held, inside)


def _pass_through(
    rewriter: PatternRewriter,
    op: Operation,
    text: str,
    held: Iterable[SSAValue],
    behind: Set[Operation],
) -> None:
    """Replace ``op`` by inline assembly with structures of registers as its operands and
    results.
    """
    for value in held:
        type_ = value.type
        assert isinstance(type_, LLVMStructType)
        words: list[SSAValue] = []
        for number in range(len(type_.types)):
            part = llvm.ExtractValueOp((number,), value)
            rewriter.insert(part)
            words.append(part.results[0])
        register = _constraint(words[0].type)
        constraints = [f"={register}"] * len(words) + [str(n) for n in range(len(words))]
        asm = _assembly(rewriter, op, text, words, constraints=constraints, result=type_)
        for use in [use for use in value.uses if use.operation in behind]:
            use.operation.operands[use.index] = asm.results[0]
        text = ""  # the first thread executes it, and all threads continue after it
    _erase(rewriter, op)


def _behind(op: Operation) -> list[Operation]:
    """The operations after ``op`` in its block."""
    ops: list[Operation] = []
    after = op.next_op
    while after is not None:
        ops.append(after)
        after = after.next_op
    return ops


# Copies ---------------------------------------------------------------------------------------


class LowerCpAsync(_NvvmPattern):
    """``nvvm.cp.async.shared.global %s, %g, 16, cache = cg``, and the arrival at an mbarrier after
    it
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nvvm.CpAsyncOp | nvvm.CpAsyncMBarrierArriveOp, rewriter: PatternRewriter, /
    ) -> None:
        if isinstance(op, nvvm.CpAsyncMBarrierArriveOp):
            quiet = ".noinc" if op.noinc.value.data else ""
            name = f"cp.async.mbarrier.arrive{quiet}{_suffix(op.addr)}"
        else:
            partial = ".s" if op.cp_size is not None else ""
            name = f"cp.async.{op.modifier.data}.shared.global.{op.size.value.data}{partial}"
        _call(rewriter, op, name, op.operands)


class LowerBulkCopy(_NvvmPattern):
    """``nvvm.cp.async.bulk.*``: copies of a row of bytes"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.CpAsyncBulkGlobalToSharedClusterOp
        | nvvm.CpAsyncBulkSharedCTAToSharedClusterOp
        | nvvm.CpAsyncBulkSharedCTAToGlobalOp
        | nvvm.CpAsyncBulkPrefetchOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        match op:
            case nvvm.CpAsyncBulkGlobalToSharedClusterOp():
                operands = [op.dst_mem, op.mbar, op.src_mem, op.size]
                hint = (op.l2_cache_hint, i64)
                if points_to_cluster(op.dst_mem):
                    name = "cp.async.bulk.global.to.shared.cluster"
                    operands += _optional(rewriter, (op.multicast_mask, i16), hint)
                else:
                    name = "cp.async.bulk.global.to.shared.cta"
                    operands += _optional(rewriter, hint)
            case nvvm.CpAsyncBulkSharedCTAToSharedClusterOp():
                name = "cp.async.bulk.shared.cta.to.cluster"
                operands = [op.dst_mem, op.mbar, op.src_mem, op.size]
            case nvvm.CpAsyncBulkSharedCTAToGlobalOp():
                name = "cp.async.bulk.shared.cta.to.global"
                operands = [op.dst_mem, op.src_mem, op.size]
                operands += _optional(rewriter, (op.l2_cache_hint, i64))
                if op.byte_mask is not None:
                    name += ".bytemask"
                    operands.append(op.byte_mask)
            case nvvm.CpAsyncBulkPrefetchOp():
                name = "cp.async.bulk.prefetch.L2"
                operands = [op.src_mem, op.size, *_optional(rewriter, (op.l2_cache_hint, i64))]
        _call(rewriter, op, name, operands)


class LowerTensorCopy(_NvvmPattern):
    """``nvvm.cp.async.bulk.tensor.*``: copies of a box of a tensor, by its descriptor"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp
        | nvvm.CpAsyncBulkTensorPrefetchOp
        | nvvm.CpAsyncBulkTensorSharedCTAToGlobalOp
        | nvvm.CpAsyncBulkTensorReduceOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        if getattr(op, "predicate", None) is not None:
            self._guarded(op, rewriter)
            return
        mode = op.mode.data
        words = mode.replace("tile_", "tile.").replace("im2col_w", "im2col.w").replace("_", ".")
        # Gathers and scatters of four rows have a box of two dimensions.
        rank = 2 if mode in ("tile_gather4", "tile_scatter4") else len(op.coordinates)
        tail, hint = f"{words}.{rank}d", (op.l2_cache_hint, i64)
        match op:
            case nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp():
                operands = [op.dst_mem, op.mbar, op.tma_descriptor]
                operands += [*op.coordinates, *op.im2col_offsets]
                if op.is_cta_only.value.data:
                    name = f"g2s.cta.{tail}"
                    operands += _optional(rewriter, hint)
                else:
                    name = f"g2s.{tail}"
                    operands += _optional(rewriter, (op.multicast_mask, i16), hint)
                    operands.append(_constant(rewriter, 0))  # there is no group of blocks
            case nvvm.CpAsyncBulkTensorPrefetchOp():
                name = f"prefetch.{tail}"
                operands = [op.tma_descriptor, *op.coordinates, *op.im2col_offsets]
                operands += _optional(rewriter, hint)
            case nvvm.CpAsyncBulkTensorSharedCTAToGlobalOp():
                name = f"s2g.{tail}"
                operands = [op.src_mem, op.tma_descriptor, *op.coordinates]
                operands += _optional(rewriter, hint)
            case nvvm.CpAsyncBulkTensorReduceOp():
                name = f"reduce.{op.red_kind.data}.{tail}"
                operands = [op.src_mem, op.tma_descriptor, *op.coordinates]
                operands += _optional(rewriter, hint)
        _call(rewriter, op, f"cp.async.bulk.tensor.{name}", operands)

    def _guarded(self, op: Any, rewriter: PatternRewriter) -> None:
        rank = len(op.coordinates)
        box = ", ".join(f"${2 + number}" for number in range(rank))
        if isinstance(op, nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp):
            text = (
                f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes "
                f"[$0], [$1, {{{box}}}], [${2 + rank}];"
            )
            args = [op.dst_mem, op.tma_descriptor, *op.coordinates, op.mbar]
        else:
            text = (
                f"cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group [$0, {{{box}}}], [$1];"
            )
            args = [op.tma_descriptor, op.src_mem, *op.coordinates]
        _assembly(rewriter, op, text, args, predicate=op.predicate)
        _erase(rewriter, op)


# mbarriers ------------------------------------------------------------------------------------


class LowerMBarrier(_NvvmPattern):
    """``nvvm.mbarrier.*`` -> ``llvm.nvvm.mbarrier.arrive.scope.cta.space.cta``, and so on.

    If LLVM has an intrinsic for shared memory only, a generic pointer is converted to one to shared
    memory.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.MBarrierInitOp
        | nvvm.MBarrierInvalOp
        | nvvm.MBarrierArriveOp
        | nvvm.MBarrierArriveDropOp
        | nvvm.MBarrierArriveNocompleteOp
        | nvvm.MBarrierArriveDropNocompleteOp
        | nvvm.MBarrierArriveExpectTxOp
        | nvvm.MBarrierArriveDropExpectTxOp
        | nvvm.MBarrierExpectTxOp
        | nvvm.MBarrierCompleteTxOp
        | nvvm.MBarrierTryWaitOp
        | nvvm.MBarrierTestWaitOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        name = op.name.removeprefix("nvvm.")
        name = name.replace("arrive_drop", "arrive.drop").replace("nocomplete", "noComplete")
        name = name.replace("try_wait", "try.wait").replace("_tx", ".tx")
        predicate = getattr(op, "predicate", None)
        if predicate is not None:
            self._guarded(op, rewriter, predicate)
            return
        if isinstance(op, nvvm.MBarrierInitOp | nvvm.MBarrierInvalOp) or "noComplete" in name:
            _call(rewriter, op, name + _suffix(op.addr), op.operands)
            return
        rest = list(op.operands[1:])
        relaxed = getattr(op, "relaxed", None)
        is_relaxed = relaxed is not None and bool(relaxed.value.data)
        scope = getattr(op, "scope").data  # noqa: B009
        if isinstance(op, nvvm.MBarrierArriveOp) and not rest and not is_relaxed:
            is_local = scope == "cta" and not points_to_cluster(op.addr)
            if is_local:  # the form of GPUs before sm_90
                _call(rewriter, op, name + _suffix(op.addr), [op.addr], returns=i64)
                return
        if isinstance(op, nvvm.MBarrierArriveOp | nvvm.MBarrierArriveDropOp) and not rest:
            rest = [_constant(rewriter, 1)]
        if isinstance(op, nvvm.MBarrierTryWaitOp | nvvm.MBarrierTestWaitOp):
            name += ".parity" if op.state_or_phase.type == i32 else ""
            name += ".tl" if len(rest) > 1 else ""
        name += ".relaxed" if is_relaxed else ""
        pointer = _in_shared(rewriter, op.addr)
        is_far = points_to_cluster(pointer)
        name += f".scope.{scope}.space.{'cluster' if is_far else 'cta'}"
        gives = i64 if "arrive" in name and not is_far else None
        _call(rewriter, op, name, [pointer, *rest], returns=gives)

    def _guarded(self, op: Any, rewriter: PatternRewriter, predicate: SSAValue) -> None:
        shared = _suffix(op.addr)
        text = (
            f"mbarrier.init{shared}.b64 [$0], $1;"
            if isinstance(op, nvvm.MBarrierInitOp)
            else f"mbarrier.arrive.expect_tx{shared}.b64 _, [$0], $1;"
        )
        _assembly(rewriter, op, text, op.operands[:2], predicate=predicate)
        _erase(rewriter, op)


class LowerTryWaitParity(_NvvmPattern):
    """``nvvm.mbarrier.try_wait.parity %s, %phase, %ticks``: a loop until the phase is complete"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nvvm.MBarrierTryWaitParityOp, rewriter: PatternRewriter, /
    ) -> None:
        text = (
            "{ .reg .pred done; WAITING: mbarrier.try_wait.parity"
            f"{_suffix(op.addr)}.b64 done, [$0], $1, $2; @!done bra.uni WAITING; }}"
        )
        _assembly(rewriter, op, text, op.operands)
        _erase(rewriter, op)


class LowerMapa(_NvvmPattern):
    """``nvvm.mapa %s, %rank``: the same address in another block of the cluster"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.MapaOp, rewriter: PatternRewriter, /) -> None:
        where = ".shared.cluster" if op.a.type == SHARED_POINTER else ""
        _call(rewriter, op, f"mapa{where}", op.operands)


# The rest -------------------------------------------------------------------------------------


class LowerPrefetch(_NvvmPattern):
    """``nvvm.prefetch level = L2, %g`` -> ``llvm.nvvm.prefetch.global.L2``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.PrefetchOp, rewriter: PatternRewriter, /) -> None:
        address = op.addr
        if op.tensormap is not None:
            if op.predicate is not None:
                text = "prefetch.tensormap [$0];"
                _assembly(rewriter, op, text, [address], predicate=op.predicate)
                _erase(rewriter, op)
                return
            if op.in_param_space is not None:
                cast = llvm.AddrSpaceCastOp(address, _PARAMETER)
                rewriter.insert(cast)
                address = cast.results[0]
            _call(rewriter, op, f"prefetch.tensormap.{_space(address)}", [address])
            return
        assert op.cache_level is not None
        where = {"p1": "global.", "p5": "local."}.get(_space(address), "")
        name = f"prefetch.{where}{op.cache_level.data}"
        if op.uniform is not None:
            name = "prefetchu.L1"
        if op.evict_priority is not None:
            name += f".{op.evict_priority.data.replace('_', '.')}"
        _call(rewriter, op, name, [address])


_PARAMETER = LLVMPointerType(IntAttr(101))
"""The address space of kernel parameters."""


class LowerConvertToTF32(_NvvmPattern):
    """``nvvm.convert.float.to.tf32 %x {rnd = ...<rna>}`` -> ``llvm.nvvm.f2tf32.rna``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nvvm.ConvertFloatToTF32Op, rewriter: PatternRewriter, /
    ) -> None:
        name = f"f2tf32.{op.rnd.data}"
        name += ".relu" if op.relu.value.data else ""
        name += ".satfinite" if op.sat.data == "satfinite" else ""
        _call(rewriter, op, name, op.operands)


class LowerInlinePtx(_NvvmPattern):
    """``nvvm.inline_ptx "ex2.approx.f32 {$w0}, {$r0};" ro(%x : f32) -> f32``

    LLVM numbers written operands before read operands. An operand that is read and written counts
    as written, and its input uses the same register.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.InlinePtxOp, rewriter: PatternRewriter, /) -> None:
        both, written = list(op.read_write_args), list(op.write_only_args)
        outputs = [value.type for value in (*both, *written)]
        start = {"rw": 0, "w": len(both), "r": len(outputs)}
        text = PLACEHOLDER.sub(lambda m: f"${start[m[1]] + int(m[2])}", op.ptx_code.data)
        constraints = [f"={_constraint(type_)}" for type_ in outputs]
        constraints += [_constraint(value.type) for value in op.read_only_args]
        constraints += [str(number) for number in range(len(both))]
        args = [*op.read_only_args, *both]
        if op.predicate is not None:
            text = f"@${len(constraints)} {text}"
            args.append(op.predicate)
            constraints.append("b")
        result = None
        if outputs:
            result = outputs[0] if len(outputs) == 1 else LLVMStructType.from_type_list(outputs)
        asm = _assembly(rewriter, op, text, args, constraints=constraints, result=result)
        if len(outputs) < 2:
            rewriter.replace(op, [], list(asm.results) if written else [])
            return
        parts = [
            llvm.ExtractValueOp((number,), asm.results[0])
            for number in range(len(both), len(outputs))
        ]
        rewriter.replace(op, parts, [part.results[0] for part in parts])


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerBarrierReduction,
    LowerBarrierArrive,
    LowerClusterBarrier,
    LowerFence,
    LowerFenceProxyAcquire,
    LowerNumbered,
    LowerElectSync,
    LowerMatrixCopy,
    LowerMma,
    LowerWmma,
    LowerWgmma,
    LowerWgmmaFence,
    LowerWgmmaWait,
    LowerCpAsync,
    LowerBulkCopy,
    LowerTensorCopy,
    LowerMBarrier,
    LowerTryWaitParity,
    LowerMapa,
    LowerPrefetch,
    LowerConvertToTF32,
    LowerInlinePtx,
)
