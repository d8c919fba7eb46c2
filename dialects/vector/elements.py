"""Ops of ``vector`` that split vectors into elements or build vectors from elements."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    IndexType,
    StringAttr,
    VectorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    param_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.vector.sizes import (
    element_of,
    shape_of,
    verify_elements,
    verify_shape,
)


@irdl_op_definition
class StepOp(IRDLOperation):
    """``vector.step : vector<4xindex>``: 0, 1, 2, 3."""

    name = "vector.step"

    result = result_def(VectorType)

    assembly_format = "attr-dict `:` type($result)"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        if len(shape_of(self.result)) != 1 or not isinstance(element_of(self.result), IndexType):
            raise VerifyException(f"{self.name}: gives a vector of index, not {self.result.type}")


@irdl_op_definition
class FromElementsOp(IRDLOperation):
    """``vector.from_elements %a, %b : vector<2xf32>``."""

    name = "vector.from_elements"

    elements = var_operand_def()
    dest = result_def(VectorType)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        count = prod(shape_of(self.dest))
        if [value.type for value in self.elements] != [element_of(self.dest)] * count:
            raise VerifyException(f"{self.name}: {count} elements for {self.dest.type}")

    @classmethod
    def parse(cls, parser: Parser) -> FromElementsOp:
        at = parser.pos
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        if not isinstance(type_, VectorType):
            parser.raise_error("vector.from_elements: expected the type of a vector", at)
        types = [type_.element_type] * len(names)
        operands = parser.resolve_operands(names, types, at)
        return cls.create(operands=operands, attributes=attributes, result_types=[type_])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.elements, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.dest.type)


@irdl_op_definition
class ToElementsOp(IRDLOperation):
    """``%e:2 = vector.to_elements %v : vector<2xf32>``."""

    name = "vector.to_elements"

    source = operand_def(VectorType)
    elements = var_result_def()

    traits = traits_def(Pure())

    def verify_(self) -> None:
        count = prod(shape_of(self.source))
        if [value.type for value in self.elements] != [element_of(self.source)] * count:
            raise VerifyException(f"{self.name}: {count} elements of {self.source.type}")

    @classmethod
    def parse(cls, parser: Parser) -> ToElementsOp:
        at = parser.pos
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        if not isinstance(type_, VectorType):
            parser.raise_error("vector.to_elements: expected the type of a vector", at)
        return cls.create(
            operands=[parser.resolve_operand(name, type_)],
            attributes=attributes,
            result_types=[type_.element_type] * prod(type_.get_shape()),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)


@irdl_op_definition
class InterleaveOp(IRDLOperation):
    """``vector.interleave %a, %b : vector<4xf32> -> vector<8xf32>``: the lanes of both,
    alternating.
    """

    name = "vector.interleave"

    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> InterleaveOp:
        at = parser.pos
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        parser.parse_punctuation("->")
        result = parser.parse_type()
        operands = parser.resolve_operands(names, [type_] * 2, at)
        return cls.create(operands=operands, attributes=attributes, result_types=[result])

    def verify_(self) -> None:
        verify_elements(self, self.lhs, self.result)
        if self.lhs.type != self.rhs.type:
            raise VerifyException(f"{self.name}: {self.lhs.type} and {self.rhs.type}")
        *rest, last = shape_of(self.lhs) or (1,)
        verify_shape(self, self.result, [*rest, 2 * last])


@irdl_op_definition
class DeinterleaveOp(IRDLOperation):
    """``%e, %o = vector.deinterleave %v : vector<8xf32> -> vector<4xf32>``: the even-numbered and
    the odd-numbered lanes.
    """

    name = "vector.deinterleave"

    source = operand_def(VectorType)
    res1 = result_def(VectorType)
    res2 = result_def(VectorType)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        verify_elements(self, self.source, self.res1, self.res2)
        *rest, last = shape_of(self.source) or (1,)
        for result in self.results:
            verify_shape(self, result, [*rest, last // 2])
        if last % 2:
            raise VerifyException(f"{self.name}: {self.source.type} has an odd number of lanes")

    @classmethod
    def parse(cls, parser: Parser) -> DeinterleaveOp:
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_punctuation("->")
        result = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, source)],
            attributes=attributes,
            result_types=[result, result],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.res1.type)


@irdl_attr_definition
class PunctuationAttr(ParametrizedAttribute):
    """The text after ``vector.print``: ``newline``, ``comma``, ``open``, ``close``,
    ``no_punctuation``.
    """

    name = "vector.punctuation"

    word: StringAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_identifier())]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.word.data}>")


_PUNCTUATION = {
    "no_punctuation": "",
    "newline": "\n",
    "comma": ", ",
    "open": "( ",
    "close": " )",
}
"""The text of each punctuation."""


_ASSIGNED = re.compile(r"%[\w$.-]+(:\d+)?\s*[,=]")
"""The results of an op."""


def _nested(shape: Sequence[int]) -> list[str]:
    """The text before each element of a vector of these sizes, and after the last."""
    if not shape:
        return ["", ""]
    *before, last = _nested(shape[1:])
    rows = [[f"{'( ' if n == 0 else last + ', '}{before[0]}", *before[1:]] for n in range(shape[0])]
    return [*itertools.chain(*rows), f"{last} )"]


@irdl_op_definition
class PrintOp(IRDLOperation):
    """``vector.print %v : vector<4xf32> punctuation <comma>``, ``vector.print str "text"``."""

    name = "vector.print"

    source = opt_operand_def()
    punctuation = opt_prop_def(PunctuationAttr)
    stringLiteral = opt_prop_def(StringAttr)

    @property
    def texts(self) -> list[str]:
        """The text before each element of the value, in order, and after the last."""
        if self.stringLiteral is not None:
            return [self.stringLiteral.data]
        end = "\n" if self.punctuation is None else _PUNCTUATION[self.punctuation.word.data]
        if self.source is None:
            return [end]
        # A vector of rank 0 is printed like a vector of one element.
        is_point = isinstance(self.source.type, VectorType) and not shape_of(self.source)
        *before, last = _nested((1,) if is_point else shape_of(self.source))
        return [*before, last + end]

    @property
    def _is_default(self) -> bool:
        """True if it ends with a newline, which the text omits."""
        return self.punctuation is None or self.punctuation.word.data == "newline"

    def verify_(self) -> None:
        if self.stringLiteral is not None and not (self.source is None and self._is_default):
            raise VerifyException(f"{self.name}: a text is printed alone")
        if self.punctuation is not None and self.punctuation.word.data not in _PUNCTUATION:
            raise VerifyException(
                f"{self.name}: the punctuation must be one of {', '.join(_PUNCTUATION)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> PrintOp:
        operands: list[SSAValue] = []
        properties: dict[str, Attribute] = {}
        # mlir-opt prints a newline as nothing; a value after it then belongs to the next op.
        is_alone = _ASSIGNED.match(parser.lexer.input.content, parser.pos) is not None
        source = None if is_alone else parser.parse_optional_unresolved_operand()
        if source is not None:
            parser.parse_punctuation(":")
            operands.append(parser.resolve_operand(source, parser.parse_type()))
        while True:
            if parser.parse_optional_keyword("str"):
                properties["stringLiteral"] = StringAttr(parser.parse_str_literal())
            elif parser.parse_optional_keyword("punctuation"):
                properties["punctuation"] = PunctuationAttr.new(
                    PunctuationAttr.parse_parameters(parser)
                )
            else:
                break
        return cls.build(
            operands=[operands],
            properties=properties,
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        if self.source is not None:
            printer.print_string(" ")
            printer.print_operand(self.source)
            printer.print_string(" : ")
            printer.print_attribute(self.source.type)
        if self.stringLiteral is not None:
            printer.print_string(" str ")
            printer.print_attribute(self.stringLiteral)
        if self.punctuation is not None and not self._is_default:
            printer.print_string(" punctuation ")
            self.punctuation.print_parameters(printer)
        elif self.source is None and self.stringLiteral is None:
            # mlir-opt prints nothing here, and cannot read the result before an assignment.
            printer.print_string(" punctuation <newline>")
        printer.print_op_attributes(self.attributes)
