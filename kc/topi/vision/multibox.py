"""Anchor boxes of several sizes at each place of an image, and the decoding of predictions (SSD).

Source: Liu et al., SSD: Single Shot MultiBox Detector, 2016; names and orders are TVM's.
"""

from __future__ import annotations

import math
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, const, select
from kc.expr.constructors import cast as convert
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, shape_text
from kc.support.diagnostics import counted
from kc.te.computes import compute
from kc.topi.arguments import constant, same_size, tensor, times
from kc.topi.elementwise import as_wide, cast, is_narrow, wide_type
from kc.topi.loops import Loops, written
from kc.topi.table import OF_BOXES, WORDS, operator, refuse
from kc.topi.vision.boxes import non_max_suppression


def numbers(value: Any, what: str, count: int | None = None) -> list[float]:
    """Finite numbers; as many as asked for (KC2311, KC2313)."""
    listed = list(value) if isinstance(value, list | tuple) else [value]
    if not listed or (count is not None and len(listed) != count):
        raise refuse("KC2311", f"{what} has {counted(len(listed), 'number')}: {tuple(listed)}",
                     f"it has {count}" if count else "it must have 1 or more")  # fmt: skip
    if not all(isinstance(item, int | float) and math.isfinite(item) for item in listed):
        raise refuse("KC2313", f"{what} is {value}", "the numbers must be finite")
    return [float(item) for item in listed]


@operator(INJECTIVE, WORDS, "vision.multibox_prior(T(1, 3, 2, 3), (0.5, 0.25), (1, 2))",
          gradient="zero")  # fmt: skip
def multibox_prior(
    data: Tensor, sizes: Any = (1,), ratios: Any = (1,), steps: Any = (-1, -1),
    offsets: Any = (0.5, 0.5), clip: bool = False,
) -> Tensor:  # fmt: skip
    """The boxes (1, H * W * (sizes + ratios - 1), 4) at each place of data (N, C, H, W).

    A box is left, top, right, bottom as fractions of the image. There is a box for each size, which
    is a fraction of the height, and then a box of the first size for each ratio except the first.
    ``steps``, down and right, are the distances of places (-1: the image is divided evenly);
    ``offsets`` is the position of the centre in a place. ``clip`` moves corners into the image.
    Raises KC2302 for a rank, KC2311 and KC2313 for lists, KC2317 for sizes and ratios that are not
    above 0.
    """
    tensor(data, "data", 4)
    height, width = (constant(size, "the size of the image") for size in data.shape[2:])
    large, shapes = numbers(sizes, "sizes"), numbers(ratios, "ratios")
    distance, offset = numbers(steps, "steps", 2), numbers(offsets, "offsets", 2)
    for numbers_of, shapes_of, what in ((sizes, large, "size"), (ratios, shapes, "ratio")):
        if min(shapes_of) <= 0:
            raise refuse("KC2317", f"{what}s is {numbers_of}", f"a {what} must be above 0")
    kind, flat = wide_type(data.dtype), height / max(width, 1)
    step_y = distance[0] if distance[0] > 0 else 1 / max(height, 1)
    step_x = distance[1] if distance[1] > 0 else 1 / max(width, 1)
    halves = [(size * flat / 2, size / 2) for size in large] + [
        (large[0] * flat * math.sqrt(ratio) / 2, large[0] / math.sqrt(ratio) / 2)
        for ratio in shapes[1:]
    ]
    count = len(halves)

    def body(_: Any, place: Any, side: Any) -> Expr:
        k, at = place % count, place // count
        row, column = at // max(width, 1), at % max(width, 1)
        middle_y = (convert(as_expr(row), kind) + offset[0]) * step_y
        middle_x = (convert(as_expr(column), kind) + offset[1]) * step_x

        def half(n: int) -> Expr:
            value: Expr = const(halves[0][n], kind)
            for m, pair in enumerate(halves[1:], 1):
                value = select(k.equal(m), const(pair[n], kind), value)
            return value

        corner = select(side.equal(0), middle_x - half(0), middle_y + half(1))
        corner = select(side.equal(1), middle_y - half(1), corner)
        corner = select(side.equal(2), middle_x + half(0), corner)
        if clip:
            corner = scalar.max(scalar.min(corner, const(1.0, kind)), const(0.0, kind))
        return convert(corner, data.dtype)

    return compute((1, height * width * count, 4), body, "multibox_prior", tag=INJECTIVE)


_EXAMPLE = "T(1, 3, 4), T(1, 16), T(1, 4, 4)"


def _predictions(cls_prob: Tensor, loc_pred: Tensor, anchor: Tensor, variances: Any) -> list[float]:
    tensor(cls_prob, "cls_prob", 3)
    tensor(loc_pred, "loc_pred", 2, (cls_prob.dtype,))
    tensor(anchor, "anchor", 3, (cls_prob.dtype,))
    same_size(cls_prob, 2, anchor, 1, "there is a score for each anchor")
    same_size(cls_prob, 0, loc_pred, 0, "there are places for each image")
    expected = times(anchor.shape[1], 4)
    ends = (loc_pred.shape[1], expected, anchor.shape[0], anchor.shape[2])
    if all(isinstance(size, int) for size in ends) and ends[1:] != (ends[0], 1, 4):
        raise refuse(
            "KC2303",
            f"loc_pred {loc_pred.name} of the shape {shape_text(loc_pred.shape)} and anchor "
            f"{anchor.name} of the shape {shape_text(anchor.shape)}",
            "anchor must be (1, N, 4), and loc_pred must have 4 N numbers for each image",
        )
    return numbers(variances, "variances", 4)


@operator("vision", WORDS, f"vision.multibox_transform_loc({_EXAMPLE})", gradient=OF_BOXES)
def multibox_transform_loc(
    cls_prob: Tensor, loc_pred: Tensor, anchor: Tensor, clip: bool = True,
    threshold: float = 0.01, variances: Any = (0.1, 0.1, 0.2, 0.2),
) -> list[Tensor]:  # fmt: skip
    """[boxes (B, N, 6), their number (B,)] of scores (B, C, N), moves (B, 4 N) and anchors (1, N,
    4).

    A box is its class, score, left, top, right and bottom. Class 0 is the background, which the
    result does not count: class c of the scores is c - 1. Boxes whose best class has a score below
    ``threshold`` are dropped; the others come first, in their order, and the rest is -1. A move is
    that of the centre, in sizes of the anchor, and the logarithms of the change of the sizes, each
    times its ``variances``. ``clip`` moves corners into the image. Raises KC2302 and KC2303 for
    ranks and shapes that do not fit, KC2311 and KC2313 for variances.
    """
    vx, vy, vw, vh = _predictions(cls_prob, loc_pred, anchor, variances)
    if is_narrow(cls_prob.dtype):
        boxes, counts = multibox_transform_loc(
            as_wide(cls_prob), as_wide(loc_pred), as_wide(anchor), clip, threshold, variances
        )
        return [cast(boxes, cls_prob.dtype), counts]
    kind, count = cls_prob.dtype, cls_prob.shape[2]

    def body(loops: Loops) -> None:
        ib, (scores, moves, anchors), (boxes, counts) = loops.ib, loops.ins, loops.outs

        def image(b: Any) -> None:
            best, label = loops.variable(kind, "best"), loops.variable("int32", "label")
            loops.nest([count, 6], lambda n, e: boxes.__setitem__((b, n, e), const(-1, kind)), "c")
            counts[b] = const(0)
            with ib.for_range(0, count, name="n") as n:
                best[0], label[0] = const(-1.0, kind), const(0)
                with ib.for_range(1, cls_prob.shape[1], name="k") as k:
                    with ib.if_scope(scores[b, k, n] > best[0]):
                        best[0], label[0] = scores[b, k, n], convert(as_expr(k), "int32")
                counted_box = all_of(label[0] > 0, best[0] >= const(float(threshold), kind))
                with ib.if_scope(counted_box):
                    left, top, right, bottom = (anchors[0, n, side] for side in range(4))
                    wide, high = right - left, bottom - top
                    dx, dy, dw, dh = (moves[b, n * 4 + side] for side in range(4))
                    x = dx * vx * wide + (left + right) / 2.0
                    y = dy * vy * high + (top + bottom) / 2.0
                    half_w = scalar.exp(dw * vw) * wide / 2.0
                    half_h = scalar.exp(dh * vh) * high / 2.0
                    corners = (x - half_w, y - half_h, x + half_w, y + half_h)
                    boxes[b, counts[b], 0] = convert(label[0] - 1, kind)
                    boxes[b, counts[b], 1] = best[0]
                    for side, corner in enumerate(corners):
                        inner = scalar.max(scalar.min(corner, const(1.0, kind)), const(0.0, kind))
                        boxes[b, counts[b], side + 2] = inner if clip else corner
                    counts[b] = counts[b] + 1

        loops.nest([cls_prob.shape[0]], image, "b")

    shapes = [(cls_prob.shape[0], count, 6), (cls_prob.shape[0],)]
    inputs = [cls_prob, loc_pred, anchor]
    return written("multibox_boxes", shapes, [kind, "int32"], inputs, body)


@operator("vision", WORDS, f"vision.multibox_detection({_EXAMPLE})", gradient=OF_BOXES)
def multibox_detection(
    cls_prob: Tensor, loc_pred: Tensor, anchor: Tensor, clip: bool = True,
    threshold: float = 0.01, nms_threshold: float = 0.5, force_suppress: bool = False,
    variances: Any = (0.1, 0.1, 0.2, 0.2), nms_topk: int = -1,
) -> Tensor:  # fmt: skip
    """The boxes (B, N, 6) of :func:`multibox_transform_loc` after non-maximum suppression.

    They are sorted by score; rejected boxes are -1, see :func:`non_max_suppression`. Errors are
    those of :func:`multibox_transform_loc`.
    """
    _predictions(cls_prob, loc_pred, anchor, variances)
    boxes, counts = multibox_transform_loc(
        as_wide(cls_prob), as_wide(loc_pred), as_wide(anchor), clip, threshold, variances
    )
    places = compute(boxes.shape[:2], lambda _, n: convert(as_expr(n), "int32"), "multibox_places",
                     tag=INJECTIVE)  # fmt: skip
    detected = non_max_suppression(
        boxes, counts, places, -1, nms_threshold, force_suppress, nms_topk, return_indices=False
    )
    return cast(detected, cls_prob.dtype) if is_narrow(cls_prob.dtype) else detected
