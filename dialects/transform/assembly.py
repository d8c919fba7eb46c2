"""The text that steps of the ``transform`` dialect share: signatures, and lists of sizes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    FunctionType,
    IntegerType,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


def parse_signature(parser: Parser) -> FunctionType:
    """``: (!transform.any_op) -> !transform.any_op``, or one type for an operand and a result."""
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    if not isinstance(type_, FunctionType):
        return FunctionType.from_lists([type_], [type_])
    return type_


def parse_numbers(parser: Parser) -> tuple[list[UnresolvedOperand], list[int]]:
    """``[8, %n, 0]``: the values, and the numbers with a placeholder for each value."""
    values: list[UnresolvedOperand] = []
    numbers: list[int] = []

    def number() -> None:
        value = parser.parse_optional_unresolved_operand()
        if value is not None:
            values.append(value)
        if value is None and parser.parse_optional_punctuation("[") is not None:
            parser.raise_error("sizes in brackets are scalable, which kc has no tiles of")
        numbers.append(DYNAMIC_INDEX if value is not None else parser.parse_integer())

    parser.parse_comma_separated_list(parser.Delimiter.SQUARE, number)
    return values, numbers


def print_numbers(printer: Printer, values: Sequence[SSAValue], numbers: Sequence[int]) -> None:
    """The text that :func:`parse_numbers` reads."""
    rest = iter(values)

    def number(value: int) -> None:
        if value == DYNAMIC_INDEX:
            printer.print_ssa_value(next(rest))
        else:
            printer.print_string(str(value))

    printer.print_string("[")
    printer.print_list(numbers, number)
    printer.print_string("]")


def print_signature(printer: Printer, op: IRDLOperation) -> None:
    """The text that :func:`parse_signature` reads."""
    printer.print_string(" : ")
    printer.print_attribute(FunctionType.from_lists(op.operand_types, op.result_types))


def numbers_of(attr: DenseArrayBase[IntegerType] | None) -> list[int]:
    """The numbers of an attribute; empty if it is absent."""
    return [int(value) for value in attr.get_values()] if attr is not None else []


def array_of(numbers: Sequence[int]) -> DenseArrayBase:
    """The attribute for a list of numbers."""
    return DenseArrayBase.from_list(i64, list(numbers))


def mixed(values: Sequence[SSAValue], numbers: Sequence[int]) -> list[int | SSAValue]:
    """Static numbers, with MLIR's placeholders replaced by values."""
    rest = iter(values)
    return [next(rest) if number == DYNAMIC_INDEX else number for number in numbers]


def verify_mixed(op: IRDLOperation, values: Sequence[SSAValue], numbers: Sequence[int]) -> None:
    """Refuse numbers and values whose counts do not match, and negative sizes."""
    if numbers.count(DYNAMIC_INDEX) != len(values):
        raise VerifyException(f"{op.name}: a size is a number, or an operand")
    if any(number < 0 and number != DYNAMIC_INDEX for number in numbers):
        raise VerifyException(f"{op.name}: a size is not negative")
