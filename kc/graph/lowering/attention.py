"""The computations of :mod:`kc.dialects.graph.operators.attention`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators.attention import Attention, RotaryEmbedding
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.attention")
def attention(
    op: Attention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.attention(query, key, value, mask, op.is_causal, op.scale, op.softcap)


@lowering("nn.rotary_embedding")
def rotary_embedding(op: RotaryEmbedding, data: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.rotary_embedding(data, cos, sin, op.interleaved)
