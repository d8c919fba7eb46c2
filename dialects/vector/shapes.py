"""Ops of ``vector`` that move elements: reshapes, and slices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
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

from kc.dialects.vector.sizes import (
    BOOLS,
    integers,
    shape_of,
    verify_elements,
    verify_shape,
)


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """``vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>``."""

    name = "vector.transpose"

    vector = operand_def(VectorType)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)

    assembly_format = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        sizes, order = shape_of(self.vector), integers(self.permutation)
        if sorted(order) != list(range(len(sizes))):
            raise VerifyException(
                f"{self.name}: {order} is not a permutation of {len(sizes)} dimensions"
            )
        verify_elements(self, self.vector, self.result)
        verify_shape(self, self.result, [sizes[n] for n in order])


@irdl_op_definition
class ShapeCastOp(IRDLOperation):
    """``vector.shape_cast %v : vector<2x3xf32> to vector<6xf32>``: the same elements in order."""

    name = "vector.shape_cast"

    source = operand_def(VectorType)
    result = result_def(VectorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        verify_elements(self, self.source, self.result)
        if prod(shape_of(self.source)) != prod(shape_of(self.result)):
            raise VerifyException(
                f"{self.name}: {self.source.type} does not have as many elements as "
                f"{self.result.type}"
            )


@irdl_op_definition
class ConstantMaskOp(IRDLOperation):
    """``vector.constant_mask [3, 2] : vector<4x4xi1>``: true where each index is below its size."""

    name = "vector.constant_mask"

    mask_dim_sizes = prop_def(DenseArrayBase.constr(i64))
    result = result_def(BOOLS)

    assembly_format = "$mask_dim_sizes attr-dict `:` type($result)"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        sizes, limits = shape_of(self.result) or (1,), integers(self.mask_dim_sizes)
        if len(limits) != len(sizes) or any(
            not 0 <= limit <= size for limit, size in zip(limits, sizes, strict=True)
        ):
            raise VerifyException(f"{self.name}: {limits} do not fit in {self.result.type}")


def _numbers(op: Operation, name: str, values: Attribute) -> list[int]:
    numbers: list[int] = []
    for value in values if isinstance(values, ArrayAttr) else (values,):
        if not isinstance(value, IntegerAttr):
            raise VerifyException(f"{op.name}: {name} are integers")
        numbers.append(value.value.data)
    return numbers


def _verify_slice(
    op: Operation, whole: SSAValue, offsets: Sequence[int], sizes: Sequence[int]
) -> None:
    """Check that a slice that begins at ``offsets`` lies inside."""
    for offset, size, of in zip(offsets, sizes, shape_of(whole), strict=False):
        if offset < 0 or size < 1 or offset + size > of:
            raise VerifyException(
                f"{op.name}: {size} elements from {offset} on are not within {of}, of {whole.type}"
            )


_OpT = TypeVar("_OpT", bound=IRDLOperation)


def _sliced(
    op_type: type[_OpT],
    attributes: dict[str, Attribute],
    operands: Sequence[SSAValue],
    result: Attribute,
) -> _OpT:
    names = op_type.get_irdl_definition().properties
    return op_type.create(
        operands=operands,
        properties={name: value for name, value in attributes.items() if name in names},
        attributes={name: value for name, value in attributes.items() if name not in names},
        result_types=[result],
    )


def _print_slice(printer: Printer, op: IRDLOperation, names: Sequence[str]) -> None:
    """Print the operands, and the numbers without their type, as ``mlir-opt`` does."""
    printer.print_string(" ")
    printer.print_list(op.operands, printer.print_ssa_value)
    listed = [f"{name} = {_numbers(op, name, op.properties[name])}" for name in names]
    printer.print_string(f" {{{', '.join(listed)}")
    for name, value in op.attributes.items():
        printer.print_string(f", {name} = ")
        printer.print_attribute(value)
    printer.print_string("}")
    printer.print_string(" : ")


@irdl_op_definition
class ExtractStridedSliceOp(IRDLOperation):
    """``vector.extract_strided_slice %v {offsets = [0, 2], sizes = [2, 4], strides = [1, 1]} :
    vector<4x8xf32> to vector<2x4xf32>``; unlisted dimensions are whole.
    """

    name = "vector.extract_strided_slice"

    source = operand_def(VectorType)
    offsets = prop_def(ArrayAttr)
    sizes = prop_def(ArrayAttr)
    strides = prop_def(ArrayAttr)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> ExtractStridedSliceOp:
        source = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_keyword("to")
        return _sliced(
            cls, attributes, [parser.resolve_operand(source, source_type)], parser.parse_type()
        )

    def print(self, printer: Printer) -> None:
        _print_slice(printer, self, ("offsets", "sizes", "strides"))
        printer.print_attribute(self.source.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    @property
    def starts(self) -> list[int]:
        """The offset in each dimension."""
        offsets = _numbers(self, "offsets", self.offsets)
        return [*offsets, *[0] * (len(shape_of(self.source)) - len(offsets))]

    def verify_(self) -> None:
        offsets, sizes, strides = (
            _numbers(self, name, self.properties[name]) for name in ("offsets", "sizes", "strides")
        )
        whole = shape_of(self.source)
        if not len(offsets) == len(sizes) == len(strides) <= len(whole):
            raise VerifyException(
                f"{self.name}: an offset, a size and a stride for each of the first dimensions"
            )
        if set(strides) - {1}:
            raise VerifyException(f"{self.name}: the strides are 1")
        _verify_slice(self, self.source, offsets, sizes)
        verify_elements(self, self.source, self.result)
        verify_shape(self, self.result, [*sizes, *whole[len(sizes) :]])


@irdl_op_definition
class InsertStridedSliceOp(IRDLOperation):
    """``vector.insert_strided_slice %p, %v {offsets = [0, 2], strides = [1]} : vector<4xf32> into
    vector<2x8xf32>``: insert a slice along the last dimensions.
    """

    name = "vector.insert_strided_slice"

    value_to_store = operand_def(VectorType)
    dest = operand_def(VectorType)
    offsets = prop_def(ArrayAttr)
    strides = prop_def(ArrayAttr)
    res = result_def(VectorType)

    traits = traits_def(Pure())

    def print(self, printer: Printer) -> None:
        _print_slice(printer, self, ("offsets", "strides"))
        printer.print_attribute(self.value_to_store.type)
        printer.print_string(" into ")
        printer.print_attribute(self.dest.type)

    @property
    def starts(self) -> list[int]:
        """The offset in each dimension of the whole."""
        return _numbers(self, "offsets", self.offsets)

    @classmethod
    def parse(cls, parser: Parser) -> InsertStridedSliceOp:
        source = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        dest = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_keyword("into")
        dest_type = parser.parse_type()
        operands = [
            parser.resolve_operand(source, source_type),
            parser.resolve_operand(dest, dest_type),
        ]
        return _sliced(cls, attributes, operands, dest_type)

    def verify_(self) -> None:
        offsets, strides = self.starts, _numbers(self, "strides", self.strides)
        part, whole = shape_of(self.value_to_store), shape_of(self.dest)
        if len(offsets) != len(whole) or len(strides) != len(part) or len(part) > len(whole):
            raise VerifyException(
                f"{self.name}: an offset for each dimension of the whole, and a stride for each of "
                "the part"
            )
        if set(strides) - {1}:
            raise VerifyException(f"{self.name}: the strides are 1")
        _verify_slice(self, self.dest, offsets, [*[1] * (len(whole) - len(part)), *part])
        verify_elements(self, self.value_to_store, self.dest)
        if self.res.type != self.dest.type:
            raise VerifyException(f"{self.name}: gives {self.res.type} for {self.dest.type}")
