"""Products of matrices that the lanes of a warp hold in registers: mma.sync."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, VectorType, f16, f32, f64, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import SEGMENTS, parse_attr_dict, parse_values, print_attr_dict
from kc.dialects.llvm.types import LLVMStructType
from kc.dialects.nvvm.base import NVVMOp
from kc.dialects.nvvm.enums import (
    MMAB1OpAttr,
    MMAIntOverflowAttr,
    MMALayoutAttr,
    MMATypesAttr,
)
from kc.dialects.nvvm.requirements import Requirement
from kc.dialects.nvvm.shapes import MMAShapeAttr

HALVES = VectorType(f16, [2])
INTEGERS = ("s8", "u8", "s4", "u4")
FLOAT8 = ("e4m3", "e5m2")

# Element type -> k of an m16n8 product with two words of A and one of B per lane.
_DEPTHS = {
    **dict.fromkeys(("tf32",), 4),
    **dict.fromkeys(("bf16", "f16"), 8),
    **dict.fromkeys(("s8", "u8", "e4m3", "e5m2"), 16),
    **dict.fromkeys(("s4", "u4"), 32),
    **dict.fromkeys(("b1",), 128),
}

Words = tuple[Attribute, int]
"""The registers of a lane for a matrix: their type and their number."""

# m8n8 with k -> element types, with one word of A and B and two of C per lane.
_SMALL = {16: ("s8", "u8"), 32: ("s4", "u4"), 128: ("b1",)}

VOLTA = Requirement(sm=70, ptx=64)
TURING = Requirement(sm=75, ptx=65)
AMPERE = Requirement(sm=80, ptx=70)
AMPERE_BITS = Requirement(sm=80, ptx=71)
ADA = Requirement(sm=89, ptx=84)


@irdl_op_definition
class MmaOp(NVVMOp):
    """D = A * B + C, computed by a warp; each lane has fragments in the layout of PTX.

    ``%d = nvvm.mma.sync A[%a0, %a1] B[%b0] C[%c0, %c1, %c2, %c3] {layoutA = #nvvm.mma_layout<row>,
    layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (vector<2xf16>,
    vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>``. For words of i32 an attribute
    states the element type: ``multiplicandAPtxType = #nvvm.mma_type<bf16>``. MLIR 22's operation
    lacks the products of e4m3 and e5m2, which PTX has.
    """

    name = "nvvm.mma.sync"
    REQUIRES: ClassVar = VOLTA

    operand_a = var_operand_def()
    operand_b = var_operand_def()
    operand_c = var_operand_def()
    res = result_def()
    shape = prop_def(MMAShapeAttr)
    b1_op = opt_prop_def(MMAB1OpAttr, prop_name="b1Op")
    overflow = opt_prop_def(MMAIntOverflowAttr, prop_name="intOverflowBehavior")
    layout_a = prop_def(MMALayoutAttr, prop_name="layoutA")
    layout_b = prop_def(MMALayoutAttr, prop_name="layoutB")
    type_a = opt_prop_def(MMATypesAttr, prop_name="multiplicandAPtxType")
    type_b = opt_prop_def(MMATypesAttr, prop_name="multiplicandBPtxType")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        a: Sequence[SSAValue],
        b: Sequence[SSAValue],
        c: Sequence[SSAValue],
        shape: MMAShapeAttr,
        *,
        types: tuple[str, str] | None = None,
        layouts: tuple[str, str] = ("row", "col"),
        overflow: str | None = None,
        b1_op: str | None = None,
    ):
        type_a, type_b = map(MMATypesAttr, types) if types else (_known_type(a), _known_type(b))
        super().__init__(
            operands=[a, b, c],
            result_types=[LLVMStructType.from_type_list([value.type for value in c])],
            properties={
                "shape": shape,
                "layoutA": MMALayoutAttr(layouts[0]),
                "layoutB": MMALayoutAttr(layouts[1]),
                "multiplicandAPtxType": type_a,
                "multiplicandBPtxType": type_b,
                "intOverflowBehavior": MMAIntOverflowAttr(overflow) if overflow else None,
                "b1Op": MMAB1OpAttr(b1_op) if b1_op else None,
            },
        )

    @property
    def element_type(self) -> str:
        """The type of A's elements: ``f16``."""
        element = self.type_a or _known_type(self.operand_a)
        return "" if element is None else element.data

    def verify_(self) -> None:
        element = self.element_type
        shape = self.shape.sizes
        fragments = _fragments(shape, element)
        if fragments is None:
            raise VerifyException(
                f"{self.name}: {_named(shape)} is not supported for {element or 'untyped words'}"
            )
        second = self.type_b or _known_type(self.operand_b)
        pairs = (INTEGERS[:2], INTEGERS[2:], FLOAT8)
        partners = next((pair for pair in pairs if element in pair), None)
        if second is None or second.data not in (partners or (element,)):
            raise VerifyException(
                f"{self.name}: {element} is not multiplied by "
                f"{'untyped words' if second is None else second.data}"
            )
        words_a, words_b, choices = fragments
        _verify_words(self.name, "A", self.operand_a, [words_a])
        _verify_words(self.name, "B", self.operand_b, [words_b])
        _verify_words(self.name, "C", self.operand_c, choices)
        results = [LLVMStructType.from_type_list([ty] * number) for ty, number in choices]
        if self.res.type not in results:
            raise VerifyException(
                f"{self.name}: the result is {' or '.join(map(str, results))}, not {self.res.type}"
            )
        if (element == "b1") != (self.b1_op is not None):
            raise VerifyException(f"{self.name}: b1 and nothing else has a b1Op")
        if element in INTEGERS and self.overflow is None:
            raise VerifyException(f"{self.name}: {element} needs an intOverflowBehavior")
        layouts = self.layout_a.data, self.layout_b.data
        if layouts != ("row", "col") and (shape != (8, 8, 4) or element != "f16"):
            raise VerifyException(
                f"{self.name}: the layouts are row and col, only m8n8k4 of f16 has others"
            )

    def requirement(self) -> Requirement:
        m, _, k = self.shape.sizes
        element = self.element_type
        if self.b1_op is not None and self.b1_op.data == "and_popc":
            return AMPERE_BITS
        if element in FLOAT8:
            return ADA
        if m == 8 and element == "f16":
            return VOLTA
        if (m == 8 and element in INTEGERS) or (k == 8 and element == "f16"):
            return TURING
        return AMPERE

    @classmethod
    def parse(cls, parser: Parser) -> MmaOp:
        fragments: list[list[UnresolvedOperand]] = []
        for letter in "ABC":
            parser.parse_keyword(letter)
            fragments.append(parse_values(parser, parser.Delimiter.SQUARE))
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        start = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        if len(types) != 3:
            parser.raise_error("expected the types of A, B and C", start, parser.pos)
        parser.parse_punctuation("->")
        operands: list[SSAValue] = []
        for values, ty in zip(fragments, types, strict=True):
            operands += [parser.resolve_operand(value, ty) for value in values]
        for name, ty in zip("AB", types, strict=False):
            if ty in _KNOWN:
                type_attr = MMATypesAttr(_KNOWN[ty])
                properties.setdefault(f"multiplicand{name}PtxType", type_attr)
        properties[SEGMENTS] = DenseArrayBase.from_list(i32, [len(part) for part in fragments])
        return cls.create(
            operands=operands,
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        parts = (self.operand_a, self.operand_b, self.operand_c)
        for letter, values in zip("ABC", parts, strict=True):
            printer.print_string(f" {letter}")
            with printer.in_square_brackets():
                printer.print_list(values, printer.print_ssa_value)
        implied = [
            name
            for name, type_, values in (
                ("multiplicandAPtxType", self.type_a, self.operand_a),
                ("multiplicandBPtxType", self.type_b, self.operand_b),
            )
            if type_ == _known_type(values)
        ]
        print_attr_dict(printer, self, implied)
        printer.print_string(" : ")
        with printer.in_parens():
            printer.print_list([part[0].type for part in parts], printer.print_attribute)
        printer.print_string(" -> ")
        printer.print_attribute(self.res.type)


# Types for which multiplicandAPtxType is not required.
_KNOWN: dict[Attribute, str] = {HALVES: "f16", f64: "f64"}


def _known_type(values: Sequence[SSAValue | Operation]) -> MMATypesAttr | None:
    """The element type implied by the type of the words."""
    if not values:
        return None
    name = _KNOWN.get(SSAValue.get(values[0]).type)
    return None if name is None else MMATypesAttr(name)


def _fragments(shape: tuple[int, ...], element: str) -> tuple[Words, Words, list[Words]] | None:
    """The registers of a lane for A, for B, and for C and D (alternatives); None if there is no
    such product.
    """
    m, n, k = shape
    if shape == (8, 8, 4):
        if element == "f16":
            return (HALVES, 2), (HALVES, 2), [(HALVES, 4), (f32, 8)]
        return ((f64, 1), (f64, 1), [(f64, 2)]) if element == "f64" else None
    if (m, n) == (8, 8):
        return ((i32, 1), (i32, 1), [(i32, 2)]) if element in _SMALL.get(k, ()) else None
    depth = _DEPTHS.get(element)
    if (m, n) != (16, 8) or depth is None or k not in (depth, 2 * depth):
        return None
    if element in FLOAT8 and k == depth:
        return None
    steps = k // depth
    if element == "f16":
        return (HALVES, 2 * steps), (HALVES, steps), [(HALVES, 2), (f32, 4)]
    total: Attribute = f32 if element in ("bf16", "tf32", *FLOAT8) else i32
    return (i32, 2 * steps), (i32, steps), [(total, 4)]


def _verify_words(
    name: str, matrix: str, values: Sequence[SSAValue], choices: Sequence[Words]
) -> None:
    types = [value.type for value in values]
    if not any(types == [ty] * number for ty, number in choices):
        choice = " or ".join(f"{number} of {ty}" for ty, number in choices)
        operands = ", ".join(map(str, types))
        raise VerifyException(f"{name}: {matrix} is {choice}, not {operands or 'nothing'}")


def _named(shape: tuple[int, ...]) -> str:
    return "".join(f"{letter}{size}" for letter, size in zip("mnk", shape, strict=True))
