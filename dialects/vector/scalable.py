"""Ops of ``vector`` on scalable sizes: multiples of the machine's vscale."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, IndexType, IntegerAttr, VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.vector.sizes import shape_of, verify_elements


def is_scalable(type_: Attribute) -> bool:
    """True if the type is a vector with a scalable size, a multiple of vscale."""
    return isinstance(type_, VectorType) and type_.get_num_scalable_dims() > 0


@irdl_op_definition
class VectorScaleOp(IRDLOperation):
    """``%n = vector.vscale``: the factor of sizes in brackets."""

    name = "vector.vscale"

    res = result_def(IndexType())

    assembly_format = "attr-dict"
    traits = traits_def(Pure())


@irdl_op_definition
class ScalableInsertOp(IRDLOperation):
    """``vector.scalable.insert %part, %v[4] : vector<4xf32> into vector<[16]xf32>``."""

    name = "vector.scalable.insert"

    WHOLE: ClassVar = VarConstraint("WHOLE", base(VectorType))

    value_to_store = operand_def(VectorType)
    dest = operand_def(WHOLE)
    pos = prop_def(IntegerAttr[I64])
    res = result_def(WHOLE)

    assembly_format = (
        "$value_to_store `,` $dest `[` $pos `]` attr-dict `:` type($value_to_store) `into` "
        "type($dest)"
    )
    traits = traits_def(Pure())

    def verify_(self) -> None:
        _verify_part(self, self.value_to_store, self.dest)
        verify_elements(self, self.value_to_store, self.dest)


@irdl_op_definition
class ScalableExtractOp(IRDLOperation):
    """``vector.scalable.extract %v[4] : vector<4xf32> from vector<[16]xf32>``."""

    name = "vector.scalable.extract"

    source = operand_def(VectorType)
    pos = prop_def(IntegerAttr[I64])
    res = result_def(VectorType)

    assembly_format = "$source `[` $pos `]` attr-dict `:` type($res) `from` type($source)"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        _verify_part(self, self.res, self.source)
        verify_elements(self, self.res, self.source)


def _verify_part(op: ScalableInsertOp | ScalableExtractOp, part: SSAValue, whole: SSAValue) -> None:
    """Require a whole of scalable size, and a part that is a vector of rank 1."""
    if len(shape_of(part)) != 1 or not is_scalable(whole.type) or len(shape_of(whole)) != 1:
        raise VerifyException(
            f"{op.name}: {part.type} cannot be a part of {whole.type}, which must have one "
            "scalable size"
        )
    if op.pos.value.data % shape_of(part)[0]:
        raise VerifyException(
            f"{op.name}: position {op.pos.value.data} is not a multiple of the size of {part.type}"
        )
