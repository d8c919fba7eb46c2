"""The computations of :mod:`kc.dialects.graph.operators.scattering`."""

from __future__ import annotations

from typing import Any

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.scattering import (
    IndexPut,
    Scatter,
    ScatterElements,
    ScatterNd,
    ScatterReduce,
    SliceScatter,
    SparseToDense,
)
from kc.dialects.graph.types import Spec
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering, result_dims

_MODES = {"add": "sum", "mul": "prod", "mean": "mean", "min": "amin", "max": "amax"}
"""The modes of topi's scatter_reduce for the reductions of ``scatter_elements``."""


@lowering("scatter", "scatter_add")
def scatter(op: Scatter, data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    return getattr(topi, op.name)(data, indices, updates, op.axis)


@lowering("scatter_elements", rows=["scatter", "scatter_reduce"])
def scatter_elements(op: ScatterElements, data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Lower to topi's scatter, or its scatter_reduce."""
    if op.reduction == "update":
        return topi.scatter(data, indices, updates, op.axis)
    return topi.scatter_reduce(data, indices, updates, op.axis, _MODES[op.reduction])


@lowering("scatter_reduce")
def scatter_reduce(op: ScatterReduce, data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.scatter_reduce(data, indices, updates, op.axis, op.mode, op.include_self)


@lowering("scatter_nd")
def scatter_nd(op: ScatterNd, data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.scatter_nd(data, indices, updates, op.mode)


@lowering("invert_permutation")
def invert_permutation(op: Operator, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.invert_permutation(data)


DENSE_ROWS = ["sparse_to_dense", "scatter_nd", "full", "reshape", "transpose", "broadcast_to"]


@lowering("sparse_to_dense", rows=DENSE_ROWS, takes_result=True)
def sparse_to_dense(
    op: SparseToDense, indices: Tensor, values: Tensor, default: Tensor | None = None, *,
    result: Spec,
) -> Tensor:  # fmt: skip
    """Lower to topi's function; with a default value, its scatter_nd on a tensor of this value."""
    return dense_tensor(indices, result_dims(op, result), values, default)


def dense_tensor(
    indices: Tensor, shape: list[Any], values: Tensor, default: Tensor | None
) -> Tensor:
    """A tensor of the default value, or of 0, with values at places."""
    if default is None:
        return topi.sparse_to_dense(indices, shape, values)
    start = topi.full(shape, values.dtype, default())
    count = indices.shape[0] if indices.ndim else 1
    places = topi.transpose(indices) if indices.ndim == 2 else topi.reshape(indices, (1, count))
    return topi.scatter_nd(start, places, topi.broadcast_to(values, (count,)), "update")


@lowering("index_put")
def index_put(op: IndexPut, data: Tensor, values: Tensor, *indices: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.index_put(data, list(indices), values, op.axes, op.accumulate)


@lowering("masked_scatter")
def masked_scatter(op: Operator, data: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.masked_scatter(data, mask, source)


@lowering("slice_scatter")
def slice_scatter(op: SliceScatter, data: Tensor, source: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.slice_scatter(data, source, op.axis, op.start, op.step)
