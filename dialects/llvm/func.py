"""Functions of the llvm dialect."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.dialects.llvm import (
    FramePointerKindAttr,
    LinkageAttr,
    LLVMVoidType,
    ReturnOp,
    TargetFeaturesAttr,
)
from xdsl.ir import Attribute, Block, Region
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

from kc.dialects.llvm.base import shown_attributes
from kc.dialects.llvm.symbols import (
    CALLING_CONVENTIONS,
    CallingConventionAttr,
    MemoryEffectsAttr,
    UWTableKindAttr,
    as_linkage,
    parse_symbol_keywords,
    print_symbol_keywords,
)
from kc.dialects.llvm.types import LLVMFunctionType


@irdl_op_definition
class FuncOp(IRDLOperation):
    """``llvm.func internal @f(%p: !llvm.ptr {llvm.noalias}) -> f32 attributes {..} {..}``.

    A declaration has a body without blocks.
    """

    name = "llvm.func"

    body = region_def()
    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(LLVMFunctionType)
    CConv = prop_def(CallingConventionAttr, default_value=CallingConventionAttr("ccc"))
    linkage = prop_def(LinkageAttr, default_value=LinkageAttr("external"))
    visibility_ = prop_def(IntegerAttr[I64], default_value=IntegerAttr(0, i64))
    unnamed_addr = prop_def(IntegerAttr[I64], default_value=IntegerAttr(0, i64))
    sym_visibility = opt_prop_def(StringAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])

    dso_local = opt_prop_def(UnitAttr)
    section = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[I64])
    passthrough = opt_prop_def(ArrayAttr)
    target_cpu = opt_prop_def(StringAttr)
    tune_cpu = opt_prop_def(StringAttr)
    target_features = opt_prop_def(TargetFeaturesAttr)
    prefer_vector_width = opt_prop_def(StringAttr)
    reciprocal_estimates = opt_prop_def(StringAttr)
    frame_pointer = opt_prop_def(FramePointerKindAttr)
    uwtable_kind = opt_prop_def(UWTableKindAttr)
    memory_effects = opt_prop_def(MemoryEffectsAttr)
    no_infs_fp_math = opt_prop_def(BoolAttr)
    no_nans_fp_math = opt_prop_def(BoolAttr)
    no_signed_zeros_fp_math = opt_prop_def(BoolAttr)
    denormal_fp_math = opt_prop_def(StringAttr)
    denormal_fp_math_f32 = opt_prop_def(StringAttr)
    fp_contract = opt_prop_def(StringAttr)
    always_inline = opt_prop_def(UnitAttr)
    inline_hint = opt_prop_def(UnitAttr)
    no_inline = opt_prop_def(UnitAttr)
    no_unwind = opt_prop_def(UnitAttr)
    will_return = opt_prop_def(UnitAttr)
    convergent = opt_prop_def(UnitAttr)
    optimize_none = opt_prop_def(UnitAttr)

    traits = traits_def(SymbolOpInterface(), IsolatedFromAbove())

    def __init__(
        self,
        sym_name: str | StringAttr,
        function_type: LLVMFunctionType,
        linkage: str | LinkageAttr = "external",
        cconv: str | CallingConventionAttr = "ccc",
        body: Region | None = None,
        properties: Mapping[str, Attribute | None] | None = None,
        attributes: Mapping[str, Attribute | None] | None = None,
    ):
        """``properties`` contains further properties by their MLIR names: passthrough, no_unwind,
        ...
        """
        super().__init__(
            regions=[Region() if body is None else body],
            properties={
                "sym_name": StringAttr(sym_name) if isinstance(sym_name, str) else sym_name,
                "function_type": function_type,
                "linkage": as_linkage(linkage),
                "CConv": CallingConventionAttr(cconv) if isinstance(cconv, str) else cconv,
                **(properties or {}),
            },
            attributes=attributes,
        )

    @property
    def is_declaration(self) -> bool:
        return self.body.first_block is None

    def arg_attr(self, index: int) -> Mapping[str, Attribute]:
        """The attributes of one argument."""
        return self.arg_attrs.data[index].data if self.arg_attrs is not None else {}

    def verify_(self) -> None:
        ty, where = self.function_type, f"{self.name} @{self.sym_name.data}"
        if self.arg_attrs is not None and len(self.arg_attrs) != len(ty.inputs):
            raise VerifyException(f"{where}: {len(self.arg_attrs)} arg_attrs for {ty}")
        entry = self.body.first_block
        if entry is None:
            if self.linkage.linkage.data not in ("external", "extern_weak"):
                raise VerifyException(f"{where}: a declaration must be external")
            return
        if tuple(arg.type for arg in entry.args) != ty.inputs.data:
            raise VerifyException(f"{where}: entry block arguments do not match {ty}")
        for block in self.body.blocks:
            if isinstance(end := block.last_op, ReturnOp):
                result = LLVMVoidType() if end.arg is None else end.arg.type
                if result != ty.output:
                    raise VerifyException(f"{where}: returns {result}, must return {ty.output}")

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        properties = parse_symbol_keywords(parser)
        cconv = parser.parse_optional_keyword_in(CALLING_CONVENTIONS) or "ccc"
        properties["CConv"] = CallingConventionAttr(cconv)
        properties["sym_name"] = parser.parse_symbol_name()
        position = parser.pos
        inputs: list[Attribute] = []
        arguments: list[Parser.Argument] = []
        arg_attrs: list[DictionaryAttr] = []
        variadic = False

        def parse_input() -> None:
            nonlocal variadic
            if variadic:
                parser.raise_error("'...' must be the last parameter")
            if parser.parse_optional_characters("...") is not None:
                variadic = True
                return
            argument = parser.parse_optional_argument()
            inputs.append(parser.parse_type() if argument is None else argument.type)
            arg_attrs.append(DictionaryAttr(parser.parse_optional_dictionary_attr_dict()))
            location = parser.parse_optional_location()
            if argument is not None:
                argument.location = location
                arguments.append(argument)

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_input)
        if arguments and len(arguments) != len(inputs):
            parser.raise_error("either all or no arguments have a name", position, parser.pos)
        output, res_attrs = _parse_result(parser)
        attr_dict = parser.parse_optional_attr_dict_with_keyword()
        attributes = dict(attr_dict.data) if attr_dict is not None else {}
        definitions = cls.get_irdl_definition().properties
        properties |= {
            name: attributes.pop(name) for name in list(attributes) if name in definitions
        }
        properties["function_type"] = LLVMFunctionType(inputs, output, variadic)
        if any(attrs.data for attrs in arg_attrs):
            properties["arg_attrs"] = ArrayAttr(arg_attrs)
        if res_attrs.data:
            properties["res_attrs"] = ArrayAttr([res_attrs])
        body = parser.parse_optional_region(arguments or None)
        if body is None:
            body = Region()
        elif body.first_block is None:
            body.add_block(Block())
        return cls.create(properties=properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        print_symbol_keywords(printer, self.linkage, self.visibility_, self.unnamed_addr)
        if self.CConv.convention.data != "ccc":
            printer.print_string(f" {self.CConv.convention.data}")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        entry = self.body.first_block
        with printer.in_parens():
            for i, ty in enumerate(self.function_type.inputs):
                printer.print_string(", " if i else "")
                if entry is not None:
                    printer.print_block_argument(entry.args[i], print_type=False)
                    printer.print_string(": ")
                printer.print_attribute(ty)
                printer.print_op_attributes(dict(sorted(self.arg_attr(i).items())))
                if entry is not None and printer.print_debuginfo:
                    printer.print_string(" ")
                    printer.print_attribute(entry.args[i].location)
            if self.function_type.is_variadic:
                printer.print_string(", ..." if self.function_type.inputs.data else "...")
        _print_result(printer, self.function_type.output, self.res_attrs)
        printer.print_op_attributes(shown_attributes(self, _FUNC_SYNTAX), print_keyword=True)
        if entry is not None:
            printer.print_string(" ", indent=0)
            printer.print_region(self.body, False, False)


_FUNC_SYNTAX = {
    "sym_name", "function_type", "linkage", "visibility_", "unnamed_addr", "CConv", "arg_attrs",
    "res_attrs",
}  # fmt: skip


def _parse_result(parser: Parser) -> tuple[Attribute, DictionaryAttr]:
    """``-> f32`` or ``-> (f32 {llvm.noundef})``."""
    none = DictionaryAttr({})
    if parser.parse_optional_punctuation("->") is None:
        return LLVMVoidType(), none
    results = parser.parse_optional_comma_separated_list(
        parser.Delimiter.PAREN,
        lambda: (parser.parse_type(), parser.parse_optional_dictionary_attr_dict()),
    )
    if results is None:
        return parser.parse_type(), none
    if len(results) > 1:
        parser.raise_error("an llvm function has at most one result")
    return (results[0][0], DictionaryAttr(results[0][1])) if results else (LLVMVoidType(), none)


def _print_result(printer: Printer, ty: Attribute, attrs: ArrayAttr[DictionaryAttr] | None) -> None:
    if isinstance(ty, LLVMVoidType):
        return
    printer.print_string(" -> ")
    if attrs is None or not attrs.data[0].data:
        printer.print_attribute(ty)
        return
    with printer.in_parens():
        printer.print_attribute(ty)
        printer.print_op_attributes(dict(sorted(attrs.data[0].data.items())))
