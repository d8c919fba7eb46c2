"""``memref.atomic_rmw`` with MLIR's text; xDSL has only the generic form."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, MemRefType, i64
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

ATOMIC_KINDS = (
    "addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu", "minimumf",
    "minnumf", "mins", "minu", "mulf", "muli", "ori", "xori",
)  # fmt: skip
"""The updates by their numbers in MLIR 22."""


class AtomicRMWOp(memref.AtomicRMWOp):
    """``%r = memref.atomic_rmw addf %v, %A[%i] : (f32, memref<8xf32>) -> f32``: an atomic update;
    ``%r`` is the old value.
    """

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        type_ = self.memref.type
        assert isinstance(type_, MemRefType)
        if not 0 <= self.kind.value.data < len(ATOMIC_KINDS):
            raise VerifyException(
                f"{self.name}: the kind {self.kind.value.data} is not one of 0 to "
                f"{len(ATOMIC_KINDS) - 1}"
            )
        if len(self.indices) != type_.get_num_dims():
            raise VerifyException(f"{self.name}: an index for each dimension is needed")

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        kind = parser.parse_keyword_in(ATOMIC_KINDS)
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        buffer = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        at, type_ = parser.pos, parser.parse_type()
        if not isinstance(type_, FunctionType) or len(type_.inputs) != 2 or len(type_.outputs) != 1:
            parser.raise_error("expected the types of a value and of a memref, and a result", at)
        return cls.build(
            operands=[
                parser.resolve_operand(value, type_.inputs.data[0]),
                parser.resolve_operand(buffer, type_.inputs.data[1]),
                [parser.resolve_operand(index, IndexType()) for index in indices],
            ],
            properties={"kind": IntegerAttr(ATOMIC_KINDS.index(kind), i64)},
            attributes=attributes,
            result_types=[type_.outputs.data[0]],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {ATOMIC_KINDS[self.kind.value.data]} ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        printer.print_ssa_value(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        inputs = [self.value.type, self.memref.type]
        printer.print_attribute(FunctionType.from_lists(inputs, [self.result.type]))
