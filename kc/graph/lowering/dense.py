"""The computations of :mod:`kc.dialects.graph.operators.dense`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators.dense import BiasAdd, Dense
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.dense")
def dense(op: Dense, data: Tensor, weight: Tensor) -> Tensor:
    """topi's, on all leading dimensions as one."""
    rows = topi.reshape(data, (-1, data.shape[-1])) if len(data.shape) != 2 else data
    result = topi.nn.dense(rows, weight, None, op.out_dtype or None)
    if rows is data:
        return result
    return topi.reshape(result, (*data.shape[:-1], weight.shape[0]))


@lowering("nn.bias_add")
def bias_add(op: BiasAdd, data: Tensor, bias: Tensor) -> Tensor:
    """topi's."""
    return topi.nn.bias_add(data, bias, op.axis)
