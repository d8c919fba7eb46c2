"""Operators that select boxes. A result whose size depends on the data is a buffer of the largest
size, and a count.
"""

from __future__ import annotations

from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, const, if_then_else
from kc.expr.constructors import cast as convert
from kc.expr.tensor import Tensor, shape_text
from kc.te.computes import compute
from kc.topi.arguments import (
    constant,
    float_of,
    index_tensor,
    length_of,
    same_size,
    tensor,
    times,
    whole,
    word,
)
from kc.topi.elementwise import wide_type
from kc.topi.loops import Loops, written
from kc.topi.sorting import argsort
from kc.topi.table import OF_BOXES, WORDS, operator, refuse


def _columns(data: Tensor, least: int, **columns: int) -> None:
    """Raise KC2302 to KC2304 unless the rows of boxes have the columns."""
    tensor(data, "data", 3)
    length = constant(data.shape[2], "the elements of a box")
    for what, column in columns.items():
        if column >= length or (what != "id_index" and column < 0):
            raise refuse(
                "KC2304",
                f"{what} {column} of {data.name} of the shape {shape_text(data.shape)}",
                f"a box has the elements 0 to {length - 1}",
            )
    if length < least:
        raise refuse(
            "KC2303",
            f"{data.name} of the shape {shape_text(data.shape)}",
            f"a box must have at least {least} elements",
        )


@operator("vision", WORDS, "vision.get_valid_counts(T(2, 4, 6), 0.5)", gradient=OF_BOXES)
def get_valid_counts(
    data: Tensor, score_threshold: Any = 0, id_index: int = 0, score_index: int = 1
) -> list[Tensor]:
    """[the number of valid boxes (B,), the boxes (B, N, E), their places (B, N)] of (B, N, E).

    Boxes with a score above ``score_threshold``, and a class of at least 0 (``id_index`` -1: no
    class), come first, in their order; the rest is -1. ``score_threshold`` is a number, which is
    compared in float32 or wider, or a tensor without dimensions.
    """
    id_at, score_at = whole(id_index, "id_index"), whole(score_index, "score_index")
    _columns(data, 1, id_index=id_at, score_index=score_at)
    limits, least = [], 0.0
    if isinstance(score_threshold, Tensor):
        limits = [tensor(score_threshold, "score_threshold", 0, (data.dtype,))]
    else:
        least = float_of(score_threshold, "score_threshold")

    def body(loops: Loops) -> None:
        boxes, (counts, scored, places) = loops.ins[0], loops.outs
        kind = data.dtype if limits else wide_type(data.dtype)
        limit = loops.ins[1][()] if limits else const(least, kind)

        def image(b: Any) -> None:
            counts[b] = const(0)
            with loops.ib.for_range(0, data.shape[1], name="n") as n:
                places[b, n] = const(-1)
                with loops.ib.for_range(0, data.shape[2], name="e") as e:
                    scored[b, n, e] = const(-1, data.dtype)
                valid = [convert(boxes[b, n, score_at], kind) > limit]
                if id_at >= 0:
                    valid.append(boxes[b, n, id_at] >= const(0, data.dtype))
                with loops.ib.if_scope(all_of(*valid)):
                    with loops.ib.for_range(0, data.shape[2], name="e") as e:
                        scored[b, counts[b], e] = boxes[b, n, e]
                    places[b, counts[b]] = convert(as_expr(n), "int32")
                    counts[b] = counts[b] + 1

        loops.nest([data.shape[0]], image, "b")

    shapes = [(data.shape[0],), data.shape, data.shape[:2]]
    return written("valid_counts", shapes, ["int32", data.dtype, "int32"], [data, *limits], body)


def _overlap(a: list[Expr], b: list[Expr]) -> Expr:
    """The intersection over union of two boxes; 0 if both are empty."""
    zero = const(0, a[0].dtype)

    def side(n: int) -> tuple[Expr, Expr, Expr]:
        low_a, high_a = scalar.min(a[n], a[n + 2]), scalar.max(a[n], a[n + 2])
        low_b, high_b = scalar.min(b[n], b[n + 2]), scalar.max(b[n], b[n + 2])
        both = scalar.max(scalar.min(high_a, high_b) - scalar.max(low_a, low_b), zero)
        return both, high_a - low_a, high_b - low_b

    (wide, wide_a, wide_b), (high, high_a, high_b) = side(0), side(1)
    common = wide * high
    union = wide_a * high_a + wide_b * high_b - common
    return if_then_else(union > zero, common / union, zero)


@operator(
    "vision", WORDS,
    'vision.non_max_suppression(T(1, 4, 6), T(1, dtype="int32"), T(1, 4, dtype="int32"))',
    gradient=OF_BOXES,
)  # fmt: skip
def non_max_suppression(
    data: Tensor, valid_count: Tensor, indices: Tensor, max_output_size: int = -1,
    iou_threshold: float = 0.5, force_suppress: bool = False, top_k: int = -1,
    coord_start: int = 2, score_index: int = 1, id_index: int = 0, return_indices: bool = True,
    invalid_to_bottom: bool = False,
) -> Any:  # fmt: skip
    """The boxes (B, N, E) that no better box of their class overlaps by ``iou_threshold`` or more.

    The first ``valid_count`` (B,) boxes are sorted by score; equal scores keep their order. The
    best ``top_k`` boxes are considered (-1: all), and at most ``max_output_size`` kept (-1: all).
    With ``force_suppress``, or an ``id_index`` of -1, classes are ignored. With ``return_indices``
    the result is [the ``indices`` (B, N) of the kept boxes, followed by -1; their number (B, 1)].
    Otherwise it is the sorted boxes, with -1 for rejected boxes, which ``invalid_to_bottom`` moves
    to the end. Raises KC2303 and KC2304 for invalid shapes and columns.
    """
    start, score_at = whole(coord_start, "coord_start"), whole(score_index, "score_index")
    id_at = whole(id_index, "id_index")
    _columns(data, 4, coord_start=start, score_index=score_at, id_index=id_at, last=start + 3)
    index_tensor(valid_count, "valid_count", 1)
    index_tensor(indices, "indices", 2)
    for axis in (0, 1):
        same_size(data, axis, indices, axis, "there is an index for each box")
    same_size(data, 0, valid_count, 0, "there is a count for each image")
    most, best = whole(max_output_size, "max_output_size"), whole(top_k, "top_k")
    count, wide = data.shape[1], wide_type(data.dtype)
    scores = compute(data.shape[:2], lambda b, n: data(b, n, score_at), "scores")
    order = argsort(scores, valid_count, 1, 0, "int32")

    def body(loops: Loops) -> None:
        ib, (entries, valid, names, sorted_places) = loops.ib, loops.ins
        keeps = ib.allocate("int32", (count,), name="keeps")

        def image(b: Any) -> None:
            number, total = loops.variable("int32", "number"), loops.variable("int32", "total")
            number[0] = convert(length_of(valid[b], count), "int32")
            if best >= 0:
                number[0] = scalar.min(number[0], const(best))
            total[0] = const(0)

            def box(n: Any) -> list[Expr]:
                place = sorted_places[b, n]
                return [convert(entries[b, place, start + k], wide) for k in range(4)]

            with ib.for_range(0, count, name="n") as n:
                keeps[n] = const(0)
                room = [total[0] < most] if most >= 0 else []
                with ib.if_scope(all_of(convert(as_expr(n), "int32") < number[0], *room)):
                    keeps[n] = const(1)
                    with ib.for_range(0, n, name="m") as m, ib.if_scope(keeps[m].equal(1)):
                        covered = [_overlap(box(m), box(n)) >= const(float(iou_threshold), wide)]
                        if id_at >= 0 and not force_suppress:
                            mine = entries[b, sorted_places[b, n], id_at]
                            covered.append(mine.equal(entries[b, sorted_places[b, m], id_at]))
                        with ib.if_scope(all_of(*covered)):
                            keeps[n] = const(0)
                    total[0] = total[0] + keeps[n]
            if return_indices:
                results, counts = loops.outs
                total[0] = const(0)
                with ib.for_range(0, count, name="n") as n:
                    results[b, n] = const(-1)
                    with ib.if_scope(keeps[n].equal(1)):
                        results[b, total[0]] = convert(names[b, sorted_places[b, n]], "int32")
                        total[0] = total[0] + 1
                counts[b, 0] = total[0]
                return
            (boxes,) = loops.outs
            total[0] = const(0)
            with ib.for_range(0, count, name="n") as n:
                with ib.for_range(0, data.shape[2], name="e") as e:
                    boxes[b, n, e] = const(-1, data.dtype)
                with ib.if_scope(keeps[n].equal(1)):
                    target = total[0] if invalid_to_bottom else n
                    with ib.for_range(0, data.shape[2], name="e") as e:
                        boxes[b, target, e] = entries[b, sorted_places[b, n], e]
                    total[0] = total[0] + 1

        loops.nest([data.shape[0]], image, "b")

    inputs = [data, valid_count, indices, order]
    if not return_indices:
        return written("nms", [data.shape], [data.dtype], inputs, body)[0]
    return written("nms", [indices.shape, (data.shape[0], 1)], ["int32"] * 2, inputs, body)


@operator(
    "vision", WORDS,
    "vision.all_class_non_max_suppression(T(1, 4, 4), T(1, 2, 4), 3, 0.5, 0.0)",
    onnx="NonMaxSuppression", gradient=OF_BOXES,
)  # fmt: skip
def all_class_non_max_suppression(
    boxes: Tensor, scores: Tensor, max_output_boxes_per_class: int = -1,
    iou_threshold: float = 0.5, score_threshold: float = 0.0, output_format: str = "onnx",
) -> list[Tensor]:  # fmt: skip
    """The boxes (B, N, 4) that no better box overlaps, for each class of scores (B, C, N)
    separately.

    A box is two opposite corners. Boxes with a score above ``score_threshold`` are considered from
    the best on (equal scores in order), and kept if their intersection over union with each kept
    box is at most ``iou_threshold``; at most ``max_output_boxes_per_class`` are kept (-1: all).
    ``output_format`` "onnx": [image, class and number of each kept box (B * C * N, 3) in int64,
    their number (1,)]; "tensorflow": [class and number (B, C * N, 2) in int64, their scores (B, C *
    N), their number in each image (B,)]. Only that many rows are valid; the others are 0. Raises
    KC2302 and KC2303 for ranks and shapes, KC2312 for a format.
    """
    tensor(boxes, "boxes", 3)
    tensor(scores, "scores", 3, (boxes.dtype,))
    same_size(boxes, 0, scores, 0, "there are scores for each image")
    same_size(boxes, 1, scores, 2, "there is a score for each box")
    if constant(boxes.shape[2], "the corners of a box") != 4:
        raise refuse("KC2303", f"{boxes.name} of the shape {shape_text(boxes.shape)}",
                     "a box must have 4 numbers: two opposite corners")  # fmt: skip
    onnx = word(output_format, ("onnx", "tensorflow"), "output_format") == "onnx"
    most, kind = whole(max_output_boxes_per_class, "max_output_boxes_per_class"), boxes.dtype
    wide = wide_type(kind)
    batch, classes, count = scores.shape
    order = argsort(scores, None, 2, 0, "int32")
    rows = times(classes, count)

    def body(loops: Loops) -> None:
        ib, (boxes, ranks, sorted_places) = loops.ib, loops.ins
        selected, totals = loops.outs[0], loops.outs[-1]
        keeps = ib.allocate("int32", (count,), name="keeps")
        zero = const(0, "int64")
        loops.nest([*selected_shape], lambda *at: selected.__setitem__(at, zero), "c")
        loops.nest([1 if onnx else batch], lambda b: totals.__setitem__(b, const(0)), "t")
        if not onnx:
            none = const(0.0, kind)
            loops.nest([batch, rows], lambda *at: loops.outs[1].__setitem__(at, none), "s")

        def one_class(b: Any, c: Any) -> None:
            chosen_count, total = loops.variable("int32", "kept"), 0 if onnx else b
            chosen_count[0] = const(0)

            def box(n: Any) -> list[Expr]:
                place = sorted_places[b, c, n]
                return [convert(boxes[b, place, k], wide) for k in range(4)]

            with ib.for_range(0, count, name="n") as n:
                place = sorted_places[b, c, n]
                keeps[n] = const(0)
                room = [chosen_count[0] < most] if most >= 0 else []
                score = ranks[b, c, place]
                good = convert(score, wide) > const(float(score_threshold), wide)
                with ib.if_scope(all_of(good, *room)):
                    keeps[n] = const(1)
                    with ib.for_range(0, n, name="m") as m, ib.if_scope(keeps[m].equal(1)):
                        limit = const(float(iou_threshold), wide)
                        with ib.if_scope(_overlap(box(m), box(n)) > limit):
                            keeps[n] = const(0)
                with ib.if_scope(keeps[n].equal(1)):
                    row = totals[total]
                    names = [c, place] if not onnx else [b, c, place]
                    for column, name in enumerate(names):
                        at = (row, column) if onnx else (b, row, column)
                        selected[at] = convert(as_expr(name), "int64")
                    if not onnx:
                        loops.outs[1][b, row] = score
                    chosen_count[0] = chosen_count[0] + 1
                    totals[total] = row + 1

        loops.nest([batch, classes], one_class, "b")

    selected_shape = (times(batch, rows), 3) if onnx else (batch, rows, 2)
    shapes = [selected_shape, (1,)] if onnx else [selected_shape, (batch, rows), (batch,)]
    kinds = ["int64", "int32"] if onnx else ["int64", kind, "int32"]
    return written("all_class_nms", shapes, kinds, [boxes, scores, order], body)
