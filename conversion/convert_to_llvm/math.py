"""The math dialect: LLVM's intrinsics if they exist, else calls of the C library.

LLVM lowers an intrinsic without an instruction to a library call as well, lane by lane. Functions
of f16 and bf16 are computed in f32.
"""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.dialects.builtin import (
    BFloat16Type,
    BoolAttr,
    Float16Type,
    Float64Type,
    IntegerType,
    UnitAttr,
    VectorType,
    f32,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.arith import compare, fast_math
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.conversion.convert_to_llvm.types import convert_type, require_wide
from kc.dialects import llvm
from kc.dialects.llvm import element_type, same_shape
from kc.dialects.math import ErfcOp


def _compute_type(ty: Attribute) -> Attribute:
    """The type in which a function of ``ty`` is computed."""
    return same_shape(ty, f32) if isinstance(element_type(ty), Float16Type | BFloat16Type) else ty


def _promoted(s: FunctionLowering, op: Operation) -> tuple[list[SSAValue], Attribute]:
    ty = convert_type(op.results[0].type)
    wide = _compute_type(ty)
    values = [s.value(operand) for operand in op.operands]
    if wide != ty:
        values = [
            s.emit(llvm.FPExtOp, [value], wide) if value.type == ty else value for value in values
        ]
    return values, wide


def _define(s: FunctionLowering, op: Operation, value: SSAValue) -> None:
    (result,) = op.results
    type_ = convert_type(result.type)
    if value.type != type_:
        value = s.emit(llvm.FPTruncOp, [value], type_)
    s.define(result, value)


_INTRINSICS: dict[str, type[IRDLOperation]] = {
    "math.ceil": llvm.FCeilOp,
    "math.floor": llvm.FFloorOp,
    "math.trunc": llvm.FTruncOp,
    "math.round": llvm.RoundOp,
    "math.roundeven": llvm.RoundEvenOp,
    "math.sqrt": llvm.SqrtOp,
    "math.exp": llvm.ExpOp,
    "math.exp2": llvm.Exp2Op,
    "math.log": llvm.LogOp,
    "math.log2": llvm.Log2Op,
    "math.log10": llvm.Log10Op,
    "math.powf": llvm.PowOp,
    "math.sin": llvm.SinOp,
    "math.cos": llvm.CosOp,
    "math.tan": llvm.TanOp,
    "math.asin": llvm.ASinOp,
    "math.acos": llvm.ACosOp,
    "math.atan": llvm.ATanOp,
    "math.atan2": llvm.ATan2Op,
    "math.sinh": llvm.SinhOp,
    "math.cosh": llvm.CoshOp,
    "math.tanh": llvm.TanhOp,
}


class LowerFunction(LlvmPattern):
    """A function with an LLVM intrinsic; f16 and bf16 are computed in f32.

    ::

        %b = math.exp %a : f32    ->    %b = llvm.intr.exp(%a) : (f32) -> f32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: math.CeilOp
        | math.FloorOp
        | math.TruncOp
        | math.RoundOp
        | math.RoundEvenOp
        | math.SqrtOp
        | math.ExpOp
        | math.Exp2Op
        | math.LogOp
        | math.Log2Op
        | math.Log10Op
        | math.PowFOp
        | math.SinOp
        | math.CosOp
        | math.TanOp
        | math.AsinOp
        | math.AcosOp
        | math.AtanOp
        | math.Atan2Op
        | math.SinhOp
        | math.CoshOp
        | math.TanhOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s = self.conversion
        require_wide(op)
        values, ty = _promoted(s, op)
        _define(s, op, s.emit(_INTRINSICS[op.name], values, ty, fast_math(op)))


_EXACT: dict[str, type[IRDLOperation]] = {
    "math.absf": llvm.FAbsOp,
    "math.copysign": llvm.CopySignOp,
    "math.fma": llvm.FMAOp,
}


class LowerExactFunction(LlvmPattern):
    """An intrinsic that is computed in the type itself, also for f16.

    ::

        %b = math.absf %a : f16    ->    %b = llvm.intr.fabs(%a) : (f16) -> f16
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: math.AbsFOp | math.CopySignOp | math.FmaOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        require_wide(op)
        operands = [s.value(operand) for operand in op.operands]
        s.replace_by(op, _EXACT[op.name], operands, fast_math(op))


_INTEGER: dict[str, tuple[type[IRDLOperation], str | None]] = {
    "math.absi": (llvm.AbsOp, "is_int_min_poison"),
    "math.ctlz": (llvm.CountLeadingZerosOp, "is_zero_poison"),
    "math.cttz": (llvm.CountTrailingZerosOp, "is_zero_poison"),
    "math.ctpop": (llvm.CtPopOp, None),
}


class LowerIntegerFunction(LlvmPattern):
    """An intrinsic on integers, defined for every operand.

    ::

        %b = math.ctlz %a : i32    ->    %b = llvm.intr.ctlz(%a) <{is_zero_poison = false}>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: math.AbsIOp | math.CountLeadingZerosOp | math.CountTrailingZerosOp | math.CtPopOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s = self.conversion
        kind, flag = _INTEGER[op.name]
        properties: dict[str, Attribute] = {flag: BoolAttr.from_bool(False)} if flag else {}
        s.replace_by(op, kind, [s.value(op.operands[0])], properties)


class CallLibrary(LlvmPattern):
    """A call of the C library's function of the same name (with ``f`` appended for f32).

    ::

        %b = math.erf %a : f32    ->    %b = llvm.call @erff(%a) : (f32) -> f32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: math.AsinhOp
        | math.AcoshOp
        | math.AtanhOp
        | math.CbrtOp
        | math.ErfOp
        | ErfcOp
        | math.ExpM1Op
        | math.Log1pOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        call_library(self.conversion, op, op.name.removeprefix("math."))


def call_library(s: FunctionLowering, op: Operation, name: str) -> None:
    """Convert an operation of ``math`` to a call of the library function ``name``, lane by lane
    (with ``f`` appended if it is computed in f32).
    """
    values, ty = _promoted(s, op)
    scalar = element_type(ty)
    inputs = [element_type(value.type) for value in values]
    symbol = s.module.declare(
        name if isinstance(scalar, Float64Type) else f"{name}f",
        inputs,
        scalar,
        # The C library may set errno, but the kernel never reads it.
        properties={
            "memory_effects": llvm.MemoryEffectsAttr("none"),
            "will_return": UnitAttr(),
        },
    )

    def call(arguments: list[SSAValue]) -> SSAValue:
        return s.insert(llvm.CallOp(symbol, *arguments, return_type=scalar)).results[0]

    if not isinstance(ty, VectorType):
        _define(s, op, call(values))
        return
    result = s.emit(llvm.PoisonOp, [], ty)
    for lane in range(ty.get_shape()[0]):
        position = s.int_constant(lane, i32)
        parts = [
            s.emit(llvm.ExtractElementOp, [value, position], input_)
            for value, input_ in zip(values, inputs, strict=True)
        ]
        result = s.emit(llvm.InsertElementOp, [result, call(parts), position], ty)
    _define(s, op, result)


class LowerRsqrt(LlvmPattern):
    """The reciprocal square root, as 1 divided by the square root.

    ::

        %b = math.rsqrt %a : f32    ->    %0 = llvm.intr.sqrt(%a)
                                          %b = llvm.fdiv 1.0, %0
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: math.RsqrtOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        (value,), ty = _promoted(s, op)
        root = s.emit(llvm.SqrtOp, [value], ty, fast_math(op))
        _define(s, op, s.emit(llvm.FDivOp, [s.float_constant(1.0, ty), root], ty, fast_math(op)))


class LowerPowerOfInteger(LlvmPattern):
    """A power with an integer exponent, by ``pow``: LLVM's powi calls the compiler's run-time
    library, not the C library.

    ::

        %c = math.fpowi %a, %n : f32, i32    ->    %0 = llvm.sitofp %n : i32 to f32
                                                   %c = llvm.intr.pow(%a, %0)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: math.FPowIOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        (base, exponent), ty = _promoted(s, op)
        power = s.emit(llvm.SIToFPOp, [exponent], ty)
        _define(s, op, s.emit(llvm.PowOp, [base, power], ty, fast_math(op)))


class LowerIntegerPower(LlvmPattern):
    """An integer power by squaring, once for each bit of the exponent. For a negative exponent,
    only the bases 1 and -1 give a nonzero result.

    ::

        %c = math.ipowi %a, %n : i8    ->    %0 = llvm.and %n, 1; %1 = llvm.icmp "ne" %0, 0
                                             %2 = llvm.select %1, %a, 1
                                             %3 = llvm.mul %a, %a; ...
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: math.IPowIOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        base, exponent = (s.value(operand) for operand in op.operands)
        ty = base.type
        element = element_type(ty)
        assert isinstance(element, IntegerType)
        zero, unit, minus = (s.int_constant(number, ty) for number in (0, 1, -1))

        def chosen(a: SSAValue, predicate: str, b: SSAValue, *values: SSAValue) -> SSAValue:
            return s.emit(llvm.SelectOp, [compare(s, predicate, a, b), *values], ty)

        result, square = unit, base
        for bit in range(element.width.data - 1):
            has_bit = s.emit(llvm.AndOp, [exponent, s.int_constant(1 << bit, ty)], ty)
            product = s.emit(llvm.MulOp, [result, square], ty)
            result = chosen(has_bit, "ne", zero, product, result)
            square = s.emit(llvm.MulOp, [square, square], ty)
        odd = s.emit(llvm.AndOp, [exponent, unit], ty)
        sign = chosen(odd, "ne", zero, minus, unit)
        inverse = chosen(base, "eq", minus, sign, chosen(base, "eq", unit, unit, zero))
        _define(s, op, chosen(exponent, "slt", zero, inverse, result))


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerFunction,
    LowerExactFunction,
    LowerIntegerFunction,
    CallLibrary,
    LowerRsqrt,
    LowerPowerOfInteger,
    LowerIntegerPower,
)
