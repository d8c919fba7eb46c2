"""Regions that a network proposes. Source: Ren et al., Faster R-CNN, 2015; names are TVM's."""

from __future__ import annotations

import math
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, any_of, as_expr, const
from kc.expr.constructors import cast as convert
from kc.expr.tensor import Tensor, shape_text
from kc.te.computes import compute
from kc.topi.arguments import constant, positive, same_size, tensor, whole
from kc.topi.elementwise import as_wide, cast, is_narrow
from kc.topi.loops import Loops, written
from kc.topi.sorting import argsort
from kc.topi.table import OF_BOXES, WORDS, operator, refuse
from kc.topi.vision.multibox import numbers


def _anchors(scales: list[float], ratios: list[float], stride: int) -> list[list[float]]:
    """Boxes around the first place, of each ratio in each scale."""
    middle, result = 0.5 * (stride - 1), []
    for ratio in ratios:
        side = math.floor(math.sqrt(math.floor(stride * stride / ratio)) + 0.5)
        for scale in scales:
            wide, high = side * scale, math.floor(side * ratio + 0.5) * scale
            x, y = 0.5 * (wide - 1), 0.5 * (high - 1)
            result.append([middle - x, middle - y, middle + x, middle + y])
    return result


@operator(
    "vision", WORDS,
    "vision.proposal(T(1, 4, 2, 2), T(1, 8, 2, 2), T(1, 3), (1, 2), (1,), 8, 0.7, 6, 3, 1, False)",
    gradient=OF_BOXES,
)  # fmt: skip
def proposal(
    cls_prob: Tensor, bbox_pred: Tensor, im_info: Tensor, scales: Any, ratios: Any,
    feature_stride: int, threshold: float, rpn_pre_nms_top_n: int, rpn_post_nms_top_n: int,
    rpn_min_size: int, iou_loss: bool,
) -> Tensor:  # fmt: skip
    """The best regions (B * rpn_post_nms_top_n, 5): image, left, top, right and bottom.

    The inputs are scores (B, 2 A, H, W), whose second half is the score of an object, and moves (B,
    4 A, H, W) of A = ratios * scales anchors at each place; places are ``feature_stride`` elements
    of the image apart. ``im_info`` (B, 3) is the height, the width and the scale of each image. A
    move is that of the centre, in sizes of the anchor, and the logarithms of the change of the
    sizes; with ``iou_loss`` a move of the corners. Corners are clipped to the image, and belong to
    the region. Regions smaller than ``rpn_min_size`` times the scale, or at places outside of the
    image, come last. The best ``rpn_pre_nms_top_n`` regions are considered (-1: all; equal scores
    in order), and kept if no better region overlaps them by more than ``threshold``. If fewer are
    kept than the result has rows, they are repeated. Raises KC2302 and KC2303 for ranks and shapes,
    KC2306 for numbers below 1, KC2311 to KC2317 for lists of scales and ratios.
    """
    tensor(cls_prob, "cls_prob", 4)
    tensor(bbox_pred, "bbox_pred", 4, (cls_prob.dtype,))
    tensor(im_info, "im_info", 2, (cls_prob.dtype,))
    sizes, shapes = numbers(scales, "scales"), numbers(ratios, "ratios")
    if min(*sizes, *shapes) <= 0:
        raise refuse("KC2317", f"scales is {scales}, ratios is {ratios}", "they must be above 0")
    (stride,) = positive(feature_stride, 1, "feature_stride")
    (kept_count,) = positive(rpn_post_nms_top_n, 1, "rpn_post_nms_top_n")
    anchors = _anchors(sizes, shapes, stride)
    count, kind = len(anchors), cls_prob.dtype
    same_size(cls_prob, 0, bbox_pred, 0, "there are moves for each image")
    same_size(cls_prob, 0, im_info, 0, "there is a size for each image")
    batch, height, width = (
        constant(cls_prob.shape[n], "the sizes of the scores") for n in (0, 2, 3)
    )
    for operand, expected in (
        (cls_prob, (batch, 2 * count, height, width)),
        (bbox_pred, (batch, 4 * count, height, width)),
        (im_info, (batch, 3)),
    ):
        if tuple(operand.shape) != expected:
            raise refuse(
                "KC2303",
                f"{operand.name} of the shape {shape_text(operand.shape)} for {count} anchors",
                f"it has the shape {shape_text(expected)}",
            )
    total = height * width * count
    if not total:
        raise refuse("KC2317", f"{cls_prob.name} of the shape {shape_text(cls_prob.shape)}",
                     "the height and the width must be at least 1")  # fmt: skip
    before = whole(rpn_pre_nms_top_n, "rpn_pre_nms_top_n")
    if is_narrow(kind):
        regions = proposal(
            as_wide(cls_prob), as_wide(bbox_pred), as_wide(im_info), scales, ratios, stride,
            threshold, before, kept_count, rpn_min_size, iou_loss,
        )  # fmt: skip
        return cast(regions, kind)
    looked_at = min(before, total) if before > 0 else total

    def predicted(loops: Loops) -> None:
        (scores, moves, images), (boxes, ranks) = loops.ins, loops.outs
        let = loops.ib.let

        def place(b: Any, i: Any, j: Any) -> None:
            for k, anchor in enumerate(anchors):
                n = (i * width + j) * count + k
                dx, dy, dw, dh = (moves[b, k * 4 + side, i, j] for side in range(4))
                offsets = (j, i, j, i)
                x1, y1, x2, y2 = (
                    convert(as_expr(offset * stride), kind) + edge
                    for offset, edge in zip(offsets, anchor, strict=True)
                )
                if iou_loss:
                    corners = [x1 + dx, y1 + dy, x2 + dw, y2 + dh]
                else:
                    wide, high = anchor[2] - anchor[0] + 1, anchor[3] - anchor[1] + 1
                    x = dx * wide + x1 + 0.5 * (wide - 1)
                    y = dy * high + y1 + 0.5 * (high - 1)
                    half_w = let("half_w", (scalar.exp(dw) * wide - 1.0) * 0.5)
                    half_h = let("half_h", (scalar.exp(dh) * high - 1.0) * 0.5)
                    corners = [x - half_w, y - half_h, x + half_w, y + half_h]
                last = [let(name, images[b, n] - 1.0) for n, name in enumerate(("bottom", "right"))]
                inner = [
                    let(
                        "side", scalar.max(scalar.min(corner, last[1 - side % 2]), const(0.0, kind))
                    )
                    for side, corner in enumerate(corners)
                ]
                least = let("least", images[b, 2] * float(rpn_min_size))
                small = any_of(inner[2] - inner[0] + 1.0 < least, inner[3] - inner[1] + 1.0 < least)
                small = let("small", small)
                beyond = any_of(
                    convert(as_expr(i + 1), kind) * float(stride) > images[b, 0],
                    convert(as_expr(j + 1), kind) * float(stride) > images[b, 1],
                )
                for side, corner in enumerate(inner):
                    boxes[b, n, side] = corner
                ranks[b, n] = scores[b, count + k, i, j]
                with loops.ib.if_scope(any_of(small, beyond)):
                    ranks[b, n] = const(-1.0, kind)
                with loops.ib.if_scope(small):
                    for side, corner in enumerate(inner):
                        moved = least / 2.0
                        boxes[b, n, side] = corner - moved if side < 2 else corner + moved

        loops.nest([batch, height, width], place, "p")

    boxes, ranks = written("proposal_boxes", [(batch, total, 4), (batch, total)], [kind, kind],
                           [cls_prob, bbox_pred, im_info], predicted)  # fmt: skip
    order = argsort(ranks, None, 1, 0, "int32")
    best = compute((batch, looked_at, 4), lambda b, n, side: boxes(b, order(b, n), side),
                   "proposal_best")  # fmt: skip

    def chosen(loops: Loops) -> None:
        ib, (boxes,), (result,) = loops.ib, loops.ins, loops.outs
        covered = ib.allocate("int32", (looked_at,), name="covered")

        def share(b: Any, m: Any, n: Any) -> Expr:
            def side(low: int) -> tuple[Expr, Expr, Expr]:
                high = low + 2
                both = scalar.min(boxes[b, m, high], boxes[b, n, high]) - scalar.max(
                    boxes[b, m, low], boxes[b, n, low]
                )
                return (
                    scalar.max(both + 1.0, const(0.0, kind)),
                    boxes[b, m, high] - boxes[b, m, low] + 1.0,
                    boxes[b, n, high] - boxes[b, n, low] + 1.0,
                )

            (wide, wide_m, wide_n), (high, high_m, high_n) = side(0), side(1)
            common = wide * high
            return common / (wide_m * high_m + wide_n * high_n - common)

        def image(b: Any) -> None:
            written_rows = loops.variable("int32", "rows")
            written_rows[0] = const(0)
            with ib.for_range(0, looked_at, name="n") as n:
                covered[n] = const(0)
                with ib.for_range(0, n, name="m") as m, ib.if_scope(covered[m].equal(0)):
                    with ib.if_scope(share(b, m, n) > const(float(threshold), kind)):
                        covered[n] = const(1)
            # The best box is kept: each iteration writes at least one row.
            with ib.for_range(0, kept_count), ib.for_range(0, looked_at, name="n") as n:
                with ib.if_scope(all_of(written_rows[0] < kept_count, covered[n].equal(0))):
                    row = b * kept_count + written_rows[0]
                    result[row, 0] = convert(as_expr(b), kind)
                    for side in range(4):
                        result[row, side + 1] = boxes[b, n, side]
                    written_rows[0] = written_rows[0] + 1

        loops.nest([batch], image, "b")

    return written("proposal", [(batch * kept_count, 5)], [kind], [best], chosen)[0]
