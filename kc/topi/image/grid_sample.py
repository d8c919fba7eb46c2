"""Images at the places of a grid."""

from __future__ import annotations

from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, compare, const, if_then_else, select
from kc.expr.constructors import cast as convert
from kc.expr.intrinsics import fmod, isnan
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, shape_text
from kc.te.computes import compute
from kc.topi.arguments import constant, inside, listed, positive, rank, same_size, tensor, word
from kc.topi.elementwise import FLOAT
from kc.topi.gradients import scattered
from kc.topi.table import operator, refuse


@operator(
    "affine_grid",
    FLOAT,
    "image.affine_grid(T(1, 2, 3), (4, 5))",
    onnx="AffineGrid",
    torch="affine_grid",
)
def affine_grid(data: Tensor, target_shape: Any) -> Tensor:
    """The sampling positions (N, 2, H, W), x and then y, of images that the affine matrices
    ``data`` (N, 2, 3) transform; ``target_shape`` is (H, W).

    The matrices apply to positions from -1 to 1, which are the corners of the image.
    """
    rank(data, "data", 3)
    if (constant(data.shape[1], "rows"), constant(data.shape[2], "columns")) != (2, 3):
        raise refuse(
            "KC2303",
            f"{data.name} of the shape {shape_text(data.shape)}",
            "the shape must be (N, 2, 3)",
        )
    height, width = positive(listed(target_shape, "target_shape"), 2, "target_shape")

    def along(at: Any, size: int) -> Expr:
        return convert(as_expr(at), data.dtype) * (2.0 / max(size - 1, 1)) - 1.0

    def body(n: Any, row: Any, i: Any, j: Any) -> Expr:
        x, y = along(j, width), along(i, height)
        return data(n, row, 0) * x + data(n, row, 1) * y + data(n, row, 2)

    return compute((data.shape[0], 2, height, width), body, "affine_grid", tag=INJECTIVE)


@operator(
    "grid_sample",
    FLOAT,
    "image.grid_sample(T(1, 2, 4, 5), T(1, 2, 3, 3))",
    onnx="GridSample",
    torch="grid_sample",
    gradient="own",
)
def grid_sample(
    data: Tensor, grid: Tensor, method: str = "bilinear", layout: str = "NCHW",
    padding_mode: str = "zeros", align_corners: bool = True,
) -> Tensor:  # fmt: skip
    """The image (N, C, H, W) sampled at the coordinates of a grid (N, 2, H', W'), x before y.

    -1 and 1 are the centres of the corner elements with ``align_corners``, else their outer edges.
    ``method``: "bilinear" or "nearest" (halves round to even). Elements beyond the image are
    "zeros", its "border", or its "reflection". A NaN coordinate reads a corner, never out of
    bounds.
    """
    rank(data, "data", 4)
    word(layout, ("NCHW",), "layout")
    word(method, ("bilinear", "nearest"), "method")
    word(padding_mode, ("zeros", "border", "reflection"), "padding_mode")
    tensor(grid, "grid", 4, (data.dtype,))
    same_size(data, 0, grid, 0, "there is a grid for each image")
    if constant(grid.shape[1], "the coordinates") != 2:
        raise refuse(
            "KC2303",
            f"{grid.name} of the shape {shape_text(grid.shape)}",
            "the shape must be (N, 2, H, W)",
        )
    kind = data.dtype

    def coordinate(value: Expr, size: Any) -> Expr:
        length = convert(as_expr(size), kind)
        if align_corners:
            place = (value + 1.0) * (length - 1.0) * 0.5
        else:
            place = ((value + 1.0) * length - 1.0) * 0.5
        last = length - 1.0
        if padding_mode == "reflection":
            # Positions are reflected between the centres of the corner elements (or their outer
            # edges), with a period of twice the length.
            low = 0.0 if align_corners else -0.5
            span = last if align_corners else length
            off = scalar.abs(place - low)
            safe = scalar.max(span, const(1e-6 if align_corners else 1.0, kind))
            rest = fmod(off, safe * 2.0)
            place = scalar.min(rest, safe * 2.0 - rest) + low
        place = select(isnan(place), const(0.0, kind), place)
        if padding_mode != "zeros":
            place = scalar.max(scalar.min(place, last), const(0.0, kind))
        # A position far outside is clamped to just outside, so that it fits an integer.
        return scalar.max(scalar.min(place, length + 1.0), const(-2.0, kind))

    def read(n: Any, c: Any, y: Expr, x: Expr) -> Expr:
        height, width = data.shape[2], data.shape[3]
        within = all_of(
            y >= 0, compare("lt", y, convert(as_expr(height), "int32")),
            x >= 0, compare("lt", x, convert(as_expr(width), "int32")),
        )  # fmt: skip
        value = data(n, c, inside(y, height), inside(x, width))
        return if_then_else(within, value, const(0.0, kind))

    def body(n: Any, c: Any, i: Any, j: Any) -> Expr:
        x = coordinate(grid(n, 0, i, j), data.shape[3])
        y = coordinate(grid(n, 1, i, j), data.shape[2])
        if method == "nearest":
            return read(n, c, convert(scalar.round(y), "int32"), convert(scalar.round(x), "int32"))
        left, top = scalar.floor(x), scalar.floor(y)
        x0, y0, dx, dy = convert(left, "int32"), convert(top, "int32"), x - left, y - top
        upper = read(n, c, y0, x0) * (1.0 - dx) + read(n, c, y0, x0 + 1) * dx
        lower = read(n, c, y0 + 1, x0) * (1.0 - dx) + read(n, c, y0 + 1, x0 + 1) * dx
        return upper * (1.0 - dy) + lower * dy

    shape = (data.shape[0], data.shape[1], grid.shape[2], grid.shape[3])
    return scattered(compute(shape, body, "grid_sample", tag=INJECTIVE), data)
