"""The computation of :mod:`kc.dialects.graph.operators.deformable`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators.deformable import DeformableConv2D
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.deformable_conv2d", rows=["nn.deformable_conv2d_nchw", "nn.deformable_conv2d_nhwc"])
def deformable_conv2d(op: DeformableConv2D, data: Tensor, offset: Tensor, weight: Tensor) -> Tensor:
    """Lower to topi's function for the layout."""
    is_first = op.data_layout == "NCHW"
    function = topi.nn.deformable_conv2d_nchw if is_first else topi.nn.deformable_conv2d_nhwc
    pads = pads_of(op.padding, 2)
    return function(
        data, offset, weight, spread(op.strides, 2, "strides"),
        (*(head for head, _ in pads), *(tail for _, tail in pads)),
        spread(op.dilation, 2, "dilation"), op.deformable_groups, op.groups, op.out_dtype or None,
    )  # fmt: skip
