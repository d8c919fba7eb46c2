"""Larger images: resized by factors."""

from __future__ import annotations

import math
from typing import Any

from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor
from kc.topi.arguments import constant, listed, positive, word
from kc.topi.nn.pooling import pooled_axes
from kc.topi.table import NUMBERS, operator, refuse


def _sizes(data: Tensor, layout: Any, letters: str, factors: tuple[Any, ...]) -> tuple[int, ...]:
    axes = pooled_axes(layout, letters, data.ndim)
    sizes = []
    for letter, axis, factor in zip(letters, axes, factors, strict=True):
        number = isinstance(factor, int | float) and not isinstance(factor, bool)
        if not number or not (0 < factor < math.inf):
            raise refuse(
                "KC2317", f"the scale of {letter} is {factor}", "it must be a finite number above 0"
            )
        sizes.append(round(constant(data.shape[axis], "a size") * factor))
    return tuple(sizes)


def _output(output_shape: Any, sizes: tuple[int, ...]) -> tuple[int, ...]:
    if output_shape is None or (isinstance(output_shape, tuple) and not output_shape):
        return sizes
    return positive(listed(output_shape, "output_shape"), len(sizes), "output_shape")


@operator(INJECTIVE, NUMBERS, "nn.upsampling(T(1, 2, 3, 4), 2, 2)", onnx="Resize",
          torch="interpolate", gradient="own")  # fmt: skip
def upsampling(
    data: Tensor, scale_h: float, scale_w: float, layout: str = "NCHW",
    method: str = "nearest_neighbor", align_corners: bool = False, output_shape: Any = None,
) -> Tensor:  # fmt: skip
    """Images whose height and width are multiplied by factors, rounded to integers.

    ``method``: "nearest_neighbor", "bilinear" or "bicubic". With ``align_corners`` the corner
    elements stay in the corners; otherwise an element's coordinate is multiplied by the factor.
    ``output_shape`` replaces the factors by sizes. Raises KC2306 for a size of 0, KC2308 for a
    layout, KC2312 for a method, KC2317 for a factor that is not above 0.
    """
    from kc.topi.image.resize import resize2d  # it looks layouts up in kc.topi.nn

    methods = {"nearest_neighbor": "nearest_neighbor", "bilinear": "linear", "bicubic": "cubic"}
    word(method, [*methods], "method")
    size = _output(output_shape, _sizes(data, layout, "HW", (scale_h, scale_w)))
    mode = "align_corners" if align_corners else "asymmetric"
    rounding = "" if align_corners else "floor"
    return resize2d(data, None, size, layout, methods[method], mode, rounding)


@operator(INJECTIVE, NUMBERS, "nn.upsampling3d(T(1, 1, 2, 3, 2), 2, 2, 2)", onnx="Resize",
          torch="interpolate", gradient="own")  # fmt: skip
def upsampling3d(
    data: Tensor, scale_d: float, scale_h: float, scale_w: float, layout: str = "NCDHW",
    method: str = "nearest_neighbor", coordinate_transformation_mode: str = "half_pixel",
    output_shape: Any = None,
) -> Tensor:  # fmt: skip
    """:func:`upsampling` of three axes; ``method``: "nearest_neighbor" or "trilinear".

    ``coordinate_transformation_mode`` and errors are those of :func:`kc.topi.image.resize3d`.
    """
    from kc.topi.image.resize import resize3d

    word(method, ("nearest_neighbor", "trilinear"), "method")
    size = _output(output_shape, _sizes(data, layout, "DHW", (scale_d, scale_h, scale_w)))
    return resize3d(
        data, None, size, layout, method.removeprefix("tri"), coordinate_transformation_mode
    )
