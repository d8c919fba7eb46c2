"""Control flow of graphs: ``if``, ``while``, ``scan``; the regions are blocks of dataflow."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    region_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator
from xdsl.utils.exceptions import VerifyException

from kc.dialects.graph.types import UnknownType

CONDITION = TensorType(i1, [])
"""The type of a condition."""


@irdl_op_definition
class YieldOp(IRDLOperation):
    """``graph.yield %a, %b : T, U``: the values of a region."""

    name = "graph.yield"

    values = var_operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(IfOp, WhileOp)))
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])


def _yielded(op: Operation, region: Region) -> list[Attribute]:
    last = region.block.last_op
    if not isinstance(last, YieldOp):
        raise VerifyException(f"{op.name}: each region must end with graph.yield")
    return [value.type for value in last.values]


@irdl_op_definition
class IfOp(IRDLOperation):
    """``%r = graph.if %c -> T { graph.yield %a : T } else { graph.yield %b : T }``.

    Only the chosen region is computed.
    """

    name = "graph.if"

    condition = operand_def()
    then = region_def("single_block")
    otherwise = region_def("single_block")
    result = result_def()

    def __init__(
        self, condition: SSAValue, then: Region, otherwise: Region, result_type: Attribute
    ) -> None:
        super().__init__(
            operands=[condition], regions=[then, otherwise], result_types=[result_type]
        )

    def verify_(self) -> None:
        if self.condition.type != CONDITION and not isinstance(self.condition.type, UnknownType):
            raise VerifyException(
                f"graph.if: the condition is {self.condition.type}, but must be {CONDITION}"
            )
        for region in (self.then, self.otherwise):
            if _yielded(self, region) != [self.result.type]:
                raise VerifyException(
                    f"graph.if: a region yields another type than {self.result.type}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        condition = parser.parse_unresolved_operand()
        value = parser.resolve_operand(condition, CONDITION)
        parser.parse_punctuation("->")
        type_ = parser.parse_type()
        then = parser.parse_region()
        parser.parse_keyword("else")
        operation = cls(value, then, parser.parse_region(), type_)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        if attributes is not None:
            operation.attributes |= attributes.data
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)
        printer.print_string(" ")
        printer.print_region(self.then)
        printer.print_string(" else ")
        printer.print_region(self.otherwise)
        printer.print_op_attributes(self.attributes, print_keyword=True)


@irdl_op_definition
class WhileOp(IRDLOperation):
    """A loop that carries one value, a tuple where it carries several.

    ::

        %r = graph.while (%x = %start) -> T {
          graph.yield %continue : tensor<i1>
        } do (%y) {
          graph.yield %next : T
        }

    Each region has the carried value as its argument. The loop ends when the first region yields
    false; the carried value is then the result.
    """

    name = "graph.while"

    start = operand_def()
    condition = region_def("single_block")
    body = region_def("single_block")
    result = result_def()

    def __init__(self, start: SSAValue, condition: Region, body: Region) -> None:
        super().__init__(operands=[start], regions=[condition, body], result_types=[start.type])

    def verify_(self) -> None:
        carried = self.start.type
        if self.result.type != carried:
            raise VerifyException(f"graph.while: it carries {carried}, not {self.result.type}")
        for region in (self.condition, self.body):
            if [argument.type for argument in region.block.args] != [carried]:
                raise VerifyException(f"graph.while: each region has one argument, {carried}")
        if _yielded(self, self.condition) != [CONDITION]:
            raise VerifyException(f"graph.while: the condition must yield {CONDITION}")
        if _yielded(self, self.body) != [carried]:
            raise VerifyException(f"graph.while: the body must yield {carried}")

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        parser.parse_punctuation("(")
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        start = parser.parse_unresolved_operand()
        parser.parse_punctuation(")")
        parser.parse_punctuation("->")
        type_ = parser.parse_type()
        value = parser.resolve_operand(start, type_)
        condition = parser.parse_region([argument.resolve(type_)])
        parser.parse_keyword("do")
        parser.parse_punctuation("(")
        carried = parser.parse_argument(expect_type=False)
        parser.parse_punctuation(")")
        operation = cls(value, condition, parser.parse_region([carried.resolve(type_)]))
        attributes = parser.parse_optional_attr_dict_with_keyword()
        if attributes is not None:
            operation.attributes |= attributes.data
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_ssa_value(self.condition.block.args[0])
        printer.print_string(" = ")
        printer.print_ssa_value(self.start)
        printer.print_string(") -> ")
        printer.print_attribute(self.result.type)
        printer.print_string(" ")
        printer.print_region(self.condition, print_entry_block_args=False)
        printer.print_string(" do (")
        printer.print_ssa_value(self.body.block.args[0])
        printer.print_string(") ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes, print_keyword=True)
