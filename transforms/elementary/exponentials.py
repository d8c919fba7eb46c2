"""Exponential and hyperbolic functions.

exp(x) is 2**n exp(r) with x = n log(2) + r, where n is a whole number and r small; tanh and sinh of
small numbers are polynomials, of others they follow from exp.
"""

from __future__ import annotations

from kc.transforms.elementary.coefficients import EXP, EXP2, EXPM1, SINH
from kc.transforms.elementary.values import INFINITY, LN2, NAN, Bool, Integer, Real


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


_END = {True: (-104.0, 89.0), False: (-746.0, 710.0)}
"""Of f32 and of f64: below the first number the exponential is 0, above the second infinite."""


def exp(x: Real) -> Real:
    if not x.code.has_slow_subnormals:
        y, n, bits = reduced(x.least(_END[x.is_single][1]).greatest(_END[x.is_single][0]))
        return (y + 1.0).scaled_in_steps(n, bits)
    value, is_low = lifted_exp(x)
    return is_low.choose(value.lowered(x.lift, is_positive=True), value)


def lifted_exp(x: Real) -> tuple[Real, Bool]:
    """exp(x), times 2**lift where the condition holds, as it would be subnormal otherwise."""
    low, high = _END[x.is_single]
    x = x.is_tiny(30, 60).choose(x.real(0.0), x.least(high).greatest(low))
    is_low = x < _least_normal_exponent(x)
    y, n, bits = reduced(x)
    return (y + 1.0).scaled(n, bits, is_low), is_low


def _least_normal_exponent(x: Real) -> float:
    """The least number of the type whose exponential is no subnormal number."""
    return -87.33654 if x.is_single else -708.3964185322641


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
    a = _negative(x, -104.0)
    is_low = a < _least_normal_exponent(x)
    y, n, bits = reduced(a)
    power = (y + 1.0).scaled(n, bits, is_low)  # at most 2**-30 where it is lifted
    total, lost = x.real(1.0).plus(power)
    below = x < 0.0
    quotient = below.choose(power, 1.0) / total
    result = quotient.times_plus(lost * power.times_plus(0.5, -1.0), quotient)
    return (is_low & below).choose(result.lowered(x.lift, is_positive=True), result)


def _negative(x: Real, least: float) -> Real:
    """-|x|, at least a number, and 0 where it is tiny."""
    size = x.abs()
    is_tiny = size < (2.0**-30 if x.is_single else 2.0**-60)
    return is_tiny.choose(x.real(0.0), (-size).greatest(least))


def times_sigmoid(factor: Real, x: Real) -> Real:
    """``factor / (1 + exp(-x))``, of which the quotient is not rounded by itself."""
    return _silu(x) if factor.value is x.value else _sigmoid_times(x, factor)


def _silu(x: Real) -> Real:
    """x / (1 + exp(-x)). What the quotient and the divisor are rounded by is made up for."""
    size = x.abs()
    is_tiny = size < 2.0**-60  # where it is x / 2
    is_unusual = is_tiny | size.is_no_less(2.0**60)
    usual = is_unusual.choose(x.real(1.0), x)
    # Beside 1 a small power counts for nothing; of the second number it is 0.
    least, most = (-40.0, 110.0) if x.is_single else (-80.0, 760.0)
    y, n, bits = reduced((-usual).least(most).greatest(least))
    # The divisor is so large that what is missing from the quotient could be subnormal: 2**lift of
    # it are enough, beside which 1 counts for nothing as well.
    is_low, lift = (n > 90.0, 64) if x.is_single else (n > 800.0, 640)
    power = (y + 1.0).scaled(n, bits, is_low, -lift)
    total = power + 1.0
    lost = power.least(1.0) - (total - power.greatest(1.0))
    inverse = 1.0 / total
    quotient = usual * inverse
    if x.code.has_fma:
        missing = quotient.times_plus(-total, usual)
    else:
        high, low = quotient.product(total)
        missing = (usual - high) - low
    result = quotient.times_plus(-lost, missing).times_plus(inverse, quotient)

    def rare() -> Real:
        is_subnormal = result.abs() < x.least_normal * 2.0**lift
        small = is_subnormal.choose(result.lowered(lift), result.divided(lift))
        large = (x < 0.0).choose(x.is_(-INFINITY).choose(x.real(NAN), -0.0), x)
        unusual = is_tiny.choose(x.halved(), large)
        return is_unusual.choose(unusual, is_low.choose(small, result))

    return result.unless(is_unusual | is_low, rare)


def _sigmoid_times(x: Real, factor: Real | None) -> Real:
    a = _negative(x, -104.0 if x.is_single else -746.0)
    # Where what is missing from the power, or its square, could be subnormal; times 2**lift it is
    # at most 1 as well.
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
    if factor is None:
        return _in_place(rest.times_plus(more, quotient), is_low, lift)
    rest = rest + (quotient.times_plus(-total, numerator) if x.code.has_fma else 0.0)
    # A small factor, and what is missing from it, has too small a product.
    is_small = factor.is_tiny(60, 500)
    usual = is_small.choose(x.real(1.0), factor)
    largest = 3e38 if x.is_single else 1e308  # infinity times a correction of 0 is none
    product = usual.times_plus(quotient, usual.least(largest).greatest(-largest) * (rest * more))
    product = _in_place(product, is_low, lift, (factor, quotient))
    return product.unless(
        is_small, lambda: is_small.choose(_small_product(factor, quotient, is_low), product)
    )


def _in_place(
    value: Real, is_low: Bool, lift: int, factors: tuple[Real, Real] | None = None
) -> Real:
    """A number of any size, times 2**-lift where a condition holds; the product of ``factors``, of
    which the second one is so much too large, and 0 where it should be less than half of the least
    number."""

    def lowered() -> Real:
        is_subnormal = value.abs() < value.least_normal * 2.0**lift
        result = is_subnormal.choose(value.lowered(lift), value.divided(lift))
        if factors is None:
            return is_low.choose(result, value)
        result = (is_low & (value.abs() < INFINITY)).choose(result, value)
        factor, quotient = factors
        is_zero = is_low & (quotient < 2.0 ** (value.least_exponent + lift - 1))
        return (is_zero & factor.abs().is_(INFINITY)).choose(value.real(NAN), result)

    return value.unless(is_low, lowered)


def _small_product(factor: Real, quotient: Real, is_low: Bool) -> Real:
    """The product of a number below 2**-60 (2**-500) in size and one that is at most 1, or 0 where
    that is small."""
    is_subnormal = factor.is_subnormal()
    scale = factor.bias - 1
    size = factor.abs().least(1.0).greatest(factor.least_normal) * 2.0**scale
    large = is_subnormal.choose(factor.subnormal_times(), size.with_sign_of(factor))
    product = large * is_low.choose(quotient.real(0.0), quotient)
    is_below = product.abs() < 1.0
    return is_below.choose(product.lowered(scale), product.divided(scale))


def exp2(x: Real) -> Real:
    low, high = (-151.0, 129.0) if x.is_single else (-1076.0, 1025.0)
    x = x.is_tiny(30, 60).choose(x.real(0.0), x.least(high).greatest(low))
    is_low = x < 1.0 - x.bias
    n, bits = x.rounded()
    r = x - n
    value = r.times_plus(r.polynomial(EXP2), 1.0).scaled(n, bits, is_low)
    return is_low.choose(value.lowered(x.lift, is_positive=True), value)


def expm1(x: Real) -> Real:
    is_tiny = x.is_tiny(26, 55)  # where it is x
    low, high = (-18.0, 89.0) if x.is_single else (-38.0, 710.0)
    y, _, bits = reduced(is_tiny.choose(x.real(0.0), x.least(high).greatest(low)))
    # 2 (2**(n - 1) y + (2**(n - 1) - 1/2)): 2**n may be too large.
    half = x.power_of_2(bits - 1)
    return is_tiny.choose(x, y.times_plus(half, half - 0.5) * 2.0)


def tanh(x: Real) -> Real:
    """1 - 2 / (exp(2 |x|) + 1), and for small numbers p / (p + 2) with p = exp(-2 |x|) - 1, whose
    divisor is just below 2, where floats are densest; one division for both.
    """
    size = x.abs()
    is_tiny = size < (2.0**-13 if x.is_single else 2.0**-27)  # where it is x
    a = is_tiny.choose(x.real(0.0), size.least(9.1 if x.is_single else 19.5))
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
    result = quotient + small.choose(x.real(0.0), 1.0)
    return is_tiny.choose(x, result.with_sign_of(x))


def _half_exp(a: Real) -> Real:
    """exp(a) / 2 for a >= 0, which may be finite where exp(a) is not."""
    y, n, bits = reduced(a.least(90.0 if a.is_single else 711.0))
    return (y + 1.0).scaled(n - 1.0, bits - 1)


def sinh(x: Real) -> Real:
    is_tiny = x.is_tiny(13, 27)  # where it is x
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
    """1 / (4 h) where it counts beside h."""
    return 0.25 / h.least(2.0**60)
