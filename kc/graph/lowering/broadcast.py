"""The computations of :mod:`kc.dialects.graph.operators.broadcast`."""

from __future__ import annotations

from typing import Any

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.types import Spec
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering, result_dims

_SAME = (
    "add subtract multiply divide floor_divide trunc_divide mod floor_mod trunc_mod power atan2 "
    "maximum minimum left_shift right_shift logical_and logical_or logical_xor bitwise_and "
    "bitwise_or bitwise_xor greater less greater_equal less_equal equal not_equal"
).split()


@lowering(*_SAME)
def binary(op: Operator, lhs: Tensor, rhs: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    return getattr(topi, op.name)(lhs, rhs)


@lowering("where")
def where(op: Operator, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.where(condition, x, y)


@lowering("broadcast_to", "broadcast_to_like", rows=["broadcast_to"], takes_result=True)
def broadcast_to(op: Operator, data: Tensor, *like: Tensor, result: Spec) -> Tensor:
    """Lower to topi's function."""
    return topi.broadcast_to(data, result_dims(op, result))


@lowering("collapse_sum_like", "collapse_sum_to", rows=["sum", "reshape"], takes_result=True)
def collapse_sum(op: Operator, data: Tensor, *like: Tensor, result: Spec) -> Tensor:
    """Lower to topi's sum over the dimensions that are new or 1 in the result."""
    shape = result_dims(op, result)
    new = len(data.shape) - len(shape)
    gone = [
        n for n in range(len(data.shape))
        if n < new or (_is_one(shape[n - new]) and not _is_one(data.shape[n]))
    ]  # fmt: skip
    return topi.reshape(topi.sum(data, gone, True), shape)


def _is_one(size: Any) -> bool:
    return isinstance(size, int) and size == 1
