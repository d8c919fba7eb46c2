"""Loops that are contiguous in memory are one: which, and that results stay what numpy computes."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import kc
from kc import te, topi
from kc.target import Target

AVX512 = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v4 -num-cores=1")

Tensors = list[te.Tensor]


def layouts(tensors: Tensors, target: Target = AVX512) -> dict[str, list[str]]:
    """The maps by which loops of each block were made one."""
    maps: dict[str, list[str]] = {}
    for step in str(kc.auto_schedule(tensors, target).trace.as_python()).split("\n"):
        if match := re.match(r'sch.transform_block_layout\(block=(\w+), index_map="(.*)"\)', step):
            maps.setdefault(re.sub(r"_\d+$", "", match[1]), []).append(match[2].split("->")[1])
    return maps


def convolution(n: int, c: int, f: int, size: tuple[int, int], layout: str = "nchw") -> Tensors:
    """A 1x1 convolution."""
    if layout == "nchw":
        X = te.placeholder((n, c, *size), name="X")
        W = te.placeholder((f, c, 1, 1), name="W")
        return [X, W, topi.nn.conv2d_nchw(X, W, 1, 0, 1)]
    X = te.placeholder((n, *size, c), name="X")
    W = te.placeholder((1, 1, c, f), name="W")
    return [X, W, topi.nn.conv2d_nhwc(X, W, 1, 0, 1)]


def product(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.einsum("nchw,fc->nfhw", x, w[:, :, 0, 0])


def product_nhwc(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.einsum("nhwc,cf->nhwf", x, w[0, 0])


def with_bias(tensors: Tensors) -> Tensors:
    *inputs, C = tensors
    bias = te.placeholder((C.shape[1],), name="bias")
    D = te.compute(C.shape, lambda n, c, y, x: te.max(C[n, c, y, x] + bias[c], 0.0), name="D")
    return [*inputs, bias, D]


def biased(x: np.ndarray, w: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return np.maximum(product(x, w) + bias[:, None, None], 0)


def image(*shape: int) -> te.Tensor:
    return te.placeholder(shape, name="A")


def padded_after(tensors: Tensors) -> Tensors:
    *inputs, C = tensors
    return [*inputs, topi.nn.pad(C, (0, 0, 1, 1), (0, 0, 1, 1))]


def unary(function: Callable[[te.Tensor], te.Tensor], *shape: int) -> Tensors:
    A = image(*shape)
    return [A, function(A)]


CASES: dict[str, tuple[Tensors, Callable[..., np.ndarray]]] = {
    "rows of a tile": (convolution(1, 6, 20, (7, 9)), product),
    "packed and padded": (convolution(2, 40, 60, (14, 14)), product),
    "packed in tiles": (convolution(1, 64, 100, (16, 12)), product),
    "channels last": (convolution(2, 20, 40, (7, 7), "nhwc"), product_nhwc),
    "bias": (with_bias(convolution(1, 40, 60, (7, 9))), biased),
    "padding behind": (
        padded_after(convolution(1, 20, 24, (7, 9))),
        lambda x, w: np.pad(product(x, w), ((0, 0), (0, 0), (1, 1), (1, 1))),
    ),
    "all axes": (unary(topi.nn.relu, 3, 5, 7, 9), lambda a: np.maximum(a, 0)),
    "pooling": (
        unary(lambda A: topi.nn.global_pool(A, "avg"), 3, 5, 7, 9),
        lambda a: a.mean((2, 3), keepdims=True),
    ),
    "sum of images": (unary(lambda A: topi.sum(A, 1), 3, 50, 7, 9), lambda a: a.sum(1)),
    "normalization": (
        unary(lambda A: A - topi.broadcast_to(topi.max(A, (2, 3), True), A.shape), 2, 5, 7, 9),
        lambda a: a - a.max((2, 3), keepdims=True),
    ),
    "in part": (
        unary(lambda A: topi.transpose(A, (1, 0, 2, 3)), 3, 5, 7, 9),
        lambda a: a.transpose(1, 0, 2, 3),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_results(case: str):
    tensors, expected = CASES[case]
    assert layouts(tensors), "loops are fused"
    random = np.random.default_rng(0)
    given = [random.standard_normal([int(it) for it in A.shape]) for A in tensors[:-1]]
    result = kc.build(tensors)(*(it.astype("float32") for it in given))
    np.testing.assert_allclose(result, expected(*given), rtol=1e-4, atol=1e-5)


def test_which_loops_are_one():
    maps = layouts(convolution(1, 64, 40, (7, 9)))
    assert maps["conv2d_nchw"][0] == "(d1, d2 * 9 + d3, d4)"
    maps = layouts(convolution(2, 64, 40, (7, 9), "nhwc"))
    assert maps["conv2d_nhwc"][0] == "((d0 * 7 + d1) * 9 + d2, d3, d4)"
    # What two blocks share has an axis less, and they have as many loops.
    maps = layouts(with_bias(convolution(2, 40, 60, (7, 9))))
    assert maps["conv2d_nchw"][0] == "(d0, d1, d2 * 9 + d3, d4)"
    assert maps["D"][0] == "(d0, d1, d2 * 9 + d3)"
    assert layouts(unary(topi.nn.relu, 3, 5, 7, 9)) == {
        "T_relu": ["(((d0 * 5 + d1) * 7 + d2) * 9 + d3)"]
    }


def masked(*shape: int) -> Tensors:
    A = image(*shape)
    return [A, te.compute(shape, lambda i, j: te.Select(i >= j, A[i, j], 0.0), name="B")]


def of_unknown_size() -> Tensors:
    A = te.placeholder((9, te.var("n")), name="A")
    return [A, te.compute(A.shape, lambda i, j: A[i, j] + 1.0, name="B")]


def beginnings() -> Tensors:
    A = image(9, 12)
    return [A, te.compute((9, 7), lambda i, j: A[i, j] + 1.0, name="B")]


def windows() -> Tensors:
    A = image(20, 30)
    return [A, te.compute((19, 29), lambda i, j: A[i, j] + A[i + 1, j + 1], name="B")]


@pytest.mark.parametrize(
    "tensors",
    [
        pytest.param(unary(topi.nn.relu, 5, 128), id="rows of whole vectors"),
        pytest.param(unary(topi.nn.relu, 5, 2001), id="long rows"),
        pytest.param(unary(topi.transpose, 7, 9), id="other order"),
        pytest.param(masked(7, 9), id="numbers of iterations"),
        pytest.param(windows(), id="parts of rows"),
        pytest.param(beginnings(), id="beginnings of rows"),
        pytest.param(of_unknown_size(), id="unknown sizes"),
    ],
)
def test_loops_that_stay(tensors: Tensors):
    assert layouts(tensors) == {}
