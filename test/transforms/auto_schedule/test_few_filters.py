"""The rule ``few-filters``: convolutions of contiguous rows to a few channels."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir, topi
from kc.target import Target
from kc.transforms.auto_schedule.contraction import best_tile
from kc.transforms.auto_schedule.few_filters import has_few_filters
from kc.transforms.auto_schedule.machine import Machine
from kc.transforms.auto_schedule.nests import Nest
from kc.transforms.auto_schedule.windows import cycles_of

ZEN4 = Target("llvm -mcpu=znver4 -num-cores=1")
Array = np.ndarray


def data(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype("float32")


def convolved(x: Array, w: Array) -> Array:
    """A convolution of NCHW that keeps the size of images, in double precision."""
    pad = w.shape[2] // 2
    x = np.pad(x.astype("float64"), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    views = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.einsum("ncyxab,ocab->noyx", views, w.astype("float64"))


def conv(size: tuple[int, ...], filters: int, taps: int) -> tuple[Any, ...]:
    x, w = data(*size), data(filters, size[1], taps, taps)
    X, W = te.placeholder(x.shape, name="X"), te.placeholder(w.shape, name="W")
    result = topi.nn.relu(topi.nn.conv2d_nchw(X, W, 1, taps // 2, 1))
    return [x, w], [X, W, result], np.maximum(convolved(x, w), 0)


def transposed(size: tuple[int, ...], filters: int, taps: int) -> tuple[Any, ...]:
    """Windows that go through the image backwards."""
    x, w = data(*size), data(size[1], filters, taps, taps)
    X, W = te.placeholder(x.shape, name="X"), te.placeholder(w.shape, name="W")
    result = topi.nn.conv2d_transpose_nchw(X, W, 1, taps // 2, "float32", (0, 0))
    turned = w.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
    return [x, w], [X, W, result], convolved(x, turned)


def height(tensors: list[Any]) -> int:
    """The rows of a channel in a tile; 0 where these are no rows but channels."""
    text = str(kc.lower(tensors, target=ZEN4))
    unrolled = re.findall(r"%(\w+) in (\d+) unrolled \{\s+tir.for \S+ in \d+ vectorized", text)
    return max((int(count) for name, count in unrolled if name == "i0_i"), default=0)


@pytest.mark.parametrize(
    "case",
    [
        conv((2, 9, 11, 21), 2, 3),
        conv((1, 5, 9, 16), 3, 5),
        transposed((1, 13, 19, 19), 2, 3),
        transposed((2, 8, 7, 33), 4, 3),
    ],
)
def test_results(case: tuple[Any, ...]) -> None:
    arrays, tensors, expected = case
    result = kc.build(tensors)(*arrays)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-4)


def test_rows_of_a_channel_are_a_tile() -> None:
    """As many as wait for no sums: two pipes, each with results after four cycles."""
    assert height(transposed((1, 61, 19, 19), 2, 3)[1]) >= 7


def test_images_are_padded_once_for_all_channels() -> None:
    text = str(kc.lower(transposed((1, 61, 19, 19), 2, 3)[1], target=ZEN4))
    assert text.index('tir.block "data_pad"') < text.index("tir.for %o in 2")


def test_many_channels_are_tiles_of_contraction() -> None:
    assert height(transposed((1, 61, 19, 19), 24, 3)[1]) == 0


def test_the_faster_tile_is_taken():
    """With the few registers of AVX2, rows pay for two channels of 7 x 7 images, not for three."""
    machine = Machine.of(
        Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=haswell -num-cores=1")
    )
    taken: list[bool] = []
    for filters in (2, 3):
        X = te.placeholder((1, 16, 7, 7), name="X")
        W = te.placeholder((filters, 16, 3, 3), name="W")
        sch = tir.Schedule(te.create_prim_func([X, W, topi.nn.conv2d_nchw(X, W, 1, 0, 1)]))
        nest = Nest(sch.get(sch.get_block("conv2d_nchw")))  # pyright: ignore[reportArgumentType]
        rows, channels = cycles_of(nest, machine), best_tile(nest, machine)
        assert rows is not None
        assert channels is not None
        taken.append(rows < channels.cycles)
        assert has_few_filters(nest, machine) == taken[-1]
    assert taken == [True, False]
