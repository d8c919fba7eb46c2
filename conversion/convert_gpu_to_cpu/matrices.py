"""Matrices distributed over the lanes of a warp: loads, products, stores.

Each lane publishes its values, waits for the warp, and computes its part of the result from the
values of all lanes (``emulator.c``). It then waits again, so that no lane overwrites its values too
early.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, f32, f64, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from kc.conversion.convert_gpu_to_cpu.events import EventEmitter
from kc.conversion.convert_gpu_to_cpu.kernel import IS_WRITE, WARP
from kc.conversion.convert_gpu_to_cpu.thread import ThreadPattern
from kc.conversion.convert_gpu_to_cpu.thread_patterns import value_of, wait, word_of
from kc.dialects import llvm, nvvm
from kc.dialects.arith import CmpiOp, SelectOp
from kc.dialects.llvm.types import LLVMStructType
from kc.dialects.nvvm.wmma import fragment

TYPES = tuple("f16 bf16 tf32 f32 f64 s8 u8 s4 u4 b1 s32 e4m3 e5m2".split())
"""The numbers of element types (``emulator.c``)."""
_CLAMPS, _ANDS, _IS_WMMA = 1, 2, 4
_OF_B = 16
"""The offset of B in the words that a lane publishes."""


def wait_for_warp(e: EventEmitter) -> None:
    """Suspend until all lanes of the warp have arrived."""
    wait(e.thread, e, WARP, e.thread.module.site(e.op, "product of matrices"))


def packed(e: EventEmitter, values: Sequence[SSAValue], type_: Attribute) -> SSAValue:
    """Pack registers into the result of an operation."""
    if not isinstance(type_, LLVMStructType):
        return values[0]
    whole = e.emit(llvm.UndefOp(type_))
    for n, value in enumerate(values):
        whole = e.emit(llvm.InsertValueOp((n,), whole, value))
    return whole


class ConvertLdMatrix(ThreadPattern):
    """``nvvm.ldmatrix``: lane n has the address of row n % 8 of matrix n / 8."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.LdMatrixOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        count, turned = op.num.value.data, e.number(int(op.layout.data == "col"), i32)
        flags = e.number(0, i32)
        site = e.site("read", op.ptr)
        e.event("kc_emu_row", [e.address(op.ptr), e.number(count, i32), site, flags])
        wait_for_warp(e)
        words = [
            e.result_of("kc_emu_matrix_load", [e.number(n, i32), turned], i32) for n in range(count)
        ]
        wait_for_warp(e)
        rewriter.replace(op, [], [packed(e, words, op.res.type)])


class ConvertStMatrix(ThreadPattern):
    """``nvvm.stmatrix``: the inverse of ``ldmatrix``, which stores the matrices."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.StMatrixOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        turned = e.number(int(op.layout.data == "col"), i32)
        count = e.number(len(op.sources), i32)
        site = e.site("written", op.ptr)
        e.event("kc_emu_row", [e.address(op.ptr), count, site, e.number(IS_WRITE, i32)])
        wait_for_warp(e)
        for n, source in enumerate(op.sources):
            e.event("kc_emu_matrix_store", [e.number(n, i32), turned, source])
        wait_for_warp(e)
        rewriter.erase(op)


def _leave(e: EventEmitter, values: Sequence[SSAValue], first: int) -> None:
    for n, value in enumerate(values, first):
        e.event("kc_emu_leave", [e.number(n, i32), word_of(e, value)])


def _product(
    e: EventEmitter,
    operands: tuple[Sequence[SSAValue], Sequence[SSAValue], Sequence[SSAValue]],
    shape: Sequence[int],
    types: tuple[str, str, str],
    flags: int,
    results: Sequence[Attribute],
) -> list[SSAValue]:
    """The registers of D."""
    a, b, c = operands
    m, n, k = shape
    _leave(e, a, 0)
    _leave(e, b, _OF_B)
    wait_for_warp(e)
    code = e.number(m << 16 | n << 8 | k & 255, i32)  # 256 is encoded as 0
    numbers = [TYPES.index(name) << 4 * place for place, name in enumerate(types)]
    kinds = e.number(sum(numbers) | flags << 12, i32)
    registers: list[SSAValue] = []
    for index, (value, type_) in enumerate(zip(c, results, strict=True)):
        arguments = [code, kinds, e.number(index, i32), word_of(e, value)]
        registers.append(value_of(e, e.result_of("kc_emu_mma", arguments, i64), type_))
    wait_for_warp(e)
    return registers


class ConvertMma(ThreadPattern):
    """``nvvm.mma.sync A[...] B[...] C[...]``, with the layouts of PTX."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.MmaOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        element = op.element_type
        second = element if op.type_b is None else op.type_b.data
        results = list(op.res.type.types.data)  # pyright: ignore[reportAttributeAccessIssue]
        flags = _CLAMPS if op.overflow is not None and op.overflow.data == "satfinite" else 0
        flags |= _ANDS if op.b1_op is not None and op.b1_op.data == "and_popc" else 0
        operands = (op.operand_a, op.operand_b, op.operand_c)
        types = (element, second, _total(results[0]))
        registers = _product(e, operands, op.shape.sizes, types, flags, results)
        rewriter.replace(op, [], [packed(e, registers, op.res.type)])


def _total(type_: Attribute) -> str:
    """The element type of C, from the type of its registers."""
    if isinstance(type_, VectorType):
        return "f16"
    return {f32: "f32", f64: "f64"}.get(type_, "s32")


class ConvertToTF32(ThreadPattern):
    """``nvvm.convert.float.to.tf32``: round away the 13 lowest bits, except of NaN and infinity."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nvvm.ConvertFloatToTF32Op, rewriter: PatternRewriter, /
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        bits = e.emit(arith.BitcastOp(op.src, i32))
        above = e.emit(arith.AddiOp(bits, e.number(1 << 12, i32)))
        rounded = e.emit(arith.AndIOp(above, e.number(-1 << 13, i32)))
        largest = e.number(0x7F800000, i32)
        exponent = e.emit(arith.AndIOp(bits, largest))
        is_number = e.emit(CmpiOp(exponent, largest, "ne"))
        rewriter.replace(op, [], [e.emit(SelectOp(is_number, rounded, bits))])


class ConvertWmmaLoad(ThreadPattern):
    """``nvvm.wmma.load``: lanes hold consecutive elements, in the emulator's own layout."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.WmmaLoadOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        types = list(op.res.type.types.data) if isinstance(op.res.type, LLVMStructType) else [f64]
        arguments = _in_memory(e, op, op.frag.data, "read")
        site = arguments.pop()
        words = [
            e.result_of("kc_emu_wmma_load", [*arguments, e.number(n, i32), site], i64)
            for n in range(len(types))
        ]
        registers = [value_of(e, word, type_) for word, type_ in zip(words, types, strict=True)]
        rewriter.replace(op, [], [packed(e, registers, op.res.type)])


class ConvertWmmaMma(ThreadPattern):
    """``nvvm.wmma.mma``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.WmmaMmaOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        element, total = op.eltype_a.data, op.eltype_b.data
        of_a, of_b = (len(fragment(op.shape, element, matrix)) for matrix in "ab")
        args = list(op.args)
        operands = (args[:of_a], args[of_a : of_a + of_b], args[of_a + of_b :])
        types = (element, element, total)
        results = list(op.res.type.types.data)
        registers = _product(e, operands, op.shape, types, _IS_WMMA, results)
        rewriter.replace(op, [], [packed(e, registers, op.res.type)])


class ConvertWmmaStore(ThreadPattern):
    """``nvvm.wmma.store``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.WmmaStoreOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        arguments = _in_memory(e, op, "c", "written")
        site = arguments.pop()
        for n, value in enumerate(op.args):
            numbers = [*arguments, e.number(n, i32), site, word_of(e, value)]
            e.event("kc_emu_wmma_store", numbers)
        rewriter.erase(op)


def _in_memory(
    e: EventEmitter, op: nvvm.WmmaLoadOp | nvvm.WmmaStoreOp, matrix: str, what: str
) -> list[SSAValue]:
    """The parameters of a matrix in memory: address, sizes and element type; the site is last."""
    m, n, k = op.shape
    rows, columns = {"a": (m, k), "b": (k, n), "c": (m, n)}[matrix]
    return [
        e.address(op.ptr),
        e.number(rows << 8 | columns, i32),
        op.stride,
        e.number(int(op.layout.data == "col"), i32),
        e.number(TYPES.index(op.eltype.data), i32),
        e.site(what, op.ptr),
    ]


MATRIX_PATTERNS: tuple[type[ThreadPattern], ...] = (
    ConvertLdMatrix,
    ConvertStMatrix,
    ConvertMma,
    ConvertToTF32,
    ConvertWmmaLoad,
    ConvertWmmaMma,
    ConvertWmmaStore,
)
