"""Register counts of a warpgroup, dependent launches, sleeping, exits, prefetches,
approximations.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, BoolAttr, IntegerAttr, UnitAttr, f32, i1, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.nvvm.base import (
    CONSTANT,
    CONSTANT_POINTER,
    FALSE,
    GENERIC,
    GENERIC_POINTER,
    GLOBAL,
    GLOBAL_POINTER,
    LOCAL,
    NVVMOp,
)
from kc.dialects.nvvm.enums import (
    CacheEvictionPriorityAttr,
    FPRoundingModeAttr,
    GridDepActionAttr,
    PrefetchCacheLevelAttr,
    SaturationModeAttr,
    SetMaxRegisterActionAttr,
)
from kc.dialects.nvvm.requirements import ANY, Requirement


@irdl_op_definition
class SetMaxRegisterOp(NVVMOp):
    """``nvvm.setmaxregister increase 232``: set the number of registers of the threads of a
    warpgroup.
    """

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
    """``nvvm.griddepcontrol wait`` for the previous launches, or ``launch_dependents``."""

    name = "nvvm.griddepcontrol"
    REQUIRES: ClassVar = Requirement(sm=90, ptx=78)

    kind = prop_def(GridDepActionAttr)

    assembly_format = "$kind attr-dict"

    def __init__(self, kind: str | GridDepActionAttr):
        kind = GridDepActionAttr(kind) if isinstance(kind, str) else kind
        super().__init__(properties={"kind": kind})


@irdl_op_definition
class NanosleepOp(NVVMOp):
    """``nvvm.nanosleep %time``: sleep for approximately this many nanoseconds."""

    name = "nvvm.nanosleep"
    REQUIRES: ClassVar = Requirement(sm=70, ptx=63)

    duration = operand_def(i32)

    assembly_format = "attr-dict $duration"

    def __init__(self, duration: SSAValue | Operation):
        super().__init__(operands=[duration])


@irdl_op_definition
class ExitOp(NVVMOp):
    """``nvvm.exit``: end the thread."""

    name = "nvvm.exit"
    REQUIRES: ClassVar = ANY

    assembly_format = "attr-dict"


@irdl_op_definition
class RcpApproxFtzF32Op(NVVMOp):
    """``%r = nvvm.rcp.approx.ftz.f %x : f32``: approximately 1 / x; subnormal numbers become
    zero.
    """

    name = "nvvm.rcp.approx.ftz.f"
    REQUIRES: ClassVar = ANY

    arg = operand_def(f32)
    res = result_def(f32)

    traits = traits_def(Pure())
    assembly_format = "$arg attr-dict `:` type($res)"

    def __init__(self, arg: SSAValue | Operation):
        super().__init__(operands=[arg], result_types=[f32])


@irdl_op_definition
class PrefetchOp(NVVMOp):
    """Prefetch the line at an address into a cache, or prefetch a tensor map.

    ``nvvm.prefetch level = L2, evict_priority = evict_last, %g : !llvm.ptr<1>``, ``level = L1
    uniform, %p : !llvm.ptr``, ``tensormap, %p, predicate = %b : !llvm.ptr, i1``. PTX supports it on
    older GPUs, LLVM does not.
    """

    name = "nvvm.prefetch"
    REQUIRES: ClassVar = Requirement(sm=90, ptx=80)

    addr = operand_def(GENERIC | GLOBAL | LOCAL | CONSTANT)
    predicate = opt_operand_def(i1)
    cache_level = opt_prop_def(PrefetchCacheLevelAttr, prop_name="cacheLevel")
    evict_priority = opt_prop_def(CacheEvictionPriorityAttr, prop_name="evictPriority")
    tensormap = opt_prop_def(UnitAttr)
    uniform = opt_prop_def(UnitAttr)
    in_param_space = opt_prop_def(UnitAttr)

    assembly_format = (
        "(`level` `=` $cacheLevel^ (`uniform` $uniform^)? `,`)? "
        "(`tensormap` $tensormap^ (`in_param_space` $in_param_space^)? `,`)? "
        "(`evict_priority` `=` $evictPriority^ `,`)? "
        "$addr (`,` `predicate` `=` $predicate^)? attr-dict `:` type(operands)"
    )

    def __init__(
        self,
        addr: SSAValue | Operation,
        cache_level: str | None = None,
        *,
        evict_priority: str | None = None,
        uniform: bool = False,
        tensormap: bool = False,
        in_param_space: bool = False,
        predicate: SSAValue | Operation | None = None,
    ):
        super().__init__(
            operands=[addr, predicate],
            properties={
                "cacheLevel": PrefetchCacheLevelAttr(cache_level) if cache_level else None,
                "evictPriority": (
                    CacheEvictionPriorityAttr(evict_priority) if evict_priority else None
                ),
                "uniform": UnitAttr() if uniform else None,
                "tensormap": UnitAttr() if tensormap else None,
                "in_param_space": UnitAttr() if in_param_space else None,
            },
        )

    def verify_(self) -> None:
        ty, level, priority = self.addr.type, self.cache_level, self.evict_priority
        if (level is None) == (self.tensormap is None):
            raise VerifyException(f"{self.name}: it is of a level of the caches or of a tensormap")
        refusals = {
            "a tensormap is at a generic or constant address": self.tensormap is not None
            and ty not in (GENERIC_POINTER, CONSTANT_POINTER),
            "in_param_space is of a tensormap at a generic address": self.in_param_space is not None
            and (self.tensormap is None or ty != GENERIC_POINTER),
            "a predicate is of a tensormap": self.predicate is not None and self.tensormap is None,
            "constant memory has no level": level is not None and ty == CONSTANT_POINTER,
            "uniform is of level L1 and a generic address": self.uniform is not None
            and (level is None or level.data != "L1" or ty != GENERIC_POINTER),
            "a priority is of level L2 and a global address": priority is not None
            and (level is None or level.data != "L2" or ty != GLOBAL_POINTER),
            "the priority is evict_last or evict_normal": priority is not None
            and priority.data not in ("evict_last", "evict_normal"),
        }
        for rule, is_broken in refusals.items():
            if is_broken:
                raise VerifyException(f"{self.name}: {rule}")


@irdl_op_definition
class ConvertFloatToTF32Op(NVVMOp):
    """``%r = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rna>}``: the bits of a tf32.

    ``relu = true`` sets negative numbers to zero, ``sat = #nvvm.sat_mode<satfinite>`` sets infinite
    numbers to the largest finite one.
    """

    name = "nvvm.convert.float.to.tf32"
    REQUIRES: ClassVar = Requirement(sm=80, ptx=70)

    src = operand_def(f32)
    res = result_def(i32)
    rnd = prop_def(FPRoundingModeAttr, default_value=FPRoundingModeAttr("none"))
    sat = prop_def(SaturationModeAttr, default_value=SaturationModeAttr("none"))
    relu = prop_def(BoolAttr, default_value=FALSE)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict"

    def __init__(
        self, src: SSAValue | Operation, rnd: str, *, relu: bool = False, satfinite: bool = False
    ):
        super().__init__(
            operands=[src],
            result_types=[i32],
            properties={
                "rnd": FPRoundingModeAttr(rnd),
                "sat": SaturationModeAttr("satfinite" if satfinite else "none"),
                "relu": BoolAttr.from_bool(relu),
            },
        )

    def verify_(self) -> None:
        if self.rnd.data not in ("rn", "rz", "rna"):
            raise VerifyException(
                f"{self.name}: the rounding mode is rn, rz or rna, not {self.rnd.data}"
            )
        if self.rnd.data == "rna" and self.relu.value.data:
            raise VerifyException(f"{self.name}: relu is not supported with the rounding mode rna")

    def requirement(self) -> Requirement:
        saturates = self.sat.data == "satfinite"
        if self.rnd.data == "rna":
            return Requirement(sm=80, ptx=81) if saturates else self.REQUIRES
        return Requirement(sm=100, ptx=86) if saturates else Requirement(sm=90, ptx=78)
