"""The computations of :mod:`kc.dialects.graph.operators.vision`."""

from __future__ import annotations

from collections.abc import Sequence

from kc import topi
from kc.dialects.graph.operators._layouts import spread
from kc.dialects.graph.operators.vision import (
    AllClassNonMaxSuppression,
    GetValidCounts,
    MultiboxPrior,
    MultiboxTransformLoc,
    NonMaxSuppression,
    Proposal,
    RoiAlign,
    RoiPool,
)
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("vision.get_valid_counts")
def get_valid_counts(op: GetValidCounts, data: Tensor, score_threshold: Tensor) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.vision.get_valid_counts(data, score_threshold, op.id_index, op.score_index)


@lowering("vision.non_max_suppression")
def non_max_suppression(
    op: NonMaxSuppression, data: Tensor, valid_count: Tensor, indices: Tensor
) -> Tensor | Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.vision.non_max_suppression(
        data, valid_count, indices, op.max_output_size, op.iou_threshold, op.force_suppress,
        op.top_k, op.coord_start, op.score_index, op.id_index, op.return_indices,
        op.invalid_to_bottom,
    )  # fmt: skip


@lowering("vision.roi_align", rows=["vision.roi_align_nchw", "vision.roi_align_nhwc"])
def roi_align(op: RoiAlign, data: Tensor, rois: Tensor) -> Tensor:
    """Lower to topi's function for the layout."""
    is_first = op.layout == "NCHW"
    function = topi.vision.roi_align_nchw if is_first else topi.vision.roi_align_nhwc
    size = spread(op.pooled_size, 2, "pooled_size")
    return function(data, rois, size, op.spatial_scale, op.mode, op.sample_ratio)


@lowering("vision.roi_pool", rows=["vision.roi_pool_nchw"])
def roi_pool(op: RoiPool, data: Tensor, rois: Tensor) -> Tensor:
    """Lower to topi's function."""
    size = spread(op.pooled_size, 2, "pooled_size")
    return topi.vision.roi_pool_nchw(data, rois, size, op.spatial_scale)


@lowering("vision.all_class_non_max_suppression")
def all_class_non_max_suppression(
    op: AllClassNonMaxSuppression, boxes: Tensor, scores: Tensor
) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.vision.all_class_non_max_suppression(
        boxes, scores, op.max_output_boxes_per_class, op.iou_threshold, op.score_threshold,
        op.output_format,
    )  # fmt: skip


@lowering("vision.multibox_prior")
def multibox_prior(op: MultiboxPrior, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.vision.multibox_prior(data, op.sizes, op.ratios, op.steps, op.offsets, op.clip)


@lowering("vision.multibox_transform_loc")
def multibox_transform_loc(
    op: MultiboxTransformLoc, cls_prob: Tensor, loc_pred: Tensor, anchor: Tensor
) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.vision.multibox_transform_loc(
        cls_prob, loc_pred, anchor, op.clip, op.threshold, op.variances
    )


@lowering("vision.proposal")
def proposal(op: Proposal, cls_prob: Tensor, bbox_pred: Tensor, im_info: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.vision.proposal(
        cls_prob, bbox_pred, im_info, op.scales, op.ratios, op.feature_stride, op.threshold,
        op.rpn_pre_nms_top_n, op.rpn_post_nms_top_n, op.rpn_min_size, op.iou_loss,
    )  # fmt: skip
