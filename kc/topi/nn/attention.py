"""Attention, and rotary position embeddings."""

from __future__ import annotations

import math
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, as_expr, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import is_bool
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.support.diagnostics import counted
from kc.te.computes import compute
from kc.topi.arguments import constant, plus, rank, same_size, tensor
from kc.topi.elementwise import FLOAT
from kc.topi.gathering import at_broadcast
from kc.topi.gradients import scattered
from kc.topi.nn.pooling import lowest
from kc.topi.nn.softmax import softmax
from kc.topi.table import operator, refuse


@operator(
    "batch_matmul", FLOAT, "nn.attention(T(1, 2, 4, 8), T(1, 2, 5, 8), T(1, 2, 5, 8))",
    onnx="Attention", torch="scaled_dot_product_attention",
    formula="softmax(q @ k.T * scale + mask) @ v",
)  # fmt: skip
def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    softcap: float = 0.0,
) -> Tensor:
    """Attention of queries (B, H, L, E) over keys (B, G, S, E) and values (B, G, S, V).

    G divides H: neighbouring heads of the queries share a head of the keys (KC2310). ``mask`` is
    added to the scores (of bool: False masks the key) and broadcast to (B, H, L, S). ``is_causal``
    masks the keys after the query; the last query and the last key have the same time, so earlier
    keys are the past. ``scale`` is 1 / sqrt(E) by default; ``softcap`` c > 0 makes scores ``c *
    tanh(score / c)``. Scores are in float32, for float64 in float64; weights of float16 and
    bfloat16 are rounded to these types before the sum, which is in float32. A query whose keys are
    all masked gives NaN.
    """
    rank(query, "query", 4)
    for what, part in (("key", key), ("value", value)):
        tensor(part, what, 4, (query.dtype,))
        same_size(query, 0, part, 0, "there are keys and values for each item of the batch")
    same_size(query, 3, key, 3, "queries and keys have the same elements")
    same_size(key, 2, value, 2, "there is a value for each key")
    same_size(key, 1, value, 1, "there are values for each head of the keys")
    if mask is not None:
        rank(mask, "mask", 0, 1, 2, 3, 4)
    heads, groups = constant(query.shape[1], "the heads"), constant(key.shape[1], "the heads")
    if groups < 1 or heads % groups:
        raise refuse(
            "KC2310",
            f"{counted(heads, 'head')} of the queries and {groups} of the keys",
            "the number of heads of the keys must divide that of the queries",
        )
    each = heads // groups

    def shared(h: Any) -> Any:
        return h if each == 1 else h // each

    wide = "float64" if query.dtype == "float64" else "float32"
    elements = constant(query.shape[3], "the elements")
    factor = 1 / math.sqrt(max(elements, 1)) if scale is None else scale
    length, count = query.shape[2], key.shape[2]
    e = reduce_axis((0, query.shape[3]), name="e")
    scores = compute(
        (query.shape[0], heads, length, count),
        lambda b, h, i, j: scalar.sum(
            convert(query(b, h, i, e), wide) * convert(key(b, shared(h), j, e), wide), axis=e
        ),
        "attention_scores",
        tag="batch_matmul",
    )
    least = lowest(wide)

    def masked(b: Any, h: Any, i: Any, j: Any) -> Expr:
        score = scores(b, h, i, j) * factor
        if softcap > 0:
            score = scalar.tanh(score * (1 / softcap)) * float(softcap)
        if mask is not None:
            extra = at_broadcast(mask, (b, h, i, j))
            if is_bool(extra.dtype):
                score = select(extra, score, least)
            else:
                score = score + convert(extra, wide)
        if is_causal:
            score = select(as_expr(j) <= i + plus(count, 0) - length, score, least)
        return score

    logits = compute(scores.shape, masked, "attention_logits", tag="broadcast")
    shares = softmax(logits)
    if query.dtype in ("float16", "bfloat16"):
        exact = shares
        shares = compute(
            exact.shape,
            lambda *at: convert(exact(*at), query.dtype),
            "attention_shares",
            tag="elemwise",
        )
    s = reduce_axis((0, count), name="s")
    mixed = compute(
        (query.shape[0], heads, length, value.shape[3]),
        lambda b, h, i, d: scalar.sum(
            convert(shares(b, h, i, s), wide) * convert(value(b, shared(h), s, d), wide), axis=s
        ),
        "attention",
        tag="batch_matmul",
    )
    if wide == query.dtype:
        return mixed
    return compute(
        mixed.shape, lambda *at: convert(mixed(*at), query.dtype), "attention_cast", tag="elemwise"
    )


@operator(
    INJECTIVE, FLOAT, "nn.rotary_embedding(T(1, 2, 4, 8), T(4, 4), T(4, 4))",
    onnx="RotaryEmbedding", formula="(x1 * cos - x2 * sin, x2 * cos + x1 * sin)", gradient="own",
)  # fmt: skip
def rotary_embedding(data: Tensor, cos: Tensor, sin: Tensor, interleaved: bool = False) -> Tensor:
    """Pairs of elements of (..., L, E) turned by angles whose cosines and sines are (L, E / 2).

    A pair is element n of both halves, or with ``interleaved`` two neighbours. Source: Su et al.,
    RoFormer, 2021.
    """
    if data.ndim < 2:
        rank(data, "data", 2, 3, 4)
    size = constant(data.shape[-1], "the elements")
    for what, part in (("cos", cos), ("sin", sin)):
        tensor(part, what, 2, (data.dtype,))
        same_size(data, data.ndim - 2, part, 0, f"{what} has a row for each place")
        if size % 2 or constant(part.shape[1], "the angles") != size // 2:
            raise refuse(
                "KC2303",
                f"{data.name} of the shape {shape_text(data.shape)} and {part.name} of the shape "
                f"{shape_text(part.shape)}",
                f"{what} has an angle for each pair of elements",
            )
    half = size // 2

    def body(*at: Any) -> Expr:
        place, n = at[-2], at[-1]
        pair = n // 2 if interleaved else n % half
        second = (n % 2).equal(1) if interleaved else n >= half
        partner = (
            select(second, n - 1, n + 1) if interleaved else select(second, n - half, n + half)
        )
        own, rest = data(*at), data(*at[:-1], partner)
        turned = select(second, rest, -rest)
        return own * cos(place, pair) + turned * sin(place, pair)

    return scattered(compute(data.shape, body, "rotary_embedding", tag=INJECTIVE), data)
