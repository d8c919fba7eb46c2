"""Depthwise convolutions, which treat each channel separately, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, compare, const, if_then_else
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.support.diagnostics import counted
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import agree, over, positive, rank, same_size, tensor, times
from kc.topi.nn.convolution import spans_of
from kc.topi.nn.padding import amounts, padded, window
from kc.topi.table import NUMBERS, operator, refuse


def _depthwise(
    data: Tensor, filt: Tensor, stride: Any, padding: Any, dilation: Any, out_dtype: str | None,
    acc_dtype: str | None, first: bool, name: str,
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
    sums, each = accumulation(data.dtype, acc_dtype, out_dtype), filt.shape[many]
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
        return scalar.sum(sums.wide(source(*place)) * sums.wide(filt(*kernel)), axis=loops)

    return sums.rounded(compute(shape, body, name, tag=name))


@operator(
    "depthwise_conv2d_nchw", NUMBERS,
    "nn.depthwise_conv2d_nchw(T(1, 3, 6, 6), T(3, 2, 3, 3), 1, 1, 1)", onnx="Conv", torch="conv2d",
)  # fmt: skip
def depthwise_conv2d_nchw(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """(N, C, H, W) with (C, M, KH, KW): channel c produces the channels c * M to c * M + M - 1."""
    return _depthwise(
        Input,
        Filter,
        stride,
        padding,
        dilation,
        out_dtype,
        acc_dtype,
        True,
        "depthwise_conv2d_nchw",
    )


@operator(
    "depthwise_conv2d_nhwc", NUMBERS,
    "nn.depthwise_conv2d_nhwc(T(1, 6, 6, 3), T(3, 3, 3, 2), 1, 1, 1)",
)  # fmt: skip
def depthwise_conv2d_nhwc(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """(N, H, W, C) with (KH, KW, C, M): channel c produces the channels c * M to c * M + M - 1."""
    return _depthwise(
        Input,
        Filter,
        stride,
        padding,
        dilation,
        out_dtype,
        acc_dtype,
        False,
        "depthwise_conv2d_nhwc",
    )


def _four(shape: Any, what: str) -> list[Any]:
    """A shape of four sizes (KC2311)."""
    sizes = list(shape) if isinstance(shape, list | tuple) else [shape]
    if len(sizes) != 4:
        raise refuse("KC2311", f"{what} has {counted(len(sizes), 'number')}: {tuple(sizes)}",
                     "it must have 4, the sizes of a shape")  # fmt: skip
    return sizes


def _backward(
    Input: Sequence[Any], Filter: Sequence[Any], Out_grad: Tensor, declared: Any, what: str,
    stride: Any, padding: Any,
) -> tuple[tuple[int, ...], list[int], list[int]]:  # fmt: skip
    """The strides and the padding; the gradient must have the shape of the convolution (KC2303)."""
    if not agree(Input[3], Filter[2]):
        raise refuse(
            "KC2303",
            f"an input of the shape {shape_text(Input)} and a filter of the shape "
            f"{shape_text(Filter)}",
            f"the filter must have a kernel for each of {Input[3]} channels",
        )
    steps = positive(stride, 2, "stride")
    heads, tails = amounts(padding, Filter[:2])
    outs = window(Input[1:3], Filter[:2], steps, (1, 1), heads, tails, over, Out_grad)
    expected = (Input[0], *outs, times(Input[3], Filter[3]))
    for shape, name in ((Out_grad.shape, f"Out_grad {Out_grad.name}"), (declared, what)):
        if not all(map(agree, shape, expected)):
            raise refuse(
                "KC2303",
                f"{name} of the shape {shape_text(shape)}",
                f"the convolution of {shape_text(Input)} with {shape_text(Filter)} has the shape "
                f"{shape_text(expected)}",
            )
    return steps, heads, tails


@operator(
    "depthwise_conv2d_backward_input_nhwc", NUMBERS,
    "nn.depthwise_conv2d_backward_input_nhwc(T(3, 3, 2, 2), T(1, 3, 3, 4), (1, 6, 6, 2), "
    "(1, 3, 3, 4), (2, 2), (1, 1, 0, 0))",
)  # fmt: skip
def depthwise_conv2d_backward_input_nhwc(
    Filter: Tensor, Out_grad: Tensor, oshape: Any, ishape: Any, stride: Any, padding: Any
) -> Tensor:
    """The gradient of the input, of shape ``oshape``, from ``Out_grad`` of shape ``ishape``."""
    rank(Filter, "Filter", 4)
    tensor(Out_grad, "Out_grad", 4, NUMBERS)
    into, out_of = _four(oshape, "oshape"), _four(ishape, "ishape")
    steps, heads, _ = _backward(into, Filter.shape, Out_grad, out_of, "ishape", stride, padding)
    taps, many = Filter.shape[:2], Filter.shape[3]
    loops = [
        reduce_axis((0, size), name=name) for size, name in zip(taps, ("di", "dj"), strict=True)
    ]
    m = reduce_axis((0, many), name="m")
    sums = accumulation(Out_grad.dtype, None)
    zero = const(0, sums.within)

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
        flow = sums.wide(Out_grad(b, *places, c * many + m)) * sums.wide(Filter(*loops, c, m))
        return scalar.sum(if_then_else(all_of(*conditions), flow, zero), axis=[*loops, m])

    name = "depthwise_conv2d_backward_input_nhwc"
    return sums.rounded(compute(tuple(into), body, "In_grad", tag=name))


@operator(
    "depthwise_conv2d_backward_weight_nhwc", NUMBERS,
    "nn.depthwise_conv2d_backward_weight_nhwc(T(1, 6, 6, 2), T(1, 3, 3, 4), (1, 3, 3, 4), "
    "(3, 3, 2, 2), (2, 2), (1, 1, 0, 0))",
)  # fmt: skip
def depthwise_conv2d_backward_weight_nhwc(
    Input: Tensor, Out_grad: Tensor, oshape: Any, fshape: Any, stride: Any, padding: Any
) -> Tensor:
    """The gradient of the filter, of shape ``fshape``, from ``Out_grad`` of shape ``oshape``."""
    rank(Input, "Input", 4)
    tensor(Out_grad, "Out_grad", 4, NUMBERS)
    of_flow, into = _four(oshape, "oshape"), _four(fshape, "fshape")
    steps, heads, tails = _backward(Input.shape, into, Out_grad, of_flow, "oshape", stride, padding)
    source = padded(Input, [0, *heads, 0], [0, *tails, 0], 0, "PaddedInput")
    many, sums = into[3], accumulation(Input.dtype, None)
    sizes = (Out_grad.shape[0], *Out_grad.shape[1:3])
    b, h, w = (reduce_axis((0, size), name=name) for size, name in zip(sizes, "bhw", strict=True))

    def body(dh: Any, dw: Any, c: Any, m: Any) -> Expr:
        value = sums.wide(source(b, h * steps[0] + dh, w * steps[1] + dw, c))
        return scalar.sum(sums.wide(Out_grad(b, h, w, c * many + m)) * value, axis=[b, h, w])

    name = "depthwise_conv2d_backward_weight_nhwc"
    return sums.rounded(compute(tuple(into), body, "Weight_grad", tag=name))
