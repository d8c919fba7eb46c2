"""Quotients, remainders and powers of elements as numpy has them, of floats and of integers."""

from __future__ import annotations

from kc.te import functions, intrinsics
from kc.te.dtypes import bits, is_float, is_signed
from kc.te.expr import Const, Expr, compare, const, select


def floor_divide(a: Expr, b: Expr) -> Expr:
    """The quotient of two values of one type, rounded down.

    Of floats from the exact remainder, so that a quotient rounded up to a whole number is not.
    """
    if not is_float(a.dtype):
        return functions.floordiv(a, b)
    rest, zero = intrinsics.fmod(a, b), const(0.0, a.dtype)
    turned = compare("ne", rest, zero) & ((b < 0) ^ (rest < 0))
    exact = (a - rest) / b
    exact = select(turned, exact - 1.0, exact)
    down = functions.floor(exact)
    near = select(exact - down > 0.5, down + 1.0, down)
    near = select(compare("eq", exact, zero), intrinsics.copysign(zero, a / b), near)
    return select(compare("eq", b, zero), a / b, near)


def floor_mod(a: Expr, b: Expr) -> Expr:
    """The remainder of :func:`floor_divide`; its sign is that of ``b``."""
    if not is_float(a.dtype):
        return functions.floormod(a, b)
    rest = intrinsics.fmod(a, b)
    zero = const(0.0, a.dtype)
    moved = select((rest < 0) ^ (b < 0), rest + b, rest)
    return select(compare("eq", rest, zero), intrinsics.copysign(zero, b), moved)


def power(a: Expr, b: Expr) -> Expr:
    """``a`` to the power of ``b``, of one type; integers by repeated squaring, which wraps around.

    A negative exponent of an integer gives 0, of 1 and -1 these. One that is constant is at least
    0.
    """
    if is_float(a.dtype):
        return intrinsics.power(a, b)
    width, unit, zero = bits(a.dtype), const(1, a.dtype), const(0, a.dtype)
    if isinstance(b, Const):
        steps = max(1, int(b.value).bit_length())
    else:
        steps = width - is_signed(a.dtype)
    result, square = unit, a
    for step in range(steps):
        bit = (b >> const(step, b.dtype)) & unit
        result = result * (bit * (square - unit) + unit)  # a factor of 1 where the bit is not set
        square = square * square
    if not is_signed(b.dtype) or isinstance(b, Const):
        return result
    # 1 / a**-b, truncated: only 1 and -1 have powers that are not 0.
    odd = compare("eq", b & unit, unit)
    least = const(-1, a.dtype)
    inverse = select(compare("eq", a, least), select(odd, least, unit), zero)
    inverse = select(compare("eq", a, unit), unit, inverse)
    return select(b < 0, inverse, result)
