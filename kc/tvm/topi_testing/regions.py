"""Boxes, regions and moved taps by their definition, in numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def _between(image: Any, y: float, x: float) -> float:
    """Linear between elements; 0 outside."""
    if not (math.isfinite(y) and math.isfinite(x)):
        return 0.0
    i, j = math.floor(y), math.floor(x)
    total = 0.0
    for row, share in ((i, 1 - (y - i)), (i + 1, y - i)):
        for column, part in ((j, 1 - (x - j)), (j + 1, x - j)):
            if 0 <= row < image.shape[0] and 0 <= column < image.shape[1]:
                total += share * part * image[row, column]
    return total


def deformable_conv2d_nchw_python(
    a_np: Any, offset_np: Any, w_np: Any, stride: int, padding: int, dilation: int,
    deformable_groups: int, groups: int,
) -> Any:  # fmt: skip
    """A convolution whose taps are moved."""
    batch, channels = a_np.shape[:2]
    results, each, kh, kw = w_np.shape
    outs = offset_np.shape[2:]
    own = channels // deformable_groups
    result = np.zeros((batch, results, *outs))
    for n, o, i, j, c, u, v in np.ndindex(batch, results, *outs, each, kh, kw):
        channel = o // (results // groups) * each + c
        tap = (channel // own * kh + u) * kw + v
        down, right = offset_np[n, 2 * tap : 2 * tap + 2, i, j]
        y = i * stride - padding + u * dilation + down
        x = j * stride - padding + v * dilation + right
        result[n, o, i, j] += _between(a_np[n, channel], y, x) * w_np[o, c, u, v]
    return result


def get_valid_counts_python(
    data: Any, score_threshold: float, id_index: int = 0, score_index: int = 1
) -> list[Any]:
    """[how many, the boxes, their places]."""
    counts = np.zeros(data.shape[0], "int32")
    boxes, places = np.full(data.shape, -1.0), np.full(data.shape[:2], -1)
    for b, image in enumerate(data):
        valid = image[:, score_index] > score_threshold
        if id_index >= 0:
            valid &= image[:, id_index] >= 0
        where = np.flatnonzero(valid)
        counts[b] = len(where)
        boxes[b, : len(where)], places[b, : len(where)] = image[where], where
    return [counts, boxes, places]


def _overlap(a: Any, b: Any) -> float:
    (al, at, ar, ab), (bl, bt, br, bb) = a, b
    wide = max(0.0, min(max(al, ar), max(bl, br)) - max(min(al, ar), min(bl, br)))
    high = max(0.0, min(max(at, ab), max(bt, bb)) - max(min(at, ab), min(bt, bb)))
    union = abs((ar - al) * (ab - at)) + abs((br - bl) * (bb - bt)) - wide * high
    return wide * high / union if union > 0 else 0.0


def non_max_suppression_python(
    data: Any, valid_count: Any, indices: Any, max_output_size: int = -1,
    iou_threshold: float = 0.5, force_suppress: bool = False, top_k: int = -1,
    coord_start: int = 2, score_index: int = 1, id_index: int = 0, return_indices: bool = True,
    invalid_to_bottom: bool = False,
) -> Any:  # fmt: skip
    """The boxes that no better one covers."""
    names, counts = np.full(indices.shape, -1), np.zeros((len(data), 1), int)
    boxes = np.full(data.shape, -1.0)
    for b, image in enumerate(data):
        valid = int(np.clip(valid_count[b], 0, len(image)))
        order = np.argsort(-image[:valid, score_index], kind="stable")
        order = order[: top_k if top_k >= 0 else None]
        chosen: list[tuple[int, int]] = []
        for place, n in enumerate(order):
            if 0 <= max_output_size <= len(chosen):
                break
            span = slice(coord_start, coord_start + 4)
            covered = any(
                _overlap(image[m, span], image[n, span]) >= iou_threshold
                and (force_suppress or id_index < 0 or image[m, id_index] == image[n, id_index])
                for _, m in chosen
            )
            if not covered:
                chosen.append((place, n))
        counts[b, 0] = len(chosen)
        for number, (place, n) in enumerate(chosen):
            names[b, number] = indices[b, n]
            boxes[b, number if invalid_to_bottom else place] = image[n]
    return [names, counts] if return_indices else boxes


def roi_align_nchw_python(
    a_np: Any, rois_np: Any, pooled_size: Any, spatial_scale: float, sample_ratio: int,
    mode: str = "avg",
) -> Any:  # fmt: skip
    """Regions, linear between elements."""
    rows, columns = a_np.shape[2:]
    high, wide = pooled_size
    result = np.zeros((len(rois_np), a_np.shape[1], high, wide))
    for r, c, i, j in np.ndindex(*result.shape):
        number = rois_np[r, 0]
        if not 0 <= number < len(a_np):
            continue
        x1, y1, x2, y2 = rois_np[r, 1:] * spatial_scale
        height, width = max(y2 - y1, 1) / high, max(x2 - x1, 1) / wide
        ny = sample_ratio if sample_ratio > 0 else min(math.ceil(height), rows)
        nx = sample_ratio if sample_ratio > 0 else min(math.ceil(width), columns)
        values = []
        for v, u in np.ndindex(ny, nx):
            y, x = y1 + (i + (v + 0.5) / ny) * height, x1 + (j + (u + 0.5) / nx) * width
            if not (-1 <= y <= rows and -1 <= x <= columns):
                values.append(0.0)
                continue
            y, x = min(max(y, 0), rows - 1), min(max(x, 0), columns - 1)
            values.append(_between(a_np[int(number), c], y, x))
        result[r, c, i, j] = np.mean(values) if mode == "avg" else np.max(values)
    return result


def roi_pool_nchw_python(a_np: Any, rois_np: Any, pooled_size: Any, spatial_scale: float) -> Any:
    """The largest elements of bins."""
    rows, columns = a_np.shape[2:]
    high, wide = pooled_size
    result = np.zeros((len(rois_np), a_np.shape[1], high, wide))
    for r, c, i, j in np.ndindex(*result.shape):
        if not 0 <= rois_np[r, 0] < len(a_np):
            continue
        x1, y1, x2, y2 = (round(end * spatial_scale) for end in rois_np[r, 1:])

        def bounds(begin: int, end: int, at: int, parts: int, size: int) -> slice:
            length = max(end - begin + 1, 1)
            first = begin + math.floor(at * length / parts)
            last = begin + math.ceil((at + 1) * length / parts)
            return slice(min(max(first, 0), size), min(max(last, 0), size))

        part = a_np[int(rois_np[r, 0]), c, bounds(y1, y2, i, high, rows),
                    bounds(x1, x2, j, wide, columns)]  # fmt: skip
        result[r, c, i, j] = part.max() if part.size else 0
    return result


def roi_align_nhwc_python(
    a_np: Any, rois_np: Any, pooled_size: Any, spatial_scale: float, sample_ratio: int,
    mode: str = "avg",
) -> Any:  # fmt: skip
    """:func:`roi_align_nchw_python` of images (N, H, W, C)."""
    moved = a_np.transpose(0, 3, 1, 2)
    result = roi_align_nchw_python(moved, rois_np, pooled_size, spatial_scale, sample_ratio, mode)
    return result.transpose(0, 2, 3, 1)


def deformable_conv2d_nhwc_python(
    a_np: Any, offset_np: Any, w_np: Any, stride: int, padding: int, dilation: int,
    deformable_groups: int, groups: int,
) -> Any:  # fmt: skip
    """:func:`deformable_conv2d_nchw_python` of (N, H, W, C) with (KH, KW, C, O)."""
    parts = a_np.transpose(0, 3, 1, 2), offset_np.transpose(0, 3, 1, 2), w_np.transpose(3, 2, 0, 1)
    result = deformable_conv2d_nchw_python(*parts, stride, padding, dilation, deformable_groups,
                                           groups)  # fmt: skip
    return result.transpose(0, 2, 3, 1)
