"""Assembly helpers shared by the ops of the llvm dialect.

MLIR prints inherent attributes (properties) of these ops in the attribute dictionary, sorted by
name, and omits default values.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerType, StringAttr, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

SEGMENTS = "operandSegmentSizes"
NO_SIZES = DenseArrayBase.from_list(i32, ())


def parse_attr_dict(
    op_type: type[IRDLOperation], parser: Parser
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """An optional attribute dictionary, as (properties of ``op_type``, other attributes)."""
    attributes = parser.parse_optional_attr_dict()
    return split_properties(op_type, attributes), attributes


def split_properties(
    op_type: type[IRDLOperation], attributes: dict[str, Attribute]
) -> dict[str, Attribute]:
    """Remove the properties of ``op_type`` from ``attributes`` and return them."""
    definitions = op_type.get_irdl_definition().properties
    return {name: attributes.pop(name) for name in list(attributes) if name in definitions}


def shown_attributes(op: IRDLOperation, elided: Collection[str] = ()) -> dict[str, Attribute]:
    """The contents of the attribute dictionary of ``op``: ``elided`` properties print elsewhere."""
    definitions = op.get_irdl_definition().properties
    shown = dict(op.attributes)
    for name, value in op.properties.items():
        if name == SEGMENTS or name in elided:
            continue
        if name not in definitions or definitions[name].default_value != value:
            shown[name] = value
    return dict(sorted(shown.items()))


def print_attr_dict(printer: Printer, op: IRDLOperation, elided: Collection[str] = ()) -> None:
    """The inverse of :func:`parse_attr_dict`."""
    printer.print_op_attributes(shown_attributes(op, elided))


def parse_values(parser: Parser, delimiter: Parser.Delimiter) -> list[UnresolvedOperand]:
    """``(%a, %b)`` or ``[%a, %b]`` without types."""
    return parser.parse_comma_separated_list(delimiter, parser.parse_unresolved_operand)


def parse_op_bundles(
    parser: Parser,
) -> tuple[list[SSAValue], DenseArrayBase[IntegerType], ArrayAttr[StringAttr] | None]:
    """``["align"(%p, %n : !llvm.ptr, i64), "b"()]``: the operands, the number of operands of each
    bundle, and the tags.
    """
    operands: list[SSAValue] = []
    sizes: list[int] = []
    tags: list[StringAttr] = []

    def parse_bundle() -> None:
        tags.append(StringAttr(parser.parse_str_literal()))
        parser.parse_punctuation("(")
        values: list[UnresolvedOperand] = []
        position = parser.pos
        if parser.parse_optional_punctuation(")") is None:
            values = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_unresolved_operand
            )
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            parser.parse_punctuation(")")
            operands.extend(parser.resolve_operands(values, types, position))
        sizes.append(len(values))

    parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parse_bundle)
    return operands, DenseArrayBase.from_list(i32, sizes), ArrayAttr(tags) if tags else None


def print_op_bundles(
    printer: Printer,
    operands: Sequence[SSAValue],
    sizes: DenseArrayBase[IntegerType],
    tags: ArrayAttr[StringAttr] | None,
) -> None:
    """The inverse of :func:`parse_op_bundles`; prints nothing without bundles."""
    if tags is None or not tags.data:
        return
    printer.print_string(" ")
    with printer.in_square_brackets():
        printer.print_list(
            split_bundles(operands, sizes, tags), lambda bundle: _print_bundle(printer, *bundle)
        )


def split_bundles(
    operands: Sequence[SSAValue],
    sizes: DenseArrayBase[IntegerType],
    tags: ArrayAttr[StringAttr] | None,
) -> list[tuple[str, Sequence[SSAValue]]]:
    """The operand bundles as (tag, operands)."""
    bundles: list[tuple[str, Sequence[SSAValue]]] = []
    start = 0
    for tag, size in zip(tags or (), sizes.iter_values(), strict=True):
        bundles.append((tag.data, operands[start : start + size]))
        start += size
    return bundles


def verify_op_bundles(
    name: str,
    operands: Sequence[SSAValue],
    sizes: DenseArrayBase[IntegerType],
    tags: ArrayAttr[StringAttr] | None,
) -> None:
    """Require that every operand belongs to a bundle and every bundle has a tag."""
    counts = sizes.get_values()
    if len(counts) != len(tags or ()) or sum(counts) != len(operands):
        raise VerifyException(f"{name}: malformed operand bundles")


def _print_bundle(printer: Printer, tag: str, operands: Sequence[SSAValue]) -> None:
    printer.print_string_literal(tag)
    with printer.in_parens():
        if operands:
            printer.print_list(operands, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list([value.type for value in operands], printer.print_attribute)


def parse_syncscope(parser: Parser) -> StringAttr | None:
    """Parse ``syncscope("name")`` if present."""
    if parser.parse_optional_keyword("syncscope") is None:
        return None
    with parser.in_parens():
        return StringAttr(parser.parse_str_literal())


def print_syncscope(printer: Printer, scope: StringAttr | None) -> None:
    """Print the inverse of :func:`parse_syncscope`, with a space before it."""
    if scope is not None:
        printer.print_string(" syncscope(")
        printer.print_attribute(scope)
        printer.print_string(")")
