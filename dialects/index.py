"""MLIR's ``index`` dialect: arithmetic on indices, which have the width of pointers.

``index-to-arith`` converts it to ops of ``arith``. Text and semantics are upstream's.
"""

from __future__ import annotations

from xdsl.dialects.arith import CMPI_COMPARISON_OPERATIONS
from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, IntegerType, StringAttr, i1
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    param_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

BINARY = {
    "add": "addi",
    "sub": "subi",
    "mul": "muli",
    "divs": "divsi",
    "divu": "divui",
    "ceildivs": "ceildivsi",
    "ceildivu": "ceildivui",
    "floordivs": "floordivsi",
    "rems": "remsi",
    "remu": "remui",
    "maxs": "maxsi",
    "maxu": "maxui",
    "mins": "minsi",
    "minu": "minui",
    "shl": "shli",
    "shrs": "shrsi",
    "shru": "shrui",
    "and": "andi",
    "or": "ori",
    "xor": "xori",
}
"""For each op of two indices, the equivalent op of ``arith``."""


def _binary(op_name: str) -> type[IRDLOperation]:
    @irdl_op_definition
    class BinaryOp(IRDLOperation):
        """An operation with two index operands and an index result."""

        name = f"index.{op_name}"
        lhs = operand_def(IndexType)
        rhs = operand_def(IndexType)
        result = result_def(IndexType)
        traits = traits_def(Pure())
        assembly_format = "$lhs `,` $rhs attr-dict"

    return BinaryOp


def _cast(op_name: str) -> type[IRDLOperation]:
    @irdl_op_definition
    class CastOp(IRDLOperation):
        """An index as an integer, or an integer as an index."""

        name = f"index.{op_name}"
        input = operand_def(IndexType | IntegerType)
        output = result_def(IndexType | IntegerType)
        traits = traits_def(Pure())
        assembly_format = "$input attr-dict `:` type($input) `to` type($output)"

    return CastOp


@irdl_attr_definition
class CmpPredicateAttr(ParametrizedAttribute):
    """``#index<cmp_predicate slt>``."""

    name = "index.cmp_predicate"

    word: StringAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        if parser.parse_optional_punctuation("<") is None:
            return [StringAttr(parser.parse_identifier())]
        word = parser.parse_identifier()
        parser.parse_punctuation(">")
        return [StringAttr(word)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.word.data}>")


@irdl_op_definition
class CmpOp(IRDLOperation):
    """``index.cmp slt(%a, %b)``."""

    name = "index.cmp"
    pred = prop_def(CmpPredicateAttr)
    lhs = operand_def(IndexType)
    rhs = operand_def(IndexType)
    result = result_def(i1)
    traits = traits_def(Pure())

    @property
    def predicate(self) -> str:
        """The predicate by its name in ``arith.cmpi``, such as ``slt``."""
        return self.pred.word.data

    @classmethod
    def parse(cls, parser: Parser) -> CmpOp:
        at = parser.pos
        predicate = parser.parse_identifier()
        if predicate not in CMPI_COMPARISON_OPERATIONS:
            parser.raise_error(f"index.cmp: unknown predicate '{predicate}'", at)
        parser.parse_punctuation("(")
        lhs = parser.parse_operand(IndexType())
        parser.parse_punctuation(",")
        rhs = parser.parse_operand(IndexType())
        parser.parse_punctuation(")")
        return cls.build(
            operands=[lhs, rhs],
            result_types=[i1],
            properties={"pred": CmpPredicateAttr(StringAttr(predicate))},
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.predicate}(")
        printer.print_operand(self.lhs)
        printer.print_string(", ")
        printer.print_operand(self.rhs)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """``index.constant 3``."""

    name = "index.constant"
    value = prop_def(IntegerAttr)
    result = result_def(IndexType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes = parser.parse_optional_attr_dict()
        value = IntegerAttr.from_index_int_value(parser.parse_integer())
        return cls.build(
            result_types=[IndexType()], properties={"value": value}, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" {self.value.value.data}")


@irdl_op_definition
class BoolConstantOp(IRDLOperation):
    """``index.bool.constant true``."""

    name = "index.bool.constant"
    value = prop_def(BoolAttr)
    result = result_def(i1)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> BoolConstantOp:
        attributes = parser.parse_optional_attr_dict()
        value = BoolAttr.from_bool(parser.parse_boolean())
        return cls.build(result_types=[i1], properties={"value": value}, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" true" if self.value.value.data else " false")


@irdl_op_definition
class SizeOfOp(IRDLOperation):
    """The number of bits of an index: 64."""

    name = "index.sizeof"
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict"


INDEX = Dialect(
    "index",
    [
        *map(_binary, BINARY),
        *map(_cast, ("casts", "castu")),
        CmpOp,
        ConstantOp,
        BoolConstantOp,
        SizeOfOp,
    ],
    [CmpPredicateAttr],
)
