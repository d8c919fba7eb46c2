"""Convolutions of one to three dimensions, of any layout, with groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.support.diagnostics import counted
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import (
    dim,
    over,
    plus,
    positive,
    rank,
    tensor,
    times,
    whole,
)
from kc.topi.nn.padding import amounts, padded, window
from kc.topi.table import NUMBERS, operator, refuse


def spans_of(kernel: Sequence[Any], dilation: Sequence[int]) -> list[Any]:
    """The spans of the taps of a kernel, including the gaps of its dilation."""
    return [plus(times(plus(size, -1), gap), 1) for size, gap in zip(kernel, dilation, strict=True)]


def grouped(data: Tensor, channels: Any, results: Any, inner: Any, groups: int) -> None:
    """Raise KC2306 or KC2310 unless the groups divide the channels, and fit the filter."""
    if groups < 1:
        raise refuse("KC2306", f"groups is {groups}", "it must be at least 1")
    for what, count in (("channels", channels), ("output channels", results)):
        if isinstance(dim(count), int) and count % groups:
            raise refuse(
                "KC2310",
                f"{groups} groups of {count} {what}: {data.name} of the shape "
                f"{shape_text(data.shape)}",
                "groups must divide the channels and the output channels",
            )
    each = over(dim(channels), groups)
    if isinstance(each, int) and isinstance(dim(inner), int) and each != dim(inner):
        raise refuse(
            "KC2303",
            f"{data.name} of the shape {shape_text(data.shape)} and a filter of {inner} channels",
            f"{channels} channels in {counted(groups, 'group')} are {each} for each output channel",
        )


def convolution(
    data: Tensor,
    filt: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: Any,
    order: str,
    out_dtype: str | None,
    acc_dtype: str | None,
    name: str,
) -> Tensor:
    """The convolution of data whose axes ``order`` names: N, C, and letters of space.

    The filter is O, I, space if channels precede space, else space, I, O.
    """
    space = [letter for letter in order if letter not in "NC"]
    count = len(space)
    rank(data, "data", count + 2)
    tensor(filt, "the filter", count + 2, NUMBERS)
    batch, channel = order.index("N"), order.index("C")
    axes = [order.index(letter) for letter in space]
    first = channel < axes[0]
    out_axis, in_axis = (0, 1) if first else (count + 1, count)
    taps_at = [n + 2 for n in range(count)] if first else list(range(count))
    steps = positive(stride, count, "stride")
    apart = positive(dilation, count, "dilation")
    number = whole(groups, "groups")
    taps = [filt.shape[n] for n in taps_at]
    channels, results = data.shape[channel], filt.shape[out_axis]
    grouped(data, channels, results, filt.shape[in_axis], number)
    heads, tails = amounts(padding, spans_of(taps, apart))
    outs = window([data.shape[n] for n in axes], taps, steps, apart, heads, tails, over, data)
    front, back = [0] * data.ndim, [0] * data.ndim
    for n, axis in enumerate(axes):
        front[axis], back[axis] = heads[n], tails[n]
    source = padded(data, front, back, 0, "pad_temp")
    sums = accumulation(data.dtype, acc_dtype, out_dtype)
    each = over(channels, number)
    makes = over(results, number)
    rc = reduce_axis((0, each), name="rc")
    loops = [
        reduce_axis((0, size), name=f"r{letter.lower()}")
        for size, letter in zip(taps, space, strict=True)
    ]
    shape: list[Any] = [0] * data.ndim
    shape[batch], shape[channel] = data.shape[batch], results
    for axis, size in zip(axes, outs, strict=True):
        shape[axis] = size

    def body(*at: Any) -> Expr:
        o = at[channel]
        place: list[Any] = [0] * data.ndim
        place[batch] = at[batch]
        place[channel] = rc if number == 1 else (o // makes) * each + rc
        for axis, loop, step, gap in zip(axes, loops, steps, apart, strict=True):
            moved = at[axis] * step if step > 1 else at[axis]
            place[axis] = moved + (loop * gap if gap > 1 else loop)
        weight: list[Any] = [0] * filt.ndim
        weight[out_axis], weight[in_axis] = o, rc
        for axis, loop in zip(taps_at, loops, strict=True):
            weight[axis] = loop
        product = sums.wide(source(*place)) * sums.wide(filt(*weight))
        return scalar.sum(product, axis=[rc, *loops])

    return sums.rounded(compute(shape, body, name, tag=name))


_RULES = """The padding is an integer, one an axis, all heads then all tails, "VALID", or "SAME"
    (``kernel - 1`` in sum, the odd one in front). Elements are multiplied and added up in
    ``acc_dtype`` (:func:`kc.topi.accumulation.accumulation`), and the sums are rounded to
    ``out_dtype``, by default that of the data. Raises KC2302 for a rank, KC2303 for channels that
    do not fit, KC2306 for a stride or dilation of 0, KC2307 for a kernel that is larger than the
    padded input, KC2310 for groups, KC2311 for a padding."""


@operator(
    "conv", NUMBERS, 'nn.conv(T(1, 4, 6, 6), T(6, 2, 3, 3), 1, 1, 1, 2, "NCHW")', onnx="Conv",
    torch="conv2d",
)  # fmt: skip
def conv(
    inp: Tensor,
    filt: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    order: str,
    out_dtype: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:
    """A convolution of any number of dimensions; ``order`` names the axes, as "NCHW" or "NDHWC".

    The filter is (O, I / groups, space) if C precedes space, else (space, I / groups, O).
    """
    letters = set(order) if isinstance(order, str) else set()
    if not letters >= {"N", "C"} or len(letters) != len(order) or len(order) < 3:
        raise refuse(
            "KC2308", f"the layout {order!r}", "it must name N, C and each spatial axis once"
        )
    return convolution(
        inp, filt, stride, padding, dilation, groups, order, out_dtype, acc_dtype, "conv"
    )


@operator(
    "conv1d_ncw",
    NUMBERS,
    "nn.conv1d_ncw(T(1, 3, 8), T(4, 3, 3), 1, 1, 1)",
    onnx="Conv",
    torch="conv1d",
)
def conv1d_ncw(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, C, W) with (O, C, K)."""
    return convolution(
        data, kernel, strides, padding, dilation, 1, "NCW", out_dtype, acc_dtype, "conv1d_ncw"
    )


@operator("conv1d_nwc", NUMBERS, "nn.conv1d_nwc(T(1, 8, 3), T(3, 3, 4), 1, 1, 1)")
def conv1d_nwc(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, W, C) with (K, C, O)."""
    return convolution(
        data, kernel, strides, padding, dilation, 1, "NWC", out_dtype, acc_dtype, "conv1d_nwc"
    )


@operator(
    "conv1d_ncw", NUMBERS, "nn.conv1d(T(1, 3, 8), T(4, 3, 3), 1, 1, 1)", onnx="Conv", torch="conv1d"
)
def conv1d(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1,
    data_layout: str = "NCW", kernel_layout: str = "", out_dtype: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution along one axis, in the layout NCW or NWC."""
    layout = _known_layout(data_layout, kernel_layout, {"NCW": "OIW", "NWC": "WIO"})
    return convolution(
        data, kernel, strides, padding, dilation, 1, layout, out_dtype, acc_dtype,
        f"conv1d_{layout.lower()}",
    )  # fmt: skip


@operator(
    "group_conv1d_ncw",
    NUMBERS,
    "nn.group_conv1d_ncw(T(1, 4, 8), T(6, 2, 3), 1, 1, 1, 2)",
    onnx="Conv",
    torch="conv1d",
)
def group_conv1d_ncw(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1,
    groups: int = 1, out_dtype: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, C, W) with (O, C / groups, K)."""
    return convolution(
        data, kernel, strides, padding, dilation, groups, "NCW", out_dtype, acc_dtype,
        "group_conv1d_ncw",
    )  # fmt: skip


@operator("group_conv1d_nwc", NUMBERS, "nn.group_conv1d_nwc(T(1, 8, 4), T(3, 2, 6), 1, 1, 1, 2)")
def group_conv1d_nwc(
    data: Tensor, kernel: Tensor, strides: Any = 1, padding: Any = "VALID", dilation: Any = 1,
    groups: int = 1, out_dtype: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, W, C) with (K, C / groups, O)."""
    return convolution(
        data, kernel, strides, padding, dilation, groups, "NWC", out_dtype, acc_dtype,
        "group_conv1d_nwc",
    )  # fmt: skip


def _known_layout(data: Any, kernel: Any, layouts: dict[str, str]) -> str:
    if data not in layouts or kernel not in ("", None, layouts[data]):
        kernels = f" with the kernel layout {kernel!r}" if kernel else ""
        raise refuse(
            "KC2308",
            f"the layout {data!r}{kernels}",
            "the layouts are " + ", ".join(f"{a} with {b}" for a, b in layouts.items()),
        )
    return data


@operator(
    "conv2d_nchw",
    NUMBERS,
    "nn.conv2d(T(1, 3, 8, 8), T(4, 3, 3, 3), 1, 1, 1)",
    onnx="Conv",
    torch="conv2d",
)
def conv2d(
    input: Tensor,  # noqa: A002
    filter: Tensor,  # noqa: A002
    strides: Any,
    padding: Any,
    dilation: Any,
    data_layout: str = "NCHW",
    kernel_layout: str = "",
    out_dtype: str | None = None,
    *,
    layout: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:
    """A convolution along two axes, in the layout NCHW (filter OIHW), NHWC or HWCN (HWIO)."""
    layouts = {"NCHW": "OIHW", "NHWC": "HWIO", "HWCN": "HWIO"}
    order = _known_layout(data_layout if layout is None else layout, kernel_layout, layouts)
    name = f"conv2d_{order.lower()}"
    return convolution(
        input, filter, strides, padding, dilation, 1, order, out_dtype, acc_dtype, name
    )


@operator(
    "conv2d_nchw",
    NUMBERS,
    "nn.conv2d_nchw(T(1, 3, 8, 8), T(4, 3, 3, 3), 2, 1, 1)",
    onnx="Conv",
    torch="conv2d",
)
def conv2d_nchw(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, C, H, W) with (O, C, KH, KW)."""
    return convolution(
        Input, Filter, stride, padding, dilation, 1, "NCHW", out_dtype, acc_dtype, "conv2d_nchw"
    )


@operator("conv2d_nhwc", NUMBERS, "nn.conv2d_nhwc(T(1, 8, 8, 3), T(3, 3, 3, 4), 1, 1, 1)")
def conv2d_nhwc(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, H, W, C) with (KH, KW, C, O)."""
    return convolution(
        Input, Filter, stride, padding, dilation, 1, "NHWC", out_dtype, acc_dtype, "conv2d_nhwc"
    )


@operator("conv2d_hwcn", NUMBERS, "nn.conv2d_hwcn(T(8, 8, 3, 1), T(3, 3, 3, 4), 1, 1, 1)")
def conv2d_hwcn(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (H, W, C, N) with (KH, KW, C, O)."""
    return convolution(
        Input, Filter, stride, padding, dilation, 1, "HWCN", out_dtype, acc_dtype, "conv2d_hwcn"
    )


@operator(
    "group_conv2d_nchw",
    NUMBERS,
    "nn.group_conv2d_nchw(T(1, 4, 6, 6), T(6, 2, 3, 3), 1, 1, 1, 2)",
    onnx="Conv",
    torch="conv2d",
)
def group_conv2d_nchw(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, groups: int,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, C, H, W) with (O, C / groups, KH, KW)."""
    return convolution(
        Input, Filter, stride, padding, dilation, groups, "NCHW", out_dtype, acc_dtype,
        "group_conv2d_nchw",
    )  # fmt: skip


@operator(
    "group_conv2d_nhwc", NUMBERS, "nn.group_conv2d_nhwc(T(1, 6, 6, 4), T(3, 3, 2, 6), 1, 1, 1, 2)"
)
def group_conv2d_nhwc(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, groups: int,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, H, W, C) with (KH, KW, C / groups, O)."""
    return convolution(
        Input, Filter, stride, padding, dilation, groups, "NHWC", out_dtype, acc_dtype,
        "group_conv2d_nhwc",
    )  # fmt: skip


@operator(
    "conv3d_ncdhw",
    NUMBERS,
    "nn.conv3d_ncdhw(T(1, 2, 4, 4, 4), T(3, 2, 3, 3, 3), 1, 1, 1)",
    onnx="Conv",
    torch="conv3d",
)
def conv3d_ncdhw(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, groups: int = 1,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, C, D, H, W) with (O, C / groups, KD, KH, KW)."""
    return convolution(
        Input, Filter, stride, padding, dilation, groups, "NCDHW", out_dtype, acc_dtype,
        "conv3d_ncdhw",
    )  # fmt: skip


@operator("conv3d_ndhwc", NUMBERS, "nn.conv3d_ndhwc(T(1, 4, 4, 4, 2), T(3, 3, 3, 2, 3), 1, 1, 1)")
def conv3d_ndhwc(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, groups: int = 1,
    out_dtype: str | None = None, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, D, H, W, C) with (KD, KH, KW, C / groups, O)."""
    return convolution(
        Input, Filter, stride, padding, dilation, groups, "NDHWC", out_dtype, acc_dtype,
        "conv3d_ndhwc",
    )  # fmt: skip


for _function in (
    conv, conv1d, conv1d_ncw, conv1d_nwc, conv2d, conv2d_hwcn, conv2d_nchw, conv2d_nhwc,
    conv3d_ncdhw, conv3d_ndhwc, group_conv1d_ncw, group_conv1d_nwc, group_conv2d_nchw,
    group_conv2d_nhwc,
):  # fmt: skip
    _function.__doc__ = f"{(_function.__doc__ or '').rstrip()}\n\n    {_RULES}\n    "
