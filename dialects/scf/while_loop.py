"""``scf.while`` with MLIR's text for a loop without values, for which xDSL requires ``()``."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.parser import Parser
from xdsl.printer import Printer


class WhileOp(scf.WhileOp):
    """``scf.while : () -> () { ... scf.condition(%p) } do { ... scf.yield }``, a loop without
    carried values, and all forms that xDSL supports.
    """

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        if parser.parse_optional_punctuation(":") is None:
            return super().parse(parser)
        type_ = parser.parse_function_type()
        before = parser.parse_region()
        parser.parse_keyword("do")
        after = parser.parse_region()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls([], type_.outputs.data, before, after)
        if attributes is not None:
            op.attributes.update(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        if self.arguments:
            super().print(printer)
            return
        printer.print_string(" : ")
        printer.print_operation_type(self)
        printer.print_string(" ")
        printer.print_region(self.before_region)
        printer.print_string(" do ")
        printer.print_region(self.after_region)
        if self.attributes:
            printer.print_op_attributes(self.attributes, print_keyword=True)
