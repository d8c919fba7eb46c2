"""Convolutions of data whose channels are in blocks."""

from __future__ import annotations

import re
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr
from kc.expr.dtypes import INTS, UINTS
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.accumulation import Accumulation, accumulation
from kc.topi.arguments import constant, over, positive, rank, same_size, tensor, times
from kc.topi.nn.convolution import grouped, spans_of
from kc.topi.nn.padding import amounts, padded, window
from kc.topi.table import NUMBERS, OF_INTEGERS, operator, refuse


def _blocked(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, dilation: Any, sums: Accumulation,
    name: str, weight: Any, inner: Any, depthwise: bool = False,
) -> Tensor:  # fmt: skip
    steps, apart = positive(stride, 2, "stride"), positive(dilation, 2, "dilation")
    taps = kernel.shape[2:4]
    heads, tails = amounts(padding, spans_of(taps, apart))
    outs = window(data.shape[2:4], taps, steps, apart, heads, tails, over, data)
    source = padded(data, [0, 0, *heads, 0], [0, 0, *tails, 0], 0, "data_pad")
    ic = reduce_axis((0, inner), name="ic")
    kh, kw = reduce_axis((0, taps[0]), name="kh"), reduce_axis((0, taps[1]), name="kw")
    block_in = constant(data.shape[4], "the block of input channels")

    def body(n: Any, oc: Any, h: Any, w: Any, block: Any) -> Expr:
        place = (h * steps[0] + kh * apart[0], w * steps[1] + kw * apart[1])
        if depthwise:
            value = source(n, oc, *place, block)
            return scalar.sum(
                sums.wide(value) * sums.wide(weight(oc, None, kh, kw, block)), axis=[kh, kw]
            )
        value = source(n, ic // block_in, *place, ic % block_in)
        factor = sums.wide(weight(oc, ic, kh, kw, block))
        return scalar.sum(sums.wide(value) * factor, axis=[ic, kh, kw])

    results = kernel.shape[0]
    shape = (data.shape[0], results, *outs, kernel.shape[5])
    return sums.rounded(compute(shape, body, name, tag=name))


def _known(*layouts: Any) -> None:
    """Raise KC2308 unless all layouts have the form NCHWc, such as ``NCHW16c``."""
    for layout in layouts:
        if not isinstance(layout, str) or not re.fullmatch(r"NCHW\d*c", layout):
            raise refuse(
                "KC2308", f"the layout {layout!r}", "it must have the form NCHWc, or NCHW16c"
            )


@operator(
    "conv2d_NCHWc", NUMBERS, "nn.conv2d_NCHWc(T(1, 2, 6, 6, 4), T(3, 2, 3, 3, 4, 2), 1, 1, 1)"
)
def conv2d_NCHWc(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, dilation: Any,
    layout: str = "NCHWc", out_layout: str = "NCHWc", out_dtype: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, C / x, H, W, x) with (O / y, C / x, KH, KW, x, y), in blocks of y.

    The layouts are "NCHWc", or with the sizes of the blocks, "NCHW8c", which the shapes imply.
    Raises the errors of :func:`conv2d`.
    """
    _known(layout, out_layout)
    rank(data, "data", 5)
    tensor(kernel, "the kernel", 6, NUMBERS)
    same_size(data, 1, kernel, 1, "data and kernel have the same blocks of input channels")
    same_size(data, 4, kernel, 4, "data and kernel have the same blocks of input channels")
    sums = accumulation(data.dtype, acc_dtype, out_dtype)
    x = constant(kernel.shape[4], "the block of input channels")

    def weight(oc: Any, ic: Any, kh: Any, kw: Any, block: Any) -> Expr:
        return kernel(oc, ic // x, kh, kw, ic % x, block)

    inner = times(data.shape[1], data.shape[4])
    return _blocked(data, kernel, stride, padding, dilation, sums, "conv2d_NCHWc", weight, inner)


@operator(
    "conv2d_NCHWc_int8", (*INTS, *UINTS),
    'nn.conv2d_NCHWc_int8(T(1, 1, 5, 5, 8, dtype="uint8"), T(2, 1, 3, 3, 2, 4, 4, dtype="int8"), '
    "1, 1, 1)",
    gradient=OF_INTEGERS,
)  # fmt: skip
def conv2d_NCHWc_int8(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, dilation: Any,
    layout: str = "NCHWc", out_layout: str = "NCHWc", out_dtype: str | None = "int32",
    acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """:func:`conv2d_NCHWc` of bytes with (O / y, C / x, KH, KW, x / 4, y, 4), added up in int32."""
    _known(layout, out_layout)
    rank(data, "data", 5)
    tensor(kernel, "the kernel", 7, (*INTS, *UINTS))
    same_size(data, 1, kernel, 1, "data and kernel have the same blocks of input channels")
    grouped(data, data.shape[4], data.shape[4], times(kernel.shape[4], 4), 1)
    if constant(kernel.shape[6], "the kernel's parts of blocks") != 4:
        raise refuse(
            "KC2303",
            f"the kernel has the shape {shape_text(kernel.shape)}",
            "its last dimension has 4 input channels of a block",
            "(O / y, C / x, KH, KW, x / 4, y, 4)",
        )
    sums = accumulation(data.dtype, acc_dtype, out_dtype)
    x = constant(data.shape[4], "the block of input channels")

    def weight(oc: Any, ic: Any, kh: Any, kw: Any, block: Any) -> Expr:
        part = ic % x
        return kernel(oc, ic // x, kh, kw, part // 4, block, part % 4)

    inner = times(data.shape[1], data.shape[4])
    return _blocked(
        data, kernel, stride, padding, dilation, sums, "conv2d_NCHWc_int8", weight, inner
    )


@operator(
    "depthwise_conv2d_NCHWc", NUMBERS,
    "nn.depthwise_conv2d_NCHWc(T(1, 2, 6, 6, 4), T(2, 1, 3, 3, 1, 4), 1, 1, 1)",
)  # fmt: skip
def depthwise_conv2d_NCHWc(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any,
    layout: str = "NCHWc", out_layout: str = "NCHWc", out_dtype: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """Each channel of (N, C / x, H, W, x) by itself, with (C / x, 1, KH, KW, 1, x)."""
    _known(layout, out_layout)
    rank(Input, "Input", 5)
    tensor(Filter, "the filter", 6, NUMBERS)
    same_size(Input, 1, Filter, 0, "data and filter have the same blocks of channels")
    same_size(Input, 4, Filter, 5, "data and filter have the same blocks of channels")
    sums = accumulation(Input.dtype, acc_dtype, out_dtype)

    def weight(oc: Any, _: Any, kh: Any, kw: Any, block: Any) -> Expr:
        return Filter(oc, 0, kh, kw, 0, block)

    return _blocked(
        Input, Filter, stride, padding, dilation, sums, "depthwise_conv2d_NCHWc", weight, 1, True
    )
