"""Pooling: the largest element or the mean of windows, of bins, and of all positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._layouts import Layout, layout_of, pads_of, spread
from kc.dialects.graph.operators._relations import NUMBERS, require_dtype, require_rank
from kc.dialects.graph.operators.convolution import SPATIAL
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec


class Pooling(Operator):
    """The base of pools: their layouts. An axis that is pooled is not split in blocks."""

    inputs = ("data",)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE
    ndim: ClassVar[int]
    kind: ClassVar[str]
    """"max" or "avg"."""

    layout: str
    out_layout: str

    def axes_of(self, text: str, name: str) -> Layout:
        """The layout that an attribute names. Raises RelationError."""
        layout = layout_of(text, f"NC{SPATIAL[self.ndim]}", name)
        for letter, _ in layout.axes:
            if letter.upper() in SPATIAL[self.ndim] and letter.islower():
                raise RelationError(f"{name} is {text!r}, which splits the pooled axis {letter}")
        return layout

    def pooled_sizes(self, sizes: list[MaybeSize]) -> list[MaybeSize]:
        """The sizes of the result along the spatial axes. Raises RelationError."""
        raise NotImplementedError

    def infer(self, data: TensorSpec) -> TensorSpec:
        axes = self.axes_of(self.layout, "layout")
        result = self.axes_of(self.out_layout or self.layout, "out_layout")
        require_rank(data, len(axes.axes), "data")
        require_dtype(data, NUMBERS, "data")
        named = {letter: axes.size(data.shape, letter) for letter in f"NC{SPATIAL[self.ndim]}"}
        letters = SPATIAL[self.ndim]
        pooled = self.pooled_sizes([named[letter] for letter in letters])
        named |= dict(zip(letters, pooled, strict=True))
        return TensorSpec(result.shape_of(named), data.dtype)


class Windows(Pooling):
    """The base of pools of windows.

    ``padding`` is one number, one an axis, or all heads and then all tails. With ``ceil_mode`` the
    last window may stick out behind the data, but begins inside it or in the padding in front.
    """

    pool_size: tuple[int, ...]
    strides: tuple[int, ...]
    dilation: tuple[int, ...]
    padding: tuple[int, ...]
    ceil_mode: bool

    def pooled_sizes(self, sizes: list[MaybeSize]) -> list[MaybeSize]:
        taps = spread(self.pool_size, self.ndim, "pool_size")
        strides = spread(self.strides, self.ndim, "strides")
        dilation = spread(self.dilation, self.ndim, "dilation")
        if min(*taps, *strides, *dilation) < 1:
            raise RelationError(
                f"pool_size {taps}, strides {strides} and dilation {dilation} must be at least 1"
            )
        pads = pads_of(self.padding, self.ndim)
        return [
            self._windows(*each) for each in zip(sizes, taps, strides, dilation, pads, strict=True)
        ]

    def _windows(
        self, size: MaybeSize, taps: int, stride: int, dilation: int, pads: tuple[int, int]
    ) -> MaybeSize:
        if size is None:
            return None
        span = (taps - 1) * dilation + 1
        free = size + sum(pads) - span
        if isinstance(free, int) and free < 0:
            raise RelationError(
                f"a window of {taps} with dilation {dilation} does not fit into {size} elements "
                f"with padding {pads}"
            )
        if not self.ceil_mode:
            return free // stride + 1
        count = (free + (stride - 1)) // stride + 1
        most = (size + (pads[0] - 1)) // stride + 1
        if isinstance(count, int) and isinstance(most, int):
            return min(count, most)
        return count if pads[1] + stride <= span else None


@operator
class MaxPool1D(Windows):
    """The largest element of windows along one axis; padding is never the largest."""

    name = "nn.max_pool1d"
    ndim = 1
    kind = "max"

    pool_size: tuple[int, ...] = (1,)
    strides: tuple[int, ...] = (1,)
    dilation: tuple[int, ...] = (1,)
    padding: tuple[int, ...] = (0,)
    layout: str = "NCW"
    out_layout: str = ""
    ceil_mode: bool = False


@operator
class MaxPool2D(Windows):
    """The largest element of windows along two axes; padding is never the largest."""

    name = "nn.max_pool2d"
    ndim = 2
    kind = "max"

    pool_size: tuple[int, ...] = (1, 1)
    strides: tuple[int, ...] = (1, 1)
    dilation: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    layout: str = "NCHW"
    out_layout: str = ""
    ceil_mode: bool = False


@operator
class MaxPool3D(Windows):
    """The largest element of windows along three axes; padding is never the largest."""

    name = "nn.max_pool3d"
    ndim = 3
    kind = "max"

    pool_size: tuple[int, ...] = (1, 1, 1)
    strides: tuple[int, ...] = (1, 1, 1)
    dilation: tuple[int, ...] = (1, 1, 1)
    padding: tuple[int, ...] = (0, 0, 0)
    layout: str = "NCDHW"
    out_layout: str = ""
    ceil_mode: bool = False


class MeanWindows(Windows):
    """The base of pools of means, which count the padding with ``count_include_pad`` only."""

    kind = "avg"

    count_include_pad: bool


@operator
class AvgPool1D(MeanWindows):
    """The mean of windows along one axis, of the elements that lie in the data."""

    name = "nn.avg_pool1d"
    ndim = 1

    pool_size: tuple[int, ...] = (1,)
    strides: tuple[int, ...] = (1,)
    dilation: tuple[int, ...] = (1,)
    padding: tuple[int, ...] = (0,)
    layout: str = "NCW"
    out_layout: str = ""
    ceil_mode: bool = False
    count_include_pad: bool = False


@operator
class AvgPool2D(MeanWindows):
    """The mean of windows along two axes, of the elements that lie in the data."""

    name = "nn.avg_pool2d"
    ndim = 2

    pool_size: tuple[int, ...] = (1, 1)
    strides: tuple[int, ...] = (1, 1)
    dilation: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    layout: str = "NCHW"
    out_layout: str = ""
    ceil_mode: bool = False
    count_include_pad: bool = False


@operator
class AvgPool3D(MeanWindows):
    """The mean of windows along three axes, of the elements that lie in the data."""

    name = "nn.avg_pool3d"
    ndim = 3

    pool_size: tuple[int, ...] = (1, 1, 1)
    strides: tuple[int, ...] = (1, 1, 1)
    dilation: tuple[int, ...] = (1, 1, 1)
    padding: tuple[int, ...] = (0, 0, 0)
    layout: str = "NCDHW"
    out_layout: str = ""
    ceil_mode: bool = False
    count_include_pad: bool = False


class Bins(Pooling):
    """The base of pools whose result has a size that is given.

    Bin ``o`` of ``n`` covers the elements ``floor(o * size / n)`` to ``ceil((o + 1) * size / n)``.
    """

    output_size: tuple[int, ...] | None

    def bins(self) -> tuple[int, ...] | None:
        """The number of bins along each axis; None for those of the data."""
        if not self.output_size:
            return None
        counts = spread(self.output_size, self.ndim, "output_size")
        if min(counts) < 1:
            raise RelationError(f"output_size is {counts}, but must be at least 1")
        return counts

    def pooled_sizes(self, sizes: list[MaybeSize]) -> list[MaybeSize]:
        counts = self.bins()
        return sizes if counts is None else list(counts)


@dataclass(frozen=True)
class Bins1D(Bins):
    """Pools of bins along one axis."""

    ndim = 1

    output_size: tuple[int, ...] | None = None
    layout: str = "NCW"
    out_layout: str = ""


@dataclass(frozen=True)
class Bins2D(Bins):
    """Pools of bins along two axes."""

    ndim = 2

    output_size: tuple[int, ...] | None = None
    layout: str = "NCHW"
    out_layout: str = ""


@dataclass(frozen=True)
class Bins3D(Bins):
    """Pools of bins along three axes."""

    ndim = 3

    output_size: tuple[int, ...] | None = None
    layout: str = "NCDHW"
    out_layout: str = ""


@operator
class AdaptiveMaxPool1D(Bins1D):
    """The largest element of each of ``output_size`` bins along one axis."""

    name = "nn.adaptive_max_pool1d"
    kind = "max"


@operator
class AdaptiveMaxPool2D(Bins2D):
    """The largest element of each of ``output_size`` bins along two axes."""

    name = "nn.adaptive_max_pool2d"
    kind = "max"


@operator
class AdaptiveMaxPool3D(Bins3D):
    """The largest element of each of ``output_size`` bins along three axes."""

    name = "nn.adaptive_max_pool3d"
    kind = "max"


@operator
class AdaptiveAvgPool1D(Bins1D):
    """The mean of each of ``output_size`` bins along one axis."""

    name = "nn.adaptive_avg_pool1d"
    kind = "avg"


@operator
class AdaptiveAvgPool2D(Bins2D):
    """The mean of each of ``output_size`` bins along two axes."""

    name = "nn.adaptive_avg_pool2d"
    kind = "avg"


@operator
class AdaptiveAvgPool3D(Bins3D):
    """The mean of each of ``output_size`` bins along three axes."""

    name = "nn.adaptive_avg_pool3d"
    kind = "avg"


class Whole(Pooling):
    """The base of pools of all positions."""

    def pooled_sizes(self, sizes: list[MaybeSize]) -> list[MaybeSize]:
        if any(size == 0 for size in sizes):
            raise RelationError("a pooled axis has no elements")
        return [1] * len(sizes)


@dataclass(frozen=True)
class Whole1D(Whole):
    """Pools of all positions of one axis."""

    ndim = 1

    layout: str = "NCW"
    out_layout: str = ""


@dataclass(frozen=True)
class Whole2D(Whole):
    """Pools of all positions of two axes."""

    ndim = 2

    layout: str = "NCHW"
    out_layout: str = ""


@dataclass(frozen=True)
class Whole3D(Whole):
    """Pools of all positions of three axes."""

    ndim = 3

    layout: str = "NCDHW"
    out_layout: str = ""


@operator
class GlobalMaxPool1D(Whole1D):
    """The largest element along one axis, which stays with the size 1."""

    name = "nn.global_max_pool1d"
    kind = "max"


@operator
class GlobalMaxPool2D(Whole2D):
    """The largest element along two axes, which stay with the size 1."""

    name = "nn.global_max_pool2d"
    kind = "max"


@operator
class GlobalMaxPool3D(Whole3D):
    """The largest element along three axes, which stay with the size 1."""

    name = "nn.global_max_pool3d"
    kind = "max"


@operator
class GlobalAvgPool1D(Whole1D):
    """The mean along one axis, which stays with the size 1."""

    name = "nn.global_avg_pool1d"
    kind = "avg"


@operator
class GlobalAvgPool2D(Whole2D):
    """The mean along two axes, which stay with the size 1."""

    name = "nn.global_avg_pool2d"
    kind = "avg"


@operator
class GlobalAvgPool3D(Whole3D):
    """The mean along three axes, which stay with the size 1."""

    name = "nn.global_avg_pool3d"
    kind = "avg"
