"""Parts of images, each brought to one size."""

from __future__ import annotations

import math
from typing import Any

from kc.te import functions as scalar
from kc.te.expr import Expr, all_of, as_expr, const, if_then_else
from kc.te.expr import cast as convert
from kc.te.tensor import Tensor, shape_text
from kc.topi.arguments import constant, positive, tensor, whole, word
from kc.topi.loops import Loops, written
from kc.topi.shape import transpose
from kc.topi.table import operator, refuse

TYPES = ("float32", "float64")


def _regions(
    data: Tensor, rois: Any, pooled_size: Any, scale: Any
) -> tuple[tuple[int, ...], float]:
    tensor(data, "data", 4)
    tensor(rois, "rois", 2, (data.dtype,))
    if constant(rois.shape[1], "the elements of a region") != 5:
        raise refuse(
            "KC2303",
            f"rois {rois.name} of the shape {shape_text(rois.shape)}",
            "a region is (image, x1, y1, x2, y2)",
        )
    for size in data.shape[2:]:
        if constant(size, "the size of the image") < 1:
            raise refuse("KC2317", f"{data.name} of the shape {shape_text(data.shape)}",
                         "an image that regions are taken from is not empty")  # fmt: skip
    number = float(scale) if isinstance(scale, int | float) else math.nan
    if not 0 < number < math.inf:
        raise refuse("KC2317", f"spatial_scale is {scale}", "it must be a finite number above 0")
    return positive(pooled_size, 2, "pooled_size"), number


def _image(value: Expr, count: Any) -> tuple[Expr, Expr]:
    """The number of an image, and whether there is one: NaN is none."""
    limit = convert(as_expr(count), value.dtype)
    valid = all_of(value >= const(0, value.dtype), value < limit)
    return convert(if_then_else(valid, value, const(0, value.dtype)), "int32"), valid


def _near(value: Expr, size: int) -> Expr:
    """A place that is an integer when it is rounded: far outside is as good as outside."""
    low, high = const(-float(size) - 2, value.dtype), const(2.0 * size + 2, value.dtype)
    value = if_then_else(value >= low, value, low)  # NaN too
    return scalar.min(value, high)


@operator(
    "vision", TYPES, 'vision.roi_align_nchw(T(1, 2, 5, 5), T(2, 5), (2, 2), 1.0, "avg", 2)',
    onnx="RoiAlign", gradient="none",
)  # fmt: skip
def roi_align_nchw(
    data: Tensor, rois: Tensor, pooled_size: Any, spatial_scale: float, mode: Any = "avg",
    sample_ratio: int = -1,
) -> Tensor:  # fmt: skip
    """Regions (R, 5) of images (N, C, H, W) as (R, C, PH, PW), linear between elements.

    A region is the number of its image and x1, y1, x2, y2, times ``spatial_scale``, and at least 1
    wide and high. Each bin is the mean ("avg", or 0) or the largest ("max", or 1) of
    ``sample_ratio`` squared places; -1 takes as many as the bin is large, rounded up, and at most
    the size of the image. Places more than one element outside are 0, and so are regions of
    images that are not there. Raises KC2302 and KC2303 for ranks and sizes, KC2306 for sizes below
    1, KC2312 for a mode, KC2317 for a scale that is not above 0.
    """
    (high, wide), scale = _regions(data, rois, pooled_size, spatial_scale)
    given_mode = mode.decode() if isinstance(mode, bytes) else mode
    if not isinstance(given_mode, str):
        given_mode = {0: "avg", 1: "max"}.get(given_mode, given_mode)
    largest = word(given_mode, ("avg", "max"), "mode") == "max"
    ratio = whole(sample_ratio, "sample_ratio")
    kind = data.dtype
    rows, columns = (constant(size, "the size of the image") for size in data.shape[2:])

    def body(loops: Loops) -> None:
        ib, (image, regions), (result,) = loops.ib, loops.ins, loops.outs

        def bin_of(r: Any, c: Any, i: Any, j: Any) -> None:
            number, valid = _image(regions[r, 0], data.shape[0])
            x1, y1, x2, y2 = (_near(regions[r, n] * scale, max(rows, columns)) for n in range(1, 5))
            height = scalar.max(y2 - y1, const(1.0, kind)) / float(high)
            width = scalar.max(x2 - x1, const(1.0, kind)) / float(wide)
            ny, nx = loops.variable("int32", "ny"), loops.variable("int32", "nx")
            for variable, size, most in ((ny, height, rows), (nx, width, columns)):
                wanted = convert(scalar.ceil(size), "int32")
                variable[0] = const(ratio) if ratio > 0 else scalar.min(wanted, const(most))
            total = loops.variable(kind, "total")
            total[0] = const(-math.inf if largest else 0.0, kind)
            many_y, many_x = (ratio, ratio) if ratio > 0 else (rows, columns)

            def sample(v: Any, u: Any) -> None:
                def place(begin: Expr, step: Expr, at: Any, n: Any, count: Any, size: int) -> Any:
                    own = convert(as_expr(n), kind) + const(0.5, kind)
                    share = own / convert(count[0], kind)
                    where = begin + (convert(as_expr(at), kind) + share) * step
                    inside = all_of(where >= const(-1.0, kind), where <= const(float(size), kind))
                    where = scalar.min(scalar.max(where, const(0.0, kind)),
                                       const(float(size - 1), kind))  # fmt: skip
                    first = convert(scalar.floor(where), "int32")
                    after = scalar.min(first + 1, const(size - 1))
                    return inside, first, after, where - scalar.floor(where)

                in_y, y, below, dy = place(y1, height, i, v, ny, rows)
                in_x, x, right, dx = place(x1, width, j, u, nx, columns)

                def along(row: Expr) -> Expr:
                    near, far = image[number, c, row, x], image[number, c, row, right]
                    return near * (1.0 - dx) + far * dx

                upper, lower = along(y), along(below)
                value = if_then_else(
                    all_of(in_y, in_x), upper * (1.0 - dy) + lower * dy, const(0.0, kind)
                )
                counted = all_of(
                    convert(as_expr(v), "int32") < ny[0], convert(as_expr(u), "int32") < nx[0]
                )
                with ib.if_scope(counted):
                    total[0] = scalar.max(total[0], value) if largest else total[0] + value

            result[r, c, i, j] = const(0.0, kind)
            with ib.if_scope(valid):
                loops.nest([many_y, many_x], sample, "s")
                many = 1.0 if largest else convert(ny[0] * nx[0], kind)
                result[r, c, i, j] = total[0] / many

        loops.nest([rois.shape[0], data.shape[1], high, wide], bin_of, "b")

    shape = (rois.shape[0], data.shape[1], high, wide)
    return written("roi_align", [shape], [kind], [data, rois], body)[0]


@operator(
    "vision", TYPES, 'vision.roi_align_nhwc(T(1, 5, 5, 2), T(2, 5), (2, 2), 1.0, "avg", 2)',
    gradient="none",
)  # fmt: skip
def roi_align_nhwc(
    data: Tensor, rois: Tensor, pooled_size: Any, spatial_scale: float, mode: Any = "avg",
    sample_ratio: int = -1,
) -> Tensor:  # fmt: skip
    """:func:`roi_align_nchw` of images (N, H, W, C), as (R, PH, PW, C), with its errors."""
    tensor(data, "data", 4)
    moved = transpose(data, (0, 3, 1, 2))
    result = roi_align_nchw(moved, rois, pooled_size, spatial_scale, mode, sample_ratio)
    return transpose(result, (0, 2, 3, 1))


@operator(
    "vision", TYPES, "vision.roi_pool_nchw(T(1, 2, 5, 5), T(2, 5), (2, 2), 1.0)",
    onnx="MaxRoiPool", gradient="none",
)  # fmt: skip
def roi_pool_nchw(data: Tensor, rois: Tensor, pooled_size: Any, spatial_scale: float) -> Tensor:
    """The largest elements in the bins of regions (R, 5) of images (N, C, H, W).

    Corners are rounded (halves to even) and belong to the region, which has at least one element
    each way; bins may share elements. An empty bin is 0, and so is a region of an image that is not
    there. Errors are those of :func:`roi_align_nchw`.
    """
    (high, wide), scale = _regions(data, rois, pooled_size, spatial_scale)
    kind = data.dtype
    rows, columns = (constant(size, "the size of the image") for size in data.shape[2:])

    def body(loops: Loops) -> None:
        ib, (image, regions), (result,) = loops.ib, loops.ins, loops.outs

        def bin_of(r: Any, c: Any, i: Any, j: Any) -> None:
            number, valid = _image(regions[r, 0], data.shape[0])
            ends = [scalar.round(_near(regions[r, n] * scale, max(rows, columns)))
                    for n in range(1, 5)]  # fmt: skip
            x1, y1, x2, y2 = (convert(end, "int32") for end in ends)

            def bounds(begin: Any, end: Any, at: Any, parts: int, size: int) -> tuple[Any, Any]:
                length = scalar.max(end - begin + 1, const(1))
                place = convert(as_expr(at), "int32")
                first = begin + (place * length) // parts
                last = begin + ((place + 1) * length + (parts - 1)) // parts
                zero = const(0)
                return (scalar.min(scalar.max(first, zero), const(size)),
                        scalar.min(scalar.max(last, zero), const(size)))  # fmt: skip

            top, bottom = bounds(y1, y2, i, high, rows)
            left, right = bounds(x1, x2, j, wide, columns)
            result[r, c, i, j] = const(0.0, kind)
            within = all_of(valid, top < bottom, left < right)
            with ib.if_scope(within):
                result[r, c, i, j] = const(-math.inf, kind)

                def visit(y: Any, x: Any) -> None:
                    row, column = convert(as_expr(y), "int32"), convert(as_expr(x), "int32")
                    counted = all_of(row >= top, row < bottom, column >= left, column < right)
                    with ib.if_scope(counted):
                        value = image[number, c, y, x]
                        result[r, c, i, j] = scalar.max(result[r, c, i, j], value)

                loops.nest([rows, columns], visit, "s")

        loops.nest([rois.shape[0], data.shape[1], high, wide], bin_of, "b")

    shape = (rois.shape[0], data.shape[1], high, wide)
    return written("roi_pool", [shape], [kind], [data, rois], body)[0]
