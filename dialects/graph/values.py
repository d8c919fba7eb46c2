"""Constants, tuples, and values with a name (``let``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    StringAttr,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.graph.types import TensorSpec, UnknownType, spec_of, tuple_type, verify_type


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """``%w = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>``: a tensor of known elements.

    Elements may be in the resources of the file: ``dense_resource<w>``. If they are not there
    either, the constant is elided: its type is known, its elements are not.
    """

    name = "graph.constant"

    value = prop_def(DenseIntOrFPElementsAttr | DenseResourceAttr)
    result = result_def()

    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: DenseIntOrFPElementsAttr | DenseResourceAttr) -> None:
        super().__init__(properties={"value": value}, result_types=[value.get_type()])

    @classmethod
    def of(cls, array: Any, dtype: str | None = None) -> ConstantOp:
        """The constant with the elements of an array; ``dtype`` if it is none of numpy's."""
        return cls(elements_of(array, dtype))

    @property
    def is_elided(self) -> bool:
        """True if the elements are not known."""
        return isinstance(self.value, DenseResourceAttr)

    @property
    def array(self) -> Any:
        """The elements, read-only; types that numpy lacks are ml_dtypes' or raw bits.

        Raises ValueError if the constant is elided.
        """
        if isinstance(self.value, DenseResourceAttr):
            raise ValueError(f"the elements of {self.value.resource_handle.data} are elided")
        return array_of(self.value)

    def verify_(self) -> None:
        if self.value.get_type() != self.result.type:
            raise VerifyException(
                f"graph.constant: the elements are {self.value.get_type()}, the result is "
                f"{self.result.type}"
            )
        verify_type(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes = parser.parse_optional_attr_dict()
        position = parser.pos
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            parser.raise_error(
                "graph.constant: expected dense<...> or dense_resource<...>", position
            )
        operation = cls(value)
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)


def elements_of(array: Any, dtype: str | None = None) -> DenseIntOrFPElementsAttr:
    """The elements of an array as an attribute."""
    import numpy as np

    dtype = dtype or str(array.dtype)
    type_ = TensorSpec(tuple(int(size) for size in array.shape), dtype).type
    data = BytesAttr(np.ascontiguousarray(array).tobytes())
    return DenseIntOrFPElementsAttr(type_, data)  # pyright: ignore[reportArgumentType]


def array_of(value: DenseIntOrFPElementsAttr) -> Any:
    """The elements of an attribute as a read-only array."""
    import numpy as np

    spec = spec_of(value.get_type())
    assert isinstance(spec, TensorSpec)
    kind = numpy_dtype(spec.dtype)
    array = np.frombuffer(value.data.data, kind)
    shape = tuple(size for size in spec.shape if isinstance(size, int))
    if array.size == 1:
        array = np.broadcast_to(array.reshape(()), shape)
    return array.reshape(shape)


def numpy_dtype(dtype: str) -> Any:
    """numpy's type for a dtype; that of ml_dtypes, or of the bits, where numpy has none."""
    import numpy as np

    try:
        return np.dtype(dtype)
    except TypeError:
        try:
            import ml_dtypes

            return np.dtype(getattr(ml_dtypes, dtype))
        except ImportError:
            return np.dtype(np.uint16 if dtype == "bfloat16" else np.uint8)


@irdl_op_definition
class TupleOp(IRDLOperation):
    """``%t = graph.tuple(%a, %b) : tensor<...>, tensor<...>``: several values as one."""

    name = "graph.tuple"

    fields = var_operand_def()
    result = result_def(TupleType | UnknownType)

    traits = traits_def(Pure())

    def __init__(self, fields: Sequence[SSAValue]) -> None:
        super().__init__(
            operands=[list(fields)], result_types=[tuple_type([value.type for value in fields])]
        )

    def verify_(self) -> None:
        expected = tuple_type([value.type for value in self.fields])
        if self.result.type != expected:
            raise VerifyException(f"graph.tuple: it is {expected}, not {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> TupleOp:
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        types: list[Attribute] = []
        position = parser.pos
        if names:
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        operation = cls(parser.resolve_operands(names, types, position))
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_list(self.fields, printer.print_ssa_value)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        if self.fields:
            printer.print_string(" : ")
            printer.print_list([value.type for value in self.fields], printer.print_attribute)


@irdl_op_definition
class TupleGetItemOp(IRDLOperation):
    """``%a = graph.tuple_get_item %t[0] : tuple<...>``: a field of a tuple."""

    name = "graph.tuple_get_item"

    tuple = operand_def(TupleType | UnknownType)
    index = prop_def(IntegerAttr)
    result = result_def()

    traits = traits_def(Pure())

    def __init__(self, tuple: SSAValue, index: int) -> None:
        type_: Attribute = UnknownType()
        if isinstance(tuple.type, TupleType) and 0 <= index < len(tuple.type.types):
            type_ = tuple.type.types.data[index]
        super().__init__(
            operands=[tuple], properties={"index": IntegerAttr(index, i64)}, result_types=[type_]
        )

    def verify_(self) -> None:
        type_ = self.tuple.type
        if isinstance(type_, UnknownType):
            return
        assert isinstance(type_, TupleType)
        if not 0 <= self.index.value.data < len(type_.types):
            raise VerifyException(
                f"graph.tuple_get_item: {type_} has no field {self.index.value.data}"
            )
        if type_.types.data[self.index.value.data] != self.result.type:
            raise VerifyException(
                f"graph.tuple_get_item: field {self.index.value.data} of {type_} is not "
                f"{self.result.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> TupleGetItemOp:
        name = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            index = parser.parse_integer(allow_boolean=False)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operation = cls(parser.resolve_operand(name, parser.parse_type()), index)
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tuple)
        printer.print_string(f"[{self.index.value.data}]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tuple.type)


@irdl_op_definition
class LetOp(IRDLOperation):
    """``%v = graph.let "v" = %x : tensor<...>``: a value that is bound to a name.

    Relay's ``let %v = x``: the scope of the computation of ``x`` is the block that the binding
    stands in. In SSA each operation has such a scope, so the operation computes nothing;
    normal forms (``to-a-normal-form``, ``to-basic-block-normal-form``) make and dissolve it.
    """

    name = "graph.let"

    variable = prop_def(StringAttr)
    value = operand_def()
    result = result_def()
    annotation = opt_prop_def()
    """The type that the user wrote for the variable."""

    traits = traits_def(Pure())

    def __init__(self, variable: str, value: SSAValue) -> None:
        super().__init__(
            operands=[value],
            properties={"variable": StringAttr(variable)},
            result_types=[value.type],
        )

    def verify_(self) -> None:
        if self.value.type != self.result.type:
            raise VerifyException(
                f"graph.let: the value is {self.value.type}, the variable {self.result.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> LetOp:
        variable = parser.parse_str_literal()
        parser.parse_punctuation("=")
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operation = cls(variable, parser.resolve_operand(name, parser.parse_type()))
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.variable)
        printer.print_string(" = ")
        printer.print_ssa_value(self.value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
