"""Approximations of functions of float32, for programs that prefer speed to the last digits.

For other types they are the exact functions. The polynomials and rational functions are fitted to
the exact functions (Chebyshev points, and weights that level the relative error).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kc.expr import functions as scalar
from kc.expr import intrinsics
from kc.expr.constructors import Expr, binary, const, select
from kc.expr.constructors import cast as convert
from kc.expr.tensor import Tensor
from kc.te.elementwise import one_by_one
from kc.topi.elementwise import FLOAT
from kc.topi.table import operator
from kc.topi.tag import ELEMWISE

_LOWEST, _HIGHEST = -87.33654, 88.37626
_LOG2_E, _LN2_HIGH, _LN2_LOW = 1.4426950408889634, 0.693359375, -2.12194440e-4
_EXP = (0.0013933649, 0.0083631817, 0.0416664667, 0.1666657626, 0.5, 1.0, 1.0)
_TANH = (
    (-8.48817189e-14, 5.27773409e-11, -2.02247743e-08, 1.11541963e-05, 3.10394550e-03,
     1.30840005e-01, 1.0),
    (2.54612962e-04, 2.44951357e-02, 4.64173276e-01, 1.0),
)  # fmt: skip
_ERF = (
    (1.98680481e-06, 2.84560698e-04, 3.88315082e-03, 5.31011466e-02, 1.93540682e-01, 1.12837914),
    (3.74201353e-05, 1.18552270e-03, 1.52068649e-02, 1.15348171e-01, 5.04853520e-01, 1.0),
)


def _polynomial(x: Expr, coefficients: Sequence[float]) -> Expr:
    """By Horner's rule; the coefficient of the highest power first."""
    total: Expr = const(coefficients[0], x.dtype)
    for coefficient in coefficients[1:]:
        total = binary("add", binary("mul", total, x), const(coefficient, x.dtype))
    return total


def _within(x: Expr, low: float, high: float) -> Expr:
    return scalar.max(scalar.min(x, const(high, x.dtype)), const(low, x.dtype))


def _odd_ratio(x: Expr, ratio: tuple[Sequence[float], Sequence[float]], limit: float) -> Expr:
    near = _within(x, -limit, limit)
    square = near * near
    value = near * _polynomial(square, ratio[0]) / _polynomial(square, ratio[1])
    return _within(value, -1.0, 1.0)


def fast_exp_of(x: Expr) -> Expr:
    """The approximation of exp of a scalar of float32."""
    near = _within(x, _LOWEST, _HIGHEST)
    power = scalar.min(scalar.floor(near * _LOG2_E + 0.5), const(127.0))
    power = select(intrinsics.isnan(near), const(0.0), power)  # NaN is no integer
    rest = near - power * _LN2_HIGH - power * _LN2_LOW
    exponent = (convert(power, "int32") + 127) << const(23)
    scale = intrinsics.reinterpret("float32", exponent)
    return _polynomial(rest, _EXP) * scale


def _of_float32(
    x: Tensor,
    approximation: Callable[[Expr], Expr],
    exact: Callable[[Expr], Expr],
    also: str = "",
) -> Tensor:
    name = f"T_{approximation.__name__.removesuffix('_of').strip('_')}"
    if x.dtype == "float32":
        return one_by_one(name, approximation, x)
    if x.dtype == also:
        return one_by_one(
            name, lambda value: convert(approximation(convert(value, "float32")), also), x
        )
    return one_by_one(name, exact, x)


def _fast_tanh(x: Expr) -> Expr:
    return _odd_ratio(x, _TANH, 9.0)


def _fast_erf(x: Expr) -> Expr:
    return _odd_ratio(x, _ERF, 4.0)


@operator(ELEMWISE, FLOAT, "fast_exp(T(4, 3))", formula="exp(x), approximately")
def fast_exp(x: Tensor) -> Tensor:
    """exp within 4 ulp in float32, of arguments from -87.33 to 88.37; others are clamped to the
    range.

    The result is thus never 0 or infinite. NaN stays NaN.
    """
    return _of_float32(x, fast_exp_of, scalar.exp)


@operator(ELEMWISE, FLOAT, "fast_tanh(T(4, 3))", formula="tanh(x), approximately")
def fast_tanh(x: Tensor) -> Tensor:
    """tanh within 8 ulp in float32, of arguments from -9 to 9; others are clamped to the range.

    NaN stays NaN.
    """
    return _of_float32(x, _fast_tanh, scalar.tanh)


@operator(ELEMWISE, FLOAT, "fast_erf(T(4, 3))", formula="erf(x), approximately")
def fast_erf(x: Tensor) -> Tensor:
    """erf within 8 ulp in float32, of arguments from -4 to 4; others are clamped. NaN stays NaN.

    float16 is computed in float32 and rounded.
    """
    return _of_float32(x, _fast_erf, scalar.erf, "float16")
