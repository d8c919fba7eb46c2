"""The float ops of ``arith``, constants, selection, and casts between integers and floats.

Results are rounded to their own type at each op, although fastmath flags would allow more freedom.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import copysign, isfinite
from typing import Any

import numpy as np
from xdsl.dialects import arith, ub
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    VectorType,
)
from xdsl.interpreter import Interpreter, InterpreterFunctions, register_impls
from xdsl.ir import Attribute, Operation

from kc.analysis.interpreter.arith_integer import Reading, signed, unsigned
from kc.analysis.interpreter.elementwise import Scalar, elementwise, elementwise_functions
from kc.analysis.interpreter.engine import Run, prepared
from kc.analysis.interpreter.errors import UninterpretableError
from kc.analysis.interpreter.values import (
    Poison,
    dtype_of,
    element_type,
    float_type,
    int_width,
    is_float,
    round_exactly,
    rounding,
    splat,
    wrapper,
)
from kc.dialects.arith import RemFOp


def propagating_minimum(a: Any, b: Any) -> Any:
    """The smaller float; NaN if either operand is NaN, and -0 < +0."""
    if a == b:
        return a if copysign(1, a) < 0 else b
    return a if a < b or a != a else b


def propagating_maximum(a: Any, b: Any) -> Any:
    """The larger float; NaN if either operand is NaN, and -0 < +0."""
    if a == b:
        return b if copysign(1, a) < 0 else a
    return a if a > b or a != a else b


def _number(function: Scalar) -> Scalar:
    """The IEEE 754-2008 variant of a minimum or maximum: a single NaN is ignored."""
    return lambda a, b: b if a != a else a if b != b else function(a, b)


def minimum_number(a: Any, b: Any) -> Any:
    """The smaller float; if one operand is NaN, the other operand."""
    return _number(propagating_minimum)(a, b)


def maximum_number(a: Any, b: Any) -> Any:
    """The larger float; if one operand is NaN, the other operand."""
    return _number(propagating_maximum)(a, b)


def _float_op(function: Scalar) -> Callable[[Operation], Scalar]:
    def make(op: Operation) -> Scalar:
        float_type(op, op.results[0].type)
        return function

    return make


def _compare(op: Operation) -> Scalar:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    name = arith.CMPF_COMPARISON_OPERATIONS[predicate.value.data]
    if name in ("false", "true"):
        return lambda a, b: name == "true"
    if name in ("ord", "uno"):
        return lambda a, b: bool(a == a and b == b) == (name == "ord")
    compare = {
        "eq": operator.eq,
        "ne": operator.ne,
        "lt": operator.lt,
        "le": operator.le,
        "gt": operator.gt,
        "ge": operator.ge,
    }[name[-2:]]
    unordered = name.startswith("u")
    return lambda a, b: bool(compare(a, b)) if a == a and b == b else unordered


def _from_float(reading: Reading) -> Callable[[Operation], Scalar]:
    """Float to integer, rounded towards zero; poison if the integer does not fit."""

    def make(op: Operation) -> Scalar:
        type_ = element_type(op.results[0].type)
        width = int_width(op, type_)
        wrap = wrapper(width)
        low, high = (
            (-(1 << (width - 1)), 1 << (width - 1)) if reading is signed else (0, 1 << width)
        )

        def convert(a: Any) -> Any:
            if isfinite(a) and low <= (whole := int(a)) < high:
                return wrap(whole)
            return Poison(op, f"{a} does not fit in {type_}")

        return convert

    return make


def _to_float(reading: Reading) -> Callable[[Operation], Scalar]:
    """Integer to float, correctly rounded."""

    def make(op: Operation) -> Scalar:
        read = reading(int_width(op, op.operands[0].type))
        kind = float_type(op, op.results[0].type)
        return lambda a: round_exactly(read(a), kind)

    return make


def _change_float(op: Operation) -> Scalar:
    float_type(op, op.operands[0].type)
    return rounding(op, op.results[0].type)


def _bits(op: Operation) -> Scalar:
    """A bitcast to another type."""
    source = dtype_of(op, element_type(op.operands[0].type))
    target = dtype_of(op, element_type(op.results[0].type))
    result = _scalar_from(element_type(op.results[0].type), op)
    return lambda a: result(np.array([a], source).view(target)[0])


def _scalar_from(type_: Attribute, op: Operation) -> Callable[[Any], Any]:
    """The function that converts a Python or numpy number to a value of a scalar type."""
    if is_float(type_):
        return rounding(op, type_)
    wrap = wrapper(int_width(op, type_))
    return lambda value: wrap(int(value))


FLOAT_OPS: dict[type[Operation], Callable[[Operation], Scalar]] = {
    arith.AddfOp: _float_op(operator.add),
    arith.SubfOp: _float_op(operator.sub),
    arith.MulfOp: _float_op(operator.mul),
    arith.DivfOp: _float_op(operator.truediv),
    RemFOp: _float_op(np.fmod),
    arith.NegfOp: _float_op(operator.neg),
    arith.MinimumfOp: _float_op(propagating_minimum),
    arith.MaximumfOp: _float_op(propagating_maximum),
    arith.MinnumfOp: _float_op(minimum_number),
    arith.MaxnumfOp: _float_op(maximum_number),
    arith.CmpfOp: _compare,
    arith.FPToSIOp: _from_float(signed),
    arith.FPToUIOp: _from_float(unsigned),
    arith.SIToFPOp: _to_float(signed),
    arith.UIToFPOp: _to_float(unsigned),
    arith.ExtFOp: _change_float,
    arith.TruncFOp: _change_float,
    arith.BitcastOp: _bits,
}
"""Builders of the scalar function of each op."""


def float_functions() -> InterpreterFunctions:
    """The implementations of the float ops and of the casts."""
    return elementwise_functions("ArithFloatFunctions", FLOAT_OPS)


def constant_value(op: Operation, attr: Attribute, type_: Attribute) -> Any:
    """The value of a constant attribute: a scalar, or a vector."""
    make = _scalar_from(element_type(type_), op)
    if isinstance(attr, IntegerAttr | FloatAttr):
        return make(attr.value.data)
    if isinstance(attr, DenseIntOrFPElementsAttr) and isinstance(type_, VectorType):
        values = attr.get_values()
        shape = tuple(type_.get_shape())
        if attr.is_splat():
            return splat(shape, make(values[0]))
        vector = np.empty(shape, object)
        vector.reshape(-1)[:] = [make(value) for value in values]
        return vector
    raise UninterpretableError(op, f"a constant of type {type_} cannot be interpreted")


def _choose(condition: Any, a: Any, b: Any) -> Any:
    return condition if type(condition) is Poison else a if condition else b


@register_impls
class ArithValueFunctions(InterpreterFunctions):
    """``arith.constant``, ``arith.select`` and ``ub.poison``."""

    @prepared(arith.ConstantOp)
    def constant(self, interpreter: Interpreter, op: arith.ConstantOp) -> Run:
        value = constant_value(op, op.value, op.result.type)
        return lambda: value

    @prepared(arith.SelectOp)
    def select(self, interpreter: Interpreter, op: arith.SelectOp) -> Run:
        if isinstance(op.cond.type, VectorType):
            # The element that is not chosen may be poison.
            return elementwise(op, _choose, strict=False)
        return _choose

    @prepared(ub.PoisonOp)
    def poison(self, interpreter: Interpreter, op: ub.PoisonOp) -> Run:
        type_ = op.result.type
        value = Poison(op, "it is declared so")
        if isinstance(type_, MemRefType):
            raise UninterpretableError(op, f"a poison {type_} cannot be interpreted")
        vector = splat(tuple(type_.get_shape()), value) if isinstance(type_, VectorType) else value
        return lambda: vector
