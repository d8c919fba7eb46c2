"""Blocks of space as items of the batch or as channels, and back."""

from __future__ import annotations

import math

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators._relations import require_rank, require_same, require_word
from kc.dialects.graph.operators.convolution import window_size
from kc.dialects.graph.operators.padding import Widths, padded_sizes, widths_of
from kc.dialects.graph.sizes import MaybeSize, product_of
from kc.dialects.graph.types import TensorSpec


def _quotient(size: MaybeSize, divisor: int, what: str) -> MaybeSize:
    if isinstance(size, int) and size % divisor:
        raise RelationError(f"{what} is {size}, but must be a multiple of {divisor}")
    return None if size is None else size // divisor


class Blocks(Operator):
    """The base of operators of blocks of the dimensions behind the first, which is the batch."""

    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    block_shape: tuple[int, ...]

    def checked_blocks(self, data: TensorSpec, widths: Widths, name: str) -> int:
        """The places in a block. Raises RelationError."""
        if len(self.block_shape) >= data.rank or min(self.block_shape, default=1) < 1:
            raise RelationError(
                f"block_shape is {self.block_shape} for data {data}, but must have a number of at "
                "least 1 for each of some dimensions after the first"
            )
        pairs = widths_of(widths, len(self.block_shape), name)
        if any(min(pair) < 0 for pair in pairs):
            raise RelationError(f"{name} is {widths}, but must not be negative")
        count = 1
        for block in self.block_shape:
            count *= block
        return count


@operator
class SpaceToBatchNd(Blocks):
    """The blocks of the dimensions after the batch, which are padded first, moved to the batch."""

    name = "nn.space_to_batch_nd"

    block_shape: tuple[int, ...]
    paddings: tuple[tuple[int, ...], ...]
    pad_value: float = 0.0

    def infer(self, data: TensorSpec) -> TensorSpec:
        count = self.checked_blocks(data, self.paddings, "paddings")
        rank = len(self.block_shape)
        padded = padded_sizes(data.shape[1 : rank + 1], widths_of(self.paddings, rank, "paddings"))
        inner = [
            _quotient(size, block, f"the padded dimension {n + 1}")
            for n, (size, block) in enumerate(zip(padded, self.block_shape, strict=True))
        ]
        batch = None if data.shape[0] is None else data.shape[0] * count
        return TensorSpec((batch, *inner, *data.shape[rank + 1 :]), data.dtype)


@operator
class BatchToSpaceNd(Blocks):
    """The inverse of space_to_batch_nd: blocks of the batch moved to the dimensions after it, of
    which ``crops`` = (before, after) are removed."""

    name = "nn.batch_to_space_nd"

    block_shape: tuple[int, ...]
    crops: tuple[tuple[int, ...], ...]

    def infer(self, data: TensorSpec) -> TensorSpec:
        count = self.checked_blocks(data, self.crops, "crops")
        rank = len(self.block_shape)
        batch = _quotient(data.shape[0], count, "the batch")
        sizes: list[MaybeSize] = [
            None if size is None else size * block
            for size, block in zip(data.shape[1:], self.block_shape, strict=False)
        ]
        cropped = padded_sizes(sizes, [(-a, -b) for a, b in widths_of(self.crops, rank, "crops")])
        return TensorSpec((batch, *cropped, *data.shape[rank + 1 :]), data.dtype)


class ImageBlocks(Operator):
    """The base of operators of square blocks of images."""

    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    block_size: int
    layout: str

    def axes(self, data: TensorSpec) -> tuple[int, int, int]:
        """The axes of channels, height and width. Raises RelationError."""
        require_word(self.layout, ("NCHW", "NHWC"), "layout")
        require_rank(data, 4, "data")
        if self.block_size < 1:
            raise RelationError(f"block_size is {self.block_size}, but must be at least 1")
        return (1, 2, 3) if self.layout == "NCHW" else (3, 1, 2)


@operator
class DepthToSpace(ImageBlocks):
    """Channels moved into blocks of ``block_size`` x ``block_size``.

    In the mode "DCR" a channel counts the place in the block first, then the new channel; in "CDR"
    (or "CRD") the other way round.
    """

    name = "nn.depth_to_space"

    block_size: int
    layout: str = "NCHW"
    mode: str = "DCR"

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_word(self.mode, ("DCR", "CDR", "CRD"), "mode")
        channels, *image = self.axes(data)
        shape = list(data.shape)
        square = self.block_size * self.block_size
        shape[channels] = _quotient(shape[channels], square, "the number of channels")
        for axis in image:
            size = shape[axis]
            shape[axis] = None if size is None else size * self.block_size
        return TensorSpec(tuple(shape), data.dtype)


@operator
class SpaceToDepth(ImageBlocks):
    """Blocks of ``block_size`` x ``block_size`` moved into channels: the inverse of "DCR"."""

    name = "nn.space_to_depth"

    block_size: int
    layout: str = "NCHW"

    def infer(self, data: TensorSpec) -> TensorSpec:
        channels, *image = self.axes(data)
        shape = list(data.shape)
        size = shape[channels]
        shape[channels] = None if size is None else size * (self.block_size * self.block_size)
        for axis in image:
            shape[axis] = _quotient(shape[axis], self.block_size, f"dimension {axis}")
        return TensorSpec(tuple(shape), data.dtype)


@operator
class YoloReorg(Operator):
    """Blocks of ``stride`` x ``stride`` moved into channels, in the order of YOLO's reorg layer."""

    name = "vision.yolo_reorg"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    stride: int

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_rank(data, 4, "data")
        if self.stride < 1:
            raise RelationError(f"stride is {self.stride}, but must be at least 1")
        batch, channels, height, width = data.shape
        square = self.stride * self.stride
        _quotient(channels, square, "the number of channels")
        return TensorSpec(
            (
                batch,
                None if channels is None else channels * square,
                _quotient(height, self.stride, "the height"),
                _quotient(width, self.stride, "the width"),
            ),
            data.dtype,
        )


@operator
class Col2Im(Operator):
    """Images (N, C, ...) that are sums of overlapping blocks (N, C * prod(block), L).

    Block l, row-major, begins at its place times ``strides`` less the padding; its elements are
    ``dilation`` apart. kc's own operator, ONNX's Col2Im and torch's fold.
    """

    name = "nn.col2im"
    inputs = ("data",)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    image_shape: tuple[int, ...]
    block_shape: tuple[int, ...]
    strides: tuple[int, ...] = (1,)
    padding: tuple[int, ...] = (0,)
    dilation: tuple[int, ...] = (1,)

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_rank(data, 3, "data")
        count = len(self.image_shape)
        blocks = spread(self.block_shape, count, "block_shape")
        strides = spread(self.strides, count, "strides")
        dilation = spread(self.dilation, count, "dilation")
        if min(*self.image_shape, *blocks, *strides, *dilation, 1) < 1:
            raise RelationError(
                f"image_shape {self.image_shape}, block_shape {blocks}, strides {strides} and "
                f"dilation {dilation} must be at least 1"
            )
        windows = [
            window_size(*each)
            for each in zip(
                self.image_shape, blocks, strides, dilation, pads_of(self.padding, count),
                strict=True,
            )
        ]  # fmt: skip
        require_same(product_of(windows), data.shape[2], "the blocks in an image and those of data")
        channels = _quotient(data.shape[1], math.prod(blocks), f"dimension 1 of data {data}")
        return TensorSpec((data.shape[0], channels, *self.image_shape), data.dtype)
