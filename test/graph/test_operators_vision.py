"""Operators of boxes and regions of images."""

from __future__ import annotations

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec
from kc.topi import testing

N = dimension("n")
BOXES = np.array(  # class, score, left, top, right, bottom
    [[[0, 0.5, 0, 0, 4, 4], [0, 0.9, 0, 0, 4, 3], [1, 0.8, 0, 0, 4, 4], [0, 0.1, 9, 9, 10, 10]]],
    np.float32,
)
COUNT, PLACES = np.array([4], np.int32), np.array([[5, 6, 7, 8]], np.int32)
NONE = np.full((1, 6), -1)
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
REGION = np.array([[0, 0, 0, 6, 6]], np.float32)


def _sorted(data, *_):
    return np.concatenate([data[0, [1, 2]], NONE, data[0, 3:]])[None]


CORNERS = np.array([[[0, 0, 1, 1], [0, 0.25, 1, 1.25], [0, 3, 1, 2], [0, 9, 1, 8]]], np.float32)
RANKS = np.array([[[0.5, 0.75, 0.25, 0.1], [0.5, 0.25, 0.75, 0.5]]], np.float32)


def _selected(boxes, scores):
    """Class 0: box 1 overlaps 0 by 0.6, then box 2. Class 1: boxes 2 and then 0."""
    rows = [[0, 0, 1], [0, 0, 2], [0, 1, 2], [0, 1, 0]]
    return [*rows, *[[0, 0, 0]] * 4], [4]


def _by_image(boxes, scores):
    names = [[0, 1], [0, 2], [1, 2], [1, 0], *[[0, 0]] * 4]
    return [names], [[0.75, 0.25, 0.75, 0.5, 0, 0, 0, 0]], [4]


CASES = [
    case("vision.get_valid_counts", BOXES, np.array(0.6, np.float32), expected=lambda x, _: (
        [2], np.concatenate([x[0, 1:3], NONE, NONE])[None], [[1, 2, -1, -1]])),
    case("vision.get_valid_counts", BOXES[..., 1:], np.array(3, np.float32), id_index=-1,
         score_index=4, expected=lambda x, _: (
             [3], np.concatenate([x[0, [0, 2, 3]], NONE[:, 1:]])[None], [[0, 2, 3, -1]])),
    case("vision.non_max_suppression", BOXES, COUNT, PLACES, return_indices=False,
         expected=_sorted),
    case("vision.non_max_suppression", BOXES, COUNT, PLACES,
         expected=lambda *_: ([[6, 7, 8, -1]], [[3]])),
    case("vision.non_max_suppression", BOXES, COUNT, PLACES, force_suppress=True,
         expected=lambda *_: ([[6, 8, -1, -1]], [[2]])),
    case("vision.non_max_suppression", BOXES, COUNT, PLACES, iou_threshold=0.8,
         max_output_size=3, expected=lambda *_: ([[6, 7, 5, -1]], [[3]])),
    case("vision.non_max_suppression", BOXES, COUNT, PLACES, top_k=2,
         expected=lambda *_: ([[6, 7, -1, -1]], [[2]])),
    case("vision.roi_align", IMAGE, REGION, pooled_size=(1, 3), spatial_scale=0.5, sample_ratio=1,
         expected=lambda x, _: [[[[6.5, 7.5, 8.5]]]]),
    case("vision.roi_align", IMAGE.transpose(0, 2, 3, 1), REGION, pooled_size=1, spatial_scale=0.5,
         sample_ratio=3, mode="max", layout="NHWC", expected=lambda x, _: [[[[12.5]]]]),
    case("vision.roi_pool", IMAGE, REGION, pooled_size=(2, 2), spatial_scale=0.5,
         expected=lambda x, _: [[[[5, 7], [13, 15]]]]),
    *[case("vision.all_class_non_max_suppression", CORNERS, RANKS, iou_threshold=0.5,
           max_output_boxes_per_class=2, score_threshold=0.2, output_format=form,
           expected=expected)
      for form, expected in (("onnx", _selected), ("tensorflow", _by_image))],
    case("vision.multibox_prior", "1x3x2x3xfloat32", sizes=(0.5, 0.25), ratios=(1, 2), clip=True,
         expected=lambda _: testing.multibox_prior_python(2, 3, (0.5, 0.25), (1, 2), clip=True)),
    case("vision.multibox_transform_loc", "2x3x4xfloat32", "2x16xfloat32", "1x4x4xfloat32",
         threshold=0.5, expected=lambda c, m, a: tuple(
             testing.multibox_transform_loc_python(c, m, a, True, 0.5))),
    case("vision.proposal", "1x4x2x3xfloat32", "1x8x2x3xfloat32",
         np.array([[16, 24, 1]], np.float32), scales=(1, 2), ratios=(1,), feature_stride=8,
         threshold=0.7, rpn_pre_nms_top_n=6, rpn_post_nms_top_n=3, rpn_min_size=1, iou_loss=False,
         expected=lambda c, m, i: testing.proposal_python(
             c, m, i, (1, 2), (1,), 8, 0.7, 6, 3, 1, False)),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_its_definition_says(each: Case) -> None:
    check(each)


def test_symbolic_sizes_are_exact() -> None:
    data, rois = TensorSpec((1, 3, N, N), "float32"), TensorSpec((N, 5), "float32")
    result = inferred("vision.roi_align", data, rois, pooled_size=(2, 3), spatial_scale=1.0)
    assert result == TensorSpec((N, 3, 2, 3), "float32")


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("vision.get_valid_counts", [BOXES, "float32"], {"score_index": 6}, "score_index is 6"),
        ("vision.non_max_suppression", [BOXES, COUNT, PLACES], {"coord_start": 3},
         "the last coordinate is 6"),
        ("vision.non_max_suppression", [BOXES, COUNT, PLACES[:, :3]], {}, "4 and 3"),
        ("vision.roi_align", [IMAGE, REGION[:, :4]], {"pooled_size": 2, "spatial_scale": 1.0},
         "the numbers of a region"),
        ("vision.all_class_non_max_suppression", [CORNERS, RANKS[..., :3]], {}, "are 4 and 3"),
        ("vision.all_class_non_max_suppression", [CORNERS, RANKS], {"output_format": "coco"},
         "output_format"),
        ("vision.multibox_prior", [IMAGE], {"sizes": (0.0,)}, "above 0"),
        ("vision.multibox_transform_loc", ["2x3x4xfloat32", "2x15xfloat32", "1x4x4xfloat32"], {},
         "are 16 and 15"),
        ("vision.proposal", ["1x4x2x3xfloat32", "1x7x2x3xfloat32", "1x3xfloat32"],
         {"scales": (1.0, 2.0), "ratios": (1.0,), "feature_stride": 8, "threshold": 0.7,
          "rpn_pre_nms_top_n": 6, "rpn_post_nms_top_n": 3, "rpn_min_size": 1, "iou_loss": False},
         "are 8 and 7"),
        ("vision.roi_pool", [IMAGE, REGION], {"pooled_size": 2, "spatial_scale": 0.0}, "above 0"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
