"""Operators of images."""

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
    "affine_grid", "grid_sample", "resize1d", "resize2d", "resize3d",
]  # fmt: skip
