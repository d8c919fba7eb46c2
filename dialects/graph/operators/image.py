"""Images: resized by sizes and by factors, cropped, sampled at places, dilated."""

from __future__ import annotations

import math
from typing import ClassVar

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._layouts import Layout, layout_of, pads_of, spread
from kc.dialects.graph.operators._relations import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    WORDS,
    checked_dtype,
    require_dtype,
    require_rank,
    require_same,
    require_word,
)
from kc.dialects.graph.operators.convolution import SPATIAL, window_size
from kc.dialects.graph.sizes import MaybeSize, ceil_div
from kc.dialects.graph.types import TensorSpec

COORDINATES = (
    "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)  # fmt: skip
ROUNDINGS = ("", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def image_axes(text: str, ndim: int) -> Layout:
    """A layout whose spatial axes are not split. Raises RelationError."""
    layout = layout_of(text, f"NC{SPATIAL[ndim]}", "layout")
    for letter, block in layout.axes:
        if block and letter.upper() in SPATIAL[ndim]:
            raise RelationError(f"layout is {text!r}, which splits the resized axis {letter}")
    return layout


class Resize(Operator):
    """The base of images of other sizes."""

    inputs = ("data",)
    pattern = Pattern.INJECTIVE
    ndim: ClassVar[int]

    size: tuple[int, ...]
    roi: tuple[float, ...] | None
    layout: str
    method: str
    coordinate_transformation_mode: str
    rounding_method: str
    cubic_alpha: float
    cubic_exclude: int
    extrapolation_value: float
    out_dtype: str

    def infer(self, data: TensorSpec) -> TensorSpec:
        layout = image_axes(self.layout, self.ndim)
        require_rank(data, len(layout.axes), "data")
        require_dtype(data, NUMBERS, "data")
        require_word(self.method, ("nearest_neighbor", "linear", "cubic"), "method")
        mode = self.coordinate_transformation_mode
        require_word(mode, COORDINATES, "coordinate_transformation_mode")
        require_word(self.rounding_method, ROUNDINGS, "rounding_method")
        if self.cubic_exclude not in (0, 1):
            raise RelationError(f"cubic_exclude is {self.cubic_exclude}, but must be 0 or 1")
        if mode == "tf_crop_and_resize" and self.roi is not None:
            counts = (2 * self.ndim, 2 * data.rank)
            if len(self.roi) not in counts:
                raise RelationError(f"roi has {len(self.roi)} numbers, but must have {counts[0]}")
        sizes = spread(self.size, self.ndim, "size")
        if min(sizes) < 1:
            raise RelationError(f"size is {sizes}, but must be at least 1")
        shape = list(data.shape)
        for letter, size in zip(SPATIAL[self.ndim], sizes, strict=True):
            axis = layout.position(letter)
            if shape[axis] == 0:
                raise RelationError(f"data is {data}, of which nothing is resized")
            shape[axis] = size
        dtype = checked_dtype(self.out_dtype, NUMBERS, "out_dtype") if self.out_dtype else ""
        return TensorSpec(tuple(shape), dtype or data.dtype)


_ORDER = (
    "data", "size", "roi", "layout", "method", "coordinate_transformation_mode", "rounding_method",
    "cubic_alpha", "cubic_exclude", "extrapolation_value", "out_dtype",
)  # fmt: skip


@operator
class Resize1D(Resize):
    """Signals of another size.

    ``method`` is nearest_neighbor, linear or cubic; ``coordinate_transformation_mode`` says which
    place of the data a place of the result is. ``roi`` is the part that "tf_crop_and_resize" takes:
    begins and ends as shares of the size.
    """

    name = "image.resize1d"
    ndim = 1
    parameters = _ORDER

    size: tuple[int, ...]
    roi: tuple[float, ...] | None = None
    layout: str = "NCW"
    method: str = "linear"
    coordinate_transformation_mode: str = "half_pixel"
    rounding_method: str = ""
    cubic_alpha: float = -0.5
    cubic_exclude: int = 0
    extrapolation_value: float = 0.0
    out_dtype: str = ""


@operator
class Resize2D(Resize):
    """Images of another size; the attributes are those of image.resize1d."""

    name = "image.resize2d"
    ndim = 2
    parameters = _ORDER

    size: tuple[int, ...]
    roi: tuple[float, ...] | None = None
    layout: str = "NCHW"
    method: str = "linear"
    coordinate_transformation_mode: str = "half_pixel"
    rounding_method: str = ""
    cubic_alpha: float = -0.5
    cubic_exclude: int = 0
    extrapolation_value: float = 0.0
    out_dtype: str = ""


@operator
class Resize3D(Resize):
    """Volumes of another size; the attributes are those of image.resize1d."""

    name = "image.resize3d"
    ndim = 3
    parameters = _ORDER

    size: tuple[int, ...]
    roi: tuple[float, ...] | None = None
    layout: str = "NCDHW"
    method: str = "linear"
    coordinate_transformation_mode: str = "half_pixel"
    rounding_method: str = ""
    cubic_alpha: float = -0.5
    cubic_exclude: int = 0
    extrapolation_value: float = 0.0
    out_dtype: str = ""


def _scaled(size: MaybeSize, factor: float, letter: str) -> MaybeSize:
    """The size times a factor, rounded to the nearest integer."""
    if not 0 < factor < math.inf:
        raise RelationError(f"the scale of {letter} is {factor}, but must be above 0 and finite")
    if isinstance(size, int):
        scaled = round(size * factor)
        if scaled < 1:
            raise RelationError(f"{letter} of the size {size} and the scale {factor} is empty")
        return scaled
    return size * int(factor) if size is not None and factor == int(factor) else None


@operator
class Upsampling(Operator):
    """Images whose height and width are multiplied by factors.

    ``method`` is nearest_neighbor, bilinear or bicubic. With ``align_corners`` corners stay
    corners.
    """

    name = "nn.upsampling"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    scale_h: float = 1.0
    scale_w: float = 1.0
    layout: str = "NCHW"
    method: str = "nearest_neighbor"
    align_corners: bool = False

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_word(self.method, ("nearest_neighbor", "bilinear", "bicubic"), "method")
        return _scaled_image(data, self.layout, {"H": self.scale_h, "W": self.scale_w})


@operator
class Upsampling3D(Operator):
    """Volumes whose sizes are multiplied by factors; nearest_neighbor or trilinear."""

    name = "nn.upsampling3d"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    scale_d: float = 1.0
    scale_h: float = 1.0
    scale_w: float = 1.0
    layout: str = "NCDHW"
    method: str = "nearest_neighbor"
    coordinate_transformation_mode: str = "half_pixel"

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_word(self.method, ("nearest_neighbor", "trilinear"), "method")
        mode = self.coordinate_transformation_mode
        require_word(mode, COORDINATES, "coordinate_transformation_mode")
        factors = {"D": self.scale_d, "H": self.scale_h, "W": self.scale_w}
        return _scaled_image(data, self.layout, factors)


def _scaled_image(data: TensorSpec, text: str, factors: dict[str, float]) -> TensorSpec:
    layout = image_axes(text, len(factors))
    require_rank(data, len(layout.axes), "data")
    require_dtype(data, NUMBERS, "data")
    shape = list(data.shape)
    for letter, factor in factors.items():
        axis = layout.position(letter)
        shape[axis] = _scaled(shape[axis], factor, letter)
    return TensorSpec(tuple(shape), data.dtype)


@operator
class CropAndResize(Operator):
    """Boxes (K, 4) of images, each resized to ``crop_size``.

    A box is (y1, x1, y2, x2) as shares of the image of the number in ``box_indices``; what lies
    outside of it is ``extrapolation_value``.
    """

    name = "image.crop_and_resize"
    inputs = ("data", "boxes", "box_indices")
    pattern = Pattern.INJECTIVE

    crop_size: tuple[int, ...]
    layout: str = "NCHW"
    method: str = "bilinear"
    extrapolation_value: float = 0.0
    out_dtype: str = ""

    def infer(self, data: TensorSpec, boxes: TensorSpec, box_indices: TensorSpec) -> TensorSpec:
        require_rank(data, 4, "data")
        require_dtype(data, NUMBERS, "data")
        require_rank(boxes, 2, "boxes")
        require_dtype(boxes, WORDS, "boxes")
        require_same(4, boxes.shape[1], "the numbers of a box")
        require_rank(box_indices, 1, "box_indices")
        require_dtype(box_indices, INTEGERS, "box_indices")
        require_same(boxes.shape[0], box_indices.shape[0], "the numbers of boxes and box_indices")
        require_word(self.layout, ("NCHW", "NHWC"), "layout")
        require_word(self.method, ("bilinear", "nearest_neighbor"), "method")
        height, width = spread(self.crop_size, 2, "crop_size")
        if min(height, width) < 1:
            raise RelationError(f"crop_size is {self.crop_size}, but must be at least 1")
        dtype = checked_dtype(self.out_dtype, NUMBERS, "out_dtype") if self.out_dtype else ""
        if self.layout == "NCHW":
            shape = (boxes.shape[0], data.shape[1], height, width)
        else:
            shape = (boxes.shape[0], height, width, data.shape[3])
        return TensorSpec(shape, dtype or data.dtype)


@operator
class AffineGrid(Operator):
    """The places (N, 2, H, W), x before y, of images turned by matrices (N, 2, 3).

    Corners are -1 and 1; ``target_shape`` is (H, W).
    """

    name = "image.affine_grid"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    target_shape: tuple[int, ...]

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_rank(data, 3, "data")
        require_dtype(data, FLOATS, "data")
        require_same(2, data.shape[1], "the rows of a matrix")
        require_same(3, data.shape[2], "the columns of a matrix")
        height, width = spread(self.target_shape, 2, "target_shape")
        if min(height, width) < 1:
            raise RelationError(f"target_shape is {self.target_shape}, but must be at least 1")
        return TensorSpec((data.shape[0], 2, height, width), data.dtype)


@operator
class GridSample(Operator):
    """Images (N, C, H, W) sampled at the places of a grid (N, 2, H', W'), x before y.

    -1 and 1 are the centres of the corner elements with ``align_corners``, else their outer edges.
    What lies outside is zeros, the border or its reflection: ``padding_mode``.
    """

    name = "image.grid_sample"
    inputs = ("data", "grid")
    pattern = Pattern.INJECTIVE

    method: str = "bilinear"
    layout: str = "NCHW"
    padding_mode: str = "zeros"
    align_corners: bool = True

    def infer(self, data: TensorSpec, grid: TensorSpec) -> TensorSpec:
        require_word(self.layout, ("NCHW",), "layout")
        require_word(self.method, ("bilinear", "nearest"), "method")
        require_word(self.padding_mode, ("zeros", "border", "reflection"), "padding_mode")
        require_rank(data, 4, "data")
        require_dtype(data, FLOATS, "data")
        require_rank(grid, 4, "grid")
        require_dtype(grid, (data.dtype,), "grid")
        require_same(data.shape[0], grid.shape[0], "the numbers of images and of grids")
        require_same(2, grid.shape[1], "the coordinates of grid")
        return TensorSpec((*data.shape[:2], *grid.shape[2:]), data.dtype)


@operator
class Dilation2D(Operator):
    """The largest of ``data[n, c, y + dy, x + dx] + weight[c, dy, dx]`` at each place."""

    name = "image.dilation2d"
    inputs = ("data", "weight")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    dilations: tuple[int, ...] = (1, 1)
    data_layout: str = "NCHW"
    kernel_layout: str = "IHW"
    out_dtype: str = ""

    def infer(self, data: TensorSpec, weight: TensorSpec) -> TensorSpec:
        require_word(self.data_layout, ("NCHW", "NHWC"), "data_layout")
        require_word(self.kernel_layout, ("IHW", "HWI"), "kernel_layout")
        require_rank(data, 4, "data")
        require_rank(weight, 3, "weight")
        require_dtype(data, NUMBERS, "data")
        require_dtype(weight, NUMBERS, "weight")
        strides = spread(self.strides, 2, "strides")
        dilations = spread(self.dilations, 2, "dilations")
        if min(*strides, *dilations) < 1:
            raise RelationError(f"strides {strides} and dilations {dilations} must be at least 1")
        places = [self.kernel_layout.index(letter) for letter in "IHW"]
        channels, *taps = (weight.shape[place] for place in places)
        axes = [self.data_layout.index(letter) for letter in "CHW"]
        require_same(data.shape[axes[0]], channels, "the channels of data and weight")
        shape = list(data.shape)
        for n, pads in enumerate(pads_of(self.padding, 2)):
            axis = axes[n + 1]
            shape[axis] = window_size(shape[axis], taps[n], strides[n], dilations[n], pads)
        dtype = checked_dtype(self.out_dtype, NUMBERS, "out_dtype") if self.out_dtype else ""
        return TensorSpec(tuple(shape), dtype or data.dtype)


@operator
class Correlation(Operator):
    """The similarity of windows of (N, C, H, W) and displaced windows of another image.

    The result is (N, D * D, ...) for D displacements down and to the right, up to
    ``max_displacement`` in steps of ``stride2``. Windows of ``kernel_size`` move by ``stride1``
    over the padded images. The similarity is the mean of products, or of absolute differences
    without ``is_multiply``. Source: FlowNet (Dosovitskiy et al., 2015).
    """

    name = "nn.correlation"
    inputs = ("data1", "data2")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    kernel_size: int = 1
    max_displacement: int = 1
    stride1: int = 1
    stride2: int = 1
    padding: int = 0
    is_multiply: bool = True
    layout: str = "NCHW"

    def infer(self, data1: TensorSpec, data2: TensorSpec) -> TensorSpec:
        require_word(self.layout, ("NCHW",), "layout")
        require_rank(data1, 4, "data1")
        require_rank(data2, 4, "data2")
        require_dtype(data1, NUMBERS, "data1")
        require_dtype(data2, (data1.dtype,), "data2")
        for n, (size, own) in enumerate(zip(data1.shape, data2.shape, strict=True)):
            require_same(size, own, f"the sizes {n} of data1 and data2")
        if self.kernel_size < 1 or self.kernel_size % 2 == 0:
            raise RelationError(f"kernel_size is {self.kernel_size}, but must be odd")
        if min(self.stride1, self.stride2) < 1 or min(self.max_displacement, self.padding) < 0:
            raise RelationError(
                f"stride1 {self.stride1} and stride2 {self.stride2} must be at least 1, "
                f"max_displacement {self.max_displacement} and padding {self.padding} at least 0"
            )
        border = self.kernel_size // 2 + self.max_displacement
        sizes: list[MaybeSize] = []
        for size in data1.shape[2:]:
            inner = None if size is None else size + 2 * (self.padding - border)
            if isinstance(inner, int) and inner < 1:
                raise RelationError(
                    f"windows that reach {border} to both sides do not fit into {size} elements "
                    f"with padding {self.padding}"
                )
            sizes.append(None if inner is None else ceil_div(inner, self.stride1))
        count = 2 * (self.max_displacement // self.stride2) + 1
        return TensorSpec((data1.shape[0], count * count, *sizes), data1.dtype)
