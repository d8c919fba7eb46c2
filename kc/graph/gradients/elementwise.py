"""The gradients of operators of single elements."""

from __future__ import annotations

import math
from collections.abc import Callable

from xdsl.ir import SSAValue

from kc.dialects.graph.declaration import OperatorOp
from kc.expr.dtypes import is_float
from kc.graph.gradients import Emitter, Gradients, gradient, spec

_Slope = Callable[[Emitter, SSAValue, SSAValue], SSAValue]
"""The derivative at an element, of the operand and the result."""


def _of_slope(name: str, slope: _Slope) -> None:
    """Enter the rule of an operator whose derivative is known as a value."""

    @gradient(name)
    def rule(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
        return [at("multiply", head, slope(at, op.inputs[0], op.result))]


def _reciprocal(at: Emitter, value: SSAValue) -> SSAValue:
    return at("divide", at.number(1, value), value)


def _square(at: Emitter, value: SSAValue) -> SSAValue:
    return at("multiply", value, value)


def _minus_square(at: Emitter, value: SSAValue) -> SSAValue:
    return at("subtract", at.number(1, value), _square(at, value))


def _plus_square(at: Emitter, value: SSAValue) -> SSAValue:
    return at("add", at.number(1, value), _square(at, value))


def _times(at: Emitter, value: SSAValue, number: float) -> SSAValue:
    return at("multiply", value, at.number(number, value))


def _exp_of_square(at: Emitter, x: SSAValue, factor: float) -> SSAValue:
    return _times(at, at("exp", at("negative", _square(at, x))), factor)


_of_slope("exp", lambda at, x, y: y)
_of_slope("exp2", lambda at, x, y: _times(at, y, math.log(2)))
_of_slope("log", lambda at, x, y: _reciprocal(at, x))
_of_slope("log2", lambda at, x, y: _reciprocal(at, _times(at, x, math.log(2))))
_of_slope("log10", lambda at, x, y: _reciprocal(at, _times(at, x, math.log(10))))
_of_slope("sqrt", lambda at, x, y: at("divide", at.number(0.5, y), y))
_of_slope("rsqrt", lambda at, x, y: _times(at, at("divide", y, x), -0.5))
_of_slope("sin", lambda at, x, y: at("cos", x))
_of_slope("cos", lambda at, x, y: at("negative", at("sin", x)))
_of_slope("tan", lambda at, x, y: _plus_square(at, y))
_of_slope("sinh", lambda at, x, y: at("cosh", x))
_of_slope("cosh", lambda at, x, y: at("sinh", x))
_of_slope("tanh", lambda at, x, y: _minus_square(at, y))
_of_slope("asin", lambda at, x, y: at("rsqrt", _minus_square(at, x)))
_of_slope("acos", lambda at, x, y: at("negative", at("rsqrt", _minus_square(at, x))))
_of_slope("atan", lambda at, x, y: _reciprocal(at, _plus_square(at, x)))
_of_slope("asinh", lambda at, x, y: at("rsqrt", _plus_square(at, x)))
_of_slope("atanh", lambda at, x, y: _reciprocal(at, _minus_square(at, x)))
_of_slope("erf", lambda at, x, y: _exp_of_square(at, x, 2 / math.sqrt(math.pi)))
_of_slope("erfc", lambda at, x, y: _exp_of_square(at, x, -2 / math.sqrt(math.pi)))
_of_slope("sigmoid", lambda at, x, y: at("multiply", y, at("subtract", at.number(1, y), y)))


@gradient("negative")
def negative(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """Minus the head."""
    return [at("negative", head)]


@gradient("copy")
def copy(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head."""
    return [head]


@gradient("cast", "cast_like")
def cast(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head as the operand's elements; zero for integers."""
    dtype = spec(op.inputs[0]).dtype
    own = at("cast", head, dtype=dtype) if is_float(dtype) else None
    return [own, *([None] * (len(op.inputs) - 1))]


@gradient("abs")
def absolute(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head, or minus the head of negative elements; the slope at 0 is 1, as te.gradient's."""
    (x,) = op.inputs
    is_negative = at("less", x, at.number(0, x))
    return [at("where", is_negative, at("negative", head), head)]


@gradient("clip")
def clip(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head where the element is within the limits."""
    (x,) = op.inputs
    limits = op.operator
    least = at.number(limits.a_min, x)  # pyright: ignore[reportAttributeAccessIssue]
    most = at.number(limits.a_max, x)  # pyright: ignore[reportAttributeAccessIssue]
    is_within = at("logical_and", at("greater_equal", x, least), at("less_equal", x, most))
    return [at("where", is_within, head, at.zeros(head))]


@gradient(
    "floor", "ceil", "round", "trunc", "sign", "zeros_like", "ones_like", "zeros", "ones", "full"
)
def constant(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """Zero: the result is the same for near operands."""
    if op.OPERATOR.name == "full":
        return [at.summed(head, op.inputs[0])]
    return [None] * len(op.inputs)


@gradient("full_like")
def full_like(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The sum of the head for the number that fills, zero for the shape."""
    return [None, at.summed(head, op.inputs[1])]
