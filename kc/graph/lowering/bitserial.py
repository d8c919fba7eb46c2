"""The computations of :mod:`kc.dialects.graph.operators.bitserial`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators.bitserial import Bitpack, BitserialConv2D, BitserialDense
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.bitpack")
def bitpack(op: Bitpack, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.bitpack(data, op.bits, op.pack_axis, op.bit_axis, op.pack_type)


@lowering("nn.bitserial_dense")
def bitserial_dense(op: BitserialDense, data: Tensor, weight: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.bitserial_dense(
        data, weight, op.data_bits, op.weight_bits, op.pack_dtype, op.out_dtype, op.unipolar
    )


@lowering("nn.bitserial_conv2d", rows=["nn.bitserial_conv2d_nchw", "nn.bitserial_conv2d_nhwc"])
def bitserial_conv2d(op: BitserialConv2D, data: Tensor, weight: Tensor) -> Tensor:
    """Lower to topi's function for the layout."""
    is_first = op.data_layout == "NCHW"
    function = topi.nn.bitserial_conv2d_nchw if is_first else topi.nn.bitserial_conv2d_nhwc
    pads = pads_of(op.padding, 2)
    return function(
        data, weight, spread(op.strides, 2, "strides"),
        (*(head for head, _ in pads), *(tail for _, tail in pads)), op.activation_bits,
        op.weight_bits, op.pack_dtype, op.out_dtype, op.unipolar,
    )  # fmt: skip
