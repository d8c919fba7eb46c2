"""Exponential and hyperbolic functions.

exp(x) is 2**n exp(r) with x = n log(2) + r, where n is a whole number and r is small. tanh and sinh
are polynomials for small numbers, and follow from exp for others.
"""

from __future__ import annotations

from collections.abc import Sequence

from kc.transforms.elementary.coefficients import EXP, EXP2, EXPM1, SINH
from kc.transforms.elementary.values import INFINITY, LN2, NAN, Bool, Integer, Real, either


def reduced(x: Real, rest_of_x: Real | None = None) -> tuple[Real, Real, Integer]:
    """exp(r) - 1 and n with x = n log(2) + r, |r| <= log(2) / 2, for x of moderate size; n as a
    float and as the low bits of an integer. A small correction may be added to x.
    """
    n, bits = x.rounded(1 / LN2)
    # The products with n are exact even if they are rounded separately.
    ln2, rest = x.parts(LN2, 15 if x.is_single else 41)
    head = n.times_plus(-ln2, x)
    if rest_of_x is not None:
        tail = n.times_plus(-rest, rest_of_x)
        r = head + tail
        return head + (r * r).times_plus(r.polynomial(EXP), tail), n, bits
    r = n.times_plus(-rest, head)
    # The rounding error of r does not affect the first term.
    return head + n.times_plus(-rest, (r * r) * r.polynomial(EXP)), n, bits


_END = {True: (-104.0, 89.0), False: (-746.0, 710.0)}
"""The bounds of the argument for f32 and for f64: the exponential is 0 below the first and infinite
above the second.
"""


def exp(x: Real) -> Real:
    if not x.code.has_slow_subnormals:
        y, n, bits = reduced(x.least(_END[x.is_single][1]).greatest(_END[x.is_single][0]))
        return (y + 1.0).scaled_in_steps(n, bits)
    x = _clamped(x)
    return _scaled(*power(x), x < _least_normal_exponent(x))


def _scaled(y: Real, n: Real, bits: Integer, is_low: Bool) -> Real:
    """``y * 2**n``, which may be subnormal or 0 where ``is_low``."""

    def lowered() -> Sequence[Real]:
        return [y.scaled(n, bits, is_low).lowered_where(is_low, y.lift)]

    if not y.is_vector:
        return lowered()[0]
    return y.of(either(is_low, lowered, lambda: [y.scaled(n, bits)])[0])


def lifted_exp(x: Real) -> tuple[Real, Bool]:
    """exp(x), times 2**lift if the condition holds, because exp(x) would be subnormal."""
    x = _clamped(x)
    is_low = x < _least_normal_exponent(x)
    y, n, bits = power(x)
    return y.scaled(n, bits, is_low), is_low


def _clamped(x: Real) -> Real:
    """An argument for :func:`power` with the same result: 0 for a tiny ``x``, and otherwise within
    the bounds of the exponential.
    """
    low, high = _END[x.is_single]
    # The square of r is subnormal for much larger r than r itself.
    is_tiny = x.is_nearly_subnormal() if x.code.has_fma else x.is_tiny(30, 60)
    return is_tiny.choose(x.real(0.0), x.least(high).greatest(low))


def power(x: Real) -> tuple[Real, Real, Integer]:
    """exp(r), n and its bits as in :func:`reduced`. With an fma this takes fewer steps: each step
    adds a number of moderate size, so that no intermediate result is subnormal even for the
    smallest normal r.
    """
    if not x.code.has_fma:
        y, n, bits = reduced(x)
        return y + 1.0, n, bits
    n, bits = x.rounded(1 / LN2)
    ln2, rest = x.parts(LN2, 15 if x.is_single else 41)
    r = n.times_plus(-rest, n.times_plus(-ln2, x))
    return r.times_plus(r.times_plus(r.polynomial(EXP), 1.0), 1.0), n, bits


def _least_normal_exponent(x: Real) -> float:
    """The smallest number of the type whose exponential is normal."""
    return -87.33654 if x.is_single else -708.3964185322641


def exp_of_moderate(x: Real) -> Real:
    """exp(x), provided that exp(x) and exp(-x) are normal numbers."""
    y, _, bits = reduced(x)
    return (y + 1.0) * x.power_of_2(bits)


def sigmoid(x: Real) -> Real:
    """1 / (1 + exp(-x)), computed from exp(-|x|), because exp(|x|) may overflow. The rounding
    errors of the divisor and of the quotient are compensated. The rounding error of the power stays
    within two units in the last place.
    """
    is_tiny = x.is_nearly_subnormal() if x.code.has_fma else x.is_tiny(30, 60)
    a = is_tiny.choose(x.real(0.0), (-x.abs()).greatest(_END[x.is_single][0]))
    y, n, bits = power(a)
    below = x < 0.0

    # Below this bound, the square of the power and the error of the quotient could be subnormal.
    # Times 2**lift, the power is still at most 1.
    least, lift = (-42.5, 60) if x.is_single else (-340.0, 480)

    def usual() -> Sequence[Real]:
        p = y.times_power_of_2(bits)
        return [below.choose(p, 1.0).over(*x.real(1.0).plus(p))]

    def rare() -> Sequence[Real]:
        is_low = a < least
        p = y.scaled(n, bits, is_low, lift)
        total, lost = x.real(1.0).plus(is_low.choose(x.real(0.0), p))
        quotient = below.choose(p, 1.0).over(total, lost)
        small = _divided(quotient, lift, is_positive=True)
        return [(is_low & below).choose(small, quotient)]

    if not x.is_vector:
        return rare()[0]
    return x.of(either(a.is_less(least), rare, usual)[0])


def _divided(value: Real, lift: int, *, is_positive: bool = False) -> Real:
    """A number with a magnitude below 2**lift, divided by 2**lift. The result may be subnormal or
    0.
    """
    size = value if is_positive else value.abs()
    is_subnormal = size < value.least_normal * 2.0**lift
    lowered = value.lowered(lift, is_positive=is_positive)
    return is_subnormal.choose(lowered, value.divided(lift))


def times_sigmoid(factor: Real, x: Real) -> Real:
    """``factor / (1 + exp(-x))``, rounded once, without a separately rounded quotient."""
    return _silu(x) if factor.value is x.value else _sigmoid_times(x, factor)


def _silu(x: Real) -> Real:
    """x / (1 + exp(-x)). The rounding errors of the quotient and of the divisor are compensated."""
    size = x.abs()
    most = 85.0 if x.is_single else 700.0
    is_tiny, is_large = size < 2.0**-60, size.is_no_less(most)
    usual = is_tiny.choose(x.real(1.0), x)

    def rare() -> Sequence[Real]:
        (value,) = either(
            is_large, lambda: [_silu_of_large(usual, most)], lambda: [_silu_of(usual)]
        )
        result = x.of(value)
        return [result.unless(is_tiny, lambda: is_tiny.choose(x.halved(), result))]

    return x.of(either(is_tiny | is_large, rare, lambda: [_silu_of(x)])[0])


def _silu_of(x: Real) -> Real:
    """:func:`_silu` of an x that is not tiny and for which exp(x) and exp(-x) are normal
    numbers.
    """
    y, _, bits = power(-x)
    p = y.times_power_of_2(bits)
    return x.over(*_one_and(p))


def _silu_of_large(x: Real, most: float) -> Real:
    """:func:`_silu` of an x that is not tiny, also for divisors so large that the error of the
    quotient could be subnormal. Such a divisor is computed times 2**-lift, and its term 1 is
    negligible.
    """
    lift, end = (64, -110.0) if x.is_single else (640, -760.0)  # before the end it is -0
    is_low = x < -most
    usual = x.least(most).greatest(end)
    y, n, bits = power(-usual)
    quotient = usual.over(*_one_and(y.scaled(n, bits, is_low, -lift)))
    small = x.is_(-INFINITY).choose(x.real(NAN), _divided(quotient, lift))
    return is_low.choose(small, (x > most).choose(x, quotient))


def _one_and(p: Real) -> tuple[Real, Real]:
    """1 + p for a positive p, rounded, and its rounding error."""
    total = p + 1.0
    return total, p.least(1.0) - (total - p.greatest(1.0))


def _sigmoid_times(x: Real, factor: Real) -> Real:
    a = -x.without_tiny(30, 60).abs()
    a = a.greatest(_END[x.is_single][0])
    # Below this bound, the error of the power, or its square, could be subnormal. Times 2**lift,
    # the power is still at most 1.
    is_low, lift = a < (-42.5 if x.is_single else -340.0), 60 if x.is_single else 480
    y, n, bits = reduced(a)
    power, power_rest = (value.scaled(n, bits, is_low, lift) for value in y.real(1.0).plus(y))
    zero, below = x.real(0.0), x < 0.0
    term, term_rest = is_low.choose(zero, power), is_low.choose(zero, power_rest)
    total, total_rest = x.real(1.0).plus(term)
    numerator = below.choose(power, 1.0)
    quotient = numerator / total
    rest = below.choose(power_rest, 0.0) - quotient * (total_rest + term_rest)
    more = term.times_plus(-0.5, 1.0)
    is_low = is_low & below
    rest = rest + (quotient.times_plus(-total, numerator) if x.code.has_fma else 0.0)
    # The product of a small factor and its rounding error would be subnormal.
    is_small = factor.is_tiny(60, 500)
    usual = is_small.choose(x.real(1.0), factor)
    largest = 3e38 if x.is_single else 1e308  # avoids infinity times a correction of 0
    product = usual.times_plus(quotient, usual.least(largest).greatest(-largest) * (rest * more))
    product = _in_place(product, is_low, lift, factor, quotient)
    return product.unless(
        is_small, lambda: is_small.choose(_small_product(factor, quotient, is_low), product)
    )


def _in_place(value: Real, is_low: Bool, lift: int, factor: Real, quotient: Real) -> Real:
    """The product of ``factor`` and ``quotient``, computed as ``value``. Where ``is_low``, the
    quotient is too large by 2**lift, and the product is divided by 2**lift. A quotient of less than
    half of the smallest number counts as 0.
    """

    def lowered() -> Real:
        result = _divided(value, lift)
        result = (is_low & (value.abs() < INFINITY)).choose(result, value)
        is_zero = is_low & (quotient < 2.0 ** (value.least_exponent + lift - 1))
        return (is_zero & factor.abs().is_(INFINITY)).choose(value.real(NAN), result)

    return value.unless(is_low, lowered)


def _small_product(factor: Real, quotient: Real, is_low: Bool) -> Real:
    """The product of a number below 2**-60 (2**-500 in f64) in magnitude and of a quotient that is
    at most 1. Where ``is_low``, the quotient counts as 0.
    """
    is_subnormal = factor.is_subnormal()
    scale = factor.bias - 1
    size = factor.abs().least(1.0).greatest(factor.least_normal) * 2.0**scale
    large = is_subnormal.choose(factor.subnormal_times(), size.with_sign_of(factor))
    product = large * is_low.choose(quotient.real(0.0), quotient)
    is_below = product.abs() < 1.0
    return is_below.choose(product.lowered(scale), product.divided(scale))


def exp2(x: Real) -> Real:
    low, high = (-151.0, 129.0) if x.is_single else (-1076.0, 1025.0)
    x = x.is_nearly_subnormal().choose(x.real(0.0), x.least(high).greatest(low))
    is_low = x < 1.0 - x.bias
    n, bits = x.rounded()
    r = x - n
    return _scaled(r.times_plus(r.polynomial(EXP2), 1.0), n, bits, is_low)


def expm1(x: Real) -> Real:
    is_tiny = x.is_tiny(26, 55)  # the result rounds to x there
    low, high = (-18.0, 89.0) if x.is_single else (-38.0, 710.0)
    y, _, bits = reduced(is_tiny.choose(x.real(0.0), x.least(high).greatest(low)))
    # 2 (2**(n - 1) y + (2**(n - 1) - 1/2)): 2**n may be too large.
    half = x.power_of_2(bits - 1)
    return is_tiny.choose(x, y.times_plus(half, half - 0.5) * 2.0)


def tanh(x: Real) -> Real:
    """-p / (2 + p) with p = exp(-2 |x|) - 1. The rounding errors of the divisor and of the quotient
    are compensated.
    """
    size = x.abs()
    is_tiny = size < (2.0**-13 if x.is_single else 2.0**-27)  # where it is x
    a = is_tiny.choose(x.real(0.0), size.least(9.1 if x.is_single else 19.5))
    exponent = a * -2.0
    n, bits = a.rounded(-2 / LN2)
    # Exact for the n of small numbers, except for the rounding error of log(2), which matters in
    # f64. For other numbers the power dominates.
    ln2, rest = x.parts(LN2, x.mantissa + 1)
    r = n.times_plus(-ln2, exponent)
    square, curve = r * r, r.polynomial_in_pairs(EXPM1)
    y = square.times_plus(curve, r) if x.is_single else r + square.times_plus(curve, n * -rest)
    power = x.power_of_2(bits)
    p = y.times_plus(power, power - 1.0)
    result = (-p).over(*x.real(2.0).plus(p))
    return is_tiny.choose(x, result.with_sign_of(x))


def _half_exp(a: Real) -> Real:
    """exp(a) / 2 for a >= 0. It may be finite although exp(a) overflows."""
    y, n, bits = reduced(a.least(90.0 if a.is_single else 711.0))
    return (y + 1.0).scaled(n - 1.0, bits - 1)


def sinh(x: Real) -> Real:
    is_tiny = x.is_tiny(13, 27)  # the result rounds to x there
    a = is_tiny.choose(x.real(0.0), x.abs())
    z = a * a
    small = (a * z).times_plus(z.polynomial(SINH), a)
    h = _half_exp(a)
    large = h - _fourth(h)
    return is_tiny.choose(x, (a < 0.7).choose(small, large).with_sign_of(x))


def cosh(x: Real) -> Real:
    h = _half_exp(x.abs().without_tiny(30, 60))
    return h + _fourth(h)


def _fourth(h: Real) -> Real:
    """1 / (4 h) if it is significant beside h."""
    return 0.25 / h.least(2.0**60)
