"""The computations of :mod:`kc.dialects.graph.operators.winograd`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators._layouts import pads_of
from kc.dialects.graph.operators.winograd import WinogradConv2D, WinogradWeightTransform
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering(
    "nn.contrib_conv2d_winograd_weight_transform", rows=["nn.conv2d_winograd_weight_transform"]
)
def weight_transform(op: WinogradWeightTransform, weight: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.conv2d_winograd_weight_transform(weight, op.tile_size)


@lowering("nn.contrib_conv2d_winograd_without_weight_transform", rows=["nn.conv2d_winograd_nchw"])
def convolution(op: WinogradConv2D, data: Tensor, weight: Tensor) -> Tensor:
    """Lower to topi's function."""
    pads = pads_of(op.padding, 2)
    return topi.nn.conv2d_winograd_nchw(
        data, weight, (1, 1), (*(head for head, _ in pads), *(tail for _, tail in pads)), (1, 1),
        op.out_dtype or None, pre_computed=True, tile_size=op.tile_size,
    )  # fmt: skip
