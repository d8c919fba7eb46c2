"""The math dialect: LLVM's intrinsics where there is one, else calls of the C library.

LLVM lowers an intrinsic without an instruction to a library call as well, lane by lane. Functions
of f16 and bf16 are computed in f32.
"""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BFloat16Type,
    BoolAttr,
    Float16Type,
    Float64Type,
    UnitAttr,
    VectorType,
    f32,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from kc.conversion.convert_to_llvm.arith import fast_math
from kc.conversion.convert_to_llvm.function import FunctionLowering, Handler
from kc.dialects import llvm
from kc.dialects.llvm import element_type, same_shape


def _compute_type(ty: Attribute) -> Attribute:
    """The type in which a function of ``ty`` is computed."""
    return same_shape(ty, f32) if isinstance(element_type(ty), Float16Type | BFloat16Type) else ty


def _promoted(s: FunctionLowering, op: Operation) -> tuple[list[SSAValue], Attribute]:
    ty = op.results[0].type
    wide = _compute_type(ty)
    values = [s.value(operand) for operand in op.operands]
    if wide != ty:
        values = [
            s.emit(llvm.FPExtOp, [value], wide) if value.type == ty else value for value in values
        ]
    return values, wide


def _define(s: FunctionLowering, op: Operation, value: SSAValue) -> None:
    (result,) = op.results
    if value.type != result.type:
        value = s.emit(llvm.FPTruncOp, [value], result.type)
    s.define(result, value)


def _intrinsic(op_type: type[IRDLOperation]) -> Handler:
    def lower(s: FunctionLowering, op: Operation) -> None:
        values, ty = _promoted(s, op)
        _define(s, op, s.emit(op_type, values, ty, fast_math(op)))

    return lower


def _exact(op_type: type[IRDLOperation]) -> Handler:
    """An intrinsic that is computed in the type itself, also in f16."""

    def lower(s: FunctionLowering, op: Operation) -> None:
        s.replace(op, op_type, [s.value(operand) for operand in op.operands], fast_math(op))

    return lower


def _integer(op_type: type[IRDLOperation], flag: str | None = None) -> Handler:
    """An intrinsic on integers, defined for every operand."""

    def lower(s: FunctionLowering, op: Operation) -> None:
        properties: dict[str, Attribute] = {flag: BoolAttr.from_bool(False)} if flag else {}
        s.replace(op, op_type, [s.value(op.operands[0])], properties)

    return lower


def _library(name: str) -> Handler:
    """A call of the function ``name`` of the C library (with ``f`` appended for f32)."""

    def lower(s: FunctionLowering, op: Operation) -> None:
        values, ty = _promoted(s, op)
        scalar = element_type(ty)
        symbol = s.module.declare(
            name if isinstance(scalar, Float64Type) else f"{name}f",
            [scalar] * len(values),
            scalar,
            # The C library may set errno, which nothing here reads.
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
            parts = [s.emit(llvm.ExtractElementOp, [value, position], scalar) for value in values]
            result = s.emit(llvm.InsertElementOp, [result, call(parts), position], ty)
        _define(s, op, result)

    return lower


def _lower_rsqrt(s: FunctionLowering, op: Operation) -> None:
    (value,), ty = _promoted(s, op)
    root = s.emit(llvm.SqrtOp, [value], ty, fast_math(op))
    _define(s, op, s.emit(llvm.FDivOp, [s.float_constant(1.0, ty), root], ty, fast_math(op)))


def _lower_fpowi(s: FunctionLowering, op: Operation) -> None:
    """By ``pow``: LLVM's powi calls a function of the compiler's run time, not of the C library."""
    (base, exponent), ty = _promoted(s, op)
    power = s.emit(llvm.SIToFPOp, [exponent], ty)
    _define(s, op, s.emit(llvm.PowOp, [base, power], ty, fast_math(op)))


HANDLERS: dict[str, Handler] = {
    "math.absf": _exact(llvm.FAbsOp),
    "math.copysign": _exact(llvm.CopySignOp),
    "math.fma": _exact(llvm.FMAOp),
    "math.ceil": _intrinsic(llvm.FCeilOp),
    "math.floor": _intrinsic(llvm.FFloorOp),
    "math.trunc": _intrinsic(llvm.FTruncOp),
    "math.round": _intrinsic(llvm.RoundOp),
    "math.roundeven": _intrinsic(llvm.RoundEvenOp),
    "math.sqrt": _intrinsic(llvm.SqrtOp),
    "math.exp": _intrinsic(llvm.ExpOp),
    "math.exp2": _intrinsic(llvm.Exp2Op),
    "math.log": _intrinsic(llvm.LogOp),
    "math.log2": _intrinsic(llvm.Log2Op),
    "math.log10": _intrinsic(llvm.Log10Op),
    "math.powf": _intrinsic(llvm.PowOp),
    "math.sin": _intrinsic(llvm.SinOp),
    "math.cos": _intrinsic(llvm.CosOp),
    "math.tan": _intrinsic(llvm.TanOp),
    "math.asin": _intrinsic(llvm.ASinOp),
    "math.acos": _intrinsic(llvm.ACosOp),
    "math.atan": _intrinsic(llvm.ATanOp),
    "math.atan2": _intrinsic(llvm.ATan2Op),
    "math.sinh": _intrinsic(llvm.SinhOp),
    "math.cosh": _intrinsic(llvm.CoshOp),
    "math.tanh": _intrinsic(llvm.TanhOp),
    "math.asinh": _library("asinh"),
    "math.acosh": _library("acosh"),
    "math.atanh": _library("atanh"),
    "math.cbrt": _library("cbrt"),
    "math.erf": _library("erf"),
    "math.expm1": _library("expm1"),
    "math.log1p": _library("log1p"),
    "math.rsqrt": _lower_rsqrt,
    "math.fpowi": _lower_fpowi,
    "math.absi": _integer(llvm.AbsOp, "is_int_min_poison"),
    "math.ctlz": _integer(llvm.CountLeadingZerosOp, "is_zero_poison"),
    "math.cttz": _integer(llvm.CountTrailingZerosOp, "is_zero_poison"),
    "math.ctpop": _integer(llvm.CtPopOp),
}
