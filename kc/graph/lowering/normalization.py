"""The computations of :mod:`kc.dialects.graph.operators.normalization`."""

from __future__ import annotations

from collections.abc import Sequence

from kc import topi
from kc.dialects.graph.operators.normalization import (
    BatchNorm,
    GroupNorm,
    InstanceNorm,
    L2Normalize,
    LayerNorm,
    Lrn,
    Normalization,
    RmsNorm,
)
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


def _used(op: Normalization, gamma: Tensor, beta: Tensor) -> tuple[Tensor | None, Tensor | None]:
    """gamma and beta, or None for one that is not used."""
    return gamma if op.scale else None, beta if op.center else None


@lowering("nn.batch_norm", also=["identity"])
def batch_norm(
    op: BatchNorm, data: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor
) -> Sequence[Tensor]:
    """Lower to topi's function; the moving mean and variance are copied."""
    options = op.axis, op.epsilon, op.center, op.scale
    result = topi.nn.batch_norm(data, gamma, beta, mean, variance, *options)[0]
    return result, topi.identity(mean), topi.identity(variance)


@lowering("nn.layer_norm")
def layer_norm(op: LayerNorm, data: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.layer_norm(data, *_used(op, gamma, beta), op.axis, op.epsilon)


@lowering("nn.instance_norm")
def instance_norm(op: InstanceNorm, data: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.instance_norm(data, *_used(op, gamma, beta), op.axis, op.epsilon)


@lowering("nn.group_norm")
def group_norm(op: GroupNorm, data: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    """Lower to topi's function."""
    gamma_used, beta_used = _used(op, gamma, beta)
    return topi.nn.group_norm(data, gamma_used, beta_used, op.num_groups, op.axis, op.epsilon)


@lowering("nn.rms_norm")
def rms_norm(op: RmsNorm, data: Tensor, weight: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.rms_norm(data, weight, op.axis, op.epsilon)


@lowering("nn.l2_normalize")
def l2_normalize(op: L2Normalize, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.l2_normalize(data, op.eps, op.axes(data.ndim))


@lowering("nn.lrn")
def lrn(op: Lrn, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.lrn(data, op.size, op.axis, op.alpha, op.beta, op.bias)
