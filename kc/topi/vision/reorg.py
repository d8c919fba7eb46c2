"""The layer of YOLO that moves space into channels. Source: Redmon, Farhadi, YOLO9000, 2016."""

from __future__ import annotations

from typing import Any

from kc.expr.constructors import Expr
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, shape_text
from kc.te.computes import compute
from kc.topi.arguments import constant, positive, tensor
from kc.topi.gradients import scattered
from kc.topi.table import ANY, operator, refuse


@operator(INJECTIVE, ANY, "vision.reorg(T(1, 8, 4, 6), 2)", gradient="own")
def reorg(data: Tensor, stride: int) -> Tensor:
    """Data (N, C, H, W) as (N, C * stride^2, H / stride, W / stride), in darknet's order.

    The elements are those of ``(N, C / stride^2, H * stride, W * stride)``. Every ``stride``-th row
    and column of it forms an image, and the images in sequence are the result. Raises KC2302 for a
    rank, KC2303 for sizes that are no multiples of stride, KC2306 for a stride below 1.
    """
    tensor(data, "data", 4)
    (step,) = positive(stride, 1, "stride")
    channels, height, width = (constant(size, "a size of the data") for size in data.shape[1:])
    if channels % (step * step) or height % step or width % step:
        raise refuse(
            "KC2303",
            f"{data.name} of the shape {shape_text(data.shape)} with stride {step}",
            f"the channels must be a multiple of {step * step}, height and width of {step}",
        )
    depth, high, wide = channels // (step * step), height // step, width // step
    every = (max(channels, 1), max(height, 1), max(width, 1))

    def body(n: Any, c: Any, i: Any, j: Any) -> Expr:
        flat = (c * high + i) * wide + j
        column, row = flat % every[2], flat // every[2] % every[1]
        channel = flat // (every[1] * every[2])
        part = channel // max(depth, 1)
        y, x = row * step + part // step, column * step + part % step
        source = ((channel % max(depth, 1)) * (height * step) + y) * (width * step) + x
        return data(n, source // (every[1] * every[2]), source // every[2] % every[1],
                    source % every[2])  # fmt: skip

    shape = (data.shape[0], channels * step * step, high, wide)
    return scattered(compute(shape, body, "reorg", tag=INJECTIVE), data)
