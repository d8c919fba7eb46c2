"""The cumulative distribution function of the standard normal distribution, and its products for
gelu.

For a = |x|, the tail probability above a is exp(-a**2 / 2) times Mills' ratio m(a) = 1 / h(a),
where the hazard h is nearly a straight line. The result is the tail probability for x < 0, and 1
minus the tail probability otherwise. So no digits cancel far below 0, unlike in 1 + erf(x /
sqrt(2)). The square is exact, as two numbers, and the result is rounded once, even if it is
subnormal.

In f32, h is a polynomial; beyond 4.25, in a branch, m is a series in 1 / a**2. In f64, m is a
rational function.
"""

from __future__ import annotations

import math
from decimal import Decimal

from kc.transforms.elementary.coefficients import ERF, HAZARD, MILLS, MILLS_FAR
from kc.transforms.elementary.exponentials import reduced
from kc.transforms.elementary.values import PI, Integer, Real

_SCALE = 64
"""The exponent of a scale factor. A power of 2 that is at least 2**-_SCALE times the smallest
normal number is normal after multiplication by 2**_SCALE.
"""

_NEAR = 4.25
_CUBE = Decimal("0.044715")


def normal_share(x: Real) -> Real:
    """(1 + erf(x / sqrt(2))) / 2"""
    a = x.abs().greatest(_least(x))
    tail = _above(a, a.real(1.0))
    below = x < 0.0
    # Clamped: for subnormal tails, 1 minus the tail rounds to 1.
    usual = tail.greatest(_least_tail(x))
    share = below.choose(usual, 1.0 - usual * 2.0**-_SCALE)
    share = share * below.choose(x.real(2.0**-_SCALE), 1.0)
    share = (below & (tail < _least_tail(x))).choose(tail.lowered(_SCALE), share)
    return share if x.is_single else (a < 1.0).choose(_share_near_0(x), share)


def times_normal_share(x: Real) -> Real:
    """x * (1 + erf(x / sqrt(2))) / 2"""
    is_tiny = x.abs() < _least(x)
    usual = is_tiny.choose(x.real(1.0), x)
    a = usual.abs()
    result = _less(usual, _above(a, a))
    if not x.is_single:
        result = (a < 1.0).choose(usual * _share_near_0(usual), result)
    return result.unless(is_tiny, lambda: is_tiny.choose(x.halved(), result))


def _least(x: Real) -> float:
    """The magnitude of x below which the distribution function rounds to 1/2, and its products to x
    / 2.
    """
    return 2.0**-30 if x.is_single else 2.0**-60


def _least_tail(x: Real) -> float:
    """The smallest tail that is a normal number after division by 2**_SCALE."""
    return x.least_normal * 2.0**_SCALE


def _less(x: Real, tail: Real) -> Real:
    """max(x, 0) - tail * 2**-_SCALE."""
    usual = tail.greatest(_least_tail(x)).times_plus(-(2.0**-_SCALE), x.greatest(-0.0))
    is_low = (x < 0.0) & (tail < _least_tail(x))
    return is_low.choose((-tail).lowered(_SCALE), usual)


def _share_near_0(x: Real) -> Real:
    z = x.without_tiny(60, 60) * math.sqrt(0.5)
    half = z * 0.5
    return half.times_plus((z * z).polynomial(ERF), half) + 0.5


def times_share_by_tanh(x: Real) -> Real:
    """x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2

    For z = 2 sqrt(2 / pi) (|x| + 0.044715 |x|**3) and p = exp(-z), this is |x| - |x| p / (1 + p) if
    x is positive, and -|x| p / (1 + p) otherwise. z is the sum of two numbers.
    """
    argument, is_tiny = x, x.abs() < _least(x)
    x = is_tiny.choose(x.real(1.0), x)
    a = x.abs().least(11.0 if x.is_single else 21.57)
    bits = x.mantissa + 1
    slope = 2 * (2 / PI).sqrt()
    line, line_rest = x.parts(slope, bits)
    cube, cube_rest = x.parts(slope * _CUBE, bits)
    square, square_rest = a.product(a)
    bend, bend_rest = square.product(a.real(cube))
    bend_rest = bend_rest + square.times_plus(cube_rest, square_rest * cube)
    factor, factor_rest = bend.sum(a.real(line))
    z, z_rest = factor.product(a)
    z_rest = a.times_plus(factor_rest + (bend_rest + line_rest), z_rest)
    y, _, n = reduced(-z, -z_rest)
    # A power that is small compared with 1 does not change the sum, so it is clamped.
    power = (y + 1.0) * (x.power_of_2(n + _SCALE).greatest(2.0**-40) * 2.0**-_SCALE)
    divisor, rest = a.real(1.0).plus(power)
    value = a / divisor
    # Dividing the correction by the divisor, at most 2, would not change the rounded result.
    tail = _scaled(value, -(value * rest), y, n)
    result = _less(x, tail)
    return result.unless(is_tiny, lambda: is_tiny.choose(argument.halved(), result))


def _above(a: Real, factor: Real) -> Real:
    """``factor`` (a, or 1) times the tail probability above a, times 2**_SCALE."""
    if not a.is_single:
        a, factor = a.least(38.6), factor.least(38.6)  # the share is 0 from there on
        y, n = _power(a)
        inverse = 1.0 / (a + 5.0)
        mills = ((a - 5.0) * inverse).polynomial(MILLS)
        return _scaled(factor * inverse * mills, a.real(0.0), y, n)
    is_product = factor is a
    a = a.least(15.0)  # the share is 0 from there on
    factor = a if is_product else factor
    y, n = _power(a)
    (first, *more), _ = HAZARD
    curve = a.polynomial((more, ()))
    hazard = a.times_plus(curve, first)
    hazard_rest = a.times_plus(curve, first - hazard)
    near = _scaled(*_quotient(factor, hazard, hazard_rest), y, n)
    is_far = a > _NEAR
    return near.unless(is_far, lambda: is_far.choose(_far(a, is_product, y, n), near))


def _power(a: Real) -> tuple[Real, Integer]:
    """y and n with exp(-a**2 / 2) = (1 + y) 2**n."""
    half = a * 0.5
    square, rest = half.product(a)
    y, _, n = reduced(-square, -rest)
    return y, n


def _far(a: Real, is_product: bool, y: Real, n: Integer) -> Real:
    """:func:`_above` for an a beyond :data:`_NEAR` in f32; (1 + y) 2**n is exp(-a**2 / 2)."""
    w = 1.0 / (a * a)
    limit, limit_rest = a.parts(1 / (2 * PI).sqrt(), a.mantissa + 1)
    curve = w.polynomial(MILLS_FAR)
    value = w.times_plus(curve, limit)
    rest = w.times_plus(curve, limit - value) + limit_rest
    if not is_product:
        value, missing = _quotient(value, a, a.real(0.0))
        rest = (rest / a) + missing
    return _scaled(value, rest, y, n)


def _quotient(number: Real, divisor: Real, rest: Real) -> tuple[Real, Real]:
    """number / (divisor + rest), rounded, and its rounding error."""
    inverse = divisor.near_inverse()
    value = number * inverse
    if value.code.has_fma:
        missing = value.times_plus(-divisor, number)
    else:
        product, low = value.product(divisor)
        missing = (number - product) - low
    return value, value.times_plus(-rest, missing) * inverse


def _scaled(value: Real, rest: Real, y: Real, n: Integer) -> Real:
    """(value + rest) (1 + y), times 2**(n + _SCALE)."""
    total = value + value.times_plus(y, rest.times_plus(y, rest))
    return total * total.power_of_2(n + _SCALE)
