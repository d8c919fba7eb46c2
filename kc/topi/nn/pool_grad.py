"""Gradients of pooling with respect to its input, as in TVM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, compare, const, if_then_else
from kc.expr.constructors import cast as convert
from kc.expr.intrinsics import div
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import agree, dim, over_up, plus, positive, tensor, word
from kc.topi.elementwise import FLOAT
from kc.topi.nn.padding import amounts
from kc.topi.nn.pooling import KINDS, pooled_axes, tap_count, window_counts
from kc.topi.reduction import first_of
from kc.topi.table import operator, refuse


@operator(
    "pool_grad_max", FLOAT,
    'nn.pool_grad(T(1, 2, 3, 3), T(1, 2, 6, 6), (2, 2), (2, 2), (0, 0, 0, 0), "max")',
    gradient="te",
)  # fmt: skip
def pool_grad(
    grads: Tensor,
    data: Tensor,
    kernel: Any,
    stride: Any,
    padding: Any,
    pool_type: str,
    ceil_mode: bool = False,
    layout: str = "NCHW",
    count_include_pad: bool = True,
) -> Tensor:
    """The gradient of ``data`` from ``grads``, the gradient of its pooling.

    "max": the first of the largest elements of each window, in row-major order, receives the
    gradient of the window. "avg": each element of a window receives the same share, the gradient
    divided by the divisor of :func:`kc.topi.nn.pool2d`. Raises KC2303 if ``grads`` does not have
    the shape of the pooling, and the errors of the pooling.
    """
    word(pool_type, KINDS, "pool_type")
    tensor(data, "data", None, FLOAT)
    axes = pooled_axes(layout, "HW", data.ndim)
    taps = positive(kernel, 2, "kernel")
    steps = positive(stride, 2, "stride")
    heads, tails = amounts(padding, taps)
    outs = window_counts(data, axes, taps, steps, (1, 1), heads, tails, ceil_mode)
    pooled = list(data.shape)
    for axis, size in zip(axes, outs, strict=True):
        pooled[axis] = size
    if grads.ndim != data.ndim or not all(map(agree, grads.shape, pooled)):
        raise refuse(
            "KC2303",
            f"grads {grads.name} of the shape {shape_text(grads.shape)}",
            f"the shape must be that of the pooling of {data.name}: {shape_text(pooled)}",
        )
    sizes = [dim(data.shape[axis]) for axis in axes]
    # The windows that contain a place: every `step`-th one, counted back from the last that begins
    # there.
    loops = [
        reduce_axis((0, over_up(size, step)), name=f"w{n}")
        for n, (size, step) in enumerate(zip(taps, steps, strict=True))
    ]

    def windows(at: Sequence[Any]) -> tuple[list[Any], Expr]:
        place, conditions = list(at), []
        for n, axis in enumerate(axes):
            padded = at[axis] + heads[n]
            out = padded // steps[n] - loops[n]
            place[axis] = out
            conditions += [
                out >= 0,
                compare("lt", out, outs[n]),
                padded - out * steps[n] < taps[n],
            ]
        return place, all_of(*conditions)

    sums = accumulation(grads.dtype, None)
    zero = const(0.0, sums.within)
    if pool_type == "avg":

        def share(*at: Any) -> Expr:
            place, inside = windows(at)
            divisor: Any = 1
            for n, axis in enumerate(axes):
                count = tap_count(
                    place[axis], sizes[n], taps[n], steps[n], 1, heads[n], tails[n], outs[n],
                    count_include_pad,
                )  # fmt: skip
                divisor = count * divisor
            if not isinstance(divisor, int):
                divisor = convert(scalar.max(divisor, const(1, divisor.dtype)), sums.within)
            value = div(sums.wide(grads(*place)), divisor)
            return scalar.sum(if_then_else(inside, value, zero), axis=loops)

        return sums.rounded(compute(data.shape, share, "T_pool_grad", tag="pool_grad_avg"))

    inner = [reduce_axis((0, size), name=f"k{n}") for n, size in enumerate(taps)]
    reducer = first_of(largest=True, last=False, dtype=data.dtype)

    def largest(*at: Any) -> Any:
        place, conditions = list(at), []
        for n, axis in enumerate(axes):
            place[axis] = at[axis] * steps[n] + inner[n] - heads[n]
            conditions += [place[axis] >= 0, compare("lt", place[axis], sizes[n])]
        number = inner[0] * taps[1] + inner[1]
        return reducer((number, data(*place)), axis=inner, where=all_of(*conditions))

    winner, _ = compute(pooled, largest, "maxpool_grad_argmax", tag="maxpool_grad_argmax")

    def flow(*at: Any) -> Expr:
        place, inside = windows(at)
        offsets = [plus(at[axis], heads[n]) - place[axis] * steps[n] for n, axis in enumerate(axes)]
        own = offsets[0] * taps[1] + offsets[1]
        value = if_then_else(winner(*place).equal(own), sums.wide(grads(*place)), zero)
        return scalar.sum(if_then_else(inside, value, zero), axis=loops)

    return sums.rounded(compute(data.shape, flow, "T_pool_grad", tag="pool_grad_max"))
