"""The computations of :mod:`kc.dialects.graph.operators.reduce`."""

from __future__ import annotations

from collections.abc import Sequence

from kc import topi
from kc.dialects.graph.operators.reduce import ArgReduction, Moment, Reduction
from kc.expr.constructors import as_expr
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering
from kc.topi.arguments import product


@lowering("sum", "prod", "max", "min", "all", "any", "logsumexp")
def reduction(op: Reduction, data: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    return getattr(topi, op.name)(data, op.axes(data.ndim), op.keepdims)


@lowering("argmax", "argmin")
def arg_reduction(op: ArgReduction, data: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    function = getattr(topi, op.name)
    return function(data, op.axes(data.ndim), op.keepdims, op.select_last_index)


@lowering("mean", also=["sum", "divide", "full"])
def mean(op: Reduction, data: Tensor) -> Tensor:
    """Lower to topi's function; of integers, their sum divided by their number."""
    axes = op.axes(data.ndim)
    if "int" not in data.dtype:
        return topi.mean(data, axes, op.keepdims)
    total = topi.sum(data, axes, op.keepdims)
    return topi.divide(total, _count(data, axes, data.dtype))


_ABOUT_MEAN = ["mean", "sum", "multiply", "subtract", "cast", "divide", "full"]


@lowering("variance", also=_ABOUT_MEAN)
def variance(op: Moment, data: Tensor, mean: Tensor | None = None) -> Tensor:
    """Lower to topi's function, or to the mean of squared distances from a computed mean."""
    axes = op.axes(data.ndim)
    if mean is None:
        return topi.variance(data, axes, op.keepdims, int(op.unbiased))
    wide = "float64" if data.dtype == "float64" else "float32"
    distance = topi.subtract(topi.cast(data, wide), topi.cast(mean, wide))
    squares = topi.multiply(distance, distance)
    if not op.unbiased:
        return topi.cast(topi.mean(squares, axes, op.keepdims), data.dtype)
    count = _count(data, axes, wide, less=1)
    return topi.cast(topi.divide(topi.sum(squares, axes, op.keepdims), count), data.dtype)


def _count(data: Tensor, axes: Sequence[int], dtype: str, less: int = 0) -> Tensor:
    """The number of elements along axes, as a tensor without dimensions."""
    count = as_expr(product([data.shape[n] for n in axes])) - less
    return topi.full((), dtype, count)


@lowering("std", rows=["variance", "sqrt"])
def std(op: Moment, data: Tensor) -> Tensor:
    """The square root of topi's variance."""
    return topi.sqrt(variance(op, data))


@lowering("mean_variance", rows=["mean", "variance"])
def mean_variance(op: Moment, data: Tensor) -> tuple[Tensor, Tensor]:
    """Lower to topi's mean and variance."""
    return topi.mean(data, op.axes(data.ndim), op.keepdims), variance(op, data)


@lowering("mean_std", rows=["mean", "variance", "sqrt"])
def mean_std(op: Moment, data: Tensor) -> tuple[Tensor, Tensor]:
    """Lower to topi's mean, and the square root of its variance."""
    mean, spread = mean_variance(op, data)
    return mean, topi.sqrt(spread)
