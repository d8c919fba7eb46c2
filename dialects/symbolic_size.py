"""Symbolic sizes: the common base of the ops of ``te`` and ``tir``."""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.irdl import IRDLOperation, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from kc.dialects.assembly import INDEX, is_name, parse_name, verify_name


class SymbolicSizeOp(IRDLOperation):
    """A symbolic size of the function; the base of ``te.symbol`` and ``tir.symbol``."""

    symbol = prop_def(StringAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(self, symbol: str) -> None:
        super().__init__(properties={"symbol": StringAttr(symbol)}, result_types=[INDEX])
        if is_name(symbol):
            self.result.name_hint = symbol

    def verify_(self) -> None:
        verify_name(self, self.symbol.data)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        op = cls(parse_name(parser).data)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.symbol.data)
        printer.print_op_attributes(self.attributes)
