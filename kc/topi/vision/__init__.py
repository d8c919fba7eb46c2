"""Boxes and regions of images."""

from kc.topi.vision.boxes import get_valid_counts, non_max_suppression
from kc.topi.vision.regions import roi_align_nchw, roi_pool_nchw

__all__ = ["get_valid_counts", "non_max_suppression", "roi_align_nchw", "roi_pool_nchw"]
