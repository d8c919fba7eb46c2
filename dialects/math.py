"""The ops of MLIR's ``math`` that xDSL lacks; :data:`MATH` is xDSL's dialect with these ops.

``math-to-arith`` converts them to other ops, except ``math.erfc``. ``math.clampf`` is omitted,
because upstream's description and lowering use the minimum as the upper bound of the value.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects import math
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloat, ContainerType, IntegerType, TensorType, VectorType, i1
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


def _truth_type(type_: Attribute) -> Attribute:
    """The type of truth values, one for each element."""
    if isinstance(type_, TensorType):
        return TensorType(i1, type_.shape, type_.encoding)
    if isinstance(type_, VectorType):
        return VectorType(i1, type_.shape, type_.scalable_dims)
    return IntegerType(1)


class _OfFloats(IRDLOperation):
    """``math.isnan %a : f32``: the type is the operand's."""

    operand = operand_def()
    fastmath = opt_prop_def(FastMathFlagsAttr)
    traits = traits_def(Pure())

    COUNT: ClassVar[int] = 1
    """The number of results."""
    IS_TEST: ClassVar[bool] = False
    """True if the results are truth values."""

    def verify_(self) -> None:
        type_ = self.operand.type
        element = type_.get_element_type() if isinstance(type_, ContainerType) else type_
        if not isinstance(element, AnyFloat):
            raise VerifyException(f"{self.name}: {type_} has no floats")
        expected = _truth_type(type_) if self.IS_TEST else type_
        if any(result.type != expected for result in self.results):
            raise VerifyException(f"{self.name}: its results are {expected}")

    @classmethod
    def parse(cls, parser: Parser) -> _OfFloats:
        operand = parser.parse_unresolved_operand()
        flags = None
        if parser.parse_optional_keyword("fastmath") is not None:
            flags = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
        attributes = dict(parser.parse_optional_attr_dict())
        if flags is None:
            flags = attributes.pop("fastmath", None)
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        result = _truth_type(type_) if cls.IS_TEST else type_
        return cls.build(
            operands=[parser.resolve_operand(operand, type_)],
            result_types=[result] * cls.COUNT,
            properties={"fastmath": flags},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        attributes = dict(self.attributes)
        if self.fastmath is not None and self.fastmath.data:
            if self.IS_TEST:
                attributes["fastmath"] = self.fastmath
            else:
                printer.print_string(" fastmath")
                self.fastmath.print_parameter(printer)
        printer.print_op_attributes(attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)


class _TestOp(_OfFloats):
    result = result_def()
    IS_TEST: ClassVar[bool] = True


@irdl_op_definition
class IsNaNOp(_TestOp):
    """``math.isnan %a : f32``."""

    name = "math.isnan"


@irdl_op_definition
class IsInfOp(_TestOp):
    """``math.isinf %a : f32``."""

    name = "math.isinf"


@irdl_op_definition
class IsFiniteOp(_TestOp):
    """``math.isfinite %a : f32``: neither infinite nor NaN."""

    name = "math.isfinite"


@irdl_op_definition
class IsNormalOp(_TestOp):
    """``math.isnormal %a : f32``: finite, and neither zero nor subnormal."""

    name = "math.isnormal"


@irdl_op_definition
class ErfcOp(_OfFloats):
    """``math.erfc %a : f32``: 1 - erf(a), without the cancellation of the subtraction."""

    name = "math.erfc"

    result = result_def()


@irdl_op_definition
class SincosOp(_OfFloats):
    """``%s, %c = math.sincos %a : f32``: sine and cosine."""

    name = "math.sincos"

    sin = result_def()
    cos = result_def()
    COUNT: ClassVar[int] = 2


MATH = Dialect(
    "math",
    [*math.Math.operations, IsNaNOp, IsInfOp, IsFiniteOp, IsNormalOp, ErfcOp, SincosOp],
    list(math.Math.attributes),
    list(math.Math._interfaces),
)
