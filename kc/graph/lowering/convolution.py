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
    Conv2DBackwardWeight,
    Convolution,
    TransposedConvolution,
)
from kc.dialects.graph.types import TensorSpec
from kc.expr import functions as scalar
from kc.expr.tensor import Tensor, reduce_axis
from kc.graph.lowering import lowering
from kc.te.computes import compute
from kc.topi.accumulation import accumulation


@lowering("nn.conv1d", rows=["nn.conv1d_ncw", "nn.conv1d_nwc", "nn.group_conv1d_ncw",
                             "nn.group_conv1d_nwc", "reshape", "transpose"])  # fmt: skip
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
    grouped = {
        "NCHW": topi.nn.group_conv2d_nchw,
        "NHWC": topi.nn.group_conv2d_nhwc,
        "NCW": topi.nn.group_conv1d_ncw,
        "NWC": topi.nn.group_conv1d_nwc,
    }.get(order)
    if grouped is not None:
        return grouped(data, weight, strides, padding, dilation, op.groups, out_dtype)
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


@lowering("nn.conv2d_backward_weight", rows=["nn.pad"])
def conv2d_backward_weight(op: Conv2DBackwardWeight, grad: Tensor, data: Tensor) -> Tensor:
    """The definition: each tap meets the data that it was multiplied with."""
    spec = op.infer(*(TensorSpec(tuple(map(_size, t.shape)), t.dtype) for t in (grad, data)))
    strides, dilation = spread(op.strides, 2, "strides"), spread(op.dilation, 2, "dilation")
    heads, tails = zip(*pads_of(op.padding, 2), strict=True)
    source = topi.nn.pad(data, (0, 0, *heads), (0, 0, *tails), 0) if max(*heads, *tails) else data
    sums = accumulation(spec.dtype, None)
    batch, outputs, *places = grad.shape
    n, i, j = (
        reduce_axis((0, size), name=name)
        for size, name in zip((batch, *places), ("rn", "rh", "rw"), strict=True)
    )
    each_inputs, each_outputs = data.shape[1] // op.groups, outputs // op.groups

    def body(o: Any, c: Any, u: Any, v: Any) -> Any:
        channel = c if op.groups == 1 else o // each_outputs * each_inputs + c
        place = i * strides[0] + u * dilation[0], j * strides[1] + v * dilation[1]
        factors = sums.wide(grad(n, o, i, j)), sums.wide(source(n, channel, *place))
        return scalar.sum(factors[0] * factors[1], axis=[n, i, j])

    kernel = spread(op.kernel_size or (), 2, "kernel_size")
    shape = (outputs, each_inputs, *kernel)
    return sums.rounded(compute(shape, body, "conv2d_backward_weight"))
