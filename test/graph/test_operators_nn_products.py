"""Operators of networks: products, convolutions, attention, padding, blocks of space."""

from __future__ import annotations

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec

N, M = dimension("n"), dimension("m")


def _packed(x, w):
    return x @ w.transpose(0, 2, 1).reshape(-1, x.shape[1]).T


CASES = [
    case("nn.dense", "2x3xfloat32", "4x3xfloat32", units=4, expected=lambda x, w: x @ w.T),
    case("nn.dense", "2x1x3xint8", "4x3xint8", out_dtype="int32", expected=lambda x, w: (
        x.astype(np.int32) @ w.T.astype(np.int32))),
    case("nn.dense", "3xfloat32", "4x3xfloat32", expected=lambda x, w: w @ x),
    case("nn.bias_add", "2x3x4xfloat32", "3xfloat32", expected=lambda x, b: x + b[:, None]),
    case("nn.bias_add", "2x3x4xfloat32", "4xfloat32", axis=-1, expected=np.add),
    case("nn.matmul", "2x3xfloat32", "3x4xfloat32", expected=np.matmul),
    case("nn.matmul", "3x2xfloat32", "4x3xfloat32", transpose_a=True, transpose_b=True, units=4,
         expected=lambda a, b: a.T @ b.T),
    case("nn.matmul", "2x2x3xfloat32", "3x4xfloat32", expected=np.matmul),
    case("nn.matmul", "2x3x2xfloat32", "3x4xfloat32", transpose_a=True,
         expected=lambda a, b: a.transpose(0, 2, 1) @ b),
    case("nn.batch_matmul", "2x3x4xfloat32", "2x5x4xfloat32",
         expected=lambda a, b: a @ b.transpose(0, 2, 1)),
    case("nn.batch_matmul", "2x4x3xint8", "1x4x5xint8", transpose_a=True, transpose_b=False,
         out_dtype="int32", expected=lambda a, b: a.transpose(0, 2, 1).astype(np.int32) @ b),
    case("nn.contrib_dense_pack", "2x3xfloat32", "2x3x4xfloat32", weight_layout="NC4n",
         expected=_packed),
    case("nn.contrib_dense_pack", "2x3xfloat32", "4x3xfloat32", expected=lambda x, w: x @ w.T),
    case("nn.batch_flatten", "2x3x4xint8", expected=lambda x: x.reshape(2, 12)),
]  # fmt: skip


def _conv2d(x, w, strides=(1, 1), pads=(0, 0, 0, 0), dilation=(1, 1), groups=1):
    """A convolution of (N, C, H, W) and (O, I, KH, KW) by its definition."""
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    (n, _, height, width), (outputs, inputs, kh, kw) = x.shape, w.shape
    high = (height - (kh - 1) * dilation[0] - 1) // strides[0] + 1
    wide = (width - (kw - 1) * dilation[1] - 1) // strides[1] + 1
    result = np.zeros((n, outputs, high, wide))
    for o in range(outputs):
        first = o // (outputs // groups) * inputs
        for i, j in np.ndindex(high, wide):
            rows = slice(i * strides[0], i * strides[0] + (kh - 1) * dilation[0] + 1, dilation[0])
            columns = slice(
                j * strides[1], j * strides[1] + (kw - 1) * dilation[1] + 1, dilation[1]
            )
            window = x[:, first : first + inputs, rows, columns]
            result[:, o, i, j] = (window * w[o]).sum((1, 2, 3))
    return result


def _transposed(x, w, strides, pads, extra, groups=1):
    """A transposed convolution of (N, I, H, W) and (I, O / groups, KH, KW)."""
    (n, inputs, height, width), (_, outputs, kh, kw) = x.shape, w.shape
    each = inputs // groups
    high = (height - 1) * strides[0] + kh + extra[0]
    wide = (width - 1) * strides[1] + kw + extra[1]
    result = np.zeros((n, outputs * groups, high, wide))
    for c, o, i, j in np.ndindex(inputs, outputs, height, width):
        part = x[:, c, i, j, None, None] * w[c, o]
        y, z = i * strides[0], j * strides[1]
        result[:, c // each * outputs + o, y : y + kh, z : z + kw] += part
    return result[:, :, pads[0] : high - pads[2], pads[1] : wide - pads[3]]


_WINDOW = dict(strides=(2, 1), padding=(1, 0, 2, 1), dilation=(1, 2))
_ORDER = {"NCHW": (0, 1, 2, 3), "NHWC": (0, 2, 3, 1), "HWCN": (2, 3, 1, 0)}


def _in_layout(layout, order="NCHW"):
    return tuple(order.index(letter) for letter in layout)


def _conv_case(groups, inputs, outputs, data_layout, kernel_layout, **more):
    shape = np.array([1, inputs, 5, 4])[list(_in_layout(data_layout))]
    is_multiplier = kernel_layout == "HWOI" and groups == inputs > 1
    weight = (groups, outputs // groups) if is_multiplier else (outputs, inputs // groups)
    weights = np.array([*weight, 3, 2])[list(_in_layout(kernel_layout, "OIHW"))]

    def expected(x, w):
        x = x.transpose(_in_layout("NCHW", data_layout))
        w = w.transpose(_in_layout("OIHW", kernel_layout)).reshape(outputs, -1, 3, 2)
        y = _conv2d(x, w, (2, 1), (1, 0, 2, 1), (1, 2), groups)
        return y.transpose(_in_layout(more.get("out_layout") or data_layout))

    return case("nn.conv2d", "x".join(map(str, [*shape, "float32"])),
                "x".join(map(str, [*weights, "float32"])), **_WINDOW, groups=groups,
                data_layout=data_layout, kernel_layout=kernel_layout, **more,
                expected=expected)  # fmt: skip


CASES += [
    *(
        _conv_case(groups, 4, 8, data, kernel)
        for groups, data, kernel in [
            (1, "NCHW", "OIHW"), (2, "NCHW", "OIHW"), (4, "NCHW", "OIHW"), (1, "NHWC", "HWIO"),
            (2, "NHWC", "HWIO"), (4, "NHWC", "HWOI"), (4, "NHWC", "HWIO"), (1, "HWCN", "HWIO"),
            (1, "NHWC", "OHWI"), (4, "NCHW", "HWOI"),
        ]
    ),
    _conv_case(1, 2, 3, "NCHW", "OIHW", out_layout="NHWC", channels=3, kernel_size=(3, 2)),
    case("nn.conv2d", "1x1x3x3xint8", "2x1x2x2xint8", out_dtype="int32",
         expected=lambda x, w: _conv2d(x.astype(np.int32), w.astype(np.int32))),
    case("nn.conv2d", "1x2x4x5x2xfloat32", "3x2x2x2x2x1xfloat32", data_layout="NCHW2c",
         kernel_layout="OIHW2i1o", out_layout="NCHW1c", expected=lambda x, w: _conv2d(
             x.transpose(0, 1, 4, 2, 3).reshape(1, 4, 4, 5),
             w.transpose(0, 5, 1, 4, 2, 3).reshape(3, 4, 2, 2))[..., None]),
    case("nn.conv2d_transpose", "1x2x3x4xfloat32", "2x3x2x2xfloat32", dilation=2,
         expected=lambda x, w: _transposed(
             x, np.kron(w, [[1, 0], [0, 0]])[:, :, :3, :3], (1, 1), (0, 0, 0, 0), (0, 0))),
    case("nn.conv1d_transpose", "1x4x4xfloat32", "4x1x3xfloat32", groups=2,
         expected=lambda x, w: _transposed(
             x[:, :, None], w[:, :, None], (1, 1), (0, 0, 0, 0), (0, 0), 2)[:, :, 0]),
    case("nn.conv1d", "1x2x6xfloat32", "3x2x2xfloat32", strides=2, padding=(1, 0), expected=(
        lambda x, w: _conv2d(x[:, :, None], w[:, :, None], (1, 2), (0, 1, 0, 0))[:, :, 0])),
    case("nn.conv1d", "1x6x2xfloat32", "2x2x4xfloat32", data_layout="NWC", kernel_layout="WIO",
         expected=lambda x, w: _conv2d(
             x.transpose(0, 2, 1)[:, :, None], w.transpose(2, 1, 0)[:, :, None]
         )[:, :, 0].transpose(0, 2, 1)),
    case("nn.conv3d", "1x2x1x4x5xfloat32", "3x2x1x2x2xfloat32",
         expected=lambda x, w: _conv2d(x[:, :, 0], w[:, :, 0])[:, :, None]),
    case("nn.conv3d", "1x1x4x5x2xfloat32", "1x2x2x2x3xfloat32", data_layout="NDHWC",
         kernel_layout="DHWIO", expected=lambda x, w: _conv2d(
             x[:, 0].transpose(0, 3, 1, 2), w[0].transpose(3, 2, 0, 1)
         ).transpose(0, 2, 3, 1)[:, None]),
    case("nn.conv2d_transpose", "1x2x3x4xfloat32", "2x3x2x3xfloat32", strides=(2, 2),
         padding=(1, 0, 0, 1), output_padding=(1, 0),
         expected=lambda x, w: _transposed(x, w, (2, 2), (1, 0, 0, 1), (1, 0))),
    case("nn.conv2d_transpose", "1x2x3x4xfloat32", "2x3x2x2xfloat32", groups=2,
         expected=lambda x, w: _transposed(x, w, (1, 1), (0, 0, 0, 0), (0, 0), 2)),
    case("nn.conv1d_transpose", "1x2x4xfloat32", "2x3x3xfloat32", strides=2, output_padding=1,
         expected=lambda x, w: _transposed(
             x[:, :, None], w[:, :, None], (1, 2), (0, 0, 0, 0), (0, 1))[:, :, 0]),
    case("nn.conv3d_transpose", "1x2x1x3x4xfloat32", "2x3x1x2x2xfloat32",
         expected=lambda x, w: _transposed(
             x[:, :, 0], w[:, :, 0], (1, 1), (0, 0, 0, 0), (0, 0))[:, :, None]),
]  # fmt: skip


def _attention(q, k, v, mask=0.0, scale=None, softcap=0.0, causal=False):
    q, k, v = (part.astype(np.float64) for part in (q, k, v))
    each = q.shape[1] // k.shape[1]
    k, v = (part.repeat(each, 1) for part in (k, v))
    scores = q @ k.transpose(0, 1, 3, 2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = softcap * np.tanh(scores / softcap) if softcap else scores
    if causal:
        length, count = scores.shape[2:]
        later = np.arange(count)[None] > np.arange(length)[:, None] + (count - length)
        scores = np.where(later, -np.inf, scores)
    scores = np.exp(scores + (np.where(mask, 0, -np.inf) if np.array(mask).dtype == bool else mask))
    return scores / scores.sum(-1, keepdims=True) @ v


QKV = ["1x2x3x4xfloat32", "1x2x5x4xfloat32", "1x2x5x2xfloat32"]
_KEPT = np.array([True, True, False, True, True])


def _rotary(x, cos, sin):
    a, b = x[..., :2], x[..., 2:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def _rotary_neighbours(x, cos, sin):
    a, b = x[..., ::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, b * cos + a * sin], -1).reshape(x.shape)


CASES += [
    case("nn.attention", *QKV, expected=_attention),
    case("nn.attention", *QKV, "3x5xfloat32", scale=0.5, softcap=2.0,
         expected=lambda q, k, v, m: _attention(q, k, v, m, 0.5, 2.0)),
    case("nn.attention", *QKV, _KEPT, expected=_attention),
    case("nn.attention", "1x4x3x4xfloat32", *QKV[1:], is_causal=True,
         expected=lambda q, k, v: _attention(q, k, v, causal=True)),
    case("nn.rotary_embedding", "2x3x4xfloat32", "3x2xfloat32", "3x2xfloat32", expected=_rotary),
    case("nn.rotary_embedding", "3x4xfloat32", "3x2xfloat32", "3x2xfloat32", interleaved=True,
         expected=_rotary_neighbours),
]  # fmt: skip

IMAGE = np.arange(2 * 12 * 4 * 6, dtype=np.int32).reshape(2, 12, 4, 6)


def _to_batch(x):
    x = np.pad(x, ((0, 0), (1, 1), (0, 1)), constant_values=7)
    return np.concatenate([x[:, i::2, j::3] for i in range(2) for j in range(3)])


def _to_space(x):
    result = np.zeros((2, 8, 9, 2), x.dtype)
    for n in range(12):
        place = n // 2
        result[n % 2, place // 3 :: 2, place % 3 :: 3] = x[n]
    return result[:, 1:, 2:8]


def _depth_to_space(x, mode):
    n, c, h, w = x.shape
    if mode == "DCR":
        x = x.reshape(n, 2, 2, c // 4, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        x = x.reshape(n, c // 4, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3)
    return x.reshape(n, c // 4, h * 2, w * 2)


def _space_to_depth(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 3, 5, 1, 2, 4).reshape(
        n, c * 4, h // 2, w // 2
    )  # fmt: skip


def _reorg(x):
    n, c, h, w = x.shape
    flat = x.reshape(n, -1)
    wide = flat.reshape(n, c // 4, h * 2, w * 2)
    images = [wide[:, :, i::2, j::2] for i in range(2) for j in range(2)]
    return np.stack(images, 1).reshape(n, c * 4, h // 2, w // 2)


W = ((1, 2), (0, 1))
S = np.arange(12, dtype=np.int8).reshape(3, 4)
CASES += [
    case("nn.pad", S, pad_width=W, expected=lambda x: np.pad(x, W)),
    case("nn.pad", S, np.array(5, np.int8), pad_width=W,
         expected=lambda x, v: np.pad(x, W, constant_values=5)),
    case("nn.pad", S, pad_width=((-1, 0), (0, 1)),
         expected=lambda x: np.pad(x, ((0, 0), (0, 1)))[1:]),
    case("nn.pad", S, pad_width=((1, 4), (5, 0)), pad_mode="edge",
         expected=lambda x: np.pad(x, ((1, 4), (5, 0)), "edge")),
    case("nn.pad", S, pad_width=W, pad_mode="reflect", expected=lambda x: np.pad(x, W, "reflect")),
    case("nn.mirror_pad", S, pad_width=W, mode="REFLECT",
         expected=lambda x: np.pad(x, W, "reflect")),
    case("nn.mirror_pad", S, pad_width=((3, 1), (0, 0)),
         expected=lambda x: np.pad(x, ((3, 1), (0, 0)), "symmetric")),
    case("nn.dilate", np.ones((2, 2), np.int8), strides=(2, 1), dilation_value=3.0,
         expected=lambda x: [[1, 1], [3, 3], [1, 1]]),
    case("nn.space_to_batch_nd", IMAGE[:, 0], block_shape=(2, 3), paddings=((1, 1), (0, 3)),
         pad_value=7.0, expected=lambda x: _to_batch(np.pad(x, ((0, 0), (0, 0), (0, 2)),
                                                            constant_values=7))),
    case("nn.batch_to_space_nd", np.arange(12 * 4 * 3 * 2, dtype=np.int32).reshape(12, 4, 3, 2),
         block_shape=(2, 3), crops=((1, 0), (2, 1)), expected=_to_space),
    case("nn.depth_to_space", IMAGE, block_size=2, expected=lambda x: _depth_to_space(x, "DCR")),
    case("nn.depth_to_space", IMAGE, block_size=2, mode="CDR",
         expected=lambda x: _depth_to_space(x, "CDR")),
    case("nn.depth_to_space", IMAGE.transpose(0, 2, 3, 1), block_size=2, layout="NHWC", expected=(
        lambda x: _depth_to_space(x.transpose(0, 3, 1, 2), "DCR").transpose(0, 2, 3, 1))),
    case("nn.space_to_depth", IMAGE, block_size=2, expected=_space_to_depth),
    case("nn.space_to_depth", IMAGE.transpose(0, 2, 3, 1), block_size=2, layout="NHWC", expected=(
        lambda x: _space_to_depth(x.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1))),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_numpy_does(each: Case) -> None:
    check(each)


def test_the_order_of_reorg_is_that_of_darknet() -> None:
    check(case("vision.yolo_reorg", IMAGE, stride=2, expected=_reorg))


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    ("name", "specs", "attributes", "result"),
    [
        ("nn.dense", [_of(N, M, 3), _of(4, 3)], {}, _of(N, M, 4)),
        ("nn.matmul", [_of(N, 3, M), _of(3, 4)], {"transpose_a": True}, _of(N, M, 4)),
        ("nn.batch_matmul", [_of(N, 3, M), _of(1, 4, M)], {}, _of(N, 3, 4)),
        ("nn.contrib_dense_pack", [_of(N, 3), _of(M, 3, 8)], {"weight_layout": "NC8n"},
         _of(N, 8 * M)),
        ("nn.batch_flatten", [_of(N, 2, M)], {}, _of(N, 2 * M)),
        ("nn.conv2d", [_of(N, 3, M, 9), _of(4, 3, 3, 3)], {"strides": 2, "padding": 1},
         _of(N, 4, (M - 1) // 2 + 1, 5)),
        ("nn.conv2d", [_of(N, 3, None, 9), _of(4, 3, 3, 3)], {}, _of(N, 4, None, 7)),
        ("nn.conv2d_transpose", [_of(N, 3, M, 9), _of(3, 4, 2, 2)], {"strides": (2, 2)},
         _of(N, 4, 2 * M, 18)),
        ("nn.attention", [_of(N, 2, M, 8), _of(N, 2, 5, 8), _of(N, 2, 5, 3)], {},
         _of(N, 2, M, 3)),
        ("nn.rotary_embedding", [_of(N, M, 4), _of(M, 2), _of(M, 2)], {}, _of(N, M, 4)),
        ("nn.pad", [_of(N, 4)], {"pad_width": ((1, 2), (0, -1))}, _of(N + 3, 3)),
        ("nn.mirror_pad", [_of(N, None)], {"pad_width": ((1, 2), (0, 0))}, _of(N + 3, None)),
        ("nn.dilate", [_of(N, 0, 3)], {"strides": (2, 2, 2)}, _of(2 * N - 1, 0, 5)),
        ("nn.space_to_batch_nd", [_of(N, 2 * M, 3)],
         {"block_shape": (2,), "paddings": ((1, 1),)}, _of(2 * N, M + 1, 3)),
        ("nn.batch_to_space_nd", [_of(4 * N, M)], {"block_shape": (4,), "crops": ((1, 1),)},
         _of(N, 4 * M - 2)),
        ("nn.depth_to_space", [_of(N, 8, M, 3)], {"block_size": 2}, _of(N, 2, 2 * M, 6)),
        ("nn.space_to_depth", [_of(N, 2, 2 * M, 4)], {"block_size": 2}, _of(N, 8, M, 2)),
    ],
)  # fmt: skip
def test_symbolic_sizes_are_exact(name, specs, attributes, result) -> None:
    assert inferred(name, *specs, **attributes) == result


F = "2x4xfloat32"


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("nn.dense", [F, "3x5xfloat32"], {}, "4 and 5, but must be equal"),
        ("nn.dense", [F, "3x4xfloat32"], {"units": 5}, "5 and 3"),
        ("nn.dense", ["float32", "3x4xfloat32"], {}, "at least 1 dimension"),
        ("nn.dense", [F, "3x4xfloat32"], {"out_dtype": "float31"}, "out_dtype is 'float31'"),
        ("nn.bias_add", [F, "4xint32"], {}, "must be float32"),
        ("nn.matmul", [F, "2x4x3xfloat32"], {}, "must have 2 dimensions"),
        ("nn.matmul", ["4xfloat32", "4x3xfloat32"], {"transpose_a": True}, "cannot be transposed"),
        ("nn.batch_matmul", ["2x3x4xfloat32", "3x3x4xfloat32"], {}, "do not broadcast"),
        ("nn.contrib_dense_pack", [F, "3x4xfloat32"], {"weight_layout": "CN"}, "must be NC or"),
        ("nn.contrib_dense_pack", [F, "3x4x8xfloat32"], {"weight_layout": "NC4n"}, "4 and 8"),
        ("nn.batch_flatten", ["float32"], {}, "at least 1 dimension"),
        ("nn.conv2d", ["1x3x5x5xfloat32", "4x2x3x3xfloat32"], {}, "3 and 2, but must be equal"),
        ("nn.conv2d", ["1x3x2x5xfloat32", "4x3x3x3xfloat32"], {}, "does not fit into 2"),
        ("nn.conv2d", ["1x3x5x5xfloat32", "4x3x3x3xfloat32"], {"groups": 2}, "not divisible"),
        ("nn.conv2d", ["1x3x5x5xfloat32", "4x3x3x3xfloat32"], {"padding": (-1,)}, "negative"),
        ("nn.conv2d", ["1x3x5x5xfloat32", "4x3x3x3xfloat32"], {"out_layout": "NCHW3c"},
         "not a multiple of the 3"),
        ("nn.conv2d_transpose", ["1x3x5x5xfloat32", "3x4x3x3xfloat32"], {"output_padding": (1, 1)},
         "less than strides"),
        ("nn.attention", ["1x3x3x4xfloat32", *QKV[1:]], {}, "do not divide 3"),
        ("nn.attention", [*QKV, "4x5xfloat32"], {}, "do not broadcast"),
        ("nn.attention", [QKV[0], QKV[0], QKV[2]], {}, "3 and 5, but must be equal"),
        ("nn.rotary_embedding", ["3x5xfloat32", *["3x2xfloat32"] * 2], {}, "makes no pairs"),
        ("nn.pad", [F], {"pad_width": ((1, 2),)}, "for each of 2 dimensions"),
        ("nn.pad", [F], {"pad_width": ((-2, -1), (0, 0))}, "crops more than 2"),
        ("nn.pad", [F], {"pad_width": W, "pad_mode": "wrap"}, "pad_mode is 'wrap'"),
        ("nn.pad", [F, "int8"], {"pad_width": W}, "must be float32"),
        ("nn.pad", [F], {"pad_width": W, "pad_mode": "reflect"}, "more than 1 of 2 elements"),
        ("nn.pad", ["0xint8"], {"pad_width": ((1, 0),), "pad_mode": "edge"}, "of 0 elements"),
        ("nn.mirror_pad", [F], {"pad_width": ((3, 0), (0, 0))}, "more than 2 of 2 elements"),
        ("nn.dilate", [F], {"strides": (2,)}, "each of 2 dimensions"),
        ("nn.space_to_batch_nd", ["1x5xint8"], {"block_shape": (2,), "paddings": ((0, 0),)},
         "padded dimension 1 is 5"),
        ("nn.space_to_batch_nd", ["4xint8"], {"block_shape": (2,), "paddings": ((0, 0),)},
         "after the first"),
        ("nn.batch_to_space_nd", ["3x5xint8"], {"block_shape": (2,), "crops": ((0, 0),)},
         "the batch is 3"),
        ("nn.batch_to_space_nd", ["2x1xint8"], {"block_shape": (2,), "crops": ((2, 1),)},
         "crops more than 2"),
        ("nn.depth_to_space", ["1x6x2x2xint8"], {"block_size": 2}, "channels is 6"),
        ("nn.depth_to_space", ["1x8x2x2xint8"], {"block_size": 2, "mode": "D"}, "mode is 'D'"),
        ("nn.space_to_depth", ["1x8x3x2xint8"], {"block_size": 2}, "dimension 2 is 3"),
        ("vision.yolo_reorg", ["1x6x4x4xint8"], {"stride": 2}, "channels is 6"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
