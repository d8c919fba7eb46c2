"""Pooling by its definition, in numpy: a loop over the windows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np


def _windows(
    sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int],
    heads: Sequence[int], tails: Sequence[int], ceil_mode: bool,
) -> list[int]:  # fmt: skip
    counts = []
    for size, tap, step, gap, head, tail in zip(
        sizes, kernel, strides, dilation, heads, tails, strict=True
    ):
        rest = size + head + tail - ((tap - 1) * gap + 1)
        count = (-(-rest // step) if ceil_mode else rest // step) + 1
        while ceil_mode and (count - 1) * step >= size + head:
            count -= 1
        counts.append(count)
    return counts


def _taps(at: Any, n: int, kernel: Any, strides: Any, dilation: Any, heads: Any) -> list[int]:
    return [at[n] * strides[n] - heads[n] + tap * dilation[n] for tap in range(kernel[n])]


def poolnd_python(
    np_data: np.ndarray,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    padding_before: Sequence[int],
    padding_after: Sequence[int],
    pool_type: str,
    count_include_pad: bool = True,
    ceil_mode: bool = False,
) -> np.ndarray:
    """Pooling of (N, C, spatial...)."""
    sizes, count = np_data.shape[2:], np_data.ndim - 2
    outs = _windows(sizes, kernel, strides, dilation, padding_before, padding_after, ceil_mode)
    result = np.zeros((*np_data.shape[:2], *outs), np_data.dtype)
    for at in np.ndindex(*outs):
        taps = [_taps(at, n, kernel, strides, dilation, padding_before) for n in range(count)]
        inside = [[t for t in taps[n] if 0 <= t < sizes[n]] for n in range(count)]
        values = np_data[np.ix_(range(np_data.shape[0]), range(np_data.shape[1]), *inside)]
        axes = tuple(range(2, np_data.ndim))
        if pool_type == "max":
            lowest = -np.inf if np_data.dtype.kind == "f" else np.iinfo(np_data.dtype).min
            result[(..., *at)] = values.max(axes, initial=lowest)
            continue
        if count_include_pad:
            counted = [
                sum(t < size + after for t in line)
                for line, size, after in zip(taps, sizes, padding_after, strict=True)
            ]
        else:
            counted = [len(line) for line in inside]
        result[(..., *at)] = values.sum(axes) / max(1, int(np.prod(counted)))
    return result


def pool_grad_nchw(
    a_np: np.ndarray,
    out_grad_np: np.ndarray,
    pool_size: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[int],
    pool_type: str,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> np.ndarray:
    """The gradient of the input (N, C, H, W) of a pool; the first of equal maxima receives it."""
    del ceil_mode  # implied by the shape of out_grad_np
    result = np.zeros_like(a_np)
    height, width = a_np.shape[2:]
    top, left, bottom, right = padding
    for n, c, h, w in np.ndindex(*out_grad_np.shape):
        rows = [h * strides[0] - top + tap for tap in range(pool_size[0])]
        columns = [w * strides[1] - left + tap for tap in range(pool_size[1])]
        places = [
            (y, x)
            for y, x in itertools.product(rows, columns)
            if 0 <= y < height and 0 <= x < width
        ]
        flow = out_grad_np[n, c, h, w]
        if pool_type == "max":
            if places:
                largest = max(a_np[n, c, y, x] for y, x in places)
                y, x = next(place for place in places if a_np[(n, c, *place)] == largest)
                result[n, c, y, x] += flow
            continue
        if count_include_pad:
            rows_in = sum(y < height + bottom for y in rows)
            counted = rows_in * sum(x < width + right for x in columns)
        else:
            counted = len(places)
        for y, x in places:
            result[n, c, y, x] += flow / max(1, counted)
    return result


def adaptive_pool(
    np_data: np.ndarray, out_size: Sequence[int], pool_type: str, layout: str = "NCHW"
) -> np.ndarray:
    """Bins of adaptive size of channels-first or channels-last data."""
    last = layout.endswith("C")
    data = np.moveaxis(np_data, -1, 1) if last else np_data
    result = np.zeros((*data.shape[:2], *out_size), data.dtype)
    for at in np.ndindex(*out_size):
        place = tuple(
            slice(o * size // out, -(-(o + 1) * size // out))
            for o, out, size in zip(at, out_size, data.shape[2:], strict=True)
        )
        values = data[(slice(None), slice(None), *place)]
        axes = tuple(range(2, data.ndim))
        result[(..., *at)] = values.max(axes) if pool_type == "max" else values.mean(axes)
    return np.moveaxis(result, 1, -1) if last else result
