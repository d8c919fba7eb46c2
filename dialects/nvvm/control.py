"""Registers of a warp group, dependent launches, sleeping, leaving, prefetches, approximations."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, f32, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.nvvm.base import NVVMOp
from kc.dialects.nvvm.enums import GridDepActionAttr, SetMaxRegisterActionAttr
from kc.dialects.nvvm.requirements import ANY, Requirement


@irdl_op_definition
class SetMaxRegisterOp(NVVMOp):
    """``nvvm.setmaxregister increase 232``: how many registers the threads of a group have."""

    name = "nvvm.setmaxregister"
    REQUIRES: ClassVar = Requirement(
        sm=90, ptx=80, arch_specific=True, also=(100, 101, 103, 110, 120, 121)
    )

    action = prop_def(SetMaxRegisterActionAttr)
    reg_count = prop_def(IntegerAttr[I32], prop_name="regCount")

    assembly_format = "$action $regCount attr-dict"

    def __init__(self, action: str | SetMaxRegisterActionAttr, reg_count: int):
        action = SetMaxRegisterActionAttr(action) if isinstance(action, str) else action
        super().__init__(properties={"action": action, "regCount": IntegerAttr(reg_count, i32)})

    def verify_(self) -> None:
        number = self.reg_count.value.data
        if number % 8 or not 24 <= number <= 256:
            raise VerifyException(
                f"{self.name}: the number is a multiple of 8 from 24 to 256, not {number}"
            )


@irdl_op_definition
class GriddepcontrolOp(NVVMOp):
    """``nvvm.griddepcontrol wait`` for the launches before, or ``launch_dependents``."""

    name = "nvvm.griddepcontrol"
    REQUIRES: ClassVar = Requirement(sm=90, ptx=78)

    kind = prop_def(GridDepActionAttr)

    assembly_format = "$kind attr-dict"

    def __init__(self, kind: str | GridDepActionAttr):
        kind = GridDepActionAttr(kind) if isinstance(kind, str) else kind
        super().__init__(properties={"kind": kind})


@irdl_op_definition
class NanosleepOp(NVVMOp):
    """``nvvm.nanosleep %time``: for about so many nanoseconds."""

    name = "nvvm.nanosleep"
    REQUIRES: ClassVar = Requirement(sm=70, ptx=63)

    duration = operand_def(i32)

    assembly_format = "attr-dict $duration"

    def __init__(self, duration: SSAValue | Operation):
        super().__init__(operands=[duration])


@irdl_op_definition
class ExitOp(NVVMOp):
    """``nvvm.exit``: the thread ends."""

    name = "nvvm.exit"
    REQUIRES: ClassVar = ANY

    assembly_format = "attr-dict"


@irdl_op_definition
class RcpApproxFtzF32Op(NVVMOp):
    """``%r = nvvm.rcp.approx.ftz.f %x : f32``: about 1 / x; subnormal numbers are zero."""

    name = "nvvm.rcp.approx.ftz.f"
    REQUIRES: ClassVar = ANY

    arg = operand_def(f32)
    res = result_def(f32)

    traits = traits_def(Pure())
    assembly_format = "$arg attr-dict `:` type($res)"

    def __init__(self, arg: SSAValue | Operation):
        super().__init__(operands=[arg], result_types=[f32])
