"""The computations of :mod:`kc.dialects.graph.operators.dense`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators.dense import (
    BatchFlatten,
    BatchMatmul,
    BiasAdd,
    Dense,
    DensePack,
    Matmul,
)
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.dense", also=["reshape"])
def dense(op: Dense, data: Tensor, weight: Tensor) -> Tensor:
    """Lower to topi's function, on all leading dimensions as one."""
    rows = topi.reshape(data, (-1, data.shape[-1])) if len(data.shape) != 2 else data
    result = topi.nn.dense(rows, weight, None, op.out_dtype or None)
    if rows is data:
        return result
    return topi.reshape(result, (*data.shape[:-1], weight.shape[0]))


@lowering("nn.bias_add")
def bias_add(op: BiasAdd, data: Tensor, bias: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.bias_add(data, bias, op.axis)


@lowering("nn.matmul", also=["reshape", "transpose"])
def matmul(op: Matmul, tensor_a: Tensor, tensor_b: Tensor) -> Tensor:
    """Lower to topi's function, on all leading dimensions as one."""
    out_dtype = op.out_dtype or None
    if tensor_a.ndim == 2:
        return topi.nn.matmul(tensor_a, tensor_b, None, out_dtype, op.transpose_a, op.transpose_b)
    if op.transpose_a:
        places = range(tensor_a.ndim)
        tensor_a = topi.transpose(tensor_a, (*places[:-2], places[-1], places[-2]))
    rows = topi.reshape(tensor_a, (-1, tensor_a.shape[-1]))
    result = topi.nn.matmul(rows, tensor_b, None, out_dtype, False, op.transpose_b)
    return topi.reshape(result, (*tensor_a.shape[:-1], result.shape[1]))


@lowering("nn.batch_matmul")
def batch_matmul(op: BatchMatmul, tensor_a: Tensor, tensor_b: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.batch_matmul(
        tensor_a, tensor_b, None, op.out_dtype or None, op.transpose_a, op.transpose_b
    )


@lowering("nn.contrib_dense_pack", rows=["nn.dense_pack", "nn.dense"])
def dense_pack(op: DensePack, data: Tensor, weight: Tensor) -> Tensor:
    """Lower to topi's function."""
    function = topi.nn.dense_pack if weight.ndim == 3 else topi.nn.dense
    return function(data, weight, None, op.out_dtype or None)


@lowering("nn.batch_flatten", rows=["nn.flatten"])
def batch_flatten(op: BatchFlatten, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.flatten(data)
