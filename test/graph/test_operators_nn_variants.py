"""Convolutions of few bits, of tiles and of displaced taps; gradients; sums of blocks; buffers."""

from __future__ import annotations

import numpy as np
import pytest
from operator_cases import Case, case, check, inferred
from test_operators_nn_products import _conv2d

import kc
from kc import relay
from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec
from kc.topi import testing

N = dimension("n")
BITS = np.random.default_rng(1)
NARROW = BITS.integers(0, 4, (2, 32)).astype(np.uint8)
WEIGHT = BITS.integers(0, 2, (3, 32)).astype(np.uint8)
IMAGE = BITS.integers(0, 4, (1, 8, 4, 4)).astype(np.uint8)
TAPS = BITS.integers(0, 2, (2, 8, 3, 3)).astype(np.uint8)


def _packed(x, *_):
    bits = (x[:, None] >> np.arange(2)[:, None]) & 1
    words = bits.reshape(2, 2, 4, 8) << np.arange(7, -1, -1)
    return words.sum(-1).astype(np.uint8)


def _signs(weight):
    return 2 * weight.astype(np.int64) - 1


def _conv1d(x, w, groups):
    """A convolution of (N, C, W) with padding 1."""
    return _conv2d(x[:, :, None], w[:, :, None], (1, 1), (0, 1, 0, 1), (1, 1), groups)[:, :, 0]


def _weight_gradient(grad, data, strides, pads, dilation, groups, kernel):
    """The gradient of a sum, which is linear: each element of the weight alone."""
    shape = (grad.shape[1], data.shape[1] // groups, *kernel)
    result = np.zeros(shape)
    for at in np.ndindex(*shape):
        unit = np.zeros(shape)
        unit[at] = 1
        result[at] = (_conv2d(data, unit, strides, pads, dilation, groups) * grad).sum()
    return result


def _max_grad(grad, data):
    """Windows of 2 by 2, 2 apart: the first largest element receives the gradient."""
    result = np.zeros_like(data)
    for n, c, i, j in np.ndindex(grad.shape):
        window = data[n, c, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
        y, x = np.unravel_index(window.argmax(), window.shape)
        result[n, c, 2 * i + y, 2 * j + x] += grad[n, c, i, j]
    return result


def _avg_grad(grad, data):
    """Windows of 3 by 3 with padding 1; the divisor is the number of elements inside."""
    result = np.zeros_like(data)
    for n, c, i, j in np.ndindex(grad.shape):
        rows = slice(max(i - 1, 0), i + 2)
        columns = slice(max(j - 1, 0), j + 2)
        count = result[n, c, rows, columns].size
        result[n, c, rows, columns] += grad[n, c, i, j] / count
    return result


def _folded(data):
    image = np.zeros((1, 2, 4, 3))
    for n, (i, j) in enumerate(np.ndindex(3, 2)):
        image[:, :, i : i + 2, j : j + 2] += data[:, :, n].reshape(1, 2, 2, 2)
    return image


def _correlated(a, b):
    a, b = (np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))) for x in (a, b))
    return np.stack(
        [
            (a[:, :, 1:4, 1:5] * b[:, :, 1 + y : 4 + y, 1 + x : 5 + x]).mean(1)
            for y in (-1, 0, 1)
            for x in (-1, 0, 1)
        ],
        1,
    )


def _deformed(x, offset, w):
    return testing.deformable_conv2d_nchw_python(x, offset, w, 1, 1, 1, 1, 1)


def _last(x):
    return x.transpose(0, 2, 3, 1)


def _first(x):
    return x.transpose(0, 3, 1, 2)


CASES = [
    case("nn.bitpack", NARROW, bits=2, bit_axis=1, pack_type="uint8", expected=_packed),
    case("nn.bitserial_dense", NARROW, WEIGHT, data_bits=2, weight_bits=1, units=3,
         expected=lambda x, w: x.astype(np.int16) @ _signs(w).T),
    case("nn.bitserial_dense", NARROW, WEIGHT, data_bits=2, weight_bits=1, unipolar=False,
         pack_dtype="uint8", out_dtype="int32",
         expected=lambda x, w: x.astype(np.int32) @ w.T.astype(np.int32)),
    case("nn.bitserial_conv2d", IMAGE, TAPS, padding=(1, 1), activation_bits=2, channels=2,
         pack_dtype="uint8", expected=lambda x, w: _conv2d(x, _signs(w), (1, 1), (1, 1, 1, 1))),
    case("nn.bitserial_conv2d", _last(IMAGE), TAPS.transpose(2, 3, 1, 0), strides=(2, 1),
         padding=(1, 0, 1, 0), activation_bits=2, pack_dtype="uint8", data_layout="NHWC",
         kernel_layout="HWIO", unipolar=False,
         expected=lambda *_: _last(_conv2d(IMAGE, TAPS, (2, 1), (1, 0, 1, 0)))),
    case("nn.conv1d", "2x4x5xfloat32", "6x2x3xfloat32", groups=2, padding=(1,),
         expected=lambda x, w: _conv1d(x, w, 2)),
    case("nn.conv1d", "2x5x4xfloat32", "3x2x6xfloat32", groups=2, padding=(1,), data_layout="NWC",
         kernel_layout="WIO", expected=lambda x, w: _conv1d(
             x.transpose(0, 2, 1), w.transpose(2, 1, 0), 2).transpose(0, 2, 1)),
    case("nn.contrib_conv2d_winograd_weight_transform", np.ones((1, 1, 3, 3), np.float64),
         tile_size=2),
    case("nn.deformable_conv2d", "1x2x4x5xfloat32", "1x18x4x5xfloat32", "3x2x3x3xfloat32",
         padding=(1, 1), expected=_deformed),
    case("nn.deformable_conv2d", "1x4x5x2xfloat32", "1x4x5x18xfloat32", "3x3x2x3xfloat32",
         padding=(1, 1), data_layout="NHWC", kernel_layout="HWIO", expected=lambda x, o, w: (
             _last(_deformed(_first(x), _first(o), w.transpose(3, 2, 0, 1))))),
    case("nn.correlation", "1x2x3x4xfloat32", "1x2x3x4xfloat32", padding=1, expected=_correlated),
    case("nn.conv2d_backward_weight", "2x3x4x3xfloat32", "2x2x4x4xfloat32", padding=(1, 1),
         kernel_size=(3, 4), channels=3, expected=lambda g, x: _weight_gradient(
             g, x, (1, 1), (1, 1, 1, 1), (1, 1), 1, (3, 4))),
    case("nn.conv2d_backward_weight", "1x4x2x3xfloat64", "1x4x5x4xfloat64", strides=(2, 1),
         padding=(1, 0, 0, 0), dilation=(2, 1), groups=2, kernel_size=(2, 2),
         expected=lambda g, x: _weight_gradient(
             g, x, (2, 1), (1, 0, 0, 0), (2, 1), 2, (2, 2))),
    case("nn.max_pool2d_grad", "1x2x2x2xfloat32", "1x2x4x5xfloat32", pool_size=(2, 2),
         strides=(2, 2), expected=_max_grad),
    case("nn.avg_pool2d_grad", "1x2x3x4xfloat32", "1x2x3x4xfloat32", pool_size=(3, 3),
         padding=(1, 1), expected=_avg_grad),
    case("nn.max_unpool", np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2),
         np.array([[[[1, 6], [8, 15]]]]), kernel=(2, 2), expected=lambda x, _: [
             [[[0, 0, 0, 0], [0, 0, 1, 0], [2, 0, 0, 0], [0, 0, 0, 3]]]]),
    case("nn.max_unpool", np.array([[[5, 7]]], np.int8), np.array([[[4, 0]]]), kernel=(2,),
         output_size=(5,), expected=lambda x, _: [[[7, 0, 0, 0, 5]]]),
    case("nn.col2im", "1x8x6xfloat32", image_shape=(4, 3), block_shape=(2, 2), expected=_folded),
    case("nn.fifo_buffer", "2x2xfloat32", "2x5xfloat32", axis=1,
         expected=lambda x, b: np.concatenate([b, x], 1)[:, -5:]),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_its_definition_says(each: Case) -> None:
    check(each)


def test_a_convolution_in_tiles_is_the_convolution() -> None:
    rng = np.random.default_rng(0)
    image, weight = rng.random((1, 2, 6, 7), "f"), rng.random((3, 2, 3, 3), "f")
    data = relay.var("data", shape=image.shape)
    transformed = relay.nn.contrib_conv2d_winograd_weight_transform(relay.const(weight), 2)
    result = relay.nn.contrib_conv2d_winograd_without_weight_transform(
        data, transformed, tile_size=2, padding=(1, 1), kernel_size=(3, 3), channels=3
    )
    module = kc.IRModule.from_expr(relay.Function([data], result))
    own = kc.graph.Interpreter(module).run(image)
    np.testing.assert_allclose(own, _conv2d(image, weight, (1, 1), (1, 1, 1, 1)), 1e-4)


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "expected"),
    [
        ("nn.bitserial_dense", [_of(N, 32, dtype="uint8"), _of(3, 32, dtype="uint8")], {},
         _of(N, 3, dtype="int16")),
        ("nn.contrib_conv2d_winograd_weight_transform", [_of(N, 8, 3, 3)], {"tile_size": 4},
         _of(6, 6, N, 8)),
        ("nn.deformable_conv2d", [_of(N, 2, 4, 4), _of(N, 18, 2, 2), _of(3, 2, 3, 3)], {},
         _of(N, 3, 2, 2)),
        ("nn.correlation", [_of(1, 2, N, 8), _of(1, 2, N, 8)], {"stride1": 2}, _of(
            1, 9, (N - 1) // 2, 3)),
        ("nn.max_pool2d_grad", [_of(N, 2, 2, 2), _of(N, 2, 4, 4)],
         {"pool_size": (2, 2), "strides": (2, 2)}, _of(N, 2, 4, 4)),
        ("nn.max_unpool", [_of(N, 1, N, 3), _of(N, 1, N, 3, dtype="int64")], {"kernel": (2,)},
         _of(N, 1, 2 * N, 6)),
        ("nn.col2im", [_of(N, 8, 6)], {"image_shape": (4, 3), "block_shape": (2, 2)},
         _of(N, 2, 4, 3)),
        ("nn.fifo_buffer", [_of(2, N), _of(2, 5)], {"axis": 1}, _of(2, 5)),
    ],
)  # fmt: skip
def test_symbolic_sizes_are_exact(name, operands, attributes, expected) -> None:
    assert inferred(name, *operands, **attributes) == expected


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("nn.bitpack", [_of(2, 30, dtype="uint8")], {"bit_axis": 1}, "multiple of the 32 bits"),
        ("nn.bitpack", [_of(2, 32, dtype="uint8")], {"bits": 9}, "from 1 to 8"),
        ("nn.bitserial_dense", [_of(2, 32), _of(3, 32, dtype="uint8")], {}, "must be integers"),
        ("nn.bitserial_conv2d", [_of(1, 4, 4, 32, dtype="uint8"), _of(3, 3, 32, 2, dtype="uint8")],
         {"data_layout": "NHWC"}, "kernel_layout beside NHWC"),
        ("nn.contrib_conv2d_winograd_weight_transform", [_of(3, 2, 3, 3)], {"tile_size": 10},
         "at most 12"),
        ("nn.contrib_conv2d_winograd_without_weight_transform", [_of(1, 2, 6, 6), _of(4, 4, 3, 2)],
         {"tile_size": 2, "strides": (2, 2)}, "must be 1"),
        ("nn.deformable_conv2d", [_of(1, 2, 4, 4), _of(1, 16, 2, 2), _of(3, 2, 3, 3)], {},
         "are 18 and 16"),
        ("nn.correlation", [_of(1, 2, 3, 4), _of(1, 2, 3, 4)], {"kernel_size": 2}, "must be odd"),
        ("nn.correlation", [_of(1, 2, 3, 4), _of(1, 2, 3, 4)], {"max_displacement": 2},
         "do not fit"),
        ("nn.conv2d_backward_weight", [_of(1, 3, 4, 4), _of(1, 2, 4, 4)], {},
         "kernel_size is missing"),
        ("nn.conv2d_backward_weight", [_of(1, 3, 4, 4), _of(1, 2, 4, 4)], {"kernel_size": (3, 3)},
         "are 2 and 4"),
        ("nn.avg_pool2d_grad", [_of(1, 2, 3, 3), _of(1, 2, 4, 4)], {"pool_size": (3, 3)},
         "are 2 and 3"),
        ("nn.max_unpool", [_of(1, 1, 2), _of(1, 1, 3, dtype="int64")], {"kernel": (2,)},
         "are 2 and 3"),
        ("nn.col2im", [_of(1, 8, 5)], {"image_shape": (4, 3), "block_shape": (2, 2)},
         "are 6 and 5"),
        ("nn.fifo_buffer", [_of(2, 6), _of(2, 5)], {"axis": 1}, "as long as"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    with pytest.raises(RelationError, match=part):
        inferred(name, *operands, **attributes)
