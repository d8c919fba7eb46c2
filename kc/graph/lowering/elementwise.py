"""The computations of :mod:`kc.dialects.graph.operators.elementwise`: topi's, of the same names."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering

_SAME = ("exp", "log", "sqrt", "tanh", "sigmoid", "negative", "erf")


@lowering(*_SAME)
def unary(op: Operator, data: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    return getattr(topi, op.name)(data)
