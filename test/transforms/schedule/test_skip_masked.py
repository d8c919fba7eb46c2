"""Attention that leaves out masked keys computes what its definition says, NaN included."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import kc
from kc import te, topi
from kc.expr.constructors import ExprLike

HEADS, ROWS, KEYS, DEPTH = 2, 96, 128, 32
TARGET = "llvm -mcpu=znver4 -num-cores=1 -l1-cache=8192 -l2-cache=32768"
"""A processor whose caches the scores exceed, so that rows are computed in blocks."""


def attended(q, k, v, kept):
    """softmax(q k^T / sqrt(E), of what is kept) v as the definition says, in f64."""
    with np.errstate(all="ignore"):
        scores = np.where(
            kept, q.astype("f8") @ k.astype("f8").swapaxes(-1, -2) / DEPTH**0.5, -np.inf
        )
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        return (powers / powers.sum(-1, keepdims=True)) @ v.astype("f8")


def causal(b, h, i, j, lengths):
    return j <= i + (KEYS - ROWS)


def window(b, h, i, j, lengths):
    return te.all(j <= i, j > i - 20)


def padded(b, h, i, j, lengths):
    return j < lengths[b]


def padded_on_both_sides(b, h, i, j, lengths):
    return te.all(j < lengths[b], j >= 7, j <= i + 40)


def other_way(b, h, i, j, lengths):
    return te.any(j > i, j > 100)


MASKS = {
    "causal": (causal, lambda i, j, n: j <= i + KEYS - ROWS),
    "window": (window, lambda i, j, n: (j <= i) & (j > i - 20)),
    "padded": (padded, lambda i, j, n: j < n),
    "both sides": (padded_on_both_sides, lambda i, j, n: (j < n) & (j >= 7) & (j <= i + 40)),
    "after": (lambda b, h, i, j, n: j > i + 90, lambda i, j, n: j > i + 90),
    "any": (other_way, lambda i, j, n: (j > i) | (j > 100)),
}


def program(mask: str, rows: ExprLike = ROWS, keys: ExprLike = KEYS):
    q = te.placeholder((2, HEADS, rows, DEPTH), name="q")
    k, v = (te.placeholder((2, HEADS, keys, DEPTH), name=name) for name in "kv")
    lengths = te.placeholder((2,), "int32", name="lengths")
    kept = te.compute((2, HEADS, rows, keys), lambda *at: MASKS[mask][0](*at, lengths), name="kept")
    return [q, k, v, lengths, topi.nn.attention(q, k, v, kept)]


def skipped(schedule):
    return sum("skip_masked" in step for step in schedule.trace.as_python().splitlines())


def inputs(rows, keys):
    random = np.random.default_rng(0)
    q = random.standard_normal((2, HEADS, rows, DEPTH)).astype("f4")
    k, v = (random.standard_normal((2, HEADS, keys, DEPTH)).astype("f4") for _ in range(2))
    return q, k, v


def check(call, mask, q, k, v, lengths):
    i, j = np.ogrid[: q.shape[2], : k.shape[2]]
    kept = MASKS[mask][1](i, j, lengths[:, None, None, None])
    kept = np.broadcast_to(kept, (2, HEADS, q.shape[2], k.shape[2]))
    expected = attended(q, k, v, kept)
    np.testing.assert_allclose(call(q, k, v, lengths), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mask", MASKS)
def test_of_attention(mask):
    sch = kc.auto_schedule(program(mask), target=TARGET)
    # Both products, the maximum, the sum of powers, and what is computed for each score.
    assert skipped(sch) == (0 if mask == "any" else 7)
    call = kc.build(sch, target=TARGET)
    q, k, v = inputs(ROWS, KEYS)
    lengths = [(0, 128), (77, 1), (-5, 1000), (128, 64)]
    numbers = ((), ("v", np.nan), ("v", np.inf), ("k", np.nan), ("k", -np.inf))
    for n, bad in itertools.product(lengths, numbers):
        values = {"k": k.copy(), "v": v.copy()}
        if bad:
            values[bad[0]][0, 1, 90, 3] = bad[1]
        check(call, mask, q, values["k"], values["v"], np.array(n, "i4"))


@pytest.mark.parametrize("mask", ["padded", "both sides"])
def test_of_attention_of_symbolic_sizes(mask):
    sch = kc.auto_schedule(program(mask, te.var("n"), te.var("m")), target=TARGET)
    assert skipped(sch) == 7
    call = kc.build(sch, target=TARGET)
    for rows, keys, lengths in ((96, 128, (60, 130)), (33, 50, (0, 9)), (1, 70, (70, 71))):
        check(call, mask, *inputs(rows, keys), np.array(lengths, "i4"))


def test_of_a_maximum_of_other_terms():
    """The maximum is not that of the terms of the powers: masked powers may be infinite."""
    X, Y = te.placeholder((8, 64), name="X"), te.placeholder((8, 64), name="Y")
    r, s = te.reduce_axis((0, 64), "r"), te.reduce_axis((0, 64), "s")
    kept = te.compute(
        (8, 64), lambda i, j: te.if_then_else(j <= i, X[i, j], -float("inf")), name="kept"
    )

    def maximum(terms: te.Tensor) -> te.Tensor:
        return te.compute((8,), lambda i: te.max(terms[i, r], axis=r), name="top")

    def powers(top: te.Tensor) -> te.Tensor:
        return te.compute((8,), lambda i: te.sum(te.exp(kept[i, s] - top[i]), axis=s), name="total")

    for terms, expected in ((kept, True), (Y, False)):
        total = powers(maximum(terms))
        sch = kc.tir.Schedule(te.create_prim_func([X, Y, total]))
        loop = sch.get_loops("total")[1]
        if expected:
            sch.skip_masked("total", loop)
        else:
            with pytest.raises(kc.error.ScheduleError, match="KC3631"):
                sch.skip_masked("total", loop)
