"""Handwritten PTX: inline_ptx."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    opt_operand_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import SEGMENTS, parse_attr_dict, print_attr_dict
from kc.dialects.nvvm.base import NVVMOp
from kc.dialects.nvvm.requirements import ANY

PLACEHOLDER = re.compile(r"\{\$(rw|r|w)(\d+)\}")
"""``{$r0}`` is the first operand that is read, ``{$w0}`` the first result, ``{$rw0}`` the first
operand that is read and written."""


@irdl_op_definition
class InlinePtxOp(NVVMOp):
    """PTX instructions that contain the registers of the operands and results.

    ``%r = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%x : f32) -> f32``. Operands in
    ``rw(...)`` are also written; with ``, predicate = %b`` the instructions are executed if the
    predicate is true. The GPU that the text requires is unknown.
    """

    name = "nvvm.inline_ptx"
    REQUIRES: ClassVar = ANY

    read_only_args = var_operand_def()
    read_write_args = var_operand_def()
    predicate = opt_operand_def(i1)
    write_only_args = var_result_def()
    ptx_code = prop_def(StringAttr, prop_name="ptxCode")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        ptx_code: str,
        read: Sequence[SSAValue | Operation] = (),
        result_types: Sequence[Attribute] = (),
        *,
        read_write: Sequence[SSAValue | Operation] = (),
        predicate: SSAValue | Operation | None = None,
    ):
        super().__init__(
            operands=[read, read_write, predicate],
            result_types=[result_types],
            properties={"ptxCode": StringAttr(ptx_code)},
        )

    def verify_(self) -> None:
        counts = {
            "r": len(self.read_only_args),
            "rw": len(self.read_write_args),
            "w": len(self.write_only_args),
        }
        for kind, number in PLACEHOLDER.findall(self.ptx_code.data):
            if int(number) >= counts[kind]:
                raise VerifyException(
                    f"{self.name}: the text has {{${kind}{number}}}, and there are "
                    f"{counts[kind]} values of {kind}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> InlinePtxOp:
        code = parser.parse_str_literal()
        groups = [_parse_group(parser, word) for word in ("ro", "rw")]
        predicate: list[SSAValue] = []
        if parser.parse_optional_punctuation(",") is not None:
            parser.parse_keyword("predicate")
            parser.parse_punctuation("=")
            predicate = [parser.resolve_operand(parser.parse_unresolved_operand(), i1)]
        properties, attributes = parse_attr_dict(cls, parser)
        results: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->") is not None:
            results = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parts = [*groups, predicate]
        properties["ptxCode"] = StringAttr(code)
        properties[SEGMENTS] = DenseArrayBase.from_list(i32, [len(part) for part in parts])
        return cls.create(
            operands=[value for part in parts for value in part],
            result_types=results,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.ptx_code.data)
        for word, values in (("ro", self.read_only_args), ("rw", self.read_write_args)):
            if values:
                printer.print_string(f" {word}(")
                printer.print_list(values, printer.print_ssa_value)
                printer.print_string(" : ")
                printer.print_list([value.type for value in values], printer.print_attribute)
                printer.print_string(")")
        if self.predicate is not None:
            printer.print_string(", predicate = ")
            printer.print_ssa_value(self.predicate)
        print_attr_dict(printer, self, ("ptxCode",))
        if self.write_only_args:
            printer.print_string(" -> ")
            printer.print_list(
                [value.type for value in self.write_only_args], printer.print_attribute
            )


def _parse_group(parser: Parser, word: str) -> list[SSAValue]:
    """Parse ``ro(%a, %b : i32, f32)`` if present."""
    if parser.parse_optional_keyword(word) is None:
        return []
    parser.parse_punctuation("(")
    values = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    pos = parser.pos
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(values, types, pos))
