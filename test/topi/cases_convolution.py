"""Cases of convolutions; importing the module enters them."""

import numpy as np
from topi_cases import case

from kc.topi import testing

conv = testing.conv_python


def turned(x, order):
    """To channels first, and back."""
    return x.transpose(order)


for name, space, kernel in (
    ("ncw", (9,), (3,)), ("nchw", (7, 6), (3, 2)), ("ncdhw", (4, 5, 4), (2, 3, 2))
):  # fmt: skip
    rank = len(space)
    for stride, padding, dilation in ((1, 0, 1), (2, 1, 1), (1, "SAME", 2), (2, "VALID", 1)):
        shape = ", ".join(map(str, (2, 3, *space)))
        weight = ", ".join(map(str, (4, 3, *kernel)))
        text = f'"{padding}"' if isinstance(padding, str) else padding
        case(
            f"nn.conv{rank}d_{name}",
            lambda x, w, a=(stride, padding, dilation): conv(x, w, *a),
            f"nn.conv{rank}d_{name}(T({shape}), T({weight}), {stride}, {text}, {dilation})",
            64,
        )

case("nn.conv", lambda x, w: conv(x, w, 1, 1, 1, 2), roundings=64)
case(
    "nn.conv",
    lambda x, w: conv(x.transpose(0, 2, 1), w.transpose(2, 1, 0), 2, 1, 1, 2).transpose(0, 2, 1),
    'nn.conv(T(1, 9, 4), T(3, 2, 6), 2, 1, 1, 2, "NWC")',
    64,
)
case("nn.conv1d", lambda x, w: conv(x, w, 1, 1), roundings=64)
case(
    "nn.conv1d",
    lambda x, w: conv(x.transpose(0, 2, 1), w.transpose(2, 1, 0), 2).transpose(0, 2, 1),
    'nn.conv1d(T(1, 9, 4), T(3, 4, 6), 2, data_layout="NWC")',
    64,
)
case(
    "nn.conv1d_nwc",
    lambda x, w: conv(x.transpose(0, 2, 1), w.transpose(2, 1, 0), 1, 1).transpose(0, 2, 1),
    roundings=64,
)
case("nn.group_conv1d_ncw", lambda x, w: conv(x, w, 1, 1, 1, 2), roundings=64)
case(
    "nn.group_conv1d_nwc",
    lambda x, w: conv(x.transpose(0, 2, 1), w.transpose(2, 1, 0), 1, 1, 1, 2).transpose(0, 2, 1),
    roundings=64,
)
case("nn.conv2d", lambda x, w: conv(x, w, 1, 1), roundings=64)
case(
    "nn.conv2d",
    lambda x, w: testing.conv2d_nchw_python(x, w, (2, 1), (1, 0, 2, 1), 1, (1, 2)),
    "nn.conv2d(T(1, 3, 8, 7), T(2, 3, 3, 3), (2, 1), (1, 0, 2, 1), (1, 2))",
    64,
)
case(
    "nn.conv2d",
    lambda x, w: testing.conv2d_nhwc_python(x, w, 1, 0),
    'nn.conv2d(T(1, 6, 6, 3), T(3, 3, 3, 4), 1, 0, 1, layout="NHWC")',
    64,
)
case(
    "nn.conv2d",
    lambda x, w: testing.conv2d_hwcn_python(x, w, 1, "SAME"),
    'nn.conv2d(T(6, 5, 3, 2), T(3, 2, 3, 4), 1, "SAME", 1, "HWCN", "HWIO")',
    64,
)
case(
    "nn.conv2d_nchw",
    lambda x, w: conv(x.astype("int32"), w.astype("int32"), 1, 1),
    'nn.conv2d_nchw(T(1, 40, 4, 4, dtype="int8", of=[99] * 640), T(2, 40, 3, 3, dtype="int8", '
    'of=[101] * 720), 1, 1, 1, "int32")',
)
case(
    "nn.conv2d_nchw",
    lambda x, w: conv(x, w, 2, 1),
    'nn.conv2d_nchw(T("n=2", 3, "h=7", "w=5"), T(2, 3, 3, 3), 2, 1, 1)',
    64,
)
case("nn.conv2d_nhwc", lambda x, w: testing.conv2d_nhwc_python(x, w, 1, 1), roundings=64)
case("nn.conv2d_hwcn", lambda x, w: testing.conv2d_hwcn_python(x, w, 1, 1), roundings=64)
case("nn.group_conv2d_nchw", lambda x, w: conv(x, w, 1, 1, 1, 2), roundings=64)
case(
    "nn.group_conv2d_nhwc",
    lambda x, w: testing.conv2d_nhwc_python(x, w, 1, 1, 2),
    roundings=64,
)
case("nn.conv3d_ndhwc", lambda x, w: testing.conv3d_ndhwc_python(x, w, 1, 1), roundings=64)


def unblocked(x):
    return x.transpose(0, 1, 4, 2, 3).reshape(x.shape[0], -1, *x.shape[2:4])


def blocked(x, block):
    n, c, h, w = x.shape
    return x.reshape(n, c // block, block, h, w).transpose(0, 1, 3, 4, 2)


def plain_kernel(w):
    o, i, kh, kw, x, y = w.shape
    return w.transpose(0, 5, 1, 4, 2, 3).reshape(o * y, i * x, kh, kw)


case(
    "nn.conv2d_NCHWc",
    lambda x, w: blocked(conv(unblocked(x), plain_kernel(w), 1, 1), 2),
    roundings=64,
)
case(
    "nn.conv2d_NCHWc_int8",
    lambda x, w: blocked(
        conv(
            unblocked(x).astype("int32"),
            plain_kernel(
                w.transpose(0, 1, 2, 3, 4, 6, 5).reshape(2, 1, 3, 3, 8, 4).astype("int32")
            ),
            1,
            1,
        ),
        4,
    ),
)
case(
    "nn.depthwise_conv2d_NCHWc",
    lambda x, w: blocked(
        testing.depthwise_conv2d_python_nchw(
            unblocked(x), w[:, 0, :, :, 0].transpose(0, 3, 1, 2).reshape(8, 1, 3, 3), 1, 1
        ),
        4,
    ),
    roundings=32,
)
case(
    "nn.depthwise_conv2d_nchw",
    lambda x, w: testing.depthwise_conv2d_python_nchw(x, w, 1, 1),
    roundings=32,
)
case(
    "nn.depthwise_conv2d_nhwc",
    lambda x, w: testing.depthwise_conv2d_python_nhwc(x, w, 2, (1, 0, 0, 1), 2),
    "nn.depthwise_conv2d_nhwc(T(1, 7, 6, 3), T(2, 3, 3, 2), 2, (1, 0, 0, 1), 2)",
    32,
)


def backward_input(w, g):
    """Each element of the result adds to the input what its windows have."""
    result = np.zeros((1, 8, 8, 2))
    for h, v, a, b, c, m in np.ndindex(3, 3, 3, 3, 2, 2):
        result[:, h * 2 + a, v * 2 + b, c] += g[:, h, v, c * 2 + m] * w[a, b, c, m]
    return result[:, 1:7, 1:7]


def backward_weight(x, g):
    padded = np.pad(x, ((0, 0), (1, 0), (1, 0), (0, 0)))
    result = np.zeros((3, 3, 2, 2))
    for h, v, a, b, c, m in np.ndindex(3, 3, 3, 3, 2, 2):
        result[a, b, c, m] += (g[:, h, v, c * 2 + m] * padded[:, h * 2 + a, v * 2 + b, c]).sum()
    return result


case("nn.depthwise_conv2d_backward_input_nhwc", backward_input, roundings=32)
case("nn.depthwise_conv2d_backward_weight_nhwc", backward_weight, roundings=32)

transpose = testing.conv_transpose_python
case("nn.conv1d_transpose_ncw", lambda x, w: transpose(x, w, 2, 1, 1), roundings=32)
case("nn.conv2d_transpose_nchw", lambda x, w: transpose(x, w, 2, 1, 1), roundings=64)
case(
    "nn.conv2d_transpose_nchw",
    lambda x, w: transpose(x, w, (3, 1), (0, 3, 1, 2), (2, 0)),
    "nn.conv2d_transpose_nchw(T(2, 3, 3, 8), T(3, 2, 2, 3), (3, 1), (0, 3, 1, 2), None, (2, 0))",
    64,
)
case("nn.group_conv2d_transpose_nchw", lambda x, w: transpose(x, w, 2, 1, 0, 2), roundings=64)
case(  # steps beyond the taps: results without a term
    "nn.conv2d_transpose_nchw",
    lambda x, w: transpose(x, w, (1, 4), (2, 0, 0, 1), (0, 1)),
    "nn.conv2d_transpose_nchw(T(2, 3, 4, 5), T(3, 2, 4, 3), (1, 4), (2, 0, 0, 1), None, (0, 1))",
    64,
)
case(
    "nn.group_conv2d_transpose_nchw",
    lambda x, w: transpose(x, w, (3, 1), (1, 2), (1, 0), 3),
    "nn.group_conv2d_transpose_nchw(T(1, 6, 4, 3), T(6, 2, 4, 5), (3, 1), (1, 2), None, (1, 0), 3)",
    64,
)
case("nn.conv3d_transpose_ncdhw", lambda x, w: transpose(x, w, 2, 0, 0), roundings=64)

for options in ((1, 2, 1, 1, 2, True), (3, 2, 2, 2, 3, False), (1, 3, 2, 2, 0, True)):
    case(
        "nn.correlation_nchw",
        lambda a, b, o=options: testing.correlation_nchw_python(a, b, *o),
        f"nn.correlation_nchw(T(2, 3, 9, 8), T(2, 3, 9, 8), {', '.join(map(str, options))})",
        64,
    )
case("nn.correlation_nchw", lambda a, b: testing.correlation_nchw_python(a, b, 1, 2, 1, 1, 2, True),
     roundings=32)  # fmt: skip
