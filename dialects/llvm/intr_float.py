"""Float intrinsics of the llvm dialect."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, i1, i32
from xdsl.dialects.llvm import FastMathAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.intrinsics import (
    FLOATS,
    BinaryFloatOp,
    CallStyleOp,
    FastMathOp,
    FloatIntOp,
    IntrinsicOp,
    RoundToIntOp,
    TernaryFloatOp,
    UnaryFloatOp,
    intrinsic,
)
from kc.dialects.llvm.types import LLVMStructType, same_shape

ExpOp = intrinsic(UnaryFloatOp, "ExpOp", "exp")
Exp2Op = intrinsic(UnaryFloatOp, "Exp2Op", "exp2")
Exp10Op = intrinsic(UnaryFloatOp, "Exp10Op", "exp10")
LogOp = intrinsic(UnaryFloatOp, "LogOp", "log")
Log2Op = intrinsic(UnaryFloatOp, "Log2Op", "log2")
Log10Op = intrinsic(UnaryFloatOp, "Log10Op", "log10")
SqrtOp = intrinsic(UnaryFloatOp, "SqrtOp", "sqrt")
SinOp = intrinsic(UnaryFloatOp, "SinOp", "sin")
CosOp = intrinsic(UnaryFloatOp, "CosOp", "cos")
TanOp = intrinsic(UnaryFloatOp, "TanOp", "tan")
ASinOp = intrinsic(UnaryFloatOp, "ASinOp", "asin")
ACosOp = intrinsic(UnaryFloatOp, "ACosOp", "acos")
ATanOp = intrinsic(UnaryFloatOp, "ATanOp", "atan")
SinhOp = intrinsic(UnaryFloatOp, "SinhOp", "sinh")
CoshOp = intrinsic(UnaryFloatOp, "CoshOp", "cosh")
TanhOp = intrinsic(UnaryFloatOp, "TanhOp", "tanh")
FAbsOp = intrinsic(UnaryFloatOp, "FAbsOp", "fabs")
FCeilOp = intrinsic(UnaryFloatOp, "FCeilOp", "ceil")
FFloorOp = intrinsic(UnaryFloatOp, "FFloorOp", "floor")
FTruncOp = intrinsic(UnaryFloatOp, "FTruncOp", "trunc")
RoundOp = intrinsic(UnaryFloatOp, "RoundOp", "round", "Ties away from zero.")
RoundEvenOp = intrinsic(UnaryFloatOp, "RoundEvenOp", "roundeven", "Ties to even.")
RintOp = intrinsic(UnaryFloatOp, "RintOp", "rint", "The current rounding mode.")
NearbyintOp = intrinsic(
    UnaryFloatOp,
    "NearbyintOp",
    "nearbyint",
    "The current rounding mode, without the inexact exception.",
)
CopySignOp = intrinsic(BinaryFloatOp, "CopySignOp", "copysign")
PowOp = intrinsic(BinaryFloatOp, "PowOp", "pow")
ATan2Op = intrinsic(BinaryFloatOp, "ATan2Op", "atan2")
MaxNumOp = intrinsic(BinaryFloatOp, "MaxNumOp", "maxnum", "A NaN operand loses.")
MinNumOp = intrinsic(BinaryFloatOp, "MinNumOp", "minnum", "A NaN operand loses.")
MaximumOp = intrinsic(BinaryFloatOp, "MaximumOp", "maximum", "A NaN operand wins, and -0 < +0.")
MinimumOp = intrinsic(BinaryFloatOp, "MinimumOp", "minimum", "A NaN operand wins, and -0 < +0.")
FMAOp = intrinsic(TernaryFloatOp, "FMAOp", "fma")
FMulAddOp = intrinsic(TernaryFloatOp, "FMulAddOp", "fmuladd", "Fused where that is faster.")
PowIOp = intrinsic(FloatIntOp, "PowIOp", "powi")
LoadExpOp = intrinsic(FloatIntOp, "LoadExpOp", "ldexp")
LroundOp = intrinsic(RoundToIntOp, "LroundOp", "lround")
LlroundOp = intrinsic(RoundToIntOp, "LlroundOp", "llround")
LrintOp = intrinsic(RoundToIntOp, "LrintOp", "lrint")
LlrintOp = intrinsic(RoundToIntOp, "LlrintOp", "llrint")


@irdl_op_definition
class SincosOp(CallStyleOp, FastMathOp):
    """A struct of the sine and the cosine."""

    name = "llvm.intr.sincos"
    OVERLOADS: ClassVar = (0,)

    val = operand_def(FLOATS)
    res = result_def(LLVMStructType)

    def __init__(
        self, val: SSAValue | Operation, fast_math: FastMathAttr | FastMathFlag | None = None
    ):
        ty = SSAValue.get(val).type
        self._build([val], LLVMStructType.from_type_list([ty, ty]), fast_math)

    def verify_(self) -> None:
        if self.res.type != LLVMStructType.from_type_list([self.val.type, self.val.type]):
            raise VerifyException(f"{self.name}: wrong result type {self.res.type}")


@irdl_op_definition
class IsFPClassOp(IntrinsicOp):
    """``"llvm.intr.is.fpclass"(%x) <{bit = 3 : i32}> : (f32) -> i1``; the bits are LLVM's."""

    name = "llvm.intr.is.fpclass"
    OVERLOADS: ClassVar = (0,)
    IMMEDIATES: ClassVar = ((1, "bit"),)

    arg = operand_def(FLOATS)
    bit = prop_def(IntegerAttr[I32])
    res = result_def()

    traits = traits_def(Pure())

    def __init__(self, arg: SSAValue | Operation, bit: int):
        super().__init__(
            operands=[arg],
            result_types=[same_shape(SSAValue.get(arg).type, i1)],
            properties={"bit": IntegerAttr(bit, i32)},
        )

    def verify_(self) -> None:
        if self.res.type != same_shape(self.arg.type, i1):
            raise VerifyException(f"{self.name}: wrong result type {self.res.type}")
