"""Operators of networks: images, losses, recurrent networks."""

from __future__ import annotations

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec

N, M = dimension("n"), dimension("m")


def _along(x, axis, size, place, method="linear"):
    """An axis resized: ``place`` is the place in the data of each place of the result."""
    count = x.shape[axis]
    places = np.clip([place(n) for n in range(size)], 0, count - 1)
    if method == "nearest":
        return x.take(np.floor(places).astype(int), axis)
    first = np.floor(places).astype(int)
    second = np.minimum(first + 1, count - 1)
    share = (places - first).reshape([-1 if n == axis else 1 for n in range(x.ndim)])
    return x.take(first, axis) * (1 - share) + x.take(second, axis) * share


def _half(count, size):
    return lambda n: (n + 0.5) * count / size - 0.5


def _corners(count, size):
    return lambda n: n * (count - 1) / (size - 1)


def _whole(count, size):
    return lambda n: n * count / size


IMAGE = "1x2x3x4xfloat32"
CASES = [
    case("image.resize1d", "1x2x4xfloat32", size=6,
         expected=lambda x: _along(x, 2, 6, _half(4, 6))),
    case("image.resize2d", IMAGE, size=(6, 3), expected=lambda x: _along(
        _along(x, 2, 6, _half(3, 6)), 3, 3, _half(4, 3))),
    case("image.resize2d", "1x3x4x2xfloat32", size=(5, 7), layout="NHWC",
         coordinate_transformation_mode="align_corners", expected=lambda x: _along(
             _along(x, 1, 5, _corners(3, 5)), 2, 7, _corners(4, 7))),
    case("image.resize2d", "1x2x3x4xint8", size=(6, 8), method="nearest_neighbor",
         coordinate_transformation_mode="asymmetric", rounding_method="floor", out_dtype="float32",
         expected=lambda x: x.repeat(2, 2).repeat(2, 3)),
    case("image.resize2d", np.array([[[[0, 0, 4, 0]]]], np.float32), size=(1, 8), method="cubic",
         cubic_alpha=0.0, coordinate_transformation_mode="asymmetric",
         expected=lambda x: [[[[0, 0, 0, 2, 4, 2, 0, 0]]]]),
    case("image.resize2d", np.array([[[[1, 2, 3]]]], np.float32), size=(1, 3),
         roi=(0.0, 0.5, 1.0, 2.0), coordinate_transformation_mode="tf_crop_and_resize",
         extrapolation_value=9.0, expected=lambda x: [[[[2, 9, 9]]]]),
    case("image.resize3d", "1x1x2x3x2xfloat32", size=(4, 3, 3), expected=lambda x: _along(
        _along(x, 2, 4, _half(2, 4)), 4, 3, _half(2, 3))),
    case("nn.upsampling", IMAGE, scale_h=2, scale_w=3,
         expected=lambda x: x.repeat(2, 2).repeat(3, 3)),
    case("nn.upsampling", "1x3x4x2xfloat32", scale_h=2, scale_w=1.5, layout="NHWC",
         method="bilinear", align_corners=True, expected=lambda x: _along(
             _along(x, 1, 6, _corners(3, 6)), 2, 6, _corners(4, 6))),
    case("nn.upsampling3d", "1x1x2x3x2xfloat32", scale_d=2, scale_h=1, scale_w=3,
         expected=lambda x: x.repeat(2, 2).repeat(3, 4)),
    case("nn.upsampling3d", "1x1x2x3x2xfloat32", scale_d=2, method="trilinear",
         coordinate_transformation_mode="align_corners",
         expected=lambda x: _along(x, 2, 4, _corners(2, 4))),
    case("image.crop_and_resize", "2x1x3x3xfloat32", np.array(
        [[0, 0, 1, 1], [0, 0.5, 0.5, 0]], np.float32), np.array([1, 0], np.int32),
         crop_size=(2, 2),
         expected=lambda x, b, n: np.stack([x[1, :, ::2, ::2], x[0, :, :2, 1::-1]])),
    case("image.crop_and_resize", "1x3x3x1xfloat32", np.array([[0, 0, 2, 1]], np.float32),
         np.array([0], np.int32), crop_size=2, layout="NHWC", method="nearest_neighbor",
         extrapolation_value=7.0, expected=lambda x, b, n: np.stack(
             [x[:, 0, ::2], np.full((1, 2, 1), 7)], 1)),
    case("image.affine_grid", np.array([[[2, 0, 1], [0, 3, 0]]], np.float32), target_shape=(2, 3),
         expected=lambda m: [[[[-1, 1, 3]] * 2, [[-3] * 3, [3] * 3]]]),
    case("image.grid_sample", IMAGE, np.array([[[[-1, 1, 3]], [[-1, 1, 0]]]], np.float32),
         expected=lambda x, g: np.stack(
             [x[:, :, 0, 0], x[:, :, 2, 3], np.zeros((1, 2))], -1)[:, :, None]),
    case("image.grid_sample", IMAGE, np.array([[[[3, -0.75]], [[-3, -0.9]]]], np.float32),
         padding_mode="border", method="nearest", align_corners=False,
         expected=lambda x, g: np.stack([x[:, :, 0, 3], x[:, :, 0, 0]], -1)[:, :, None]),
]  # fmt: skip


def _dilated(x, w, strides, pads, dilations):
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    _, kh, kw = w.shape
    parts = []
    high = (x.shape[2] - (kh - 1) * dilations[0] - 1) // strides[0] + 1
    wide = (x.shape[3] - (kw - 1) * dilations[1] - 1) // strides[1] + 1
    for i, j in np.ndindex(kh, kw):
        y, z = i * dilations[0], j * dilations[1]
        window = x[:, :, y : y + (high - 1) * strides[0] + 1 : strides[0],
                   z : z + (wide - 1) * strides[1] + 1 : strides[1]]  # fmt: skip
        parts.append(window + w[:, i, j, None, None])
    return np.max(parts, 0)


CASES += [
    case("image.dilation2d", "1x2x5x4xfloat32", "2x2x3xfloat32", strides=(2, 1),
         padding=(1, 0, 2, 1), dilations=(2, 1),
         expected=lambda x, w: _dilated(x, w, (2, 1), (1, 0, 2, 1), (2, 1))),
    case("image.dilation2d", "1x5x4x2xfloat32", "2x2x3xfloat32", data_layout="NHWC",
         expected=lambda x, w: _dilated(
             x.transpose(0, 3, 1, 2), w, (1, 1), (0, 0, 0, 0), (1, 1)).transpose(0, 2, 3, 1)),
]  # fmt: skip

CLASSES = np.array([1, 0, 2, 1], np.int32)


def _nll(p, t, w, ignored=-100):
    kept = (t != ignored) * w[t]
    return -p[np.arange(4), t] * kept, kept


def _entropy(p, t):
    return -(t.astype(np.float64) * np.log(p)).sum() / 2


CASES += [
    case("nn.nll_loss", "4x3xfloat32", CLASSES, "3xfloat32",
         expected=lambda *a: _nll(*a)[0].sum() / _nll(*a)[1].sum()),
    case("nn.nll_loss", "4x3xfloat32", CLASSES, "3xfloat32", reduction="none", ignore_index=1,
         expected=lambda p, t, w: _nll(p, t, w, 1)[0]),
    case("nn.nll_loss", "4x3x1xfloat32", CLASSES[:, None], "3xfloat32", reduction="sum",
         expected=lambda p, t, w: _nll(p[..., 0], t[:, 0], w)[0].sum()),
    case("nn.cross_entropy", "2x3xfloat32", "2x3xfloat32", expected=_entropy),
    case("nn.cross_entropy_with_logits", "2x3xfloat32", "2x3xfloat32",
         expected=lambda p, t: -(p * t).sum() / 2),
]  # fmt: skip


def _lstm(x, wi, wh, bi=0.0, bh=0.0, h=0.0, c=0.0, order="IFGO", reverse=False):
    steps, batch, _ = x.shape
    size = wh.shape[1]
    h, c = np.broadcast_to(h, (batch, size)), np.broadcast_to(c, (batch, size))
    hidden, cells = np.zeros((steps, batch, size)), np.zeros((steps, batch, size))
    for n in range(steps)[:: -1 if reverse else 1]:
        parts = np.split(x[n] @ wi.T + h @ wh.T + bi + bh, 4, 1)
        gates = dict(zip(order, parts, strict=True))
        i, f, o = (1 / (1 + np.exp(-gates[name])) for name in "IFO")
        c = f * c + i * np.tanh(gates["G"])
        h = o * np.tanh(c)
        hidden[n], cells[n] = h, c
    return hidden, cells


WEIGHTS = ["2x2x3xfloat32", "8x3xfloat32", "8x2xfloat32"]
CASES += [
    case("nn.lstm", *WEIGHTS, expected=_lstm),
    case("nn.lstm", *WEIGHTS, "8xfloat32", "8xfloat32", "2x2xfloat32", "2x2xfloat32", reverse=True,
         weight_layout="IOFG", expected=lambda *a: _lstm(*a, order="IOFG", reverse=True)),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_numpy_does(each: Case) -> None:
    check(each)


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    ("name", "specs", "attributes", "result"),
    [
        ("image.resize2d", [_of(N, 3, M, None)], {"size": (4, 5)}, _of(N, 3, 4, 5)),
        ("nn.upsampling", [_of(N, 3, M, 4)], {"scale_h": 2, "scale_w": 0.5}, _of(N, 3, 2 * M, 2)),
        ("nn.upsampling", [_of(N, 3, M, 4)], {"scale_h": 1.5}, _of(N, 3, None, 4)),
        ("image.crop_and_resize", [_of(1, M, 9, 9), _of(N, 4), _of(N, dtype="int32")],
         {"crop_size": (2, 3)}, _of(N, M, 2, 3)),
        ("image.affine_grid", [_of(N, 2, 3)], {"target_shape": (4, 5)}, _of(N, 2, 4, 5)),
        ("image.grid_sample", [_of(N, 3, M, M), _of(N, 2, M, 4)], {}, _of(N, 3, M, 4)),
        ("image.dilation2d", [_of(N, 3, M, 9), _of(3, 3, 3)], {"padding": 1}, _of(N, 3, M, 9)),
        ("nn.nll_loss", [_of(N, 3, M), _of(N, M, dtype="int32"), _of(3)], {"reduction": "none"},
         _of(N, M)),
        ("nn.cross_entropy", [_of(N, 3), _of(N, 3)], {}, _of()),
        ("nn.lstm", [_of(N, M, 3), _of(8, 3), _of(8, 2)], {}, (_of(N, M, 2), _of(N, M, 2))),
    ],
)  # fmt: skip
def test_symbolic_sizes_are_exact(name, specs, attributes, result) -> None:
    assert inferred(name, *specs, **attributes) == result


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("image.resize2d", [IMAGE], {}, "size is missing"),
        ("image.resize2d", [IMAGE], {"size": (0, 1)}, "at least 1"),
        ("image.resize2d", [IMAGE], {"size": (1, 1), "method": "area"}, "method is 'area'"),
        ("image.resize2d", [IMAGE], {"size": 2, "rounding_method": "up"}, "rounding_method"),
        ("image.resize2d", [IMAGE], {"size": 2, "layout": "NCHW2h"}, "splits the resized axis"),
        ("image.resize2d", [IMAGE], {"size": 2, "roi": (0.0,),
         "coordinate_transformation_mode": "tf_crop_and_resize"}, "roi has 1 numbers"),
        ("nn.upsampling", [IMAGE], {"scale_h": 0.0}, "scale of H is 0"),
        ("nn.upsampling", [IMAGE], {"scale_h": 0.1}, "is empty"),
        ("nn.upsampling3d", ["1x1x2x2x2xint8"], {"method": "bilinear"}, "method is"),
        ("image.crop_and_resize", [IMAGE, "2x4xfloat32", "3xint32"], {"crop_size": 2}, "2 and 3"),
        ("image.affine_grid", ["1x3x3xfloat32"], {"target_shape": 2}, "rows of a matrix"),
        ("image.grid_sample", [IMAGE, "1x3x2x2xfloat32"], {}, "coordinates of grid"),
        ("image.dilation2d", [IMAGE, "3x2x2xfloat32"], {}, "2 and 3, but must be equal"),
        ("image.dilation2d", [IMAGE, "2x4x2xfloat32"], {}, "does not fit into 3"),
        ("nn.nll_loss", ["4x3xfloat32", "4x1xint32", "3xfloat32"], {}, "must have 1 dim"),
        ("nn.nll_loss", ["4x3xfloat32", "4xint32", "4xfloat32"], {}, "3 and 4"),
        ("nn.cross_entropy", ["2x3xfloat32", "2x4xfloat32"], {}, "3 and 4"),
        ("nn.lstm", [WEIGHTS[0], "8x4xfloat32", WEIGHTS[2]], {}, "of input_weight are 3 and 4"),
        ("nn.lstm", [WEIGHTS[0], "6x3xfloat32", WEIGHTS[2]], {}, "4 rows of the weight"),
        ("nn.lstm", WEIGHTS, {"weight_layout": "IFGG"}, "once each"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
