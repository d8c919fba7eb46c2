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
    intrinsic,
)

SMaxOp = intrinsic(BinaryIntOp, "SMaxOp", "smax")
SMinOp = intrinsic(BinaryIntOp, "SMinOp", "smin")
UMaxOp = intrinsic(BinaryIntOp, "UMaxOp", "umax")
UMinOp = intrinsic(BinaryIntOp, "UMinOp", "umin")
SAddSatOp = intrinsic(BinaryIntOp, "SAddSatOp", "sadd.sat")
UAddSatOp = intrinsic(BinaryIntOp, "UAddSatOp", "uadd.sat")
SSubSatOp = intrinsic(BinaryIntOp, "SSubSatOp", "ssub.sat")
USubSatOp = intrinsic(BinaryIntOp, "USubSatOp", "usub.sat")
SShlSatOp = intrinsic(BinaryIntOp, "SShlSatOp", "sshl.sat")
UShlSatOp = intrinsic(BinaryIntOp, "UShlSatOp", "ushl.sat")
CtPopOp = intrinsic(UnaryIntOp, "CtPopOp", "ctpop")
ByteSwapOp = intrinsic(UnaryIntOp, "ByteSwapOp", "bswap")
BitReverseOp = intrinsic(UnaryIntOp, "BitReverseOp", "bitreverse")
FshlOp = intrinsic(TernaryIntOp, "FshlOp", "fshl", "Funnel shift: the high bits of (a : b) << c.")
FshrOp = intrinsic(TernaryIntOp, "FshrOp", "fshr", "Funnel shift: the low bits of (a : b) >> c.")


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


SAddWithOverflowOp = intrinsic(OverflowOp, "SAddWithOverflowOp", "sadd.with.overflow")
UAddWithOverflowOp = intrinsic(OverflowOp, "UAddWithOverflowOp", "uadd.with.overflow")
SSubWithOverflowOp = intrinsic(OverflowOp, "SSubWithOverflowOp", "ssub.with.overflow")
USubWithOverflowOp = intrinsic(OverflowOp, "USubWithOverflowOp", "usub.with.overflow")
SMulWithOverflowOp = intrinsic(OverflowOp, "SMulWithOverflowOp", "smul.with.overflow")
UMulWithOverflowOp = intrinsic(OverflowOp, "UMulWithOverflowOp", "umul.with.overflow")
