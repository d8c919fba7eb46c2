"""Morphological dilation: the largest of an image and a structuring element around each place."""

from __future__ import annotations

from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr
from kc.expr.constructors import cast as convert
from kc.expr.tensor import Tensor, reduce_axis
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import over, positive, same_size, tensor
from kc.topi.nn.convolution import spans_of
from kc.topi.nn.padding import amounts, padded, window
from kc.topi.table import NUMBERS, operator


def _dilated(
    data: Tensor, filt: Tensor, stride: Any, padding: Any, dilations: Any, out_dtype: str | None,
    axes: tuple[int, int, int], taps_at: tuple[int, int, int], tag: str,
) -> Tensor:  # fmt: skip
    tensor(data, "input", 4)
    tensor(filt, "filter", 3, NUMBERS)
    channel, *space = axes
    same_size(data, channel, filt, taps_at[0], "there is a filter for each channel")
    steps, apart = positive(stride, 2, "stride"), positive(dilations, 2, "dilations")
    taps = [filt.shape[n] for n in taps_at[1:]]
    heads, tails = amounts(padding, spans_of(taps, apart))
    outs = window([data.shape[n] for n in space], taps, steps, apart, heads, tails, over, data)
    front, back, shape = [0] * 4, [0] * 4, list(data.shape)
    for n, axis in enumerate(space):
        front[axis], back[axis], shape[axis] = heads[n], tails[n], outs[n]
    source = padded(data, front, back, 0, "pad_temp")
    dtype = accumulation(data.dtype, None, out_dtype).result
    loops = [reduce_axis((0, size), name=name) for size, name in zip(taps, ("ry", "rx"),
                                                                     strict=True)]  # fmt: skip

    def body(*at: Any) -> Expr:
        place, weight = list(at), [at[channel]] * 3
        for n, axis in enumerate(space):
            place[axis] = at[axis] * steps[n] + loops[n] * apart[n]
            weight[taps_at[n + 1]] = loops[n]
        value = convert(source(*place), dtype) + convert(filt(*weight), dtype)
        return scalar.max(value, axis=loops)

    return compute(shape, body, tag, tag=tag)


_RULES = """Padding is 0, which takes part as any element. Elements are converted to ``out_dtype``
    (that of the data by default) before they are added. Raises KC2302 and KC2303 for ranks and
    channels, KC2306 for a stride or dilation of 0, KC2307 for a filter that is larger than the
    padded input, KC2311 for a padding."""


@operator("dilation2d_nchw", NUMBERS, "image.dilation2d_nchw(T(1, 2, 5, 6), T(2, 3, 2), 1, 0, 1)")
def dilation2d_nchw(
    input: Tensor, filter: Tensor, stride: Any, padding: Any, dilations: Any,  # noqa: A002
    out_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """The largest of ``input[n, c, y + dy, x + dx] + filter[c, dy, dx]`` at each place."""
    return _dilated(input, filter, stride, padding, dilations, out_dtype, (1, 2, 3), (0, 1, 2),
                    "dilation2d_nchw")  # fmt: skip


@operator("dilation2d_nhwc", NUMBERS, "image.dilation2d_nhwc(T(1, 5, 6, 2), T(3, 2, 2), 1, 0, 1)")
def dilation2d_nhwc(
    input: Tensor, filter: Tensor, stride: Any, padding: Any, dilations: Any,  # noqa: A002
    out_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """The largest of ``input[n, y + dy, x + dx, c] + filter[dy, dx, c]`` at each place."""
    return _dilated(input, filter, stride, padding, dilations, out_dtype, (3, 1, 2), (2, 0, 1),
                    "dilation2d_nhwc")  # fmt: skip


for _function in (dilation2d_nchw, dilation2d_nhwc):
    _function.__doc__ = f"{_function.__doc__}\n\n    {_RULES}\n    "
