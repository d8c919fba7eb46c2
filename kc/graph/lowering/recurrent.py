"""The computations of :mod:`kc.dialects.graph.operators.recurrent`."""

from __future__ import annotations

from collections.abc import Sequence

from kc import topi
from kc.dialects.graph.operators.recurrent import FifoBuffer, Lstm
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.lstm")
def lstm(op: Lstm, *operands: Tensor) -> Sequence[Tensor]:
    """The layer as :func:`kc.topi.nn.lstm` computes it."""
    return topi.nn.lstm(*operands, reverse=op.reverse, weight_layout=op.weight_layout)


@lowering("nn.fifo_buffer")
def fifo_buffer(op: FifoBuffer, data: Tensor, buffer: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.fifo_buffer(data, buffer, op.axis)
