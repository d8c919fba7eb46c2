"""Cases of boxes, regions, moved taps and bits; importing the module enters them."""

from typing import Any

import numpy as np
from topi_cases import case

from kc.topi import testing

case(
    "nn.deformable_conv2d_nchw",
    lambda x, o, w: testing.deformable_conv2d_nchw_python(x, o, w, 1, 1, 1, 1, 1),
    roundings=64,
)
case(
    "nn.deformable_conv2d_nchw",
    lambda x, o, w: testing.deformable_conv2d_nchw_python(x, o, w, 2, 0, 1, 2, 2),
    "nn.deformable_conv2d_nchw(T(1, 4, 5, 6), T(1, 16, 2, 3), T(2, 2, 2, 2), 2, 0, 1, 2, 2)",
    64,
)
case(
    "nn.deformable_conv2d_nchw",
    lambda x, o, w: testing.conv2d_nchw_python(x, w, 1, "VALID"),
    "nn.deformable_conv2d_nchw(T(1, 2, 4, 4), T(1, 8, 3, 3, of=[0] * 72), T(1, 2, 2, 2), 1, 0, 1, "
    "1, 1)",
    16,
)


def packed(x, bits, width):
    """Words along the last axis, the first element the most significant; bits in axis 1."""
    planes = [(x >> b) & 1 for b in range(bits)]
    shape = (*x.shape[:-1], x.shape[-1] // width, width)
    words = [plane.reshape(shape) @ (1 << np.arange(width)[::-1]) for plane in planes]
    return np.stack(words, 1)


case("nn.bitpack", lambda x: packed(x.astype("int64"), 2, 32))
case("nn.bitpack", lambda x: packed(x.astype("int64"), 3, 8),
     'nn.bitpack(T(2, 16, dtype="int32"), 3, 1, 1, "uint8")')  # fmt: skip


def few(x, bits, signs=False):
    value = x.astype("int64") & ((1 << bits) - 1)
    return 2 * value - ((1 << bits) - 1) if signs else value


for signs in (True, False):
    case("nn.bitserial_dense", lambda a, w, s=signs: few(a, 2) @ few(w, 2, s).T,
         'nn.bitserial_dense(T(2, 32, dtype="uint8"), T(3, 32, dtype="uint8"), 2, 2, "uint16", '
         f'"int32", {signs})')  # fmt: skip
case("nn.bitserial_dense", lambda a, w: few(a, 2) @ few(w, 1, True).T)
case("nn.bitserial_conv2d_nchw", lambda x, w: testing.conv2d_nchw_python(
    few(x, 2), few(w, 1, True), 1, 1))  # fmt: skip
case("nn.bitserial_conv2d_nhwc", lambda x, w: testing.conv2d_nhwc_python(
    few(x, 2), few(w, 1, True), 1, 1))  # fmt: skip

BOXES = (
    "T(1, 5, 6, of=[0, 0.8, 1, 20, 25, 45, 1, 0.7, 30, 60, 50, 80, 0, 0.4, 4, 21, 19, 40, "
    "2, 0.9, 35, 61, 52, 79, 1, 0.5, 100, 60, 70, 110])"
)
COUNT = 'T(1, dtype="int32", of=[{}])'
NAMES = 'T(1, 5, dtype="int32", of=[10, 11, 12, 13, 14])'
for count, changed in (
    (5, {}),
    (-3, {}),
    (99, {"top_k": 3, "force_suppress": True, "return_indices": False, "invalid_to_bottom": True}),
    (4, {"max_output_size": 2, "id_index": -1, "iou_threshold": 0.9, "return_indices": False}),
):
    options = "".join(f", {key}={value}" for key, value in changed.items())
    case(
        "vision.non_max_suppression",
        lambda b, n, i, c=changed: testing.non_max_suppression_python(b, n, i, **c),
        f"vision.non_max_suppression({BOXES}, {COUNT.format(count)}, {NAMES}{options})",
    )
case("vision.get_valid_counts", lambda x: testing.get_valid_counts_python(x, 0.5))
case("vision.get_valid_counts", lambda x, t: testing.get_valid_counts_python(x, t, -1, 0),
     "vision.get_valid_counts(T(2, 5, 4), T(of=0.25), -1, 0)")  # fmt: skip

REGIONS = (
    "T(5, 5, of=[0, 0.5, 0, 3, 4, 0, -2, 1, 2, 1, 0, 4, 4, 9, 9, 7, 0, 0, 1, 1, "
    "np.nan, 0, 0, np.inf, 1])"
)
for mode, ratio, scale in (("avg", 2, 1.0), ("max", 2, 0.5), ("avg", -1, 1.0), ("max", -1, 1.0)):
    case(
        "vision.roi_align_nchw",
        lambda x, r, m=mode, n=ratio, s=scale: testing.roi_align_nchw_python(x, r, (2, 3), s, n, m),
        f'vision.roi_align_nchw(T(1, 2, 5, 4), {REGIONS}, (2, 3), {scale}, "{mode}", {ratio})',
        16,
    )
case("vision.roi_pool_nchw", lambda x, r: testing.roi_pool_nchw_python(x, r, (2, 3), 1.0),
     f"vision.roi_pool_nchw(T(1, 2, 5, 4), {REGIONS}, (2, 3), 1.0)")  # fmt: skip

for n, (mode, ratio) in enumerate((("avg", 2), ("max", -1))):
    case(
        "vision.roi_align_nhwc",
        lambda x, r, m=mode, k=ratio: testing.roi_align_nchw_python(
            x.transpose(0, 3, 1, 2), r, (2, 3), 1.0, k, m
        ).transpose(0, 2, 3, 1),
        f"vision.roi_align_nhwc(T(1, 5, 4, 2), {REGIONS}, (2, 3), 1.0, {n}, {ratio})",
        16,
    )
case(
    "nn.deformable_conv2d_nhwc",
    lambda x, o, w: testing.deformable_conv2d_nchw_python(
        x.transpose(0, 3, 1, 2), o.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), 1, 1, 1, 1, 1
    ).transpose(0, 2, 3, 1),
    roundings=64,
)
case("vision.reorg", lambda x: testing.reorg_python(x, 2))
case("vision.reorg", lambda x: testing.reorg_python(x, 3),
     'vision.reorg(T(2, 9, 3, 6, dtype="int8"), 3)')  # fmt: skip
case("vision.reorg", lambda x: x, "vision.reorg(T(1, 2, 3, 3), 1)")

PRIORS: list[tuple[Any, ...]] = [
    ((0.5, 0.25), (1, 2)), ((1.0,), (1,)), ((0.5,), (1, 2, 0.5), (0.25, 0.5), (0.25, 0.75), True)
]  # fmt: skip
for options in PRIORS:
    case(
        "vision.multibox_prior",
        lambda x, o=options: testing.multibox_prior_python(2, 3, *o),
        f"vision.multibox_prior(T(1, 3, 2, 3), {', '.join(map(str, options))})",
        8,
    )
ANCHORS = (
    "T(1, 4, 4, of=[0.1, 0.1, 0.5, 0.5, 0.1, 0.125, 0.5, 0.5, 0.5, 0.5, 0.9, 1, 0.2, 0.2, 0.3, 1])"
)
SCORES = (
    "T(2, 3, 4, of=[0.2, 0.1, 0.5, 0.9, 0.7, 0.25, 0.25, 0.05, 0.1, 0.65, 0.25, 0.05, "
    "0, 0, 0, 0, 0.5, 0.5, 0, 0.75, 0.25, 0.25, 0, 0])"
)
MOVES = "T(2, 16)"
DETECTED: list[tuple[Any, ...]] = [
    (), (False, 0.5), (True, 0.3, 0.25, True, (0.1, 0.2, 0.1, 0.2), 2)
]  # fmt: skip
for options in DETECTED:
    text = "".join(f", {option}" for option in options)
    case(
        "vision.multibox_detection",
        lambda c, m, a, o=options: testing.multibox_detection_python(c, m, a, *o),
        f"vision.multibox_detection({SCORES}, {MOVES}, {ANCHORS}{text})",
        32,
    )
case(
    "vision.multibox_transform_loc",
    testing.multibox_transform_loc_python,
    f"vision.multibox_transform_loc({SCORES}, {MOVES}, {ANCHORS})",
    32,
)
CORNERS = (
    "T(2, 5, 4, of=[0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 1.1, 1, 0.1, 0, 10, 1, 11, 0, 10.1, 1, 11.1, "
    "0, 0, 1, 1, 0, 0, 1, 0.5, 0, 0, 0.5, 0.5, 3, 3, 3, 3, 0, 0, 1, 1])"
)
RANKS = (
    "T(2, 2, 5, of=[0.9, 0.75, 0.6, 0.95, 0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3, 0.9, 0.9, 0.1, "
    "np.nan, 0, 0.4, 0.4, 0.4, 0.5])"
)


def selected(boxes, scores, options):
    rows = testing.all_class_non_max_suppression_python(boxes, scores, *options)
    result = np.zeros((scores.size, 3), "int64")
    result[: len(rows)] = rows
    return [result, np.array([len(rows)])]


def by_image(boxes, scores, options):
    rows = testing.all_class_non_max_suppression_python(boxes, scores, *options)
    shape = (len(boxes), scores[0].size)
    names, ranks = np.zeros((*shape, 2), "int64"), np.zeros(shape)
    counts = np.zeros(len(boxes), int)
    for b, c, n in rows:
        names[b, counts[b]], ranks[b, counts[b]] = (c, n), scores[b, c, n]
        counts[b] += 1
    return [names, ranks, counts]


for options in ((3, 0.5, 0.0), (-1, 0.4, 0.3), (1, 0.9, 0.2)):
    for form, reference in (("onnx", selected), ("tensorflow", by_image)):
        case(
            "vision.all_class_non_max_suppression",
            lambda b, s, o=options, f=reference: f(b, s, o),
            f"vision.all_class_non_max_suppression({CORNERS}, {RANKS}, {options[0]}, {options[1]}, "
            f'{options[2]}, "{form}")',
        )
for options in (
    ((1, 2), (1,), 8, 0.7, 6, 3, 1, False), ((1,), (0.5, 2), 8, 0.25, -1, 9, 4, True),
    ((0.5, 1), (1, 2), 4, 0.5, 5, 4, 16, False),
):  # fmt: skip
    count = len(options[0]) * len(options[1])
    case(
        "vision.proposal",
        lambda c, m, i, o=options: testing.proposal_python(c, m, i, *o),
        f"vision.proposal(T(2, {2 * count}, 2, 3), T(2, {4 * count}, 2, 3), "
        f"T(2, 3, of=[16, 24, 1, 15, 17, 0.5]), {', '.join(map(str, options))})",
        64,
    )
