"""Regions of images, each resampled to one size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, any_of, as_expr, const, if_then_else
from kc.expr.constructors import cast as convert
from kc.expr.tensor import Tensor, shape_text
from kc.te.autodiff.own_rules import with_rules
from kc.topi.arguments import constant, positive, tensor, whole, word
from kc.topi.elementwise import as_wide, cast, is_narrow
from kc.topi.loops import Loops, written
from kc.topi.shape import transpose
from kc.topi.table import WORDS, operator, refuse


def _regions(
    data: Tensor, rois: Any, pooled_size: Any, scale: Any
) -> tuple[tuple[int, ...], float]:
    tensor(data, "data", 4)
    tensor(rois, "rois", 2, (data.dtype,))
    if constant(rois.shape[1], "the elements of a region") != 5:
        raise refuse(
            "KC2303",
            f"rois {rois.name} of the shape {shape_text(rois.shape)}",
            "a region must be (image, x1, y1, x2, y2)",
        )
    for size in data.shape[2:]:
        if constant(size, "the size of the image") < 1:
            raise refuse("KC2317", f"{data.name} of the shape {shape_text(data.shape)}",
                         "the images must not be empty")  # fmt: skip
    number = float(scale) if isinstance(scale, int | float) else math.nan
    if not 0 < number < math.inf:
        raise refuse("KC2317", f"spatial_scale is {scale}", "it must be a finite number above 0")
    return positive(pooled_size, 2, "pooled_size"), number


def _image(value: Expr, count: Any) -> tuple[Expr, Expr]:
    """The number of an image, and the condition that the image exists: false for NaN."""
    limit = convert(as_expr(count), value.dtype)
    valid = all_of(value >= const(0, value.dtype), value < limit)
    return convert(if_then_else(valid, value, const(0, value.dtype)), "int32"), valid


def _near(value: Expr, size: int) -> Expr:
    """A coordinate, clamped so that rounding gives a valid integer; far outside stays outside."""
    low, high = const(-float(size) - 2, value.dtype), const(2.0 * size + 2, value.dtype)
    value = if_then_else(value >= low, value, low)  # NaN too
    return scalar.min(value, high)


@dataclass(frozen=True)
class _Sample:
    """A place in a bin of a region, between four elements."""

    number: Expr
    """The number of the sample among the ``many`` samples of the bin."""
    many: Expr
    inside: Expr
    image: tuple[Expr, Any]
    """The image, and the channel."""
    rows: tuple[Expr, Expr]
    columns: tuple[Expr, Expr]
    parts: tuple[Expr, Expr]
    """The shares of the second row and column."""

    def linear(self, data: Any) -> Expr:
        """The value of ``data`` at the sample."""
        dy, dx = self.parts

        def along(row: Expr) -> Expr:
            near, far = (data[(*self.image, row, column)] for column in self.columns)
            return near * (1.0 - dx) + far * dx

        upper, lower = map(along, self.rows)
        return if_then_else(self.inside, upper * (1.0 - dy) + lower * dy, const(0.0, dy.dtype))

    def shares(self) -> Iterator[tuple[tuple[Any, ...], Expr]]:
        """The four neighbouring elements, and their weights in the value."""
        dy, dx = self.parts
        for row, of_row in zip(self.rows, (1.0 - dy, dy), strict=True):
            for column, of_column in zip(self.columns, (1.0 - dx, dx), strict=True):
                yield (*self.image, row, column), of_row * of_column


@operator(
    "vision", WORDS, 'vision.roi_align_nchw(T(1, 2, 5, 5), T(2, 5), (2, 2), 1.0, "avg", 2)',
    onnx="RoiAlign", gradient="own",
)  # fmt: skip
def roi_align_nchw(
    data: Tensor, rois: Tensor, pooled_size: Any, spatial_scale: float, mode: Any = "avg",
    sample_ratio: int = -1,
) -> Tensor:  # fmt: skip
    """Regions (R, 5) of images (N, C, H, W) as (R, C, PH, PW), interpolated between elements.

    A region is the number of its image and x1, y1, x2, y2, times ``spatial_scale``, and at least 1
    wide and high. Each bin is the mean ("avg", or 0) or the largest ("max", or 1) of
    ``sample_ratio`` squared samples; with -1 the number is the size of the bin, rounded up, and at
    most the size of the image. Samples more than one element outside are 0, and so are regions of
    images that do not exist. The computation is in float32 or wider. The gradient is with respect
    to the images, not to the regions; the first of equal largest samples receives it. Raises KC2302
    and KC2303 for ranks and sizes, KC2306 for sizes below 1, KC2312 for a mode, KC2317 for a scale
    that is not above 0.
    """
    (high, wide), scale = _regions(data, rois, pooled_size, spatial_scale)
    if is_narrow(data.dtype):
        images, regions = as_wide(data), as_wide(rois)
        aligned = roi_align_nchw(images, regions, pooled_size, scale, mode, sample_ratio)
        return cast(aligned, data.dtype)
    given_mode = mode.decode() if isinstance(mode, bytes) else mode
    if not isinstance(given_mode, str):
        given_mode = {0: "avg", 1: "max"}.get(given_mode, given_mode)
    largest = word(given_mode, ("avg", "max"), "mode") == "max"
    ratio = whole(sample_ratio, "sample_ratio")
    kind = data.dtype
    rows, columns = (constant(size, "the size of the image") for size in data.shape[2:])

    def each(
        loops: Loops, regions: Any, visits: Sequence[Callable[[Any, _Sample], None]],
        start: Callable[[Any], None] = lambda at: None,
        end: Callable[[Any, Expr], None] = lambda at, many: None,
    ) -> None:  # fmt: skip
        """Call ``visits`` with the samples of each bin in order, if the region's image exists.

        ``start`` is called with each bin before, ``end`` with the number of samples behind.
        """
        ib = loops.ib

        def bin_of(r: Any, c: Any, i: Any, j: Any) -> None:
            image, valid = _image(regions[r, 0], data.shape[0])
            x1, y1, x2, y2 = (_near(regions[r, n] * scale, max(rows, columns)) for n in range(1, 5))
            height = scalar.max(y2 - y1, const(1.0, kind)) / float(high)
            width = scalar.max(x2 - x1, const(1.0, kind)) / float(wide)
            ny, nx = loops.variable("int32", "ny"), loops.variable("int32", "nx")
            for variable, size, most in ((ny, height, rows), (nx, width, columns)):
                samples = convert(scalar.ceil(size), "int32")
                variable[0] = const(ratio) if ratio > 0 else scalar.min(samples, const(most))
            many_y, many_x = (ratio, ratio) if ratio > 0 else (rows, columns)

            def sample(v: Any, u: Any, visit: Callable[[Any, _Sample], None]) -> None:
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
                row, column = convert(as_expr(v), "int32"), convert(as_expr(u), "int32")
                with ib.if_scope(all_of(row < ny[0], column < nx[0])):
                    number, many = row * nx[0] + column, ny[0] * nx[0]
                    inside = all_of(in_y, in_x)
                    visit((r, c, i, j), _Sample(number, many, inside, (image, c), (y, below),
                                                (x, right), (dy, dx)))  # fmt: skip

            start((r, c, i, j))
            with ib.if_scope(valid):
                for visit in visits:
                    loops.nest([many_y, many_x], lambda v, u, visit=visit: sample(v, u, visit), "s")
                end((r, c, i, j), ny[0] * nx[0])

        loops.nest(shape, bin_of, "b")

    def body(loops: Loops) -> None:
        (image, regions), (result,) = loops.ins, loops.outs
        total = loops.variable(kind, "total")

        def start(at: Any) -> None:
            total[0] = const(-math.inf if largest else 0.0, kind)
            result[at] = const(0.0, kind)

        def add(at: Any, sample: _Sample) -> None:
            value = sample.linear(image)
            total[0] = scalar.max(total[0], value) if largest else total[0] + value

        def end(at: Any, many: Expr) -> None:
            result[at] = total[0] if largest else total[0] / convert(many, kind)

        each(loops, regions, [add], start, end)

    def back(head: Tensor) -> Tensor:
        """The gradient of ``data``: each sample adds its share of ``head`` to its four neighbouring
        elements. For a maximum, only the first of the largest samples does so.
        """

        def statements(loops: Loops) -> None:
            ib, (image, regions, flow), (result,) = loops.ib, loops.ins, loops.outs
            most, winner = loops.variable(kind, "most"), loops.variable("int32", "winner")

            def find(at: Any, sample: _Sample) -> None:
                value = ib.let("value", sample.linear(image))
                with ib.if_scope(any_of(sample.number.equal(0), value > most[0])):
                    most[0], winner[0] = value, sample.number

            def add(at: Any, sample: _Sample) -> None:
                own = flow[at] if largest else flow[at] / convert(sample.many, kind)
                counted = sample.number.equal(winner[0]) if largest else const(True)
                with ib.if_scope(all_of(sample.inside, counted)):
                    for place, share in sample.shares():
                        result[place] = result[place] + own * share

            loops.nest(data.shape, lambda *at: result.__setitem__(at, const(0.0, kind)), "c")
            each(loops, regions, [find, add] if largest else [add])

        inputs = [data, rois, head]
        return written("roi_align_grad", [data.shape], [kind], inputs, statements)[0]

    shape = (rois.shape[0], data.shape[1], high, wide)
    result = written("roi_align", [shape], [kind], [data, rois], body)[0]
    return with_rules(result, {data: back})


@operator(
    "vision", WORDS, 'vision.roi_align_nhwc(T(1, 5, 5, 2), T(2, 5), (2, 2), 1.0, "avg", 2)',
    gradient="own",
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
    "vision", WORDS, "vision.roi_pool_nchw(T(1, 2, 5, 5), T(2, 5), (2, 2), 1.0)",
    onnx="MaxRoiPool", gradient="own",
)  # fmt: skip
def roi_pool_nchw(data: Tensor, rois: Tensor, pooled_size: Any, spatial_scale: float) -> Tensor:
    """The largest elements in the bins of regions (R, 5) of images (N, C, H, W).

    Corners are rounded (halves to even) and belong to the region, which has at least one element in
    each direction; bins may share elements. An empty bin is 0, and so is a region of an image that
    does not exist. The gradient is with respect to the images; the first of equal largest elements
    receives it. Errors are those of :func:`roi_align_nchw`.
    """
    (high, wide), scale = _regions(data, rois, pooled_size, spatial_scale)
    if is_narrow(data.dtype):
        images, regions = as_wide(data), as_wide(rois)
        return cast(roi_pool_nchw(images, regions, pooled_size, scale), data.dtype)
    kind = data.dtype
    rows, columns = (constant(size, "the size of the image") for size in data.shape[2:])

    def each(
        loops: Loops, regions: Any, start: Callable[[Any], None], visit: Callable[[Any, Any], None],
        end: Callable[[Any], None],
    ) -> None:  # fmt: skip
        """Call ``start``, a ``visit`` of each element, and ``end`` for each non-empty bin."""
        ib = loops.ib

        def bin_of(r: Any, c: Any, i: Any, j: Any) -> None:
            image, valid = _image(regions[r, 0], data.shape[0])
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
            at = (r, c, i, j)

            def element(y: Any, x: Any) -> None:
                row, column = convert(as_expr(y), "int32"), convert(as_expr(x), "int32")
                counted = all_of(row >= top, row < bottom, column >= left, column < right)
                with ib.if_scope(counted):
                    visit(at, (image, c, y, x))

            with ib.if_scope(all_of(valid, top < bottom, left < right)):
                start(at)
                loops.nest([rows, columns], element, "s")
                end(at)

        loops.nest(shape, bin_of, "b")

    def body(loops: Loops) -> None:
        (image, regions), (result,) = loops.ins, loops.outs
        loops.nest(shape, lambda *at: result.__setitem__(at, const(0.0, kind)), "c")
        each(
            loops, regions,
            lambda at: result.__setitem__(at, const(-math.inf, kind)),
            lambda at, place: result.__setitem__(at, scalar.max(result[at], image[place])),
            lambda at: None,
        )  # fmt: skip

    def back(head: Tensor) -> Tensor:
        def statements(loops: Loops) -> None:
            ib, (image, regions, flow), (result,) = loops.ib, loops.ins, loops.outs
            most, number = loops.variable(kind, "most"), loops.variable("int32", "number")
            winner = [loops.variable("int32", name) for name in ("row", "column")]

            def start(at: Any) -> None:
                number[0] = const(-1)

            def visit(at: Any, place: Any) -> None:
                value = ib.let("value", image[place])
                with ib.if_scope(any_of(number[0] < 0, value > most[0])):
                    most[0], number[0] = value, place[0]
                    for variable, own in zip(winner, place[2:], strict=True):
                        variable[0] = convert(as_expr(own), "int32")

            def end(at: Any) -> None:
                with ib.if_scope(number[0] >= 0):
                    place = (number[0], at[1], *(variable[0] for variable in winner))
                    result[place] = result[place] + flow[at]

            loops.nest(data.shape, lambda *at: result.__setitem__(at, const(0.0, kind)), "c")
            each(loops, regions, start, visit, end)

        inputs = [data, rois, head]
        return written("roi_pool_grad", [data.shape], [kind], inputs, statements)[0]

    shape = (rois.shape[0], data.shape[1], high, wide)
    result = written("roi_pool", [shape], [kind], [data, rois], body)[0]
    return with_rules(result, {data: back})
