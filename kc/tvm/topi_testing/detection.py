"""Reference implementations of object detection in numpy, by definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kc.tvm.topi_testing.regions import _overlap, non_max_suppression_python


def crop_and_resize_python(
    image: Any, boxes: Any, box_indices: Any, crop_size: Any, layout: str = "NCHW",
    method: str = "bilinear", extrapolation_value: float = 0.0,
) -> Any:  # fmt: skip
    """Parts of images, each in one size."""
    data = image if layout == "NHWC" else image.transpose(0, 2, 3, 1)
    height, width = data.shape[1:3]
    result = np.full((len(boxes), *crop_size, data.shape[3]), extrapolation_value, "float64")
    for k, i, j in np.ndindex(*result.shape[:3]):
        number = box_indices[k]
        y1, x1, y2, x2 = boxes[k]

        def place(low: float, high: float, at: int, out: int, size: int) -> float:
            share = low + at * (high - low) / (out - 1) if out > 1 else (low + high) / 2
            return share * (size - 1)

        y, x = place(y1, y2, i, crop_size[0], height), place(x1, x2, j, crop_size[1], width)
        if not (0 <= number < len(data) and 0 <= y <= height - 1 and 0 <= x <= width - 1):
            continue
        if method == "nearest_neighbor":
            result[k, i, j] = data[number, round(y), round(x)]
            continue
        top, left = math.floor(y), math.floor(x)
        below, right = min(top + 1, height - 1), min(left + 1, width - 1)
        dy, dx = y - top, x - left
        upper = data[number, top, left] * (1 - dx) + data[number, top, right] * dx
        lower = data[number, below, left] * (1 - dx) + data[number, below, right] * dx
        result[k, i, j] = upper * (1 - dy) + lower * dy
    return result if layout == "NHWC" else result.transpose(0, 3, 1, 2)


def multibox_prior_python(
    height: int, width: int, sizes: Any, ratios: Any, steps: Any = (-1, -1),
    offsets: Any = (0.5, 0.5), clip: bool = False,
) -> Any:  # fmt: skip
    """The boxes at each place of an image."""
    down = steps[0] if steps[0] > 0 else 1 / height
    right = steps[1] if steps[1] > 0 else 1 / width
    shapes = [(size, 1.0) for size in sizes] + [(sizes[0], ratio) for ratio in ratios[1:]]
    boxes = []
    for i, j in np.ndindex(height, width):
        y, x = (i + offsets[0]) * down, (j + offsets[1]) * right
        for size, ratio in shapes:
            w, h = size * height / width * math.sqrt(ratio) / 2, size / math.sqrt(ratio) / 2
            boxes.append([x - w, y - h, x + w, y + h])
    result = np.array(boxes)[None]
    return result.clip(0, 1) if clip else result


def multibox_transform_loc_python(
    cls_prob: Any, loc_pred: Any, anchor: Any, clip: bool = True, threshold: float = 0.01,
    variances: Any = (0.1, 0.1, 0.2, 0.2),
) -> list[Any]:  # fmt: skip
    """[boxes, how many]."""
    batch, _, count = cls_prob.shape
    boxes, counts = np.full((batch, count, 6), -1.0), np.zeros(batch, int)
    for b, n in np.ndindex(batch, count):
        scores = cls_prob[b, 1:, n]
        if not len(scores) or scores.max() < threshold or scores.max() <= -1:
            continue
        left, top, right, bottom = anchor[0, n]
        dx, dy, dw, dh = loc_pred[b, 4 * n : 4 * n + 4] * variances
        middle = np.array([dx * (right - left) + (left + right) / 2,
                           dy * (bottom - top) + (top + bottom) / 2])  # fmt: skip
        half = np.array([math.exp(dw) * (right - left) / 2, math.exp(dh) * (bottom - top) / 2])
        corners = np.concatenate([middle - half, middle + half])
        boxes[b, counts[b]] = [scores.argmax(), scores.max(),
                               *(corners.clip(0, 1) if clip else corners)]  # fmt: skip
        counts[b] += 1
    return [boxes, counts]


def multibox_detection_python(
    cls_prob: Any, loc_pred: Any, anchor: Any, clip: bool = True, threshold: float = 0.01,
    nms_threshold: float = 0.5, force_suppress: bool = False,
    variances: Any = (0.1, 0.1, 0.2, 0.2), nms_topk: int = -1,
) -> Any:  # fmt: skip
    """The boxes that remain after non-maximum suppression."""
    boxes, counts = multibox_transform_loc_python(
        cls_prob, loc_pred, anchor, clip, threshold, variances
    )
    places = np.tile(np.arange(boxes.shape[1]), (len(boxes), 1))
    return non_max_suppression_python(
        boxes, counts, places, -1, nms_threshold, force_suppress, nms_topk, return_indices=False
    )


def all_class_non_max_suppression_python(
    boxes: Any, scores: Any, max_output_boxes_per_class: int, iou_threshold: float,
    score_threshold: float,
) -> list[tuple[int, int, int]]:  # fmt: skip
    """(image, class, box) of each selected box."""
    result: list[tuple[int, int, int]] = []
    for b, c in np.ndindex(*scores.shape[:2]):
        chosen: list[int] = []
        for n in np.argsort(-scores[b, c], kind="stable"):
            if 0 <= max_output_boxes_per_class <= len(chosen) or scores[b, c, n] <= score_threshold:
                continue
            if all(_overlap(boxes[b, m], boxes[b, n]) <= iou_threshold for m in chosen):
                chosen.append(int(n))
        result += [(b, c, n) for n in chosen]
    return result


def proposal_python(
    cls_prob: Any, bbox_pred: Any, im_info: Any, scales: Any, ratios: Any, feature_stride: int,
    threshold: float, pre_nms: int, post_nms: int, min_size: int, iou_loss: bool,
) -> Any:  # fmt: skip
    """The regions of each image with the highest scores, after non-maximum suppression:
    ``post_nms`` rows of the image number and the four corner coordinates. Repeats regions if fewer
    remain.
    """
    batch, _, height, width = cls_prob.shape
    count, result = len(scales) * len(ratios), []
    for b in range(batch):
        boxes, ranks = [], []
        for i, j, k in np.ndindex(height, width, count):
            ratio, scale = ratios[k // len(scales)], scales[k % len(scales)]
            side = math.floor(math.sqrt(math.floor(feature_stride**2 / ratio)) + 0.5)
            sizes = np.array([side * scale, math.floor(side * ratio + 0.5) * scale])
            middle = np.array([j, i]) * feature_stride + 0.5 * (feature_stride - 1)
            move = bbox_pred[b, 4 * k : 4 * k + 4, i, j]
            if iou_loss:
                half = 0.5 * (sizes - 1)
                box = np.concatenate([middle - half, middle + half]) + move
            else:
                half = 0.5 * (np.exp(move[2:]) * sizes - 1)
                middle = middle + move[:2] * sizes
                box = np.concatenate([middle - half, middle + half])
            high, wide, scaled = im_info[b]
            box = box.clip(0, np.array([wide, high, wide, high]) - 1)
            rank = cls_prob[b, count + k, i, j]
            if i >= int(high / feature_stride) or j >= int(wide / feature_stride):
                rank = -1
            least = scaled * min_size
            if min(box[2:] - box[:2] + 1) < least:
                box, rank = box + np.array([-1, -1, 1, 1]) * least / 2, -1
            boxes.append(box)
            ranks.append(rank)
        order = np.argsort(-np.array(ranks), kind="stable")
        order = order[: pre_nms if pre_nms > 0 else None]
        chosen: list[Any] = []
        for n in order:
            # Corners belong to regions: the size is the distance plus 1.
            own = [*boxes[n][:2], *(boxes[n][2:] + 1)]
            if all(_overlap([*m[:2], *(m[2:] + 1)], own) <= threshold for m in chosen):
                chosen.append(boxes[n])
        result += [[b, *chosen[n % len(chosen)]] for n in range(post_nms)]
    return np.array(result)


def reorg_python(a_np: Any, stride: int) -> Any:
    """Blocks of space moved into channels, in darknet's order."""
    batch, channels, height, width = a_np.shape
    depth = channels // stride**2
    wide = a_np.reshape(batch, depth, height * stride, width * stride)
    parts = [wide[:, :, i::stride, j::stride] for i in range(stride) for j in range(stride)]
    shape = (batch, channels * stride**2, height // stride, width // stride)
    return np.stack(parts, 1).reshape(shape)
