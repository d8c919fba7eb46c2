"""Constants of the llvm dialect, and parts of vectors and aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    SignlessIntegerConstraint,
    StringAttr,
    TensorType,
    VectorType,
    i64,
)
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
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import print_attr_dict
from kc.dialects.llvm.types import LLVMArrayType, LLVMStructType, LLVMTokenType, element_type


def verify_constant(name: str, value: Attribute, ty: Attribute) -> None:
    """Require that ``value`` is a constant of type ``ty``; ``name`` is the op in the message."""
    if not _fits(value, ty):
        raise VerifyException(f"{name}: {value} is not a constant of type {ty}")


def _fits(value: Attribute, ty: Attribute) -> bool:
    if isinstance(value, IntegerAttr):
        return isinstance(ty, IntegerType) and value.type in (ty, IndexType())
    if isinstance(value, FloatAttr):
        # Also for an integer of that width, as MLIR: a float type LLVM IR has no name for.
        return value.type == ty or (
            isinstance(ty, IntegerType) and value.type.bitwidth == ty.bitwidth
        )
    if isinstance(value, StringAttr | BytesAttr):
        size = len(value.data.encode() if isinstance(value, StringAttr) else value.data)
        return ty == LLVMArrayType(size, IntegerType(8))
    if isinstance(value, ArrayAttr):
        return (
            isinstance(ty, LLVMStructType)
            and len(value.data) == len(ty.types.data)
            and all(map(_fits, value.data, ty.types.data))
        )
    if isinstance(value, DenseIntOrFPElementsAttr):
        assert isinstance(value.type, TensorType | VectorType)
        count = 1
        while isinstance(ty, LLVMArrayType):
            count, ty = count * ty.size.data, ty.type
        if isinstance(ty, VectorType):
            count *= prod(ty.get_shape())
        expected, element = element_type(ty), value.type.element_type
        return count == prod(value.type.get_shape()) and (
            expected == element
            or (isinstance(expected, IntegerType) and isinstance(element, IndexType))
        )
    return False


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """``llvm.mlir.constant(1.0 : f32) : f32``; dense for vectors and arrays, [..] for structs."""

    name = "llvm.mlir.constant"

    value = prop_def()
    result = result_def()

    traits = traits_def(ConstantLike(), Pure())

    def __init__(self, value: Attribute, value_type: Attribute | None = None):
        if value_type is None:
            if not isinstance(value, IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr):
                raise ValueError(f"the type of the constant {value} must be given")
            value_type = value.type
        super().__init__(properties={"value": value}, result_types=[value_type])

    def verify_(self) -> None:
        verify_constant(self.name, self.value, self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        with parser.in_parens():
            value = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(value, parser.parse_type())
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_attribute(self.value)
        print_attr_dict(printer, self, ("value",))
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class PoisonOp(IRDLOperation):
    name = "llvm.mlir.poison"

    res = result_def()

    traits = traits_def(ConstantLike(), Pure())

    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute):
        super().__init__(result_types=[result_type])


@irdl_op_definition
class NoneTokenOp(IRDLOperation):
    """The empty token: ``llvm.mlir.none : !llvm.token``."""

    name = "llvm.mlir.none"

    res = result_def(LLVMTokenType)

    traits = traits_def(ConstantLike(), Pure())

    assembly_format = "attr-dict `:` type($res)"

    def __init__(self) -> None:
        super().__init__(result_types=[LLVMTokenType()])


@irdl_op_definition
class ZeroOp(IRDLOperation):
    """A null pointer, or a value with all parts zero."""

    name = "llvm.mlir.zero"

    res = result_def()

    traits = traits_def(ConstantLike(), Pure())

    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute):
        super().__init__(result_types=[result_type])


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """``llvm.extractelement %v[%i : i32] : vector<8xf32>``."""

    name = "llvm.extractelement"

    vector = operand_def(VectorType)
    position = operand_def(SignlessIntegerConstraint)
    res = result_def()

    traits = traits_def(Pure())

    def __init__(self, vector: SSAValue | Operation, position: SSAValue | Operation):
        super().__init__(
            operands=[vector, position], result_types=[element_type(SSAValue.get(vector).type)]
        )

    def verify_(self) -> None:
        if self.res.type != (expected := element_type(self.vector.type)):
            raise VerifyException(f"{self.name}: result is {self.res.type}, must be {expected}")

    @classmethod
    def parse(cls, parser: Parser) -> ExtractElementOp:
        vector = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            position = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            position = parser.resolve_operand(position, parser.parse_type())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(vector, parser.parse_type()), position)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.vector)
        with printer.in_square_brackets():
            printer.print_ssa_value(self.position)
            printer.print_string(" : ")
            printer.print_attribute(self.position.type)
        print_attr_dict(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.vector.type)


def member_type(container: Attribute, position: Sequence[int]) -> Attribute:
    """The type of the part of an array or struct at ``position``."""
    for index in position:
        if isinstance(container, LLVMArrayType) and 0 <= index < container.size.data:
            container = container.type
        elif isinstance(container, LLVMStructType) and 0 <= index < len(container.types.data):
            container = container.types.data[index]
        else:
            raise VerifyException(f"no member {index} in {container}")
    return container


def _parse_member(parser: Parser, container: Attribute, position: Sequence[int]) -> Attribute:
    try:
        return member_type(container, position)
    except VerifyException as error:
        parser.raise_error(str(error))


def _as_position(
    position: DenseArrayBase[IntegerType] | Sequence[int],
) -> DenseArrayBase[IntegerType]:
    if isinstance(position, DenseArrayBase):
        return position
    return DenseArrayBase.from_list(i64, position)


@irdl_op_definition
class ExtractValueOp(IRDLOperation):
    """``llvm.extractvalue %s[0, 1] : !llvm.struct<(...)>``."""

    name = "llvm.extractvalue"

    container = operand_def()
    position = prop_def(DenseArrayBase.constr(i64))
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        position: DenseArrayBase[IntegerType] | Sequence[int],
        container: SSAValue | Operation,
        result_type: Attribute | None = None,
    ):
        position = _as_position(position)
        if result_type is None:
            result_type = member_type(SSAValue.get(container).type, position.get_values())
        super().__init__(
            operands=[container], properties={"position": position}, result_types=[result_type]
        )

    def verify_(self) -> None:
        expected = member_type(self.container.type, self.position.get_values())
        if self.res.type != expected:
            raise VerifyException(f"{self.name}: result is {self.res.type}, must be {expected}")

    @classmethod
    def parse(cls, parser: Parser) -> ExtractValueOp:
        container = parser.parse_unresolved_operand()
        position = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        ty = parser.parse_type()
        member = _parse_member(parser, ty, position)
        op = cls(position, parser.resolve_operand(container, ty), member)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.container)
        with printer.in_square_brackets():
            printer.print_list(self.position.get_values(), printer.print_int)
        print_attr_dict(printer, self, ("position",))
        printer.print_string(" : ")
        printer.print_attribute(self.container.type)


@irdl_op_definition
class InsertValueOp(IRDLOperation):
    """``llvm.insertvalue %v, %s[0, 1] : !llvm.struct<(...)>``."""

    name = "llvm.insertvalue"
    T: ClassVar = VarConstraint("T", AnyAttr())

    container = operand_def(T)
    value = operand_def()
    position = prop_def(DenseArrayBase.constr(i64))
    res = result_def(T)

    traits = traits_def(Pure())

    def __init__(
        self,
        position: DenseArrayBase[IntegerType] | Sequence[int],
        container: SSAValue | Operation,
        value: SSAValue | Operation,
    ):
        super().__init__(
            operands=[container, value],
            properties={"position": _as_position(position)},
            result_types=[SSAValue.get(container).type],
        )

    def verify_(self) -> None:
        expected = member_type(self.container.type, self.position.get_values())
        if self.value.type != expected:
            raise VerifyException(f"{self.name}: value is {self.value.type}, must be {expected}")

    @classmethod
    def parse(cls, parser: Parser) -> InsertValueOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        container = parser.parse_unresolved_operand()
        position = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        ty = parser.parse_type()
        member = _parse_member(parser, ty, position)
        op = cls(
            position, parser.resolve_operand(container, ty), parser.resolve_operand(value, member)
        )
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        printer.print_ssa_value(self.container)
        with printer.in_square_brackets():
            printer.print_list(self.position.get_values(), printer.print_int)
        print_attr_dict(printer, self, ("position",))
        printer.print_string(" : ")
        printer.print_attribute(self.container.type)
