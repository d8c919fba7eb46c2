"""The computations of :mod:`kc.dialects.graph.operators.image`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators.image import (
    AffineGrid,
    Correlation,
    CropAndResize,
    Dilation2D,
    GridSample,
    Resize,
    Upsampling,
    Upsampling3D,
)
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("image.resize1d", "image.resize2d", "image.resize3d")
def resize(op: Resize, data: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    function = getattr(topi.image, op.name.removeprefix("image."))
    return function(
        data,
        op.roi,
        spread(op.size, op.ndim, "size"),
        op.layout,
        op.method,
        op.coordinate_transformation_mode,
        op.rounding_method,
        op.cubic_alpha,
        op.cubic_exclude,
        op.extrapolation_value,
        op.out_dtype or None,
    )


@lowering("nn.upsampling")
def upsampling(op: Upsampling, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.upsampling(data, op.scale_h, op.scale_w, op.layout, op.method, op.align_corners)


@lowering("nn.upsampling3d")
def upsampling3d(op: Upsampling3D, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.upsampling3d(
        data, op.scale_d, op.scale_h, op.scale_w, op.layout, op.method,
        op.coordinate_transformation_mode,
    )  # fmt: skip


@lowering("image.crop_and_resize")
def crop_and_resize(op: CropAndResize, data: Tensor, boxes: Tensor, box_indices: Tensor) -> Tensor:
    """Lower to topi's function."""
    size = spread(op.crop_size, 2, "crop_size")
    return topi.image.crop_and_resize(
        data, boxes, box_indices, size, op.layout, op.method, op.extrapolation_value,
        op.out_dtype or None,
    )  # fmt: skip


@lowering("image.affine_grid")
def affine_grid(op: AffineGrid, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.image.affine_grid(data, spread(op.target_shape, 2, "target_shape"))


@lowering("image.grid_sample")
def grid_sample(op: GridSample, data: Tensor, grid: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.image.grid_sample(
        data, grid, op.method, op.layout, op.padding_mode, op.align_corners
    )


@lowering(
    "image.dilation2d",
    rows=["image.dilation2d_nchw", "image.dilation2d_nhwc", "transpose"],
)
def dilation2d(op: Dilation2D, data: Tensor, weight: Tensor) -> Tensor:
    """Lower to topi's function for the layout of the data; the weight is transposed to it."""
    is_last = op.data_layout == "NHWC"
    letters = "HWI" if is_last else "IHW"
    if op.kernel_layout != letters:
        weight = topi.transpose(weight, [op.kernel_layout.index(letter) for letter in letters])
    pads = pads_of(op.padding, 2)
    function = topi.image.dilation2d_nhwc if is_last else topi.image.dilation2d_nchw
    return function(
        data,
        weight,
        spread(op.strides, 2, "strides"),
        (*(head for head, _ in pads), *(tail for _, tail in pads)),
        spread(op.dilations, 2, "dilations"),
        op.out_dtype or None,
    )


@lowering("nn.correlation", rows=["nn.correlation_nchw"])
def correlation(op: Correlation, data1: Tensor, data2: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.correlation_nchw(
        data1, data2, op.kernel_size, op.max_displacement, op.stride1, op.stride2, op.padding,
        op.is_multiply,
    )  # fmt: skip
