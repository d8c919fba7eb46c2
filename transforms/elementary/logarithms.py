"""Logarithms, and the inverses of the hyperbolic functions.

log(x) is e log(2) + log(1 + f), where 1 + f lies between 3/4 and 3/2 in f32, and between sqrt(1/2)
and sqrt(2) in f64. The sum is computed as two numbers, so that it is rounded once. The source of
log1p is W. Kahan.
"""

from __future__ import annotations

from collections.abc import Callable

from kc.transforms.elementary.coefficients import ATANH, LOG
from kc.transforms.elementary.values import INFINITY, LN2, LOG10_2, NAN, Bool, Integer, Real

LEAST = (0x3F400000, 0x3FE6A09E667F3BCD)
"""The bits of the smallest 1 + f: 3/4, for which AVX-512 has an instruction, and sqrt(1/2)."""


def split(x: Real, more: Callable[[float], Real | float] = float) -> tuple[Real, Real, Integer]:
    """e and f with x = 2**e (1 + f), for a normal x > 0, and the bits that hold e. ``more`` is
    applied to the offset that is subtracted from e.
    """
    least = LEAST[0 if x.is_single else 1]
    mantissa = x.mantissa
    offset = (x.bias + 1) << mantissa
    # The exponent, with an offset that makes it positive, becomes a float by way of its bits.
    shifted = x.bits() + (offset - least)
    upper = (shifted >> mantissa) | (x.bias + mantissa << mantissa)
    e = upper.bits(x) - more(2.0**mantissa + x.bias + 1)
    bits = shifted & ((1 << mantissa) - 1)
    return e, (bits + least).bits(x) - 1.0, shifted


def normal(x: Real) -> tuple[Real, Real]:
    """e and f with x = 2**e (1 + f) for any x > 0, including subnormal numbers."""
    scaled, tiny = lifted(x)
    shift = x.bias - 1.0
    e, f, _ = split(scaled, lambda offset: tiny.choose(x.real(offset + shift), offset))
    return e, f


def lifted(x: Real, exponent: int = 0) -> tuple[Real, Bool]:
    """The number, multiplied by 2**(bias - 1 + exponent) if it is subnormal or 0, and a flag for
    this case.
    """
    tiny = x.is_subnormal()
    return tiny.choose(x.subnormal_times(exponent), x), tiny


def missing(f: Real) -> Real:
    """f - log(1 + f)."""
    if f.is_single:
        return (f * f) * f.times_plus(-f.polynomial(LOG), 0.5)
    s = f / (f + 2.0)
    z = s * s
    return s * (f - z * z.polynomial(ATANH))


def _sum(e: Real, f: Real, rest: Real | None = None) -> Real:
    """The rounded sum e log(2) + log(1 + f), or e log(2) + log(1 + f) + rest for a small
    ``rest``.
    """
    total, less = _parts_of_sum(e, f, rest)
    return total + less


def _parts_of_sum(e: Real, f: Real, rest: Real | None = None) -> tuple[Real, Real]:
    """The same sum, rounded, and its rounding error."""
    ln2, ln2_rest = e.parts(LN2, 15 if e.is_single else 41)
    total, lost = (e * ln2).plus(f)
    if rest is not None:
        lost += rest
    return total, e.times_plus(ln2_rest, lost) - missing(f)


def ends(x: Real, y: Real, least: float = 0.0) -> Real:
    """A logarithm ``y`` of ``x``, replaced by -infinity for 0, infinity for infinity and NaN for
    negative numbers and NaN. Numbers below ``least`` count as 0.
    """
    zero = x < least if least else x.is_(0.0)
    y = zero.choose(x.real(-INFINITY), y)
    y = (x < INFINITY).choose(y, x)
    return (x < 0.0).choose(x.real(NAN), y)


def log(x: Real) -> Real:
    return _finished(x, _parts_of_sum)


def _finished(x: Real, parts: Callable[[Real, Real], tuple[Real, Real]]) -> Real:
    """The logarithm of ``x``. ``parts`` returns a rounded number and its error, which is less than
    1, or NaN if e is infinite.
    """
    if x.has_exponent:
        scaled, tiny = lifted(x)
        e, m = scaled.exponent_and_fraction()
        e = tiny.choose(e - (x.bias - 1.0), e)
        total, lost = parts(e, m - 1.0)
        return total + (lost < 1.0).choose(lost, 1.0)
    total, lost = parts(*normal(x))
    return ends(x, total + lost)


def log1p(x: Real) -> Real:
    is_tiny = x.is_tiny(26, 55)  # the result rounds to x there
    u, rest = _one_and(is_tiny.choose(x.real(0.0), x))
    return is_tiny.choose(x, ends(u, _log1p(u, rest)).with_sign_of(x))


def _one_and(x: Real) -> tuple[Real, Real]:
    """1 + x, rounded, and its rounding error."""
    u = x + 1.0
    lost = (x < 1.0).choose(x - (u - 1.0), (x - u) + 1.0)
    return u, lost


def _log1p(u: Real, rest: Real) -> Real:
    """log(u + rest) for u >= 2**-53 and a small ``rest``."""
    e, f, _ = split(u)
    # rest / u, to a few digits: 2**-e rest (1 - f)
    part = rest * _power(e.least(100.0))
    return _sum(e, f, f.times_plus(-part, part))


def _power(e: Real) -> Real:
    """2**-e for an integer e."""
    return e.power_of_2((e.magic - e).bits())


def log2(x: Real) -> Real:
    return _finished(x, _parts_of_log2)


def _parts_of_log2(e: Real, f: Real) -> tuple[Real, Real]:
    m, lost = f.plus(-missing(f))
    high, rest = f.parts(1 / LN2, 24 if f.is_single else 53)
    product, less = m.product(f.real(high))
    total, least = e.plus(product)
    return total, m.times_plus(rest, lost.times_plus(high, less)) + least


def log10(x: Real) -> Real:
    return _finished(x, _parts_of_log10)


def _parts_of_log10(e: Real, f: Real) -> tuple[Real, Real]:
    m, lost = f.plus(-missing(f))
    high, rest = f.parts(LOG10_2, 15 if f.is_single else 41)
    factor, factor_rest = f.parts(LOG10_2 / LN2, 24 if f.is_single else 53)
    product, less = m.product(f.real(factor))
    total, least = (e * high).plus(product)
    less = m.times_plus(factor_rest, lost.times_plus(factor, less))
    return total, e.times_plus(rest, less + least)


def asinh(x: Real) -> Real:
    a = x.abs()
    is_tiny = x.is_tiny(13, 27)  # the result rounds to x there
    far = a > (1e5 if x.is_single else 1e10)  # the result rounds to log(2 a) there
    near = (far | is_tiny).choose(x.real(0.0), a)
    square = near * near
    t, lost = near.plus(square / ((square + 1.0).sqrt() + 1.0))
    u, rest = _one_and(t)
    u = far.choose(a, u)
    e, f, _ = split(u)
    part = (rest + lost) * _power(e.least(100.0))
    e = far.choose(e + 1.0, e)
    y = _sum(e, f, f.times_plus(-part, part))
    return is_tiny.choose(x, (a < INFINITY).choose(y, a).with_sign_of(x))


def acosh(x: Real) -> Real:
    far = x > (1e5 if x.is_single else 1e10)
    below = x < 1.0
    t = (far | below).choose(x.real(1.0), x) - 1.0
    t, lost = (t.times_plus(t, t + t)).sqrt().sum(t)
    u, rest = _one_and(t)
    u = far.choose(x, u)
    e, f, _ = split(u)
    part = (rest + lost) * _power(e.least(100.0))
    e = far.choose(e + 1.0, e)
    y = _sum(e, f, f.times_plus(-part, part))
    y = (x < INFINITY).choose(y, x)
    return below.choose(x.real(NAN), y)


def atanh(x: Real) -> Real:
    is_tiny = x.is_tiny(13, 27)  # the result rounds to x there
    a = is_tiny.choose(x.real(0.0), x.abs())
    double = a + a
    t, lost = double.sum(double * a / (1.0 - a))
    u, rest = _one_and(t)
    y = _log1p(u, rest + lost) * 0.5
    y = a.is_(1.0).choose(x.real(INFINITY), y)
    return is_tiny.choose(x, (a <= 1.0).choose(y, x.real(NAN)).with_sign_of(x))
