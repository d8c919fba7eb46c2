"""Boxes and regions of images."""

from kc.topi.vision.boxes import (
    all_class_non_max_suppression,
    get_valid_counts,
    non_max_suppression,
)
from kc.topi.vision.multibox import (
    multibox_detection,
    multibox_prior,
    multibox_transform_loc,
)
from kc.topi.vision.proposal import proposal
from kc.topi.vision.regions import roi_align_nchw, roi_align_nhwc, roi_pool_nchw
from kc.topi.vision.reorg import reorg

__all__ = [
    "all_class_non_max_suppression", "get_valid_counts", "multibox_detection", "multibox_prior",
    "multibox_transform_loc", "non_max_suppression", "proposal", "reorg", "roi_align_nchw",
    "roi_align_nhwc", "roi_pool_nchw",
]  # fmt: skip
