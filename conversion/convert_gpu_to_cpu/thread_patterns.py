"""Patterns for thread numbers, barriers, shuffles and prints."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    op_type_rewrite_pattern,
)

from kc.conversion._gpu_printf import Format, format_of
from kc.conversion.convert_gpu_to_cpu import SUSPEND
from kc.conversion.convert_gpu_to_cpu.kernel import (
    BLOCK,
    DONE,
    INDEX,
    POINTER,
    WARP,
    Emitter,
    bits_of,
)
from kc.conversion.convert_gpu_to_cpu.thread import Thread, ThreadPattern
from kc.dialects import gpu, llvm
from kc.dialects.arith import CmpiOp, SelectOp
from kc.transforms.gpu._lanes import WARP_SIZE, shuffle_source

_IDS: dict[type[Operation], str] = {
    gpu.GridDimOp: "grid",
    gpu.BlockDimOp: "block",
    gpu.BlockIdOp: "bid",
    gpu.ThreadIdOp: "tid",
}


class ConvertNumber(ThreadPattern):
    """Replace thread and block indices by arguments of the function."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.ThreadIdOp | gpu.BlockIdOp | gpu.BlockDimOp | gpu.GridDimOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        number = self.thread.numbers[f"{_IDS[type(op)]}_{op.dimension.data.value}"]
        rewriter.replace(op, [], [number])


class ConvertGlobalId(ThreadPattern):
    """``%g = gpu.global_id x``: the block's index times its size, plus the thread's index."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.GlobalIdOp, rewriter: PatternRewriter, /) -> None:
        axis = op.dimension.data.value
        numbers = self.thread.numbers
        before = arith.MuliOp(numbers[f"bid_{axis}"], numbers[f"block_{axis}"])
        rewriter.replace(op, [before, arith.AddiOp(before, numbers[f"tid_{axis}"])])


class ConvertSubgroupNumber(ThreadPattern):
    """The indices of a lane and of a warp, and their counts."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.LaneIdOp | gpu.SubgroupIdOp | gpu.NumSubgroupsOp | gpu.SubgroupSizeOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        emitter = Emitter(rewriter, op)
        size = emitter.number(WARP_SIZE)
        numbers = self.thread.numbers
        if isinstance(op, gpu.SubgroupSizeOp):
            result = size
        elif isinstance(op, gpu.LaneIdOp):
            result = emitter.emit(arith.RemUIOp(numbers["thread"], size))
        elif isinstance(op, gpu.SubgroupIdOp):
            threads = _threads(self.thread, emitter)
            own = emitter.emit(arith.RemUIOp(numbers["thread"], threads))
            result = emitter.emit(arith.DivUIOp(own, size))
        else:
            result = emitter.emit(arith.CeilDivUIOp(_threads(self.thread, emitter), size))
        rewriter.replace(op, [], [result])


def _threads(thread: Thread, e: Emitter) -> SSAValue:
    """The number of threads in a block."""
    count = thread.numbers["block_x"]
    for axis in "yz":
        count = e.emit(arith.MuliOp(count, thread.numbers[f"block_{axis}"]))
    return count


def wait(thread: Thread, emitter: Emitter, scope: int, site: int) -> None:
    """Suspend until all participants of the collective operation have arrived."""
    state = emitter.number(site << 2 | scope, i32)
    numbers = thread.numbers
    emitter.add(memref.StoreOp.get(state, numbers["states"], [numbers["thread"]]))
    emitter.call(SUSPEND, [])


def word_of(e: Emitter, value: SSAValue) -> SSAValue:
    """The bits of a value, in a 64-bit word."""
    if isinstance(value.type, IndexType):
        return e.emit(arith.IndexCastOp(value, i64))
    bits = IntegerType(bits_of(value.type))
    if value.type != bits:
        cast = llvm.BitcastOp if isinstance(value.type, VectorType) else arith.BitcastOp
        value = e.emit(cast(value, bits))
    return value if bits == i64 else e.emit(arith.ExtUIOp(value, i64))


def value_of(e: Emitter, word: SSAValue, type_: Attribute) -> SSAValue:
    """A value from its bits."""
    if isinstance(type_, IndexType):
        return e.emit(arith.IndexCastOp(word, INDEX))
    bits = IntegerType(bits_of(type_))
    if bits != i64:
        word = e.emit(arith.TruncIOp(word, bits))
    if type_ == bits:
        return word
    cast = llvm.BitcastOp if isinstance(type_, VectorType) else arith.BitcastOp
    return e.emit(cast(word, type_))


class ConvertBarrier(ThreadPattern):
    """``gpu.barrier``: wait for the block."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.BarrierOp, rewriter: PatternRewriter, /) -> None:
        site = self.thread.module.site(op, "barrier")
        wait(self.thread, Emitter(rewriter, op), BLOCK, site)
        rewriter.erase(op)


class ConvertShuffle(ThreadPattern):
    """``gpu.shuffle``: publish a value, wait for the warp, read the value of another lane, and wait
    again.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.ShuffleOp, rewriter: PatternRewriter, /) -> None:
        thread, e = self.thread, Emitter(rewriter, op)
        lanes, number = thread.numbers["lanes"], thread.numbers["thread"]
        site = thread.module.site(op, "shuffle")
        e.add(memref.StoreOp.get(word_of(e, op.value), lanes, [number]))
        wait(thread, e, WARP, site)
        count = e.emit(arith.MuliOp(_threads(thread, e), e.number(thread.kernel.ranks)))
        source, valid = shuffle_source(e.emit, op.mode.data, number, count, op.offset, op.width)
        word = e.emit(memref.LoadOp.get(lanes, [source]))
        wait(thread, e, WARP, site)
        rewriter.replace(op, [], [value_of(e, word, op.value.type), valid])


class ConvertPrintf(ThreadPattern):
    """``gpu.printf``: a call of C's ``printf`` with 64-bit values."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.PrintfOp, rewriter: PatternRewriter, /) -> None:
        e = Emitter(rewriter, op)
        form = format_of(op.format.data, [arg.type for arg in op.args])
        assert isinstance(form, Format)
        values: list[SSAValue] = []
        for value, is_signed in zip(op.args, form.signs, strict=True):
            if is_signed is None:
                wide = value if value.type == f64 else e.emit(arith.ExtFOp(value, f64))
            elif isinstance(value.type, IndexType):
                wide = e.emit(arith.IndexCastOp(value, i64))
            else:
                extend = arith.ExtSIOp if is_signed else arith.ExtUIOp
                wide = value if value.type == i64 else e.emit(extend(value, i64))
            values.append(wide)
        text = e.emit(llvm.AddressOfOp(self.thread.module.text(form.text), POINTER))
        print_ = llvm.CallOp(
            "printf", text, *values, return_type=i32, variadic_args=max(len(values), 0)
        )
        print_.properties["var_callee_type"] = llvm.LLVMFunctionType([POINTER], i32, True)
        rewriter.replace(op, print_, [])


class GuardDivision(ThreadPattern):
    """Divide by 1 instead of 0, and instead of -1 if the dividend is the lowest number. Most CPUs
    end the process on such a division; on a GPU its result is undefined.

    ::

        %q = arith.divsi %a, %b : i32    ->    %q = arith.divsi %a, %divisor : i32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: arith.DivSIOp
        | arith.DivUIOp
        | arith.RemSIOp
        | arith.RemUIOp
        | arith.FloorDivSIOp
        | arith.CeilDivSIOp
        | arith.CeilDivUIOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        dividend, divisor = op.operands
        is_signed = not isinstance(op, arith.DivUIOp | arith.RemUIOp | arith.CeilDivUIOp)
        divisors = _constants(divisor)
        if divisors and 0 not in divisors and (-1 not in divisors or not is_signed):
            return
        e, type_ = Emitter(rewriter, op), divisor.type

        def number(value: int) -> SSAValue:
            element = type_.element_type if isinstance(type_, VectorType) else type_
            assert isinstance(element, IntegerType | IndexType)
            if isinstance(type_, VectorType):
                dense = DenseIntOrFPElementsAttr.from_list(type_, [value])
                return e.emit(arith.ConstantOp(dense))
            return e.number(value, element)

        undefined = e.emit(CmpiOp(divisor, number(0), "eq"))
        if is_signed:
            width = bits_of(type_.element_type if isinstance(type_, VectorType) else type_)
            lowest = e.emit(CmpiOp(dividend, number(-(1 << (width - 1))), "eq"))
            negated = e.emit(CmpiOp(divisor, number(-1), "eq"))
            overflows = e.emit(arith.AndIOp(lowest, negated))
            undefined = e.emit(arith.OrIOp(undefined, overflows))
        op.operands[1] = e.emit(SelectOp(undefined, number(1), divisor))
        rewriter.notify_op_modified(op)


def _constants(value: SSAValue) -> Sequence[int]:
    """The constant values of a scalar or vector; empty if it is not constant."""
    if not isinstance(value.owner, arith.ConstantOp):
        return ()
    constant = value.owner.value
    if isinstance(constant, IntegerAttr):
        return (constant.value.data,)
    if not isinstance(constant, DenseIntOrFPElementsAttr):
        return ()
    return [number for number in constant.get_values() if isinstance(number, int)]


class ConvertReturn(ThreadPattern):
    """``gpu.return``: end the thread."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.ReturnOp, rewriter: PatternRewriter, /) -> None:
        e, numbers = Emitter(rewriter, op), self.thread.numbers
        returned: list[SSAValue] = []
        if "states" in numbers:
            done = e.number(DONE, i32)
            e.add(memref.StoreOp.get(done, numbers["states"], [numbers["thread"]]))
            returned.append(e.emit(llvm.ZeroOp(POINTER)))
        rewriter.replace(op, func.ReturnOp(*returned))


THREAD_PATTERNS: tuple[type[ThreadPattern], ...] = (
    ConvertNumber,
    ConvertGlobalId,
    ConvertSubgroupNumber,
    ConvertBarrier,
    ConvertShuffle,
    ConvertPrintf,
    GuardDivision,
    ConvertReturn,
)
