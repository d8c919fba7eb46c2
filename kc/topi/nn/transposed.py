"""Transposed convolutions: what each element adds to a larger result."""

from __future__ import annotations

from typing import Any

from kc.te import functions as scalar
from kc.te.computes import compute
from kc.te.expr import Expr
from kc.te.expr import cast as convert
from kc.te.tensor import Tensor, reduce_axis, shape_text
from kc.topi.arguments import (
    constant,
    is_size,
    over,
    plus,
    positive,
    rank,
    tensor,
    times,
    whole,
    wholes,
)
from kc.topi.nn.convolution import grouped
from kc.topi.nn.dense import accumulator
from kc.topi.nn.padding import amounts, dilated, padded
from kc.topi.table import NUMBERS, operator, refuse


def _transposed(
    data: Tensor, filt: Tensor, strides: Any, padding: Any, out_dtype: str | None,
    output_padding: Any, groups: int, letters: str, name: str,
) -> Tensor:  # fmt: skip
    count = len(letters)
    rank(data, "data", count + 2)
    tensor(filt, "the filter", count + 2, NUMBERS)
    steps = positive(strides, count, "strides")
    more = wholes(output_padding, count, "output_padding")
    if any(not 0 <= extra < step for extra, step in zip(more, steps, strict=True)):
        raise refuse(
            "KC2317",
            f"output_padding is {output_padding}, strides is {strides}",
            "output_padding is at least 0, and less than the stride",
        )
    taps = [constant(size, "the kernel") for size in filt.shape[2:]]
    heads, tails = amounts(padding, taps)
    number = whole(groups, "groups")
    results = times(filt.shape[1], number)
    grouped(data, filt.shape[0], results, over(data.shape[1], max(number, 1)), number)
    apart = dilated(data, [1, 1, *steps], 0, "data_dilate")
    front = [0, 0, *(tap - 1 - head for tap, head in zip(taps, heads, strict=True))]
    back = [0, 0] + [
        tap - 1 - tail + extra for tap, tail, extra in zip(taps, tails, more, strict=True)
    ]
    source = padded(apart, front, back, 0, "data_pad")
    outs = [plus(size, 1 - tap) for size, tap in zip(source.shape[2:], taps, strict=True)]
    for n, (size, step) in enumerate(zip(data.shape[2:], steps, strict=True)):
        if is_size(size, 0):  # (size - 1) * stride is the distance of its first and last element
            outs[n] = max(0, outs[n] - (step - 1)) if outs[n] >= 0 else outs[n]
    if any(isinstance(size, int) and size < 0 for size in outs):
        raise refuse("KC2314", f"padding is {padding}", f"that leaves {shape_text(outs)}")
    dtype = accumulator(data, out_dtype)
    each = over(data.shape[1], number)
    makes = filt.shape[1]
    rc = reduce_axis((0, each), name="dc")
    loops = [
        reduce_axis((0, size), name=f"d{letter.lower()}")
        for size, letter in zip(taps, letters, strict=True)
    ]

    def body(n: Any, o: Any, *at: Any) -> Expr:
        place = [axis + loop for axis, loop in zip(at, loops, strict=True)]
        channel = rc if number == 1 else (o // makes) * each + rc
        turned = [size - 1 - loop for size, loop in zip(taps, loops, strict=True)]
        weight = filt(channel, o if number == 1 else o % makes, *turned)
        product = convert(source(n, channel, *place), dtype) * convert(weight, dtype)
        return scalar.sum(product, axis=[rc, *loops])

    return compute((data.shape[0], results, *outs), body, name, tag=name)


_MEANING = """The result is ``(in - 1) * stride - pads + kernel + output_padding`` long, with
    ``output_padding`` below the stride (KC2317). The filter begins with the **input** channels.
    Types and other errors are those of :func:`kc.topi.nn.conv2d`."""


@operator(
    "conv1d_transpose_ncw",
    NUMBERS,
    "nn.conv1d_transpose_ncw(T(1, 3, 5), T(3, 2, 3), 2, 1, None, 1)",
    onnx="ConvTranspose",
    torch="conv_transpose1d",
)
def conv1d_transpose_ncw(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, out_dtype: str | None,
    output_padding: Any,
) -> Tensor:  # fmt: skip
    """(N, C, W) with (C, O, K)."""
    return _transposed(
        data, kernel, stride, padding, out_dtype, output_padding, 1, "W", "conv1d_transpose_ncw"
    )


@operator(
    "conv2d_transpose_nchw",
    NUMBERS,
    "nn.conv2d_transpose_nchw(T(1, 3, 4, 4), T(3, 2, 3, 3), 2, 1, None, 1)",
    onnx="ConvTranspose",
    torch="conv_transpose2d",
)
def conv2d_transpose_nchw(
    Input: Tensor, Filter: Tensor, strides: Any, padding: Any, out_dtype: str | None,
    output_padding: Any,
) -> Tensor:  # fmt: skip
    """(N, C, H, W) with (C, O, KH, KW)."""
    return _transposed(
        Input, Filter, strides, padding, out_dtype, output_padding, 1, "HW",
        "conv2d_transpose_nchw",
    )  # fmt: skip


@operator(
    "group_conv2d_transpose_nchw",
    NUMBERS,
    "nn.group_conv2d_transpose_nchw(T(1, 4, 4, 4), T(4, 3, 3, 3), 2, 1, None, 0, 2)",
    onnx="ConvTranspose",
    torch="conv_transpose2d",
)
def group_conv2d_transpose_nchw(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, out_dtype: str | None,
    output_padding: Any, groups: int,
) -> Tensor:  # fmt: skip
    """(N, C, H, W) with (C, O / groups, KH, KW)."""
    return _transposed(
        data, kernel, stride, padding, out_dtype, output_padding, groups, "HW",
        "group_conv2d_transpose_nchw",
    )  # fmt: skip


@operator(
    "conv3d_transpose_ncdhw",
    NUMBERS,
    "nn.conv3d_transpose_ncdhw(T(1, 2, 3, 3, 3), T(2, 2, 2, 2, 2), 2, 0, None, 0)",
    onnx="ConvTranspose",
    torch="conv_transpose3d",
)
def conv3d_transpose_ncdhw(
    Input: Tensor, Filter: Tensor, strides: Any, padding: Any, out_dtype: str | None,
    output_padding: Any,
) -> Tensor:  # fmt: skip
    """(N, C, D, H, W) with (C, O, KD, KH, KW)."""
    return _transposed(
        Input, Filter, strides, padding, out_dtype, output_padding, 1, "DHW",
        "conv3d_transpose_ncdhw",
    )  # fmt: skip


for _function in (
    conv1d_transpose_ncw, conv2d_transpose_nchw, conv3d_transpose_ncdhw,
    group_conv2d_transpose_nchw,
):  # fmt: skip
    _function.__doc__ = f"{_function.__doc__}\n\n    {_MEANING}\n    "
