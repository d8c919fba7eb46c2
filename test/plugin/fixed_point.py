"""A plugin with a type and operations of its own, which its patterns lower where kc's are lowered.

Numbers of 8 binary places in 16 bits. A tensor of one number becomes a loop in
``convert-te-to-tir`` and ``raise-to-tir``; what fills a buffer becomes a loop in
``convert-tir-to-scf``; arithmetic, and the type, become integers in ``convert-to-llvm``.
"""

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import (
    Float32Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
    f32,
    i16,
    i32,
)
from xdsl.ir import (
    Attribute,
    Block,
    Dialect,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    TypeConversionPattern,
    attr_type_rewrite_pattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import MemoryWriteEffect, Pure

from kc.conversion.convert_te_to_tir import TeToTir
from kc.conversion.convert_tir_to_scf.function import TirToScf
from kc.conversion.convert_to_llvm.function import LlvmPattern
from kc.conversion.driver import ConversionPattern
from kc.conversion.raise_to_tir.function import FunctionRaiser
from kc.dialects import llvm, tir
from kc.support.plugins import Plugin

PLACES = 8


@irdl_attr_definition
class FixedType(ParametrizedAttribute, TypeAttribute):
    """A number with 8 binary places."""

    name = "fix.number"


@irdl_op_definition
class ClearOp(IRDLOperation):
    """Make all elements of a buffer 0."""

    name = "fix.clear"
    buffer = operand_def(MemRefType)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$buffer attr-dict `:` type($buffer)"


@irdl_op_definition
class ZeroOp(IRDLOperation):
    """The number 0."""

    name = "fix.zero"
    result = result_def(FixedType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict"


@irdl_op_definition
class FromFloatOp(IRDLOperation):
    """A float, rounded towards 0."""

    name = "fix.from_float"
    value = operand_def(Float32Type)
    result = result_def(FixedType)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict"


@irdl_op_definition
class MulAddOp(IRDLOperation):
    """``a * b + c``, rounded downwards."""

    name = "fix.mul_add"
    a = operand_def(FixedType)
    b = operand_def(FixedType)
    c = operand_def(FixedType)
    result = result_def(FixedType)
    traits = traits_def(Pure())
    assembly_format = "$a `,` $b `,` $c attr-dict"


@irdl_op_definition
class ToFloatOp(IRDLOperation):
    """The same number as a float."""

    name = "fix.to_float"
    value = operand_def(FixedType)
    result = result_def(Float32Type)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict"


@irdl_op_definition
class FillOp(IRDLOperation):
    """A tensor of a number, everywhere."""

    name = "fix.fill"
    value = operand_def(Float32Type)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($result)"


@irdl_op_definition
class LostOp(IRDLOperation):
    """An operation without a pattern."""

    name = "fix.lost"
    assembly_format = "attr-dict"


FIX = Dialect(
    "fix", [ClearOp, ZeroOp, FromFloatOp, MulAddOp, ToFloatOp, FillOp, LostOp], [FixedType]
)


def fill(value: SSAValue, buffer: SSAValue, size: int) -> tir.ForOp:
    """``tir.for %i in size { tir.store value, buffer[%i] }``"""
    loop = tir.ForOp("i", size)
    loop.body.block.add_op(tir.StoreOp(value, buffer, AffineMap.identity(1), [loop.var]))
    return loop


class FillInTe(ConversionPattern[TeToTir]):
    """``%T = fix.fill %x : tensor<8xf32>``  ->  a loop that stores ``%x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FillOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        (size,) = op.result.type.get_shape()
        buffer = conversion.buffer("filled", op.result, [size], op)
        rewriter.replace(op, fill(conversion.value(op.value), buffer, size), [buffer])


class FillWhenRaised(ConversionPattern[FunctionRaiser]):
    """``%T = fix.fill %x : tensor<8xf32>``  ->  a loop that stores ``%x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FillOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        (size,) = op.result.type.get_shape()
        buffer = raiser.tensors.result(op.result, [size], op)
        rewriter.insert(fill(raiser.value(op.value), buffer, size))


class ClearByLoop(ConversionPattern[TirToScf]):
    """``fix.clear %A``  ->  ``scf.for %i = ... { memref.store (fix.zero), %A[%i] }``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ClearOp, rewriter: PatternRewriter, /) -> None:
        constant = self.conversion.arith.constant
        assert isinstance(op.buffer.type, MemRefType)
        (size,) = op.buffer.type.get_shape()
        body = Block(arg_types=[IndexType()])
        zero = ZeroOp.create(result_types=[FixedType()])
        body.add_ops([zero, memref.StoreOp.get(zero, op.buffer, body.args), scf.YieldOp()])
        bounds = (constant(0), constant(size), constant(1))
        rewriter.replace(op, scf.ForOp(*bounds, [], Region(body)))


class InI16(TypeConversionPattern):
    """``!fix.number``  ->  ``i16``"""

    @attr_type_rewrite_pattern
    def convert_type(self, typ: FixedType) -> Attribute:
        return i16


class LowerZero(LlvmPattern):
    """``fix.zero``  ->  ``llvm.mlir.constant(0 : i16)``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ZeroOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, llvm.ConstantOp(IntegerAttr(0, i16), i16))


class LowerFromFloat(LlvmPattern):
    """``fix.from_float %x``  ->  ``llvm.fptosi (%x * 256)``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FromFloatOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        scale = s.constant(FloatAttr(float(1 << PLACES), f32), f32)
        scaled = s.emit(llvm.FMulOp, [s.value(op.value), scale], f32)
        s.replace_by(op, llvm.FPToSIOp, [scaled])


class LowerMulAdd(LlvmPattern):
    """``fix.mul_add %a, %b, %c``  ->  the product in i32, shifted, and a sum"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MulAddOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        a, b = (s.emit(llvm.SExtOp, [s.value(operand)], i32) for operand in (op.a, op.b))
        product = s.emit(llvm.MulOp, [a, b], i32)
        shifted = s.emit(llvm.AShrOp, [product, s.int_constant(PLACES, i32)], i32)
        narrow = s.emit(llvm.TruncOp, [shifted], i16)
        s.replace_by(op, llvm.AddOp, [narrow, s.value(op.c)])


class LowerToFloat(LlvmPattern):
    """``fix.to_float %q``  ->  ``(llvm.sitofp %q) / 256``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ToFloatOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        number = s.emit(llvm.SIToFPOp, [s.value(op.value)], f32)
        scale = s.constant(FloatAttr(1 / (1 << PLACES), f32), f32)
        s.replace_by(op, llvm.FMulOp, [number, scale])


class NothingPlusZero(RewritePattern):
    """``fix.mul_add (fix.zero), %b, %c``  ->  ``%c``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MulAddOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(op.a.owner, ZeroOp):
            rewriter.replace(op, [], [op.c])


PLUGIN = Plugin(
    name="fixed-point",
    dialects={"fix": "fixed_point:FIX"},
    patterns={
        "convert-te-to-tir": ["fixed_point:FillInTe"],
        "raise-to-tir": ["fixed_point:FillWhenRaised"],
        "convert-tir-to-scf": ["fixed_point:ClearByLoop"],
        "convert-to-llvm": [
            "fixed_point:InI16",
            "fixed_point:LowerZero",
            "fixed_point:LowerFromFloat",
            "fixed_point:LowerMulAdd",
            "fixed_point:LowerToFloat",
        ],
        "canonicalize": ["fixed_point:NothingPlusZero"],
    },
)
