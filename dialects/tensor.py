"""The ``tensor`` dialect with ``tensor.generate``, which xDSL lacks."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.dialects.tensor import Tensor, YieldOp
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """``tensor.generate %n { ^bb0(%i: index): ... tensor.yield %x : f32 } : tensor<?xf32>``.

    The body computes the element of its indices; the operands are the sizes that are ``?``.
    """

    name = "tensor.generate"

    dynamic_extents = var_operand_def(IndexType)
    body = region_def("single_block")
    result = result_def(TensorType)

    assembly_format = "$dynamic_extents $body attr-dict `:` type($result)"
    traits = traits_def(SingleBlockImplicitTerminator(YieldOp))

    def verify_(self) -> None:
        assert isinstance(self.result.type, TensorType)
        shape = self.result.type.get_shape()
        if len(self.dynamic_extents) != list(shape).count(DYNAMIC_INDEX):
            raise VerifyException(f"{self.name}: one operand for each size that is ?")
        if [arg.type for arg in self.body.block.args] != [IndexType()] * len(shape):
            raise VerifyException(f"{self.name}: the body takes an index for each dimension")
        end = self.body.block.last_op
        element = self.result.type.element_type
        if not isinstance(end, YieldOp) or [value.type for value in end.operands] != [element]:
            raise VerifyException(f"{self.name}: the body yields one {element}")


TENSOR = Dialect("tensor", [*Tensor.operations, GenerateOp], [*Tensor.attributes])
