"""Integer intrinsics of the llvm dialect."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr
from xdsl.irdl import irdl_op_definition, prop_def

from kc.dialects.llvm.intrinsics import (
    BinaryIntOp,
    IntFlagOp,
    OverflowOp,
    TernaryIntOp,
    UnaryIntOp,
)


@irdl_op_definition
class SMaxOp(BinaryIntOp):
    name = "llvm.intr.smax"


@irdl_op_definition
class SMinOp(BinaryIntOp):
    name = "llvm.intr.smin"


@irdl_op_definition
class UMaxOp(BinaryIntOp):
    name = "llvm.intr.umax"


@irdl_op_definition
class UMinOp(BinaryIntOp):
    name = "llvm.intr.umin"


@irdl_op_definition
class SAddSatOp(BinaryIntOp):
    name = "llvm.intr.sadd.sat"


@irdl_op_definition
class UAddSatOp(BinaryIntOp):
    name = "llvm.intr.uadd.sat"


@irdl_op_definition
class SSubSatOp(BinaryIntOp):
    name = "llvm.intr.ssub.sat"


@irdl_op_definition
class USubSatOp(BinaryIntOp):
    name = "llvm.intr.usub.sat"


@irdl_op_definition
class SShlSatOp(BinaryIntOp):
    name = "llvm.intr.sshl.sat"


@irdl_op_definition
class UShlSatOp(BinaryIntOp):
    name = "llvm.intr.ushl.sat"


@irdl_op_definition
class CtPopOp(UnaryIntOp):
    name = "llvm.intr.ctpop"


@irdl_op_definition
class ByteSwapOp(UnaryIntOp):
    name = "llvm.intr.bswap"


@irdl_op_definition
class BitReverseOp(UnaryIntOp):
    name = "llvm.intr.bitreverse"


@irdl_op_definition
class FshlOp(TernaryIntOp):
    """Funnel shift: the high bits of (a : b) << c."""

    name = "llvm.intr.fshl"


@irdl_op_definition
class FshrOp(TernaryIntOp):
    """Funnel shift: the low bits of (a : b) >> c."""

    name = "llvm.intr.fshr"


@irdl_op_definition
class CountLeadingZerosOp(IntFlagOp):
    name = "llvm.intr.ctlz"
    IMMEDIATES: ClassVar = ((1, "is_zero_poison"),)

    is_zero_poison = prop_def(BoolAttr)


@irdl_op_definition
class CountTrailingZerosOp(IntFlagOp):
    name = "llvm.intr.cttz"
    IMMEDIATES: ClassVar = ((1, "is_zero_poison"),)

    is_zero_poison = prop_def(BoolAttr)


@irdl_op_definition
class AbsOp(IntFlagOp):
    name = "llvm.intr.abs"
    IMMEDIATES: ClassVar = ((1, "is_int_min_poison"),)

    is_int_min_poison = prop_def(BoolAttr)


@irdl_op_definition
class SAddWithOverflowOp(OverflowOp):
    name = "llvm.intr.sadd.with.overflow"


@irdl_op_definition
class UAddWithOverflowOp(OverflowOp):
    name = "llvm.intr.uadd.with.overflow"


@irdl_op_definition
class SSubWithOverflowOp(OverflowOp):
    name = "llvm.intr.ssub.with.overflow"


@irdl_op_definition
class USubWithOverflowOp(OverflowOp):
    name = "llvm.intr.usub.with.overflow"


@irdl_op_definition
class SMulWithOverflowOp(OverflowOp):
    name = "llvm.intr.smul.with.overflow"


@irdl_op_definition
class UMulWithOverflowOp(OverflowOp):
    name = "llvm.intr.umul.with.overflow"
