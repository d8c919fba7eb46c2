"""Python values as attributes of operators, both ways: numbers, texts, tuples, sizes, None."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from kc.dialects.graph.sizes import SizeExpr, size_of_text


@irdl_attr_definition
class SizeAttr(Data[SizeExpr]):
    """``#graph.size<"2 * n">``: a size with names, in an attribute of an operator."""

    name = "graph.size"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> SizeExpr:
        with parser.in_angle_brackets():
            try:
                size = size_of_text(parser.parse_str_literal())
            except ValueError as error:
                parser.raise_error(str(error))
        if isinstance(size, int):
            parser.raise_error(f"{size} is a number, which stands without #graph.size")
        return size

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f'<"{self.data}">')


def to_attr(value: Any) -> Attribute:
    """The attribute of a value. Raises TypeError for a value of another type."""
    match value:
        case None:
            return UnitAttr()
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case SizeExpr():
            return SizeAttr(value)
        case tuple() | list():
            return ArrayAttr([to_attr(part) for part in value])
        case _:
            raise TypeError(f"{value!r} cannot be an attribute of an operator")


def from_attr(attr: Attribute) -> Any:
    """The value of an attribute. Raises TypeError for an attribute that :func:`to_attr` does not
    make."""
    match attr:
        case UnitAttr():
            return None
        case IntegerAttr():
            is_bool = isinstance(attr.type, IntegerType) and attr.type.width.data == 1
            return bool(attr.value.data) if is_bool else attr.value.data
        case FloatAttr():
            return attr.value.data
        case StringAttr():
            return attr.data
        case SizeAttr():
            return attr.data
        case ArrayAttr():
            return tuple(from_attr(part) for part in attr)
        case _:
            raise TypeError(f"{attr} cannot be an attribute of an operator")
