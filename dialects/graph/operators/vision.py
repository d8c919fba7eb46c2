"""Boxes and regions of images."""

from __future__ import annotations

import math

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._layouts import spread
from kc.dialects.graph.operators._relations import (
    INTEGERS,
    WORDS,
    require_dtype,
    require_rank,
    require_same,
    require_word,
)
from kc.dialects.graph.types import Spec, TensorSpec


def _require_columns(data: TensorSpec, **columns: int) -> None:
    """Require columns of boxes (B, N, E), or -1 for id_index. Raises RelationError."""
    require_rank(data, 3, "data")
    require_dtype(data, WORDS, "data")
    size = data.shape[2]
    for name, column in columns.items():
        least = -1 if name == "id_index" else 0
        if column < least or (isinstance(size, int) and column >= size):
            raise RelationError(f"{name} is {column}, but a box of data {data} has {size} numbers")


@operator
class GetValidCounts(Operator):
    """The number of valid boxes (B,), the boxes (B, N, E), and their places (B, N): a tuple.

    Boxes with a score above ``score_threshold`` and a class of at least 0 come first; -1 follows.
    """

    name = "vision.get_valid_counts"
    inputs = ("data", "score_threshold")
    pattern = Pattern.OPAQUE

    id_index: int = 0
    score_index: int = 1

    def infer(self, data: TensorSpec, score_threshold: TensorSpec) -> Spec:
        _require_columns(data, id_index=self.id_index, score_index=self.score_index)
        require_rank(score_threshold, 0, "score_threshold")
        require_dtype(score_threshold, (data.dtype,), "score_threshold")
        return (
            TensorSpec(data.shape[:1], "int32"), data, TensorSpec(data.shape[:2], "int32"),
        )  # fmt: skip

    def result_count(self, operands: int) -> int:
        return 3


@operator
class NonMaxSuppression(Operator):
    """The boxes (B, N, E) that no better box of their class overlaps by ``iou_threshold`` or more.

    With ``return_indices`` a tuple of the ``indices`` of the kept boxes (B, N), followed by -1, and
    their number (B, 1); else the boxes sorted by score, with -1 for those that are not kept.
    """

    name = "vision.non_max_suppression"
    inputs = ("data", "valid_count", "indices")
    pattern = Pattern.OPAQUE

    max_output_size: int = -1
    iou_threshold: float = 0.5
    force_suppress: bool = False
    top_k: int = -1
    coord_start: int = 2
    score_index: int = 1
    id_index: int = 0
    return_indices: bool = True
    invalid_to_bottom: bool = False

    def infer(self, data: TensorSpec, valid_count: TensorSpec, indices: TensorSpec) -> Spec:
        _require_columns(
            data, id_index=self.id_index, score_index=self.score_index,
            coord_start=self.coord_start,
        )  # fmt: skip
        _require_columns(data, **{"the last coordinate": self.coord_start + 3})
        for spec, name, rank in ((valid_count, "valid_count", 1), (indices, "indices", 2)):
            require_rank(spec, rank, name)
            require_dtype(spec, INTEGERS, name)
            for n in range(rank):
                what = f"the sizes of dimension {n} of data and {name}"
                require_same(data.shape[n], spec.shape[n], what)
        if not self.return_indices:
            return data
        return (
            TensorSpec(indices.shape, "int32"), TensorSpec((data.shape[0], 1), "int32"),
        )  # fmt: skip

    def result_count(self, operands: int) -> int | None:
        return 2 if self.return_indices else None


def _regions(
    data: TensorSpec, rois: TensorSpec, pooled: tuple[int, ...], scale: float, layout: str
) -> TensorSpec:
    require_rank(data, 4, "data")
    require_dtype(data, WORDS, "data")
    require_rank(rois, 2, "rois")
    require_dtype(rois, (data.dtype,), "rois")
    require_same(5, rois.shape[1], "the numbers of a region")
    height, width = spread(pooled, 2, "pooled_size")
    if min(height, width) < 1 or not 0 < scale < math.inf:
        raise RelationError(
            f"pooled_size is {pooled} and spatial_scale {scale}, but sizes must be at least 1, and "
            "the scale finite and above 0"
        )
    if layout == "NCHW":
        return TensorSpec((rois.shape[0], data.shape[1], height, width), data.dtype)
    return TensorSpec((rois.shape[0], height, width, data.shape[3]), data.dtype)


@operator
class RoiAlign(Operator):
    """Regions (R, 5) of images, interpolated, as (R, C, PH, PW).

    A region is the number of its image and x1, y1, x2, y2, times ``spatial_scale``. A bin is the
    mean ("avg") or the largest ("max") of ``sample_ratio`` squared samples; -1: as many as fit.
    """

    name = "vision.roi_align"
    inputs = ("data", "rois")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    pooled_size: tuple[int, ...]
    spatial_scale: float
    sample_ratio: int = -1
    layout: str = "NCHW"
    mode: str = "avg"

    def infer(self, data: TensorSpec, rois: TensorSpec) -> TensorSpec:
        require_word(self.layout, ("NCHW", "NHWC"), "layout")
        require_word(self.mode, ("avg", "max"), "mode")
        return _regions(data, rois, self.pooled_size, self.spatial_scale, self.layout)


@operator
class RoiPool(Operator):
    """The largest elements in the bins of regions (R, 5) of images, as (R, C, PH, PW)."""

    name = "vision.roi_pool"
    inputs = ("data", "rois")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    pooled_size: tuple[int, ...]
    spatial_scale: float
    layout: str = "NCHW"

    def infer(self, data: TensorSpec, rois: TensorSpec) -> TensorSpec:
        require_word(self.layout, ("NCHW",), "layout")
        return _regions(data, rois, self.pooled_size, self.spatial_scale, self.layout)
