"""Correlation: the similarity of windows of two images. Source: FlowNet, 2015."""

from __future__ import annotations

from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr
from kc.expr.constructors import cast as convert
from kc.expr.intrinsics import div
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import constant, positive, same_shape, tensor, whole
from kc.topi.nn.padding import padded
from kc.topi.table import NUMBERS, operator, refuse


@operator(
    "correlation_nchw", NUMBERS,
    "nn.correlation_nchw(T(1, 3, 6, 6), T(1, 3, 6, 6), 1, 2, 1, 1, 2, True)",
)  # fmt: skip
def correlation_nchw(
    data1: Tensor, data2: Tensor, kernel_size: int, max_displacement: int, stride1: int,
    stride2: int, padding: Any, is_multiply: bool,
) -> Tensor:  # fmt: skip
    """The correlation of windows of (N, C, H, W) with displaced windows of another image.

    The result is (N, D * D, ...). A window of ``kernel_size`` is compared with those up to
    ``max_displacement`` away in steps of ``stride2``, row-major: D = ``2 * (max_displacement //
    stride2) + 1``. It moves by ``stride1`` over the images, which have a ``padding`` of zeros; all
    windows are inside. The result is the mean over the window and the channels of the products
    (``is_multiply``), or of the absolute differences. Raises KC2302 and KC2303 for ranks and
    shapes, KC2306 for numbers that are too small, KC2307 for images smaller than the windows,
    KC2317 for an even kernel.
    """
    tensor(data1, "data1", 4)
    tensor(data2, "data2", 4, (data1.dtype,))
    same_shape(data1, data2, "the images are compared element by element")
    (taps,) = positive(kernel_size, 1, "kernel_size")
    (step,), (apart,) = positive(stride1, 1, "stride1"), positive(stride2, 1, "stride2")
    reach, edge = whole(max_displacement, "max_displacement"), whole(padding, "padding")
    for what, number in (("max_displacement", reach), ("padding", edge)):
        if number < 0:
            raise refuse("KC2306", f"{what} is {number}", "it must be at least 0")
    if taps % 2 == 0:
        raise refuse(
            "KC2317", f"kernel_size is {taps}", "it must be odd, so that a window has a middle"
        )
    border, radius = taps // 2 + reach, reach // apart
    count = 2 * radius + 1
    outs: list[int] = []
    for axis in (2, 3):
        size = constant(data1.shape[axis], "the size of the image") + 2 * edge
        if size <= 2 * border:
            raise refuse(
                "KC2307",
                f"windows that reach {border} on both sides of {data1.name} of the shape "
                f"{shape_text(data1.shape)} with a padding of {edge}",
                f"dimension {axis} is {size} with its padding, and more than {2 * border} is "
                "needed",
                "pad more, or use a smaller max_displacement",
            )
        outs.append(-(-(size - 2 * border) // step))
    amounts = [0, 0, edge, edge]
    first, second = (padded(image, amounts, amounts, 0, f"{image.name}_padded")
                     for image in (data1, data2))  # fmt: skip
    channels = constant(data1.shape[1], "the channels")
    sums = accumulation(data1.dtype, None)
    c = reduce_axis((0, channels), name="rc")
    u, v = (reduce_axis((0, taps), name=name) for name in ("ry", "rx"))

    def terms(n: Any, q: Any, i: Any, j: Any) -> Expr:
        y, x = i * step + reach + u, j * step + reach + v
        down, right = (q // count - radius) * apart, (q % count - radius) * apart
        a, b = sums.wide(first(n, c, y, x)), sums.wide(second(n, c, y + down, x + right))
        return scalar.sum(a * b if is_multiply else _distance(a, b), axis=[c, u, v])

    total = compute((data1.shape[0], count * count, *outs), terms, "correlation_sum",
                    tag="correlation_nchw")  # fmt: skip
    number_of_terms = max(taps * taps * channels, 1)
    return compute(total.shape, lambda *at: convert(div(total(*at), number_of_terms), data1.dtype),
                   "correlation", tag="elemwise")  # fmt: skip


def _distance(a: Expr, b: Expr) -> Expr:
    return scalar.max(a, b) - scalar.min(a, b)
