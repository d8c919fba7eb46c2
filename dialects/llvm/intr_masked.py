"""Masked memory intrinsics of the llvm dialect: load, store, gather and scatter."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import I1, I32, IntegerAttr, UnitAttr, VectorType, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import parse_attr_dict, print_attr_dict
from kc.dialects.llvm.intrinsics import IntrinsicOp
from kc.dialects.llvm.types import element_type, lanes

MASK = VectorType[I1]


def _verify_lanes(op: IntrinsicOp, *values: SSAValue) -> None:
    first = values[0].type
    if any(lanes(value.type) != lanes(first) for value in values):
        shown = ", ".join(str(value.type) for value in values)
        raise VerifyException(f"{op.name}: vectors of different lengths: {shown}")


def _verify_pass_thru(op: IntrinsicOp, pass_thru: SSAValue | None, result: SSAValue) -> None:
    if pass_thru is not None and pass_thru.type != result.type:
        raise VerifyException(f"{op.name}: cannot pass {pass_thru.type} through")


class MaskedReadOp(IntrinsicOp, ABC):
    """``llvm.intr.masked.load %p, %mask, %pass_thru {..} : (..) -> vector<8xf32>``."""

    traits = traits_def(MemoryReadEffect())

    @classmethod
    def parse(cls, parser: Parser) -> MaskedReadOp:
        position = parser.pos
        values = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        signature = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands(values, signature.inputs.data, position),
            result_types=signature.outputs.data,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_attr_dict(printer, self)
        printer.print_string(" : ")
        printer.print_operation_type(self)


@irdl_op_definition
class MaskedLoadOp(MaskedReadOp):
    """Lanes that are masked out come from ``pass_thru``, or are poison."""

    name = "llvm.intr.masked.load"

    data = operand_def(LLVMPointerType)
    mask = operand_def(MASK)
    pass_thru = opt_operand_def(VectorType)
    alignment = prop_def(IntegerAttr[I32])
    nontemporal = opt_prop_def(UnitAttr)
    res = result_def(VectorType)

    def __init__(
        self,
        data: SSAValue | Operation,
        mask: SSAValue | Operation,
        pass_thru: SSAValue | Operation | None,
        result_type: Attribute,
        alignment: int,
        nontemporal: bool = False,
    ):
        super().__init__(
            operands=[data, mask, pass_thru],
            result_types=[result_type],
            properties={
                "alignment": IntegerAttr(alignment, i32),
                "nontemporal": UnitAttr() if nontemporal else None,
            },
        )

    def verify_(self) -> None:
        _verify_lanes(self, self.mask, self.res)
        _verify_pass_thru(self, self.pass_thru, self.res)


@irdl_op_definition
class MaskedGatherOp(MaskedReadOp):
    """Loads through a vector of pointers."""

    name = "llvm.intr.masked.gather"

    ptrs = operand_def(VectorType)
    mask = operand_def(MASK)
    pass_thru = opt_operand_def(VectorType)
    alignment = prop_def(IntegerAttr[I32])
    res = result_def(VectorType)

    def __init__(
        self,
        ptrs: SSAValue | Operation,
        mask: SSAValue | Operation,
        pass_thru: SSAValue | Operation | None,
        result_type: Attribute,
        alignment: int,
    ):
        super().__init__(
            operands=[ptrs, mask, pass_thru],
            result_types=[result_type],
            properties={"alignment": IntegerAttr(alignment, i32)},
        )

    def verify_(self) -> None:
        _verify_lanes(self, self.ptrs, self.mask, self.res)
        _verify_pass_thru(self, self.pass_thru, self.res)
        if not isinstance(element_type(self.ptrs.type), LLVMPointerType):
            raise VerifyException(f"{self.name}: {self.ptrs.type} is not a vector of pointers")


class MaskedWriteOp(IntrinsicOp, ABC):
    """``llvm.intr.masked.store %v, %p, %mask {..} : vector<8xf32>, .. into !llvm.ptr``."""

    traits = traits_def(MemoryWriteEffect())

    @classmethod
    def parse(cls, parser: Parser) -> MaskedWriteOp:
        position = parser.pos
        values = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        value = parser.parse_type()
        parser.parse_punctuation(",")
        mask = parser.parse_type()
        parser.parse_keyword("into")
        return cls.create(
            operands=parser.resolve_operands(values, [value, parser.parse_type(), mask], position),
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        value, address, mask = self.operands
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_attr_dict(printer, self)
        printer.print_string(" : ")
        printer.print_list([value.type, mask.type], printer.print_attribute)
        printer.print_string(" into ")
        printer.print_attribute(address.type)


@irdl_op_definition
class MaskedStoreOp(MaskedWriteOp):
    name = "llvm.intr.masked.store"

    value = operand_def(VectorType)
    data = operand_def(LLVMPointerType)
    mask = operand_def(MASK)
    alignment = prop_def(IntegerAttr[I32])

    def __init__(
        self,
        value: SSAValue | Operation,
        data: SSAValue | Operation,
        mask: SSAValue | Operation,
        alignment: int,
    ):
        super().__init__(
            operands=[value, data, mask], properties={"alignment": IntegerAttr(alignment, i32)}
        )

    def verify_(self) -> None:
        _verify_lanes(self, self.value, self.mask)


@irdl_op_definition
class MaskedScatterOp(MaskedWriteOp):
    """Stores through a vector of pointers, from the first lane to the last."""

    name = "llvm.intr.masked.scatter"

    value = operand_def(VectorType)
    ptrs = operand_def(VectorType)
    mask = operand_def(MASK)
    alignment = prop_def(IntegerAttr[I32])

    def __init__(
        self,
        value: SSAValue | Operation,
        ptrs: SSAValue | Operation,
        mask: SSAValue | Operation,
        alignment: int,
    ):
        super().__init__(
            operands=[value, ptrs, mask], properties={"alignment": IntegerAttr(alignment, i32)}
        )

    def verify_(self) -> None:
        _verify_lanes(self, self.value, self.ptrs, self.mask)
        if not isinstance(element_type(self.ptrs.type), LLVMPointerType):
            raise VerifyException(f"{self.name}: {self.ptrs.type} is not a vector of pointers")
