"""Images resized by the nearest element or by interpolation."""

from __future__ import annotations

import functools
import itertools
import operator as operators
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, compare, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import check_dtype, is_float
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor
from kc.support.diagnostics import counted
from kc.te.computes import compute
from kc.topi.arguments import dim, flag, float_of, inside, is_size, listed, positive, word
from kc.topi.gradients import scattered
from kc.topi.nn.pooling import pooled_axes
from kc.topi.table import NUMBERS, operator, refuse

METHODS = ("nearest_neighbor", "linear", "cubic")
COORDINATES = (
    "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)  # fmt: skip
ROUNDINGS = ("round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def _source(
    at: Any,
    size: Any,
    out: int,
    mode: str,
    roi: tuple[Any, Any],
    step: float | None,
    wide: str,
) -> Expr:
    """The coordinate in the input, with a single division, so that an integer coordinate is exact.

    ``step`` is the distance between two elements in the input, if the sizes do not determine it.
    """
    number, length = convert(as_expr(at), wide), convert(as_expr(size), wide)
    if step is not None and mode == "asymmetric":
        return number * step
    if step is not None and mode == "half_pixel":
        return (number + 0.5) * step - 0.5
    if mode == "align_corners":
        return number * (length - 1.0) / float(max(out - 1, 1))
    if mode == "asymmetric":
        return number * length / float(out)
    if mode == "tf_half_pixel_for_nn":
        return (number * 2.0 + 1.0) * length / float(2 * out)
    if mode == "tf_crop_and_resize":
        low, high = roi
        if out > 1:
            return (length - 1.0) * low + number * (length - 1.0) * (high - low) / float(out - 1)
        return (length - 1.0) * (0.5 * (low + high))
    if mode == "pytorch_half_pixel" and out == 1:
        return const(0.0, wide)
    return ((number * 2.0 + 1.0) * length - float(out)) / float(2 * out)


_ROUND: dict[str, Callable[[Expr], Expr]] = {
    "round": lambda x: scalar.round(x),
    "round_prefer_floor": lambda x: scalar.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: scalar.floor(x + 0.5),
    "floor": lambda x: scalar.floor(x),
    "ceil": lambda x: scalar.ceil(x),
}


def cubic_weights(t: Expr, alpha: float) -> list[Expr]:
    """The weights of the four places around a fraction. Source: Keys, 1981."""
    far, near = t + 1.0, 2.0 - t
    return [
        ((far * alpha - 5.0 * alpha) * far + 8.0 * alpha) * far - 4.0 * alpha,
        (t * (alpha + 2.0) - (alpha + 3.0)) * t * t + 1.0,
        ((1.0 - t) * (alpha + 2.0) - (alpha + 3.0)) * (1.0 - t) * (1.0 - t) + 1.0,
        ((near * alpha - 5.0 * alpha) * near + 8.0 * alpha) * near - 4.0 * alpha,
    ]


def _taps(
    at: Expr, size: Any, method: str, rounding: str, alpha: float, exclude: bool
) -> list[tuple[Expr, Expr | None]]:
    """The positions along an axis that a coordinate interpolates, and their weights."""
    if method == "nearest_neighbor":
        return [(inside(convert(_ROUND[rounding](at), "int32"), size), None)]
    low = scalar.floor(at)
    first, part = convert(low, "int32"), at - low
    if method == "linear":
        weights, offsets = [1.0 - part, part], (0, 1)
    else:
        weights, offsets = cubic_weights(part, alpha), (-1, 0, 1, 2)
    # of two positions, the one inside has the whole weight anyway
    if exclude and method == "cubic":
        length = convert(as_expr(size), "int32")
        terms = [
            select(
                all_of(first + n >= 0, compare("lt", first + n, length)),
                weight,
                const(0.0, weight.dtype),
            )
            for n, weight in zip(offsets, weights, strict=True)
        ]
        total = terms[0] + terms[1] + terms[2] + terms[3]
        weights = [weight / total for weight in terms]
    return [(inside(first + n, size), weight) for n, weight in zip(offsets, weights, strict=True)]


def resized(
    data: Tensor, roi: Any, size: Any, layout: str, method: str, mode: str, rounding: str,
    alpha: float, exclude: Any, extrapolation: float, out_dtype: str | None, letters: str,
    steps: Sequence[float | None] | None = None,
) -> Tensor:  # fmt: skip
    """The data with the axes ``letters`` of a layout resized; arguments are those of
    :func:`resize2d`.

    ``steps`` are the distances in the input of neighbouring results, one for each axis, in the
    modes "asymmetric" and "half_pixel". The default is the quotient of the sizes; a scale factor,
    whose size is rounded down, passes its own step. The coordinates of nearest elements are then
    computed in float32, regardless of the type of the data.
    """
    axes = pooled_axes(layout, letters, data.ndim)
    outs = positive(size, len(letters), "size")
    word(method, METHODS, "method")
    word(mode, COORDINATES, "coordinate_transformation_mode")
    default = "round_prefer_ceil" if mode == "align_corners" else "round_prefer_floor"
    exclude = flag(0 if exclude is None else exclude, "bicubic_exclude")
    rounding = word(rounding or default, ROUNDINGS, "rounding_method")
    cropped = mode == "tf_crop_and_resize"
    count = len(letters)
    dtype = check_dtype(out_dtype) if out_dtype else data.dtype
    wide = "float64" if "float64" in (data.dtype, dtype) else "float32"
    place_type = wide if steps is None or method != "nearest_neighbor" else "float32"
    region: list[Any] = [0.0] * count + [1.0] * count
    if isinstance(roi, Tensor):
        length = getattr(roi.shape[0], "value", roi.shape[0])
        if cropped and isinstance(length, int):
            region = [convert(roi(n), place_type) for n in range(length)]
    elif roi is not None:
        shares = [float_of(part, "a share of roi") for part in listed(roi, "roi")]
        region = shares if cropped else region
    # a region over all dimensions, as in ONNX
    if len(region) == 2 * data.ndim and data.ndim != count:
        region = [region[n] for n in axes] + [region[data.ndim + n] for n in axes]
    if len(region) != 2 * count:
        raise refuse(
            "KC2311",
            f"roi has {counted(len(region), 'number')}",
            f"it has the begins of {count} axes, then the ends, as shares of the size",
        )
    if any(is_size(data.shape[axis], 0) for axis in axes):
        raise refuse(
            "KC2317", f"{data.name} has nothing to resize", "a resized axis must not be empty"
        )
    shape = list(data.shape)
    for axis, out in zip(axes, outs, strict=True):
        shape[axis] = out

    def body(*at: Any) -> Expr:
        lines, within = [], []
        for n, (axis, out) in enumerate(zip(axes, outs, strict=True)):
            length = dim(data.shape[axis])
            step = steps[n] if steps is not None else None
            region_of_axis = region[n], region[count + n]
            place = _source(at[axis], length, out, mode, region_of_axis, step, place_type)
            if cropped:
                last = convert(as_expr(length), place_type) - 1.0
                within += [place >= 0.0, compare("le", place, last)]
            lines.append(_taps(place, length, method, rounding, alpha, bool(exclude)))

        def element(taps: Iterable[tuple[Expr, Expr | None]]) -> Expr:
            place_at = list(at)
            for axis, (index, _) in zip(axes, taps, strict=True):
                place_at[axis] = index
            return data(*place_at)

        def combined(chosen: tuple[tuple[Expr, Expr | None], ...]) -> Expr:
            """The sum over the taps of the remaining axes, as the first tap plus differences from
            it. An interpolation of equal numbers is then exactly that number, which a cut
            preserves.
            """
            if len(chosen) == len(lines):
                return convert(element(chosen), wide)
            first, *following = [(combined((*chosen, tap)), tap[1]) for tap in lines[len(chosen)]]
            value = first[0]
            for term, weight in following:
                assert weight is not None
                value = value + (term - first[0]) * weight
            return value

        if method == "nearest_neighbor":
            total = element([taps[0] for taps in lines])
        elif not is_float(dtype):
            total = combined(())
        else:
            terms: list[Expr] = []
            for taps in itertools.product(*lines):
                value = convert(element(taps), wide)
                for _, weight in taps:
                    value = value * weight
                terms.append(value)
            total = functools.reduce(operators.add, terms)
        result = convert(total, dtype)
        if not cropped:
            return result
        return select(all_of(*within), result, convert(const(float(extrapolation), wide), dtype))

    return scattered(compute(shape, body, "resize", tag=INJECTIVE), data)


_MEANING = """``method``: "nearest_neighbor", "linear" or "cubic" (with ``bicubic_alpha``; places
    outside have no weight if ``bicubic_exclude``). ``coordinate_transformation_mode`` says where an
    element lies in the input, ``rounding_method`` which is the nearest (default: halves down, up
    for "align_corners"). ``roi``, the begins and then the ends as shares of the size, and
    ``extrapolation_value``, beyond the input, are for "tf_crop_and_resize". Interpolated in float32
    (float64 of that), then converted to ``out_dtype``, that of the data by default; integers are
    cut: between equal ones that one is kept, but a rounding just below another whole number gives
    the one before. Raises KC2306 for a size
    below 1, KC2308 for a layout, KC2312 for a word."""


def _resize(name: str, letters: str, about: str, example: str):
    """The operator that resizes the axes ``letters``."""

    def resize(
        data: Tensor,
        roi: Any,
        size: Any,
        layout: str = f"NC{letters}",
        method: str = "linear",
        coordinate_transformation_mode: str = "half_pixel",
        rounding_method: str = "",
        bicubic_alpha: float = -0.5,
        bicubic_exclude: int | None = 0,
        extrapolation_value: float = 0.0,
        out_dtype: str | None = None,
    ) -> Tensor:
        return resized(
            data, roi, size, layout, method, coordinate_transformation_mode, rounding_method,
            bicubic_alpha, bicubic_exclude, extrapolation_value, out_dtype, letters,
        )  # fmt: skip

    resize.__name__ = resize.__qualname__ = name
    resize.__doc__ = f"{about}\n\n    {_MEANING}\n    "
    enter = operator(
        INJECTIVE, NUMBERS, example, onnx="Resize", torch="interpolate", gradient="own"
    )
    return enter(resize)


# fmt: off
resize1d = _resize(
    "resize1d", "W", "Another length of one axis.", "image.resize1d(T(1, 2, 5), None, (8,))")
resize2d = _resize(
    "resize2d", "HW", "Another size of two axes.", "image.resize2d(T(1, 2, 4, 5), None, (8, 3))")
resize3d = _resize(
    "resize3d", "DHW", "Another size of three axes.",
    "image.resize3d(T(1, 1, 2, 3, 4), None, (3, 3, 3))")
# fmt: on
