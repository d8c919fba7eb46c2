"""Ops of ``vector`` that access memory at computed addresses."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.vector.sizes import (
    BOOLS,
    element_of,
    shape_of,
    verify_elements,
    verify_shape,
)


def _verify_indexed(op: Operation, memory: SSAValue, indices: Sequence[SSAValue]) -> None:
    if isinstance(memory.type, MemRefType | TensorType) and len(indices) != len(
        memory.type.get_shape()
    ):
        raise VerifyException(f"{op.name}: {len(indices)} indices into {memory.type}")


def _verify_lanes(op: Operation, memory: SSAValue, mask: SSAValue, *values: SSAValue) -> None:
    """Require vectors of one shape, with the element type of the memory."""
    for value in values:
        verify_shape(op, value, shape_of(mask))
    assert isinstance(memory.type, MemRefType | TensorType)
    if memory.type.element_type != element_of(values[-1]):
        raise VerifyException(f"{op.name}: {memory.type} has no elements of {values[-1].type}")


_INDEX_VECTOR = VectorType.constr(base(IntegerType) | base(IndexType))


@irdl_op_definition
class GatherOp(IRDLOperation):
    """``vector.gather %A[%i][%at], %mask, %p : memref<?xf32>, vector<8xi32>, vector<8xi1>,
    vector<8xf32> into vector<8xf32>``: the elements ``%at`` positions after ``%A[%i]`` along the
    last dimension; lanes whose mask is not set come from ``%p``.
    """

    name = "vector.gather"

    base = operand_def(base(MemRefType) | base(TensorType))
    offsets = var_operand_def(IndexType)
    indices = operand_def(_INDEX_VECTOR)
    mask = operand_def(BOOLS)
    pass_thru = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)
    result = result_def(VectorType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base)"
        " `,` type($indices) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )
    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        _verify_indexed(self, self.base, self.offsets)
        _verify_lanes(self, self.base, self.mask, self.indices, self.pass_thru, self.result)
        verify_elements(self, self.pass_thru, self.result)


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """``vector.scatter %A[%i][%at], %mask, %v : memref<?xf32>, vector<8xi32>, vector<8xi1>,
    vector<8xf32>``; of several lanes with the same index, the last one is stored.
    """

    name = "vector.scatter"

    base = operand_def(base(MemRefType))
    offsets = var_operand_def(IndexType)
    indices = operand_def(_INDEX_VECTOR)
    mask = operand_def(BOOLS)
    value_to_store = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $value_to_store attr-dict `:` "
        "type($base) `,` type($indices) `,` type($mask) `,` type($value_to_store)"
    )
    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        _verify_indexed(self, self.base, self.offsets)
        _verify_lanes(self, self.base, self.mask, self.indices, self.value_to_store)


@irdl_op_definition
class TypeCastOp(IRDLOperation):
    """``vector.type_cast %m : memref<4x8xf32> to memref<vector<4x8xf32>>``: the same memory, with
    dimensions moved into or out of the element type.
    """

    name = "vector.type_cast"

    memref = operand_def(MemRefType)
    result = result_def(MemRefType)

    assembly_format = "$memref attr-dict `:` type($memref) `to` type($result)"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        source_sizes, result_sizes = (
            _all_sizes(value.type) for value in (self.memref, self.result)
        )
        if source_sizes != result_sizes or DYNAMIC_INDEX in source_sizes[1]:
            raise VerifyException(
                f"{self.name}: {self.memref.type} and {self.result.type} are not the same elements "
                "in constant numbers"
            )


def _all_sizes(type_: Attribute) -> tuple[Attribute, list[int]]:
    """The element type of a memref's scalars, and its sizes followed by those of its elements."""
    assert isinstance(type_, MemRefType)
    sizes, element = [*type_.get_shape()], type_.element_type
    if isinstance(element, VectorType):
        return element.element_type, [*sizes, *element.get_shape()]
    return element, sizes


@irdl_op_definition
class ExpandLoadOp(IRDLOperation):
    """``vector.expandload %A[%i], %mask, %p : memref<?xf32>, vector<8xi1>, vector<8xf32> into
    vector<8xf32>``: adjacent elements, one for each lane whose mask is set.
    """

    name = "vector.expandload"

    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    mask = operand_def(BOOLS)
    pass_thru = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)
    result = result_def(VectorType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` type($mask)"
        " `,` type($pass_thru) `into` type($result)"
    )
    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        _verify_indexed(self, self.base, self.indices)
        _verify_lanes(self, self.base, self.mask, self.pass_thru, self.result)


@irdl_op_definition
class CompressStoreOp(IRDLOperation):
    """``vector.compressstore %A[%i], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>``:
    store the lanes whose mask is set to adjacent elements.
    """

    name = "vector.compressstore"

    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    mask = operand_def(BOOLS)
    value_to_store = operand_def(VectorType)
    alignment = opt_prop_def(IntegerAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $value_to_store attr-dict `:` type($base) `,` "
        "type($mask) `,` type($value_to_store)"
    )
    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        _verify_indexed(self, self.base, self.indices)
        _verify_lanes(self, self.base, self.mask, self.value_to_store)
