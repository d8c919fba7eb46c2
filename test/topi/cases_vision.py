"""Cases of boxes, regions, moved taps and bits; importing the module enters them."""

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
    words = [p.reshape(*p.shape[:-1], -1, width) @ (1 << np.arange(width)[::-1]) for p in planes]
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
