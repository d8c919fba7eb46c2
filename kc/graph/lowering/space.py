"""The computations of :mod:`kc.dialects.graph.operators.space`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators.space import (
    BatchToSpaceNd,
    Col2Im,
    DepthToSpace,
    SpaceToBatchNd,
    SpaceToDepth,
    YoloReorg,
)
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.space_to_batch_nd")
def space_to_batch_nd(op: SpaceToBatchNd, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    heads, tails = [pair[0] for pair in op.paddings], [pair[1] for pair in op.paddings]
    return topi.nn.space_to_batch_nd(data, op.block_shape, heads, tails, op.pad_value)


@lowering("nn.batch_to_space_nd")
def batch_to_space_nd(op: BatchToSpaceNd, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    heads, tails = [pair[0] for pair in op.crops], [pair[1] for pair in op.crops]
    return topi.nn.batch_to_space_nd(data, op.block_shape, heads, tails)


@lowering("nn.depth_to_space")
def depth_to_space(op: DepthToSpace, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.depth_to_space(data, op.block_size, op.layout, op.mode)


@lowering("nn.space_to_depth")
def space_to_depth(op: SpaceToDepth, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.space_to_depth(data, op.block_size, op.layout)


@lowering("vision.yolo_reorg", rows=["vision.reorg"])
def yolo_reorg(op: YoloReorg, data: Tensor) -> Tensor:
    """Lower to topi's reorg."""
    return topi.vision.reorg(data, op.stride)


@lowering("nn.col2im")
def col2im(op: Col2Im, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    count = len(op.image_shape)
    pads = pads_of(op.padding, count)
    return topi.nn.col2im(
        data,
        op.image_shape,
        spread(op.block_shape, count, "block_shape"),
        spread(op.strides, count, "strides"),
        (*(head for head, _ in pads), *(tail for _, tail in pads)),
        spread(op.dilation, count, "dilation"),
    )
