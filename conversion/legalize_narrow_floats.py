"""legalize-narrow-floats: compute in f32 if the target has no instructions for a float type.

Before::

    %2 = arith.addf %0, %1 : vector<16xbf16>

After::

    %3 = arith.bitcast %0 : vector<16xbf16> to vector<16xi16>
    %4 = arith.extui %3 : vector<16xi16> to vector<16xi32>
    %5 = arith.shli %4, %c16 : vector<16xi32>
    %6 = arith.bitcast %5 : vector<16xi32> to vector<16xf32>     // %0 as f32; %1 alike
    ...
    %9 = arith.addf %6, %8 : vector<16xf32>
    ...                                                          // rounded in integer arithmetic

Each operation on bf16, f16 and 8-bit floats is computed in f32 and rounded once, to nearest, ties
to even. The result is that of the operation itself, because f32 has more than twice the bits (S.
Figueroa, When is double rounding innocuous, 1995). Conversions from f64 and from long integers are
also rounded once. Values keep their types, so memory does not change; only loads, stores,
selections and ``arith.bitcast`` remain.

Operations with the same results on the target are left to it: f16 arithmetic if it has instructions
(AVX512-FP16, ARM's ``fullfp16``), conversions of f16 if it has instructions (F16C, AArch64, GPUs),
and the rounding to bf16 of ARM's ``bfcvt``. NVIDIA's GPUs convert f16 from sm_53 on, and bf16 from
sm_80 on. x86's ``vcvtneps2bf16`` is not used, because it treats subnormal numbers as zero. For the
target ``c``, whose code has functions for f16 and bf16, only 8-bit floats are converted.

Requires: loops and accesses are in standard dialects (``convert-tir-to-scf``). TVM:
``BF16Legalize``; MLIR: ``arith-emulate-unsupported-floats``, ``arith-expand``.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IntegerType,
    ModuleOp,
    VectorType,
    f32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.loop_tree import preorder
from kc.conversion.driver import (
    Conversion,
    ConversionPattern,
    ConversionTarget,
    own_and_added,
)
from kc.conversion.narrow_float_bits import BitArithmetic, code_attr, format_of
from kc.dialects.arith import RemFOp, element_of, like
from kc.dialects.vector import PrintOp
from kc.support.nvidia import architecture_of
from kc.support.target import Target, target_of

TARGET = ConversionTarget("legalize-narrow-floats")


@dataclass(frozen=True)
class LegalizeNarrowFloatsPass(ModulePass):
    """Compute bf16, f16 and 8-bit floats in f32 where the CPU lacks them, and round each result."""

    name = "legalize-narrow-floats"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if _has_narrow_floats(op):
            patterns = own_and_added(TARGET, PATTERNS)
            NarrowFloats(target_of(op), patterns).convert(op.body.block)


def _has_narrow_floats(module: ModuleOp) -> bool:
    seen: set[int] = set()
    """The types by object identity; there are few, and the module keeps them alive."""
    for op in preorder(module):
        values = op.results  # operands are results or arguments, too
        if op.regions:
            values = [
                *values,
                *(arg for region in op.regions for block in region.blocks for arg in block.args),
            ]
        for value in values:
            type_ = value.type
            if id(type_) not in seen:
                seen.add(id(type_))
                if format_of(type_) is not None:
                    return True
    return False


class NarrowFloats(Conversion):
    """The narrow floats of a target, and the conversions between them and f32 that it lacks."""

    def __init__(self, target: Target, patterns: tuple[type[RewritePattern], ...]) -> None:
        super().__init__(patterns, PromoteMath)
        arch = target.architecture.name if target.architecture is not None else str(target.kind)
        arm = arch == "aarch64"
        self.computes: set[str] = {"f16", "bf16"} if arch == "c" else set()
        if target.has_feature("fullfp16" if arm else "avx512fp16"):
            self.computes.add("f16")
        self.widens = {"f16"} if arm or target.has_feature("f16c") else set(target.kind.converts)
        self.narrows = set(self.widens)
        if arm and target.has_feature("bf16"):
            self.narrows.add("bf16")
        if target.kind == "cuda":
            number = architecture_of(target).number
            for form, least in (("f16", 53), ("bf16", 80)):
                if number >= least:
                    self.widens.add(form)
                    self.narrows.add(form)

    def is_for_target(self, op: Operation) -> bool:
        """True if the target supports all types of ``op``."""
        types = [value.type for value in (*op.operands, *op.results)]
        forms = {form.ir for type_ in types if (form := format_of(type_)) is not None}
        return forms <= self.computes

    def widen(self, at: BitArithmetic, value: SSAValue) -> SSAValue:
        """A narrow float as f32; other values unchanged."""
        form = format_of(value.type)
        if form is None:
            return value
        if form.ir in self.computes or form.ir in self.widens:
            return at.convert(arith.ExtFOp, value, f32)
        return at.widened(value)

    def narrow(self, at: BitArithmetic, value: SSAValue, type_: Attribute) -> SSAValue:
        """An f32 as ``type_``, rounded if that is narrow."""
        form = format_of(type_)
        if form is None or value.type == type_:
            return value
        if form.ir in self.computes or form.ir in self.narrows:
            return at.convert(arith.TruncFOp, value, element_of(type_))
        return at.narrowed(value, element_of(type_))

    def promote(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Replace ``op`` by the same operation on f32."""
        at = BitArithmetic(op)
        promoted = type(op).create(
            operands=[self.widen(at, operand) for operand in op.operands],
            result_types=[
                like(result.type, f32) if format_of(result.type) else result.type
                for result in op.results
            ],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        at.insert(promoted)
        self.round(at, op, promoted.results[0], rewriter)

    def round(
        self, at: BitArithmetic, op: Operation, value: SSAValue, rewriter: PatternRewriter
    ) -> None:
        """Replace ``op`` by ``value``, rounded to the type of its result."""
        rewriter.replace(op, [], [self.narrow(at, value, op.results[0].type)])


class PromoteArithmetic(ConversionPattern[NarrowFloats]):
    """Compute in f32, and round once.

    ::

        %c = arith.addf %a, %b : bf16    ->    %0 = arith.addf %a as f32, %b as f32 : f32
                                               %c = %0 as bf16
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: arith.AddfOp
        | arith.SubfOp
        | arith.MulfOp
        | arith.DivfOp
        | RemFOp
        | arith.MaximumfOp
        | arith.MinimumfOp
        | arith.MaxnumfOp
        | arith.MinnumfOp
        | arith.CmpfOp
        | arith.FPToSIOp
        | arith.FPToUIOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        if not self.conversion.is_for_target(op):
            self.conversion.promote(op, rewriter)


class PromoteMath(ConversionPattern[NarrowFloats]):
    """Compute a function of ``math`` without another pattern in f32, and round once.

    ::

        %c = math.exp %a : bf16    ->    %0 = math.exp %a as f32 : f32
                                         %c = %0 as bf16
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if op.regions:
            blocks = (block for region in op.regions for block in region.blocks)
            self.conversion.convert_next(*blocks)
        elif op.name.startswith("math.") and not self.conversion.is_for_target(op):
            self.conversion.promote(op, rewriter)


class ExtendByF32(ConversionPattern[NarrowFloats]):
    """Extend to a wider float, which represents every f32 and every number of the narrow type.

    ::

        %b = arith.extf %a : bf16 to f64    ->    %b = arith.extf (%a as f32) : f32 to f64
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.ExtFOp, rewriter: PatternRewriter, /) -> None:
        if self.conversion.is_for_target(op):
            return
        at = BitArithmetic(op)
        wide = self.conversion.widen(at, op.input)
        result = op.result.type
        if element_of(result) != f32 and format_of(result) is None:
            wide = at.convert(arith.ExtFOp, wide, element_of(result))
        self.conversion.round(at, op, wide, rewriter)


class PrintAsF32(ConversionPattern[NarrowFloats]):
    """Print numbers as f32, which represents them exactly.

    ::

        vector.print %a : vector<4xbf16>    ->    vector.print (%a as f32) : vector<4xf32>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PrintOp, rewriter: PatternRewriter, /) -> None:
        if op.source is None or format_of(op.source.type) is None:
            return
        wide = self.conversion.widen(BitArithmetic(op), op.source)
        rewriter.replace(op, PrintOp.build(operands=[[wide]], properties=dict(op.properties)), [])


class TruncateByF32(ConversionPattern[NarrowFloats]):
    """Truncate from f32, or from a wider or narrow type through f32, with one rounding.

    ::

        %b = arith.truncf %a : f64 to bf16    ->    %b = (%a rounded to odd in f32) as bf16
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.TruncFOp, rewriter: PatternRewriter, /) -> None:
        if self.conversion.is_for_target(op):
            return
        at, value = BitArithmetic(op), op.input
        kind = element_of(value.type)
        assert isinstance(kind, FixedBitwidthType)
        wide = at.to_odd(value) if kind.bitwidth > 32 else self.conversion.widen(at, value)
        self.conversion.round(at, op, wide, rewriter)


class ConvertInteger(ConversionPattern[NarrowFloats]):
    """Convert an integer, with one rounding.

    ::

        %b = arith.sitofp %a : i64 to bf16    ->    %b = (%a in f32, without a second rounding)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: arith.SIToFPOp | arith.UIToFPOp, rewriter: PatternRewriter, /
    ) -> None:
        if self.conversion.is_for_target(op):
            return
        at = BitArithmetic(op)
        wide = at.of_integer(op.input, isinstance(op, arith.SIToFPOp))
        self.conversion.round(at, op, wide, rewriter)


class FuseInF32(ConversionPattern[NarrowFloats]):
    """Compute ``a * b + c`` with one rounding.

    ::

        %d = math.fma %a, %b, %c : bf16    ->    %d = (%a * %b + %c in f32) as bf16
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: math.FmaOp | vector.FMAOp, rewriter: PatternRewriter, /
    ) -> None:
        if self.conversion.is_for_target(op):
            return
        at = BitArithmetic(op)
        wide = at.fused(*(self.conversion.widen(at, operand) for operand in op.operands))
        self.conversion.round(at, op, wide, rewriter)


class ChangeSignBit(ConversionPattern[NarrowFloats]):
    """Change the sign bit, also of NaN.

    ::

        %b = arith.negf %a : bf16    ->    %0 = arith.xori (%a as i16), %c-32768 : i16
                                           %b = arith.bitcast %0 : i16 to bf16
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: arith.NegfOp | math.AbsFOp | math.CopySignOp, rewriter: PatternRewriter, /
    ) -> None:
        if self.conversion.is_for_target(op):
            return
        at = BitArithmetic(op)
        if isinstance(op, arith.NegfOp):
            value = at.with_other_sign(op.operand)
        elif isinstance(op, math.AbsFOp):
            value = at.without_sign(op.operand)
        else:
            value = at.with_sign_of(op.lhs, op.rhs)
        rewriter.replace(op, [], [value])


class EncodeConstant(ConversionPattern[NarrowFloats]):
    """Encode constants of 8-bit floats as integers; LLVM supports the wider types.

    ::

        %a = arith.constant 1.0 : f8E5M2    ->    %0 = arith.constant 60 : i8
                                                  %a = arith.bitcast %0 : i8 to f8E5M2
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter, /) -> None:
        form = format_of(op.result.type)
        if form is None or form.bits != 8 or self.conversion.is_for_target(op):
            return
        at, kind = BitArithmetic(op), like(op.result.type, IntegerType(form.bits))
        codes = code_attr(op.value, form)
        encoded = arith.ConstantOp.create(properties={"value": codes}, result_types=[kind])
        bits = at.as_type(at.insert(encoded), element_of(op.result.type))
        rewriter.replace(op, [], [bits])


class ReduceLaneByLane(ConversionPattern[NarrowFloats]):
    """Reduce the lanes of a vector one after the other, with each step rounded.

    ::

        %s = vector.reduction <add>, %v : vector<2xbf16> into bf16

    becomes ::

        %0 = vector.extract %v[0];  %1 = vector.extract %v[1];  %s = (%0 + %1 in f32) as bf16
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ReductionOp, rewriter: PatternRewriter, /) -> None:
        combine = _COMBINE.get(op.kind.data.value)
        if combine is None or self.conversion.is_for_target(op):
            return  # lowering refuses other reductions
        assert isinstance(op.vector.type, VectorType)
        at = BitArithmetic(op)
        scalar = op.results[0].type
        total = op.acc
        for lane in range(op.vector.type.get_shape()[0]):
            element = at.insert(vector.ExtractOp(op.vector, [lane], scalar))
            if total is not None:
                widen = self.conversion.widen
                combined = at.insert(combine(widen(at, total), widen(at, element)))
                element = self.conversion.narrow(at, combined, scalar)
            total = element
        assert total is not None
        rewriter.replace(op, [], [total])


_COMBINE: dict[str, type[arith.FloatingPointLikeBinaryOperation]] = {
    "add": arith.AddfOp,
    "mul": arith.MulfOp,
    "minimumf": arith.MinimumfOp,
    "maximumf": arith.MaximumfOp,
    "minnumf": arith.MinnumfOp,
    "maxnumf": arith.MaxnumfOp,
}

PATTERNS: tuple[type[RewritePattern], ...] = (
    PromoteArithmetic,
    ExtendByF32,
    PrintAsF32,
    TruncateByF32,
    ConvertInteger,
    FuseInF32,
    ChangeSignBit,
    EncodeConstant,
    ReduceLaneByLane,
)
