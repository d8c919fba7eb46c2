"""Functions of f32 with fewer operations, for operations with the flag ``afn``.

Unlike in the other modules, constants are single numbers, results are scaled in one step, and
rounding errors are not compensated. The results are within four units in the last place. Subnormal
arguments of logarithms may count as 0, and exponentials below 2**-125 are 0. Infinities and NaN are
handled as in the other modules.
"""

from __future__ import annotations

from kc.transforms.elementary.coefficients import (
    EXP,
    EXP2,
    LOG_SHORT,
)
from kc.transforms.elementary.logarithms import ends, split
from kc.transforms.elementary.values import LN2, LOG10_2, Integer, Real


def _reduced(x: Real) -> tuple[Real, Integer]:
    """r and n with x = n log(2) + r, |r| <= log(2) / 2, for x of moderate size."""
    n, bits = x.rounded(1 / LN2)
    ln2, rest = x.parts(LN2, 15)
    return n.times_plus(-rest, n.times_plus(-ln2, x)), bits


def _scaled(half: Real, bits: Integer) -> Real:
    """2 * half * 2**n, where ``bits`` hold n and 2**n is at least 2**-126 and at most 2**128."""
    return (half + half) * half.power_of_2(bits - 1)


def _exp(x: Real) -> tuple[Real, Integer]:
    """exp(r) and n, with r and n as in :func:`_reduced`."""
    r, bits = _reduced(x)
    return r.times_plus(r.times_plus(r.polynomial(EXP), 1.0), 1.0), bits


def exp(x: Real) -> Real:
    return _scaled(*_exp(x.least(89.0).greatest(-87.6).without_tiny(30, 30)))


def exp2(x: Real) -> Real:
    x = x.least(128.0).greatest(-126.0).without_tiny(30, 30)
    n, bits = x.rounded()
    r = x - n
    return _scaled(r.times_plus(r.polynomial(EXP2), 1.0), bits)


def tanh(x: Real) -> Real:
    is_tiny = x.is_tiny(13, 13)  # the result rounds to x there
    a = is_tiny.choose(x.real(0.0), x.abs().least(9.1))
    r, bits = _reduced(a + a)
    power = x.power_of_2(bits)
    # exp(2 a) - 1, without cancellation for small a
    t = r.times_plus(r.times_plus(r.polynomial(EXP), 1.0) * power, power - 1.0)
    return is_tiny.choose(x, (t / (t + 2.0)).with_sign_of(x))


def sigmoid(x: Real) -> Real:
    return 1.0 / (exp(-x) + 1.0)


def _logarithm(x: Real) -> tuple[Real, Real]:
    """e and log(1 + f) with x = 2**e (1 + f), for a normal x > 0."""
    if x.has_exponent:
        e, m = x.exponent_and_fraction()
        f = m - 1.0
    else:
        e, f, _ = split(x)
    return e, (f * f).times_plus(f.times_plus(f.polynomial(LOG_SHORT), -0.5), f)


def _finished(x: Real, y: Real) -> Real:
    return y if x.has_exponent else ends(x, y, least=x.least_normal)


def log(x: Real) -> Real:
    e, m = _logarithm(x)
    return _finished(x, e.times_plus(LN2, m))


def log2(x: Real) -> Real:
    e, m = _logarithm(x)
    return _finished(x, m.times_plus(1 / LN2, e))


def log10(x: Real) -> Real:
    e, m = _logarithm(x)
    return _finished(x, e.times_plus(LOG10_2, m * (LOG10_2 / LN2)))
