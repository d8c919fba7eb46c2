"""Operators of boxes and regions of images."""

from __future__ import annotations

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec

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
        ("vision.roi_pool", [IMAGE, REGION], {"pooled_size": 2, "spatial_scale": 0.0}, "above 0"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
