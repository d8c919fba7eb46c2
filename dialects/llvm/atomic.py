"""Atomic read-modify-write, compare-and-exchange and fences of the llvm dialect."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, IntegerType, StringAttr, UnitAttr, i1, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import (
    parse_attr_dict,
    parse_syncscope,
    print_attr_dict,
    print_syncscope,
)
from kc.dialects.llvm.memory import (
    ORDERING_BY_KEYWORD,
    AccessOp,
    ordering_keyword,
    parse_ordering,
)
from kc.dialects.llvm.types import LLVM_FLOATS, LLVMStructType, element_type

# The operations of atomicrmw, in the order of MLIR's numbers.
ATOMIC_BIN_OPS = (
    "xchg", "add", "sub", "_and", "nand", "_or", "_xor", "max", "min", "umax", "umin", "fadd",
    "fsub", "fmax", "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fmaximum",
    "fminimum",
)  # fmt: skip
_FLOAT_OPS = {"xchg", "fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum"}


@irdl_op_definition
class AtomicRMWOp(AccessOp):
    """``llvm.atomicrmw fadd %p, %v monotonic {alignment = 4 : i64} : !llvm.ptr, f32``."""

    name = "llvm.atomicrmw"
    T: ClassVar = VarConstraint("T", AnyAttr())

    ptr = operand_def(LLVMPointerType)
    val = operand_def(T)
    bin_op = prop_def(IntegerAttr[I64])
    ordering = prop_def(IntegerAttr[I64])
    res = result_def(T)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        bin_op: str,
        ptr: SSAValue | Operation,
        val: SSAValue | Operation,
        ordering: str = "monotonic",
        alignment: int | None = None,
        syncscope: str | None = None,
        volatile: bool = False,
    ):
        super().__init__(
            operands=[ptr, val],
            result_types=[SSAValue.get(val).type],
            properties=self._properties(
                alignment,
                volatile,
                bin_op=IntegerAttr(ATOMIC_BIN_OPS.index(bin_op), i64),
                ordering=IntegerAttr(ORDERING_BY_KEYWORD[ordering], i64),
                syncscope=None if syncscope is None else StringAttr(syncscope),
            ),
        )

    @property
    def operation(self) -> str:
        """``fadd`` and so on."""
        return ATOMIC_BIN_OPS[self.bin_op.value.data]

    def verify_(self) -> None:
        if not 0 <= self.bin_op.value.data < len(ATOMIC_BIN_OPS):
            raise VerifyException(f"{self.name}: no operation {self.bin_op.value.data}")
        self._verify_ordering(self.ordering, 2)
        ty = element_type(self.val.type)
        fits = isinstance(ty, LLVM_FLOATS) and self.operation in _FLOAT_OPS
        fits |= isinstance(ty, IntegerType) and self.operation not in _FLOAT_OPS - {"xchg"}
        if not fits and not (isinstance(ty, LLVMPointerType) and self.operation == "xchg"):
            raise VerifyException(f"{self.name}: cannot {self.operation} a {self.val.type}")

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        parsed = cls._parse_volatile(parser)
        bin_op = parser.parse_keyword_in(ATOMIC_BIN_OPS)
        parsed["bin_op"] = IntegerAttr(ATOMIC_BIN_OPS.index(bin_op), i64)
        ptr = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        val = parser.parse_unresolved_operand()
        parsed |= cls._parse_scope(parser)
        parsed["ordering"] = parse_ordering(parser)
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        ptr = parser.resolve_operand(ptr, parser.parse_type())
        parser.parse_punctuation(",")
        val = parser.resolve_operand(val, parser.parse_type())
        return cls.create(
            operands=[ptr, val],
            result_types=[val.type],
            properties=parsed | properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile_ is not None else " ")
        printer.print_string(f"{self.operation} ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_syncscope(printer, self.syncscope)
        printer.print_string(f" {ordering_keyword(self.ordering)}")
        print_attr_dict(printer, self, (*self.KEYWORDS, "bin_op"))
        printer.print_string(" : ")
        printer.print_list([self.ptr.type, self.val.type], printer.print_attribute)


@irdl_op_definition
class CmpXchgOp(AccessOp):
    """``llvm.cmpxchg weak %p, %old, %new acq_rel monotonic : !llvm.ptr, i32``.

    The result is a struct: the previous value, and true if it was exchanged.
    """

    name = "llvm.cmpxchg"
    T: ClassVar = VarConstraint("T", AnyAttr())

    ptr = operand_def(LLVMPointerType)
    cmp = operand_def(T)
    val = operand_def(T)
    success_ordering = prop_def(IntegerAttr[I64])
    failure_ordering = prop_def(IntegerAttr[I64])
    weak = opt_prop_def(UnitAttr)
    res = result_def(LLVMStructType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        ptr: SSAValue | Operation,
        cmp: SSAValue | Operation,
        val: SSAValue | Operation,
        success_ordering: str = "acq_rel",
        failure_ordering: str = "monotonic",
        alignment: int | None = None,
        weak: bool = False,
        volatile: bool = False,
    ):
        super().__init__(
            operands=[ptr, cmp, val],
            result_types=[LLVMStructType.from_type_list([SSAValue.get(val).type, i1])],
            properties=self._properties(
                alignment,
                volatile,
                success_ordering=IntegerAttr(ORDERING_BY_KEYWORD[success_ordering], i64),
                failure_ordering=IntegerAttr(ORDERING_BY_KEYWORD[failure_ordering], i64),
                weak=UnitAttr() if weak else None,
            ),
        )

    def verify_(self) -> None:
        self._verify_ordering(self.success_ordering, 2)
        self._verify_ordering(self.failure_ordering, 2)
        if self.failure_ordering.value.data in (5, 6):
            raise VerifyException(f"{self.name}: the failure ordering cannot release")
        if not isinstance(self.val.type, IntegerType | LLVMPointerType):
            raise VerifyException(f"{self.name}: cannot exchange a {self.val.type}")
        if self.res.type != LLVMStructType.from_type_list([self.val.type, i1]):
            raise VerifyException(f"{self.name}: wrong result type {self.res.type}")

    @classmethod
    def parse(cls, parser: Parser) -> CmpXchgOp:
        parsed = {"weak": UnitAttr()} if parser.parse_optional_keyword("weak") else {}
        parsed |= cls._parse_volatile(parser)
        values = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parsed |= cls._parse_scope(parser)
        parsed["success_ordering"] = parse_ordering(parser)
        parsed["failure_ordering"] = parse_ordering(parser)
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        position = parser.pos
        ptr = parser.parse_type()
        parser.parse_punctuation(",")
        ty = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(values, [ptr, ty, ty], position),
            result_types=[LLVMStructType.from_type_list([ty, i1])],
            properties=parsed | properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" weak" if self.weak is not None else "")
        printer.print_string(" volatile " if self.volatile_ is not None else " ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_syncscope(printer, self.syncscope)
        printer.print_string(
            f" {ordering_keyword(self.success_ordering)} {ordering_keyword(self.failure_ordering)}"
        )
        orderings = ("success_ordering", "failure_ordering", "weak")
        print_attr_dict(printer, self, (*self.KEYWORDS, *orderings))
        printer.print_string(" : ")
        printer.print_list([self.ptr.type, self.val.type], printer.print_attribute)


@irdl_op_definition
class FenceOp(IRDLOperation):
    """``llvm.fence syncscope("singlethread") seq_cst``."""

    name = "llvm.fence"

    ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, ordering: str = "seq_cst", syncscope: str | None = None):
        super().__init__(
            properties={
                "ordering": IntegerAttr(ORDERING_BY_KEYWORD[ordering], i64),
                "syncscope": None if syncscope is None else StringAttr(syncscope),
            }
        )

    def verify_(self) -> None:
        if self.ordering.value.data not in (4, 5, 6, 7):
            raise VerifyException(f"{self.name}: no ordering {self.ordering.value.data} for fences")

    @classmethod
    def parse(cls, parser: Parser) -> FenceOp:
        scope = parse_syncscope(parser)
        ordering = parse_ordering(parser)
        properties, attributes = parse_attr_dict(cls, parser)
        properties["ordering"] = ordering
        if scope is not None:
            properties["syncscope"] = scope
        return cls.create(properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        print_syncscope(printer, self.syncscope)
        printer.print_string(f" {ordering_keyword(self.ordering)}")
        print_attr_dict(printer, self, ("ordering", "syncscope"))
