"""The types of graphs: tensors with named dimensions and signed elements, functions, data types.

    tensor<1x3x224x224xf32>
    tensor<?x128xf32, #graph.dims<"batch", 128>>     equal names are equal sizes
    tensor<?xsi8, #graph.dims<"2 * n + 1">>
    tuple<tensor<4xf32>, tensor<4xsi64>>
    !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>
    !graph.adt<"List", tensor<4xf32>>, !graph.ref<tensor<4xf32>>, !graph.unknown

Integers of graphs have a sign (``si8``, ``ui8``); booleans are ``i1``. A dimension ``?`` without a
name has an unknown size, which differs from that of every other one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerType,
    NoneAttr,
    Signedness,
    StringAttr,
    TensorType,
    TupleType,
)
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.float_types import FLOAT_TYPES, float_dtype
from kc.dialects.graph.sizes import MaybeSize, SizeExpr, size_of_text

_INTEGERS: dict[str, IntegerType] = {
    "bool": IntegerType(1),
    **{f"int{bits}": IntegerType(bits, Signedness.SIGNED) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": IntegerType(bits, Signedness.UNSIGNED) for bits in (8, 16, 32, 64)},
}
ELEMENT_TYPES: dict[str, Attribute] = {**FLOAT_TYPES, **_INTEGERS}
"""dtype -> type of an element."""


def tuple_type(types: Iterable[Attribute]) -> TupleType:
    """The tuple of these types. (xDSL compares a list and a tuple of them as different types.)"""
    return TupleType(tuple(types))  # pyright: ignore[reportArgumentType]


_DTYPES: dict[Attribute, str] = {type_: dtype for dtype, type_ in _INTEGERS.items()}


def dtype_of(element_type: Attribute) -> str | None:
    """The dtype of an element type of graphs; None for a type that is none of them."""
    return _DTYPES.get(element_type) or float_dtype(element_type)


@irdl_attr_definition
class DimsAttr(Data[tuple[MaybeSize, ...]]):
    """``#graph.dims<"batch", 128, "2 * n", ?>``: the sizes of a tensor type's dimensions."""

    name = "graph.dims"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[MaybeSize, ...]:
        def size() -> MaybeSize:
            if parser.parse_optional_punctuation("?") is not None:
                return None
            text = parser.parse_optional_str_literal()
            if text is None:
                return parser.parse_integer(allow_boolean=False, allow_negative=False)
            try:
                return size_of_text(text)
            except ValueError as error:
                parser.raise_error(str(error))

        return tuple(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, size))

    def print_parameter(self, printer: Printer) -> None:
        def text(size: MaybeSize) -> str:
            return "?" if size is None else f'"{size}"' if isinstance(size, SizeExpr) else str(size)

        printer.print_string(f"<{', '.join(map(text, self.data))}>")


@irdl_attr_definition
class FnType(ParametrizedAttribute, TypeAttribute):
    """``!graph.fn<(T, ...) -> R>``: the type of a function that is a value."""

    name = "graph.fn"

    inputs: TupleType
    output: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            inputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            parser.parse_punctuation("->")
            return [tuple_type(inputs), parser.parse_type()]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string("<(")
        printer.print_list(self.inputs.types.data, printer.print_attribute)
        printer.print_string(") -> ")
        printer.print_attribute(self.output)
        printer.print_string(">")


@irdl_attr_definition
class AdtType(ParametrizedAttribute, TypeAttribute):
    """``!graph.adt<"List", T, ...>``: a data type of the module, with its type arguments."""

    name = "graph.adt"

    symbol: StringAttr
    arguments: TupleType

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            symbol = StringAttr(parser.parse_str_literal())
            arguments: list[Attribute] = []
            while parser.parse_optional_punctuation(",") is not None:
                arguments.append(parser.parse_type())
            return [symbol, tuple_type(arguments)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string("<")
        printer.print_attribute(self.symbol)
        for argument in self.arguments.types:
            printer.print_string(", ")
            printer.print_attribute(argument)
        printer.print_string(">")


@irdl_attr_definition
class TypeVarType(ParametrizedAttribute, TypeAttribute):
    """``!graph.type_var<"A">``: a type parameter of a function or of a data type."""

    name = "graph.type_var"

    symbol: StringAttr


@irdl_attr_definition
class RefType(ParametrizedAttribute, TypeAttribute):
    """``!graph.ref<T>``: a mutable reference to a value of a type."""

    name = "graph.ref"

    value: Attribute


@irdl_attr_definition
class UnknownType(ParametrizedAttribute, TypeAttribute):
    """``!graph.unknown``: a type that ``infer-type`` is to find."""

    name = "graph.unknown"


@dataclass(frozen=True)
class TensorSpec:
    """The shape and the dtype of a tensor, as type relations compute with them."""

    shape: tuple[MaybeSize, ...]
    dtype: str
    value: Any = field(default=None, compare=False, repr=False)
    """The elements as an array, of an operand of ``Operator.value_inputs`` that is known."""

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """True if each size is a number."""
        return all(isinstance(size, int) for size in self.shape)

    @property
    def type(self) -> TensorType:
        """The type in IR."""
        sizes = [size if isinstance(size, int) else DYNAMIC_INDEX for size in self.shape]
        is_named = any(isinstance(size, SizeExpr) for size in self.shape)
        encoding = DimsAttr(self.shape) if is_named else NoneAttr()
        return TensorType(ELEMENT_TYPES[self.dtype], sizes, encoding)

    def __str__(self) -> str:
        sizes = ", ".join("?" if size is None else str(size) for size in self.shape)
        return f"{self.dtype}[{sizes}]"


Spec = TensorSpec | tuple["Spec", ...]
"""A tensor, or a tuple of these."""


def spec_of(type_: Attribute) -> Spec | None:
    """The spec of a tensor type or of a tuple of tensors; None for another type."""
    if isinstance(type_, TupleType):
        parts = [spec_of(part) for part in type_.types]
        return None if None in parts else tuple(part for part in parts if part is not None)
    if not isinstance(type_, TensorType):
        return None
    dtype = dtype_of(type_.element_type)
    if dtype is None:
        return None
    if isinstance(type_.encoding, DimsAttr):
        return TensorSpec(type_.encoding.data, dtype)
    shape = [None if size == DYNAMIC_INDEX else size for size in type_.get_shape()]
    return TensorSpec(tuple(shape), dtype)


def type_of(spec: Spec) -> Attribute:
    """The type in IR of a spec."""
    if isinstance(spec, TensorSpec):
        return spec.type
    return tuple_type([type_of(part) for part in spec])


def verify_type(type_: Attribute) -> None:
    """Require that a type is one of graphs. Raises VerifyException."""
    match type_:
        case TupleType():
            for part in type_.types:
                verify_type(part)
        case TensorType():
            if dtype_of(type_.element_type) is None:
                raise VerifyException(
                    f"graphs do not support the elements of {type_}: integers have a sign "
                    "(si32, ui8), booleans are i1"
                )
            _verify_dims(type_)
        case FnType():
            verify_type(type_.inputs)
            verify_type(type_.output)
        case AdtType():
            verify_type(type_.arguments)
        case RefType():
            verify_type(type_.value)
        case TypeVarType() | UnknownType():
            pass
        case _:
            raise VerifyException(f"{type_} is not a type of graphs")


def _verify_dims(type_: TensorType) -> None:
    if isinstance(type_.encoding, NoneAttr):
        return
    if not isinstance(type_.encoding, DimsAttr):
        raise VerifyException(f"{type_}: the encoding of a tensor of graphs is #graph.dims")
    sizes = type_.encoding.data
    declared = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    if declared != list(type_.get_shape()):
        raise VerifyException(
            f"{type_}: the sizes of #graph.dims are not those of the type: there is one for each "
            "dimension, a number where the type has one"
        )


def are_compatible(left: Spec | None, right: Spec | None) -> bool:
    """True if two specs may be of one value: an unknown size or spec is compatible with each."""
    if left is None or right is None:
        return True
    if isinstance(left, tuple) or isinstance(right, tuple):
        return (
            isinstance(left, tuple)
            and isinstance(right, tuple)
            and len(left) == len(right)
            and all(map(are_compatible, left, right))
        )
    return (
        left.dtype == right.dtype
        and left.rank == right.rank
        and all(
            a is None or b is None or a == b for a, b in zip(left.shape, right.shape, strict=True)
        )
    )


def merged_type(left: Attribute, right: Attribute) -> Attribute | None:
    """The type that says what both types say; None if they are types of different values."""
    if left == right or isinstance(right, UnknownType):
        return left
    if isinstance(left, UnknownType):
        return right
    if isinstance(left, TupleType) and isinstance(right, TupleType):
        if len(left.types) != len(right.types):
            return None
        parts = [merged_type(a, b) for a, b in zip(left.types, right.types, strict=True)]
        return None if None in parts else tuple_type([part for part in parts if part is not None])
    if isinstance(left, FnType) and isinstance(right, FnType):
        inputs = merged_type(left.inputs, right.inputs)
        output = merged_type(left.output, right.output)
        if not isinstance(inputs, TupleType) or output is None:
            return None
        return FnType(inputs, output)
    if isinstance(left, AdtType) and isinstance(right, AdtType):
        arguments = merged_type(left.arguments, right.arguments)
        if left.symbol != right.symbol or not isinstance(arguments, TupleType):
            return None
        return AdtType(left.symbol, arguments)
    if isinstance(left, RefType) and isinstance(right, RefType):
        value = merged_type(left.value, right.value)
        return None if value is None else RefType(value)
    spec, also = spec_of(left), spec_of(right)
    if not isinstance(spec, TensorSpec) or not isinstance(also, TensorSpec):
        return None
    if not are_compatible(spec, also):
        return None
    shape = tuple(b if a is None else a for a, b in zip(spec.shape, also.shape, strict=True))
    return TensorSpec(shape, spec.dtype).type
