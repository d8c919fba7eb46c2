"""Operators of networks that work on one tensor: activations, normalizations, pools."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

import kc as tvm
from kc import relay
from kc.dialects.graph.declaration import RelationError, all_operators
from kc.dialects.graph.operators._relations import ANY
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec
from kc.topi.table import whole_table

N, M = dimension("n"), dimension("m")
X = np.array([[-3, -1, -0.5, 0], [0.25, 1, 2, 4]], np.float32)


def _erf(x):
    return np.vectorize(math.erf)(x.astype(np.float64))


def _sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def _softplus(x):
    return np.log1p(np.exp(x.astype(np.float64)))


def _softmax(x, axis):
    x = np.exp(x.astype(np.float64))
    return x / x.sum(axis, keepdims=True)


CASES = [
    case("nn.relu", X, expected=lambda x: np.maximum(x, 0)),
    case("nn.relu", X.astype(np.int8), expected=lambda x: np.maximum(x, 0)),
    case("nn.leaky_relu", X, alpha=0.5, expected=lambda x: np.where(x > 0, x, x / 2)),
    case("nn.leaky_relu", X, expected=lambda x: np.where(x > 0, x, x / 4)),
    case("nn.prelu", X, "4xfloat32", expected=lambda x, a: np.where(x > 0, x, x * a)),
    case("nn.prelu", X, "2xfloat32", axis=-2,
         expected=lambda x, a: np.where(x > 0, x, x * a[:, None])),
    case("nn.gelu", X, expected=lambda x: x * (1 + _erf(x / np.sqrt(2))) / 2),
    case("nn.gelu", X, approximate="tanh", expected=lambda x: x * (1 + np.tanh(
        np.sqrt(2 / np.pi) * (x.astype(np.float64) + 0.044715 * x.astype(np.float64)**3))) / 2),
    case("nn.silu", X, expected=lambda x: x * _sigmoid(x)),
    case("nn.swish", X, expected=lambda x: x * _sigmoid(x)),
    case("nn.hardswish", X, expected=lambda x: x * np.clip(x + 3, 0, 6) / 6),
    case("nn.hardsigmoid", X, alpha=0.25, beta=0.125,
         expected=lambda x: np.clip(x * 0.25 + 0.125, 0, 1)),
    case("nn.softplus", X, expected=_softplus),
    case("nn.mish", X, expected=lambda x: x * np.tanh(_softplus(x))),
    case("nn.softsign", X, expected=lambda x: x / (1 + np.abs(x))),
    case("nn.elu", X, alpha=2.0, expected=lambda x: np.where(x > 0, x, 2 * np.expm1(x))),
    case("nn.selu", X, alpha=2.0, gamma=3.0,
         expected=lambda x: 3 * np.where(x > 0, x, 2 * np.expm1(x))),
    case("nn.celu", X, alpha=2.0, expected=lambda x: np.where(x > 0, x, 2 * np.expm1(x / 2))),
    case("nn.softmax", X, expected=lambda x: _softmax(x, 1)),
    case("nn.softmax", X, axis=0, expected=lambda x: _softmax(x, 0)),
    case("nn.log_softmax", X, axis=0, expected=lambda x: np.log(_softmax(x, 0))),
    case("nn.fast_softmax", X, axis=1, expected=lambda x: _softmax(x, 1)),
    case("nn.dropout", X, rate=0.25, expected=lambda x: (x, np.ones_like(x))),
]  # fmt: skip


def _normal(x, axes, epsilon=1e-5):
    x = x.astype(np.float64)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def _batch_norm(x, g, b, m, v):
    return (x - m) / np.sqrt(v.astype(np.float64) + 1e-5) * g + b, m, v


def _group_norm(x, g, b):
    n, c, h = x.shape
    groups = _normal(x.reshape(n, 2, c // 2, h), (2, 3), 0.5).reshape(x.shape)
    return groups * g[:, None] + b[:, None]


def _lrn(x):
    squares = np.pad(x.astype(np.float64) ** 2, ((0, 0), (1, 1)))
    total = squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:]
    return x / (3 + 0.5 / 3 * total) ** 0.25


P = ["4xfloat32"] * 2
CASES += [
    case("nn.batch_norm", X, *P, *P, axis=-1, expected=_batch_norm),
    case("nn.batch_norm", "2x3x2xfloat32", *["3xfloat32"] * 4, epsilon=0.5, center=False,
         expected=lambda x, g, b, m, v: (
             (x - m[:, None]) / np.sqrt(v + 0.5)[:, None] * g[:, None], m, v)),
    case("nn.batch_norm", X, *P, *P, axis=1, scale=False, expected=lambda x, g, b, m, v: (
        _batch_norm(x, 1, b, m, v))),
    case("nn.layer_norm", X, *P, expected=lambda x, g, b: _normal(x, 1) * g + b),
    case("nn.layer_norm", X, *["2xfloat32"] * 2, axis=0, epsilon=0.5, scale=False,
         expected=lambda x, g, b: _normal(x, 0, 0.5) + b[:, None]),
    case("nn.layer_norm", X, *P, center=False, expected=lambda x, g, b: _normal(x, 1) * g),
    case("nn.instance_norm", "2x3x4xfloat32", *["3xfloat32"] * 2, epsilon=0.5,
         expected=lambda x, g, b: _normal(x, 2, 0.5) * g[:, None] + b[:, None]),
    case("nn.instance_norm", "2x3x4xfloat32", *P, axis=2, center=False, scale=False,
         expected=lambda x, g, b: _normal(x, 1)),
    case("nn.group_norm", "2x4x3xfloat32", *P, num_groups=2, epsilon=0.5, expected=_group_norm),
    case("nn.rms_norm", X, "4xfloat32", epsilon=0.5, expected=lambda x, w: (
        x / np.sqrt((x.astype(np.float64)**2).mean(1, keepdims=True) + 0.5) * w)),
    case("nn.l2_normalize", X, eps=1e-6, axis=1, expected=lambda x: (
        x / np.sqrt((x.astype(np.float64)**2).sum(1, keepdims=True)))),
    case("nn.l2_normalize", X, eps=1e6, expected=lambda x: x / 1e3),
    case("nn.lrn", X, size=3, axis=1, bias=3.0, alpha=0.5, beta=0.25, expected=_lrn),
]  # fmt: skip


def _pool(x, kind, taps, strides, dilation, pads, ceil_mode=False, include_pad=False):
    """A pool of (N, C, ...) by its definition: each window, each tap."""
    sizes = x.shape[2:]
    counts = []
    for size, tap, stride, apart, (head, tail) in zip(
        sizes, taps, strides, dilation, pads, strict=True
    ):
        free = size + head + tail - (tap - 1) * apart - 1
        count = (-(-free // stride) if ceil_mode else free // stride) + 1
        counts.append(count - 1 if ceil_mode and (count - 1) * stride >= size + head else count)
    result = np.zeros((*x.shape[:2], *counts))
    for place in itertools.product(*map(range, counts)):
        values, number = [], 0
        for tap in itertools.product(*map(range, taps)):
            at = [
                p * s + t * d - head
                for p, s, t, d, (head, _) in zip(place, strides, tap, dilation, pads, strict=True)
            ]
            inside = all(0 <= a < size for a, size in zip(at, sizes, strict=True))
            padded = all(
                a < size + tail for a, size, (_, tail) in zip(at, sizes, pads, strict=True)
            )
            number += padded if include_pad else inside
            if inside:
                values.append(x[(slice(None), slice(None), *at)])
        total = np.max(values, 0) if kind == "max" else np.sum(values, 0) / max(number, 1)
        result[(slice(None), slice(None), *place)] = total
    return result


def _bins(x, kind, counts):
    result = np.zeros((*x.shape[:2], *counts))
    for place in itertools.product(*map(range, counts)):
        parts = [
            slice(p * size // n, -(-(p + 1) * size // n))
            for p, n, size in zip(place, counts, x.shape[2:], strict=True)
        ]
        window = x[(slice(None), slice(None), *parts)]
        axes = tuple(range(2, x.ndim))
        result[(slice(None), slice(None), *place)] = (
            window.max(axes) if kind == "max" else window.mean(axes)
        )
    return result


def _blocked(x):
    return x.reshape(x.shape[0], -1, 2, *x.shape[2:]).transpose(0, 1, 3, 4, 2)


_IMAGES = {1: "1x2x7xfloat32", 2: "1x2x6x7xfloat32", 3: "1x1x4x5x3xfloat32"}
for _kind, _ndim in itertools.product(("max", "avg"), (1, 2, 3)):
    _name = f"nn.{_kind}_pool{_ndim}d"
    _heads, _tails = (1, 0, 1)[:_ndim], (1, 1, 0)[:_ndim]
    _taps, _strides = (3, 2, 2)[:_ndim], (2, 1, 2)[:_ndim]
    _dilation = (1, 2, 1)[:_ndim]

    def _expected(x, ceil, kind=_kind, window=(_taps, _strides, _dilation), h=_heads, t=_tails):
        taps, strides, dilation = window
        return _pool(x, kind, taps, strides, dilation, list(zip(h, t, strict=True)), ceil)

    _window = dict(
        pool_size=_taps, strides=_strides, dilation=_dilation, padding=(*_heads, *_tails)
    )
    CASES += [
        case(_name, _IMAGES[_ndim], **_window, ceil_mode=_ceil,
             expected=lambda x, ceil=_ceil, own=_expected: own(x, ceil))
        for _ceil in (False, True)
    ]  # fmt: skip
    CASES += [
        case(f"nn.adaptive_{_kind}_pool{_ndim}d", _IMAGES[_ndim], output_size=_taps,
             expected=lambda x, kind=_kind, counts=_taps: _bins(x, kind, counts)),
        case(f"nn.adaptive_{_kind}_pool{_ndim}d", _IMAGES[_ndim], expected=np.copy),
        case(f"nn.global_{_kind}_pool{_ndim}d", _IMAGES[_ndim],
             expected=lambda x, kind=_kind, n=_ndim: _bins(x, kind, (1,) * n)),
    ]  # fmt: skip
CASES += [
    case("nn.avg_pool2d", "1x2x4x5xfloat32", pool_size=3, strides=(2, 2), padding=(1,),
         count_include_pad=True, ceil_mode=True, expected=lambda x: _pool(
             x, "avg", (3, 3), (2, 2), (1, 1), [(1, 1)] * 2, True, True)),
    case("nn.max_pool2d", "1x4x5x2xfloat32", pool_size=(2, 3), layout="NHWC",
         expected=lambda x: _pool(x.transpose(0, 3, 1, 2), "max", (2, 3), (1, 1), (1, 1),
                                  [(0, 0)] * 2).transpose(0, 2, 3, 1)),
    case("nn.max_pool2d", "1x4x4x5xfloat32", pool_size=(2, 3), out_layout="NCHW2c",
         expected=lambda x: _blocked(_pool(x, "max", (2, 3), (1, 1), (1, 1), [(0, 0)] * 2))),
    case("nn.global_avg_pool2d", "1x2x4x5x2xfloat32", layout="NCHW2c",
         expected=lambda x: x.mean((2, 3), keepdims=True)),
    case("nn.adaptive_max_pool2d", "1x4x6x2xint8", layout="NHWC", output_size=2,
         expected=lambda x: _bins(x.transpose(0, 3, 1, 2), "max", (2, 2)).transpose(0, 2, 3, 1)),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_numpy_does(each: Case) -> None:
    check(each)


def _infers(name: str, *specs: TensorSpec, **attributes) -> bool:
    try:
        inferred(name, *specs, **attributes)
    except RelationError:
        return False
    return True


def test_functions_of_elements_take_the_types_of_topi() -> None:
    rows, operators = whole_table(), all_operators()
    names = [name for name, each in operators.items() if each.family == "activation"]
    for name in names:
        if operators[name].inputs == ("data",) and name in rows:
            taken = {dtype for dtype in ANY if _infers(name, TensorSpec((2,), dtype))}
            assert taken == {*rows[name].types}, name


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    ("name", "specs", "attributes", "result"),
    [
        ("nn.relu", [_of(N, None)], {}, _of(N, None)),
        ("nn.prelu", [_of(1, N), _of(N)], {}, _of(1, N)),
        ("nn.batch_norm", [_of(N, 3)] + [_of(3)] * 4, {}, (_of(N, 3), _of(3), _of(3))),
        ("nn.layer_norm", [_of(N, M), _of(M), _of(M)], {}, _of(N, M)),
        ("nn.max_pool2d", [_of(N, 3, M, 9)], {"pool_size": (3, 3), "strides": (2, 2)},
         _of(N, 3, (M - 3) // 2 + 1, 4)),
        ("nn.max_pool2d", [_of(N, 3, 2 * M, 9)], {"pool_size": 2, "strides": 2, "ceil_mode": True},
         _of(N, 3, M, 5)),
        ("nn.max_pool2d", [_of(N, 3, M, 9)],
         {"pool_size": 2, "strides": 2, "padding": 1, "ceil_mode": True}, _of(N, 3, None, 5)),
        ("nn.avg_pool1d", [_of(N, 4, None)], {"out_layout": "NWC"}, _of(N, None, 4)),
        ("nn.max_pool2d", [_of(1, 2 * N, 5, 5)], {"out_layout": "NCHW2c"}, _of(1, N, 5, 5, 2)),
        ("nn.adaptive_avg_pool2d", [_of(N, 3, M, 9)], {"output_size": (1, 2)}, _of(N, 3, 1, 2)),
        ("nn.global_max_pool3d", [_of(N, 3, M, 9, M)], {}, _of(N, 3, 1, 1, 1)),
    ],
)  # fmt: skip
def test_symbolic_sizes_are_exact(name, specs, attributes, result) -> None:
    assert inferred(name, *specs, **attributes) == result


F = "2x4xfloat32"


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("nn.gelu", [F], {"approximate": "erf"}, "approximate is 'erf'"),
        ("nn.gelu", ["2xint8"], {}, "must be floats"),
        ("nn.celu", [F], {"alpha": 0.0}, "alpha is 0"),
        ("nn.softmax", [F], {"axis": 2}, "axis is 2"),
        ("nn.prelu", [F, "2xfloat32"], {}, "4 and 2, but must be equal"),
        ("nn.dropout", [F], {"rate": 1.5}, "rate is 1.5"),
        ("nn.batch_norm", [F, "4xfloat32", "4xfloat32", "4xfloat32", "2xfloat32"], {},
         "of data and of moving_var are 4 and 2"),
        ("nn.layer_norm", [F, "2x4xfloat32", "4xfloat32"], {}, "gamma is .* must have 1 dim"),
        ("nn.instance_norm", [F, "4xfloat32", "4xfloat32"], {}, "at least one more axis"),
        ("nn.group_norm", [F, "4xfloat32", "4xfloat32"], {"num_groups": 3}, "do not make 3 groups"),
        ("nn.group_norm", [F, "4xfloat32", "4xfloat32"], {}, "num_groups is missing"),
        ("nn.l2_normalize", [F], {"eps": 1e-6, "axis": (0, 0)}, "dimension 0 twice"),
        ("nn.lrn", [F], {"size": 0}, "size is 0"),
        ("nn.max_pool2d", ["1x2x3x3xfloat32"], {"pool_size": (4, 4)}, "window of 4 .* 3 elements"),
        ("nn.max_pool2d", ["1x2x3x3xfloat32"], {"strides": (0, 1)}, "at least 1"),
        ("nn.max_pool2d", ["1x2x3x3xfloat32"], {"padding": (1, 1, 1)}, "has 3 numbers"),
        ("nn.max_pool2d", ["1x2x3x3xfloat32"], {"layout": "NCHW2w"}, "splits the pooled axis w"),
        ("nn.max_pool2d", ["1x2x3x3xfloat32"], {"layout": "NCWX"}, "must have each of the axes"),
        ("nn.max_pool2d", ["1x3x3x3xfloat32"], {"out_layout": "NCHW2c"}, "not a multiple of the 2"),
        ("nn.max_pool2d", ["1x2x3xfloat32"], {}, "must have 4 dimensions"),
        ("nn.adaptive_avg_pool2d", ["1x2x3x3xfloat32"], {"output_size": (0,)}, "at least 1"),
        ("nn.global_avg_pool1d", ["1x2x0xfloat32"], {}, "no elements"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)


def test_parameters_of_normalizations_are_inferred() -> None:
    x = relay.var("x", shape=(2, 3, 4), dtype="float32")
    parameters = [relay.var(name) for name in ("gamma", "beta", "mean", "var")]
    y = relay.nn.prelu(relay.nn.batch_norm(x, *parameters)[0], relay.var("alpha"), axis=2)
    variables = relay.analysis.free_vars(y)
    mod = tvm.IRModule.from_expr(relay.Function(variables, relay.nn.dropout(y)))
    types = [str(variable.type_annotation) for variable in mod["main"].params]
    assert [variable.name_hint for variable in mod["main"].params][0] == "x"
    assert types == [
        f"Tensor[({sizes}), float32]" for sizes in ("2, 3, 4", "3,", "3,", "3,", "3,", "4,")
    ]
    assert str(mod["main"].ret_type) == "Tensor[(2, 3, 4), float32]"
