"""Load and store of the llvm dialect, and common parts of its memory accesses."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.llvm import ATOMIC_ORDERING_KEYWORDS, LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryReadEffect,
    MemoryWriteEffect,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import (
    parse_attr_dict,
    parse_syncscope,
    print_attr_dict,
    print_syncscope,
)
from kc.dialects.llvm.types import is_compatible_type

ORDERING_BY_KEYWORD = {keyword: value for value, keyword in ATOMIC_ORDERING_KEYWORDS.items()}


def parse_ordering(parser: Parser) -> IntegerAttr:
    """``seq_cst`` and so on, as MLIR's number."""
    keyword = parser.parse_keyword_in(ORDERING_BY_KEYWORD)
    return IntegerAttr(ORDERING_BY_KEYWORD[keyword], i64)


def ordering_keyword(ordering: IntegerAttr) -> str:
    """The inverse of :func:`parse_ordering`."""
    return ATOMIC_ORDERING_KEYWORDS[ordering.value.data]


def _ordering_attr(ordering: int | str) -> IntegerAttr:
    return IntegerAttr(
        ORDERING_BY_KEYWORD[ordering] if isinstance(ordering, str) else ordering, i64
    )


class AccessOp(IRDLOperation, ABC):
    """The base of ops that access memory."""

    KEYWORDS: ClassVar[tuple[str, ...]] = (
        "ordering",
        "syncscope",
        "volatile_",
        "invariant",
        "invariantGroup",
    )
    """Properties printed outside the attribute dictionary."""

    alignment = opt_prop_def(IntegerAttr[I64])
    volatile_ = opt_prop_def(UnitAttr)
    syncscope = opt_prop_def(StringAttr)
    access_groups = opt_prop_def(ArrayAttr)
    alias_scopes = opt_prop_def(ArrayAttr)
    noalias_scopes = opt_prop_def(ArrayAttr)

    @staticmethod
    def _properties(
        alignment: int | None, volatile: bool, **properties: Attribute | None
    ) -> dict[str, Attribute | None]:
        return {
            "alignment": None if alignment is None else IntegerAttr(alignment, i64),
            "volatile_": UnitAttr() if volatile else None,
            **properties,
        }

    @staticmethod
    def _parse_volatile(parser: Parser) -> dict[str, Attribute]:
        return {"volatile_": UnitAttr()} if parser.parse_optional_keyword("volatile") else {}

    @staticmethod
    def _parse_scope(parser: Parser) -> dict[str, Attribute]:
        scope = parse_syncscope(parser)
        return {} if scope is None else {"syncscope": scope}

    @classmethod
    def _parse_order(cls, parser: Parser) -> dict[str, Attribute]:
        """``atomic syncscope("s") acquire invariant invariant_group``, each part optional."""
        parsed: dict[str, Attribute] = {"ordering": IntegerAttr(0, i64)}
        if parser.parse_optional_keyword("atomic") is not None:
            parsed |= cls._parse_scope(parser)
            parsed["ordering"] = parse_ordering(parser)
        if parser.parse_optional_keyword("invariant") is not None:
            parsed["invariant"] = UnitAttr()
        if parser.parse_optional_keyword("invariant_group") is not None:
            parsed["invariantGroup"] = UnitAttr()
        return parsed

    def _print_order(self, printer: Printer) -> None:
        ordering = self.properties["ordering"]
        assert isinstance(ordering, IntegerAttr)
        if ordering.value.data:
            printer.print_string(" atomic")
            print_syncscope(printer, self.syncscope)
            printer.print_string(f" {ordering_keyword(ordering)}")
        if "invariant" in self.properties:
            printer.print_string(" invariant")
        if "invariantGroup" in self.properties:
            printer.print_string(" invariant_group")

    def _verify_ordering(self, ordering: IntegerAttr, least: int) -> None:
        """Refuse orderings below ``least``; 0 is not atomic, 1 is unordered."""
        value = ordering.value.data
        if value < least or (value and value not in ATOMIC_ORDERING_KEYWORDS):
            raise VerifyException(f"{self.name}: no atomic ordering {value}")


@irdl_op_definition
class LoadOp(AccessOp):
    """``llvm.load volatile %p {alignment = 4 : i64, nontemporal} : !llvm.ptr -> f32``."""

    name = "llvm.load"

    ptr = operand_def(LLVMPointerType)
    ordering = prop_def(IntegerAttr[I64], default_value=IntegerAttr(0, i64))
    nontemporal = opt_prop_def(UnitAttr)
    invariant = opt_prop_def(UnitAttr)
    invariantGroup = opt_prop_def(UnitAttr)
    dereferenced_value = result_def()

    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        ptr: SSAValue | Operation,
        result_type: Attribute,
        alignment: int | None = None,
        ordering: int | str = 0,
        *,
        volatile: bool = False,
        nontemporal: bool = False,
        invariant: bool = False,
        access_groups: ArrayAttr | None = None,
        alias_scopes: ArrayAttr | None = None,
        noalias_scopes: ArrayAttr | None = None,
    ):
        super().__init__(
            operands=[ptr],
            result_types=[result_type],
            properties=self._properties(
                alignment,
                volatile,
                ordering=_ordering_attr(ordering),
                nontemporal=UnitAttr() if nontemporal else None,
                invariant=UnitAttr() if invariant else None,
                access_groups=access_groups,
                alias_scopes=alias_scopes,
                noalias_scopes=noalias_scopes,
            ),
        )

    def verify_(self) -> None:
        self._verify_ordering(self.ordering, 0)
        if self.ordering.value.data in (5, 6):
            raise VerifyException(f"{self.name}: a load cannot release")
        if self.ordering.value.data and self.alignment is None:
            raise VerifyException(f"{self.name}: an atomic load needs an alignment")
        if not is_compatible_type(self.dereferenced_value.type):
            raise VerifyException(f"{self.name}: cannot load {self.dereferenced_value.type}")

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        parsed = cls._parse_volatile(parser)
        ptr = parser.parse_unresolved_operand()
        parsed |= cls._parse_order(parser)
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        ptr = parser.resolve_operand(ptr, parser.parse_type())
        parser.parse_punctuation("->")
        return cls.create(
            operands=[ptr],
            result_types=[parser.parse_type()],
            properties=parsed | properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile_ is not None else " ")
        printer.print_ssa_value(self.ptr)
        self._print_order(printer)
        print_attr_dict(printer, self, self.KEYWORDS)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.dereferenced_value.type)


@irdl_op_definition
class StoreOp(AccessOp):
    """``llvm.store %v, %p {alignment = 4 : i64, nontemporal} : f32, !llvm.ptr``."""

    name = "llvm.store"

    value = operand_def()
    ptr = operand_def(LLVMPointerType)
    ordering = prop_def(IntegerAttr[I64], default_value=IntegerAttr(0, i64))
    nontemporal = opt_prop_def(UnitAttr)
    invariantGroup = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        value: SSAValue | Operation,
        ptr: SSAValue | Operation,
        alignment: int | None = None,
        ordering: int | str = 0,
        volatile: bool = False,
        nontemporal: bool = False,
        *,
        access_groups: ArrayAttr | None = None,
        alias_scopes: ArrayAttr | None = None,
        noalias_scopes: ArrayAttr | None = None,
    ):
        super().__init__(
            operands=[value, ptr],
            properties=self._properties(
                alignment,
                volatile,
                ordering=_ordering_attr(ordering),
                nontemporal=UnitAttr() if nontemporal else None,
                access_groups=access_groups,
                alias_scopes=alias_scopes,
                noalias_scopes=noalias_scopes,
            ),
        )

    def verify_(self) -> None:
        self._verify_ordering(self.ordering, 0)
        if self.ordering.value.data in (4, 6):
            raise VerifyException(f"{self.name}: a store cannot acquire")
        if self.ordering.value.data and self.alignment is None:
            raise VerifyException(f"{self.name}: an atomic store needs an alignment")
        if not is_compatible_type(self.value.type):
            raise VerifyException(f"{self.name}: cannot store {self.value.type}")

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        parsed = cls._parse_volatile(parser)
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        ptr = parser.parse_unresolved_operand()
        parsed |= cls._parse_order(parser)
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        value = parser.resolve_operand(value, parser.parse_type())
        parser.parse_punctuation(",")
        ptr = parser.resolve_operand(ptr, parser.parse_type())
        return cls.create(
            operands=[value, ptr], properties=parsed | properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" volatile " if self.volatile_ is not None else " ")
        printer.print_list(self.operands, printer.print_ssa_value)
        self._print_order(printer)
        print_attr_dict(printer, self, self.KEYWORDS)
        printer.print_string(" : ")
        printer.print_list([self.value.type, self.ptr.type], printer.print_attribute)
