"""The arith dialect: one operation for most, exact expansions for the rest.

As in MLIR, a division by zero and the overflow of a signed division are undefined. The same holds
for ``floordivsi`` and ``ceildivsi``, whose expansion adds no other undefined case.
"""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.conversion.convert_to_llvm.types import convert_type, require_wide, unsupported_type
from kc.conversion.convert_to_llvm.values import Constant, Origin
from kc.conversion.convert_to_llvm.vector_lanes import lane_count, shuffle
from kc.conversion.narrow_float_bits import code_attr, format_of
from kc.dialects import llvm
from kc.dialects.arith import IndexCastUIOp, RemFOp
from kc.dialects.llvm import element_type, same_shape

Properties = dict[str, Attribute]

PREDICATES = {
    name: IntegerAttr(i, i64)
    for i, name in enumerate(("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"))
}


@lru_cache(maxsize=64)
def _llvm_flags(flags: FastMathFlagsAttr) -> llvm.FastMathAttr:
    return llvm.FastMathAttr(flags.data)


def fast_math(op: Operation) -> Properties:
    """The fast-math flags of ``op`` as the property of its llvm counterpart."""
    # xDSL's constructor of arith.negf stores the flags as attributes.
    flags = op.properties.get("fastmath") or op.attributes.get("fastmath")
    if isinstance(flags, FastMathFlagsAttr) and flags.data:
        return {"fastmathFlags": _llvm_flags(flags)}
    return {}


def _overflow(op: Operation) -> Properties:
    flags = op.properties.get("overflowFlags")
    if isinstance(flags, IntegerOverflowAttr) and flags.data:
        names = {str(flag.value) for flag in flags.data}
        return {"overflowFlags": IntegerAttr(("nsw" in names) + 2 * ("nuw" in names), i32)}
    return {}


def compare(s: FunctionLowering, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """``llvm.icmp``; lane by lane for vectors."""
    ty = same_shape(lhs.type, i1)
    return s.emit(llvm.ICmpOp, [lhs, rhs], ty, {"predicate": PREDICATES[predicate]})


class LowerConstant(LlvmPattern):
    """A constant, emitted at its use, once per function; an index is an i64.

    ::

        %c = arith.constant 4 : index    ->    llvm.mlir.constant(4 : i64) : i64
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        value, old = op.properties["value"], op.results[0]
        ty = convert_type(old.type)
        if isinstance(value, IntegerAttr) and isinstance(value.type, IndexType):
            value = IntegerAttr(value.value, i64)
        elif (form := format_of(old.type)) is not None and form.bits == 8:
            value = code_attr(op.value, form)
        if isinstance(value, DenseIntOrFPElementsAttr) and value.type != ty:
            assert isinstance(ty, VectorType)
            value = DenseIntOrFPElementsAttr(ty, value.data)
        s.define(old, Constant(value, ty))


def _binary(s: FunctionLowering, op: Operation) -> tuple[SSAValue, SSAValue, Attribute]:
    lhs, rhs = (s.value(operand) for operand in op.operands)
    return lhs, rhs, lhs.type


class LowerFloorDiv(LlvmPattern):
    """``a floordiv b`` = a / b, minus one if the division is inexact and the signs differ.

    ::

        %q = arith.floordivsi %a, %c8 : i32    ->    %q = llvm.ashr %a, %c3 : i32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.FloorDivSIOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        divisor = s.index(op.operands[1])
        if isinstance(divisor, int) and divisor > 0 and divisor & (divisor - 1) == 0:
            # Exact for every dividend, in one instruction.
            lhs = s.value(op.operands[0])
            shift = s.int_constant(divisor.bit_length() - 1, lhs.type)
            s.replace_by(op, llvm.AShrOp, [lhs, shift])
            return
        lhs, rhs, ty = _binary(s, op)
        quotient, inexact = _divide(s, lhs, rhs)
        zero = s.int_constant(0, ty)
        signs_differ = compare(s, "slt", s.emit(llvm.XOrOp, [lhs, rhs], ty), zero)
        adjust = s.emit(llvm.AndOp, [inexact, signs_differ], signs_differ.type)
        s.replace_by(op, llvm.AddOp, [quotient, s.emit(llvm.SExtOp, [adjust], ty)])


class LowerCeilDiv(LlvmPattern):
    """``a ceildiv b`` = a / b, plus one if the division is inexact and the signs agree.

    ::

        %q = arith.ceildivsi %a, %b : i32    ->    llvm.sdiv, llvm.mul, llvm.icmp, ..., llvm.add
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CeilDivSIOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        lhs, rhs, ty = _binary(s, op)
        quotient, inexact = _divide(s, lhs, rhs)
        signs_agree = compare(s, "sge", s.emit(llvm.XOrOp, [lhs, rhs], ty), s.int_constant(0, ty))
        adjust = s.emit(llvm.AndOp, [inexact, signs_agree], signs_agree.type)
        s.replace_by(op, llvm.AddOp, [quotient, s.emit(llvm.ZExtOp, [adjust], ty)])


def _divide(s: FunctionLowering, lhs: SSAValue, rhs: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The quotient rounded towards zero, and an i1 that is true for a nonzero remainder."""
    quotient = s.emit(llvm.SDivOp, [lhs, rhs], lhs.type)
    product = s.emit(llvm.MulOp, [quotient, rhs], lhs.type)
    return quotient, compare(s, "ne", product, lhs)


class LowerCeilDivUnsigned(LlvmPattern):
    """``a ceildiv b`` = 0 for a = 0, else (a - 1) / b + 1, which cannot overflow.

    ::

        %q = arith.ceildivui %a, %b : i32    ->    llvm.select (%a == 0), 0, (%a - 1) / %b + 1
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CeilDivUIOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        lhs, rhs, ty = _binary(s, op)
        c1, zero = s.int_constant(1, ty), s.int_constant(0, ty)
        less = s.emit(llvm.SubOp, [lhs, c1], ty)
        more = s.emit(llvm.AddOp, [s.emit(llvm.UDivOp, [less, rhs], ty), c1], ty)
        s.replace_by(op, llvm.SelectOp, [compare(s, "eq", lhs, zero), zero, more])


class LowerAddExtended(LlvmPattern):
    """A sum and its carry, which is set if the sum is less than a term.

    ::

        %s, %c = arith.addui_extended %a, %b    ->    %s = llvm.add %a, %b
                                                      %c = llvm.icmp "ult" %s, %a
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddUIExtendedOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        lhs, rhs, ty = _binary(s, op)
        total = s.emit(llvm.AddOp, [lhs, rhs], ty)
        s.define(op.results[0], total)
        s.define(op.results[1], compare(s, "ult", total, lhs))


class LowerSelect(LlvmPattern):
    """A selection between two values; for memrefs, of each part.

    ::

        %v = arith.select %c, %a, %b : f32    ->    %v = llvm.select %c, %a, %b : i1, f32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.SelectOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        condition, then, otherwise = op.operands
        (result,) = op.results
        if not isinstance(result.type, MemRefType):
            operands = [s.value(operand) for operand in op.operands]
            s.replace_by(op, llvm.SelectOp, operands)
            return
        origin = Origin(merged=True)
        pairs = zip(s.flatten(then, origin), s.flatten(otherwise, origin), strict=True)
        chosen = [
            s.emit(llvm.SelectOp, [s.value(condition), lhs, rhs], lhs.type) for lhs, rhs in pairs
        ]
        s.define_memref(result, chosen, origin)


class LowerIndexCast(LlvmPattern):
    """A cast between index (i64) and a signed integer: extend or truncate.

    ::

        %j = arith.index_cast %i : i32 to index    ->    %j = llvm.sext %i : i32 to i64
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.IndexCastOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        value, (result,) = s.value(op.operands[0]), op.results
        ty = convert_type(result.type)
        source, target = element_type(value.type), element_type(ty)
        assert isinstance(source, IntegerType)
        assert isinstance(target, IntegerType)
        if source == target:
            s.define(result, value)
        else:
            narrow = target.width.data < source.width.data
            s.define(result, s.emit(llvm.TruncOp if narrow else llvm.SExtOp, [value], ty))


class LowerUnsignedIndexCast(LlvmPattern):
    """A cast between index (i64) and an unsigned integer: zero-extend or truncate.

    ::

        %j = arith.index_castui %i : i32 to index    ->    %j = llvm.zext %i : i32 to i64
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IndexCastUIOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        value = s.value(op.input)
        ty = convert_type(op.result.type)
        source, target = element_type(value.type), element_type(ty)
        assert isinstance(source, IntegerType)
        assert isinstance(target, IntegerType)
        if source == target:
            s.define(op.result, value)
        else:
            narrow = target.width.data < source.width.data
            s.define(op.result, s.emit(llvm.TruncOp if narrow else llvm.ZExtOp, [value], ty))


class LowerBitcast(LlvmPattern):
    """The same bits as another type; nothing if both have the same llvm type.

    ::

        %b = arith.bitcast %a : f32 to i32    ->    %b = llvm.bitcast %a : f32 to i32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.BitcastOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        source, result = op.operands[0], op.results[0]
        if isinstance(source.type, MemRefType):
            raise unsupported_type(source.type, "arith.bitcast is lowered for scalars and vectors")
        value = s.value(source)
        if value.type == convert_type(result.type):
            s.define(result, value)
        else:
            s.replace_by(op, llvm.BitcastOp, [value])


class LowerProductHalves(LlvmPattern):
    """The two halves of a product, computed with integers of twice the width.

    ::

        %l, %h = arith.mului_extended %a, %b : i32    ->    %p = llvm.mul of both as i64
                                                            %l, %h = its halves
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: arith.MulUIExtendedOp | arith.MulSIExtendedOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        extend = llvm.ZExtOp if isinstance(op, arith.MulUIExtendedOp) else llvm.SExtOp
        lhs, rhs, ty = _binary(s, op)
        narrow = element_type(ty)
        assert isinstance(narrow, IntegerType)
        width = narrow.width.data
        wide = same_shape(ty, IntegerType(2 * width))
        operands = [s.emit(extend, [operand], wide) for operand in (lhs, rhs)]
        product = s.emit(llvm.MulOp, operands, wide)
        # In the narrow type: a vector of 128-bit constants cannot be written.
        shift = s.emit(llvm.ZExtOp, [s.int_constant(width, ty)], wide)
        high = s.emit(llvm.LShrOp, [product, shift], wide)
        s.define(op.results[0], s.emit(llvm.TruncOp, [product], ty))
        s.define(op.results[1], s.emit(llvm.TruncOp, [high], ty))


class LowerComparison(LlvmPattern):
    """A comparison. arith and llvm number their predicates alike.

    ::

        %c = arith.cmpi slt, %a, %b : i32    ->    %c = llvm.icmp "slt" %a, %b : i32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: arith.CmpiOp | arith.CmpfOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        require_wide(op)
        lhs, rhs = (s.value(operand) for operand in op.operands)
        ty = same_shape(lhs.type, i1)
        properties = {"predicate": op.properties["predicate"], **fast_math(op)}
        kind = llvm.ICmpOp if isinstance(op, arith.CmpiOp) else llvm.FCmpOp
        s.define(op.results[0], s.emit(kind, [lhs, rhs], ty, properties))


_INTEGER: dict[str, type[IRDLOperation]] = {
    "arith.addi": llvm.AddOp,
    "arith.subi": llvm.SubOp,
    "arith.muli": llvm.MulOp,
    "arith.shli": llvm.ShlOp,
    "arith.divsi": llvm.SDivOp,
    "arith.divui": llvm.UDivOp,
    "arith.remsi": llvm.SRemOp,
    "arith.remui": llvm.URemOp,
    "arith.andi": llvm.AndOp,
    "arith.ori": llvm.OrOp,
    "arith.xori": llvm.XOrOp,
    "arith.shrsi": llvm.AShrOp,
    "arith.shrui": llvm.LShrOp,
    "arith.minsi": llvm.SMinOp,
    "arith.maxsi": llvm.SMaxOp,
    "arith.minui": llvm.UMinOp,
    "arith.maxui": llvm.UMaxOp,
}


class LowerIntegerArithmetic(LlvmPattern):
    """An integer operation with an llvm counterpart, including overflow flags.

    ::

        %c = arith.addi %a, %b overflow<nsw> : i32    ->    %c = llvm.add %a, %b overflow<nsw> : i32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: arith.AddiOp
        | arith.SubiOp
        | arith.MuliOp
        | arith.ShLIOp
        | arith.DivSIOp
        | arith.DivUIOp
        | arith.RemSIOp
        | arith.RemUIOp
        | arith.AndIOp
        | arith.OrIOp
        | arith.XOrIOp
        | arith.ShRSIOp
        | arith.ShRUIOp
        | arith.MinSIOp
        | arith.MaxSIOp
        | arith.MinUIOp
        | arith.MaxUIOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s = self.conversion
        operands = [s.value(operand) for operand in op.operands]
        s.replace_by(op, _INTEGER[op.name], operands, _overflow(op))


_FLOAT: dict[str, type[IRDLOperation]] = {
    "arith.addf": llvm.FAddOp,
    "arith.subf": llvm.FSubOp,
    "arith.mulf": llvm.FMulOp,
    "arith.divf": llvm.FDivOp,
    "arith.remf": llvm.FRemOp,
    "arith.negf": llvm.FNegOp,
    "arith.maximumf": llvm.MaximumOp,
    "arith.minimumf": llvm.MinimumOp,
    "arith.maxnumf": llvm.MaxNumOp,
    "arith.minnumf": llvm.MinNumOp,
}


class LowerFloatArithmetic(LlvmPattern):
    """A float operation with an llvm counterpart, with the same fast-math flags.

    ::

        %c = arith.addf %a, %b fastmath<contract> : f32

    becomes ::

        %c = llvm.fadd %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: arith.AddfOp
        | arith.SubfOp
        | arith.MulfOp
        | arith.DivfOp
        | RemFOp
        | arith.NegfOp
        | arith.MaximumfOp
        | arith.MinimumfOp
        | arith.MaxnumfOp
        | arith.MinnumfOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s = self.conversion
        operands = [s.value(operand) for operand in op.operands]
        require_wide(op)
        flags = fast_math(op)
        if op.name in _SELECTORS and not flags and _has_range(s, operands):
            s.define(op.results[0], _by_range(s, _SELECTORS[op.name], *operands))
        else:
            s.replace_by(op, _FLOAT[op.name], operands, flags)


_SELECTORS = {"arith.minimumf": 4, "arith.maximumf": 5}
"""The selector of ``vrangeps``, including the sign of the selected value."""

_RANGE = {Float32Type(): ("ps", 16), Float64Type(): ("pd", 8)}
"""The suffix of the instruction, and the number of lanes of its 512-bit vectors."""


def _has_range(s: FunctionLowering, operands: list[SSAValue]) -> bool:
    """True if AVX-512 can compare values that may be NaN in 512-bit vectors."""
    type_ = operands[0].type
    if not isinstance(type_, VectorType) or type_.element_type not in _RANGE:
        return False
    _, lanes = _RANGE[type_.element_type]
    count = lane_count(type_)
    if count not in (lanes, 2 * lanes, 4 * lanes, 8 * lanes) or not s.module.has_range:
        return False
    # With a constant LLVM knows which of its instructions are not needed.
    return not any(isinstance(operand.owner, llvm.ConstantOp) for operand in operands)


def _by_range(s: FunctionLowering, selector: int, a: SSAValue, b: SSAValue) -> SSAValue:
    """The minimum or maximum by ``vrangeps``, which orders zeros and ignores NaN; the sum if that
    is NaN. LLVM's code for ``llvm.maximum`` has six instructions instead of three.
    """
    type_ = a.type
    assert isinstance(type_, VectorType)
    suffix, lanes = _RANGE[type_.element_type]
    count = lane_count(type_)
    part = VectorType(type_.element_type, [lanes])
    parts: list[SSAValue] = []
    for first in range(0, count, lanes):
        own = [
            value if count == lanes else shuffle(s, value, value, range(first, first + lanes))
            for value in (a, b)
        ]
        arguments = [
            *own,
            s.int_constant(selector, i32),
            s.emit(llvm.PoisonOp, [], part),
            s.int_constant(-1, IntegerType(lanes)),
            s.int_constant(4, i32),  # the current rounding mode
        ]
        name = f"llvm.x86.avx512.mask.range.{suffix}.512"
        parts.append(s.insert(llvm.CallIntrinsicOp(name, arguments, [part])).results[0])
    while len(parts) > 1:
        whole = range(2 * count // len(parts))
        parts = [shuffle(s, *pair, whole) for pair in zip(parts[::2], parts[1::2], strict=True)]
    unordered = s.emit(llvm.FCmpOp, [a, b], same_shape(type_, i1), {"predicate": _UNO})
    total = s.emit(llvm.FAddOp, [a, b], type_)
    return s.emit(llvm.SelectOp, [unordered, total, parts[0]], type_)


_UNO = IntegerAttr(14, i64)


_CASTS: dict[str, type[IRDLOperation]] = {
    "arith.extsi": llvm.SExtOp,
    "arith.extui": llvm.ZExtOp,
    "arith.trunci": llvm.TruncOp,
    "arith.extf": llvm.FPExtOp,
    "arith.truncf": llvm.FPTruncOp,
    "arith.sitofp": llvm.SIToFPOp,
    "arith.uitofp": llvm.UIToFPOp,
    "arith.fptosi": llvm.FPToSIOp,
    "arith.fptoui": llvm.FPToUIOp,
}


class LowerCast(LlvmPattern):
    """A conversion between numbers with an llvm counterpart.

    ::

        %b = arith.extsi %a : i8 to i32    ->    %b = llvm.sext %a : i8 to i32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: arith.ExtSIOp
        | arith.ExtUIOp
        | arith.TruncIOp
        | arith.ExtFOp
        | arith.TruncFOp
        | arith.SIToFPOp
        | arith.UIToFPOp
        | arith.FPToSIOp
        | arith.FPToUIOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s = self.conversion
        require_wide(op)
        s.replace_by(op, _CASTS[op.name], [s.value(op.operands[0])])


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerConstant,
    LowerFloorDiv,
    LowerCeilDiv,
    LowerCeilDivUnsigned,
    LowerAddExtended,
    LowerSelect,
    LowerIndexCast,
    LowerUnsignedIndexCast,
    LowerBitcast,
    LowerProductHalves,
    LowerComparison,
    LowerIntegerArithmetic,
    LowerFloatArithmetic,
    LowerCast,
)
