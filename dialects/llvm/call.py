"""Calls of the llvm dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.dialects.llvm import FastMathAttr, LLVMPointerType, TailCallKind, TailCallKindAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    opt_result_def,
    prop_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.arith import NO_FAST_MATH
from kc.dialects.llvm.base import (
    NO_SIZES,
    parse_attr_dict,
    parse_op_bundles,
    parse_values,
    print_attr_dict,
    print_op_bundles,
    verify_op_bundles,
)
from kc.dialects.llvm.symbols import (
    CALLING_CONVENTIONS,
    CallingConventionAttr,
    MemoryEffectsAttr,
)
from kc.dialects.llvm.types import LLVMFunctionType

# Properties printed outside the attribute dictionary.
_CALL_SYNTAX = {
    "callee", "var_callee_type", "CConv", "TailCallKind", "op_bundle_sizes", "op_bundle_tags",
    "arg_attrs", "res_attrs",
}  # fmt: skip


@irdl_op_definition
class CallOp(IRDLOperation):
    """``llvm.call @f(%x) : (f32) -> f32``, or ``llvm.call %p(%x) : !llvm.ptr, (f32) -> f32``.

    Code generation, which has a table of symbols, checks that a called symbol exists.
    """

    name = "llvm.call"

    args = var_operand_def()
    op_bundle_operands = var_operand_def()
    callee = opt_prop_def(SymbolRefAttr)
    var_callee_type = opt_prop_def(LLVMFunctionType)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    CConv = prop_def(CallingConventionAttr, default_value=CallingConventionAttr("ccc"))
    TailCallKind = prop_def(TailCallKindAttr, default_value=TailCallKindAttr(TailCallKind.NONE))
    op_bundle_sizes = prop_def(DenseArrayBase.constr(i32), default_value=NO_SIZES)
    op_bundle_tags = opt_prop_def(ArrayAttr[StringAttr])
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    memory_effects = opt_prop_def(MemoryEffectsAttr)
    convergent = opt_prop_def(UnitAttr)
    no_unwind = opt_prop_def(UnitAttr)
    will_return = opt_prop_def(UnitAttr)
    no_inline = opt_prop_def(UnitAttr)
    always_inline = opt_prop_def(UnitAttr)
    inline_hint = opt_prop_def(UnitAttr)
    returned = opt_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        callee: str | SymbolRefAttr | StringAttr | SSAValue | Operation,
        *args: SSAValue | Operation,
        return_type: Attribute | None = None,
        variadic_args: int = 0,
        var_callee_type: LLVMFunctionType | None = None,
        calling_convention: str | CallingConventionAttr = "ccc",
        fastmath: FastMathAttr = NO_FAST_MATH,
        properties: Mapping[str, Attribute | None] | None = None,
    ):
        """Call a symbol, or the function behind a pointer.

        The last ``variadic_args`` of ``args`` match the ``...`` of a variadic callee, whose type is
        derived if ``var_callee_type`` is None. ``properties``: further properties by their MLIR
        name.
        """
        if variadic_args and var_callee_type is None:
            fixed = [SSAValue.get(arg).type for arg in args[: len(args) - variadic_args]]
            var_callee_type = LLVMFunctionType(fixed, return_type, is_variadic=True)
        if isinstance(callee, SSAValue | Operation):
            symbol, args = None, (callee, *args)
        else:
            symbol = callee if isinstance(callee, SymbolRefAttr) else SymbolRefAttr(callee)
        if isinstance(calling_convention, str):
            calling_convention = CallingConventionAttr(calling_convention)
        super().__init__(
            operands=[args, ()],
            properties={
                "callee": symbol,
                "var_callee_type": var_callee_type,
                "fastmathFlags": fastmath,
                "CConv": calling_convention,
                **(properties or {}),
            },
            result_types=[return_type],
        )

    @property
    def arguments(self) -> Sequence[SSAValue]:
        """The arguments, without the pointer of an indirect call."""
        return self.args if self.callee is not None else self.args[1:]

    def verify_(self) -> None:
        if self.callee is None and (
            not self.args or not isinstance(self.args[0].type, LLVMPointerType)
        ):
            raise VerifyException(f"{self.name}: an indirect call needs a pointer to call")
        if self.arg_attrs is not None and len(self.arg_attrs) != len(self.arguments):
            raise VerifyException(f"{self.name}: wrong number of arg_attrs")
        verify_op_bundles(
            self.name, self.op_bundle_operands, self.op_bundle_sizes, self.op_bundle_tags
        )

    @classmethod
    def parse(cls, parser: Parser) -> CallOp:
        cconv = parser.parse_optional_keyword_in(CALLING_CONVENTIONS) or "ccc"
        kind = parser.parse_optional_keyword_in([k.value for k in TailCallKind]) or "none"
        properties: dict[str, Attribute] = {
            "CConv": CallingConventionAttr(cconv),
            "TailCallKind": TailCallKindAttr(TailCallKind(kind)),
        }
        pointer = None
        if (symbol := parser.parse_optional_symbol_name()) is not None:
            properties["callee"] = SymbolRefAttr(symbol)
        else:
            pointer = parser.parse_unresolved_operand()
        values = parse_values(parser, parser.Delimiter.PAREN)
        if parser.parse_optional_keyword("vararg") is not None:
            with parser.in_parens():
                properties["var_callee_type"] = parser.parse_type()
        bundles, bundle_properties = _parse_bundles(parser)
        attr_properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        args: list[SSAValue] = []
        if pointer is not None:
            args.append(parser.resolve_operand(pointer, parser.parse_type()))
            parser.parse_punctuation(",")
        passed, results, signature = _parse_signature(parser, values)
        args.extend(passed)
        properties |= bundle_properties | signature
        segments = DenseArrayBase.from_list(i32, [len(args), len(bundles)])
        return cls.create(
            operands=[*args, *bundles],
            properties={**attr_properties, **properties, "operandSegmentSizes": segments},
            result_types=results,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        if self.CConv.convention.data != "ccc":
            printer.print_string(f" {self.CConv.convention.data}")
        if self.TailCallKind.data != TailCallKind.NONE:
            printer.print_string(f" {self.TailCallKind.data.value}")
        printer.print_string(" ")
        if self.callee is not None:
            printer.print_attribute(self.callee)
        else:
            printer.print_ssa_value(self.args[0])
        with printer.in_parens():
            printer.print_list(self.arguments, printer.print_ssa_value)
        if self.var_callee_type is not None:
            printer.print_string(" vararg(")
            printer.print_attribute(self.var_callee_type)
            printer.print_string(")")
        print_op_bundles(
            printer, self.op_bundle_operands, self.op_bundle_sizes, self.op_bundle_tags
        )
        print_attr_dict(printer, self, _CALL_SYNTAX)
        printer.print_string(" : ")
        if self.callee is None:
            printer.print_attribute(self.args[0].type)
            printer.print_string(", ")
        _print_signature(printer, self.arguments, self.arg_attrs, self.returned, self.res_attrs)


def _parse_types(parser: Parser) -> tuple[list[Attribute], list[DictionaryAttr]]:
    """``(f32 {llvm.noundef}, i64)``, or one type."""
    types: list[Attribute] = []
    attrs: list[DictionaryAttr] = []

    def parse_one() -> None:
        types.append(parser.parse_type())
        attrs.append(DictionaryAttr(parser.parse_optional_dictionary_attr_dict()))

    if parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parse_one) is None:
        parse_one()
    return types, attrs


def _print_types(
    printer: Printer, types: Sequence[Attribute], attrs: ArrayAttr[DictionaryAttr] | None
) -> None:
    with printer.in_parens():
        for i, ty in enumerate(types):
            printer.print_string(", " if i else "")
            printer.print_attribute(ty)
            if attrs is not None:
                printer.print_op_attributes(dict(sorted(attrs.data[i].data.items())))


@irdl_op_definition
class CallIntrinsicOp(IRDLOperation):
    """``llvm.call_intrinsic "llvm.x86.sse42.crc32.32.8"(%a, %b) : (i32, i8) -> i32``.

    The name is mangled. The set of intrinsics depends on the target.
    """

    name = "llvm.call_intrinsic"

    args = var_operand_def()
    op_bundle_operands = var_operand_def()
    intrin = prop_def(StringAttr)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    op_bundle_sizes = prop_def(DenseArrayBase.constr(i32), default_value=NO_SIZES)
    op_bundle_tags = opt_prop_def(ArrayAttr[StringAttr])
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    results_ = opt_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        intrin: str,
        args: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute] = (),
        fastmath: FastMathAttr = NO_FAST_MATH,
    ):
        super().__init__(
            operands=[args, ()],
            properties={"intrin": StringAttr(intrin), "fastmathFlags": fastmath},
            result_types=[result_types],
        )

    def verify_(self) -> None:
        if not self.intrin.data.startswith("llvm."):
            raise VerifyException(f"{self.name}: '{self.intrin.data}' is not an intrinsic")
        verify_op_bundles(
            self.name, self.op_bundle_operands, self.op_bundle_sizes, self.op_bundle_tags
        )

    @classmethod
    def parse(cls, parser: Parser) -> CallIntrinsicOp:
        properties: dict[str, Attribute] = {"intrin": StringAttr(parser.parse_str_literal())}
        values = parse_values(parser, parser.Delimiter.PAREN)
        bundles, bundle_properties = _parse_bundles(parser)
        attr_properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        args, results, signature = _parse_signature(parser, values)
        segments = DenseArrayBase.from_list(i32, [len(args), len(bundles)])
        return cls.create(
            operands=[*args, *bundles],
            properties={
                **attr_properties,
                **properties,
                **bundle_properties,
                **signature,
                "operandSegmentSizes": segments,
            },
            result_types=results,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.intrin)
        with printer.in_parens():
            printer.print_list(self.args, printer.print_ssa_value)
        print_op_bundles(
            printer, self.op_bundle_operands, self.op_bundle_sizes, self.op_bundle_tags
        )
        print_attr_dict(printer, self, {*_CALL_SYNTAX, "intrin"})
        printer.print_string(" : ")
        _print_signature(printer, self.args, self.arg_attrs, self.results_, self.res_attrs)


def _parse_bundles(parser: Parser) -> tuple[list[SSAValue], dict[str, Attribute]]:
    operands, sizes, tags = parse_op_bundles(parser)
    properties: dict[str, Attribute] = {"op_bundle_sizes": sizes}
    if tags is not None:
        properties["op_bundle_tags"] = tags
    return operands, properties


def _parse_signature(
    parser: Parser, values: Sequence[UnresolvedOperand]
) -> tuple[Sequence[SSAValue], list[Attribute], dict[str, Attribute]]:
    """``(f32 {..}, i64) -> f32``: the arguments, the result types, arg_attrs and res_attrs."""
    position = parser.pos
    types, arg_attrs = _parse_types(parser)
    args = parser.resolve_operands(values, types, position)
    parser.parse_punctuation("->")
    results, res_attrs = _parse_types(parser)
    properties: dict[str, Attribute] = {}
    if any(attrs.data for attrs in arg_attrs):
        properties["arg_attrs"] = ArrayAttr(arg_attrs)
    if any(attrs.data for attrs in res_attrs):
        properties["res_attrs"] = ArrayAttr(res_attrs)
    return args, results, properties


def _print_signature(
    printer: Printer,
    args: Sequence[SSAValue],
    arg_attrs: ArrayAttr[DictionaryAttr] | None,
    result: SSAValue | None,
    res_attrs: ArrayAttr[DictionaryAttr] | None,
) -> None:
    _print_types(printer, [value.type for value in args], arg_attrs)
    printer.print_string(" -> ")
    if result is not None and res_attrs is None:
        printer.print_attribute(result.type)
    else:
        _print_types(printer, [] if result is None else [result.type], res_attrs)
