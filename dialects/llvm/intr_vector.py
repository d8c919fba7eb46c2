"""Vector intrinsics of the llvm dialect: reductions, parts of vectors, lane numbers."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    I64,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import parse_attr_dict, print_attr_dict
from kc.dialects.llvm.intrinsics import (
    IntrinsicOp,
    ReduceFloatOp,
    ReduceFromOp,
    ReduceOp,
    intrinsic,
)

VectorReduceAddOp = intrinsic(ReduceOp, "VectorReduceAddOp", "vector.reduce.add")
VectorReduceMulOp = intrinsic(ReduceOp, "VectorReduceMulOp", "vector.reduce.mul")
VectorReduceAndOp = intrinsic(ReduceOp, "VectorReduceAndOp", "vector.reduce.and")
VectorReduceOrOp = intrinsic(ReduceOp, "VectorReduceOrOp", "vector.reduce.or")
VectorReduceXorOp = intrinsic(ReduceOp, "VectorReduceXorOp", "vector.reduce.xor")
VectorReduceSMaxOp = intrinsic(ReduceOp, "VectorReduceSMaxOp", "vector.reduce.smax")
VectorReduceSMinOp = intrinsic(ReduceOp, "VectorReduceSMinOp", "vector.reduce.smin")
VectorReduceUMaxOp = intrinsic(ReduceOp, "VectorReduceUMaxOp", "vector.reduce.umax")
VectorReduceUMinOp = intrinsic(ReduceOp, "VectorReduceUMinOp", "vector.reduce.umin")
VectorReduceFMaxOp = intrinsic(ReduceFloatOp, "VectorReduceFMaxOp", "vector.reduce.fmax")
VectorReduceFMinOp = intrinsic(ReduceFloatOp, "VectorReduceFMinOp", "vector.reduce.fmin")
VectorReduceFMaximumOp = intrinsic(
    ReduceFloatOp, "VectorReduceFMaximumOp", "vector.reduce.fmaximum"
)
VectorReduceFMinimumOp = intrinsic(
    ReduceFloatOp, "VectorReduceFMinimumOp", "vector.reduce.fminimum"
)
VectorReduceFAddOp = intrinsic(ReduceFromOp, "VectorReduceFAddOp", "vector.reduce.fadd")
VectorReduceFMulOp = intrinsic(ReduceFromOp, "VectorReduceFMulOp", "vector.reduce.fmul")


def _pos(pos: int) -> IntegerAttr:
    return IntegerAttr(pos, i64)


def _parse_pos(parser: Parser) -> IntegerAttr:
    with parser.in_square_brackets():
        return _pos(parser.parse_integer(allow_negative=False))


@irdl_op_definition
class VectorExtractOp(IntrinsicOp):
    """``llvm.intr.vector.extract %v[4] : vector<4xf32> from vector<8xf32>``."""

    name = "llvm.intr.vector.extract"
    OVERLOADS: ClassVar = (-1, 0)
    IMMEDIATES: ClassVar = ((1, "pos"),)

    srcvec = operand_def(VectorType)
    pos = prop_def(IntegerAttr[I64])
    res = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, srcvec: SSAValue | Operation, pos: int, result_type: Attribute):
        super().__init__(
            operands=[srcvec], result_types=[result_type], properties={"pos": _pos(pos)}
        )

    def verify_(self) -> None:
        _verify_part(self, self.res.type, self.srcvec.type, self.pos)

    @classmethod
    def parse(cls, parser: Parser) -> VectorExtractOp:
        srcvec = parser.parse_unresolved_operand()
        pos = _parse_pos(parser)
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        result = parser.parse_type()
        parser.parse_keyword("from")
        return cls.create(
            operands=[parser.resolve_operand(srcvec, parser.parse_type())],
            result_types=[result],
            properties={**properties, "pos": pos},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.srcvec)
        printer.print_string(f"[{self.pos.value.data}]")
        print_attr_dict(printer, self, ("pos",))
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)
        printer.print_string(" from ")
        printer.print_attribute(self.srcvec.type)


@irdl_op_definition
class VectorInsertOp(IntrinsicOp):
    """``llvm.intr.vector.insert %part, %v[4] : vector<4xf32> into vector<8xf32>``."""

    name = "llvm.intr.vector.insert"
    OVERLOADS: ClassVar = (-1, 1)
    IMMEDIATES: ClassVar = ((2, "pos"),)

    dstvec = operand_def(VectorType)
    srcvec = operand_def(VectorType)
    pos = prop_def(IntegerAttr[I64])
    res = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, srcvec: SSAValue | Operation, dstvec: SSAValue | Operation, pos: int):
        super().__init__(
            operands=[dstvec, srcvec],
            result_types=[SSAValue.get(dstvec).type],
            properties={"pos": _pos(pos)},
        )

    def verify_(self) -> None:
        if self.res.type != self.dstvec.type:
            raise VerifyException(f"{self.name}: wrong result type {self.res.type}")
        _verify_part(self, self.srcvec.type, self.dstvec.type, self.pos)

    @classmethod
    def parse(cls, parser: Parser) -> VectorInsertOp:
        srcvec = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        dstvec = parser.parse_unresolved_operand()
        pos = _parse_pos(parser)
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        part = parser.resolve_operand(srcvec, parser.parse_type())
        parser.parse_keyword("into")
        whole = parser.resolve_operand(dstvec, parser.parse_type())
        return cls.create(
            operands=[whole, part],
            result_types=[whole.type],
            properties={**properties, "pos": pos},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.srcvec)
        printer.print_string(", ")
        printer.print_ssa_value(self.dstvec)
        printer.print_string(f"[{self.pos.value.data}]")
        print_attr_dict(printer, self, ("pos",))
        printer.print_string(" : ")
        printer.print_attribute(self.srcvec.type)
        printer.print_string(" into ")
        printer.print_attribute(self.res.type)


def _verify_part(op: IntrinsicOp, part: Attribute, whole: Attribute, pos: IntegerAttr) -> None:
    assert isinstance(part, VectorType)
    assert isinstance(whole, VectorType)
    size = part.get_shape()[-1]
    fits = part.element_type == whole.element_type and pos.value.data % size == 0
    if not whole.get_num_scalable_dims():
        fits &= pos.value.data + size <= whole.get_shape()[-1]
        fits &= not part.get_num_scalable_dims()
    if not fits:
        raise VerifyException(f"{op.name}: no {part} at {pos.value.data} in {whole}")


@irdl_op_definition
class StepVectorOp(IntrinsicOp):
    """``llvm.intr.stepvector : vector<8xi32>``: the vector 0, 1, 2, ..."""

    name = "llvm.intr.stepvector"

    res = result_def(VectorType.constr(SignlessIntegerConstraint))

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute):
        super().__init__(result_types=[result_type])


@irdl_op_definition
class GetActiveLaneMaskOp(IntrinsicOp):
    """``llvm.intr.get.active.lane.mask %i, %n : i64, i64 to vector<8xi1>``: lane l is i + l < n."""

    name = "llvm.intr.get.active.lane.mask"
    OVERLOADS: ClassVar = (-1, 0)

    base = operand_def(SignlessIntegerConstraint)
    n = operand_def(SignlessIntegerConstraint)
    res = result_def(VectorType[I1])

    traits = traits_def(Pure())
    assembly_format = "$base `,` $n attr-dict `:` type($base) `,` type($n) `to` type($res)"

    def __init__(self, base: SSAValue | Operation, n: SSAValue | Operation, result_type: Attribute):
        super().__init__(operands=[base, n], result_types=[result_type])
