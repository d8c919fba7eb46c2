"""The error function: a polynomial for small numbers, and 1 - erfc(x) for others.

In f32, erfc(x) is the fourth power of a polynomial of the same length as the one for small numbers.
So one chain of fused multiply-adds serves both, with coefficients that are selected per lane; on a
CPU, the selections use other units than the multiplications. In f64, erfc(x) is exp(-x**2) times a
rational function (the source of its variable is M. Shepherd and J. Laframboise).
"""

from __future__ import annotations

from kc.transforms.elementary.coefficients import ERF, ERF_BESIDE_ROOT, ERFC, ROOT_OF_ERFC
from kc.transforms.elementary.exponentials import exp_of_moderate
from kc.transforms.elementary.values import PI, Bool, Real

_NEAR = 1.125


def erf(x: Real) -> Real:
    if not x.code.has_slow_subnormals:
        return (_of_single if x.is_single else _of_double)(x.abs()).with_sign_of(x)
    is_subnormal = x.is_subnormal()
    a = is_subnormal.choose(x.real(1.0), x.abs())
    y = (_of_single if x.is_single else _of_double)(a).with_sign_of(x)
    return y.unless(is_subnormal, lambda: is_subnormal.choose(_of_subnormal(x), y))


def _of_subnormal(x: Real) -> Real:
    """2 / sqrt(pi) times a subnormal number. The excess over the number itself is added as an
    integer number of units in the last place.
    """
    slope = x.subnormal_times().times_plus(2 / PI.sqrt() - 1, x.real(1.0).with_sign_of(x))
    more = slope.bits() - x.real(1.0).with_sign_of(x).bits()
    return (x.bits() + more).bits(x)


def _of_single(x: Real) -> Real:
    a = x.least(3.95)  # from 3.925 on the result is 1
    is_near = a < _NEAR
    not_tiny = a.greatest(2.0**-30)
    value = _polynomial_of_either(is_near, not_tiny * not_tiny, a)
    square = value * value
    first, second = is_near.choose(a, -square), is_near.choose(value, square)
    return first.times_plus(second, is_near.choose(a, 1.0))


def _polynomial_of_either(is_near: Bool, near: Real, far: Real) -> Real:
    """ERF_BESIDE_ROOT at ``near`` or ROOT_OF_ERFC at ``far``."""
    variable = is_near.choose(near, far)
    *rest, last = [
        is_near.choose(far.real(of_near), of_far)
        for of_near, of_far in zip(ERF_BESIDE_ROOT[0], ROOT_OF_ERFC[0], strict=True)
    ]
    for coefficient in reversed(rest):
        last = last.times_plus(variable, coefficient)
    return last


def _of_double(x: Real) -> Real:
    a = x.least(6.0)
    not_tiny = a.greatest(2.0**-60)
    z = not_tiny * not_tiny
    near = a.times_plus(z.polynomial(ERF), a)
    rest = exp_of_moderate(-z) * ((a - 4.0) / (a + 4.0)).polynomial(ERFC) / (a + a + 1.0)
    return (a < 1.0).choose(near, 1.0 - rest)
