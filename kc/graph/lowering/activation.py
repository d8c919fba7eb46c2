"""The computations of :mod:`kc.dialects.graph.operators.activation`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators.activation import Relu, Softmax
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.relu")
def relu(op: Relu, data: Tensor) -> Tensor:
    """topi's."""
    return topi.nn.relu(data)


@lowering("nn.softmax")
def softmax(op: Softmax, data: Tensor) -> Tensor:
    """topi's."""
    return topi.nn.softmax(data, op.axis)
