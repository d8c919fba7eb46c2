"""The computations of :mod:`kc.dialects.graph.operators.activation`."""

from __future__ import annotations

from collections.abc import Sequence

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.activation import (
    Celu,
    Distribution,
    Dropout,
    Elu,
    Gelu,
    Hardsigmoid,
    LeakyRelu,
    PRelu,
    Selu,
)
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering(
    "nn.relu", "nn.silu", "nn.swish", "nn.hardswish", "nn.softplus", "nn.mish", "nn.softsign"
)  # fmt: skip
def unary(op: Operator, data: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    return getattr(topi.nn, op.name.removeprefix("nn."))(data)


@lowering("nn.leaky_relu", "nn.elu", "nn.celu")
def with_alpha(op: LeakyRelu | Elu | Celu, data: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    return getattr(topi.nn, op.name.removeprefix("nn."))(data, op.alpha)


@lowering("nn.prelu")
def prelu(op: PRelu, data: Tensor, alpha: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.prelu(data, alpha, op.axis)


@lowering("nn.gelu")
def gelu(op: Gelu, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.gelu(data, op.approximate)


@lowering("nn.hardsigmoid")
def hardsigmoid(op: Hardsigmoid, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.hardsigmoid(data, op.alpha, op.beta)


@lowering("nn.selu")
def selu(op: Selu, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.selu(data, op.alpha, op.gamma)


@lowering("nn.softmax", "nn.fast_softmax", "nn.log_softmax")
def distribution(op: Distribution, data: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    return getattr(topi.nn, op.name.removeprefix("nn."))(data, op.axis)


@lowering("nn.dropout", rows=["identity", "full_like"])
def dropout(op: Dropout, data: Tensor) -> Sequence[Tensor]:
    """The data, and ones."""
    return topi.identity(data), topi.full_like(data, 1)
