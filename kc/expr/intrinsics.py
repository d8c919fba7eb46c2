"""The scalar functions of tensor expressions beyond operators, by TVM's names.

A function with an operation in ``math`` becomes that operation. The others are composed of such
operations, so that every analysis and every target understands them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from kc.expr.constructors import (
    Call,
    Const,
    Expr,
    ExprLike,
    as_expr,
    binary,
    cast,
    compare,
    const,
    intrinsic,
    match,
    select,
)
from kc.expr.dtypes import (
    bits,
    check_dtype,
    is_bool,
    is_float,
    lanes,
    scalar,
    total_bits,
    vector_of,
)
from kc.support.diagnostics import TEError
from kc.support.float_formats import upper_limit
from kc.support.locations import caller_location

acos = intrinsic("acos")
acosh = intrinsic("acosh")
asin = intrinsic("asin")
asinh = intrinsic("asinh")
atan = intrinsic("atan")
atanh = intrinsic("atanh")
cosh = intrinsic("cosh")
nearbyint = intrinsic("nearbyint")
sinh = intrinsic("sinh")


def _of_floats(op: str, meaning: str) -> Callable[[ExprLike, ExprLike], Expr]:
    def call(x: ExprLike, y: ExprLike) -> Expr:
        a, b = match(x, y)
        _require_float(op, a)
        return Call(op, (a, b), a.dtype, caller_location())

    call.__module__, call.__name__, call.__qualname__ = "kc.te", op, op
    call.__doc__ = meaning
    return call


atan2 = _of_floats("atan2", "The angle of the point (y, x) = (x1, x2), from -pi to pi.")
copysign = _of_floats("copysign", "The size of the first with the sign of the second.")
fmod = _of_floats("fmod", "The remainder of the quotient rounded towards zero; sign of the first.")


def power(x: ExprLike, y: ExprLike) -> Expr:
    """``x`` to the power of ``y``; for integers by products, which wrap around.

    A negative exponent of an integer gives 0, except for the bases 1 and -1. Raises KC2317 if a
    negative exponent is constant, KC2006 for conditions.
    """
    a, b = match(x, y)
    if is_bool(a.dtype):
        _require_float("power", a)
    if not is_float(a.dtype) and isinstance(b, Const) and b.value < 0:
        raise TEError(
            "KC2317",
            f"{a.dtype} to the power of {int(b.value)}",
            location=caller_location(),
            why="powers of integers have exponents of at least 0",
            hints=['convert: x.astype("float32")'],
        )
    return Call("power", (a, b), a.dtype, caller_location())


pow = power


def _require_float(op: str, value: Expr) -> None:
    if not is_float(value.dtype):
        raise TEError(
            "KC2006",
            f"{op} of {value.dtype} values",
            location=caller_location(),
            why=f"{op} is for floating-point values",
            hints=['convert: x.astype("float32")'],
        )


def _require_int(op: str, value: Expr) -> None:
    if is_float(value.dtype) or is_bool(value.dtype):
        raise TEError(
            "KC2006",
            f"{op} of {value.dtype} values",
            location=caller_location(),
            why=f"{op} is for integers",
            hints=['convert: x.astype("int32")'],
        )


def _float(op: str, x: ExprLike) -> Expr:
    value = as_expr(x)
    _require_float(op, value)
    return value


def exp10(x: ExprLike) -> Expr:
    """10 to the power of ``x``."""
    value = _float("exp10", x)
    return power(const(10.0, value.dtype), value)


def hypot(x1: ExprLike, x2: ExprLike) -> Expr:
    """The length of (x1, x2), without overflow of the squares; infinite if an operand is
    infinite.
    """
    a, b = (intrinsic("abs")(operand) for operand in match(_float("hypot", x1), x2))
    large, small = binary("max", a, b), binary("min", a, b)
    unit, zero = const(1.0, large.dtype), const(0.0, large.dtype)
    ratio = small / select(large > 0, large, unit)
    length = large * intrinsic("sqrt")(unit + ratio * ratio)
    length = select(compare("eq", large, zero), zero, length)
    if not _has_infinity(large):
        return length
    infinite = const(math.inf, large.dtype)
    unbounded = binary("or", compare("eq", a, infinite), compare("eq", b, infinite))
    return select(unbounded, infinite, length)


def ldexp(x1: ExprLike, x2: ExprLike) -> Expr:
    """``x1 * 2**x2`` for an integer ``x2``; rounded once where it is not tiny."""
    value, exponent = _float("ldexp", x1), as_expr(x2)
    _require_int("ldexp", exponent)
    # Scaled in three steps, so that an intermediate result leaves the range only if the final
    # result does.
    step = binary("truncdiv", exponent, const(3, exponent.dtype))
    rest = exponent - step * 2
    scale = [intrinsic("exp2")(cast(part, value.dtype)) for part in (step, rest)]
    return value * scale[0] * scale[0] * scale[1]


def isnan(x: ExprLike) -> Expr:
    """True if ``x`` is NaN."""
    value = as_expr(x)
    return compare("ne", value, value) if is_float(value.dtype) else const(False)


def isinf(x: ExprLike) -> Expr:
    """True if ``x`` is infinite."""
    value = as_expr(x)
    if not is_float(value.dtype) or not _has_infinity(value):
        return const(False)
    return compare("eq", intrinsic("abs")(value), const(math.inf, value.dtype))


def isfinite(x: ExprLike) -> Expr:
    """True if ``x`` is neither NaN nor infinite."""
    value = as_expr(x)
    if not is_float(value.dtype):
        return const(True)
    if not _has_infinity(value):
        return compare("eq", value, value)
    return compare("lt", intrinsic("abs")(value), const(math.inf, value.dtype))


def _has_infinity(value: Expr) -> bool:
    return upper_limit(scalar(value.dtype)) == math.inf


def popcount(x: ExprLike) -> Expr:
    """The number of ones in the bits of an integer, in its type."""
    value = as_expr(x)
    _require_int("popcount", value)
    return Call("popcount", (value,), value.dtype, caller_location())


def clz(x: ExprLike) -> Expr:
    """The number of zeros above the highest one of an integer, as int32; its width for 0."""
    value = as_expr(x)
    _require_int("clz", value)
    zeros = Call("clz", (value,), value.dtype, caller_location())
    return cast(zeros, vector_of("int32", value.dtype))


def bitwise_and(x: ExprLike, y: ExprLike) -> Expr:
    """``x & y``."""
    return binary("and", x, y)


def bitwise_or(x: ExprLike, y: ExprLike) -> Expr:
    """``x | y``."""
    return binary("or", x, y)


def bitwise_xor(x: ExprLike, y: ExprLike) -> Expr:
    """``x ^ y``."""
    return binary("xor", x, y)


def bitwise_not(x: ExprLike) -> Expr:
    """``~x``."""
    return ~as_expr(x)


def shift_left(x: ExprLike, y: ExprLike) -> Expr:
    """``x << y``; 0 if ``y`` is at least the width of the type."""
    return _shift("shl", x, y)


def shift_right(x: ExprLike, y: ExprLike) -> Expr:
    """``x >> y``, filled with copies of the sign; only copies if ``y`` is at least the width."""
    return _shift("shr", x, y)


def _shift(op: str, x: ExprLike, y: ExprLike) -> Expr:
    a, b = match(x, y)
    _require_int("a shift", a)
    return Call(op, (a, b), a.dtype, caller_location())


def div(a: ExprLike, b: ExprLike) -> Expr:
    """``a / b`` of floats; of integers the quotient rounded towards zero."""
    x, y = match(a, b)
    return binary("div" if is_float(x.dtype) else "truncdiv", x, y)


def ceildiv(a: ExprLike, b: ExprLike) -> Expr:
    """Integer quotient rounded up."""
    x, y = match(a, b)
    _require_int("ceildiv", x)
    down = binary("floordiv", x, y)
    exact = compare("eq", binary("floormod", x, y), const(0, x.dtype))
    return down + select(exact, const(0, x.dtype), const(1, x.dtype))


def multiply(a: ExprLike, b: ExprLike) -> Expr:
    """``a * b``."""
    return binary("mul", a, b)


def isnullptr(x: object) -> Expr:
    """True if the address of a buffer is null: never, because calls check every array."""
    del x
    return const(False)


def likely(condition: ExprLike) -> Expr:
    """The condition itself. TVM's hint has no effect in kc."""
    return as_expr(condition)


def reinterpret(dtype: str, value: ExprLike) -> Expr:
    """The bits of ``value`` as a value of another type of the same width.

    In statements the type may have another number of lanes: "int32" has the bits of "int8x4". A
    scalar type of the lanes' width applies to each lane of a vector.
    """
    source = as_expr(value)
    dtype = check_dtype(dtype, vectors=True)
    if total_bits(source.dtype) != total_bits(dtype):
        dtype = vector_of(dtype, source.dtype) if lanes(dtype) == 1 else dtype
    same = total_bits(source.dtype) == total_bits(dtype)
    if not same or is_bool(source.dtype) or is_bool(dtype):
        raise TEError(
            "KC2062",
            f"reinterpret: {source.dtype} as {dtype}",
            location=caller_location(),
            why=f"{source.dtype} has {total_bits(source.dtype)} bits, {dtype} {total_bits(dtype)}",
            hints=["astype converts the value"],
        )
    integers = not is_float(source.dtype) and not is_float(dtype)
    if source.dtype == dtype or integers and lanes(source.dtype) == lanes(dtype):
        return cast(source, dtype)
    return Call("reinterpret", (source,), dtype, caller_location())


def nextafter(x1: ExprLike, x2: ExprLike) -> Expr:
    """The next float after ``x1`` in the direction of ``x2``."""
    a, b = match(_float("nextafter", x1), x2)
    kind = vector_of(f"int{bits(a.dtype)}", a.dtype)
    unit = const(1, kind)
    pattern = reinterpret(kind, a)
    # A larger bit pattern is farther from zero, for either sign.
    outward = compare("gt", b, a)
    outward = select(a > 0, outward, compare("lt", b, a))
    moved = reinterpret(a.dtype, select(outward, pattern + unit, pattern - unit))
    tiny = reinterpret(a.dtype, unit)
    from_zero = select(b > 0, tiny, -tiny)
    moved = select(compare("eq", a, const(0.0, a.dtype)), from_zero, moved)
    moved = select(compare("eq", a, b), b, moved)
    return select(binary("or", isnan(a), isnan(b)), a + b, moved)


def q_multiply_shift(x: ExprLike, y: ExprLike, q: ExprLike, s: ExprLike) -> Expr:
    """``round(x * y * 2**-s)`` of int32 ``x`` and the fixed-point ``y`` of ``q`` fractional bits.

    Halves are rounded up. Source: the quantized multiplication of gemmlowp, as TVM has it.
    """
    a, b, fraction, right = (as_expr(arg) for arg in (x, y, q, s))
    for operand in (a, b, fraction, right):
        _require_int("q_multiply_shift", operand)
        check_dtype(operand.dtype)
    wide, zero = "int64", const(0, "int64")
    fraction, right = cast(fraction, wide), cast(right, wide)
    left = select(right < 0, zero - right, zero)
    total = select(right > 0, right, zero) + fraction
    product = shift_left(cast(a, wide), left) * cast(b, wide)
    half = shift_left(const(1, wide), total - 1)
    return cast(shift_right(product + half, total), "int32")


__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_not",
    "bitwise_or", "bitwise_xor", "ceildiv", "clz", "copysign", "cosh", "div", "exp10", "fmod",
    "hypot", "isfinite", "isinf", "isnan", "isnullptr", "ldexp", "likely", "multiply", "nearbyint",
    "nextafter", "popcount", "pow", "power", "q_multiply_shift", "reinterpret", "shift_left",
    "shift_right", "sinh",
]  # fmt: skip
