"""Softmax, in four computes: the maximum, exp, their sum, and the quotient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr
from kc.expr.constructors import cast as convert
from kc.expr.tags import ELEMWISE
from kc.expr.tensor import Tensor, reduce_axis
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import axis_of
from kc.topi.elementwise import FLOAT
from kc.topi.fast_math import fast_exp_of
from kc.topi.table import operator


def _softmax(
    x: Tensor, axis: int, acc_dtype: str | None, exponential: Callable[[Any], Expr], name: str
) -> Tensor:
    axis, sums = axis_of(axis, x.ndim), accumulation(x.dtype, acc_dtype)
    rest = [size for n, size in enumerate(x.shape) if n != axis]

    def insert(place: tuple[Any, ...], at: Any) -> tuple[Any, ...]:
        return (*place[:axis], at, *place[axis:])

    def without(at: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*at[:axis], *at[axis + 1 :])

    k = reduce_axis((0, x.shape[axis]), name="k")
    largest = compute(rest, lambda *at: scalar.max(x(*insert(at, k)), axis=k), f"{name}_maxelem")
    power = compute(
        x.shape,
        lambda *at: exponential(sums.wide(x(*at)) - sums.wide(largest(*without(at)))),
        f"{name}_exp",
        tag=ELEMWISE,
    )
    j = reduce_axis((0, x.shape[axis]), name="k")
    total = compute(rest, lambda *at: scalar.sum(power(*insert(at, j)), axis=j), f"{name}_expsum")
    return compute(
        x.shape,
        lambda *at: convert(power(*at) * (1 / total(*without(at))), x.dtype),
        f"{name}_norm",
        tag="softmax_output",
        attrs={"axis": axis},
    )


@operator(
    "softmax_output", FLOAT, "nn.softmax(T(4, 6))", onnx="Softmax", torch="softmax",
    formula="exp(x - max) / sum(exp(x - max))",
)  # fmt: skip
def softmax(x: Tensor, axis: int = -1, acc_dtype: str | None = None) -> Tensor:
    """exp(x) divided by its sum along an axis; the largest element is subtracted first.

    Exponentials, their sum and the quotient are in ``acc_dtype``, which is float32 for narrower
    floats and otherwise the type of ``x``; the result is rounded once to that of ``x``. A row of
    -infinity, or with +infinity or NaN in it, gives NaN. Raises KC2304 for an axis that does not
    exist.
    """
    return _softmax(x, axis, acc_dtype, scalar.exp, "T_softmax")


@operator("softmax_output", FLOAT, "nn.fast_softmax(T(4, 6))", formula="softmax, approximately")
def fast_softmax(x: Tensor, axis: int = -1, acc_dtype: str | None = None) -> Tensor:
    """:func:`softmax` with :func:`kc.topi.fast_exp`, in float32 and narrower types."""
    within = accumulation(x.dtype, acc_dtype).within
    exponential = fast_exp_of if within == "float32" else scalar.exp
    return _softmax(x, axis, acc_dtype, exponential, "T_fast_softmax")


@operator(
    "log_softmax_output", FLOAT, "nn.log_softmax(T(4, 6))", onnx="LogSoftmax", torch="log_softmax",
    formula="x - max - log(sum(exp(x - max)))",
)  # fmt: skip
def log_softmax(x: Tensor, axis: int = -1, acc_dtype: str | None = None) -> Tensor:
    """The logarithm of :func:`softmax`, without its rounding, in the same types."""
    axis, sums = axis_of(axis, x.ndim), accumulation(x.dtype, acc_dtype)
    rest = [size for n, size in enumerate(x.shape) if n != axis]

    def insert(place: tuple[Any, ...], at: Any) -> tuple[Any, ...]:
        return (*place[:axis], at, *place[axis:])

    def without(at: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*at[:axis], *at[axis + 1 :])

    k = reduce_axis((0, x.shape[axis]), name="k")
    largest = compute(rest, lambda *at: scalar.max(x(*insert(at, k)), axis=k), "T_softmax_maxelem")
    j = reduce_axis((0, x.shape[axis]), name="k")
    total = compute(
        rest,
        lambda *at: scalar.sum(
            scalar.exp(sums.wide(x(*insert(at, j))) - sums.wide(largest(*at))), axis=j
        ),
        "T_softmax_expsum",
    )
    return compute(
        x.shape,
        lambda *at: convert(
            sums.wide(x(*at)) - sums.wide(largest(*without(at))) - scalar.log(total(*without(at))),
            x.dtype,
        ),
        "T_log_softmax",
        tag="log_softmax_output",
        attrs={"axis": axis},
    )
