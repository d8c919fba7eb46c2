"""The computations of :mod:`kc.dialects.graph.operators.convolution`.

topi has a function for layouts with channels first and with channels last; other layouts are
transposed to the nearer of these, and the result is transposed back.
"""

from __future__ import annotations

from typing import Any

from kc import topi
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators.convolution import (
    SPATIAL,
    Convolution,
    TransposedConvolution,
)
from kc.dialects.graph.types import TensorSpec
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.conv1d", rows=["nn.conv1d_ncw", "nn.conv1d_nwc", "nn.conv", "reshape", "transpose"])
@lowering(
    "nn.conv2d",
    rows=[
        "nn.conv2d_nchw",
        "nn.conv2d_nhwc",
        "nn.group_conv2d_nchw",
        "nn.group_conv2d_nhwc",
        "nn.depthwise_conv2d_nchw",
        "nn.depthwise_conv2d_nhwc",
        "nn.conv2d_NCHWc",
        "nn.depthwise_conv2d_NCHWc",
        "reshape",
        "transpose",
    ],
)
@lowering(
    "nn.conv3d",
    rows=["nn.conv3d_ncdhw", "nn.conv3d_ndhwc", "nn.conv", "reshape", "transpose"],
)  # fmt: skip
def convolution(op: Convolution, data: Tensor, weight: Tensor) -> Tensor:
    """The convolution of topi for the layouts, groups and the depth of the channels."""
    if op.data_axes.is_blocked or op.weight_axes.is_blocked:
        return _blocked(op, data, weight)
    letters = SPATIAL[op.ndim]
    is_last = op.data_axes.position("C") > op.data_axes.position(letters[0])
    order = f"N{letters}C" if is_last else f"NC{letters}"
    data = transposed(data, op.data_axes.permutation(order))
    arguments: Any = (
        spread(op.strides, op.ndim, "strides"),
        _flat(op),
        spread(op.dilation, op.ndim, "dilation"),
    )
    out_dtype = op.out_dtype or None
    if op.ndim == 2 and _is_depthwise(op, data, order):
        weight = _depthwise_weight(op, weight, is_last)
        function = topi.nn.depthwise_conv2d_nhwc if is_last else topi.nn.depthwise_conv2d_nchw
        strides, padding, dilation = arguments
        result = function(data, weight, strides, padding, dilation, out_dtype)
    else:
        if _is_multiplier(op, weight):
            weight = _outputs_of_multiplier(op, weight, is_last)
        else:
            filters = f"{letters}IO" if is_last else f"OI{letters}"
            weight = transposed(weight, op.weight_axes.permutation(filters))
        result = _plain(op, data, weight, arguments, order, out_dtype)
    return transposed(result, tuple(order.index(letter) for letter, _ in op.result_axes.axes))


def _plain(
    op: Convolution, data: Tensor, weight: Tensor, arguments: Any, order: str, out_dtype: Any
) -> Tensor:
    """The function of topi for a layout, whose name rules of schedules know."""
    if op.groups == 1:
        function = {
            "NCHW": topi.nn.conv2d_nchw,
            "NHWC": topi.nn.conv2d_nhwc,
            "NCW": topi.nn.conv1d_ncw,
            "NWC": topi.nn.conv1d_nwc,
            "NCDHW": topi.nn.conv3d_ncdhw,
            "NDHWC": topi.nn.conv3d_ndhwc,
        }[order]
        return function(data, weight, *arguments, out_dtype=out_dtype)
    strides, padding, dilation = arguments
    if order == "NCHW":
        return topi.nn.group_conv2d_nchw(
            data, weight, strides, padding, dilation, op.groups, out_dtype
        )
    if order == "NHWC":
        return topi.nn.group_conv2d_nhwc(
            data, weight, strides, padding, dilation, op.groups, out_dtype
        )
    return topi.nn.conv(data, weight, strides, padding, dilation, op.groups, order, out_dtype)


def _flat(op: Convolution) -> tuple[int, ...]:
    """The padding, all heads and then all tails."""
    pads = pads_of(op.padding, op.ndim)
    return (*(head for head, _ in pads), *(tail for _, tail in pads))


def _is_depthwise(op: Convolution, data: Tensor, order: str) -> bool:
    channels = data.shape[order.index("C")]
    return op.groups > 1 and _number(channels) == op.groups


def _is_multiplier(op: Convolution, weight: Tensor) -> bool:
    """True if the I of a weight is the multiplier of each channel, as in HWOI."""
    outputs = weight.shape[op.weight_axes.position("O")]
    inner = _number(weight.shape[op.weight_axes.position("I")])
    is_behind = op.weight_axes.position("O") > 0
    return op.groups > 1 and is_behind and _number(outputs) == op.groups and inner != 1


def _outputs_of_multiplier(op: Convolution, weight: Tensor, is_last: bool) -> Tensor:
    """A weight with multipliers in the layout of groups: OI and space, or space and IO."""
    letters = SPATIAL[op.ndim]
    first = transposed(weight, op.weight_axes.permutation(f"OI{letters}"))
    groups, multiplier, *space = first.shape
    flat = topi.reshape(first, (groups * multiplier, 1, *space))
    count = len(space)
    return transposed(flat, (*range(2, 2 + count), 1, 0)) if is_last else flat


def _depthwise_weight(op: Convolution, weight: Tensor, is_last: bool) -> Tensor:
    """(C, M, KH, KW), or (KH, KW, C, M), of a weight for as many groups as channels."""
    first = transposed(weight, op.weight_axes.permutation("OIHW"))
    outputs, inner, height, width = first.shape
    if not (_is_multiplier(op, weight)):
        first = topi.reshape(first, (op.groups, (outputs * inner) // op.groups, height, width))
    return transposed(first, (2, 3, 0, 1)) if is_last else first


def _blocked(op: Convolution, data: Tensor, weight: Tensor) -> Tensor:
    """A convolution of blocked layouts, by topi where the layouts are those that it has."""
    data_spec = TensorSpec(tuple(map(_size, data.shape)), data.dtype)
    weight_spec = TensorSpec(tuple(map(_size, weight.shape)), weight.dtype)
    arguments = (spread(op.strides, 2, "strides"), _flat(op), spread(op.dilation, 2, "dilation"))
    out_dtype = op.out_dtype or data.dtype
    if op.is_depthwise(data_spec, weight_spec):
        return topi.nn.depthwise_conv2d_NCHWc(
            data, weight, *arguments, op.data_layout, op.result_axes.text, out_dtype
        )
    return topi.nn.conv2d_NCHWc(
        data, weight, *arguments, op.data_layout, op.result_axes.text, out_dtype
    )


_ABOUT_TRANSPOSED = ["transpose", "nn.dilate", "split", "concatenate"]


@lowering("nn.conv1d_transpose", rows=["nn.conv1d_transpose_ncw", *_ABOUT_TRANSPOSED])
@lowering(
    "nn.conv2d_transpose",
    rows=["nn.conv2d_transpose_nchw", "nn.group_conv2d_transpose_nchw", *_ABOUT_TRANSPOSED],
)
@lowering("nn.conv3d_transpose", rows=["nn.conv3d_transpose_ncdhw", *_ABOUT_TRANSPOSED])
def transposed_convolution(op: TransposedConvolution, data: Tensor, weight: Tensor) -> Tensor:
    """The transposed convolution of topi, with channels first.

    A dilated kernel is written with its zeros; groups are slices where topi has none.
    """
    letters = SPATIAL[op.ndim]
    order = f"NC{letters}"
    data = transposed(data, op.data_axes.permutation(order))
    weight = transposed(weight, op.weight_axes.permutation(f"IO{letters}"))
    dilation = spread(op.dilation, op.ndim, "dilation")
    if max(dilation) > 1:
        weight = topi.nn.dilate(weight, (1, 1, *dilation))
    strides, padding = spread(op.strides, op.ndim, "strides"), _flat(op)
    added = spread(op.output_padding, op.ndim, "output_padding")
    out_dtype = op.out_dtype or None
    function = {
        1: topi.nn.conv1d_transpose_ncw,
        2: topi.nn.conv2d_transpose_nchw,
        3: topi.nn.conv3d_transpose_ncdhw,
    }[op.ndim]
    if op.groups == 1:
        result = function(data, weight, strides, padding, out_dtype, added)
    elif op.ndim == 2:
        result = topi.nn.group_conv2d_transpose_nchw(
            data, weight, strides, padding, out_dtype, added, op.groups
        )
    else:
        parts = zip(topi.split(data, op.groups, 1), topi.split(weight, op.groups, 0), strict=True)
        result = topi.concatenate(
            [function(d, w, strides, padding, out_dtype, added) for d, w in parts], 1
        )
    return transposed(result, tuple(order.index(letter) for letter, _ in op.result_axes.axes))


def transposed(data: Tensor, axes: tuple[int, ...]) -> Tensor:
    """The tensor with its axes in another order; itself if that is its own."""
    return data if axes == tuple(range(len(axes))) else topi.transpose(data, axes)


def _number(size: Any) -> int | None:
    value = getattr(size, "value", size)
    return value if isinstance(value, int) else None


def _size(size: Any) -> int | None:
    return _number(size)
