"""The computations of :mod:`kc.dialects.graph.operators.pooling_gradient`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators.pooling import MeanWindows
from kc.dialects.graph.operators.pooling_gradient import MaxUnpool, PoolGrad
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


def _flat(padding: tuple[int, ...], count: int) -> tuple[int, ...]:
    """The padding, all heads and then all tails."""
    pads = pads_of(padding, count)
    return (*(head for head, _ in pads), *(tail for _, tail in pads))


@lowering("nn.max_pool2d_grad", "nn.avg_pool2d_grad", rows=["nn.pool_grad"])
def pool_grad(op: PoolGrad, out_grad: Tensor, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    pool = op.pool()
    return topi.nn.pool_grad(
        out_grad,
        data,
        spread(op.pool_size, 2, "pool_size"),
        spread(op.strides, 2, "strides"),
        _flat(op.padding, 2),
        pool.kind,
        op.ceil_mode,
        op.layout,
        isinstance(pool, MeanWindows) and pool.count_include_pad,
    )


@lowering("nn.max_unpool")
def max_unpool(op: MaxUnpool, data: Tensor, indices: Tensor) -> Tensor:
    """Lower to topi's function."""
    count = data.ndim - 2
    return topi.nn.max_unpool(
        data, indices, spread(op.kernel, count, "kernel"),
        None if op.stride is None else spread(op.stride, count, "stride"),
        _flat(op.padding, count),
        None if op.output_size is None else spread(op.output_size, count, "output_size"),
    )  # fmt: skip
