"""Boxes: which are kept. What depends on the data is a buffer and a count."""

from __future__ import annotations

from typing import Any

from kc.te import functions as scalar
from kc.te.computes import compute
from kc.te.expr import Expr, all_of, as_expr, const, if_then_else
from kc.te.expr import cast as convert
from kc.te.tensor import Tensor, shape_text
from kc.topi.arguments import constant, index_tensor, length_of, same_size, tensor, whole
from kc.topi.loops import Loops, written
from kc.topi.sorting import argsort
from kc.topi.table import operator, refuse

TYPES = ("float32", "float64")


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
            f"a box has at least {least} elements",
        )


@operator("vision", TYPES, "vision.get_valid_counts(T(2, 4, 6), 0.5)", gradient="none")
def get_valid_counts(
    data: Tensor, score_threshold: Any = 0, id_index: int = 0, score_index: int = 1
) -> list[Tensor]:
    """[how many boxes (B,), those boxes (B, N, E), their places (B, N)] of boxes (B, N, E).

    Boxes with a score above ``score_threshold``, and a class that is at least 0 (``id_index`` -1:
    there is none), come first, in their order; the rest is -1. ``score_threshold`` is a number, or
    a tensor without dimensions.
    """
    id_at, score_at = whole(id_index, "id_index"), whole(score_index, "score_index")
    _columns(data, 1, id_index=id_at, score_index=score_at)
    limits, least = [], 0.0
    if isinstance(score_threshold, Tensor):
        limits = [tensor(score_threshold, "score_threshold", 0, (data.dtype,))]
    else:
        least = float(score_threshold)

    def body(loops: Loops) -> None:
        given, (counts, kept, places) = loops.ins[0], loops.outs
        limit = loops.ins[1][()] if limits else const(least, data.dtype)

        def image(b: Any) -> None:
            counts[b] = const(0)
            with loops.ib.for_range(0, data.shape[1], name="n") as n:
                places[b, n] = const(-1)
                with loops.ib.for_range(0, data.shape[2], name="e") as e:
                    kept[b, n, e] = const(-1, data.dtype)
                valid = [given[b, n, score_at] > limit]
                if id_at >= 0:
                    valid.append(given[b, n, id_at] >= const(0, data.dtype))
                with loops.ib.if_scope(all_of(*valid)):
                    with loops.ib.for_range(0, data.shape[2], name="e") as e:
                        kept[b, counts[b], e] = given[b, n, e]
                    places[b, counts[b]] = convert(as_expr(n), "int32")
                    counts[b] = counts[b] + 1

        loops.nest([data.shape[0]], image, "b")

    shapes = [(data.shape[0],), data.shape, data.shape[:2]]
    return written("valid_counts", shapes, ["int32", data.dtype, "int32"], [data, *limits], body)


def _overlap(a: list[Expr], b: list[Expr]) -> Expr:
    """The share of what two boxes have in common in what they cover; 0 of nothing."""
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
    "vision", TYPES,
    'vision.non_max_suppression(T(1, 4, 6), T(1, dtype="int32"), T(1, 4, dtype="int32"))',
    gradient="none",
)  # fmt: skip
def non_max_suppression(
    data: Tensor, valid_count: Tensor, indices: Tensor, max_output_size: int = -1,
    iou_threshold: float = 0.5, force_suppress: bool = False, top_k: int = -1,
    coord_start: int = 2, score_index: int = 1, id_index: int = 0, return_indices: bool = True,
    invalid_to_bottom: bool = False,
) -> Any:  # fmt: skip
    """The boxes (B, N, E) that no better box of their class covers by ``iou_threshold`` or more.

    The first ``valid_count`` (B,) boxes are sorted by their score, of equal ones the first first;
    the best ``top_k`` are looked at (-1: all), and up to ``max_output_size`` kept (-1: all). With
    ``force_suppress``, or an ``id_index`` of -1, classes do not matter. With ``return_indices``:
    [the ``indices`` (B, N) of the kept boxes, -1 behind them; how many they are (B, 1)]. Else the
    sorted boxes, with -1 for those that are not kept, which are at the end with
    ``invalid_to_bottom``. Raises KC2303 and KC2304 for shapes and columns that do not fit.
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
    count = data.shape[1]
    scores = compute(data.shape[:2], lambda b, n: data(b, n, score_at), "scores")
    order = argsort(scores, valid_count, 1, 0, "int32")

    def body(loops: Loops) -> None:
        ib, (given, valid, names, sorted_places) = loops.ib, loops.ins
        keeps = ib.allocate("int32", (count,), name="keeps")

        def image(b: Any) -> None:
            number, total = loops.variable("int32", "number"), loops.variable("int32", "total")
            number[0] = convert(length_of(valid[b], count), "int32")
            if best >= 0:
                number[0] = scalar.min(number[0], const(best))
            total[0] = const(0)

            def box(n: Any) -> list[Expr]:
                return [given[b, sorted_places[b, n], start + k] for k in range(4)]

            with ib.for_range(0, count, name="n") as n:
                keeps[n] = const(0)
                room = [total[0] < most] if most >= 0 else []
                with ib.if_scope(all_of(convert(as_expr(n), "int32") < number[0], *room)):
                    keeps[n] = const(1)
                    with ib.for_range(0, n, name="m") as m, ib.if_scope(keeps[m].equal(1)):
                        covered = [
                            _overlap(box(m), box(n)) >= const(float(iou_threshold), data.dtype)
                        ]
                        if id_at >= 0 and not force_suppress:
                            mine = given[b, sorted_places[b, n], id_at]
                            covered.append(mine.equal(given[b, sorted_places[b, m], id_at]))
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
                        boxes[b, target, e] = given[b, sorted_places[b, n], e]
                    total[0] = total[0] + 1

        loops.nest([data.shape[0]], image, "b")

    inputs = [data, valid_count, indices, order]
    if not return_indices:
        return written("nms", [data.shape], [data.dtype], inputs, body)[0]
    return written("nms", [indices.shape, (data.shape[0], 1)], ["int32"] * 2, inputs, body)
