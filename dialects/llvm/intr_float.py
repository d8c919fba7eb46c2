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

from kc.dialects.llvm.arith import NO_FAST_MATH, as_fast_math
from kc.dialects.llvm.intrinsics import (
    FLOATS,
    BinaryFloatOp,
    CallStyleOp,
    FloatIntOp,
    IntrinsicOp,
    RoundToIntOp,
    TernaryFloatOp,
    UnaryFloatOp,
)
from kc.dialects.llvm.types import LLVMStructType, same_shape


@irdl_op_definition
class ExpOp(UnaryFloatOp):
    name = "llvm.intr.exp"


@irdl_op_definition
class Exp2Op(UnaryFloatOp):
    name = "llvm.intr.exp2"


@irdl_op_definition
class Exp10Op(UnaryFloatOp):
    name = "llvm.intr.exp10"


@irdl_op_definition
class LogOp(UnaryFloatOp):
    name = "llvm.intr.log"


@irdl_op_definition
class Log2Op(UnaryFloatOp):
    name = "llvm.intr.log2"


@irdl_op_definition
class Log10Op(UnaryFloatOp):
    name = "llvm.intr.log10"


@irdl_op_definition
class SqrtOp(UnaryFloatOp):
    name = "llvm.intr.sqrt"


@irdl_op_definition
class SinOp(UnaryFloatOp):
    name = "llvm.intr.sin"


@irdl_op_definition
class CosOp(UnaryFloatOp):
    name = "llvm.intr.cos"


@irdl_op_definition
class TanOp(UnaryFloatOp):
    name = "llvm.intr.tan"


@irdl_op_definition
class ASinOp(UnaryFloatOp):
    name = "llvm.intr.asin"


@irdl_op_definition
class ACosOp(UnaryFloatOp):
    name = "llvm.intr.acos"


@irdl_op_definition
class ATanOp(UnaryFloatOp):
    name = "llvm.intr.atan"


@irdl_op_definition
class SinhOp(UnaryFloatOp):
    name = "llvm.intr.sinh"


@irdl_op_definition
class CoshOp(UnaryFloatOp):
    name = "llvm.intr.cosh"


@irdl_op_definition
class TanhOp(UnaryFloatOp):
    name = "llvm.intr.tanh"


@irdl_op_definition
class FAbsOp(UnaryFloatOp):
    name = "llvm.intr.fabs"


@irdl_op_definition
class FCeilOp(UnaryFloatOp):
    name = "llvm.intr.ceil"


@irdl_op_definition
class FFloorOp(UnaryFloatOp):
    name = "llvm.intr.floor"


@irdl_op_definition
class FTruncOp(UnaryFloatOp):
    name = "llvm.intr.trunc"


@irdl_op_definition
class RoundOp(UnaryFloatOp):
    """Ties away from zero."""

    name = "llvm.intr.round"


@irdl_op_definition
class RoundEvenOp(UnaryFloatOp):
    """Ties to even."""

    name = "llvm.intr.roundeven"


@irdl_op_definition
class RintOp(UnaryFloatOp):
    """The current rounding mode."""

    name = "llvm.intr.rint"


@irdl_op_definition
class NearbyintOp(UnaryFloatOp):
    """The current rounding mode, without the inexact exception."""

    name = "llvm.intr.nearbyint"


@irdl_op_definition
class CopySignOp(BinaryFloatOp):
    name = "llvm.intr.copysign"


@irdl_op_definition
class PowOp(BinaryFloatOp):
    name = "llvm.intr.pow"


@irdl_op_definition
class ATan2Op(BinaryFloatOp):
    name = "llvm.intr.atan2"


@irdl_op_definition
class MaxNumOp(BinaryFloatOp):
    """A NaN operand loses."""

    name = "llvm.intr.maxnum"


@irdl_op_definition
class MinNumOp(BinaryFloatOp):
    """A NaN operand loses."""

    name = "llvm.intr.minnum"


@irdl_op_definition
class MaximumOp(BinaryFloatOp):
    """A NaN operand wins, and -0 < +0."""

    name = "llvm.intr.maximum"


@irdl_op_definition
class MinimumOp(BinaryFloatOp):
    """A NaN operand wins, and -0 < +0."""

    name = "llvm.intr.minimum"


@irdl_op_definition
class FMAOp(TernaryFloatOp):
    name = "llvm.intr.fma"


@irdl_op_definition
class FMulAddOp(TernaryFloatOp):
    """Fused where that is faster."""

    name = "llvm.intr.fmuladd"


@irdl_op_definition
class PowIOp(FloatIntOp):
    name = "llvm.intr.powi"


@irdl_op_definition
class LoadExpOp(FloatIntOp):
    name = "llvm.intr.ldexp"


@irdl_op_definition
class LroundOp(RoundToIntOp):
    name = "llvm.intr.lround"


@irdl_op_definition
class LlroundOp(RoundToIntOp):
    name = "llvm.intr.llround"


@irdl_op_definition
class LrintOp(RoundToIntOp):
    name = "llvm.intr.lrint"


@irdl_op_definition
class LlrintOp(RoundToIntOp):
    name = "llvm.intr.llrint"


@irdl_op_definition
class SincosOp(CallStyleOp):
    """A struct of the sine and the cosine."""

    name = "llvm.intr.sincos"
    OVERLOADS: ClassVar = (0,)

    val = operand_def(FLOATS)
    res = result_def(LLVMStructType)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)

    traits = traits_def(Pure())

    def __init__(
        self, val: SSAValue | Operation, fast_math: FastMathAttr | FastMathFlag | None = None
    ):
        ty = SSAValue.get(val).type
        super().__init__(
            operands=[val],
            result_types=[LLVMStructType.from_type_list([ty, ty])],
            properties={"fastmathFlags": as_fast_math(fast_math)},
        )

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
