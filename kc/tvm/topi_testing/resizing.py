"""Resizing and sampling of images, in numpy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

ROUND: dict[str, Any] = {
    "round": np.round,
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def _coordinate(x: int, size: int, out: int, mode: str, roi: Any) -> float:
    """The place in the input of element ``x`` of the result."""
    if mode == "half_pixel" or (mode == "pytorch_half_pixel" and out > 1):
        return (x + 0.5) * size / out - 0.5
    if mode == "pytorch_half_pixel":
        return 0.0
    if mode == "align_corners":
        return x * (size - 1) / max(out - 1, 1)
    if mode == "asymmetric":
        return x * size / out
    if mode == "tf_half_pixel_for_nn":
        return (x + 0.5) * size / out
    low, high = roi
    if out > 1:
        return low * (size - 1) + x * (high - low) * (size - 1) / (out - 1)
    return 0.5 * (low + high) * (size - 1)


def _cubic(distance: float, alpha: float) -> float:
    d = abs(distance)
    if d <= 1:
        return (alpha + 2) * d**3 - (alpha + 3) * d**2 + 1
    return alpha * d**3 - 5 * alpha * d**2 + 8 * alpha * d - 4 * alpha if d < 2 else 0.0


def axis_weights(
    size: int, out: int, method: str, mode: str, rounding: str = "round_prefer_floor",
    alpha: float = -0.5, exclude: int = 0, roi: Any = (0, 1), extrapolation: Any = None,
) -> np.ndarray:  # fmt: skip
    """The weights of the input elements (columns) in the results (rows) along one axis: a matrix
    (out, size). With ``extrapolation``, the row of a result outside of the image is NaN.
    """
    matrix = np.zeros((out, size))
    for x in range(out):
        at = _coordinate(x, size, out, mode, roi)
        if extrapolation is not None and not 0 <= at <= size - 1:
            matrix[x] = np.nan
            continue
        if method == "nearest_neighbor":
            matrix[x, int(np.clip(ROUND[rounding](at), 0, size - 1))] = 1
            continue
        base = int(np.floor(at))
        offsets = (0, 1) if method == "linear" else (-1, 0, 1, 2)
        weights = [
            1 - abs(at - base - n) if method == "linear" else _cubic(at - base - n, alpha)
            for n in offsets
        ]
        if exclude:
            weights = [
                w if 0 <= base + n < size else 0.0 for n, w in zip(offsets, weights, strict=True)
            ]
            weights = [w / sum(weights) for w in weights]
        for n, weight in zip(offsets, weights, strict=True):
            matrix[x, np.clip(base + n, 0, size - 1)] += weight
    return matrix


def _resized(
    data: Any, scale: Any, layout: str, letters: str, method: str, mode: str, rounding: str,
    alpha: float, exclude: int,
) -> Any:  # fmt: skip
    """Axis by axis, ``scale`` times as long; without a rule of rounding, that of the mode."""
    rounding = rounding or ("round_prefer_ceil" if mode == "align_corners" else
                            "round_prefer_floor")  # fmt: skip
    for letter, factor in zip(letters, np.atleast_1d(scale), strict=True):
        axis = layout.index(letter)
        out = round(data.shape[axis] * factor)
        weights = axis_weights(data.shape[axis], out, method, mode, rounding, alpha, exclude)
        data = np.moveaxis(np.moveaxis(data, axis, -1) @ weights.T, -1, axis)
    return data


def resize1d_python(
    data: Any, scale: Any, layout: str = "NCW", method: str = "nearest_neighbor",
    coordinate_transformation_mode: str = "align_corners", rounding_method: str = "",
    alpha: float = -0.5, exclude: int = 0,
) -> Any:  # fmt: skip
    """A line, ``scale`` times as long."""
    return _resized(data, scale, layout, "W", method, coordinate_transformation_mode,
                    rounding_method, alpha, exclude)  # fmt: skip


def resize2d_python(
    data: Any, scale: Any, layout: str = "NCHW", method: str = "nearest_neighbor",
    coordinate_transformation_mode: str = "align_corners", rounding_method: str = "",
    alpha: float = -0.5, exclude: int = 0,
) -> Any:  # fmt: skip
    """An image, ``scale`` (high, wide) times as large."""
    return _resized(data, scale, layout, "HW", method, coordinate_transformation_mode,
                    rounding_method, alpha, exclude)  # fmt: skip


def resize3d_python(
    data: Any, scale: Any, layout: str = "NCDHW", method: str = "nearest_neighbor",
    coordinate_transformation_mode: str = "align_corners", rounding_method: str = "",
    alpha: float = -0.5, exclude: int = 0,
) -> Any:  # fmt: skip
    """A volume, ``scale`` (deep, high, wide) times as large."""
    return _resized(data, scale, layout, "DHW", method, coordinate_transformation_mode,
                    rounding_method, alpha, exclude)  # fmt: skip


def upsampling_python(data: Any, scale: Any, layout: str = "NCHW") -> Any:
    """Each element of an image ``scale`` (high, wide) times."""
    for letter, factor in zip("HW", scale, strict=True):
        data = np.repeat(data, factor, layout.index(letter))
    return data


def affine_grid_python(data: Any, target_shape: Any) -> Any:
    """The coordinates (N, 2, H, W), x and y from -1 to 1, of a grid under the matrices (N, 2,
    3).
    """
    rows, columns = (np.linspace(-1, 1, size) for size in target_shape)
    y, x = np.meshgrid(rows, columns, indexing="ij")
    return np.einsum("nrk,khw->nrhw", data, np.stack([x, y, np.ones_like(x)]))


def grid_sample_python(
    data: Any, grid: Any, method: str = "bilinear", layout: str = "NCHW",
    padding_mode: str = "zeros", align_corners: bool = True,
) -> Any:  # fmt: skip
    """Images (N, C, H, W) at the places (N, 2, OH, OW) of a grid."""
    del layout
    height, width = data.shape[2:]
    result = np.zeros((*data.shape[:2], *grid.shape[2:]))

    def place(value: float, size: int) -> float:
        at = (value + 1) / 2 * (size - 1) if align_corners else ((value + 1) * size - 1) / 2
        if padding_mode == "reflection":
            low, high = (0, size - 1) if align_corners else (-0.5, size - 0.5)
            while not low <= at <= high:
                at = 2 * low - at if at < low else 2 * high - at
        return at if padding_mode == "zeros" else min(max(at, 0), size - 1)

    def read(n: int, y: float, x: float) -> Any:
        inside = 0 <= y < height and 0 <= x < width
        return data[n, :, int(y), int(x)] if inside else np.zeros(data.shape[1])

    for n, i, j in np.ndindex(grid.shape[0], *grid.shape[2:]):
        x, y = place(grid[n, 0, i, j], width), place(grid[n, 1, i, j], height)
        if method == "nearest":
            result[n, :, i, j] = read(n, np.round(y), np.round(x))
            continue
        for a, b in itertools.product((0, 1), (0, 1)):
            v, u = np.floor(y) + a, np.floor(x) + b
            result[n, :, i, j] += read(n, v, u) * (1 - abs(y - v)) * (1 - abs(x - u))
    return result
