"""Cases of images and attention; importing the module enters them."""

import itertools

import numpy as np
from topi_cases import case

from kc.topi import testing
from kc.tvm.topi_testing.resizing import ROUND
from kc.tvm.topi_testing.resizing import axis_weights as line

for method, mode in itertools.product(
    ("nearest_neighbor", "linear", "cubic"),
    ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"),
):
    rounding = "round_prefer_ceil" if mode == "align_corners" else "round_prefer_floor"
    for size, out in ((5, 8), (7, 3), (4, 1)):
        case(
            "image.resize1d",
            lambda x, a=(size, out, method, mode, rounding): x @ line(*a).T,
            f'image.resize1d(T(1, 2, {size}), None, ({out},), method="{method}", '
            f'coordinate_transformation_mode="{mode}")',
            16,
        )
for rounding in ROUND:
    case(
        "image.resize1d",
        lambda x, r=rounding: x @ line(6, 9, "nearest_neighbor", "asymmetric", r).T,
        'image.resize1d(T(1, 1, 6), None, (9,), "NCW", "nearest_neighbor", "asymmetric", '
        f'"{rounding}")',
    )
case(
    "image.resize1d",
    lambda x: x @ line(5, 7, "cubic", "half_pixel", alpha=-0.75, exclude=1).T,
    'image.resize1d(T(1, 3, 5), None, (7,), method="cubic", bicubic_alpha=-0.75, '
    "bicubic_exclude=1)",
    16,
)


def outside(x, value, *matrices):
    result = np.einsum("nchw,yh,xw->ncyx", x, *matrices)
    return np.where(np.isnan(result), value, result)


case(
    "image.resize2d",
    lambda x: np.einsum(
        "nchw,yh,xw->ncyx",
        x,
        line(x.shape[2], 8, "linear", "half_pixel"),
        line(x.shape[3], 3, "linear", "half_pixel"),
    ),
    roundings=16,
)
case(
    "image.resize2d",
    lambda x: np.einsum(
        "nhwc,yh,xw->nyxc", x, line(3, 5, "cubic", "asymmetric"), line(4, 6, "cubic", "asymmetric")
    ),
    'image.resize2d(T(1, 3, 4, 2), None, (5, 6), "NHWC", "cubic", "asymmetric")',
    32,
)
case(
    "image.resize2d",
    lambda x: outside(
        x, 9,
        line(4, 3, "linear", "tf_crop_and_resize", roi=(-0.5, 0.5), extrapolation=1),
        line(5, 4, "linear", "tf_crop_and_resize", roi=(0.25, 1.5), extrapolation=1),
    ),
    'image.resize2d(T(1, 2, 4, 5), (-0.5, 0.25, 0.5, 1.5), (3, 4), method="linear", '
    'coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=9.0)',
    16,
)  # fmt: skip
case(
    "image.resize2d",
    lambda x: x.repeat(2, 2).repeat(2, 3),
    'image.resize2d(T(1, 2, "h=3", "w=2", dtype="int8"), None, (6, 4), method="nearest_neighbor")',
)
case(
    "image.resize3d",
    lambda x: np.einsum(
        "ncdhw,zd,yh,xw->nczyx",
        x, *(line(n, 3, "linear", "half_pixel") for n in x.shape[2:]),
    ),
    roundings=32,
)  # fmt: skip


case("image.affine_grid", lambda m: testing.affine_grid_python(m, (4, 5)), roundings=8)


for method, padding, corners in itertools.product(
    ("bilinear", "nearest"), ("zeros", "border", "reflection"), (True, False)
):
    case(
        "image.grid_sample",
        lambda x, g, a=(method, "NCHW", padding, corners): testing.grid_sample_python(x, g, *a),
        f'image.grid_sample(T(2, 2, 4, 5), T(2, 2, 3, 4), "{method}", "NCHW", "{padding}", '
        f"{corners})",
        64,
    )


def attended(q, k, v, mask=None, causal=False, scale=None, cap=0):
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat(groups, 1), v.repeat(groups, 1)
    scores = q @ k.transpose(0, 1, 3, 2) * (1 / np.sqrt(q.shape[3]) if scale is None else scale)
    if cap:
        scores = cap * np.tanh(scores / cap)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if causal:
        past = k.shape[2] - q.shape[2]
        scores = np.where(np.tri(q.shape[2], k.shape[2], past, bool), scores, -np.inf)
    return testing.softmax_python(scores) @ v


case("nn.attention", attended, roundings=64)
case(
    "nn.attention",
    lambda q, k, v, m: attended(q, k, v, m, True, 0.5, 3),
    "nn.attention(T(2, 4, 3, 6), T(2, 2, 5, 6), T(2, 2, 5, 7), T(3, 5), True, 0.5, 3.0)",
    64,
)
case(
    "nn.attention",
    attended,
    'nn.attention(T(1, 2, 3, 4), T(1, 1, 3, 4), T(1, 1, 3, 4), T(3, 3, dtype="bool", '
    "of=[1, 0, 0, 1, 1, 0, 0, 1, 1]))",
    64,
)


def rotated(x, c, s, interleaved=False):
    result = np.empty_like(x)
    first, second = (
        (slice(0, None, 2), slice(1, None, 2)) if interleaved else (slice(0, 4), slice(4, 8))
    )
    a, b = x[..., first], x[..., second]
    result[..., first], result[..., second] = a * c - b * s, b * c + a * s
    return result


case("nn.rotary_embedding", rotated, roundings=8)
case(
    "nn.rotary_embedding",
    lambda x, c, s: rotated(x, c, s, True),
    "nn.rotary_embedding(T(3, 8), T(3, 4), T(3, 4), True)",
    8,
)


def at_first_places(x, grid):
    """A place that is no number is the first of its axis; one that is infinite is outside."""
    return np.array([[[[x[0, 0, 0, 2], x[0, 0, 2, 0], x[0, 0, 0, 0], 0]]]])


case("image.grid_sample", at_first_places,
     "image.grid_sample(T(1, 1, 3, 3), T(1, 2, 1, 4, of=[1, np.nan, np.nan, np.inf, np.nan, 1, "
     "np.nan, 0]))")  # fmt: skip
for mode in ("border", "reflection"):
    case("image.grid_sample", lambda x, grid: x[:, :, :1, :1],
         f'image.grid_sample(T(1, 1, 3, 3), T(1, 2, 1, 1, of=[np.nan, -np.inf]), "nearest", '
         f'padding_mode="{mode}")')  # fmt: skip

for options in ((1, 0, 1), (2, 1, 1), (1, 2, 2)):
    text = ", ".join(map(str, options))
    case(
        "image.dilation2d_nchw",
        lambda x, f, o=options: testing.dilation2d_nchw_python(x, f, *o),
        f"image.dilation2d_nchw(T(2, 2, 5, 6), T(2, 3, 2), {text})",
    )
    case(
        "image.dilation2d_nhwc",
        lambda x, f, o=options: testing.dilation2d_nchw_python(
            x.transpose(0, 3, 1, 2), f.transpose(2, 0, 1), *o
        ).transpose(0, 2, 3, 1),
        f"image.dilation2d_nhwc(T(2, 5, 6, 2), T(3, 2, 2), {text})",
    )
case(
    "image.dilation2d_nchw",
    lambda x, f: testing.dilation2d_nchw_python(x.astype("int32"), f.astype("int32"), 1, 0, 1),
    'image.dilation2d_nchw(T(1, 2, 4, 4, dtype="int8"), T(2, 2, 2, dtype="int8"), 1, 0, 1, '
    '"int32")',
)
PARTS = "T(4, 4, of=[0, 0, 1, 1, 0.25, 0.5, 0.75, 0, -0.5, 0.5, 0.5, 2, np.nan, 0, np.inf, 1])"
NUMBERS = 'T(4, dtype="int32", of=[1, 0, 0, 7])'
for method, layout, size in itertools.product(
    ("bilinear", "nearest_neighbor"), ("NCHW", "NHWC"), ((3, 2), (1, 4))
):
    shape = "2, 3, 5, 6" if layout == "NCHW" else "2, 5, 6, 3"
    case(
        "image.crop_and_resize",
        lambda x, b, n, o=(size, layout, method, 0.5): testing.crop_and_resize_python(x, b, n, *o),
        f'image.crop_and_resize(T({shape}), {PARTS}, {NUMBERS}, {size}, "{layout}", "{method}", '
        "0.5)",
        16,
    )
