"""The ``memref`` dialect: xDSL's, with additional ops and with MLIR's text."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import I32, BoolAttr, IndexType, IntegerAttr, MemRefType, i32
from xdsl.ir import Dialect, Operation, SSAValue
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
from xdsl.utils.exceptions import VerifyException

from kc.dialects import memref_views
from kc.dialects.memref_atomics import AtomicRMWOp


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """``memref.prefetch %A[%i, %j], read, locality<3>, data : memref<64x64xf32>``.

    The element will be read (or written). Locality ranges from 0 (no reuse) to 3 (frequent reuse).
    The cache is that of ``data`` or ``instr``. The indices may be out of bounds.
    """

    name = "memref.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    isWrite = prop_def(BoolAttr)
    localityHint = prop_def(IntegerAttr[I32])
    isDataCache = prop_def(BoolAttr)

    # a pretended effect: the op must not be moved or erased
    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        memref: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        *,
        write: bool = False,
        locality: int = 3,
        data: bool = True,
    ) -> None:
        super().__init__(
            operands=[memref, list(indices)],
            properties={
                "isWrite": BoolAttr.from_bool(write),
                "localityHint": IntegerAttr(locality, i32),
                "isDataCache": BoolAttr.from_bool(data),
            },
        )

    @property
    def writes(self) -> bool:
        """True if the element will be written."""
        return bool(self.isWrite.value.data)

    @property
    def of_data(self) -> bool:
        """True for data, False for code."""
        return bool(self.isDataCache.value.data)

    def verify_(self) -> None:
        assert isinstance(self.memref.type, MemRefType)
        if len(self.indices) != self.memref.type.get_num_dims():
            raise VerifyException("memref.prefetch: an index for each dimension is needed")
        if not 0 <= self.localityHint.value.data <= 3:
            raise VerifyException("memref.prefetch: the locality is 0 to 3")

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        buffer = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(",")
        how = parser.parse_keyword_in(["read", "write"])
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        with parser.in_angle_brackets():
            locality = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(",")
        what = parser.parse_keyword_in(["data", "instr"])
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(
            parser.resolve_operand(buffer, parser.parse_type()),
            [parser.resolve_operand(index, IndexType()) for index in indices],
            write=how == "write",
            locality=locality,
            data=what == "data",
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_string(", write" if self.writes else ", read")
        printer.print_string(f", locality<{self.localityHint.value.data}>")
        printer.print_string(", data" if self.of_data else ", instr")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


_CLASSES: dict[str, type[Operation]] = {
    AtomicRMWOp.name: AtomicRMWOp,
    **memref_views.REPLACED,
}

MEMREF = Dialect(
    "memref",
    [
        *(_CLASSES.get(op.name, op) for op in memref.MemRef.operations),
        *memref_views.ADDED,
        PrefetchOp,
    ],
    list(memref.MemRef.attributes),
    list(memref.MemRef._interfaces),
)
"""xDSL's dialect with the ops of this module."""
