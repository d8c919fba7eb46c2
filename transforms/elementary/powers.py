"""Powers and roots."""

from __future__ import annotations

from kc.transforms.elementary.coefficients import ATANH, EXP
from kc.transforms.elementary.exponentials import exp_of_moderate, lifted_exp
from kc.transforms.elementary.logarithms import lifted, log, normal, split
from kc.transforms.elementary.values import INFINITY, LN2, NAN, Bool, Real

TWO_THIRDS = (0.6666666666666666, 3.700743415417188e-17)
"""2/3 as the sum of two numbers."""


def _exact_log(x: Real) -> tuple[Real, Real]:
    """The logarithm of x > 0 in f64, and its rounding error, with about 65 correct bits.

    log(1 + f) = 2 s + 2/3 s**3 + ... with s = f / (2 + f). The first two terms are computed as sums
    of two numbers.
    """
    e, f = normal(x)
    d, lost = x.real(2.0).plus(f)
    s = f / d
    product, rest = s.product(d)
    s_rest = ((f - product) - rest - s * lost) / d
    z, z_rest = s.product(s)
    z_rest = (s + s).times_plus(s_rest, z_rest)
    higher = ATANH[1][1:]
    # q = z (2/3 + z (2/5 + ...)) in two numbers
    tail = z * z.polynomial(((), higher))
    c, c_rest = z.real(TWO_THIRDS[0]).plus(tail)
    c_rest = c_rest + TWO_THIRDS[1]
    q, q_rest = z.product(c)
    q_rest = z.times_plus(c_rest, z_rest.times_plus(c, q_rest))
    # s (2 + q)
    cube, cube_rest = s.product(q)
    cube_rest = s.times_plus(q_rest, s_rest.times_plus(q, cube_rest))
    ln2, ln2_rest = x.parts(LN2, 41)
    total, first = (e * ln2).sum(s + s)
    total, second = total.sum(cube)
    low = (first + second) + (e.times_plus(ln2_rest, cube_rest) + (s_rest + s_rest))
    return total.plus(low)


def _is_odd(y: Real) -> tuple[Bool, Bool]:
    """Two conditions: y is an integer, and y is an odd integer."""
    y = y.is_tiny(60, 60).choose(y.is_(0.0).choose(y, 0.25), y)
    half = y * 0.5
    return y.floor().is_(y), y.floor().is_(y) & (half.floor() < half)


def _not_tiny(y: Real) -> Real:
    """An exponent with the same power that causes no subnormal intermediate results."""
    least = y.real(2.0**-100).with_sign_of(y)
    return y.is_tiny(100, 100).choose(least, y)


def _of_singles(x: Real, y: Real) -> Real:
    """``|x| ** y`` of f32, computed in f64 with less than f64 accuracy."""
    scaled, is_subnormal = lifted(x.abs())
    a = scaled.wide()
    e, f, _ = split(a)
    e = is_subnormal.choose(e - (x.bias - 1.0), e)
    s = f / (f + 2.0)
    z = s * s
    logarithm = e.times_plus(LN2, (s * z).times_plus(z.polynomial(((), ATANH[0])), s + s))
    logarithm = a.is_(0.0).choose(a.real(-INFINITY), logarithm)
    logarithm = (a < INFINITY).choose(logarithm, a)
    t = (_not_tiny(y).wide() * logarithm).least(200.0).greatest(-200.0)
    n, bits = t.rounded(1 / LN2)
    r = n.times_plus(-LN2, t)
    power = (r * r).times_plus(r.polynomial(((), EXP[0])), r) + 1.0
    result = power * t.power_of_2(bits)
    # If f32's result is subnormal, adding this power of 2 rounds the number at the last digit of a
    # subnormal f32; the low bits are then the result.
    is_low = result < x.least_normal
    low = (result + 2.0 ** (x.least_exponent + result.mantissa)).bits().narrow().bits(x)
    return is_low.choose(low, result.greatest(x.least_normal).as_(x))


def _of_doubles(x: Real, y: Real) -> Real:
    """``|x| ** y`` of f64."""
    a = x.abs()
    high, low = _exact_log(a)
    is_number = (a > 0.0) & (a < INFINITY)
    high = is_number.choose(high, log(a))
    y = _not_tiny(y)
    product, rest = y.product(high)
    rest = y.times_plus(is_number.choose(low, 0.0), rest)
    rest = (product.abs() < 1e4).choose(rest, 0.0)
    e, is_low = lifted_exp(product)
    e = (e < INFINITY).choose(e.times_plus(rest, e), e)
    return is_low.choose(e.lowered(e.lift), e)


def pow(x: Real, y: Real) -> Real:
    result = _of_singles(x, y) if x.is_single else _of_doubles(x, y)
    is_whole, is_odd = _is_odd(y)
    result = ((x < 0.0) & (x > -INFINITY)).choose(is_whole.choose(result, NAN), result)
    is_below = x.real(1.0).with_sign_of(x) < 0.0
    result = (is_below & is_odd).choose(-result, result)
    result = (x.abs().is_(1.0) & y.abs().is_(INFINITY)).choose(x.real(1.0), result)
    return (x.is_(1.0) | y.is_(0.0)).choose(x.real(1.0), result)


def cbrt(x: Real) -> Real:
    exponent = 0 if x.is_single else -2  # the exponent of a power of 2 that is a cube
    a, is_subnormal = lifted(x.abs(), exponent)
    is_end = a.is_(0.0) | a.is_(INFINITY) | x.is_nan()
    a = is_end.choose(x.real(1.0), a)
    t = exp_of_moderate(log(a).without_tiny(60, 60) * (1.0 / 3.0))
    t = t - (t - a / (t * t)) * (1.0 / 3.0)
    t = t * is_subnormal.choose(x.real(2.0 ** -((x.bias - 1 + exponent) // 3)), 1.0)
    return is_end.choose(x, t.with_sign_of(x))


def rsqrt(x: Real) -> Real:
    if not x.code.has_slow_subnormals:
        return 1.0 / x.sqrt()
    scaled, is_subnormal = lifted(x)
    root = scaled.with_sign_of(x).sqrt()  # the root of -0 is -0
    return is_subnormal.choose(x.real(2.0 ** ((x.bias - 1) // 2)), 1.0) / root
