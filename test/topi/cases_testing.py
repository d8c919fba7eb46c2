"""Cases of the references of kc.topi.testing that no other case has; importing enters them."""

import itertools

from topi_cases import case

from kc.topi import testing

case("nn.conv1d_ncw", lambda x, w: testing.conv1d_ncw_python(x, w, 2, 1, 2),
     "nn.conv1d_ncw(T(2, 3, 9), T(4, 3, 3), 2, 1, 2)", 32)  # fmt: skip
case("nn.conv3d_ncdhw", lambda x, w: testing.conv3d_ncdhw_python(x, w, 1, 1),
     "nn.conv3d_ncdhw(T(1, 2, 3, 4, 3), T(2, 2, 2, 3, 3), 1, 1, 1)", 64)  # fmt: skip
case("nn.conv1d_transpose_ncw", lambda x, w: testing.conv1d_transpose_ncw_python(x, w, 2, 1, 1),
     'nn.conv1d_transpose_ncw(T(1, 3, 4), T(3, 2, 3), 2, 1, "float32", 1)', 32)  # fmt: skip
case("nn.conv2d_transpose_nchw",
     lambda x, w: testing.conv2d_transpose_nchw_python(x, w, (2, 1), (1, 0), (1, 0)),
     'nn.conv2d_transpose_nchw(T(1, 3, 4, 3), T(3, 2, 3, 2), (2, 1), (1, 0), "float32", (1, 0))',
     32)  # fmt: skip
case("nn.conv3d_transpose_ncdhw",
     lambda x, w: testing.conv3d_transpose_ncdhw_python(x, w, 2, 0, 0),
     'nn.conv3d_transpose_ncdhw(T(1, 2, 2, 3, 2), T(2, 2, 2, 2, 2), 2, 0, "float32", 0)',
     32)  # fmt: skip
case("nn.conv1d_nwc", lambda x, w: testing.conv1d_nwc_python(x, w, 2, 1, 1),
     "nn.conv1d_nwc(T(2, 9, 3), T(3, 3, 4), 2, 1, 1)", 32)  # fmt: skip
case("nn.group_conv1d_ncw", lambda x, w: testing.group_conv1d_ncw_python(x, w, 1, 1, 2, 2),
     "nn.group_conv1d_ncw(T(1, 4, 9), T(6, 2, 3), 1, 1, 2, 2)", 32)  # fmt: skip
case("nn.group_conv1d_nwc", lambda x, w: testing.group_conv1d_nwc_python(x, w, 1, 0, 1, 2),
     "nn.group_conv1d_nwc(T(1, 7, 4), T(3, 2, 6), 1, 0, 1, 2)", 32)  # fmt: skip
case(
    "nn.conv2d_transpose_nchw",
    lambda x, w: testing.conv2d_transpose_nhwc_python(
        x.transpose(0, 2, 3, 1), w.transpose(2, 3, 0, 1), "HWIO", 2, 1
    ).transpose(0, 3, 1, 2),
    'nn.conv2d_transpose_nchw(T(1, 3, 4, 3), T(3, 2, 3, 3), 2, 1, "float32", 0)',
    32,
)
case(
    "nn.deformable_conv2d_nhwc",
    lambda x, o, w: testing.deformable_conv2d_nhwc_python(x, o, w, 1, 1, 1, 1, 1),
    "nn.deformable_conv2d_nhwc(T(1, 4, 3, 2), T(1, 4, 3, 18), T(3, 3, 2, 2), 1, 1, 1, 1, 1)",
    64,
)
case(
    "vision.roi_align_nhwc",
    lambda x, r: testing.roi_align_nhwc_python(x, r, (2, 3), 0.5, 2, "max"),
    'vision.roi_align_nhwc(T(1, 5, 4, 2), T(2, 5, of=[0, 0, 1, 6, 7, 0, 2, 2, 3, 9]), (2, 3), 0.5, '
    '"max", 2)',
    16,
)  # fmt: skip
case(
    "nn.instance_norm",
    lambda x, g, b: testing.instance_norm_python(x, g, b, (2, 3)),
    "nn.instance_norm(T(2, 3, 4, 5), T(3), T(3))",
    64,
)
case(
    "nn.batch_norm",
    lambda x, g, b, m, v: testing.batch_norm(x, g, b, m, v, 1, 1e-5),
    "nn.batch_norm(T(2, 3, 4, 4), T(3), T(3), T(3), T(3, of=[0.5, 1, 2]), 1, 1e-5)",
    32,
)

for method, mode in itertools.product(
    ("nearest_neighbor", "linear", "cubic"), ("half_pixel", "align_corners", "asymmetric")
):
    options = f'"{method}", "{mode}"'
    case(
        "image.resize1d",
        lambda x, o=(method, mode): testing.resize1d_python(x, 2, "NCW", *o),
        f'image.resize1d(T(1, 2, 5), None, (10,), "NCW", {options})',
        16,
    )
    case(
        "image.resize2d",
        lambda x, o=(method, mode): testing.resize2d_python(x, (2, 1.5), "NHWC", *o),
        f'image.resize2d(T(1, 3, 4, 2), None, (6, 6), "NHWC", {options})',
        32,
    )
    case(
        "image.resize3d",
        lambda x, o=(method, mode): testing.resize3d_python(x, (2, 0.5, 1), "NCDHW", *o),
        f'image.resize3d(T(1, 1, 2, 4, 3), None, (4, 2, 3), "NCDHW", {options})',
        64,
    )
case("nn.upsampling", lambda x: testing.upsampling_python(x, (3, 2), "NHWC"),
     'nn.upsampling(T(1, 2, 3, 2), 3, 2, "NHWC")')  # fmt: skip

INDEX = 'T({}, dtype="int32", of={})'
case("gather", lambda x, i: testing.gather_python(x, 1, i),
     f"gather(T(2, 4), 1, {INDEX.format('2, 3', [0, 3, -1, 2, 2, -4])})")  # fmt: skip
case("gather_nd", testing.gather_nd_python,
     f"gather_nd(T(3, 4, 2), {INDEX.format('2, 3', [0, 2, 1, 3, 0, 1])})")  # fmt: skip
case("strided_slice", lambda x: testing.strided_slice_python(x, [4, -3], [0, 9], [-2, 1]),
     "strided_slice(T(5, 6), [4, -3], [0, 9], [-2, 1])")  # fmt: skip
case("strided_slice",
     lambda x: testing.strided_slice_python(x, [-2, 1], [-1, 3], None, "size", (1, 0)),
     'strided_slice(T(5, 6), [-2, 1], [-1, 3], None, (1, 0), "size")')  # fmt: skip
case("strided_slice", lambda x: testing.slice_axis_python(x, -1, 1, 4),
     "strided_slice(T(5, 6), [1], [4], axes=[-1])")  # fmt: skip
case("strided_set", lambda x, v: testing.strided_set_python(x, v, [3, 1], [0, 4], [-2, 1]),
     "strided_set(T(4, 5), T(2, 3), [3, 1], [0, 4], [-2, 1])")  # fmt: skip
PLACES = INDEX.format("2, 2", [0, 2, -1, 3])
for axis in (-1, 0, 1):
    case("one_hot", lambda i, a=axis: testing.one_hot(i, 2.0, -1.0, 3, a, "float32"),
         f"one_hot({PLACES}, 2.0, -1.0, 3, {axis}, 'float32')")  # fmt: skip
for axis in (0, 1):
    shape = "4, 3, 2" if axis == 0 else "3, 4, 2"
    case("sequence_mask", lambda x, n, a=axis: testing.sequence_mask(x, n, 7.0, a),
         f"sequence_mask(T({shape}), {INDEX.format('3', [0, 4, 2])}, 7.0, {axis})")  # fmt: skip
for right in (False, True):
    case(
        "searchsorted",
        lambda s, v, r=right: testing.searchsorted_ref(s, v, r, "int64"),
        "searchsorted(T(2, 4, of=[0, 1, 1, 2, -1, 0, 0, 3]), T(2, 3, of=[1, -5, 9, 0, 3, 4]), "
        f"{right})",
    )
case("searchsorted", lambda s, v: testing.searchsorted_ref(s, v, True, "int32"),
     "searchsorted(T(4, of=[0, 1, 1, 2]), T(3, of=[1, -5, 9]), True, 'int32')")  # fmt: skip
case("nn.rms_norm", lambda x, w: testing.rms_norm_python(x, w, (1, -1)),
     "nn.rms_norm(T(2, 3, 4), T(3, 4), (1, 2))", 64)  # fmt: skip
case(
    "nn.attention",
    lambda q, k, v, m: testing.attention_python(
        q, k, v, m[None, None], 0.5, "TopLeft", None, "BNSH"
    ),
    "nn.attention(T(2, 4, 3, 6), T(2, 2, 3, 6), T(2, 2, 3, 7), T(3, 3), True, 0.5)",
    64,
)
case(
    "nn.depthwise_conv2d_NCHWc",
    lambda x, w: testing.depthwise_conv2d_python_nchwc(x, w, 1, 1),
    "nn.depthwise_conv2d_NCHWc(T(1, 2, 5, 4, 4), T(2, 1, 3, 3, 1, 4), 1, 1, 1)",
    32,
)
