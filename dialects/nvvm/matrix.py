"""Matrices of 8 or 16 rows that the lanes of a warp load from or store to shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.types import LLVMStructType
from kc.dialects.nvvm.base import SHARED, NVVMOp
from kc.dialects.nvvm.enums import LdStMatrixEltTypeAttr, MMALayoutAttr
from kc.dialects.nvvm.requirements import Requirement
from kc.dialects.nvvm.shapes import LdStMatrixShapeAttr

_NARROW = ("b8x16.b4x16_p64", "b8x16.b6x16_p32")

# Shape -> numbers of matrices, element types, layouts (col is transposed).
_LOADED = {
    (8, 8): ((1, 2, 4), ("b16",), ("row", "col")),
    (8, 16): ((1, 2, 4), _NARROW, ("row",)),
    (16, 16): ((1, 2), ("b8", *_NARROW), ("col",)),
}
_STORED = {
    (8, 8): ((1, 2, 4), ("b16",), ("row", "col")),
    (16, 8): ((1, 2, 4), ("b8",), ("col",)),
}

BLACKWELL = Requirement(sm=100, ptx=86, arch_specific=True, also=(101, 103, 110, 120, 121))


@irdl_op_definition
class LdMatrixOp(NVVMOp):
    """Load ``num`` matrices from shared memory; each lane passes the address of a row and receives
    its part.

    ``%r = nvvm.ldmatrix %rows {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout =
    #nvvm.mma_layout<row>, num = 2 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} :
    (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>``
    """

    name = "nvvm.ldmatrix"
    REQUIRES: ClassVar = Requirement(sm=75, ptx=65)

    ptr = operand_def(SHARED)
    res = result_def()
    num = prop_def(IntegerAttr[I32])
    layout = prop_def(MMALayoutAttr)
    shape = prop_def(LdStMatrixShapeAttr)
    elt_type = prop_def(LdStMatrixEltTypeAttr, prop_name="eltType")

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$ptr attr-dict `:` functional-type($ptr, $res)"

    def __init__(
        self,
        ptr: SSAValue | Operation,
        num: int,
        layout: str | MMALayoutAttr = "row",
        shape: LdStMatrixShapeAttr | None = None,
        elt_type: str | LdStMatrixEltTypeAttr = "b16",
    ):
        shape = LdStMatrixShapeAttr(8, 8) if shape is None else shape
        super().__init__(
            operands=[ptr],
            result_types=[_words(_registers(num, shape))],
            properties={
                "num": IntegerAttr(num, i32),
                "layout": MMALayoutAttr(layout) if isinstance(layout, str) else layout,
                "shape": shape,
                "eltType": _element(elt_type),
            },
        )

    def verify_(self) -> None:
        number = self.num.value.data
        _verify_matrices(self, _LOADED, number, self.shape, self.elt_type, self.layout)
        expected = _words(_registers(number, self.shape))
        if self.res.type != expected:
            raise VerifyException(f"{self.name}: the result is {expected}, not {self.res.type}")

    def requirement(self) -> Requirement:
        return self.REQUIRES if self.shape.sizes == (8, 8) else BLACKWELL


@irdl_op_definition
class StMatrixOp(NVVMOp):
    """Store as many matrices as there are values; each lane passes its part of each matrix.

    ``nvvm.stmatrix %rows, %a, %b {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout =
    #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32,
    i32``
    """

    name = "nvvm.stmatrix"
    REQUIRES: ClassVar = Requirement(sm=90, ptx=78)

    ptr = operand_def(SHARED)
    sources = var_operand_def(i32)
    layout = prop_def(MMALayoutAttr)
    shape = prop_def(LdStMatrixShapeAttr)
    elt_type = prop_def(LdStMatrixEltTypeAttr, prop_name="eltType")

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$ptr `,` $sources attr-dict `:` type(operands)"

    def __init__(
        self,
        ptr: SSAValue | Operation,
        sources: Sequence[SSAValue | Operation],
        layout: str | MMALayoutAttr = "row",
        shape: LdStMatrixShapeAttr | None = None,
        elt_type: str | LdStMatrixEltTypeAttr = "b16",
    ):
        super().__init__(
            operands=[ptr, sources],
            properties={
                "layout": MMALayoutAttr(layout) if isinstance(layout, str) else layout,
                "shape": LdStMatrixShapeAttr(8, 8) if shape is None else shape,
                "eltType": _element(elt_type),
            },
        )

    def verify_(self) -> None:
        number = len(self.sources)
        _verify_matrices(self, _STORED, number, self.shape, self.elt_type, self.layout)

    def requirement(self) -> Requirement:
        return self.REQUIRES if self.shape.sizes == (8, 8) else BLACKWELL


def _element(elt_type: str | LdStMatrixEltTypeAttr) -> LdStMatrixEltTypeAttr:
    return LdStMatrixEltTypeAttr(elt_type) if isinstance(elt_type, str) else elt_type


def _registers(number: int, shape: LdStMatrixShapeAttr) -> int:
    """The number of words of a lane that hold ``number`` matrices."""
    return number * (2 if shape.sizes == (16, 16) else 1)


def _words(number: int) -> Attribute:
    return i32 if number == 1 else LLVMStructType.from_type_list([i32] * number)


def _verify_matrices(
    op: NVVMOp,
    table: dict[tuple[int, int], tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...]]],
    number: int,
    shape: LdStMatrixShapeAttr,
    elt_type: LdStMatrixEltTypeAttr,
    layout: MMALayoutAttr,
) -> None:
    size = f"{shape.m.data}x{shape.n.data}"
    rules = table.get((shape.m.data, shape.n.data))
    if rules is None:
        sizes = " or ".join(f"{m}x{n}" for m, n in table)
        raise VerifyException(f"{op.name}: the shape is {sizes}, not {size}")
    numbers, elements, layouts = rules
    for what, value, allowed in (
        ("number of matrices", number, numbers),
        ("element type", elt_type.data, elements),
        ("layout", layout.data, layouts),
    ):
        if value not in allowed:
            choice = " or ".join(map(str, allowed))
            raise VerifyException(f"{op.name}: of {size} the {what} is {choice}, not {value}")
