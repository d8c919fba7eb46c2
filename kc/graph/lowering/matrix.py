"""The computations of :mod:`kc.dialects.graph.operators.matrix`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.matrix import Einsum
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("einsum")
def einsum(op: Einsum, *data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.einsum(op.equation, *data)


@lowering("det")
def det(op: Operator, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.det(data)
