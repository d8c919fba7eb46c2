"""The computations of :mod:`kc.dialects.graph.operators.padding`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators.padding import Dilate, MirrorPad, Pad
from kc.expr.constructors import const
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.pad", also=["nn.mirror_pad", "nn.edge_pad"])
def pad(op: Pad, data: Tensor, pad_value: Tensor | None = None) -> Tensor:
    """Lower to topi's function for the mode."""
    heads, tails = zip(*op.pad_width, strict=True) if op.pad_width else ((), ())
    if op.pad_mode == "reflect":
        return topi.nn.mirror_pad(data, heads, tails, "REFLECT")
    if op.pad_mode == "constant":
        value = const(0, data.dtype) if pad_value is None else pad_value()
        return topi.nn.pad(data, heads, tails, value)
    return topi.nn.edge_pad(data, heads, tails)


@lowering("nn.mirror_pad")
def mirror_pad(op: MirrorPad, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    heads, tails = zip(*op.pad_width, strict=True) if op.pad_width else ((), ())
    return topi.nn.mirror_pad(data, heads, tails, op.mode)


@lowering("nn.dilate")
def dilate(op: Dilate, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.dilate(data, op.strides, op.dilation_value)
