"""The rule ``windows``: poolings and depthwise convolutions, their results and their code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, topi
from kc.target import Target

ZEN4 = Target("llvm -mcpu=znver4 -num-cores=1")
Array = np.ndarray


def data(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype("float32")


def windows(x: Array, taps: int, step: int, pad: int, fill: float, spread: int = 1) -> Array:
    """The windows of NCHW, as two more axes."""
    reach = (taps - 1) * spread + 1
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(x, (reach, reach), axis=(2, 3))
    return view[:, :, ::step, ::step, ::spread, ::spread]


def depthwise(x: Array, w: Array, step: int, pad: int, spread: int = 1) -> Array:
    views = windows(x.astype("float64"), w.shape[2], step, pad, 0.0, spread)
    return np.einsum("ncyxab,cab->ncyx", views, w[:, 0].astype("float64"))


def placeholders(*arrays: Array) -> list[Any]:
    return [te.placeholder(it.shape, name=f"X{n}") for n, it in enumerate(arrays)]


def conv(size: tuple[int, int, int], taps: int, step: int, spread: int = 1) -> tuple[Any, ...]:
    """A depthwise convolution of NCHW: arrays, tensors, and what numpy computes."""
    x, w = data(2, *size), data(size[0], 1, taps, taps)
    pad = (taps - 1) * spread // 2
    X, W = placeholders(x, w)
    tensors = [X, W, topi.nn.depthwise_conv2d_nchw(X, W, step, pad, spread)]
    return [x, w], tensors, depthwise(x, w, step, pad, spread)


def conv_of_channels_last(taps: int, step: int) -> tuple[Any, ...]:
    x, w = data(1, 11, 9, 34), data(taps, taps, 34, 1)
    X, W = placeholders(x, w)
    tensors = [X, W, topi.nn.depthwise_conv2d_nhwc(X, W, step, taps // 2, 1)]
    of_channels = w[:, :, :, 0].transpose(2, 0, 1)[:, None]
    result = depthwise(x.transpose(0, 3, 1, 2), of_channels, step, taps // 2)
    return [x, w], tensors, result.transpose(0, 2, 3, 1)


def pool(kind: str, width: int, taps: int, step: int, pad: int) -> tuple[Any, ...]:
    x = data(1, 3, 2 * width // 3 + taps, width)
    (X,) = placeholders(x)
    sizes = ([taps] * 2, [step] * 2, [1, 1], [pad] * 4)
    tensors = [X, topi.nn.pool2d(X, *sizes, kind, count_include_pad=False)]
    if kind == "max":
        return [x], tensors, windows(x, taps, step, pad, -np.inf).max((4, 5))
    counts = windows(np.ones_like(x), taps, step, pad, 0.0).sum((4, 5))
    return [x], tensors, windows(x, taps, step, pad, 0.0).sum((4, 5), dtype="float64") / counts


def with_bias_and_relu() -> tuple[Any, ...]:
    (x, w), tensors, result = conv((5, 12, 21), 3, 1)
    b = data(5)
    B = te.placeholder((5,), name="B")
    zero = te.const(0.0)
    body = lambda n, c, y, x: te.max(tensors[-1][n, c, y, x] + B[c], zero)  # noqa: E731
    tensors = [*tensors[:-1], B, te.compute(tensors[-1].shape, body, name="R")]
    return [x, w, b], tensors, np.maximum(result + b[:, None, None], 0)


def of_a_line() -> tuple[Any, ...]:
    """One axis: no rows share anything."""
    x = data(7, 50)
    (X,) = placeholders(x)
    r = te.reduce_axis((0, 5), name="r")
    C = te.compute((7, 46), lambda i, j: te.max(X[i, j + r], axis=r), name="C")
    return [x], [X, C], np.lib.stride_tricks.sliding_window_view(x, 5, axis=1).max(2)


CASES: dict[str, Callable[[], tuple[Any, ...]]] = {
    "conv 3x3": lambda: conv((4, 16, 40), 3, 1),
    "conv 5x5 of short rows": lambda: conv((3, 13, 13), 5, 1),
    "conv 7x7 stride 2": lambda: conv((3, 15, 37), 7, 2),
    "conv 3x3 with gaps": lambda: conv((3, 14, 30), 3, 1, 2),
    "conv NHWC 5x5": lambda: conv_of_channels_last(5, 1),
    "conv NHWC 3x3 stride 2": lambda: conv_of_channels_last(3, 2),
    "max 3x3 stride 2": lambda: pool("max", 29, 3, 2, 1),
    "max 3x3 stride 3": lambda: pool("max", 50, 3, 3, 0),
    "max 2x2": lambda: pool("max", 26, 2, 2, 0),
    "avg 3x3": lambda: pool("avg", 19, 3, 1, 1),
    "bias and relu": with_bias_and_relu,
    "line": of_a_line,
}


@pytest.mark.parametrize("name", CASES)
def test_results(name: str):
    arrays, tensors, expected = CASES[name]()
    chosen = kc.auto_schedule(tensors)
    assert "local" in chosen.trace.as_python()  # the rule has taken it
    result = kc.build(chosen)(*arrays)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


def test_no_lane_of_a_partial_row_is_alone():
    """Rows of 13 results are vectors of 16 in registers: nothing is loaded or stored by itself."""
    _, tensors, _ = CASES["conv 5x5 of short rows"]()
    code = kc.build(kc.auto_schedule(tensors, ZEN4), target=ZEN4).get_source("asm")
    multiplications = [line for line in code.splitlines() if "\tvfmadd" in line]
    assert len(multiplications) >= 25
    assert all("ps\t" in line and "zmm" in line for line in multiplications)


def test_the_padding_of_a_plane_is_computed_with_it():
    _, tensors, _ = CASES["conv 3x3"]()
    tree = str(kc.auto_schedule(tensors, ZEN4).mod)
    alloc = next(line for line in tree.splitlines() if '"PaddedInput"' in line)
    assert alloc.index("%") > 6  # inside the loops over images and channels


def test_sizes_known_at_the_call():
    h, w = te.var("h"), te.var("w")
    X = te.placeholder((3, h, w), name="X")
    a, b = te.reduce_axis((0, 3), name="a"), te.reduce_axis((0, 3), name="b")
    C = te.compute(
        (3, h - 2, w - 2), lambda c, y, x: te.sum(X[c, y + a, x + b], axis=[a, b]), name="C"
    )
    function = kc.build([X, C])
    for size in ((3, 3), (4, 19), (11, 50)):
        x = data(3, *size)
        views = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
        np.testing.assert_allclose(function(x), views.sum((3, 4)), rtol=1e-4, atol=1e-5)


def test_a_padding_is_computed_once_and_begins_with_vectors():
    """Windows of all positions share the padding of an image: none is computed row by row. Each
    position of it begins with a vector of channels."""
    X = te.placeholder((4, 30, 10, 35), name="X")
    W = te.placeholder((5, 5, 35, 1), name="W")
    chosen = kc.auto_schedule([X, W, topi.nn.depthwise_conv2d_nhwc(X, W, 1, 4, 2)], ZEN4)
    calls = chosen.trace.as_python().splitlines()
    (place,) = [line for line in calls if "compute_at(block=PaddedInput, loop=i0)" in line]
    aligned = [line for line in calls if "storage_align(block=PaddedInput," in line]
    assert place
    assert aligned
    x, w = data(4, 30, 10, 35), data(5, 5, 35, 1)
    of_channels = w[:, :, :, 0].transpose(2, 0, 1)[:, None]
    expected = depthwise(x.transpose(0, 3, 1, 2), of_channels, 1, 4, 2).transpose(0, 2, 3, 1)
    result = kc.build([X, W, topi.nn.depthwise_conv2d_nhwc(X, W, 1, 4, 2)])(x, w)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


def test_the_tail_of_one_image_is_computed_with_its_windows() -> None:
    """The dimension of one image moves nothing: scale, shift and relu are the tiles' epilogue."""
    X, W = te.placeholder((1, 16, 24, 40), name="X"), te.placeholder((16, 1, 3, 3), name="W")
    scale, shift = (te.placeholder((16, 1, 1), name=name) for name in ("S", "T"))
    sums = topi.nn.depthwise_conv2d_nchw(X, W, 1, 1, 1)
    tensors = [X, W, scale, shift, topi.nn.relu(topi.add(topi.multiply(sums, scale), shift))]
    text = str(kc.auto_schedule(tensors, ZEN4).mod)
    assert text.count("\n    tir.for ") == 1
    arrays = [data(1, 16, 24, 40), data(16, 1, 3, 3), data(16, 1, 1), data(16, 1, 1)]
    expected = np.maximum(depthwise(arrays[0], arrays[1], 1, 1) * arrays[2] + arrays[3], 0)
    np.testing.assert_allclose(kc.build(tensors)(*arrays), expected, rtol=1e-4, atol=1e-5)
