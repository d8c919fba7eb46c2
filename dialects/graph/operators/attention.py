"""Attention and rotary position embeddings, kept whole; kc's own."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._relations import (
    BOOL,
    FLOATS,
    broadcast_shapes,
    require_dtype,
    require_rank,
    require_same,
)
from kc.dialects.graph.types import TensorSpec


@operator
class Attention(Operator):
    """``softmax(query @ key.T * scale + mask) @ value`` for each head.

    The queries are (B, H, L, E), the keys (B, G, S, E), the values (B, G, S, V); G divides H, and
    neighbouring heads of the queries share a head of the keys. A mask of booleans is false where
    a key is left out, one of floats is added; its shape is broadcast to (B, H, L, S). ``is_causal``
    leaves out the keys after the query. ``scale`` is 1 / sqrt(E) by default.
    """

    name = "nn.attention"
    inputs = ("query", "key", "value", "mask?")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    is_causal: bool = False
    scale: float | None = None
    softcap: float = 0.0

    def infer(
        self,
        query: TensorSpec,
        key: TensorSpec,
        value: TensorSpec,
        mask: TensorSpec | None = None,
    ) -> TensorSpec:
        require_dtype(query, FLOATS, "query")
        for spec, name in ((query, "query"), (key, "key"), (value, "value")):
            require_rank(spec, 4, name)
            require_dtype(spec, (query.dtype,), name)
            require_same(query.shape[0], spec.shape[0], f"the batches of query and {name}")
        require_same(query.shape[3], key.shape[3], "the elements of queries and keys")
        require_same(key.shape[1], value.shape[1], "the heads of keys and values")
        require_same(key.shape[2], value.shape[2], "the numbers of keys and values")
        heads, groups = query.shape[1], key.shape[1]
        if isinstance(heads, int) and isinstance(groups, int) and (not groups or heads % groups):
            raise RelationError(f"{groups} heads of the keys do not divide {heads} of the queries")
        if mask is not None:
            require_dtype(mask, (*FLOATS, *BOOL), "mask")
            scores = (*query.shape[:3], key.shape[2])
            if mask.rank > 4 or broadcast_shapes(scores, mask.shape) != broadcast_shapes(scores):
                raise RelationError(f"mask is {mask}, which does not broadcast to the scores")
        return TensorSpec((*query.shape[:3], value.shape[3]), query.dtype)


@operator
class RotaryEmbedding(Operator):
    """Pairs of elements of (..., L, E) turned by angles whose cosines and sines are (L, E / 2).

    A pair is element n of both halves, or with ``interleaved`` two neighbours.
    """

    name = "nn.rotary_embedding"
    inputs = ("data", "cos", "sin")
    pattern = Pattern.INJECTIVE

    interleaved: bool = False

    def infer(self, data: TensorSpec, cos: TensorSpec, sin: TensorSpec) -> TensorSpec:
        require_dtype(data, FLOATS, "data")
        if data.rank < 2:
            raise RelationError(f"data is {data}, but must have at least 2 dimensions")
        length, size = data.shape[-2:]
        if isinstance(size, int) and size % 2:
            raise RelationError(f"the last dimension of data is {size}, which makes no pairs")
        for spec, name in ((cos, "cos"), (sin, "sin")):
            require_rank(spec, 2, name)
            require_dtype(spec, (data.dtype,), name)
            require_same(length, spec.shape[0], f"the places of data and {name}")
            half = None if size is None else size // 2
            require_same(half, spec.shape[1], f"the pairs of data and the angles of {name}")
        return data
