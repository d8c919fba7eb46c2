"""Boxes and regions of images."""

from __future__ import annotations

import math

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._layouts import spread
from kc.dialects.graph.operators._relations import (
    INTEGERS,
    WORDS,
    joined,
    require_dtype,
    require_rank,
    require_same,
    require_word,
    same_dtype,
)
from kc.dialects.graph.sizes import product_of
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


@operator
class AllClassNonMaxSuppression(Operator):
    """The boxes (B, N, 4) that no better box overlaps, for each class of ``scores`` (B, C, N).

    A box is two opposite corners. With the ``output_format`` "onnx" the result is image, class and
    number of each kept box (B * C * N, 3), and their number (1,); with "tensorflow" class and
    number (B, C * N, 2), scores (B, C * N), and the number of boxes of each image (B,). Rows beyond
    the number are 0.
    """

    name = "vision.all_class_non_max_suppression"
    inputs = ("boxes", "scores")
    pattern = Pattern.OPAQUE

    max_output_boxes_per_class: int = -1
    iou_threshold: float = -1.0
    score_threshold: float = -1.0
    output_format: str = "onnx"

    def infer(self, boxes: TensorSpec, scores: TensorSpec) -> Spec:
        require_word(self.output_format, ("onnx", "tensorflow"), "output_format")
        require_rank(boxes, 3, "boxes")
        require_rank(scores, 3, "scores")
        require_dtype(boxes, WORDS, "boxes")
        require_dtype(scores, (boxes.dtype,), "scores")
        require_same(4, boxes.shape[2], "the numbers of a box")
        images = joined(boxes.shape[0], scores.shape[0], "the images of boxes and scores")
        count = joined(boxes.shape[1], scores.shape[2], "the boxes and the scores of a class")
        rows = product_of((scores.shape[1], count))
        if self.output_format == "onnx":
            total = product_of((images, rows))
            return TensorSpec((total, 3), "int64"), TensorSpec((1,), "int32")
        return (
            TensorSpec((images, rows, 2), "int64"),
            TensorSpec((images, rows), boxes.dtype),
            TensorSpec((images,), "int32"),
        )

    def result_count(self, operands: int) -> int:
        return 2 if self.output_format == "onnx" else 3


@operator
class MultiboxPrior(Operator):
    """The anchor boxes (1, H * W * (sizes + ratios - 1), 4) at each place of images (N, C, H, W).

    A box is left, top, right and bottom, as fractions of the image. There is a box for each of
    ``sizes``, a fraction of the height, and one of the first size for each of ``ratios`` but the
    first. ``steps`` are the distances of places down and right, -1 for those of an even division.
    """

    name = "vision.multibox_prior"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    sizes: tuple[float, ...] = (1.0,)
    ratios: tuple[float, ...] = (1.0,)
    steps: tuple[float, ...] = (-1.0, -1.0)
    offsets: tuple[float, ...] = (0.5, 0.5)
    clip: bool = False

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_rank(data, 4, "data")
        require_dtype(data, WORDS, "data")
        for name, numbers in (("sizes", self.sizes), ("ratios", self.ratios)):
            if not numbers or not all(0 < number < math.inf for number in numbers):
                raise RelationError(
                    f"{name} is {numbers}, but must have finite numbers above 0, at least one"
                )
        for name, numbers in (("steps", self.steps), ("offsets", self.offsets)):
            if len(numbers) != 2 or not all(map(math.isfinite, numbers)):
                raise RelationError(f"{name} is {numbers}, but must be two finite numbers")
        count = len(self.sizes) + len(self.ratios) - 1
        places = product_of((data.shape[2], data.shape[3]))
        return TensorSpec((1, None if places is None else places * count, 4), data.dtype)


@operator
class MultiboxTransformLoc(Operator):
    """Boxes (B, N, 6) of scores (B, C, N), moves (B, 4 N) and anchors (1, N, 4), and their number.

    A box is its class, score, left, top, right and bottom. Class 0, the background, is not counted.
    Boxes whose best class has a score of at least ``threshold`` come first; -1 follows. ``clip``
    moves corners into the image.
    """

    name = "vision.multibox_transform_loc"
    inputs = ("cls_prob", "loc_pred", "anchor")
    pattern = Pattern.OPAQUE

    clip: bool = True
    threshold: float = 0.01
    variances: tuple[float, ...] = (0.1, 0.1, 0.2, 0.2)

    def infer(self, cls_prob: TensorSpec, loc_pred: TensorSpec, anchor: TensorSpec) -> Spec:
        for spec, name, rank in ((cls_prob, "cls_prob", 3), (loc_pred, "loc_pred", 2),
                                 (anchor, "anchor", 3)):  # fmt: skip
            require_rank(spec, rank, name)
            require_dtype(spec, WORDS, name)
        same_dtype((cls_prob, loc_pred, anchor), self.inputs)
        if len(self.variances) != 4 or not all(map(math.isfinite, self.variances)):
            raise RelationError(f"variances is {self.variances}, but must be four finite numbers")
        images = joined(cls_prob.shape[0], loc_pred.shape[0], "the images of cls_prob and loc_pred")
        count = joined(cls_prob.shape[2], anchor.shape[1], "the anchors of cls_prob and anchor")
        require_same(1, anchor.shape[0], "the number 1 and the first dimension of anchor")
        require_same(4, anchor.shape[2], "the numbers of a box")
        moves = None if count is None else count * 4
        require_same(moves, loc_pred.shape[1], "four numbers an anchor and those of loc_pred")
        return TensorSpec((images, count, 6), cls_prob.dtype), TensorSpec((images,), "int32")

    def result_count(self, operands: int) -> int:
        return 2


@operator
class Proposal(Operator):
    """The best regions (B * rpn_post_nms_top_n, 5): image, left, top, right and bottom.

    ``cls_prob`` (B, 2 A, H, W) has the scores of the background and then of objects for A anchors
    at each place, ``bbox_pred`` (B, 4 A, H, W) their moves, and ``im_info`` (B, 3) the height, the
    width and the scale of each image. The anchors are ``ratios`` by ``scales``, and the places
    ``feature_stride`` elements of the image apart. A region that a better one overlaps by more than
    ``threshold`` is left out. Source: Faster R-CNN (Ren et al., 2015).
    """

    name = "vision.proposal"
    inputs = ("cls_prob", "bbox_pred", "im_info")
    pattern = Pattern.OPAQUE

    scales: tuple[float, ...]
    ratios: tuple[float, ...]
    feature_stride: int
    threshold: float
    rpn_pre_nms_top_n: int
    rpn_post_nms_top_n: int
    rpn_min_size: int
    iou_loss: bool

    def infer(self, cls_prob: TensorSpec, bbox_pred: TensorSpec, im_info: TensorSpec) -> TensorSpec:
        for spec, name, rank in ((cls_prob, "cls_prob", 4), (bbox_pred, "bbox_pred", 4),
                                 (im_info, "im_info", 2)):  # fmt: skip
            require_rank(spec, rank, name)
            require_dtype(spec, WORDS, name)
        same_dtype((cls_prob, bbox_pred, im_info), self.inputs)
        for name, numbers in (("scales", self.scales), ("ratios", self.ratios)):
            if not numbers or not all(0 < number < math.inf for number in numbers):
                raise RelationError(
                    f"{name} is {numbers}, but must have finite numbers above 0, at least one"
                )
        if min(self.feature_stride, self.rpn_post_nms_top_n) < 1:
            raise RelationError(
                f"feature_stride is {self.feature_stride} and rpn_post_nms_top_n "
                f"{self.rpn_post_nms_top_n}, but they must be at least 1"
            )
        anchors = len(self.scales) * len(self.ratios)
        require_same(2 * anchors, cls_prob.shape[1], "two scores an anchor and those of cls_prob")
        require_same(4 * anchors, bbox_pred.shape[1], "four moves an anchor and those of bbox_pred")
        require_same(3, im_info.shape[1], "the numbers of im_info")
        images = joined(cls_prob.shape[0], bbox_pred.shape[0], "the images of cls_prob, bbox_pred")
        images = joined(images, im_info.shape[0], "the images of cls_prob and im_info")
        for n in (2, 3):
            require_same(cls_prob.shape[n], bbox_pred.shape[n], "the places of the scores, moves")
        rows = None if images is None else images * self.rpn_post_nms_top_n
        return TensorSpec((rows, 5), cls_prob.dtype)
