"""Comparisons, select and freeze of the llvm dialect.

Integer and float arithmetic are xDSL's ops; :mod:`kc.dialects.llvm` lists them.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    I64,
    IntegerAttr,
    IntegerType,
    i1,
    i64,
)
from xdsl.dialects.llvm import (
    FastMathAttr,
    FCmpPredicateFlag,
    ICmpPredicateFlag,
    LLVMPointerType,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import parse_attr_dict, print_attr_dict
from kc.dialects.llvm.types import LLVM_FLOATS, element_type, lanes, same_shape

NO_FAST_MATH = FastMathAttr(None)


def as_fast_math(flags: FastMathAttr | FastMathFlag | None) -> FastMathAttr:
    """Fast-math flags as an attribute, from an attribute, one flag or None."""
    if isinstance(flags, FastMathAttr):
        return flags
    return FastMathAttr(None if flags is None else (flags,))


class CompareOp(IRDLOperation, ABC):
    """``llvm.icmp "slt" %a, %b : i64``: an i1, or a vector of them."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    PREDICATES: ClassVar[type[ICmpPredicateFlag] | type[FCmpPredicateFlag]]
    ELEMENTS: ClassVar[tuple[type, ...]]

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def()
    predicate = prop_def(IntegerAttr[I64])

    traits = traits_def(Pure())

    def _build(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: str | IntegerAttr,
        **properties: Attribute,
    ) -> None:
        if isinstance(predicate, str):
            predicate = IntegerAttr(self.PREDICATES(predicate).to_int(), i64)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[same_shape(SSAValue.get(lhs).type, i1)],
            properties={"predicate": predicate, **properties},
        )

    def verify_(self) -> None:
        if not isinstance(element_type(self.lhs.type), self.ELEMENTS):
            raise VerifyException(f"{self.name}: cannot compare {self.lhs.type}")
        if self.res.type != (expected := same_shape(self.lhs.type, i1)):
            raise VerifyException(f"{self.name}: result is {self.res.type}, must be {expected}")
        if not 0 <= self.predicate.value.data < len(self.PREDICATES):
            raise VerifyException(f"{self.name}: no predicate {self.predicate.value.data}")

    @classmethod
    def parse(cls, parser: Parser) -> CompareOp:
        position = parser.pos
        name = parser.parse_str_literal()
        if name not in [flag.value for flag in cls.PREDICATES]:
            parser.raise_error(f"unknown predicate '{name}'", position, parser.pos)
        predicate = IntegerAttr(cls.PREDICATES(name).to_int(), i64)
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        position = parser.pos
        ty = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands([lhs, rhs], [ty, ty], position),
            result_types=[same_shape(ty, i1)],
            properties={"predicate": predicate, **properties},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        predicate = self.PREDICATES.from_int(self.predicate.value.data)
        printer.print_string(f' "{predicate}" ')
        printer.print_list(self.operands, printer.print_ssa_value)
        print_attr_dict(printer, self, ("predicate",))
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class ICmpOp(CompareOp):
    """Compares integers or pointers."""

    name = "llvm.icmp"
    PREDICATES: ClassVar = ICmpPredicateFlag
    ELEMENTS: ClassVar = (IntegerType, LLVMPointerType)

    def __init__(
        self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, predicate: str | IntegerAttr
    ):
        self._build(lhs, rhs, predicate)


@irdl_op_definition
class FCmpOp(CompareOp):
    name = "llvm.fcmp"
    PREDICATES: ClassVar = FCmpPredicateFlag
    ELEMENTS: ClassVar = LLVM_FLOATS

    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: str | IntegerAttr,
        fast_math: FastMathAttr | FastMathFlag | None = None,
    ):
        self._build(lhs, rhs, predicate, fastmathFlags=as_fast_math(fast_math))


@irdl_op_definition
class SelectOp(IRDLOperation):
    """``llvm.select %c, %a, %b : i1, f32``; a vector condition selects lane by lane."""

    name = "llvm.select"
    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def()
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)

    traits = traits_def(Pure())

    def __init__(
        self,
        cond: SSAValue | Operation,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        fast_math: FastMathAttr | FastMathFlag | None = None,
    ):
        super().__init__(
            operands=[cond, lhs, rhs],
            result_types=[SSAValue.get(lhs).type],
            properties={"fastmathFlags": as_fast_math(fast_math)},
        )

    def verify_(self) -> None:
        cond = self.cond.type
        if element_type(cond) != i1 or (lanes(cond) and lanes(cond) != lanes(self.res.type)):
            raise VerifyException(f"{self.name}: a condition {cond} cannot select {self.res.type}")

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        position = parser.pos
        cond = parser.parse_type()
        parser.parse_punctuation(",")
        ty = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(operands, [cond, ty, ty], position),
            result_types=[ty],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_attr_dict(printer, self)
        printer.print_string(" : ")
        printer.print_list([self.cond.type, self.res.type], printer.print_attribute)


@irdl_op_definition
class FreezeOp(IRDLOperation):
    """The operand, or an arbitrary but fixed value if the operand is poison."""

    name = "llvm.freeze"
    T: ClassVar = VarConstraint("T", AnyAttr())

    val = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$val attr-dict `:` type($val)"

    def __init__(self, val: SSAValue | Operation):
        super().__init__(operands=[val], result_types=[SSAValue.get(val).type])
