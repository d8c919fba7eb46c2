"""Products of matrices in shared memory by four warps together, on sm_90a."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, VectorType, f16, f32, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.types import LLVMStructType
from kc.dialects.nvvm.base import NVVMOp
from kc.dialects.nvvm.enums import (
    MMAIntOverflowAttr,
    MMALayoutAttr,
    WGMMAScaleInAttr,
    WGMMAScaleOutAttr,
    WGMMATypesAttr,
)
from kc.dialects.nvvm.requirements import Requirement
from kc.dialects.nvvm.shapes import MMAShapeAttr

HOPPER_ONLY = Requirement(sm=90, ptx=80, arch_specific=True)
MIXED_INTEGERS = Requirement(sm=90, ptx=84, arch_specific=True)

_FLOAT8 = ("e4m3", "e5m2")
_INTEGERS = ("s8", "u8")

# Type of A -> k, types of B, types of D.
_PRODUCTS: dict[str, tuple[int, tuple[str, ...], tuple[str, ...]]] = {
    "f16": (16, ("f16",), ("f16", "f32")),
    "bf16": (16, ("bf16",), ("f32",)),
    "tf32": (8, ("tf32",), ("f32",)),
    "s8": (32, _INTEGERS, ("s32",)),
    "u8": (32, _INTEGERS, ("s32",)),
    "b1": (256, ("b1",), ("s32",)),
    "e4m3": (32, _FLOAT8, ("f16", "f32")),
    "e5m2": (32, _FLOAT8, ("f16", "f32")),
}
HALVES = VectorType(f16, [2])

# Type of D -> type of a register that holds it, or two elements of f16.
_SUMS: dict[str, tuple[Attribute, ...]] = {"f16": (HALVES, i32, f16), "f32": (f32,), "s32": (i32,)}


@irdl_op_definition
class WgmmaFenceAlignedOp(NVVMOp):
    """``nvvm.wgmma.fence.aligned``: order writes of registers and memory before the following
    products.
    """

    name = "nvvm.wgmma.fence.aligned"
    REQUIRES: ClassVar = HOPPER_ONLY

    assembly_format = "attr-dict"


@irdl_op_definition
class WgmmaGroupSyncAlignedOp(NVVMOp):
    """``nvvm.wgmma.commit.group.sync.aligned``: put the products started since the last group into
    a group.
    """

    name = "nvvm.wgmma.commit.group.sync.aligned"
    REQUIRES: ClassVar = HOPPER_ONLY

    assembly_format = "attr-dict"


@irdl_op_definition
class WgmmaWaitGroupSyncOp(NVVMOp):
    """``nvvm.wgmma.wait.group.sync.aligned 1``: wait until at most this many groups are pending."""

    name = "nvvm.wgmma.wait.group.sync.aligned"
    REQUIRES: ClassVar = HOPPER_ONLY

    group = prop_def(IntegerAttr[I64])

    assembly_format = "attr-dict $group"

    def __init__(self, group: int):
        super().__init__(properties={"group": IntegerAttr(group, i64)})


@irdl_op_definition
class WgmmaMmaAsyncOp(NVVMOp):
    """Start D = A * B + D, or D = A * B; A and B are descriptors of tiles in shared memory.

    ``%d = nvvm.wgmma.mma_async %a, %b, %c, <m = 64, n = 8, k = 16>, D [<f32>, <zero>],
    A [<bf16>, <one>, <row>], B [<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> ->
    !llvm.struct<(f32, f32, f32, f32)>``
    """

    name = "nvvm.wgmma.mma_async"
    REQUIRES: ClassVar = HOPPER_ONLY

    inouts = operand_def(LLVMStructType)
    descriptor_a = operand_def(i64)
    descriptor_b = operand_def(i64)
    results_ = result_def(LLVMStructType)
    shape = prop_def(MMAShapeAttr)
    type_a = prop_def(WGMMATypesAttr, prop_name="typeA")
    type_b = prop_def(WGMMATypesAttr, prop_name="typeB")
    type_d = prop_def(WGMMATypesAttr, prop_name="typeD")
    scale_d = prop_def(WGMMAScaleOutAttr, prop_name="scaleD")
    scale_a = prop_def(WGMMAScaleInAttr, prop_name="scaleA")
    scale_b = prop_def(WGMMAScaleInAttr, prop_name="scaleB")
    layout_a = prop_def(MMALayoutAttr, prop_name="layoutA")
    layout_b = prop_def(MMALayoutAttr, prop_name="layoutB")
    satfinite = opt_prop_def(MMAIntOverflowAttr)

    assembly_format = (
        "$descriptor_a `,` $descriptor_b `,` $inouts `,` $shape `,` "
        "`D` `` `[` $typeD `,` $scaleD (`,` $satfinite^)? `]` `,` "
        "`A` `` `[` $typeA `,` $scaleA `,` $layoutA `]` `,` "
        "`B` `` `[` $typeB `,` $scaleB `,` $layoutB `]` "
        "attr-dict `:` type($inouts) `->` type($results_)"
    )

    def __init__(
        self,
        inouts: SSAValue | Operation,
        descriptor_a: SSAValue | Operation,
        descriptor_b: SSAValue | Operation,
        shape: MMAShapeAttr,
        types: tuple[str, str, str],
        *,
        layouts: tuple[str, str] = ("row", "col"),
        scales: tuple[str, str] = ("one", "one"),
        accumulate: bool = True,
        saturate: bool = False,
    ):
        """``types`` are those of A, B and D; ``layouts`` and ``scales`` are those of A and B."""
        type_a, type_b, type_d = map(WGMMATypesAttr, types)
        super().__init__(
            operands=[inouts, descriptor_a, descriptor_b],
            result_types=[SSAValue.get(inouts).type],
            properties={
                "shape": shape,
                "typeA": type_a,
                "typeB": type_b,
                "typeD": type_d,
                "scaleD": WGMMAScaleOutAttr("one" if accumulate else "zero"),
                "scaleA": WGMMAScaleInAttr(scales[0]),
                "scaleB": WGMMAScaleInAttr(scales[1]),
                "layoutA": MMALayoutAttr(layouts[0]),
                "layoutB": MMALayoutAttr(layouts[1]),
                "satfinite": MMAIntOverflowAttr("satfinite") if saturate else None,
            },
        )

    def requirement(self) -> Requirement:
        a, b = self.type_a.data, self.type_b.data
        return MIXED_INTEGERS if a != b and a in _INTEGERS else HOPPER_ONLY

    def verify_(self) -> None:
        m, n, k = self.shape.sizes
        a, b, d = self.type_a.data, self.type_b.data, self.type_d.data
        product = _PRODUCTS.get(a)
        if product is None or b not in product[1] or d not in product[2]:
            raise VerifyException(f"{self.name}: products of {a} and {b} cannot be added to {d}")
        if m != 64 or n % 8 or not 8 <= n <= 256 or k != product[0]:
            raise VerifyException(
                f"{self.name}: of {a}, m is 64, n a multiple of 8 up to 256, "
                f"and k {product[0]}, not {m}, {n} and {k}"
            )
        layouts = self.layout_a.data, self.layout_b.data
        if layouts != ("row", "col") and a not in ("f16", "bf16"):
            raise VerifyException(f"{self.name}: of {a}, the layouts are row and col")
        if self.satfinite is not None and d != "s32":
            raise VerifyException(f"{self.name}: only s32 saturates, not {d}")
        scales = self.scale_a.data, self.scale_b.data
        if d == "s32" and scales != ("one", "one"):
            raise VerifyException(f"{self.name}: of {a}, the scales are one")
        if self.inouts.type != self.results_.type:
            raise VerifyException(
                f"{self.name}: the result is {self.inouts.type}, not {self.results_.type}"
            )
        types = self.inouts.type.types.data if isinstance(self.inouts.type, LLVMStructType) else ()
        number = n // 4 if d == "f16" else n // 2
        if len(types) != number or any(ty not in _SUMS[d] for ty in types):
            expected = " or ".join(map(str, _SUMS[d]))
            raise VerifyException(
                f"{self.name}: D is a struct of {number} {expected}, not {self.inouts.type}"
            )
