"""Strided operands of products are copied to contiguous buffers: the cases, and the results."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import kc
from kc import te, topi
from kc.target import Target

AVX512 = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v4 -num-cores=1")
NARROWER = (
    "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=haswell -num-cores=1",
    "llvm -mtriple=aarch64-unknown-linux-gnu -mcpu=neoverse-n1 -num-cores=1",
)

Tensors = list[te.Tensor]


def copies(tensors: Tensors, target: Target = AVX512) -> list[str]:
    """The layouts of the copies without gaps."""
    trace = str(kc.auto_schedule(tensors, target).trace.as_python())
    copied = re.findall(r"(\w+) = sch\.reindex\(", trace)
    maps = re.findall(r'sch\.transform_layout\(block=(\w+), .*index_map="(.*)"', trace)
    return [map_.split("->")[1] for name, map_ in maps if name in copied]


def convolution(
    shape: tuple[int | te.Var, ...],
    channels: int,
    taps: int,
    step: int,
    pad: int = 0,
    dtype: str = "float32",
) -> Tensors:
    X = te.placeholder(shape, dtype, name="X")
    W = te.placeholder((channels, shape[1], taps, taps), dtype, name="W")
    return [X, W, topi.nn.conv2d_nchw(X, W, step, pad, 1, out_dtype=dtype)]


def windows(step: int, pad: int = 0) -> Callable[..., np.ndarray]:
    """numpy's convolution of rows."""

    def expected(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        whole = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        parts = np.lib.stride_tricks.sliding_window_view(whole, w.shape[2:], (2, 3))
        return np.einsum("nchwpq,fcpq->nfhw", parts[:, :, ::step, ::step], w)

    return expected


def with_bias(tensors: Tensors) -> Tensors:
    *inputs, C = tensors
    bias = te.placeholder((C.shape[1],), name="bias")
    D = te.compute(C.shape, lambda n, c, y, x: te.max(C[n, c, y, x] + bias[c], 0.0), name="D")
    return [*inputs, bias, D]


def product_of_every_third_column(m: int, k: int, n: int) -> Tensors:
    A = te.placeholder((m, k), name="A")
    B = te.placeholder((k, 3 * n), name="B")
    r = te.reduce_axis((0, k), name="r")
    return [A, B, te.compute((m, n), lambda i, j: te.sum(A[i, r] * B[r, j * 3 + 1], r), name="C")]


CASES: dict[str, tuple[Tensors, Callable[..., np.ndarray], list[str]]] = {
    "1x1": (convolution((1, 5, 34, 50), 130, 1, 2), windows(2), ["(d0, d3, d1 * 25 + d2)"]),
    "batch": (
        convolution((3, 1, 27, 12), 95, 3, 2),
        windows(2),
        ["(d0, d3, d4, d5, d1 * 5 + d2)"],
    ),
    "padded, three steps": (
        convolution((2, 3, 19, 23), 70, 3, 3, 1),
        windows(3, 1),
        ["(d0, d3, d4, d5, d1 * 8 + d2)"],
    ),
    "f64": (
        convolution((1, 4, 21, 19), 90, 2, 2, dtype="float64"),
        windows(2),
        ["(d0, d3, d4, d5, d1 * 9 + d2)"],
    ),
    "bias": (
        with_bias(convolution((1, 5, 20, 26), 121, 1, 2)),
        lambda x, w, bias: np.maximum(windows(2)(x, w) + bias[:, None, None], 0),
        ["(d0, d3, d1 * 13 + d2)"],
    ),
    "columns of a matrix": (
        product_of_every_third_column(150, 6, 45),
        lambda a, b: a @ b[:, 1::3],
        ["(d1, d0)"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_results(case: str):
    tensors, expected, layouts = CASES[case]
    assert copies(tensors) == layouts
    random = np.random.default_rng(0)
    given = [random.standard_normal([int(it) for it in A.shape]) for A in tensors[:-1]]
    inputs = [it.astype(str(A.dtype)) for it, A in zip(given, tensors[:-1], strict=True)]
    result = kc.build(tensors)(*inputs)
    np.testing.assert_allclose(result, expected(*given), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("case", ["1x1", "bias"])
def test_positions_are_the_vectors(case: str):
    """The loop that is vectorized around the product is over the positions of all rows, and what
    goes on with the sums is in the loops over tiles."""
    tensors, _, _ = CASES[case]
    text = str(kc.auto_schedule(tensors, AVX512).mod)
    loads = re.findall(r"tir\.load %X_reindex_pad\[.*\]", text)
    assert loads, "the copy is packed, and its last tile padded"
    last = "D" if case == "bias" else "conv2d_nchw_global"
    lines = text.split("\n")
    at = next(n for n, line in enumerate(lines) if f'tir.block "{last}"' in line)
    assert "vectorized" in lines[at - 1]
    assert re.search(r"floordiv \d+, %\w+ mod \d+\]", "\n".join(lines[at : at + 9]))


@pytest.mark.parametrize("target", NARROWER)
def test_narrower_vectors(target: str):
    assert copies(CASES["1x1"][0], Target(target)) == CASES["1x1"][2]


@pytest.mark.parametrize(
    "tensors",
    [
        pytest.param(convolution((1, 3, 80, 80), 64, 7, 2, 3), id="many taps, few channels"),
        pytest.param(convolution((1, 64, 56, 56), 128, 3, 2, 1), id="channels fill tiles"),
        pytest.param(convolution((1, 5, 34, 50), 130, 1, 1), id="no gaps"),
        pytest.param(convolution((1, 5, te.var("h"), 50), 130, 1, 2), id="unknown sizes"),
    ],
)
def test_operands_that_stay(tensors: Tensors):
    assert copies(tensors) == []
