"""The computations of :mod:`kc.dialects.graph.operators.broadcast`: topi's, of the same names."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering

_SAME = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "power",
    "greater",
    "less",
    "equal",
)


@lowering(*_SAME)
def binary(op: Operator, lhs: Tensor, rhs: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    return getattr(topi, op.name)(lhs, rhs)
