"""Types of the llvm dialect, printed inside each other without their ``!llvm.`` prefix.

The pointer and void types are xDSL's. Arrays, structs and function types are defined here, because
xDSL has no packed structs and prints nested types in a longer form than MLIR.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    FixedBitwidthType,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    IntAttr,
    IntegerType,
    NoneAttr,
    Signedness,
    StringAttr,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.llvm import LLVMPointerType, LLVMVoidType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

LLVM_FLOATS = (
    Float16Type,
    BFloat16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
)


def parse_llvm_type(parser: AttrParser) -> Attribute:
    """Parse a type inside an llvm type: ``ptr``, ``array<..>`` and so on may lack their prefix."""
    for keyword, kind in _NESTED.items():
        if parser.parse_optional_keyword(keyword) is not None:
            return kind.new(kind.parse_parameters(parser))
    return parser.parse_type()


def print_llvm_type(printer: Printer, ty: Attribute) -> None:
    """The inverse of :func:`parse_llvm_type`."""
    for keyword, kind in _NESTED.items():
        if isinstance(ty, kind):
            printer.print_string(keyword)
            ty.print_parameters(printer)
            return
    printer.print_attribute(ty)


@irdl_attr_definition
class LLVMArrayType(ParametrizedAttribute, TypeAttribute):
    """``!llvm.array<8 x f32>``."""

    name = "llvm.array"

    size: IntAttr = param_def(converter=IntAttr.get)
    type: Attribute

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.size.data)
            printer.print_string(" x ")
            print_llvm_type(printer, self.type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[IntAttr, Attribute]:
        with parser.in_angle_brackets():
            size = IntAttr(parser.parse_integer(allow_negative=False))
            parser.parse_shape_delimiter()
            return (size, parse_llvm_type(parser))

    def verify(self) -> None:
        if not is_compatible_type(self.type):
            raise VerifyException(f"invalid array element type '{self.type}'")


@irdl_attr_definition
class LLVMStructType(ParametrizedAttribute, TypeAttribute):
    """``!llvm.struct<(f32, ptr)>``, ``!llvm.struct<"name", packed (i8, i64)>``."""

    name = "llvm.struct"

    struct_name: StringAttr  # empty for a literal struct
    types: ArrayAttr[Attribute]
    packed: UnitAttr | NoneAttr

    def __init__(
        self,
        struct_name: str | StringAttr,
        types: Sequence[Attribute] | ArrayAttr[Attribute],
        packed: bool = False,
    ) -> None:
        super().__init__(
            StringAttr(struct_name) if isinstance(struct_name, str) else struct_name,
            types if isinstance(types, ArrayAttr) else ArrayAttr(types),
            UnitAttr() if packed else NoneAttr(),
        )

    @staticmethod
    def from_type_list(types: Sequence[Attribute]) -> LLVMStructType:
        """A literal struct with these fields."""
        return LLVMStructType("", types)

    @property
    def is_packed(self) -> bool:
        return isinstance(self.packed, UnitAttr)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            if self.struct_name.data:
                printer.print_string_literal(self.struct_name.data)
                printer.print_string(", ")
            if self.is_packed:
                printer.print_string("packed ")
            with printer.in_parens():
                printer.print_list(self.types, lambda ty: print_llvm_type(printer, ty))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[Attribute, Attribute, Attribute]:
        with parser.in_angle_brackets():
            name = parser.parse_optional_str_literal()
            if name is not None:
                parser.parse_punctuation(",")
            packed = parser.parse_optional_keyword("packed") is not None
            types = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parse_llvm_type(parser)
            )
        return (StringAttr(name or ""), ArrayAttr(types), UnitAttr() if packed else NoneAttr())

    def verify(self) -> None:
        for ty in self.types:
            if not is_compatible_type(ty):
                raise VerifyException(f"invalid struct element type '{ty}'")


@irdl_attr_definition
class LLVMFunctionType(ParametrizedAttribute, TypeAttribute):
    """``!llvm.func<f32 (ptr, i64, ...)>``."""

    name = "llvm.func"

    inputs: ArrayAttr[Attribute]
    output: Attribute
    variadic: UnitAttr | NoneAttr

    def __init__(
        self,
        inputs: Sequence[Attribute] | ArrayAttr[Attribute],
        output: Attribute | None = None,
        is_variadic: bool = False,
    ) -> None:
        super().__init__(
            inputs if isinstance(inputs, ArrayAttr) else ArrayAttr(inputs),
            LLVMVoidType() if output is None else output,
            UnitAttr() if is_variadic else NoneAttr(),
        )

    @property
    def is_variadic(self) -> bool:
        return isinstance(self.variadic, UnitAttr)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_llvm_type(printer, self.output)
            printer.print_string(" (")
            printer.print_list(self.inputs, lambda ty: print_llvm_type(printer, ty))
            if self.is_variadic:
                printer.print_string(", ..." if self.inputs.data else "...")
            printer.print_string(")")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[Attribute, Attribute, Attribute]:
        with parser.in_angle_brackets():
            output = parse_llvm_type(parser)
            position = parser.pos

            def parse_input() -> Attribute | None:
                if parser.parse_optional_characters("...") is not None:
                    return None
                return parse_llvm_type(parser)

            parsed = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_input)
        inputs = [ty for ty in parsed if ty is not None]
        variadic = len(inputs) != len(parsed)
        if len(parsed) - len(inputs) > 1 or (variadic and parsed[-1] is not None):
            parser.raise_error("'...' must be the last parameter", position, parser.pos)
        return (ArrayAttr(inputs), output, UnitAttr() if variadic else NoneAttr())

    def verify(self) -> None:
        for i, ty in enumerate(self.inputs):
            if not is_compatible_type(ty):
                raise VerifyException(f"function argument #{i} has incompatible type '{ty}'")
        if not isinstance(self.output, LLVMVoidType) and not is_compatible_type(self.output):
            raise VerifyException(f"function result has incompatible type '{self.output}'")


@irdl_attr_definition
class LLVMTokenType(ParametrizedAttribute, TypeAttribute):
    """``!llvm.token``: links calls of intrinsics."""

    name = "llvm.token"


@irdl_attr_definition
class LLVMX86AMXType(ParametrizedAttribute, TypeAttribute):
    """``!llvm.x86_amx``: the contents of a tile register of x86."""

    name = "llvm.x86_amx"


_NESTED: dict[str, type[ParametrizedAttribute]] = {
    "void": LLVMVoidType,
    "ptr": LLVMPointerType,
    "array": LLVMArrayType,
    "struct": LLVMStructType,
    "func": LLVMFunctionType,
    "token": LLVMTokenType,
    "x86_amx": LLVMX86AMXType,
}


def is_compatible_type(ty: Attribute) -> bool:
    """True if a value of the llvm dialect may have this type (MLIR's isCompatibleType)."""
    if isinstance(ty, IntegerType):
        return ty.signedness.data == Signedness.SIGNLESS
    if isinstance(ty, VectorType):
        return (
            ty.get_num_dims() == 1
            and not isinstance(ty.element_type, LLVMArrayType | LLVMStructType)
            and is_compatible_type(ty.element_type)
        )
    return isinstance(
        ty,
        (
            *LLVM_FLOATS,
            LLVMPointerType,
            LLVMArrayType,
            LLVMStructType,
            LLVMTokenType,
            LLVMX86AMXType,
        ),
    )


def element_type(ty: Attribute) -> Attribute:
    """The type of a vector's lanes, or the type itself."""
    return ty.element_type if isinstance(ty, VectorType) else ty


def same_shape(ty: Attribute, element: Attribute) -> Attribute:
    """``element``, or a vector of that type with the shape of ``ty`` if ``ty`` is a vector."""
    if isinstance(ty, VectorType):
        return VectorType(element, ty.shape, ty.scalable_dims)
    return element


def lanes(ty: Attribute) -> tuple[Attribute, Attribute] | None:
    """The part of a vector type that determines its lanes; None for scalars."""
    return (ty.shape, ty.scalable_dims) if isinstance(ty, VectorType) else None


def bit_width(ty: Attribute) -> int | None:
    """The width in bits of an integer, a float or a fixed-length vector; None for other types."""
    if isinstance(ty, VectorType):
        width = bit_width(ty.element_type)
        fixed = not ty.get_num_scalable_dims()
        return width * prod(ty.get_shape()) if width is not None and fixed else None
    return ty.bitwidth if isinstance(ty, FixedBitwidthType) else None
