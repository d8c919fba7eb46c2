"""Products of matrices in registers with a hardware-defined layout: wmma.load, mma and store."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, VectorType, f16, f32, f64, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import parse_attr_dict, parse_values, print_attr_dict
from kc.dialects.llvm.types import LLVMStructType
from kc.dialects.nvvm.base import GENERIC, GLOBAL, SHARED, NVVMOp
from kc.dialects.nvvm.enums import MMAFragAttr, MMALayoutAttr, MMATypesAttr
from kc.dialects.nvvm.requirements import Requirement

ANYWHERE = GENERIC | GLOBAL | SHARED
BYTES = ("s8", "u8")

Shape = tuple[int, int, int]
"""m, n and k of the product of m x k and k x n elements."""

# Shape -> the types of the elements of A and B, and of C and D with each. Products of bf16, which
# PTX has, are not in MLIR 22's operations.
PRODUCTS: dict[Shape, dict[str, tuple[str, ...]]] = {
    (16, 16, 16): {"f16": ("f16", "f32"), "bf16": ("f32",), "s8": ("s32",), "u8": ("s32",)},
    (32, 8, 16): {"f16": ("f16", "f32"), "bf16": ("f32",), "s8": ("s32",), "u8": ("s32",)},
    (8, 32, 16): {"f16": ("f16", "f32"), "bf16": ("f32",), "s8": ("s32",), "u8": ("s32",)},
    (16, 16, 8): {"tf32": ("f32",)},
    (8, 8, 4): {"f64": ("f64",)},
}

# Element type -> type of a lane's registers.
_WORDS: dict[str, Attribute] = {
    "f16": VectorType(f16, [2]),
    "f32": f32,
    "f64": f64,
    **dict.fromkeys(("bf16", "tf32", "s8", "u8", "s32"), i32),
}


def fragment(shape: Shape, element: str, matrix: str) -> list[Attribute]:
    """The types of a lane's registers for matrix ``a``, ``b`` or ``c``."""
    m, n, _ = shape
    if matrix == "c":
        count = {"f16": 4, "f64": 2}.get(element, 8)
    elif element in BYTES:
        count = (m if matrix == "a" else n) // 8
    elif element == "bf16":
        count = (m if matrix == "a" else n) // 4
    else:
        count = {"f16": 8, "f64": 1}.get(element, 4)
    return [_WORDS[element]] * count


class WmmaOp(NVVMOp, ABC):
    """An operation on matrices whose shape is in its attributes."""

    REQUIRES: ClassVar = Requirement(sm=70, ptx=60)

    m = prop_def(IntegerAttr[I32])
    n = prop_def(IntegerAttr[I32])
    k = prop_def(IntegerAttr[I32])

    @property
    def shape(self) -> Shape:
        """m, n and k."""
        return self.m.value.data, self.n.value.data, self.k.value.data

    def _required(self, element: str) -> Requirement:
        """The requirement of the shape with an element type of A and B, or of C."""
        if self.shape in ((16, 16, 8), (8, 8, 4)) or element == "bf16":
            return Requirement(sm=80, ptx=70)
        if element in (*BYTES, "s32"):
            return Requirement(sm=72, ptx=63)
        return self.REQUIRES if self.shape == (16, 16, 16) else Requirement(sm=70, ptx=61)

    def _verify_combination(self, exists: bool, what: str) -> None:
        if not exists:
            m, n, k = self.shape
            raise VerifyException(f"{self.name}: m{m}n{n}k{k} is not supported for {what}")


def _sizes(shape: Shape) -> dict[str, Attribute]:
    return {name: IntegerAttr(size, i32) for name, size in zip("mnk", shape, strict=True)}


def _totals(shape: Shape) -> set[str]:
    return {total for totals in PRODUCTS.get(shape, {}).values() for total in totals}


@irdl_op_definition
class WmmaLoadOp(WmmaOp):
    """Load a matrix with rows ``stride`` elements apart; each lane receives its part.

    ``%r = nvvm.wmma.load %p, %stride {eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<a>, k =
    16 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32} : (!llvm.ptr<1>) ->
    !llvm.struct<(vector<2xf16>, ...)>``
    """

    name = "nvvm.wmma.load"

    ptr = operand_def(ANYWHERE)
    stride = operand_def(i32)
    res = result_def()
    layout = prop_def(MMALayoutAttr)
    eltype = prop_def(MMATypesAttr)
    frag = prop_def(MMAFragAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$ptr `,` $stride attr-dict `:` functional-type($ptr, $res)"

    def __init__(
        self,
        ptr: SSAValue | Operation,
        stride: SSAValue | Operation,
        shape: Shape,
        eltype: str,
        frag: str,
        layout: str = "row",
    ):
        super().__init__(
            operands=[ptr, stride],
            result_types=[_packed(fragment(shape, eltype, frag))],
            properties={
                **_sizes(shape),
                "layout": MMALayoutAttr(layout),
                "eltype": MMATypesAttr(eltype),
                "frag": MMAFragAttr(frag),
            },
        )

    def verify_(self) -> None:
        element, matrix = self.eltype.data, self.frag.data
        products = PRODUCTS.get(self.shape, {})
        exists = element in (_totals(self.shape) if matrix == "c" else products)
        self._verify_combination(exists, f"{element} in {matrix.upper()}")
        expected = _packed(fragment(self.shape, element, matrix))
        if self.res.type != expected:
            raise VerifyException(f"{self.name}: the result is {expected}, not {self.res.type}")

    def requirement(self) -> Requirement:
        return self._required(self.eltype.data)


@irdl_op_definition
class WmmaMmaOp(WmmaOp):
    """D = A * B + C. The operands are the registers of a lane for A, B and C, in this order.

    ``%d = nvvm.wmma.mma %a0, ..., %b0, ..., %c0, ... {eltypeA = #nvvm.mma_type<f16>, eltypeB =
    #nvvm.mma_type<f32>, k = 16 : i32, layoutA = #nvvm.mma_layout<row>, layoutB =
    #nvvm.mma_layout<col>, m = 16 : i32, n = 16 : i32} : (vector<2xf16>, ..., f32, ...) ->
    !llvm.struct<(f32, ...)>``: ``eltypeA`` is the type of A's and B's elements, ``eltypeB`` that of
    C's and D's.
    """

    name = "nvvm.wmma.mma"

    args = var_operand_def()
    res = result_def(LLVMStructType)
    layout_a = prop_def(MMALayoutAttr, prop_name="layoutA")
    layout_b = prop_def(MMALayoutAttr, prop_name="layoutB")
    eltype_a = prop_def(MMATypesAttr, prop_name="eltypeA")
    eltype_b = prop_def(MMATypesAttr, prop_name="eltypeB")

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$args attr-dict `:` functional-type($args, $res)"

    def __init__(
        self,
        args: Sequence[SSAValue | Operation],
        shape: Shape,
        eltypes: tuple[str, str],
        layouts: tuple[str, str] = ("row", "col"),
    ):
        element, total = eltypes
        super().__init__(
            operands=[args],
            result_types=[LLVMStructType.from_type_list(fragment(shape, total, "c"))],
            properties={
                **_sizes(shape),
                "layoutA": MMALayoutAttr(layouts[0]),
                "layoutB": MMALayoutAttr(layouts[1]),
                "eltypeA": MMATypesAttr(element),
                "eltypeB": MMATypesAttr(total),
            },
        )

    def verify_(self) -> None:
        element, total = self.eltype_a.data, self.eltype_b.data
        exists = total in PRODUCTS.get(self.shape, {}).get(element, ())
        self._verify_combination(exists, f"{element} with sums of {total}")
        parts = [
            fragment(self.shape, kind, matrix)
            for kind, matrix in ((element, "a"), (element, "b"), (total, "c"))
        ]
        types = [value.type for value in self.args]
        if types != [ty for part in parts for ty in part]:
            expected = ", ".join(f"{len(part)} of {part[0]}" for part in parts)
            raise VerifyException(
                f"{self.name}: the operands are {expected}, not {', '.join(map(str, types))}"
            )
        result = LLVMStructType.from_type_list(parts[2])
        if self.res.type != result:
            raise VerifyException(f"{self.name}: the result is {result}, not {self.res.type}")

    def requirement(self) -> Requirement:
        return self._required(self.eltype_a.data)


@irdl_op_definition
class WmmaStoreOp(WmmaOp):
    """Store D from the lanes of a warp to memory, with rows ``stride`` elements apart.

    ``nvvm.wmma.store %p, %stride, %d0, ... {eltype = #nvvm.mma_type<f32>, k = 16 : i32, layout =
    #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32} : !llvm.ptr<1>, f32, ...``. The stride is the
    last operand.
    """

    name = "nvvm.wmma.store"

    ptr = operand_def(ANYWHERE)
    args = var_operand_def()
    stride = operand_def(i32)
    layout = prop_def(MMALayoutAttr)
    eltype = prop_def(MMATypesAttr)

    def __init__(
        self,
        ptr: SSAValue | Operation,
        stride: SSAValue | Operation,
        args: Sequence[SSAValue | Operation],
        shape: Shape,
        eltype: str,
        layout: str = "row",
    ):
        super().__init__(
            operands=[ptr, args, stride],
            properties={
                **_sizes(shape),
                "layout": MMALayoutAttr(layout),
                "eltype": MMATypesAttr(eltype),
            },
        )

    def verify_(self) -> None:
        element = self.eltype.data
        self._verify_combination(element in _totals(self.shape), f"{element} in D")
        expected = fragment(self.shape, element, "c")
        types = [value.type for value in self.args]
        if types != expected:
            raise VerifyException(
                f"{self.name}: D is {len(expected)} of {expected[0]}, not "
                f"{', '.join(map(str, types)) or 'nothing'}"
            )

    def requirement(self) -> Requirement:
        return self._required(self.eltype.data)

    @classmethod
    def parse(cls, parser: Parser) -> WmmaStoreOp:
        pointer = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        stride = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        values = parse_values(parser, parser.Delimiter.NONE)
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        pos = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        operands = parser.resolve_operands([pointer, *values], types, pos)
        return cls.create(
            operands=[*operands, parser.resolve_operand(stride, i32)],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list([self.ptr, self.stride, *self.args], printer.print_ssa_value)
        print_attr_dict(printer, self, ())
        printer.print_string(" : ")
        types = [self.ptr.type, *(value.type for value in self.args)]
        assert isinstance(types[0], LLVMPointerType)
        printer.print_list(types, printer.print_attribute)


def _packed(types: list[Attribute]) -> Attribute:
    """The result type; a single f64 is not in a struct."""
    return f64 if types == [f64] else LLVMStructType.from_type_list(types)
