"""Activations."""

from __future__ import annotations

import math
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, const, select
from kc.expr.tags import BROADCAST, ELEMWISE
from kc.expr.tensor import Tensor
from kc.te.computes import compute
from kc.te.elementwise import one_by_one
from kc.topi.arguments import axis_of, same_size, tensor, word
from kc.topi.elementwise import FLOAT, in_wide
from kc.topi.table import NUMBERS, operator, refuse


@operator(ELEMWISE, NUMBERS, "nn.relu(T(4, 3))", formula="max(x, 0)", onnx="Relu", torch="relu")
def relu(x: Tensor) -> Tensor:
    """``max(x, 0)``; NaN stays."""
    return one_by_one("T_relu", lambda value: scalar.max(value, const(0, x.dtype)), x)


@operator(
    ELEMWISE, FLOAT, "nn.leaky_relu(T(4, 3), 0.1)", formula="x if x > 0 else x * alpha",
    onnx="LeakyRelu", torch="leaky_relu",
)  # fmt: skip
def leaky_relu(x: Tensor, alpha: float = 0.01) -> Tensor:
    """The element; if it is not positive, it is multiplied by ``alpha``."""
    factor = const(alpha, x.dtype)
    return one_by_one("T_leaky_relu", lambda value: select(value > 0, value, value * factor), x)


@operator(
    BROADCAST, FLOAT, "nn.prelu(T(2, 3, 4), T(3), axis=1)", onnx="PRelu", torch="prelu",
    formula="x if x > 0 else x * slope[c]",
)  # fmt: skip
def prelu(x: Tensor, slope: Tensor, axis: int = 1) -> Tensor:
    """The element; if it is not positive, it is multiplied by the slope for its index along
    ``axis``.

    ``slope`` is 1-d and as long as that axis (KC2303).
    """
    tensor(slope, "slope", 1, FLOAT)
    axis = axis_of(axis, x.ndim)
    same_size(x, axis, slope, 0, "slope has an element for each place along the axis")

    def body(*at: Any) -> Expr:
        value = x(*at)
        return select(value > 0, value, value * slope(at[axis]))

    return compute(x.shape, body, "T_prelu", tag=BROADCAST)


def _float(name: str, x: Tensor, body: Any) -> Tensor:
    """Register an activation. Narrow types are computed in float32 and rounded once."""
    return one_by_one(f"T_{name}", in_wide(body), x)


def _normal(value: Expr) -> Expr:
    """The cumulative distribution function of the standard normal distribution at ``value``.

    expand-math recognizes this form, and gelu's form with tanh, and computes both without
    cancellation.
    """
    return (scalar.erf(value * math.sqrt(0.5)) + 1.0) * 0.5


def _limited(value: Expr, low: float) -> Expr:
    """The element, but at least ``low``, below which the activation is 0 in all float types. The
    limit avoids the product of -infinity and 0, which is NaN.
    """
    return select(value < low, const(low, value.dtype), value)


@operator(
    ELEMWISE, FLOAT, "nn.gelu(T(4, 3))", onnx="Gelu", torch="gelu",
    formula="x * (1 + erf(x / sqrt(2))) / 2",
)  # fmt: skip
def gelu(x: Tensor, approximate: str = "none") -> Tensor:
    """x times the cumulative distribution function of the standard normal distribution at x.

    ``approximate="tanh"``: ``x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2``. Source:
    Hendrycks and Gimpel, Gaussian Error Linear Units, 2016.
    """
    is_exact = word(approximate, ("none", "tanh"), "approximate") == "none"

    def body(value: Expr) -> Expr:
        value = _limited(value, -40.0)
        if is_exact:
            return value * _normal(value)
        slope = 2 * math.sqrt(2 / math.pi)
        # (1 + tanh(z)) / 2 is sigmoid(2 z)
        twice = (value * value * (slope * 0.044715) + slope) * value
        return value * scalar.sigmoid(twice)

    return _float("gelu", x, body)


@operator(ELEMWISE, FLOAT, "nn.silu(T(4, 3))", formula="x * sigmoid(x)", onnx="Swish", torch="silu")
def silu(x: Tensor) -> Tensor:
    """``x * sigmoid(x)``, which is also called swish."""

    return _float("silu", x, _silu)


def _silu(value: Expr) -> Expr:
    head, rest = _by_powers(value)
    return head * scalar.sigmoid(rest)


_LARGE = 1000.0
"""A bound beyond which exp(-x) is negligible beside 1, in all float types."""

_SHIFT = 30.134765625
"""exp(-_SHIFT) is nearly a float32."""


def _by_powers(value: Expr) -> tuple[Expr, Expr]:
    """(x, x), the factor and the argument of ``x * f(x)``, where f(x) is exp(x) for x far below 0.

    From -80 downwards the pair is (x exp(-s), x + s), so that f is not rounded as a subnormal
    number.
    """
    is_single = value.dtype == "float32"
    value = _limited(value, -200.0 if is_single else -900.0)
    zero = const(0.0, value.dtype)
    deep = value < (-80.0 if is_single else -700.0)
    factor = select(deep, const(math.exp(-_SHIFT), value.dtype), const(1.0, value.dtype))
    return value * factor, value + select(deep, const(_SHIFT, value.dtype), zero)


@operator(ELEMWISE, FLOAT, "nn.swish(T(4, 3))", formula="x * sigmoid(x)", onnx="Swish")
def swish(x: Tensor) -> Tensor:
    """:func:`silu` by its older name."""
    return silu(x)


@operator(
    ELEMWISE, FLOAT, "nn.hardswish(T(4, 3))", formula="x * clip(x + 3, 0, 6) / 6",
    onnx="HardSwish", torch="hardswish",
)  # fmt: skip
def hardswish(x: Tensor) -> Tensor:
    """``x * clip(x + 3, 0, 6) / 6``."""

    def body(value: Expr) -> Expr:
        return _limited(value, -3.0) * (_between(value + 3.0, 0.0, 6.0) / 6.0)

    return _float("hardswish", x, body)


def _between(value: Expr, low: float, high: float) -> Expr:
    return scalar.max(scalar.min(value, const(high, value.dtype)), const(low, value.dtype))


@operator(
    ELEMWISE, FLOAT, "nn.hardsigmoid(T(4, 3))", formula="clip(alpha * x + beta, 0, 1)",
    onnx="HardSigmoid", torch="hardsigmoid",
)  # fmt: skip
def hardsigmoid(x: Tensor, alpha: float = 1 / 6, beta: float = 0.5) -> Tensor:
    """``clip(alpha * x + beta, 0, 1)``; torch's alpha by default (ONNX: 0.2)."""
    return _float("hardsigmoid", x, lambda value: _between(value * alpha + beta, 0.0, 1.0))


def softplus_of(value: Expr) -> Expr:
    """log(1 + exp(x)) of a scalar, without overflow."""
    return scalar.max(value, const(0.0, value.dtype)) + scalar.log1p(scalar.exp(-scalar.abs(value)))


@operator(
    ELEMWISE, FLOAT, "nn.softplus(T(4, 3))", formula="log(1 + exp(x))", onnx="Softplus",
    torch="softplus",
)  # fmt: skip
def softplus(x: Tensor) -> Tensor:
    """``log(1 + exp(x))``, without overflow."""
    return _float("softplus", x, softplus_of)


@operator(
    ELEMWISE, FLOAT, "nn.mish(T(4, 3))", formula="x * tanh(softplus(x))", onnx="Mish", torch="mish"
)
def mish(x: Tensor) -> Tensor:
    """``x * tanh(log(1 + exp(x)))``.

    Computed as ``silu(x) * (1 + s)``: with ``p = exp(-|x|)`` s is ``p / (2 p^2 + 2 p + 1)`` from 0
    on and ``p / (p^2 + 2 p + 2)`` below, at most 1 / 5.
    """

    def body(value: Expr) -> Expr:
        head, rest = _by_powers(value)
        product = head * scalar.sigmoid(rest)
        power = scalar.exp(-scalar.abs(rest))
        twice = power * 2.0
        whole = select(rest < 0.0, power * (power + 2.0) + 2.0, twice * (power + 1.0) + 1.0)
        # Infinity times 0 is NaN; the summand is 0 there.
        return product + scalar.min(product, const(_LARGE, value.dtype)) * (power / whole)

    return _float("mish", x, body)


@operator(
    ELEMWISE, FLOAT, "nn.softsign(T(4, 3))", formula="x / (1 + abs(x))", onnx="Softsign",
    torch="softsign",
)  # fmt: skip
def softsign(x: Tensor) -> Tensor:
    """``x / (1 + |x|)``; 1 or -1 of an infinity."""

    def body(value: Expr) -> Expr:
        end = const(1e30, value.dtype)  # the quotient of infinities is not a number
        value = select(value > end, end, _limited(value, -1e30))
        return value / (scalar.abs(value) + 1.0)

    return _float("softsign", x, body)


def _elu(value: Expr, alpha: float, gamma: float = 1.0) -> Expr:
    """``gamma`` times the element, or times ``alpha * (exp(x) - 1)`` where it is not positive."""
    below = scalar.expm1(scalar.min(value, const(0.0, value.dtype)))
    factor = alpha * gamma
    low = below if factor == 1.0 else below * factor
    return select(value > 0, value if gamma == 1.0 else value * gamma, low)


@operator(
    ELEMWISE, FLOAT, "nn.elu(T(4, 3))", formula="x if x > 0 else alpha * (exp(x) - 1)", onnx="Elu",
    torch="elu",
)  # fmt: skip
def elu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """The element; if it is not positive, ``alpha * (exp(x) - 1)``."""
    return _float("elu", x, lambda value: _elu(value, alpha))


@operator(
    ELEMWISE, FLOAT, "nn.selu(T(4, 3))", onnx="Selu", torch="selu",
    formula="gamma * (x if x > 0 else alpha * (exp(x) - 1))",
)  # fmt: skip
def selu(x: Tensor, alpha: float = 1.6732632423543772, gamma: float = 1.0507009873554805) -> Tensor:
    """``gamma`` times :func:`elu` of ``alpha``. Source: Klambauer et al., 2017."""
    return _float("selu", x, lambda value: _elu(value, alpha, gamma))


@operator(
    ELEMWISE, FLOAT, "nn.celu(T(4, 3), 2.0)", onnx="Celu", torch="celu",
    formula="max(x, 0) + min(0, alpha * (exp(x / alpha) - 1))",
)  # fmt: skip
def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """The element; if it is not positive, ``alpha * (exp(x / alpha) - 1)``.

    Raises KC2317 for an ``alpha`` of 0.
    """
    if isinstance(alpha, int | float) and alpha == 0:
        raise refuse(
            "KC2317", "alpha is 0", "alpha must not be 0, because elements are divided by it"
        )
    return _float(
        "celu", x, lambda value: select(value > 0, value, _elu(value * (1 / alpha), alpha))
    )
