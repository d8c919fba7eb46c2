"""The share of the normal distribution below a number, and the products of it that gelu is.

With a = |x| the share above a is exp(-a**2 / 2) times Mills' ratio m(a), which is 1 / h(a), where h
is nearly a straight line (the hazard). The result for x < 0 is that share; of others it is 1 less
that share. So nothing cancels far below 0, where 1 + erf(x / sqrt(2)) does. The square is exact, in
two numbers, and the result is rounded once, also where it is subnormal.

In f32, h is a polynomial; beyond 4.25, in a branch, m is a series of 1 / a**2. In f64, m is a
rational function.
"""

from __future__ import annotations

import math
from decimal import Decimal

from kc.transforms.elementary.coefficients import ERF, HAZARD, MILLS, MILLS_FAR
from kc.transforms.elementary.exponentials import reduced
from kc.transforms.elementary.values import PI, Integer, Real

_SCALE = 64
"""Powers of 2 from 2**-_SCALE times the least normal number on are normal with 2**_SCALE."""

_NEAR = 4.25
_CUBE = Decimal("0.044715")


def normal_share(x: Real) -> Real:
    """(1 + erf(x / sqrt(2))) / 2"""
    a = x.abs()
    above = _above(a, a.real(1.0)) * 2.0**-_SCALE
    share = (x < 0.0).choose(above, 1.0 - above)
    return share if x.is_single else (a < 1.0).choose(_share_near_0(x), share)


def times_normal_share(x: Real) -> Real:
    """x * (1 + erf(x / sqrt(2))) / 2"""
    a = x.abs()
    result = _above(a, a).times_plus(-(2.0**-_SCALE), x.greatest(-0.0))
    return result if x.is_single else (a < 1.0).choose(x * _share_near_0(x), result)


def _share_near_0(x: Real) -> Real:
    z = x * math.sqrt(0.5)
    half = z * 0.5
    return half.times_plus((z * z).polynomial(ERF), half) + 0.5


def times_share_by_tanh(x: Real) -> Real:
    """x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2

    With z = 2 sqrt(2 / pi) (|x| + 0.044715 |x|**3) that is |x| less |x| p / (1 + p), or the latter
    negated, where p = exp(-z). z is in two numbers.
    """
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
    power = (y + 1.0) * (x.power_of_2(n + _SCALE) * 2.0**-_SCALE)
    divisor, rest = a.real(1.0).plus(power)
    value = a / divisor
    # The quotient of what is missing is as good without the divisor, which is at most 2.
    tail = _scaled(value, -(value * rest), y, n)
    return tail.times_plus(-(2.0**-_SCALE), x.greatest(-0.0))


def _above(a: Real, factor: Real) -> Real:
    """``factor`` (a, or 1) times the share above a, times 2**_SCALE."""
    if not a.is_single:
        a, factor = a.least(38.6), factor.least(38.6)  # from where on it is 0
        y, n = _power(a)
        inverse = 1.0 / (a + 5.0)
        mills = ((a - 5.0) * inverse).polynomial(MILLS)
        return _scaled(factor * inverse * mills, a.real(0.0), y, n)
    y, n = _power(a)
    (first, *more), _ = HAZARD
    curve = a.polynomial((more, ()))
    hazard = a.times_plus(curve, first)
    hazard_rest = a.times_plus(curve, first - hazard)
    near = _scaled(*_quotient(factor, hazard, hazard_rest), y, n)
    is_far = a > _NEAR
    return near.unless(is_far, lambda: is_far.choose(_far(a, factor), near))


def _power(a: Real) -> tuple[Real, Integer]:
    """y and n with exp(-a**2 / 2) = (1 + y) 2**n."""
    half = a * 0.5
    square, rest = half.product(a)
    y, _, n = reduced(-square, -rest)
    return y, n


def _far(a: Real, factor: Real) -> Real:
    """The same for a beyond :data:`_NEAR`, in f32."""
    is_product = factor is a
    a = a.least(15.0)  # from where on it is 0
    y, n = _power(a)
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
    """number / (divisor + rest), rounded, and what is missing from it."""
    inverse = 1.0 / divisor
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
