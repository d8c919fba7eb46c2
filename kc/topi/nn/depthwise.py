"""Depthwise convolutions: each channel by itself, and what flows back through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.te import functions as scalar
from kc.te.computes import compute
from kc.te.expr import Expr, all_of, compare, const, if_then_else
from kc.te.expr import cast as convert
from kc.te.tensor import Tensor, reduce_axis
from kc.topi.arguments import over, positive, rank, same_size, tensor, times
from kc.topi.nn.convolution import spans_of
from kc.topi.nn.dense import accumulator
from kc.topi.nn.padding import amounts, padded, window
from kc.topi.table import NUMBERS, operator, refuse


def _depthwise(
    data: Tensor, filt: Tensor, stride: Any, padding: Any, dilation: Any, out_dtype: str | None,
    first: bool, name: str,
) -> Tensor:  # fmt: skip
    rank(data, "data", 4)
    tensor(filt, "the filter", 4, NUMBERS)
    channel, axes = (1, (2, 3)) if first else (3, (1, 2))
    own, many, taps_at = (0, 1, (2, 3)) if first else (2, 3, (0, 1))
    same_size(data, channel, filt, own, "the filter has a kernel for each channel")
    steps, apart = positive(stride, 2, "stride"), positive(dilation, 2, "dilation")
    taps = [filt.shape[n] for n in taps_at]
    heads, tails = amounts(padding, spans_of(taps, apart))
    outs = window([data.shape[n] for n in axes], taps, steps, apart, heads, tails, over, data)
    front, back = [0] * 4, [0] * 4
    for n, axis in enumerate(axes):
        front[axis], back[axis] = heads[n], tails[n]
    source = padded(data, front, back, 0, "PaddedInput")
    dtype, each = accumulator(data, out_dtype), filt.shape[many]
    loops = [
        reduce_axis((0, size), name=name_) for size, name_ in zip(taps, ("di", "dj"), strict=True)
    ]
    shape = list(data.shape)
    shape[channel] = times(data.shape[channel], each)
    for axis, size in zip(axes, outs, strict=True):
        shape[axis] = size

    def body(*at: Any) -> Expr:
        place, o = list(at), at[channel]
        place[channel] = o // each
        for axis, loop, step, gap in zip(axes, loops, steps, apart, strict=True):
            place[axis] = at[axis] * step + loop * gap
        kernel = (o // each, o % each, *loops) if first else (*loops, o // each, o % each)
        return scalar.sum(
            convert(source(*place), dtype) * convert(filt(*kernel), dtype), axis=loops
        )

    return compute(shape, body, name, tag=name)


@operator(
    "depthwise_conv2d_nchw", NUMBERS,
    "nn.depthwise_conv2d_nchw(T(1, 3, 6, 6), T(3, 2, 3, 3), 1, 1, 1)", onnx="Conv", torch="conv2d",
)  # fmt: skip
def depthwise_conv2d_nchw(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any,
    out_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """(N, C, H, W) with (C, M, KH, KW): channel c makes the channels c * M to c * M + M - 1."""
    return _depthwise(
        Input, Filter, stride, padding, dilation, out_dtype, True, "depthwise_conv2d_nchw"
    )


@operator(
    "depthwise_conv2d_nhwc", NUMBERS,
    "nn.depthwise_conv2d_nhwc(T(1, 6, 6, 3), T(3, 3, 3, 2), 1, 1, 1)",
)  # fmt: skip
def depthwise_conv2d_nhwc(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any,
    out_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """(N, H, W, C) with (KH, KW, C, M): channel c makes the channels c * M to c * M + M - 1."""
    return _depthwise(
        Input, Filter, stride, padding, dilation, out_dtype, False, "depthwise_conv2d_nhwc"
    )


def _shapes(ishape: Sequence[Any], fshape: Sequence[Any], Out_grad: Tensor) -> None:
    rank(Out_grad, "Out_grad", 4)
    if len(ishape) != 4 or len(fshape) != 4:
        raise refuse(
            "KC2302", f"shapes of {len(ishape)} and {len(fshape)} dimensions", "both have 4"
        )


@operator(
    "depthwise_conv2d_backward_input_nhwc", NUMBERS,
    "nn.depthwise_conv2d_backward_input_nhwc(T(3, 3, 2, 2), T(1, 3, 3, 4), (1, 6, 6, 2), "
    "(1, 3, 3, 4), (2, 2), (1, 1, 0, 0))",
)  # fmt: skip
def depthwise_conv2d_backward_input_nhwc(
    Filter: Tensor, Out_grad: Tensor, oshape: Any, ishape: Any, stride: Any, padding: Any
) -> Tensor:
    """What flows to the input, of shape ``oshape``, from ``Out_grad`` of shape ``ishape``."""
    tensor(Out_grad, "Out_grad", 4, NUMBERS)
    _shapes(oshape, ishape, Out_grad)
    taps, many = Filter.shape[:2], Filter.shape[3]
    steps = positive(stride, 2, "stride")
    heads, _ = amounts(padding, taps)
    loops = [
        reduce_axis((0, size), name=name) for size, name in zip(taps, ("di", "dj"), strict=True)
    ]
    m = reduce_axis((0, many), name="m")
    zero = const(0, Out_grad.dtype)

    def body(b: Any, h: Any, w: Any, c: Any) -> Expr:
        places, conditions = [], []
        for n, at in enumerate((h, w)):
            moved = at + heads[n] - loops[n]
            out = moved // steps[n]
            places.append(out)
            conditions += [
                moved >= 0,
                (moved % steps[n]).equal(0),
                compare("lt", out, Out_grad.shape[n + 1]),
            ]
        flow = Out_grad(b, *places, c * many + m) * Filter(*loops, c, m)
        return scalar.sum(if_then_else(all_of(*conditions), flow, zero), axis=[*loops, m])

    return compute(tuple(oshape), body, "In_grad", tag="depthwise_conv2d_backward_input_nhwc")


@operator(
    "depthwise_conv2d_backward_weight_nhwc", NUMBERS,
    "nn.depthwise_conv2d_backward_weight_nhwc(T(1, 6, 6, 2), T(1, 3, 3, 4), (1, 3, 3, 4), "
    "(3, 3, 2, 2), (2, 2), (1, 1, 0, 0))",
)  # fmt: skip
def depthwise_conv2d_backward_weight_nhwc(
    Input: Tensor, Out_grad: Tensor, oshape: Any, fshape: Any, stride: Any, padding: Any
) -> Tensor:
    """What flows to the filter, of shape ``fshape``, from ``Out_grad`` of shape ``oshape``."""
    tensor(Out_grad, "Out_grad", 4, NUMBERS)
    _shapes(oshape, fshape, Out_grad)
    steps = positive(stride, 2, "stride")
    heads, tails = amounts(padding, fshape[:2])
    source = padded(Input, [0, *heads, 0], [0, *tails, 0], 0, "PaddedInput")
    many = fshape[3]
    sizes = (Out_grad.shape[0], *Out_grad.shape[1:3])
    b, h, w = (reduce_axis((0, size), name=name) for size, name in zip(sizes, "bhw", strict=True))

    def body(dh: Any, dw: Any, c: Any, m: Any) -> Expr:
        value = source(b, h * steps[0] + dh, w * steps[1] + dw, c)
        return scalar.sum(Out_grad(b, h, w, c * many + m) * value, axis=[b, h, w])

    return compute(tuple(fshape), body, "Weight_grad", tag="depthwise_conv2d_backward_weight_nhwc")
