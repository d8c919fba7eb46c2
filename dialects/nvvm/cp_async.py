"""Asynchronous copies from global to shared memory, which a thread starts and later waits for."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, BoolAttr, IntegerAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.nvvm.base import FALSE, GENERIC, GLOBAL, SHARED, NVVMOp
from kc.dialects.nvvm.enums import LoadCacheModifierAttr
from kc.dialects.nvvm.requirements import Requirement

AMPERE = Requirement(sm=80, ptx=70)


@irdl_op_definition
class CpAsyncOp(NVVMOp):
    """Start copying 4, 8 or 16 bytes from global to shared memory.

    ``nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>``. With a
    trailing operand, that many bytes are read and the other bytes are zero: ``4, cache = ca, %bytes
    : !llvm.ptr<3>, !llvm.ptr<1>, i32``.
    """

    name = "nvvm.cp.async.shared.global"
    REQUIRES: ClassVar = AMPERE

    dst = operand_def(SHARED)
    src = operand_def(GLOBAL)
    cp_size = opt_operand_def(i32)
    size = prop_def(IntegerAttr[I32])
    modifier = prop_def(LoadCacheModifierAttr)

    assembly_format = (
        "$dst `,` $src `,` $size `,` `cache` `=` $modifier (`,` $cp_size^)? "
        "attr-dict `:` type(operands)"
    )

    def __init__(
        self,
        dst: SSAValue | Operation,
        src: SSAValue | Operation,
        size: int,
        modifier: str | LoadCacheModifierAttr = "ca",
        cp_size: SSAValue | Operation | None = None,
    ):
        modifier = LoadCacheModifierAttr(modifier) if isinstance(modifier, str) else modifier
        super().__init__(
            operands=[dst, src, cp_size],
            properties={"size": IntegerAttr(size, i32), "modifier": modifier},
        )

    def verify_(self) -> None:
        size, modifier = self.size.value.data, self.modifier.data
        if modifier not in ("ca", "cg"):
            raise VerifyException(f"{self.name}: the cache is ca or cg, not {modifier}")
        if size not in (4, 8, 16):
            raise VerifyException(f"{self.name}: it copies 4, 8 or 16 bytes, not {size}")
        if modifier == "cg" and size != 16:
            raise VerifyException(f"{self.name}: cg copies 16 bytes, not {size}")


@irdl_op_definition
class CpAsyncCommitGroupOp(NVVMOp):
    """``nvvm.cp.async.commit.group``: put the copies started since the last group into a group."""

    name = "nvvm.cp.async.commit.group"
    REQUIRES: ClassVar = AMPERE

    assembly_format = "attr-dict"


@irdl_op_definition
class CpAsyncWaitGroupOp(NVVMOp):
    """``nvvm.cp.async.wait.group 1``: wait until at most this many of the last groups are
    pending.
    """

    name = "nvvm.cp.async.wait.group"
    REQUIRES: ClassVar = AMPERE

    n = prop_def(IntegerAttr[I32])

    assembly_format = "$n attr-dict"

    def __init__(self, n: int):
        super().__init__(properties={"n": IntegerAttr(n, i32)})


@irdl_op_definition
class CpAsyncMBarrierArriveOp(NVVMOp):
    """``nvvm.cp.async.mbarrier.arrive %mbarrier : !llvm.ptr<3>``: arrive when the thread's copies
    are complete.

    With ``{noinc = true}``, the count of the mbarrier already includes this arrival.
    """

    name = "nvvm.cp.async.mbarrier.arrive"
    REQUIRES: ClassVar = AMPERE

    addr = operand_def(GENERIC | SHARED)
    noinc = prop_def(BoolAttr, default_value=FALSE)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$addr attr-dict `:` type(operands)"

    def __init__(self, addr: SSAValue | Operation, *, noinc: bool = False):
        super().__init__(operands=[addr], properties={"noinc": BoolAttr.from_bool(noinc)})
