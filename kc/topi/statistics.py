"""Means, variances and logarithms of sums of exponentials."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, as_expr, compare, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import FLOATS
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, reduce_axis
from kc.te.computes import compute
from kc.topi.accumulation import accumulation, float_type
from kc.topi.arguments import axes_of, product, whole
from kc.topi.reduction import reduced
from kc.topi.table import operator, refuse
from kc.topi.tag import COMM_REDUCE

TYPES = tuple(FLOATS)


def _within(data: Tensor, acc_dtype: str | None) -> str:
    """The type of the computation."""
    return accumulation(data.dtype, acc_dtype, None, float_type(data.dtype)).within


def _summed(
    data: Tensor,
    axes: Sequence[int],
    name: str,
    within: str,
    term: Callable[[Expr, Sequence[Any]], Expr],
) -> Tensor:
    """The sum, with dimensions of 1, of ``term`` of each element and the place of its sum."""
    loops = {n: reduce_axis((0, data.shape[n]), name=f"k{n}") for n in axes}
    shape = [1 if n in axes else size for n, size in enumerate(data.shape)]

    def body(*at: Any) -> Expr:
        place: list[Any] = [loops.get(n, index) for n, index in enumerate(at)]
        value = term(convert(data(*place), within), at)
        return scalar.sum(value, axis=[*loops.values()]) if loops else value

    return compute(shape, body, f"{data.name}_{name}", tag=COMM_REDUCE if loops else INJECTIVE)


def _averaged(total: Tensor, data: Tensor, axes: Sequence[int], less: int = 0) -> Tensor:
    """The sum divided by the number of elements along ``axes``, reduced by ``less``."""
    count = convert(as_expr(product([data.shape[n] for n in axes])), total.dtype)
    divisor = count - float(less) if less else count
    return compute(total.shape, lambda *at: total(*at) / divisor, f"{data.name}_mean",
                   tag=INJECTIVE)  # fmt: skip


def _as_asked(tensor: Tensor, axes: Sequence[int], keepdims: bool, name: str, dtype: str) -> Tensor:
    """The result, converted to its type, without the dimensions of 1 unless they are requested."""
    shape = [size for n, size in enumerate(tensor.shape) if keepdims or n not in axes]

    def body(*at: Any) -> Expr:
        outer = iter(at)
        place = at if keepdims else [0 if n in axes else next(outer) for n in range(tensor.ndim)]
        return convert(tensor(*place), dtype)

    return compute(shape, body, name, tag=INJECTIVE)


def _mean(data: Tensor, axes: Sequence[int], within: str) -> Tensor:
    return _averaged(_summed(data, axes, "total", within, lambda value, _: value), data, axes)


@operator(
    COMM_REDUCE, TYPES, "mean(T(4, 3, 5), axis=(0, 2))", formula="sum(x) / count", numpy="mean",
    onnx="ReduceMean", torch="mean",
)  # fmt: skip
def mean(
    data: Tensor, axis: Any = None, keepdims: bool = False, acc_dtype: str | None = None
) -> Tensor:
    """The mean over axes, which are those of :func:`kc.topi.sum`; NaN without elements.

    The computation is in ``acc_dtype``, by default float32, for float64 in float64. Raises KC2304
    for an axis that does not exist.
    """
    axes = axes_of(axis, data.ndim, twice=True)
    result = _mean(data, axes, _within(data, acc_dtype))
    return _as_asked(result, axes, keepdims, "T_mean", data.dtype)


@operator(
    COMM_REDUCE, TYPES, "variance(T(4, 3, 5), axis=(0, 2))",
    formula="sum((x - mean)^2) / (count - ddof)", numpy="var", torch="var",
)  # fmt: skip
def variance(
    data: Tensor,
    axis: Any = None,
    keepdims: bool = False,
    ddof: int = 0,
    acc_dtype: str | None = None,
) -> Tensor:
    """The mean of the squared distances from the mean, which is computed first.

    ``ddof`` is subtracted from the number of elements: 0 by default, as in numpy; torch uses 1.
    Axes and types are those of :func:`mean`. Raises KC2304 for an axis that does not exist, KC2306
    for a negative ``ddof``.
    """
    axes, less = axes_of(axis, data.ndim, twice=True), whole(ddof, "ddof")
    if less < 0:
        raise refuse("KC2306", f"ddof is {less}", "it must be at least 0")
    within = _within(data, acc_dtype)
    middle = _mean(data, axes, within)

    def square(value: Expr, at: Sequence[Any]) -> Expr:
        distance = value - middle(*at)
        return distance * distance

    squares = _summed(data, axes, "squares", within, square)
    result = _averaged(squares, data, axes, less)
    return _as_asked(result, axes, keepdims, "T_variance", data.dtype)


@operator(
    COMM_REDUCE, TYPES, "logsumexp(T(4, 5), axis=1)", formula="log(sum(exp(x)))",
    onnx="ReduceLogSumExp", torch="logsumexp",
)  # fmt: skip
def logsumexp(
    data: Tensor, axis: Any = None, keepdims: bool = False, acc_dtype: str | None = None
) -> Tensor:
    """The logarithm of the sum of the exponentials over axes, relative to the maximum.

    Subtracting the maximum avoids overflow. Without elements, or of -infinities, it is -infinity.
    Axes and types are those of :func:`mean`. Raises KC2304 for an axis that does not exist.
    """
    axes, wide = axes_of(axis, data.ndim, twice=True), _within(data, acc_dtype)
    largest = reduced(data, axes, True, scalar.max, f"{data.name}_max",
                      lambda value: convert(value, wide))  # fmt: skip
    # An infinity is not subtracted: the difference of two infinities is NaN.
    infinity = const(math.inf, wide)
    shift = compute(
        largest.shape,
        lambda *at: select(
            compare("lt", scalar.abs(largest(*at)), infinity), largest(*at), const(0.0, wide)
        ),
        f"{data.name}_shift",
        tag=INJECTIVE,
    )
    total = _summed(data, axes, "exp_sum", wide, lambda value, at: scalar.exp(value - shift(*at)))
    result = compute(total.shape, lambda *at: scalar.log(total(*at)) + shift(*at),
                     f"{data.name}_log", tag=INJECTIVE)  # fmt: skip
    return _as_asked(result, axes, keepdims, "T_logsumexp", data.dtype)
