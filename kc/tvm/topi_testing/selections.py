"""Elements chosen by places, in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np


def gather_python(data: Any, axis: int, indices: Any) -> Any:
    """The elements at ``indices`` along an axis; negative ones count from the end."""
    axis %= data.ndim
    result = np.empty(indices.shape, data.dtype)
    for at in np.ndindex(*indices.shape):
        result[at] = data[(*at[:axis], indices[at], *at[axis + 1 :])]
    return result


def gather_nd_python(a_np: Any, indices_np: Any) -> Any:
    """The parts at the places that the first dimension of the indices lists."""
    return a_np[tuple(indices_np)]


def _slices(ndim: int, begin: Any, end: Any, strides: Any) -> tuple[slice, ...]:
    strides = [1] * len(begin) if strides is None else strides
    slices = [slice(*bounds) for bounds in zip(begin, end, strides, strict=True)]
    return (*slices, *[slice(None)] * (ndim - len(slices)))


def strided_slice_python(
    data: Any, begin: Any, end: Any, strides: Any = None, slice_mode: str = "end", axes: Any = None
) -> Any:
    """A strided slice; with ``slice_mode`` "size", ``end`` holds sizes, and -1 means up to the
    end.
    """
    axes = range(len(begin)) if axes is None else axes
    steps = [1] * len(begin) if strides is None else strides
    places = [slice(None)] * data.ndim
    for n, axis in enumerate(axes):
        first, last = begin[n], end[n]
        if slice_mode == "size":
            first += data.shape[axis] if first < 0 else 0
            places[axis] = slice(first, None if last < 0 else first + last)
        else:
            places[axis] = slice(first, last, steps[n])
    return data[tuple(places)]


def strided_set_python(data: Any, v: Any, begin: Any, end: Any, strides: Any = None) -> Any:
    """The data with a part replaced by ``v``."""
    result = data.copy()
    result[_slices(data.ndim, begin, end, strides)] = v
    return result


def slice_axis_python(data: Any, axis: int, begin: int, end: int | None = None) -> Any:
    """A part along an axis."""
    return data[(*[slice(None)] * (axis % data.ndim), slice(begin, end))]


def one_hot(
    indices: Any, on_value: Any, off_value: Any, depth: int, axis: int, dtype: str
) -> np.ndarray:
    """``on_value`` at the place that an index names along a new axis, else ``off_value``."""
    axis = indices.ndim if axis == -1 else axis
    shape = [depth if n == axis else 1 for n in range(indices.ndim + 1)]
    at = np.arange(depth).reshape(shape)
    return np.where(np.expand_dims(indices, axis) == at, on_value, off_value).astype(dtype)


def sequence_mask(data: Any, valid_length: Any, mask_value: Any, axis: int) -> Any:
    """The data with ``mask_value`` after the end of each sequence; ``axis`` is 0 or 1."""
    places = np.arange(data.shape[axis])
    is_valid = places[:, None] < valid_length if axis == 0 else places < valid_length[:, None]
    return np.where(is_valid.reshape(*is_valid.shape, *[1] * (data.ndim - 2)), data, mask_value)


def matrix_set_diag(
    input_np: Any, diagonal: Any, k: Any = 0, align: str = "RIGHT_LEFT"
) -> np.ndarray:
    """Matrices with the diagonals from ``k[0]`` to ``k[1]`` replaced, the highest first."""
    low, high = k if isinstance(k, tuple | list) else (k, k)
    result = input_np.copy()
    bands = diagonal[..., None, :] if low == high else diagonal
    rows, columns = result.shape[-2:]
    above, below = (part == "LEFT" for part in align.split("_"))
    for row, offset in enumerate(range(high, low - 1, -1)):
        length = min(rows + min(offset, 0), columns - max(offset, 0))
        left = above if offset > 0 else below if offset < 0 else above or below
        shift = 0 if left else bands.shape[-1] - length
        for n in range(length):
            result[..., n - min(offset, 0), n + max(offset, 0)] = bands[..., row, n + shift]
    return result


def searchsorted_ref(sorted_sequence: Any, values: Any, right: bool, out_dtype: str) -> np.ndarray:
    """The insertion positions of ``values`` in a sorted sequence, or in each row of a batch of
    them.
    """
    side = "right" if right else "left"
    if sorted_sequence.ndim == 1:
        return np.searchsorted(sorted_sequence, values, side).astype(out_dtype)
    result = np.empty(values.shape, out_dtype)
    for at in np.ndindex(*values.shape[:-1]):
        result[at] = np.searchsorted(sorted_sequence[at], values[at], side)
    return result
