"""Collective operations of threads: barriers, and exchange of values between lanes."""

from __future__ import annotations

from xdsl.dialects.builtin import FixedBitwidthType, IntegerType, VectorType, f32, i1, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_gpu_to_nvvm.function import pass_name
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.conversion.convert_to_llvm.types import convert_type
from kc.dialects import gpu, llvm, nvvm
from kc.dialects.gpu import ShuffleMode
from kc.support.diagnostics import CodegenError

_KINDS = {
    ShuffleMode.XOR: "bfly",
    ShuffleMode.UP: "up",
    ShuffleMode.DOWN: "down",
    ShuffleMode.IDX: "idx",
}


class LowerBarrier(LlvmPattern):
    """``gpu.barrier`` -> ``nvvm.barrier0``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.BarrierOp, rewriter: PatternRewriter, /) -> None:
        self.conversion.insert(nvvm.Barrier0Op())


class LowerShuffle(LlvmPattern):
    """The value of another lane, word by word.

    ::

        %v, %valid = gpu.shuffle xor %x, %o, %c32 : f32

    becomes ::

        %0 = nvvm.shfl.sync bfly %mask, %x, %o, %clamp {return_value_and_is_valid} : f32 -> ...

    All lanes of the warp take part. A value of more than 32 bits is split into words; a narrower
    value is widened.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.ShuffleOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        mode = op.mode.data
        width, offset = s.value(op.width), s.value(op.offset)
        full = s.int_constant(-1, i32)
        # PTX expects the last lane of a segment (for ``up`` the first), and a mask of the segment's
        # bits.
        segment = s.emit(llvm.SubOp, [s.int_constant(32, i32), width], i32)
        segment = s.emit(llvm.ShlOp, [segment, s.int_constant(8, i32)], i32)
        clamp = segment
        if mode is not ShuffleMode.UP:
            clamp = s.emit(llvm.OrOp, [segment, s.int_constant(31, i32)], i32)
        words: list[SSAValue] = []
        valid: SSAValue | None = None
        for word in words_of(s, s.value(op.value)):
            shuffle = nvvm.ShflOp(_KINDS[mode], full, word, offset, clamp, is_valid=True)
            both = s.insert(shuffle).res
            words.append(s.insert(llvm.ExtractValueOp((0,), both)).results[0])
            valid = s.insert(llvm.ExtractValueOp((1,), both)).results[0]
        assert valid is not None
        s.define(op.shuffle_result, from_words(s, words, convert_type(op.value.type)))
        s.define(op.valid, valid)


def _bits(value_type: Attribute) -> int:
    element = value_type.element_type if isinstance(value_type, VectorType) else value_type
    assert isinstance(element, FixedBitwidthType)
    width = 1 if element == i1 else element.bitwidth
    return width * (value_type.element_count() if isinstance(value_type, VectorType) else 1)


def words_of(s: FunctionLowering, value: SSAValue) -> list[SSAValue]:
    """A value as words of 32 bits, the lowest first."""
    if value.type in (i32, f32):
        return [value]
    bits = _bits(value.type)
    if bits > 32 and bits % 32:
        raise CodegenError(
            "KC4302",
            f"{pass_name(s)}: gpu.shuffle of {value.type}",
            why=f"values are exchanged in words of 32 bits, and {bits} is not a multiple of 32",
        )
    whole = IntegerType(bits)
    if value.type != whole:
        value = s.emit(llvm.BitcastOp, [value], whole)
    if bits < 32:
        return [s.emit(llvm.ZExtOp, [value], i32)]
    words: list[SSAValue] = []
    for n in range(bits // 32):
        part = value
        if n:
            part = s.emit(llvm.LShrOp, [value, s.int_constant(32 * n, whole)], whole)
        words.append(s.emit(llvm.TruncOp, [part], i32) if bits > 32 else part)
    return words


def from_words(s: FunctionLowering, words: list[SSAValue], type_: Attribute) -> SSAValue:
    """The inverse of :func:`words_of`."""
    if type_ in (i32, f32):
        return words[0]
    bits = _bits(type_)
    whole = IntegerType(bits)
    if bits < 32:
        value = s.emit(llvm.TruncOp, [words[0]], whole)
    else:
        value = words[0] if bits == 32 else s.emit(llvm.ZExtOp, [words[0]], whole)
        for n, word in enumerate(words[1:], 1):
            high = s.emit(llvm.ZExtOp, [word], whole)
            high = s.emit(llvm.ShlOp, [high, s.int_constant(32 * n, whole)], whole)
            value = s.emit(llvm.OrOp, [value, high], whole)
    return value if type_ == whole else s.emit(llvm.BitcastOp, [value], type_)


PATTERNS: tuple[type[RewritePattern], ...] = (LowerBarrier, LowerShuffle)
