"""The complementary error function, which is not 1 - erf(x) where that cancels.

Source: W. J. Cody, Rational Chebyshev Approximations for the Error Function, 1969.
"""

from __future__ import annotations

from collections.abc import Sequence

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, const, select
from kc.expr.constructors import cast as convert
from kc.expr.tags import ELEMWISE
from kc.expr.tensor import Tensor
from kc.te.elementwise import one_by_one
from kc.topi.elementwise import FLOAT
from kc.topi.table import operator

_WIDE = "float64"
# x times a quotient of polynomials of x**2 is erf(x) for |x| <= 0.46875.
_ERF = (
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
     3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3),
)  # fmt: skip
# A quotient of polynomials of x is erfc(x) * exp(x**2) for 0.46875 <= x <= 4.
_MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
     1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3,
     1.23033935480374942e3),
)  # fmt: skip
# Of 1 / x**2 beyond 4: (1 / sqrt(pi) - quotient / x**2) / x is erfc(x) * exp(x**2).
_FAR = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
     1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1,
     6.05183413124413191e-2, 2.33520497626869185e-3),
)  # fmt: skip
_NEAR, _BETWEEN, _LAST = 0.46875, 4.0, 27.5
"""Beyond the last one the function is below the least float64."""
_ROOT = 5.6418958354775628695e-1
"""1 / sqrt(pi)."""


def _quotient(x: Expr, parts: tuple[Sequence[float], Sequence[float]]) -> Expr:
    """The quotient of two polynomials, the coefficients of the highest powers first."""
    values = []
    for coefficients in parts:
        total: Expr = const(coefficients[0], _WIDE)
        for coefficient in coefficients[1:]:
            total = total * x + coefficient
        values.append(total)
    return values[0] / values[1]


def _erfc(argument: Expr) -> Expr:
    """In float64, which is more digits than narrower types need."""
    x = convert(argument, _WIDE)
    size = scalar.abs(x)
    y = scalar.min(size, const(_LAST, _WIDE))
    small = scalar.min(y, const(_NEAR, _WIDE))
    near = 1.0 - x * _quotient(small * small, _ERF)
    middle = _quotient(scalar.min(y, const(_BETWEEN, _WIDE)), _MIDDLE)
    large = scalar.max(y, const(_BETWEEN, _WIDE))
    inverse = 1.0 / (large * large)
    far = (_ROOT - inverse * _quotient(inverse, _FAR)) / large
    # The square of the first digits is exact, so that the exponential loses none.
    head = scalar.trunc(y * 16.0) / 16.0
    power = scalar.exp(-(head * head)) * scalar.exp(-((y - head) * (y + head)))
    tail = power * select(y <= _BETWEEN, middle, far)
    result = select(size <= _NEAR, near, select(x < 0.0, 2.0 - tail, tail))
    return convert(result, argument.dtype)


@operator(
    ELEMWISE, FLOAT, "erfc(T(4, 3))", formula="1 - erf(x)", torch="special.erfc",
    gradient="te",
)  # fmt: skip
def erfc(x: Tensor) -> Tensor:
    """1 - erf(x), with all digits also where that is nearly 0; computed in float64."""
    return one_by_one("T_erfc", _erfc, x)
