"""Mutable references to values of graphs.

Reads and writes happen where they stand: they are not moved, and not computed once for twice.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TupleType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from kc.dialects.graph.types import RefType, UnknownType, merged_type, tuple_type


@irdl_op_definition
class RefCreateOp(IRDLOperation):
    """``%r = graph.ref_create %x : T -> !graph.ref<T>``: a new reference, with a first value."""

    name = "graph.ref_create"

    value = operand_def()
    result = result_def(RefType | UnknownType)

    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value], result_types=[RefType(value.type)])

    def verify_(self) -> None:
        _verify(self, self.value, self.result)


@irdl_op_definition
class RefReadOp(IRDLOperation):
    """``%x = graph.ref_read %r : !graph.ref<T> -> T``: the value that a reference has now."""

    name = "graph.ref_read"

    ref = operand_def(RefType | UnknownType)
    result = result_def()

    assembly_format = "$ref attr-dict `:` type($ref) `->` type($result)"

    def __init__(self, ref: SSAValue) -> None:
        type_ = ref.type.value if isinstance(ref.type, RefType) else UnknownType()
        super().__init__(operands=[ref], result_types=[type_])

    def verify_(self) -> None:
        _verify(self, self.result, self.ref)


@irdl_op_definition
class RefWriteOp(IRDLOperation):
    """``%t = graph.ref_write %r, %x : !graph.ref<T>, T -> tuple<>``: give a reference a value."""

    name = "graph.ref_write"

    ref = operand_def(RefType | UnknownType)
    value = operand_def()
    result = result_def(TupleType)

    assembly_format = "$ref `,` $value attr-dict `:` type($ref) `,` type($value) `->` type($result)"

    def __init__(self, ref: SSAValue, value: SSAValue) -> None:
        super().__init__(operands=[ref, value], result_types=[tuple_type([])])

    def verify_(self) -> None:
        _verify(self, self.value, self.ref)
        if self.result.type != tuple_type([]):
            raise VerifyException(f"{self.name}: the result is {self.result.type}, not tuple<>")


def _verify(op: IRDLOperation, value: SSAValue, ref: SSAValue) -> None:
    if merged_type(RefType(value.type), ref.type) is None:
        raise VerifyException(f"{op.name}: the value is {value.type}, the reference {ref.type}")
