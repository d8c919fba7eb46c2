"""The computations of :mod:`kc.dialects.graph.operators.sorting`."""

from __future__ import annotations

from collections.abc import Sequence

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.sorting import (
    Argsort,
    Cumsum,
    Searchsorted,
    Sort,
    Topk,
    Unique,
)
from kc.dialects.graph.types import Spec, TensorSpec
from kc.expr.tensor import Tensor
from kc.graph.lowering import Bounded, lowering


@lowering("sort")
def sort(op: Sort, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.sort(data, op.axis, op.is_ascend)


@lowering("argsort")
def argsort(op: Argsort, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.argsort(data, None, op.axis, op.is_ascend, op.dtype)


@lowering("topk")
def topk(op: Topk, data: Tensor) -> Tensor | Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.topk(data, max(op.k, 0), op.axis, op.ret_type, op.is_ascend, op.dtype)


@lowering("searchsorted")
def searchsorted(op: Searchsorted, sorted_sequence: Tensor, values: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.searchsorted(sorted_sequence, values, op.right, op.dtype)


@lowering("unique")
def unique(op: Unique, data: Tensor) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.unique(data, op.is_sorted, op.return_counts)


@lowering("argwhere", also=["strided_slice"], takes_result=True)
def argwhere(op: Operator, condition: Tensor, *, result: Spec) -> Tensor | Bounded:
    """Lower to topi's function; as many rows as there are, if that is known."""
    assert isinstance(result, TensorSpec)
    places, count = topi.argwhere(condition)
    if isinstance(result.shape[0], int):
        return topi.strided_slice(places, [0], [result.shape[0]])
    return Bounded(places, count)


@lowering("cumsum", "cumprod")
def scan(op: Cumsum, data: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    return getattr(topi, op.name)(data, op.axis, op.dtype or None, op.exclusive)
