"""Producers of stencils are computed for tiles of rows, and the numbers are numpy's."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc import te

TARGET = "llvm -mcpu=znver4 -l2-cache=65536 -num-cores=1"
"""A cache of 64 KiB: what is larger is not held."""
ROWS, COLUMNS = 101, 203


def uniform(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).random(shape, np.float32)


def first(a: te.Tensor) -> te.Tensor:
    """Of three neighbours in a row; the function is no pure sum, so that it is not inlined."""
    *outer, rows, columns = a.shape
    return te.compute(
        (*outer, rows, columns - 2),
        lambda *i: te.exp(a[i]) + a[(*i[:-1], i[-1] + 1)] * a[(*i[:-1], i[-1] + 2)],
        "first",
    )


def second(h: te.Tensor, name: str = "second") -> te.Tensor:
    """Of three rows."""
    *outer, rows, columns = h.shape

    def below(i: tuple, n: int) -> te.Expr:
        return h[(*i[:-2], i[-2] + n, i[-1])]

    return te.compute(
        (*outer, rows - 2, columns), lambda *i: te.exp(-h[i]) + below(i, 1) * below(i, 2), name
    )


def first_of(x: np.ndarray) -> np.ndarray:
    return np.exp(x[..., :-2]) + x[..., 1:-1] * x[..., 2:]


def second_of(h: np.ndarray) -> np.ndarray:
    return np.exp(-h[..., :-2, :]) + h[..., 1:-1, :] * h[..., 2:, :]


def heights(args: list[te.Tensor]) -> tuple[list[int], list[str]]:
    """The heights of tiles, and the blocks that are computed in them."""
    chosen = kc.auto_schedule(args, TARGET).trace.as_python().splitlines()
    tiles = [line.split("None, ")[1].rstrip("])") for line in chosen if "split" in line]
    moved = [line.split("block=")[1].split(",")[0] for line in chosen if "compute_at" in line]
    return [int(tile) for tile in tiles], moved


def check(args: list[te.Tensor], x: np.ndarray, wanted: np.ndarray) -> None:
    result = np.zeros_like(wanted)
    kc.build(args, "llvm -l2-cache=65536")(x, result)
    np.testing.assert_allclose(result, wanted, rtol=1e-5)


def test_two_passes():
    x = uniform(ROWS, COLUMNS)
    a = te.placeholder(x.shape, name="a")
    args = [a, second(first(a))]
    (height,), moved = heights(args)
    # Both passes of a row have 1,608 bytes, and half of the cache has 32,768.
    assert 16 <= height <= 20
    assert moved == ["first"]
    check(args, x, second_of(first_of(x)))


def test_three_passes_in_a_batch():
    x = uniform(2, ROWS, 61)
    a = te.placeholder(x.shape, name="a")
    args = [a, second(second(first(a)), "third")]
    (height,), moved = heights(args)
    assert height >= 32  # four rows of the first pass are computed once more
    assert moved == ["second", "first"]
    check(args, x, second_of(second_of(first_of(x))))


def test_a_producer_that_two_stages_read():
    x = uniform(ROWS, COLUMNS)
    a = te.placeholder(x.shape, name="a")
    h = first(a)
    g = second(h)
    u = te.compute((ROWS - 2, COLUMNS - 2), lambda i, j: g[i, j] * te.exp(h[i + 2, j]), "u")
    tiles, moved = heights([a, u])
    assert len(tiles) == 1
    assert set(moved) == {"first"} or set(moved) == {"first", "second"}
    hs = first_of(x)
    check([a, u], x, second_of(hs) * np.exp(hs[2:]))


@pytest.mark.parametrize("why", ["fits", "returned", "backwards", "every second row", "wide rows"])
def test_left_as_they_are(why: str):
    shape = (40, 60) if why == "fits" else (60, 4000) if why == "wide rows" else (ROWS, COLUMNS)
    a = te.placeholder(shape, name="a")
    h = first(a)
    args = [a, second(h)]
    if why == "returned":
        args.insert(1, h)
    rows, columns = shape
    if why == "backwards":
        back = te.compute(
            (rows - 2, columns - 2),
            lambda i, j: te.exp(h[rows - 1 - i, j]) - h[rows - 2 - i, j],
            "back",
        )
        args = [a, back]
    if why == "every second row":
        half = te.compute(
            (rows // 2, columns - 2), lambda i, j: te.exp(h[2 * i, j]) + h[2 * i + 1, j], "half"
        )
        args = [a, half]
    assert heights(args)[0] == []
