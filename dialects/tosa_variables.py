"""``tosa.variable``, ``variable_read`` and ``variable_write``, with the text of MLIR 22.

xDSL has none of these ops. A variable is a tensor that keeps its elements between calls::

    tosa.variable @state = dense<0> : tensor<4xi32>

    %0 = tosa.variable_read @state : tensor<4xi32>
    tosa.variable_write @state, %1 : tensor<4xi32>

``tosa-to-linalg`` converts it to a ``memref.global``. (TOSA 1.0, variable operators.)
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IndexType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Operation, TypeAttribute
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
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, SymbolOpInterface, SymbolTable
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class VariableOp(IRDLOperation):
    """``tosa.variable @state = dense<0> : tensor<4xi32>``; without elements they are 0."""

    name = "tosa.variable"

    sym_name = prop_def(StringAttr)
    var_shape = prop_def(DenseIntOrFPElementsAttr)
    type = prop_def(TypeAttribute)
    initial_value = opt_prop_def(DenseIntOrFPElementsAttr)

    traits = traits_def(SymbolOpInterface())

    @property
    def tensor_type(self) -> TensorType[Attribute]:
        """The type of the variable's tensor."""
        numbers: Any = self.var_shape.iter_values()
        sizes: list[int] = list(numbers)
        return TensorType(self.type, [DYNAMIC_INDEX if size < 0 else size for size in sizes])

    def verify_(self) -> None:
        value = self.initial_value
        if value is not None and value.type != self.tensor_type:
            raise VerifyException(f"{self.name}: {value.type} for {self.tensor_type}")

    @classmethod
    def parse(cls, parser: Parser) -> VariableOp:
        name = parser.parse_symbol_name()
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        value: Attribute | None = None
        if parser.parse_optional_punctuation("=") is not None:
            value = parser.parse_attribute()
            type_ = value.type if isinstance(value, DenseIntOrFPElementsAttr) else None
        else:
            parser.parse_punctuation(":")
            type_ = parser.parse_type()
        if not isinstance(type_, TensorType):
            parser.raise_error(f"{cls.name}: expected the elements or the type of a tensor", at)
        sizes = [-1 if size == DYNAMIC_INDEX else size for size in type_.get_shape()]
        shape: Any = TensorType(IndexType(), [len(sizes)])
        return cls.build(
            properties={
                "sym_name": name,
                "var_shape": DenseIntOrFPElementsAttr.from_list(shape, sizes),
                "type": type_.element_type,
                "initial_value": value,
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_op_attributes(self.attributes)
        if self.initial_value is not None:
            printer.print_string(" = ")
            printer.print_attribute(self.initial_value)
        else:
            printer.print_string(" : ")
            printer.print_attribute(self.tensor_type)


def _verify_access(op: VariableReadOp | VariableWriteOp, type_: Attribute) -> None:
    """Require that the variable exists and has this type."""
    name = op.properties["name"]
    assert isinstance(name, StringAttr)
    variable = SymbolTable.lookup_symbol(op, name)
    if not isinstance(variable, VariableOp):
        if _is_in_module(op):
            raise VerifyException(f"{op.name}: there is no tosa.variable @{name.data}")
        return
    if not _agree(variable.tensor_type, type_):
        raise VerifyException(f"{op.name}: @{name.data} is {variable.tensor_type}, and not {type_}")


def _is_in_module(op: Operation) -> bool:
    """True if the op is inside a module, which declares its variables."""
    parent = op.parent_op()
    while parent is not None and not parent.has_trait(SymbolTable):
        parent = parent.parent_op()
    return parent is not None


def _agree(declared: TensorType[Attribute], type_: Attribute) -> bool:
    if not isinstance(type_, TensorType) or type_.element_type != declared.element_type:
        return False
    sizes, used_sizes = declared.get_shape(), type_.get_shape()
    return len(sizes) == len(used_sizes) and all(
        size == used_size or DYNAMIC_INDEX in (size, used_size)
        for size, used_size in zip(sizes, used_sizes, strict=True)
    )


class _Access(IRDLOperation):
    """An op with the name of a variable and, after a colon, its type."""

    @classmethod
    def _parsed_name(cls, parser: Parser) -> dict[str, Attribute]:
        return {"name": parser.parse_symbol_name()}

    def _print_name(self, printer: Printer) -> None:
        name = self.properties["name"]
        assert isinstance(name, StringAttr)
        printer.print_string(" ")
        printer.print_symbol_name(name.data)


@irdl_op_definition
class VariableReadOp(_Access):
    """``tosa.variable_read @state : tensor<4xi32>``: the value of the variable."""

    name = "tosa.variable_read"

    variable = prop_def(StringAttr, prop_name="name")
    output1 = result_def(TensorType)

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        _verify_access(self, self.output1.type)

    @classmethod
    def parse(cls, parser: Parser) -> VariableReadOp:
        properties = cls._parsed_name(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            result_types=[parser.parse_type()], properties=properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        self._print_name(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.output1.type)


@irdl_op_definition
class VariableWriteOp(_Access):
    """``tosa.variable_write @state, %a : tensor<4xi32>``: sets the value of the variable."""

    name = "tosa.variable_write"

    variable = prop_def(StringAttr, prop_name="name")
    input1 = operand_def(TensorType)

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        _verify_access(self, self.input1.type)

    @classmethod
    def parse(cls, parser: Parser) -> VariableWriteOp:
        properties = cls._parsed_name(parser)
        parser.parse_punctuation(",")
        value = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            operands=[parser.resolve_operand(value, parser.parse_type())],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        self._print_name(printer)
        printer.print_string(", ")
        printer.print_ssa_value(self.input1)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.input1.type)
