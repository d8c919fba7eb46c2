"""Exponential and hyperbolic functions.

exp(x) is 2**n exp(r) with x = n log(2) + r, where n is a whole number and r small; tanh and sinh of
small numbers are polynomials, of others they follow from exp.
"""

from __future__ import annotations

from kc.transforms.elementary.coefficients import EXP, EXP2, EXPM1, SINH
from kc.transforms.elementary.values import LN2, Integer, Real


def reduced(x: Real, rest_of_x: Real | None = None) -> tuple[Real, Real, Integer]:
    """exp(r) - 1 and n with x = n log(2) + r, |r| <= log(2) / 2, for x of moderate size; n as a
    float and as the last bits of an integer. A small number may be added to x."""
    n, bits = x.rounded(1 / LN2)
    # The products with n are exact also where they are rounded by themselves.
    ln2, rest = x.parts(LN2, 15 if x.is_single else 41)
    head = n.times_plus(-ln2, x)
    if rest_of_x is not None:
        tail = n.times_plus(-rest, rest_of_x)
        r = head + tail
        return head + (r * r).times_plus(r.polynomial(EXP), tail), n, bits
    r = n.times_plus(-rest, head)
    # The rounding of r is none of the first term's.
    return head + n.times_plus(-rest, (r * r) * r.polynomial(EXP)), n, bits


def exp(x: Real) -> Real:
    # Below the first number the result is 0, above the second infinite.
    low, high = (-104.0, 89.0) if x.is_single else (-746.0, 710.0)
    y, n, bits = reduced(x.least(high).greatest(low))
    return (y + 1.0).scaled(n, bits)


def exp_of_moderate(x: Real) -> Real:
    """exp(x) where that is a normal number, and so is exp(-x)."""
    y, _, bits = reduced(x)
    return (y + 1.0) * x.power_of_2(bits)


def sigmoid(x: Real) -> Real:
    """1 / (1 + exp(-x)), with the power that is at most 1: the other one overflows.

    The quotient of the rounded numbers is corrected by what their roundings lost, times 1 / (1 + p)
    to a digit. In f32 what that of the divisor lost is enough for two units.
    """
    if not x.is_single:
        return _sigmoid_times(x, None)
    y, n, bits = reduced((-x.abs()).greatest(-104.0))
    power = (y + 1.0).scaled(n, bits)
    total, lost = x.real(1.0).plus(power)
    quotient = (x < 0.0).choose(power, 1.0) / total
    return (quotient * lost).times_plus(power.times_plus(0.5, -1.0), quotient)


def times_sigmoid(factor: Real, x: Real) -> Real:
    """``factor / (1 + exp(-x))``, of which the quotient is not rounded by itself."""
    return _sigmoid_times(x, factor)


def _sigmoid_times(x: Real, factor: Real | None) -> Real:
    y, n, bits = reduced((-x.abs()).greatest(-104.0 if x.is_single else -746.0))
    power, power_rest = (value.scaled(n, bits) for value in y.real(1.0).plus(y))
    total, total_rest = x.real(1.0).plus(power)
    below = x < 0.0
    numerator = below.choose(power, 1.0)
    quotient = numerator / total
    rest = below.choose(power_rest, 0.0) - quotient * (total_rest + power_rest)
    more = power.times_plus(-0.5, 1.0)
    if factor is None:
        return rest.times_plus(more, quotient)
    rest = rest + (quotient.times_plus(-total, numerator) if x.code.has_fma else 0.0)
    largest = 3e38 if x.is_single else 1e308  # infinity times a correction of 0 is none
    return factor.times_plus(quotient, factor.least(largest).greatest(-largest) * (rest * more))


def exp2(x: Real) -> Real:
    low, high = (-151.0, 129.0) if x.is_single else (-1076.0, 1025.0)
    x = x.least(high).greatest(low)
    n, bits = x.rounded()
    r = x - n
    return r.times_plus(r.polynomial(EXP2), 1.0).scaled(n, bits)


def expm1(x: Real) -> Real:
    low, high = (-18.0, 89.0) if x.is_single else (-38.0, 710.0)
    y, _, bits = reduced(x.least(high).greatest(low))
    # 2 (2**(n - 1) y + (2**(n - 1) - 1/2)): 2**n may be too large.
    half = x.power_of_2(bits - 1)
    result = y.times_plus(half, half - 0.5) * 2.0
    # The half of a subnormal number has a digit less.
    return (x.abs() < (2.0**-100 if x.is_single else 2.0**-900)).choose(x, result.with_sign_of(x))


def tanh(x: Real) -> Real:
    """1 - 2 / (exp(2 |x|) + 1), and for small numbers p / (p + 2) with p = exp(-2 |x|) - 1, whose
    divisor is just below 2, where floats are densest; one division for both.
    """
    a = x.abs().least(9.1 if x.is_single else 19.5)
    small = a < 0.48
    exponent = a * small.choose(x.real(-2.0), 2.0)
    n, bits = exponent.rounded(1 / LN2)
    # Exact for the n of small numbers, but for what log(2) is rounded by, which f64 feels. Of other
    # numbers the power counts for less.
    ln2, rest = x.parts(LN2, x.mantissa + 1)
    r = n.times_plus(-ln2, exponent)
    square, curve = r * r, r.polynomial(EXPM1)
    y = square.times_plus(curve, r) if x.is_single else r + square.times_plus(curve, n * -rest)
    power = x.power_of_2(bits)
    numerator = small.choose(y.times_plus(power, power - 1.0), -2.0)
    quotient = numerator / y.times_plus(power, power + 1.0)
    return (quotient + small.choose(x.real(0.0), 1.0)).with_sign_of(x)


def _half_exp(a: Real) -> Real:
    """exp(a) / 2 for a >= 0, which may be finite where exp(a) is not."""
    y, n, bits = reduced(a.least(90.0 if a.is_single else 711.0))
    return (y + 1.0).scaled(n - 1.0, bits - 1)


def sinh(x: Real) -> Real:
    a = x.abs()
    z = a * a
    small = (a * z).times_plus(z.polynomial(SINH), a)
    h = _half_exp(a)
    large = h - 0.25 / h
    return (a < 0.7).choose(small, large).with_sign_of(x)


def cosh(x: Real) -> Real:
    h = _half_exp(x.abs())
    return h + 0.25 / h
