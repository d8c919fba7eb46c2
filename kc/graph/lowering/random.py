"""The computations of :mod:`kc.dialects.graph.operators.random`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.random import Multinomial, Normal, ThreefryGenerate, Uniform
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("random.threefry_generate")
def threefry_generate(op: ThreefryGenerate, key: Tensor) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.random.threefry_generate(key, op.out_shape)


@lowering("random.threefry_split")
def threefry_split(op: Operator, key: Tensor) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.random.threefry_split(key)


@lowering("random.uniform")
def uniform(op: Uniform, key: Tensor, low: Any, high: Any) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.random.uniform(key, low, high, op.out_shape, op.out_dtype)


@lowering("random.normal")
def normal(op: Normal, key: Tensor, mean: Any, scale: Any) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.random.normal(key, mean, scale, op.out_shape, op.out_dtype)


@lowering("random.multinomial")
def multinomial(op: Multinomial, key: Tensor, probs: Tensor) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.random.multinomial(key, probs, op.num_samples)
