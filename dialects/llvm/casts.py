"""Casts of the llvm dialect."""

from __future__ import annotations

from abc import ABC
from typing import Any, ClassVar, TypeVar

from xdsl.dialects.builtin import I32, IntegerAttr, IntegerType, UnitAttr, i32, i64
from xdsl.dialects.llvm import LLVMPointerType, OverflowAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import parse_attr_dict, print_attr_dict
from kc.dialects.llvm.types import LLVM_FLOATS, bit_width, element_type, lanes

ElementTypes = type | tuple[type, ...]


class CastOp(IRDLOperation, ABC):
    """``llvm.sitofp %x : i32 to f32``, on scalars or lane by lane."""

    KINDS: ClassVar[tuple[ElementTypes, ElementTypes]]
    """The element types of the operand and of the result."""
    WIDENS: ClassVar[bool | None] = None
    """True if the result must be wider than the operand, False if it must be narrower."""

    arg = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(self, arg: SSAValue | Operation, res_type: Attribute):
        super().__init__(operands=[arg], result_types=[res_type])

    def verify_(self) -> None:
        source, target = self.arg.type, self.res.type
        bad = lanes(source) != lanes(target)
        source, target = element_type(source), element_type(target)
        bad |= not isinstance(source, self.KINDS[0]) or not isinstance(target, self.KINDS[1])
        if not bad and self.WIDENS is not None:
            widths = bit_width(source) or 0, bit_width(target) or 0
            bad = widths[0] >= widths[1] if self.WIDENS else widths[0] <= widths[1]
        if bad:
            raise VerifyException(f"{self.name}: no cast from {self.arg.type} to {self.res.type}")

    @classmethod
    def parse_flags(cls, parser: Parser) -> dict[str, Attribute]:
        """Properties written before the operand."""
        return {}

    @classmethod
    def parse_overflow(cls, parser: Parser) -> dict[str, Attribute]:
        """Properties written after the operand."""
        return {}

    def print_flags(self, printer: Printer) -> None: ...

    def print_overflow(self, printer: Printer) -> None: ...

    @classmethod
    def parse(cls, parser: Parser) -> CastOp:
        flags = cls.parse_flags(parser)
        arg = parser.parse_unresolved_operand()
        flags |= cls.parse_overflow(parser)
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_keyword("to")
        return cls.create(
            operands=[parser.resolve_operand(arg, source)],
            result_types=[parser.parse_type()],
            properties=properties | flags,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        self.print_flags(printer)
        printer.print_string(" ")
        printer.print_ssa_value(self.arg)
        self.print_overflow(printer)
        print_attr_dict(printer, self, ("nonNeg", "overflowFlags"))
        printer.print_string(" : ")
        printer.print_attribute(self.arg.type)
        printer.print_string(" to ")
        printer.print_attribute(self.res.type)


class NonNegCastOp(CastOp, ABC):
    """A cast with the flag ``nneg``: a negative operand gives poison."""

    non_neg = opt_prop_def(UnitAttr, prop_name="nonNeg")

    def __init__(
        self,
        arg: SSAValue | Operation,
        res_type: Attribute,
        *,
        non_neg: bool = False,
    ):
        super().__init__(arg, res_type)
        self.non_neg = UnitAttr() if non_neg else None

    @classmethod
    def parse_flags(cls, parser: Parser) -> dict[str, Attribute]:
        return {"nonNeg": UnitAttr()} if parser.parse_optional_keyword("nneg") else {}

    def print_flags(self, printer: Printer) -> None:
        if self.non_neg is not None:
            printer.print_string(" nneg")


Shape = TypeVar("Shape", bound=CastOp)


def _cast(
    shape: type[Shape],
    class_name: str,
    name: str,
    source: ElementTypes,
    result: ElementTypes,
    widens: bool | None = None,
) -> type[Shape]:
    """The cast ``llvm.NAME`` from elements of the types ``source`` to those of ``result``."""
    plain: Any = type(class_name, (shape,), {"name": f"llvm.{name}", "__module__": __name__})
    op = irdl_op_definition(plain)
    op.KINDS, op.WIDENS = (source, result), widens
    return op


# fmt: off
ZExtOp = _cast(NonNegCastOp, "ZExtOp", "zext", IntegerType, IntegerType, widens=True)
SExtOp = _cast(CastOp, "SExtOp", "sext", IntegerType, IntegerType, widens=True)
SIToFPOp = _cast(CastOp, "SIToFPOp", "sitofp", IntegerType, LLVM_FLOATS)
UIToFPOp = _cast(NonNegCastOp, "UIToFPOp", "uitofp", IntegerType, LLVM_FLOATS)
FPToSIOp = _cast(CastOp, "FPToSIOp", "fptosi", LLVM_FLOATS, IntegerType)
FPToUIOp = _cast(CastOp, "FPToUIOp", "fptoui", LLVM_FLOATS, IntegerType)
FPExtOp = _cast(CastOp, "FPExtOp", "fpext", LLVM_FLOATS, LLVM_FLOATS, widens=True)
FPTruncOp = _cast(CastOp, "FPTruncOp", "fptrunc", LLVM_FLOATS, LLVM_FLOATS, widens=False)
AddrSpaceCastOp = _cast(
    CastOp, "AddrSpaceCastOp", "addrspacecast", LLVMPointerType, LLVMPointerType)
# fmt: on


@irdl_op_definition
class TruncOp(CastOp):
    name = "llvm.trunc"
    KINDS: ClassVar = (IntegerType, IntegerType)
    WIDENS: ClassVar = False

    overflowFlags = opt_prop_def(IntegerAttr[I32])

    def __init__(
        self,
        arg: SSAValue | Operation,
        res_type: Attribute,
        *,
        overflow: OverflowAttr | None = None,
    ):
        super().__init__(arg, res_type)
        if overflow is not None and overflow.data:
            self.overflowFlags = IntegerAttr(overflow.to_int(), i32)

    @classmethod
    def parse_overflow(cls, parser: Parser) -> dict[str, Attribute]:
        flags = OverflowAttr.parse(parser)
        return {"overflowFlags": IntegerAttr(flags.to_int(), i32)} if flags.data else {}

    def print_overflow(self, printer: Printer) -> None:
        if self.overflowFlags is not None:
            OverflowAttr.from_int(self.overflowFlags.value.data).print(printer)


@irdl_op_definition
class IntToPtrOp(CastOp):
    name = "llvm.inttoptr"
    KINDS: ClassVar = (IntegerType, LLVMPointerType)

    def __init__(self, arg: SSAValue | Operation, res_type: Attribute | None = None):
        super().__init__(arg, LLVMPointerType() if res_type is None else res_type)


@irdl_op_definition
class PtrToIntOp(CastOp):
    name = "llvm.ptrtoint"
    KINDS: ClassVar = (LLVMPointerType, IntegerType)

    def __init__(self, arg: SSAValue | Operation, res_type: Attribute = i64):
        super().__init__(arg, res_type)


@irdl_op_definition
class BitcastOp(CastOp):
    """The same bits as another type of the same size. Either both types are pointers, or
    neither.
    """

    name = "llvm.bitcast"
    KINDS: ClassVar = (Attribute, Attribute)

    def verify_(self) -> None:
        source, target = bit_width(self.arg.type), bit_width(self.res.type)
        pointers = [isinstance(element_type(v.type), LLVMPointerType) for v in (self.arg, self.res)]
        if source != target or pointers[0] != pointers[1]:
            raise VerifyException(f"{self.name}: no cast from {self.arg.type} to {self.res.type}")
