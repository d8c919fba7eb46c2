"""Parts of images, each in one size. Source: TensorFlow's operator of the name."""

from __future__ import annotations

from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, compare, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import check_dtype, is_float
from kc.expr.intrinsics import isnan
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, shape_text
from kc.te.computes import compute
from kc.topi.arguments import (
    constant,
    index_tensor,
    inside,
    is_size,
    positive,
    same_size,
    tensor,
    word,
)
from kc.topi.gradients import scattered
from kc.topi.table import NUMBERS, WORDS, operator, refuse


@operator(
    INJECTIVE, NUMBERS,
    'image.crop_and_resize(T(2, 3, 5, 6), T(4, 4), T(4, dtype="int32"), (3, 2))',
    gradient="own",
)  # fmt: skip
def crop_and_resize(
    data: Tensor, boxes: Tensor, box_indices: Tensor, crop_size: Any, layout: str = "NCHW",
    method: str = "bilinear", extrapolation_value: float | None = None,
    out_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """The boxes (K, 4) of images (N, C, H, W) or "NHWC", each resized to ``crop_size``.

    A box is y1, x1, y2, x2 as fractions of the image: 0 is its first row or column, 1 its last; a
    box whose end precedes its start is mirrored. ``box_indices`` (K,) are the numbers of the
    images. ``method``: "bilinear" or "nearest_neighbor" (halves round to even). Coordinates outside
    of the image, and images that do not exist, give ``extrapolation_value`` (0). The computation is
    in float32 (for float64 in float64), then converted to ``out_dtype``, by default the type of the
    data. Raises KC2302 and KC2303 for ranks and sizes, KC2306 for a size below 1, KC2309 for
    indices of floats, KC2312 for an unknown word.
    """
    tensor(data, "data", 4)
    tensor(boxes, "boxes", 2, WORDS)
    index_tensor(box_indices, "box_indices", 1)
    if constant(boxes.shape[1], "the numbers of a box") != 4:
        raise refuse("KC2303", f"boxes {boxes.name} of the shape {shape_text(boxes.shape)}",
                     "a box must be (y1, x1, y2, x2)")  # fmt: skip
    same_size(boxes, 0, box_indices, 0, "there is the number of an image for each box")
    outs = positive(crop_size, 2, "crop_size")
    word(method, ("bilinear", "nearest_neighbor"), "method")
    axes = (1, 2) if word(layout, ("NCHW", "NHWC"), "layout") == "NHWC" else (2, 3)
    if any(is_size(data.shape[axis], 0) for axis in (0, *axes)):
        raise refuse("KC2317", f"{data.name} of the shape {shape_text(data.shape)}",
                     "boxes need at least one image with at least one element")  # fmt: skip
    dtype = check_dtype(out_dtype) if out_dtype else data.dtype
    wide = "float64" if "float64" in (data.dtype, dtype, boxes.dtype) else "float32"
    shape = [boxes.shape[0], *data.shape[1:]]
    for axis, size in zip(axes, outs, strict=True):
        shape[axis] = size
    beyond = convert(const(float(extrapolation_value or 0.0), wide), dtype)

    def body(box: Any, *rest: Any) -> Expr:
        at = (box, *rest)
        number = box_indices(box)
        image = inside(number, data.shape[0])
        within: list[Any] = [convert(image, "int64").equal(convert(number, "int64"))]
        parts = []
        for n, axis in enumerate(axes):
            low, high = convert(boxes(box, n), wide), convert(boxes(box, n + 2), wide)
            last = convert(as_expr(data.shape[axis]), wide) - 1.0
            if outs[n] > 1:
                along = convert(as_expr(at[axis]), wide)
                place = low * last + along * ((high - low) * last / float(outs[n] - 1))
            else:
                place = (low + high) * 0.5 * last
            within += [place >= 0.0, compare("le", place, last)]
            place = scalar.max(scalar.min(place, last), const(0.0, wide))
            parts.append(select(isnan(place), const(0.0, wide), place))

        def read(y: Expr, x: Expr) -> Expr:
            own = [image, *rest]
            for axis, place in zip(axes, (y, x), strict=True):
                own[axis] = inside(convert(place, "int32"), data.shape[axis])
            return data(*own)

        def between(near: Expr, far: Expr, part: Expr) -> Expr:
            """The interpolation between two values. For integers it adds differences, so that equal
            values give exactly that value.
            """
            if not is_float(dtype):
                return near + (far - near) * part
            return near * (1.0 - part) + far * part

        y, x = parts
        if method == "nearest_neighbor":
            value = convert(read(scalar.round(y), scalar.round(x)), dtype)
        else:
            top, left = scalar.floor(y), scalar.floor(x)
            dy, dx = y - top, x - left

            def row(at_y: Expr) -> Expr:
                near, far = convert(read(at_y, left), wide), convert(read(at_y, left + 1.0), wide)
                return between(near, far, dx)

            value = convert(between(row(top), row(top + 1.0), dy), dtype)
        return select(all_of(*within), value, beyond)

    return scattered(compute(shape, body, "crop_and_resize", tag=INJECTIVE), data)
