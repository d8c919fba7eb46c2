"""The error function: a polynomial of small numbers; of others 1 - erfc(x).

In f32, erfc(x) is the fourth power of a polynomial, which is as long as that of small numbers, so
that one chain of multiplications and additions has the coefficients of either: on a CPU, choosing
them takes none of the units that multiply. In f64, erfc(x) is exp(-x**2) times a rational function
(M. Shepherd and J. Laframboise are the source of its variable).
"""

from __future__ import annotations

from kc.transforms.elementary.coefficients import ERF, ERF_BESIDE_ROOT, ERFC, ROOT_OF_ERFC
from kc.transforms.elementary.exponentials import exp_of_moderate
from kc.transforms.elementary.values import Bool, Real

_NEAR = 1.125


def erf(x: Real) -> Real:
    return (_of_single if x.is_single else _of_double)(x).with_sign_of(x)


def _of_single(x: Real) -> Real:
    a = x.abs().least(3.925)  # from where on it is 1
    is_near = a < _NEAR
    value = _polynomial_of_either(is_near, a * a, a)
    square = value * value
    first, second = is_near.choose(a, -square), is_near.choose(value, square)
    return first.times_plus(second, is_near.choose(a, 1.0))


def _polynomial_of_either(is_near: Bool, near: Real, far: Real) -> Real:
    """ERF_BESIDE_ROOT of the first number, or ROOT_OF_ERFC of the second."""
    variable = is_near.choose(near, far)
    *rest, last = [
        is_near.choose(far.real(of_near), of_far)
        for of_near, of_far in zip(ERF_BESIDE_ROOT[0], ROOT_OF_ERFC[0], strict=True)
    ]
    for coefficient in reversed(rest):
        last = last.times_plus(variable, coefficient)
    return last


def _of_double(x: Real) -> Real:
    a = x.abs().least(6.0)
    z = a * a
    near = a.times_plus(z.polynomial(ERF), a)
    rest = exp_of_moderate(-z) * ((a - 4.0) / (a + 4.0)).polynomial(ERFC) / (a + a + 1.0)
    return (a < 1.0).choose(near, 1.0 - rest)
