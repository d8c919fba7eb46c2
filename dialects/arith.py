"""The ``arith`` dialect with vectors and tensors in all operations, as upstream.

xDSL defines comparisons, ``select`` and the integer casts only for scalars. The classes here also
accept vectors and tensors. They are subclasses of xDSL's, so code that looks for xDSL's classes
finds them. :data:`ARITH` is xDSL's dialect with its classes replaced by these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar, Self, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import (
    AnyFloat,
    AnyFloatConstr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    UnitAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrConstraint,
    IRDLOperation,
    OperandDef,
    OptPropertyDef,
    ResultDef,
    base,
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

from kc.dialects.direct_access import initialize
from kc.dialects.redefined import redefined

EXACT = "kc.exact"
"""The attribute of a float comparison whose operands are computed without contraction and fast
math, so that equal elements give equal numbers wherever they are computed.
"""

_ClassT = TypeVar("_ClassT", bound=type[IRDLOperation])


def _of(element: AttrConstraint) -> AttrConstraint:
    """A constraint for a scalar, or for a vector or tensor of such scalars."""
    return element | VectorType.constr(element) | TensorType.constr(element)


_INTEGERS = _of(base(IntegerType))
_FLOATS = _of(AnyFloatConstr)
_INDICES = _of(base(IntegerType) | base(IndexType))
_BOOLS = _INTEGERS


@lru_cache(maxsize=1024)  # programs have few types, and constructing a type takes long
def like(shape: Attribute, element: Attribute) -> Attribute:
    """``element``, or a vector or tensor of that type with the shape of ``shape``."""
    if isinstance(shape, VectorType):
        return VectorType(element, shape.shape, shape.scalable_dims)
    if isinstance(shape, TensorType):
        return TensorType(element, shape.shape, shape.encoding)
    return element


@lru_cache(maxsize=1024)
def vector_of(element: Attribute, lanes: int) -> VectorType:
    """The vector type of ``lanes`` elements."""
    return VectorType(element, [lanes])


def element_of(type_: Attribute) -> Attribute:
    """The type of a scalar, or of the elements of a vector or a tensor."""
    return type_.element_type if isinstance(type_, VectorType | TensorType) else type_


_NO_FLAGS = FastMathFlagsAttr("none")

_EXTENDED: dict[type[Operation], type[Operation]] = {}


def vector_class(op_type: type[Operation]) -> type[Operation]:
    """The class that extends ``op_type`` to vectors."""
    return _EXTENDED.get(op_type, op_type)


def _takes(
    operands: AttrConstraint, results: AttrConstraint, check: Callable[[Any], None]
) -> Callable[[_ClassT], _ClassT]:
    """Redefine the operand and result types of an xDSL op; ``check`` verifies their relation."""

    def define(cls: _ClassT) -> _ClassT:
        parent = cls.__bases__[0]
        assert issubclass(parent, IRDLOperation)
        old = parent.get_irdl_definition()
        definition = replace(
            old,
            operands=[(name, OperandDef(operands)) for name, _ in old.operands],
            results=[(name, ResultDef(results)) for name, _ in old.results],
        )

        def verify_(self: IRDLOperation) -> None:
            definition.verify(self)
            check(self)

        members = {"get_irdl_definition": classmethod(lambda cls: definition), "verify_": verify_}
        for name, member in members.items():
            setattr(cls, name, member)
        _EXTENDED[parent] = cls
        return cls

    return define


def _same_shape(op: Operation, lhs: Attribute, rhs: Attribute) -> None:
    if like(lhs, i1) != like(rhs, i1):
        raise VerifyException(f"{op.name}: {lhs} and {rhs} do not have the same shape")


def _check_comparison(op: Operation) -> None:
    lhs, rhs = (operand.type for operand in op.operands)
    if lhs != rhs:
        raise VerifyException(f"{op.name}: compares {lhs} with {rhs}")
    if op.results[0].type != like(lhs, i1):
        raise VerifyException(f"{op.name}: gives {op.results[0].type} for operands of type {lhs}")


def _check_select(op: Operation) -> None:
    condition, lhs, rhs = (operand.type for operand in op.operands)
    result = op.results[0].type
    if not lhs == rhs == result:
        raise VerifyException(
            f"{op.name}: selects between {lhs} and {rhs}, but its result is {result}"
        )
    if condition not in (i1, like(result, i1)):
        raise VerifyException(f"{op.name}: the condition {condition} is not for {result}")


def _check_cast(op: Operation) -> None:
    _same_shape(op, op.operands[0].type, op.results[0].type)


def _check_index_cast(op: Operation) -> None:
    _check_cast(op)
    source, target = op.operands[0].type, op.results[0].type
    indices = [isinstance(element_of(type_), IndexType) for type_ in (source, target)]
    if sum(indices) != 1:
        raise VerifyException(f"{op.name}: one of {source} and {target} must be index")


def _check_widths(op: Operation, narrow: Attribute, wide: Attribute) -> None:
    _check_cast(op)
    less, more = element_of(narrow), element_of(wide)
    assert isinstance(less, IntegerType)
    assert isinstance(more, IntegerType)
    if less.width.data >= more.width.data:
        raise VerifyException(f"{op.name}: {narrow} is not narrower than {wide}")


def _check_extension(op: Operation) -> None:
    _check_widths(op, op.operands[0].type, op.results[0].type)


def _check_truncation(op: Operation) -> None:
    _check_widths(op, op.results[0].type, op.operands[0].type)


_CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_CMPF = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


@lru_cache(maxsize=64)
def _predicate(predicate: int | str, names: tuple[str, ...]) -> IntegerAttr:
    if isinstance(predicate, str):
        if predicate not in names:
            raise VerifyException(f"unknown predicate: {predicate}")
        predicate = names.index(predicate)
    return IntegerAttr(predicate, i64)


def _parse_predicate(parser: Parser) -> str:
    """A predicate's name, also in quotation marks, as in upstream's text."""
    quoted = parser.parse_optional_str_literal()
    predicate = parser.parse_identifier() if quoted is None else quoted
    parser.parse_punctuation(",")
    return predicate


@_takes(_INDICES, _BOOLS, _check_comparison)
class CmpiOp(arith.CmpiOp):
    """``arith.cmpi slt, %a, %b : vector<8xi32>``; the result is i1, or a vector of i1."""

    @classmethod
    def parse(cls, parser: Parser) -> CmpiOp:
        predicate = _parse_predicate(parser)
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        lhs, rhs = (parser.resolve_operand(name, type_) for name in (lhs, rhs))
        op = cls(lhs, rhs, predicate)
        op.attributes.update(attributes)
        return op

    def __init__(
        self, operand1: Operation | SSAValue, operand2: Operation | SSAValue, arg: int | str
    ) -> None:
        lhs, rhs = SSAValue.get(operand1), SSAValue.get(operand2)
        initialize(self, [lhs, rhs], [like(lhs.type, i1)], {"predicate": _predicate(arg, _CMPI)})


@_takes(_FLOATS, _BOOLS, _check_comparison)
class CmpfOp(arith.CmpfOp):
    """``arith.cmpf olt, %a, %b : vector<8xf32>``; the result is i1, or a vector of i1."""

    def __init__(
        self,
        operand1: Operation | SSAValue,
        operand2: Operation | SSAValue,
        arg: int | str,
        fastmath: FastMathFlagsAttr = _NO_FLAGS,
    ) -> None:
        lhs, rhs = SSAValue.get(operand1), SSAValue.get(operand2)
        properties = {"predicate": _predicate(arg, _CMPF), "fastmath": fastmath}
        initialize(self, [lhs, rhs], [like(lhs.type, i1)], properties)

    @classmethod
    def parse(cls, parser: Parser) -> CmpfOp:
        predicate = _parse_predicate(parser)
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        flags = _NO_FLAGS
        if parser.parse_optional_keyword("fastmath"):
            flags = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        lhs, rhs = (parser.resolve_operand(name, type_) for name in (lhs, rhs))
        op = cls(lhs, rhs, predicate, flags)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {_CMPF[self.predicate.value.data]}, ")
        printer.print_list(self.operands, printer.print_ssa_value)
        if self.fastmath != _NO_FLAGS:
            printer.print_string(" fastmath")
            self.fastmath.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@_takes(AnyAttr(), AnyAttr(), _check_select)
class SelectOp(arith.SelectOp):
    """``arith.select %c, %a, %b : vector<8xi1>, vector<8xf32>``, or with a condition of type i1."""

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        names = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            names.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        condition, type_ = i1, parser.parse_type()
        if parser.parse_optional_punctuation(","):
            condition, type_ = type_, parser.parse_type()
        op = cls(*map(parser.resolve_operand, names, (condition, type_, type_)))
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)


@_takes(_INDICES, _INDICES, _check_index_cast)
class IndexCastOp(arith.IndexCastOp):
    """``arith.index_cast %i : vector<8xindex> to vector<8xi32>``."""


@irdl_op_definition
class IndexCastUIOp(IRDLOperation):
    """``arith.index_castui %i : i32 to index``: a cast of an unsigned integer; xDSL lacks this
    op.
    """

    name = "arith.index_castui"

    input = operand_def(_INDICES)
    result = result_def(_INDICES)

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"
    traits = traits_def(Pure())

    def __init__(self, input: SSAValue | Operation, to: Attribute) -> None:
        super().__init__(operands=[input], result_types=[to])

    def verify_(self) -> None:
        _check_index_cast(self)


@redefined(
    "$input (`fastmath` `` $fastmath^)? attr-dict `:` type($input) `to` type($result)",
    fastmath=OptPropertyDef(base(FastMathFlagsAttr)),
)
class ExtFOp(arith.ExtFOp):
    """``arith.extf %a fastmath<fast> : bf16 to f32``."""

    def verify_(self) -> None:
        _check_cast(self)


_ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
"""The names of MLIR's rounding modes, in the order of its enum."""


def _check_rounding(op: Operation) -> None:
    mode = op.properties.get("roundingmode")
    if isinstance(mode, IntegerAttr) and mode.value.data != 0:
        number = mode.value.data
        word = _ROUNDING_MODES[number] if 0 < number < len(_ROUNDING_MODES) else str(number)
        raise VerifyException(f"{op.name}: it rounds to_nearest_even, and not {word}")


def _parse_rounding(parser: Parser) -> dict[str, Attribute]:
    """Parse ``to_nearest_even fastmath<fast>``; each part is optional."""
    properties: dict[str, Attribute] = {}
    for number, word in enumerate(_ROUNDING_MODES):
        if parser.parse_optional_keyword(word):
            properties["roundingmode"] = IntegerAttr(number, i32)
    if parser.parse_optional_keyword("fastmath"):
        properties["fastmath"] = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
    return properties


def _print_rounding(op: Operation, printer: Printer) -> None:
    mode, flags = (op.properties.get(name) for name in ("roundingmode", "fastmath"))
    if isinstance(mode, IntegerAttr):
        printer.print_string(f" {_ROUNDING_MODES[mode.value.data]}")
    if isinstance(flags, FastMathFlagsAttr):
        printer.print_string(" fastmath")
        flags.print_parameter(printer)


@redefined(
    fastmath=OptPropertyDef(base(FastMathFlagsAttr)),
    roundingmode=OptPropertyDef(base(IntegerAttr)),
)
class TruncFOp(arith.TruncFOp):
    """``arith.truncf %a to_nearest_even fastmath<fast> : f32 to bf16``: rounded to nearest, ties to
    even; other modes are refused.
    """

    def verify_(self) -> None:
        _check_cast(self)
        _check_rounding(self)

    @classmethod
    def parse(cls, parser: Parser) -> TruncFOp:
        name = parser.parse_unresolved_operand()
        properties = _parse_rounding(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_keyword("to")
        return cls.build(
            operands=[parser.resolve_operand(name, source)],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.input)
        _print_rounding(self, printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.input.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)


_EXTENDED[arith.ExtFOp] = ExtFOp
_EXTENDED[arith.TruncFOp] = TruncFOp


_WITH_EXACT = redefined(
    "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)",
    isExact=OptPropertyDef(base(UnitAttr)),
)
"""The assembly format of an op with the flag ``exact``, which promises that no remainder or set bit
is lost.
"""


@_WITH_EXACT
class DivSIOp(arith.DivSIOp):
    """``arith.divsi %a, %b exact : i32``."""


@_WITH_EXACT
class DivUIOp(arith.DivUIOp):
    """``arith.divui %a, %b exact : i32``."""


@_WITH_EXACT
class ShRSIOp(arith.ShRSIOp):
    """``arith.shrsi %a, %b exact : i32``."""


@_WITH_EXACT
class ShRUIOp(arith.ShRUIOp):
    """``arith.shrui %a, %b exact : i32``."""


_EXTENDED.update({cls.__bases__[0]: cls for cls in (DivSIOp, DivUIOp, ShRSIOp, ShRUIOp)})


@_takes(_FLOATS, _INTEGERS, _check_cast)
class FPToSIOp(arith.FPToSIOp):
    """``arith.fptosi %a : vector<8xf32> to vector<8xi32>``."""


@_takes(_FLOATS, _INTEGERS, _check_cast)
class FPToUIOp(arith.FPToUIOp):
    """``arith.fptoui %a : vector<8xf32> to vector<8xi32>``."""


@_takes(_INTEGERS, _FLOATS, _check_cast)
class SIToFPOp(arith.SIToFPOp):
    """``arith.sitofp %a : vector<8xi32> to vector<8xf32>``."""


@_takes(_INTEGERS, _FLOATS, _check_cast)
class UIToFPOp(arith.UIToFPOp):
    """``arith.uitofp %a : vector<8xi32> to vector<8xf32>``."""


@redefined(
    "$input (`overflow` `` $overflowFlags^)? attr-dict `:` type($input) `to` type($result)",
    input=OperandDef(_INTEGERS),
    result=ResultDef(_INTEGERS),
    overflowFlags=OptPropertyDef(base(IntegerOverflowAttr)),
)
class TruncIOp(arith.TruncIOp):
    """``arith.trunci %a overflow<nsw> : vector<8xi32> to vector<8xi8>``; the flags are promises."""

    def verify_(self) -> None:
        _check_truncation(self)


_EXTENDED[arith.TruncIOp] = TruncIOp


@_takes(_INTEGERS, _INTEGERS, _check_extension)
class ExtSIOp(arith.ExtSIOp):
    """``arith.extsi %a : vector<8xi8> to vector<8xi32>``."""

    traits = traits_def(Pure())  # xDSL declares no effects of this op


@_takes(_INTEGERS, _INTEGERS, _check_extension)
class ExtUIOp(arith.ExtUIOp):
    """``arith.extui %a : vector<8xi8> to vector<8xi32>``."""


@irdl_op_definition
class RemFOp(arith.FloatingPointLikeBinaryOperation):
    """``arith.remf %a, %b : f32``: the remainder of the division, with the sign of %a; xDSL lacks
    this op.
    """

    name = "arith.remf"

    traits = traits_def(Pure())


class _ScalingCastOp(IRDLOperation):
    """A cast of a number multiplied or divided by a power of two."""

    input = operand_def(_FLOATS)
    scale = operand_def(_FLOATS)
    fastmath = opt_prop_def(FastMathFlagsAttr)
    roundingmode = opt_prop_def(IntegerAttr)
    result = result_def(_FLOATS)

    traits = traits_def(Pure())

    WIDENS: ClassVar[bool]
    """True if the result has more bits than the operand."""

    def verify_(self) -> None:
        source, target = self.input.type, self.result.type
        for type_ in (self.scale.type, target):
            _same_shape(self, source, type_)
        narrow, wide = (source, target) if self.WIDENS else (target, source)
        less, more = element_of(narrow), element_of(wide)
        assert isinstance(less, AnyFloat)
        assert isinstance(more, AnyFloat)
        if less.bitwidth >= more.bitwidth:
            raise VerifyException(f"{self.name}: {narrow} is not narrower than {wide}")
        _check_rounding(self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        at = parser.pos
        names = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        names.append(parser.parse_unresolved_operand())
        properties = _parse_rounding(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_keyword("to")
        return cls.build(
            operands=parser.resolve_operands(names, types, at),
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        _print_rounding(self, printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list([value.type for value in self.operands], printer.print_attribute)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class ScalingExtFOp(_ScalingCastOp):
    """``arith.scaling_extf %a, %s : f8E5M2, f32 to f32``: ``%a`` times the power of two with the
    exponent of ``%s``.
    """

    name = "arith.scaling_extf"

    WIDENS: ClassVar[bool] = True


@irdl_op_definition
class ScalingTruncFOp(_ScalingCastOp):
    """``arith.scaling_truncf %a, %s to_nearest_even : f32, f32 to f8E5M2``: ``%a`` divided by the
    power of two with the exponent of ``%s``.
    """

    name = "arith.scaling_truncf"

    WIDENS: ClassVar[bool] = False


ARITH = Dialect(
    "arith",
    [
        *(vector_class(op_type) for op_type in arith.Arith.operations),
        IndexCastUIOp,
        RemFOp,
        ScalingExtFOp,
        ScalingTruncFOp,
    ],
    list(arith.Arith.attributes),
    list(arith.Arith._interfaces),
)
