"""Hints that memory will be read soon, which no analysis treats as accesses."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryWriteEffect

from kc.dialects.access_assembly import print_access, verify_access
from kc.dialects.affine_assembly import AffineOperandsParser
from kc.dialects.tir.canonicalization import Canonicalized


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """``tir.prefetch %A[%i + 1, %k] : memref<...>``: an element of ``%A`` will be read soon.

    It accesses nothing and never fails: the indices may be outside of the buffer.
    (``memref.prefetch``, for reading, of data, to be kept.)
    """

    name = "tir.prefetch"

    buffer = operand_def(MemRefType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)

    # a pretended effect: the op must not be moved or erased
    traits = traits_def(MemoryWriteEffect(), Canonicalized())

    def __init__(self, buffer: SSAValue, indices: AffineMap, operands: Sequence[SSAValue]) -> None:
        super().__init__(
            operands=[buffer, list(operands)], properties={"indices": AffineMapAttr(indices)}
        )

    def verify_(self) -> None:
        verify_access(self, self.buffer.type, self.indices, len(self.operands_of_map))

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        buffer = parser.parse_unresolved_operand()
        affine = AffineOperandsParser(parser)
        exprs = affine.exprs()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(
            parser.resolve_operand(buffer, parser.parse_type()),
            affine.map_of(exprs),
            affine.operands(),
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_access(printer, self.buffer, self.indices, self.operands_of_map)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)
