"""The computations of :mod:`kc.dialects.graph.operators.gathering`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.gathering import Compress, Gather, GatherNd, OneHot, Take
from kc.dialects.graph.types import Spec
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering, result_dims


@lowering("take")
def take(op: Take, data: Tensor, indices: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.take(data, indices, op.axis, op.batch_dims, op.mode)


@lowering("gather")
def gather(op: Gather, data: Tensor, indices: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.gather(data, op.axis, indices)


@lowering("gather_nd", also=["arange", "reshape", "broadcast_to", "concatenate"])
def gather_nd(op: GatherNd, data: Tensor, indices: Tensor) -> Tensor:
    """Lower to topi's function; shared dimensions are indices too, each its own places."""
    if not op.batch_dims:
        return topi.gather_nd(data, indices)
    places = indices.shape[1:]
    rows = [coordinates(places, n, indices.dtype) for n in range(op.batch_dims)]
    return topi.gather_nd(data, topi.concatenate([*rows, indices], 0))


def coordinates(shape: Sequence[Any], axis: int, dtype: str) -> Tensor:
    """The place of each element along an axis, as a tensor of the shape with a 1 in front."""
    numbers = topi.arange(0, shape[axis], 1, dtype)
    ones = [1] * (len(shape) - axis - 1)
    return topi.broadcast_to(topi.reshape(numbers, (shape[axis], *ones)), (1, *shape))


@lowering("one_hot", takes_result=True)
def one_hot(
    op: OneHot, indices: Tensor, on_value: Tensor, off_value: Tensor, *, result: Spec
) -> Tensor:
    """Lower to topi's function."""
    depth = result_dims(op, result)[op.axis % (indices.ndim + 1)]
    return topi.one_hot(indices, on_value(), off_value(), depth, op.axis, op.dtype)


@lowering("adv_index")
def adv_index(op: Operator, data: Tensor, *indices: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.adv_index(data, list(indices))


@lowering("unravel_index")
def unravel_index(op: Operator, indices: Tensor, shape: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.unravel_index(indices, shape)


@lowering("compress")
def compress(op: Compress, condition: Tensor, data: Tensor) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.compress(condition, data, op.axis)
