"""Operators of images."""

from kc.topi.image.crop_and_resize import crop_and_resize
from kc.topi.image.dilation2d import dilation2d_nchw, dilation2d_nhwc
from kc.topi.image.grid_sample import (
    affine_grid,
    grid_sample,
)
from kc.topi.image.resize import (
    resize1d,
    resize2d,
    resize3d,
)

__all__ = [
    "affine_grid", "crop_and_resize", "dilation2d_nchw", "dilation2d_nhwc", "grid_sample",
    "resize1d", "resize2d", "resize3d",
]  # fmt: skip
