"""Custom assembly that ``tir`` and ``te`` share: names, extents, annotations, bodies."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import DYNAMIC_INDEX, DictionaryAttr, IndexType, StringAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.support.ir_text import NamingPrinter

INDEX = IndexType()
DYNAMIC = DYNAMIC_INDEX
"""The static extent of a dimension whose extent is an operand; MLIR's dynamic dimension."""


def parse_name(parser: Parser) -> StringAttr:
    """Parse the name of a loop, block or buffer: a quoted identifier."""
    text = parser.parse_str_literal(" (a name in quotes)")
    return StringAttr(text)


def parse_named_variable(parser: Parser) -> tuple[str, Parser.UnresolvedArgument]:
    """Parse ``%i`` or ``%i_1 "i"``: a variable, whose name is its SSA name unless a quoted name
    follows.
    """
    var = parser.parse_argument(expect_type=False)
    name = parser.parse_optional_str_literal()
    return (name if name is not None else var.name.text[1:]), var


def print_named_variable(printer: Printer, name: str, *variables: SSAValue) -> None:
    """The inverse of :func:`parse_named_variable`; all ``variables`` use the same form."""
    if isinstance(printer, NamingPrinter):
        printer.name_value(variables[0], name)
    shown = printer.print_ssa_value(variables[0])
    for variable in variables[1:]:
        printer._ssa_values[variable] = shown
    if shown != name:
        printer.print_string(" ")
        printer.print_string_literal(name)


def print_body(printer: Printer, region: Region) -> None:
    """Print a region whose block arguments are printed elsewhere; an empty region as ``{ }``."""
    if region.block.first_op is None:
        printer.print_string("{ }")
    else:
        printer.print_region(region, print_entry_block_args=False)


def is_name(name: str) -> bool:
    """True if ``name`` is an identifier of textual IR."""
    return name.isidentifier() and name.isascii()


def verify_structured(op: Operation) -> None:
    """Refuse ``op`` in a region of several blocks: it requires structured control flow."""
    region = op.parent_region()
    if region is not None and region.first_block is not region.last_block:
        raise VerifyException(
            f"{op.name}: it is in a region of several blocks; loops and conditions of tir do "
            "not mix with branches (cf)"
        )


def verify_name(op: Operation, name: str) -> None:
    """Refuse a name that is not an identifier."""
    if not is_name(name):
        raise VerifyException(f"{op.name}: the name '{name}' is not an identifier")


def parse_extent(parser: Parser) -> tuple[int, UnresolvedOperand | None]:
    """An extent: an integer, or an index value."""
    operand = parser.parse_optional_unresolved_operand()
    if operand is not None:
        return DYNAMIC, operand
    return parser.parse_integer(allow_boolean=False, context_msg=" (an extent)"), None


def parse_annotations(parser: Parser) -> DictionaryAttr | None:
    if parser.parse_optional_keyword("annotations") is None:
        return None
    return DictionaryAttr(parser.parse_optional_dictionary_attr_dict())


def print_annotations(printer: Printer, annotations: DictionaryAttr | None) -> None:
    if annotations is not None and annotations.data:
        printer.print_string(" annotations")
        printer.print_string(" ")
        printer.print_attr_dict(annotations.data)


def parse_optional_attributes(parser: Parser) -> dict[str, Attribute]:
    if parser.parse_optional_keyword("attributes") is None:
        return {}
    return parser.parse_optional_dictionary_attr_dict()


def print_optional_attributes(printer: Printer, attributes: Mapping[str, Attribute]) -> None:
    if attributes:
        printer.print_string(" attributes ")
        printer.print_attr_dict(dict(attributes))
