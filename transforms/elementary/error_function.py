"""The error function: a polynomial of small numbers; of others 1 - erfc(x).

In f32, erfc(x) is exp of a polynomial; in f64 it is exp(-x**2) times a rational function (M.
Shepherd and J. Laframboise are the source of its variable).
"""

from __future__ import annotations

from kc.transforms.elementary.coefficients import ERF, ERFC, LOG_ERFC
from kc.transforms.elementary.exponentials import exp_of_moderate
from kc.transforms.elementary.values import Real


def erf(x: Real) -> Real:
    a = x.abs().least(4.0 if x.is_single else 6.0)
    z = a * a
    near = a.times_plus(z.polynomial(ERF), a)
    if x.is_single:
        rest = exp_of_moderate(a.polynomial(LOG_ERFC))
    else:
        rest = exp_of_moderate(-z) * ((a - 4.0) / (a + 4.0)).polynomial(ERFC) / (a + a + 1.0)
    return (a < 1.0).choose(near, 1.0 - rest).with_sign_of(x)
