"""Interpolation with antialiasing: each element is a mean of all that it covers.

The weights are those of the Pillow library, as torch has them: a filter as wide as the distance
between the elements, along one axis after the other, normalized at the edges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from kc import te
from kc.expr.tensor import Tensor
from kc.frontend.torch.numerics import Output
from kc.frontend.torch.rules import Unsupported, rank_of, rule

Filter = Callable[[Any], Any]


def _triangle(distance: Any) -> Any:
    return te.max(1.0 - distance, te.const(0.0, distance.dtype))


def _cubic(distance: Any) -> Any:
    """Keys, 1981, with a slope of -0.5."""
    a = -0.5
    near = ((a + 2.0) * distance - (a + 3.0)) * distance * distance + 1.0
    far = (((distance - 5.0) * distance + 8.0) * distance - 4.0) * a
    zero = te.const(0.0, distance.dtype)
    return te.if_then_else(distance < 1.0, near, te.if_then_else(distance < 2.0, far, zero))


def _along(
    x: Tensor, axis: int, size: Any, step: float, reach: float, weight: Filter, name: str
) -> Tensor:
    """A tensor with another size along an axis; ``step`` is the distance between its elements, in
    elements of ``x``, and ``reach`` that of the filter at a distance of 1."""
    length: Any = x.shape[axis]
    dtype = x.dtype
    wide = max(step, 1.0)
    support = reach * wide
    taps = math.ceil(support) * 2 + 1
    zero = te.const(0.0, dtype)

    def number(value: float) -> Any:
        return te.const(value, dtype)

    def first_of(i: Any) -> tuple[Any, Any, Any]:
        """The place in the middle, and the first and the last element that count."""
        center = number(step) * (i.astype(dtype) + number(0.5))
        first = te.max(
            (center - number(support) + number(0.5)).astype("int64"), te.const(0, "int64")
        )
        last = te.min((center + number(support) + number(0.5)).astype("int64"), length)
        return center, first, last

    def weighted(i: Any, tap: Any) -> tuple[Any, Any]:
        center, first, last = first_of(i)
        place = first + tap
        apart = (place.astype(dtype) - center + number(0.5)) * number(1.0 / wide)
        return place, te.if_then_else(place < last, weight(te.abs(apart)), zero)

    k = te.reduce_axis((0, taps), name="k")
    total = te.compute(
        (size,), lambda i: te.sum(weighted(i, k.var.astype("int64"))[1], axis=k), f"{name}_weights"
    )
    j = te.reduce_axis((0, taps), name="j")
    shape = [*x.shape[:axis], size, *x.shape[axis + 1 :]]

    def element(*at: Any) -> Any:
        place, share = weighted(at[axis], j.var.astype("int64"))
        inside = te.min(place, te.const(length - 1, "int64"))
        value = x(*at[:axis], inside, *at[axis + 1 :])
        return te.sum(value * (share / total(at[axis])), axis=j)

    return te.compute(shape, element, name)


def _resized(
    x: Tensor, node: Output, align_corners: bool, factors: Sequence[Any], reach: float,
    weight: Filter,
) -> Tensor:  # fmt: skip
    along_axes: list[Any] = []
    for factor in factors:
        along_axes += factor if isinstance(factor, list | tuple) else [factor]
    along_axes += [None] * (2 - len(along_axes))
    if not all(isinstance(size, int) for size in (*x.shape[2:], *node.shape[2:])):
        raise Unsupported("antialiasing of sizes that the call alone knows")
    for axis, factor in reversed([*zip(range(2, rank_of(x)), along_axes, strict=True)]):
        length, size = x.shape[axis], node.shape[axis]
        if align_corners:
            step = (length - 1) / (size - 1) if size > 1 else 0.0
        else:
            step = 1.0 / factor if factor is not None and factor > 0 else length / size
        x = _along(x, axis, size, step, reach, weight, f"antialias_{axis}")
    return x


@rule("_upsample_bilinear2d_aa", "_upsample_bilinear2d_aa.vec")
def _linear(x: Tensor, size: Any, align_corners: bool, *factors: Any, node: Output) -> Tensor:
    return _resized(x, node, align_corners, factors, 1.0, _triangle)


@rule("_upsample_bicubic2d_aa", "_upsample_bicubic2d_aa.vec")
def _bicubic(x: Tensor, size: Any, align_corners: bool, *factors: Any, node: Output) -> Tensor:
    return _resized(x, node, align_corners, factors, 2.0, _cubic)
