"""Normalizations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, as_expr, const
from kc.expr.constructors import cast as convert
from kc.expr.tags import BROADCAST
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.support.diagnostics import counted
from kc.te.computes import compute
from kc.topi.accumulation import accumulation, float_type
from kc.topi.arguments import axes_of, axis_of, constant, product, rank, same_size, tensor, whole
from kc.topi.elementwise import FLOAT
from kc.topi.nn.padding import padded
from kc.topi.reduction import reduced
from kc.topi.table import operator, refuse


@operator(
    BROADCAST, FLOAT, "nn.lrn(T(1, 5, 2, 2), 3)", onnx="LRN", torch="local_response_norm",
    formula="x / (bias + alpha / size * sum(x^2))^beta",
)  # fmt: skip
def lrn(
    data: Tensor,
    size: int,
    axis: int = 1,
    alpha: float = 0.0001,
    beta: float = 0.75,
    bias: float = 2,
    acc_dtype: str | None = None,
) -> Tensor:
    """The element divided by a power of the sum of squares around it along ``axis``, 0 beyond the
    edges.

    The window of index c is ``c - floor((size - 1) / 2)`` to ``c + ceil((size - 1) / 2)``. The
    computation is in ``acc_dtype``, for narrow floats float32 by default. Raises KC2306 for a size
    below 1, KC2304 for an axis that does not exist.
    """
    axis = axis_of(axis, data.ndim)
    taps = whole(size, "size")
    if taps < 1:
        raise refuse("KC2306", f"size is {size}", "it must be at least 1")
    heads, tails = [0] * data.ndim, [0] * data.ndim
    heads[axis], tails[axis] = (taps - 1) // 2, taps // 2
    source = padded(data, heads, tails, 0.0, "pad_data")
    sums = accumulation(data.dtype, acc_dtype)
    k = reduce_axis((0, taps), name="k")

    def square(*at: Any) -> Expr:
        value = sums.wide(source(*at[:axis], at[axis] + k, *at[axis + 1 :]))
        return scalar.sum(value * value, axis=k)

    squares = compute(data.shape, square, "sqr_sum", tag="sqr_sum")

    def body(*at: Any) -> Expr:
        scale = squares(*at) * (alpha / taps) + float(bias)
        return convert(sums.wide(data(*at)) / _power(scale, beta), data.dtype)

    return compute(data.shape, body, "T_lrn", tag=BROADCAST)


def _power(value: Expr, exponent: float) -> Expr:
    from kc.expr.intrinsics import power

    return power(value, const(exponent, value.dtype))


@operator(
    BROADCAST, FLOAT, "nn.batch_norm(T(2, 3, 4, 4), T(3), T(3), T(3), T(3))",
    onnx="BatchNormalization", torch="batch_norm",
    formula="(x - moving_mean) / sqrt(moving_var + epsilon) * gamma + beta",
)  # fmt: skip
def batch_norm(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    axis: int | None = None,
    epsilon: float | None = None,
    center: bool | None = None,
    scale: bool | None = None,
    acc_dtype: str | None = None,
) -> list[Tensor]:
    """The data normalized by the moving mean and variance: the form of inference.

    ``axis`` (1 by default) is the axis of channels; each of the four parameters has an element for
    each channel. ``epsilon`` is 1e-5 by default; without ``center`` beta is omitted, without
    ``scale`` gamma. The computation is in ``acc_dtype``, for narrow floats float32 by default, and
    rounded once. The results are the data, and the unchanged mean and variance.
    """
    axis = axis_of(1 if axis is None else axis, data.ndim)
    small = 1e-5 if epsilon is None else float(epsilon)
    sums = accumulation(data.dtype, acc_dtype)
    parameters = {
        "gamma": gamma,
        "beta": beta,
        "moving_mean": moving_mean,
        "moving_var": moving_var,
    }
    for what, parameter in parameters.items():
        tensor(parameter, what, 1, FLOAT)
        same_size(data, axis, parameter, 0, f"{what} has an element for each channel")

    def body(*at: Any) -> Expr:
        c = at[axis]
        distance = sums.wide(data(*at)) - sums.wide(moving_mean(c))
        value = distance / scalar.sqrt(sums.wide(moving_var(c)) + small)
        value = value if scale is False else value * sums.wide(gamma(c))
        value = value if center is False else value + sums.wide(beta(c))
        return convert(value, data.dtype)

    return [compute(data.shape, body, "T_batch_norm", tag=BROADCAST), moving_mean, moving_var]


def _moments(
    data: Tensor, axes: Sequence[int], acc_dtype: str | None, centred: bool = True
) -> tuple[Any, Any]:
    """Functions from an index to the mean, and to the variance (or mean square)."""
    count = product([data.shape[n] for n in axes])
    wide = accumulation(data.dtype, acc_dtype, None, float_type(data.dtype)).within
    share = const(1 / count, wide) if isinstance(count, int) and count else None

    def average(total: Expr) -> Expr:
        return total * share if share is not None else total / convert(as_expr(count), wide)

    def mean_indices(at: Sequence[Any]) -> list[Any]:
        return [place for n, place in enumerate(at) if n not in axes]

    mean = None
    if centred:
        total = reduced(
            data, tuple(axes), False, scalar.sum, "norm_sum", lambda x: convert(x, wide)
        )
        mean = compute(total.shape, lambda *at: average(total(*at)), "norm_mean", tag=BROADCAST)
    shape = [size for n, size in enumerate(data.shape) if n not in axes]
    loops = {n: reduce_axis((0, data.shape[n]), name=f"k{n}") for n in axes}

    def squares(*at: Any) -> Expr:
        outer = iter(at)
        place = [loops[n] if n in loops else next(outer) for n in range(data.ndim)]
        value = convert(data(*place), wide)
        value = value if mean is None else value - mean(*at)
        return scalar.sum(value * value, axis=[*loops.values()])

    square_sum = compute(shape, squares, "norm_square_sum", tag="comm_reduce")
    return (
        lambda at: mean(*mean_indices(at)) if mean is not None else None,
        lambda at: average(square_sum(*mean_indices(at))),
    )


def _normalized(
    data: Tensor,
    axes: Sequence[int],
    epsilon: float,
    scale: Any,
    shift: Any,
    name: str,
    acc_dtype: str | None,
    *,
    centred: bool = True,
) -> Tensor:
    mean, variance = _moments(data, axes, acc_dtype, centred)

    def body(*at: Any) -> Expr:
        spread = variance(at)
        value = convert(data(*at), spread.dtype)
        value = value - mean(at) if centred else value
        value = value * scalar.rsqrt(spread + float(epsilon))
        if scale is not None:
            value = value * convert(scale(at), value.dtype)
        if shift is not None:
            value = value + convert(shift(at), value.dtype)
        return convert(value, data.dtype)

    return compute(data.shape, body, name, tag=BROADCAST)


def _parameter(parameter: Tensor | None, what: str, data: Tensor, axes: Sequence[int]) -> Any:
    """A function from an index to the element of a scale or a shift. None without a parameter."""
    if parameter is None:
        return None
    tensor(parameter, what, len(axes), FLOAT)
    for n, axis in enumerate(axes):
        same_size(data, axis, parameter, n, f"{what} has the shape of the normalized axes")
    return lambda at: parameter(*(at[axis] for axis in axes))


@operator(
    BROADCAST, FLOAT, "nn.layer_norm(T(4, 6), T(6), T(6))", onnx="LayerNormalization",
    torch="layer_norm", formula="(x - mean) / sqrt(var + epsilon) * gamma + beta",
)  # fmt: skip
def layer_norm(
    data: Tensor,
    gamma: Tensor | None = None,
    beta: Tensor | None = None,
    axis: Any = -1,
    epsilon: float = 1e-5,
    acc_dtype: str | None = None,
) -> Tensor:
    """The data normalized over ``axis`` (one or several); gamma and beta have these dimensions.

    The computation is in ``acc_dtype``, by default float32, for float64 in float64, and rounded
    once. The other norms do the same.
    """
    axes = axes_of(axis, data.ndim)
    scale = _parameter(gamma, "gamma", data, axes)
    shift = _parameter(beta, "beta", data, axes)
    return _normalized(data, axes, epsilon, scale, shift, "T_layer_norm", acc_dtype)


@operator(
    BROADCAST, FLOAT, "nn.rms_norm(T(4, 6), T(6))", onnx="RMSNormalization", torch="rms_norm",
    formula="x / sqrt(mean(x^2) + epsilon) * weight",
)  # fmt: skip
def rms_norm(
    data: Tensor,
    weight: Tensor | None = None,
    axis: Any = -1,
    epsilon: float = 1e-5,
    acc_dtype: str | None = None,
) -> Tensor:
    """The data over the root of its mean square along ``axis``. Source: Zhang, Sennrich, 2019."""
    axes = axes_of(axis, data.ndim)
    scale = _parameter(weight, "weight", data, axes)
    return _normalized(data, axes, epsilon, scale, None, "T_rms_norm", acc_dtype, centred=False)


@operator(
    BROADCAST, FLOAT, "nn.instance_norm(T(2, 3, 4, 4), T(3), T(3))",
    onnx="InstanceNormalization", torch="instance_norm",
    formula="(x - mean) / sqrt(var + epsilon) * gamma[c] + beta[c]",
)  # fmt: skip
def instance_norm(
    data: Tensor,
    gamma: Tensor | None = None,
    beta: Tensor | None = None,
    channel_axis: int = 1,
    epsilon: float = 1e-5,
    acc_dtype: str | None = None,
) -> Tensor:
    """Each channel of each item of the batch (axis 0) normalized by itself."""
    if data.ndim < 3:
        rank(data, "data", 3, 4, 5)
    channel = axis_of(channel_axis, data.ndim)
    axes = [n for n in range(1, data.ndim) if n != channel]
    scale = _parameter(gamma, "gamma", data, [channel])
    shift = _parameter(beta, "beta", data, [channel])
    return _normalized(data, axes, epsilon, scale, shift, "T_instance_norm", acc_dtype)


@operator(
    BROADCAST, FLOAT, "nn.group_norm(T(2, 6, 4, 4), T(6), T(6), 3)", onnx="GroupNormalization",
    torch="group_norm", formula="(x - mean) / sqrt(var + epsilon) * gamma[c] + beta[c]",
)  # fmt: skip
def group_norm(
    data: Tensor,
    gamma: Tensor | None,
    beta: Tensor | None,
    num_groups: int,
    channel_axis: int = 1,
    epsilon: float = 1e-5,
    acc_dtype: str | None = None,
) -> Tensor:
    """Groups of the channels of each item of the batch (axis 0), each normalized by itself.

    Raises KC2310 for groups that do not divide the channels.
    """
    channel = axis_of(channel_axis, data.ndim)
    channels = constant(data.shape[channel], "the number of channels")
    groups = whole(num_groups, "num_groups")
    if groups < 1 or channels % groups:
        raise refuse(
            "KC2310",
            f"{groups} groups of {counted(channels, 'channel')}: {data.name} of the shape "
            f"{shape_text(data.shape)}",
            "groups must divide the channels",
        )
    scale = _parameter(gamma, "gamma", data, [channel])
    shift = _parameter(beta, "beta", data, [channel])
    each = channels // groups
    shape = [*data.shape[:channel], groups, each, *data.shape[channel + 1 :]]

    def apart(*at: Any) -> Expr:
        return data(*at[:channel], at[channel] * each + at[channel + 1], *at[channel + 2 :])

    parts = compute(shape, apart, "T_groups", tag="injective")
    axes = [n for n in range(1, len(shape)) if n != channel]
    mean, variance = _moments(parts, axes, acc_dtype)

    def body(*at: Any) -> Expr:
        place = (*at[:channel], at[channel] // each, at[channel] % each, *at[channel + 1 :])
        spread = variance(place)
        value = convert(data(*at), spread.dtype) - mean(place)
        value = value * scalar.rsqrt(spread + float(epsilon))
        value = value if scale is None else value * convert(scale(at), value.dtype)
        value = value if shift is None else value + convert(shift(at), value.dtype)
        return convert(value, data.dtype)

    return compute(data.shape, body, "T_group_norm", tag=BROADCAST)


@operator(
    BROADCAST, FLOAT, "nn.l2_normalize(T(4, 6), 1e-12, axis=1)", onnx="LpNormalization",
    torch="normalize", formula="x / sqrt(max(sum(x^2), eps))",
)  # fmt: skip
def l2_normalize(
    data: Tensor, eps: float, axis: Any = None, acc_dtype: str | None = None
) -> Tensor:
    """The data divided by the length of the vectors along ``axis`` (None: of the whole tensor)."""
    axes = axes_of(axis, data.ndim)
    # The squares of float16 overflow, and a common eps rounds to 0.
    wide = accumulation(data.dtype, acc_dtype, None, float_type(data.dtype)).within

    def square(value: Expr) -> Expr:
        value = convert(value, wide)
        return value * value

    total = reduced(data, axes, True, scalar.sum, "l2_square_sum", square)

    def body(*at: Any) -> Expr:
        place = [0 if n in axes else index for n, index in enumerate(at)]
        length = scalar.sqrt(scalar.max(total(*place), const(eps, wide)))
        return convert(convert(data(*at), wide) / length, data.dtype)

    return compute(data.shape, body, "T_l2_normalize", tag=BROADCAST)
