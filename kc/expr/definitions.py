"""The definitions of the operations that no single operation of the IR computes.

Every spelling of an operation (operators, functions of te, tir and topi, scripts, importers)
creates the same node. :class:`kc.te.body.Body` calls :func:`definition_of` for the meaning of the
node and emits that, so all targets compute the same value. The table in docs/numerics.md describes
the rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from kc.expr import functions, intrinsics
from kc.expr.constructors import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    SelectExpr,
    cast,
    compare,
    const,
)
from kc.expr.dtypes import bits, integer_limits, is_bool, is_float, is_signed, scalar, vector_of
from kc.expr.lazy_select import known_range
from kc.support.locations import reading


def definition_of(expr: Expr) -> Expr:
    """The definition, in simpler operations, of an operation that the IR lacks.

    The operations are quotients and remainders of floats, powers of integers, and conversions of
    floats to integers.
    """
    with reading(expr.location):
        if isinstance(expr, Binary):
            return QUOTIENTS[expr.op](expr.lhs, expr.rhs)
        if isinstance(expr, Cast):
            return whole_number(expr)
        assert isinstance(expr, Call)
        return integer_power(*expr.args)


def _choice(condition: Expr, a: Expr, b: Expr) -> Expr:
    """A select of two values. Both are computed, including their reads."""
    return Call("ir.arith.select", (condition, a, b), a.dtype, condition.location)


def _floor_divide(a: Expr, b: Expr) -> Expr:
    """numpy's quotient rounded down, from the exact remainder: 1.0 // 0.1 is 9.

    ``a / b`` may be rounded up to a whole number that the exact quotient does not reach.
    """
    rest, zero = intrinsics.fmod(a, b), const(0.0, a.dtype)
    turned = compare("ne", rest, zero) & ((b < 0) ^ (rest < 0))
    exact = (a - rest) / b
    exact = _choice(turned, exact - 1.0, exact)
    down = functions.floor(exact)
    near = _choice(exact - down > 0.5, down + 1.0, down)
    near = _choice(compare("eq", exact, zero), intrinsics.copysign(zero, a / b), near)
    return _choice(compare("eq", b, zero), a / b, near)


def _floor_mod(a: Expr, b: Expr) -> Expr:
    """The remainder of :func:`_floor_divide`; its sign is that of ``b``."""
    rest, zero = intrinsics.fmod(a, b), const(0.0, a.dtype)
    moved = _choice((rest < 0) ^ (b < 0), rest + b, rest)
    return _choice(compare("eq", rest, zero), intrinsics.copysign(zero, b), moved)


def _in_wide(function: Callable[[Expr, Expr], Expr]) -> Callable[[Expr, Expr], Expr]:
    """``function`` in float32 or wider, rounded once to the type of the operands."""

    def computed(a: Expr, b: Expr) -> Expr:
        if bits(a.dtype) >= 32:
            return function(a, b)
        wide = vector_of("float32", a.dtype)
        return cast(function(cast(a, wide), cast(b, wide)), a.dtype)

    return computed


QUOTIENTS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "floordiv": _in_wide(_floor_divide),
    "floormod": _in_wide(_floor_mod),
    "truncdiv": lambda a, b: functions.trunc(a / b),
    "truncmod": intrinsics.fmod,
}
"""Quotients and remainders of two floats of one type, by their operators."""


def integer_power(a: Expr, b: Expr) -> Expr:
    """``a`` to the power of ``b`` by repeated squaring, with wrap-around. For a negative exponent
    the result is 0, except for the bases 1 and -1. A constant exponent must be at least 0.
    """
    unit, zero = const(1, a.dtype), const(0, a.dtype)
    if isinstance(b, Const):
        steps = max(1, int(b.value).bit_length())
    else:
        steps = bits(a.dtype) - is_signed(a.dtype)
    result, square = unit, a
    for step in range(steps):
        bit = (b >> const(step, b.dtype)) & unit
        result = result * (bit * (square - unit) + unit)  # a factor of 1 where the bit is not set
        square = square * square
    if not is_signed(b.dtype) or isinstance(b, Const):
        return result
    # 1 / a**-b, truncated: the result is 0 unless a is 1 or -1.
    odd = compare("eq", b & unit, unit)
    least = const(-1, a.dtype)
    inverse = _choice(compare("eq", a, least), _choice(odd, least, unit), zero)
    inverse = _choice(compare("eq", a, unit), unit, inverse)
    return _choice(b < 0, inverse, result)


def whole_number(conversion: Cast) -> Expr:
    """A float as an integer: truncated, clamped to the limits of the type, 0 for NaN.

    The operation of the IR is undefined for values out of range, and processors differ there. Only
    the tests that the value's range requires are emitted: none for a clamped value, for example.
    """
    value, dtype = conversion.value, conversion.dtype
    lowest, highest = integer_limits(dtype)
    if isinstance(value, Const):
        number = float(value.value)
        clamped = 0 if math.isnan(number) else max(lowest, min(number, highest))
        return const(int(clamped), dtype)
    if bits(value.dtype) < 32:
        value = cast(value, vector_of("float32", value.dtype))
    least, greatest, may_be_nan = _range_of(value)
    low, end = const(lowest, value.dtype), const(float(highest + 1), value.dtype)
    inside: Expr = value
    if may_be_nan and lowest < 0:
        inside = _choice(compare("eq", value, value), value, const(0.0, value.dtype))
    if least < lowest or may_be_nan and lowest == 0:  # a comparison with NaN is false
        inside = _choice(compare("gt", inside, low), inside, low)
    if greatest < highest + 1:
        return _truncated(inside, dtype)
    if _is_exact(highest, value.dtype):
        top = const(float(highest), value.dtype)
        return _truncated(_choice(compare("lt", inside, top), inside, top), dtype)
    beyond = compare("ge", inside, end)
    rest = _truncated(_choice(beyond, low, inside), dtype)
    return _choice(beyond, const(highest, dtype), rest)


def _truncated(value: Expr, dtype: str) -> Expr:
    """The conversion operation of the IR, for values in range."""
    name = "fptosi" if is_signed(dtype) else "fptoui"
    return Call(f"ir.arith.{name}", (value,), dtype, value.location)


def _is_exact(number: int, dtype: str) -> bool:
    return number.bit_length() <= (24 if scalar(dtype) == "float32" else 53)


_ROUNDED = {
    "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "round": round, "nearbyint": round,
}  # fmt: skip
_DEPTH = 16
"""The depth to which bounds are derived, so that the stack is not exhausted."""


def _range_of(value: Expr, depth: int = _DEPTH) -> tuple[float, float, bool]:
    """The lower and the upper bound of a float, and True if it may be NaN."""
    anything = (-math.inf, math.inf, True)
    if depth == 0:
        return anything
    if isinstance(value, Const) and not math.isnan(value.value):
        return float(value.value), float(value.value), False
    if isinstance(value, Cast) and not is_float(value.value.dtype):
        return _range_of_integer(value)
    if isinstance(value, Cast) and bits(value.dtype) >= bits(value.value.dtype):
        return _range_of(value.value, depth - 1)
    if isinstance(value, Call) and value.op in _ROUNDED:
        low, high, may_be_nan = _range_of(value.args[0], depth - 1)
        step = _ROUNDED[value.op]
        low, high = (end if math.isinf(end) else float(step(end)) for end in (low, high))
        return low, high, may_be_nan
    if isinstance(value, Binary) and value.op in ("min", "max"):
        a, b = (_range_of(side, depth - 1) for side in (value.lhs, value.rhs))
        choose = min if value.op == "min" else max
        return choose(a[0], b[0]), choose(a[1], b[1]), a[2] or b[2]
    if isinstance(value, SelectExpr):
        a, b = (_range_of(side, depth - 1) for side in (value.on_true, value.on_false))
        test = value.condition
        is_nan_test = (
            isinstance(test, Compare)
            and test.op == "ne"
            and test.lhs is test.rhs
            and test.lhs is value.on_false
        )
        return min(a[0], b[0]), max(a[1], b[1]), a[2] or (b[2] and not is_nan_test)
    return anything


def _range_of_integer(conversion: Cast) -> tuple[float, float, bool]:
    """The range of a converted integer. A narrow float type may overflow to infinity."""
    source = conversion.value.dtype
    limits = (0, 1) if is_bool(source) else known_range(conversion.value) or integer_limits(source)
    if bits(conversion.dtype) < 32:
        return -math.inf, math.inf, True
    low, high = (float(const(float(limit), conversion.dtype).value) for limit in limits)
    return low, high, False
