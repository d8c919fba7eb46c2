"""The attribute of the llvm dialect that bounds an integer."""

from __future__ import annotations

from xdsl.dialects.builtin import IntAttr, IntegerType
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer


@irdl_attr_definition
class ConstantRangeAttr(ParametrizedAttribute):
    """``#llvm.constant_range<i32, 0, 256>``: at least 0 and less than 256.

    The range may wrap around. As MLIR prints them, the bounds are signed numbers of the type.
    """

    name = "llvm.constant_range"
    type: IntegerType
    lower: IntAttr
    upper: IntAttr

    def __init__(self, type: IntegerType, lower: int, upper: int) -> None:
        super().__init__(type, *(IntAttr(_signed(type, bound)) for bound in (lower, upper)))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.type)
            printer.print_string(f", {self.lower.data}, {self.upper.data}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            start = parser.pos
            ty = parser.parse_type()
            if not isinstance(ty, IntegerType):
                parser.raise_error("expected an integer type", start, parser.pos)
            bounds: list[int] = []
            for _ in range(2):
                parser.parse_punctuation(",")
                bounds.append(parser.parse_integer())
        return list(cls(ty, *bounds).parameters)


def _signed(type: IntegerType, value: int) -> int:
    """``value`` modulo the range of the type, as a signed number."""
    half = 1 << (type.width.data - 1)
    return (value + half) % (2 * half) - half
