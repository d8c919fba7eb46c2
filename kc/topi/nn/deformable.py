"""Convolutions whose taps are moved by tensors of offsets."""

from __future__ import annotations

from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, compare, const, if_then_else, select
from kc.expr.constructors import cast as convert
from kc.expr.intrinsics import isnan
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import agree, constant, inside, over, positive, rank, tensor, whole
from kc.topi.elementwise import FLOAT
from kc.topi.gradients import scattered
from kc.topi.nn.convolution import grouped, spans_of
from kc.topi.nn.padding import amounts, window
from kc.topi.shape import transpose
from kc.topi.table import operator, refuse


def _between(data: Tensor, n: Any, c: Any, y: Expr, x: Expr) -> Expr:
    """The image between its elements, linear in both directions; 0 outside."""
    height, width, kind = data.shape[2], data.shape[3], data.dtype

    def near(place: Expr, size: Any) -> Expr:
        # A position far outside is clamped to just outside, so that it fits an integer.
        length = convert(as_expr(size), kind)
        place = select(isnan(place), const(-2.0, kind), place)
        return scalar.max(scalar.min(place, length + 1.0), const(-2.0, kind))

    y, x = near(y, height), near(x, width)
    top, left = scalar.floor(y), scalar.floor(x)
    i, j, dy, dx = convert(top, "int32"), convert(left, "int32"), y - top, x - left

    def read(row: Expr, column: Expr) -> Expr:
        within = all_of(
            row >= 0, compare("lt", row, convert(as_expr(height), "int32")),
            column >= 0, compare("lt", column, convert(as_expr(width), "int32")),
        )  # fmt: skip
        value = data(n, c, inside(row, height), inside(column, width))
        return if_then_else(within, value, const(0.0, kind))

    upper = read(i, j) * (1.0 - dx) + read(i, j + 1) * dx
    lower = read(i + 1, j) * (1.0 - dx) + read(i + 1, j + 1) * dx
    return upper * (1.0 - dy) + lower * dy


@operator(
    "deformable_conv2d_nchw", FLOAT,
    "nn.deformable_conv2d_nchw(T(1, 2, 4, 5), T(1, 18, 4, 5), T(3, 2, 3, 3), 1, 1, 1, 1, 1)",
    onnx="DeformConv", gradient="own",
)  # fmt: skip
def deformable_conv2d_nchw(
    data: Tensor, offset: Tensor, kernel: Tensor, strides: Any, padding: Any, dilation: Any,
    deformable_groups: int, groups: int, out_dtype: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, C, H, W) with (O, C / groups, KH, KW), whose taps are displaced.

    ``offset`` (N, deformable_groups * KH * KW * 2, OH, OW) holds the displacements downwards and to
    the right, for each group of channels. Between elements the image is interpolated linearly;
    outside it is 0, and so is a tap whose offset is NaN. Raises KC2302 for a rank, KC2303 for
    channels and offsets that do not fit, KC2306 for a stride or dilation of 0, KC2307 for a kernel
    that is larger than the padded input, KC2310 for groups.
    """
    rank(data, "data", 4)
    tensor(offset, "offset", 4, (data.dtype,))
    tensor(kernel, "the kernel", 4, (data.dtype,))
    steps, apart = positive(strides, 2, "strides"), positive(dilation, 2, "dilation")
    number, parts = whole(groups, "groups"), positive(deformable_groups, 1, "deformable_groups")[0]
    channels, results = data.shape[1], kernel.shape[0]
    grouped(data, channels, results, kernel.shape[1], number)
    if constant(channels, "the channels") % parts:
        raise refuse(
            "KC2310",
            f"{parts} deformable_groups of {channels} channels: {data.name} of the shape "
            f"{shape_text(data.shape)}",
            "groups must divide the channels",
        )
    taps = [constant(size, "the kernel") for size in kernel.shape[2:]]
    heads, tails = amounts(padding, spans_of(taps, apart))
    outs = window(data.shape[2:], taps, steps, apart, heads, tails, over, data)
    expected = (data.shape[0], parts * taps[0] * taps[1] * 2, *outs)
    if not all(map(agree, offset.shape, expected)):
        raise refuse(
            "KC2303",
            f"offset {offset.name} of the shape {shape_text(offset.shape)}",
            f"it has the shape {shape_text(expected)}: two numbers for each tap",
        )
    sums = accumulation(data.dtype, acc_dtype, out_dtype)
    own = constant(channels, "the channels") // parts
    each, makes = over(channels, number), over(results, number)
    columns = (data.shape[0], channels, *taps, *outs)

    def moved(n: Any, c: Any, u: Any, v: Any, i: Any, j: Any) -> Expr:
        at = ((c // own) * taps[0] + u) * taps[1] + v
        y = convert(as_expr(i * steps[0] - heads[0] + u * apart[0]), data.dtype)
        x = convert(as_expr(j * steps[1] - heads[1] + v * apart[1]), data.dtype)
        return _between(data, n, c, y + offset(n, at * 2, i, j), x + offset(n, at * 2 + 1, i, j))

    source = scattered(compute(columns, moved, "deformed"), data)
    rc = reduce_axis((0, each), name="rc")
    kh, kw = reduce_axis((0, taps[0]), name="kh"), reduce_axis((0, taps[1]), name="kw")

    def body(n: Any, o: Any, i: Any, j: Any) -> Expr:
        channel = rc if number == 1 else (o // makes) * each + rc
        value = sums.wide(source(n, channel, kh, kw, i, j))
        return scalar.sum(value * sums.wide(kernel(o, rc, kh, kw)), axis=[rc, kh, kw])

    name = "deformable_conv2d_nchw"
    return sums.rounded(compute((data.shape[0], results, *outs), body, name, tag=name))


@operator(
    "deformable_conv2d_nhwc", FLOAT,
    "nn.deformable_conv2d_nhwc(T(1, 4, 5, 2), T(1, 4, 5, 18), T(3, 3, 2, 3), 1, 1, 1, 1, 1)",
    gradient="own",
)  # fmt: skip
def deformable_conv2d_nhwc(
    data: Tensor, offset: Tensor, kernel: Tensor, strides: Any, padding: Any, dilation: Any,
    deformable_groups: int, groups: int, out_dtype: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """:func:`deformable_conv2d_nchw` of (N, H, W, C), offsets (N, OH, OW, ...), (KH, KW, I, O).

    Raises the same errors, for these shapes.
    """
    rank(data, "data", 4)
    tensor(offset, "offset", 4, (data.dtype,))
    tensor(kernel, "the kernel", 4, (data.dtype,))
    result = deformable_conv2d_nchw(
        transpose(data, (0, 3, 1, 2)), transpose(offset, (0, 3, 1, 2)),
        transpose(kernel, (3, 2, 0, 1)), strides, padding, dilation, deformable_groups, groups,
        out_dtype, acc_dtype,
    )  # fmt: skip
    return transpose(result, (0, 2, 3, 1))
