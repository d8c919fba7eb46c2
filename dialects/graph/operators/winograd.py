"""Winograd's convolutions, whose weights are transformed once: for weights that are constant."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators._relations import (
    WORDS,
    require_dtype,
    require_rank,
    require_same,
    require_word,
    same_dtype,
)
from kc.dialects.graph.operators.convolution import window_size
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec

MOST_POINTS = 12
"""The most that a tile and a kernel may have together; more lose too many digits."""


def _require_tile(tile: int, taps: MaybeSize) -> None:
    if tile < 2 or (isinstance(taps, int) and tile + taps > MOST_POINTS):
        raise RelationError(
            f"tile_size is {tile} for a kernel of {taps}, but must be at least 2, and the sum at "
            f"most {MOST_POINTS}"
        )


@operator
class WinogradWeightTransform(Operator):
    """A weight (O, I, K, K) as (T, T, O, I), T = ``tile_size`` + K - 1."""

    name = "nn.contrib_conv2d_winograd_weight_transform"
    inputs = ("weight",)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    tile_size: int

    def infer(self, weight: TensorSpec) -> TensorSpec:
        require_rank(weight, 4, "weight")
        require_dtype(weight, WORDS, "weight")
        outputs, inputs, height, width = weight.shape
        require_same(height, width, "the height and the width of the kernel")
        _require_tile(self.tile_size, height)
        span = None if height is None else height + (self.tile_size - 1)
        return TensorSpec((span, span, outputs, inputs), weight.dtype)


@operator
class WinogradConv2D(Operator):
    """A convolution of (N, C, H, W) with a weight (T, T, O, C) that is transformed, in tiles.

    Strides and dilation are 1, and there is one group. The result is that of nn.conv2d up to
    rounding, which grows with ``tile_size``. Source: Lavin and Gray, 2015.
    """

    name = "nn.contrib_conv2d_winograd_without_weight_transform"
    inputs = ("data", "weight")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    tile_size: int
    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    dilation: tuple[int, ...] = (1, 1)
    groups: int = 1
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"
    out_layout: str = ""
    out_dtype: str = ""

    def infer(self, data: TensorSpec, weight: TensorSpec) -> TensorSpec:
        require_word(self.data_layout, ("NCHW",), "data_layout")
        require_word(self.kernel_layout, ("OIHW",), "kernel_layout")
        require_word(self.out_layout, ("", "NCHW"), "out_layout")
        require_rank(data, 4, "data")
        require_rank(weight, 4, "weight")
        require_dtype(data, WORDS, "data")
        same_dtype((data, weight), self.inputs)
        strides, dilation = spread(self.strides, 2, "strides"), spread(self.dilation, 2, "dilation")
        if {*strides, *dilation, self.groups} != {1}:
            raise RelationError(
                f"strides {strides}, dilation {dilation} and groups {self.groups} must be 1"
            )
        span, width, outputs, inputs = weight.shape
        require_same(span, width, "the first two sizes of weight")
        require_same(data.shape[1], inputs, "the channels of data and weight")
        if self.channels is not None:
            require_same(self.channels, outputs, "channels and the outputs of weight")
        taps = None if span is None else span - (self.tile_size - 1)
        if isinstance(taps, int) and taps < 1:
            raise RelationError(f"weight is {weight}, but tiles have {self.tile_size} elements")
        _require_tile(self.tile_size, taps)
        if self.kernel_size is not None:
            for size in spread(self.kernel_size, 2, "kernel_size"):
                require_same(size, taps, "kernel_size and the kernel that weight was made of")
        sizes = [
            window_size(size, taps, 1, 1, pads)
            for size, pads in zip(data.shape[2:], pads_of(self.padding, 2), strict=True)
        ]
        return TensorSpec((data.shape[0], outputs, *sizes), self.out_dtype or data.dtype)
