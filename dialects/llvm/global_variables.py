"""Global variables of the llvm dialect."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    I32,
    I64,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.llvm import LinkageAttr, ReturnOp
from xdsl.ir import Attribute, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import parse_attr_dict, shown_attributes
from kc.dialects.llvm.symbols import as_linkage, parse_symbol_keywords, print_symbol_keywords
from kc.dialects.llvm.types import LLVMArrayType
from kc.dialects.llvm.values import verify_constant


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """``llvm.mlir.global internal constant @g(dense<..> : tensor<4xf32>) {..} : !llvm.array<..>``.

    Initialised by a value, or by a region that returns it. Without an initialiser the variable is
    external.
    """

    name = "llvm.mlir.global"

    global_type = prop_def()
    sym_name = prop_def(SymbolNameConstraint())
    linkage = prop_def(LinkageAttr)
    addr_space = prop_def(IntegerAttr[I32], default_value=IntegerAttr(0, i32))
    visibility_ = prop_def(IntegerAttr[I64], default_value=IntegerAttr(0, i64))
    unnamed_addr = prop_def(IntegerAttr[I64], default_value=IntegerAttr(0, i64))
    constant = opt_prop_def(UnitAttr)
    dso_local = opt_prop_def(UnitAttr)
    thread_local_ = opt_prop_def(UnitAttr)
    value = opt_prop_def()
    alignment = opt_prop_def(IntegerAttr[I64])
    section = opt_prop_def(StringAttr)
    initializer = region_def()

    traits = traits_def(SymbolOpInterface(), IsolatedFromAbove())

    def __init__(
        self,
        global_type: Attribute,
        sym_name: str | StringAttr,
        linkage: str | LinkageAttr = "external",
        addr_space: int = 0,
        constant: bool = False,
        dso_local: bool = False,
        thread_local: bool = False,
        value: Attribute | None = None,
        alignment: int | None = None,
        unnamed_addr: int = 0,
        section: str | None = None,
        initializer: Region | None = None,
    ):
        super().__init__(
            properties={
                "global_type": global_type,
                "sym_name": StringAttr(sym_name) if isinstance(sym_name, str) else sym_name,
                "linkage": as_linkage(linkage),
                "addr_space": IntegerAttr(addr_space, i32),
                "unnamed_addr": IntegerAttr(unnamed_addr, i64),
                "constant": UnitAttr() if constant else None,
                "dso_local": UnitAttr() if dso_local else None,
                "thread_local_": UnitAttr() if thread_local else None,
                "value": value,
                "alignment": None if alignment is None else IntegerAttr(alignment, i64),
                "section": None if section is None else StringAttr(section),
            },
            regions=[Region() if initializer is None else initializer],
        )

    def verify_(self) -> None:
        where = f"{self.name} @{self.sym_name.data}"
        if self.value is not None:
            verify_constant(where, self.value, self.global_type)
        if (block := self.initializer.first_block) is None:
            return
        if self.value is not None:
            raise VerifyException(f"{where}: has a value and an initializer region")
        end = block.last_op
        if not isinstance(end, ReturnOp) or end.arg is None or end.arg.type != self.global_type:
            raise VerifyException(f"{where}: the initializer must return {self.global_type}")

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        properties = parse_symbol_keywords(parser)
        if parser.parse_optional_keyword("constant") is not None:
            properties["constant"] = UnitAttr()
        properties["sym_name"] = parser.parse_symbol_name()
        value = None
        parser.parse_punctuation("(")
        if parser.parse_optional_punctuation(")") is None:
            properties["value"] = value = parser.parse_attribute()
            parser.parse_punctuation(")")
        attr_properties, attributes = parse_attr_dict(cls, parser)
        if parser.parse_optional_punctuation(":") is not None:
            properties["global_type"] = parser.parse_type()
        elif isinstance(value, StringAttr):
            size = len(value.data.encode())
            properties["global_type"] = LLVMArrayType(size, IntegerType(8))
        else:
            parser.raise_error("expected ':' and the type of the global")
        return cls.create(
            properties=attr_properties | properties,
            attributes=attributes,
            regions=[parser.parse_optional_region() or Region()],
        )

    def print(self, printer: Printer) -> None:
        print_symbol_keywords(
            printer,
            self.linkage,
            self.visibility_,
            self.unnamed_addr,
            thread_local=self.thread_local_ is not None,
            always_linkage=True,
        )
        printer.print_string(" constant " if self.constant is not None else " ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            if self.value is not None:
                printer.print_attribute(self.value)
        shown = shown_attributes(self, _GLOBAL_SYNTAX)
        shown["addr_space"] = self.addr_space  # MLIR always prints it
        printer.print_op_attributes(dict(sorted(shown.items())))
        if not isinstance(self.value, StringAttr):
            printer.print_string(" : ")
            printer.print_attribute(self.global_type)
        if self.initializer.first_block is not None:
            printer.print_string(" ")
            printer.print_region(self.initializer)


_GLOBAL_SYNTAX = {
    "global_type", "sym_name", "linkage", "constant", "thread_local_", "visibility_",
    "unnamed_addr", "value",
}  # fmt: skip
