"""The computations of :mod:`kc.dialects.graph.operators.pooling`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators.pooling import Bins, MeanWindows, Pooling, Whole, Windows
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering(
    "nn.max_pool1d", "nn.avg_pool1d", "nn.max_pool2d", "nn.avg_pool2d", "nn.max_pool3d",
    "nn.avg_pool3d", rows=["nn.pool1d", "nn.pool2d", "nn.pool3d", "layout_transform"],
)  # fmt: skip
def windows(op: Windows, data: Tensor) -> Tensor:
    """Lower to topi's function, which takes all layouts."""
    function = {1: topi.nn.pool1d, 2: topi.nn.pool2d, 3: topi.nn.pool3d}[op.ndim]
    pads = pads_of(op.padding, op.ndim)
    result = function(
        data,
        spread(op.pool_size, op.ndim, "pool_size"),
        spread(op.strides, op.ndim, "strides"),
        spread(op.dilation, op.ndim, "dilation"),
        (*(head for head, _ in pads), *(tail for _, tail in pads)),
        op.kind,
        op.ceil_mode,
        op.layout,
        isinstance(op, MeanWindows) and op.count_include_pad,
    )
    return in_out_layout(op, result)


@lowering(
    "nn.adaptive_max_pool1d", "nn.adaptive_avg_pool1d", "nn.adaptive_max_pool2d",
    "nn.adaptive_avg_pool2d", "nn.adaptive_max_pool3d", "nn.adaptive_avg_pool3d",
    rows=["nn.adaptive_pool1d", "nn.adaptive_pool", "nn.adaptive_pool3d", "layout_transform",
          "identity"],
)  # fmt: skip
def bins(op: Bins, data: Tensor) -> Tensor:
    """Lower to topi's function; the data itself without an output size."""
    counts = op.bins()
    if counts is None:
        return in_out_layout(op, topi.identity(data))
    return in_out_layout(op, _in_bins(op, data, counts))


@lowering(
    "nn.global_max_pool1d", "nn.global_avg_pool1d", "nn.global_max_pool2d", "nn.global_avg_pool2d",
    "nn.global_max_pool3d", "nn.global_avg_pool3d",
    rows=["nn.adaptive_pool1d", "nn.global_pool", "nn.adaptive_pool3d", "layout_transform"],
)  # fmt: skip
def whole(op: Whole, data: Tensor) -> Tensor:
    """Lower to topi's global_pool, or its bins, of which there is one."""
    if op.ndim == 2:
        return in_out_layout(op, topi.nn.global_pool(data, op.kind, op.layout))
    return in_out_layout(op, _in_bins(op, data, (1,) * op.ndim))


def _in_bins(op: Pooling, data: Tensor, counts: tuple[int, ...]) -> Tensor:
    function = {
        1: topi.nn.adaptive_pool1d,
        2: topi.nn.adaptive_pool,
        3: topi.nn.adaptive_pool3d,
    }[op.ndim]
    return function(data, counts, op.kind, op.layout)


def in_out_layout(op: Pooling, result: Tensor) -> Tensor:
    """The result in ``out_layout``."""
    if op.out_layout in ("", op.layout):
        return result
    return topi.layout_transform(result, op.layout, op.out_layout)
