"""The dialect bufferization, with an op and with checks that xDSL lacks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import bufferization
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, TensorType, UnrankedMemRefType, i1
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import MemoryFreeEffect
from xdsl.utils.exceptions import VerifyException

from kc.dialects.redefined import redefined

_ANY_MEMREF = base(MemRefType) | base(UnrankedMemRefType)


@redefined()
class AllocTensorOp(bufferization.AllocTensorOp):
    """``bufferization.alloc_tensor(%n) : tensor<?x4xf32>``; the operands are the sizes of the ``?``
    dimensions. A copied tensor replaces them.
    """

    def verify_(self) -> None:
        super().verify_()
        type_ = self.tensor.type
        shape = type_.get_shape() if isinstance(type_, TensorType) else ()
        expected = [*shape].count(DYNAMIC_INDEX) if self.copy is None else 0
        if len(self.dynamic_sizes) != expected:
            text = f"{self.name}: {len(self.dynamic_sizes)} operands for {expected} dynamic sizes"
            raise VerifyException(text)


@irdl_op_definition
class DeallocOp(IRDLOperation):
    """``%o = bufferization.dealloc (%a : memref<2xf32>) if (%c) retain (%r : memref<?xf32>)``.

    Frees ``%a`` if ``%c`` holds and ``%r`` is not a part of it. For each retained memref there is a
    result: true if the memref is a part of an ``%a`` whose condition holds.
    """

    name = "bufferization.dealloc"

    memrefs = var_operand_def(_ANY_MEMREF)
    conditions = var_operand_def(i1)
    retained = var_operand_def(_ANY_MEMREF)
    updated_conditions = var_result_def(i1)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryFreeEffect())

    @classmethod
    def parse(cls, parser: Parser) -> DeallocOp:
        memrefs: list[SSAValue] = []
        conditions: list[SSAValue] = []
        retained: list[SSAValue] = []
        if parser.parse_optional_punctuation("("):
            memrefs = _parse_typed(parser)
            parser.parse_keyword("if")
            names: list[UnresolvedOperand] = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )
            conditions = list(parser.resolve_operands(names, [i1] * len(names), parser.pos))
        if parser.parse_optional_keyword("retain"):
            parser.parse_punctuation("(")
            retained = _parse_typed(parser)
        return cls.build(
            operands=[memrefs, conditions, retained],
            result_types=[[i1] * len(retained)],
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        if self.memrefs:
            printer.print_string(" (")
            _print_typed(printer, self.memrefs)
            printer.print_string(") if (")
            printer.print_list(self.conditions, printer.print_ssa_value)
            printer.print_string(")")
        if self.retained:
            printer.print_string(" retain (")
            _print_typed(printer, self.retained)
            printer.print_string(")")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if len(self.memrefs) != len(self.conditions):
            raise VerifyException(f"{self.name}: each memref has a condition")
        if len(self.retained) != len(self.updated_conditions):
            raise VerifyException(f"{self.name}: each retained memref has a result")


def _parse_typed(parser: Parser) -> list[SSAValue]:
    """Values and their types, up to the parenthesis."""
    at = parser.pos
    names: list[UnresolvedOperand] = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(names, types, at))


def _print_typed(printer: Printer, values: Sequence[SSAValue]) -> None:
    printer.print_list(values, printer.print_ssa_value)
    printer.print_string(" : ")
    printer.print_list([value.type for value in values], printer.print_attribute)


BUFFERIZATION = Dialect(
    "bufferization",
    [
        *(
            AllocTensorOp if op.name == AllocTensorOp.name else op
            for op in bufferization.Bufferization.operations
        ),
        DeallocOp,
    ],
    list(bufferization.Bufferization.attributes),
)
