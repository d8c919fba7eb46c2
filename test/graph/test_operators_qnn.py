"""Operators of quantized tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred
from test_operators_nn_products import _transposed

import kc
from kc import relay
from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec

N = dimension("n")
X = np.array([[-3, -1.25, 0.25], [0.75, 2, 400]], np.float32)
Q = np.array([[-100, -3, 0], [1, 5, 127]], np.int8)
W = np.array([[1, -2, 3], [-128, 7, 0]], np.int8)


def _f(*values):
    return np.array(values[0] if len(values) == 1 else values, np.float32)


def _i(*values):
    return np.array(values[0] if len(values) == 1 else values, np.int32)


def _quantized(x, scale, zero, dtype: Any = np.int8):
    limits = np.iinfo(dtype)
    return np.clip(np.round(x / scale) + zero, limits.min, limits.max).astype(dtype)


def _requantized(q, si, zi, so, zo, rounded=lambda v: np.floor(v + 0.5)):
    value = (q.astype(np.float64) - zi) * (np.float64(si) / np.float64(so))
    return np.clip(rounded(value) + zo, -128, 127).astype(np.int8)


def _values(q, scale, zero):
    return (q.astype(np.float64) - zero) * scale


def _away(value):
    return np.sign(value) * np.floor(np.abs(value) + 0.5)


ZEROS = _i(3), _i(-2), _f(0.5), _f(0.25)
BOTH = _f(0.5), _i(3), _f(0.25), _i(-2), _f(0.75), _i(1)
IMAGE = (np.arange(2 * 4 * 5).reshape(1, 2, 4, 5) % 11).astype(np.uint8)
TAPS = (np.arange(3 * 2 * 2 * 2).reshape(3, 2, 2, 2) % 7 - 3).astype(np.int8)


SMALL = IMAGE[:, :, :2, :3]
SIGNED = np.array([-3, -1, 0, 5, 20], np.int8)
"""Above 0 as values; the elements are at least 1 step above the zero point -4."""
FUNCTIONS = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "exp": np.exp,
    "erf": np.vectorize(math.erf),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "tanh": np.tanh,
    "log": np.log,
}


def _convolved(x, w, zero, taps_zero, *_) -> Any:
    x = np.pad(x.astype(np.int32), ((0, 0), (0, 0), (1, 0), (0, 0)), constant_values=zero) - zero
    w = w.astype(np.int32) - np.reshape(taps_zero, (-1, 1, 1, 1))
    return sum(
        np.einsum("nchw,oc->nohw", x[:, :, i : i + 4, j : j + 4], w[:, :, i, j])
        for i, j in np.ndindex(2, 2)
    )


CASES = [
    case("qnn.quantize", X, _f(0.5), _i(3), expected=_quantized),
    case("qnn.quantize", X, _f(0.5, 0.25, 4), _i(0, 1, 2), out_dtype="uint8",
         expected=lambda x, s, z: _quantized(x, s, z, np.uint8)),
    case("qnn.quantize", X, _f(0.5, 4), _i(0, 1), axis=0,
         expected=lambda x, s, z: _quantized(x, s[:, None], z[:, None])),
    case("qnn.dequantize", Q, _f(0.5), _i(3), expected=_values),
    case("qnn.dequantize", Q, _f(0.5, 4), _i(0, 1), axis=0,
         expected=lambda q, s, z: _values(q, s[:, None], z[:, None])),
    case("qnn.requantize", Q, _f(0.5), _i(1), _f(1), _i(-4), expected=_requantized),
    case("qnn.requantize", Q, _f(0.5), _i(0), _f(1), _i(-4), rounding="TONEAREST",
         expected=lambda *a: _requantized(*a, rounded=_away)),
    case("qnn.requantize", Q, _f(0.5), _i(0), _f(1), _i(-4), rounding="TONEVEN",
         expected=lambda *a: _requantized(*a, rounded=np.round)),
    case("qnn.requantize", Q.astype(np.int32), _f(0.5, 3), _i(0, 1), _f([2]), _i(5), axis=0,
         expected=lambda q, si, zi, so, zo: _requantized(q, si[:, None], zi[:, None], so, zo)),
    case("qnn.dense", Q, W, *ZEROS, units=2,
         expected=lambda q, w, *_: (q.astype(np.int32) - 3) @ (w.astype(np.int32) + 2).T),
    case("qnn.dense", Q[None], W, _i(0), _i(1, -1), _f(1), _f(1, 2), expected=lambda q, w, *_: (
        q.astype(np.int32) @ (w.astype(np.int32) - [[1], [-1]]).T)),
    case("qnn.conv2d", IMAGE, TAPS, *ZEROS, padding=(1, 0, 0, 0), expected=_convolved),
    case("qnn.conv2d", IMAGE.transpose(0, 2, 3, 1), TAPS.transpose(2, 3, 1, 0), _i(3),
         _i(0, 1, 2), _f(1), _f(1, 1, 1), padding=(1, 0, 0, 0), data_layout="NHWC",
         kernel_layout="HWIO", expected=lambda x, w, *z: _convolved(
             x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), *z).transpose(0, 2, 3, 1)),
    case("qnn.add", Q, W, *BOTH, expected=lambda a, b, sa, za, sb, zb, s, z: _quantized(
        _values(a, sa, za) + _values(b, sb, zb), s, z)),
    case("qnn.subtract", Q, W[:1], *BOTH, expected=lambda a, b, sa, za, sb, zb, s, z: _quantized(
        _values(a, sa, za) - _values(b, sb, zb), s, z)),
    case("qnn.mul", Q, W, *BOTH, expected=lambda a, b, sa, za, sb, zb, s, z: _quantized(
        _values(a, sa, za) * _values(b, sb, zb), s, z)),
    case("qnn.batch_matmul", Q[None], W[None].view(np.uint8), _i(3), _i(-2), _f(1), _f(1),
         expected=lambda x, y, *_: (
             (x.astype(np.int32) - 3) @ (y.astype(np.int32) + 2).transpose(0, 2, 1))),
    case("qnn.conv2d_transpose", SMALL, TAPS.transpose(1, 0, 2, 3), *ZEROS, strides=(2, 1),
         padding=(1, 0, 0, 0), output_padding=(1, 0), expected=lambda x, w, zx, zw, *_: (
             _transposed(x.astype(np.int64) - zx, w.astype(np.int64) - zw, (2, 1), (1, 0, 0, 0),
                         (1, 0)).astype(np.int32))),
    *[case(f"qnn.{name}", SIGNED, _f(0.25), _i(-4), _f(0.125), _i(-3),
           expected=lambda x, s, z, so, zo, f=function: _quantized(f(_values(x, s, z)), so, zo))
      for name, function in FUNCTIONS.items()],
    case("qnn.leaky_relu", Q, _f(0.5), _i(3), _f(0.25), _i(-2), alpha=0.25,
         expected=lambda x, s, z, so, zo: _quantized(
             np.where(_values(x, s, z) > 0, 1, 0.25) * _values(x, s, z), so, zo)),
    case("qnn.concatenate", Q, W, _f(0.5), _f(2), _i(0), _i(1), _f(1), _i(-4), axis=1,
         expected=lambda a, b, sa, sb, za, zb, s, z: np.concatenate(
             [_requantized(a, sa, za, s, z), _requantized(b, sb, zb, s, z)], 1)),
    case("qnn.simulated_quantize", X, _i(1), _f(0.5), _i(3),
         expected=lambda x, _, s, z: _quantized(x, s, z)),
    case("qnn.simulated_quantize", X, _i(0), _f(0.5), _i(3), expected=lambda x, *_: x),
    case("qnn.simulated_dequantize", X, _i(1), _f(0.5, 2), _i(3, 4), axis=0,
         expected=lambda x, _, s, z: (x - z[:, None]) * s[:, None]),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_numpy_does(each: Case) -> None:
    check(each)


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


def test_the_function_of_concatenate_takes_tuples() -> None:
    x, y = relay.var("x", shape=(2, 3), dtype="int8"), relay.var("y", shape=(2, 3), dtype="int8")
    scales = relay.const(np.float32(0.5)), relay.const(np.float32(2))
    zeros = relay.const(np.int32(0)), relay.const(np.int32(1))
    last = relay.const(np.float32(1)), relay.const(np.int32(-4))
    call = relay.qnn.concatenate((x, y), scales, zeros, *last, axis=1)
    function = relay.Function([x, y], call)
    expected = np.concatenate([_requantized(Q, 0.5, 0, 1, -4), _requantized(W, 2, 1, 1, -4)], 1)
    np.testing.assert_array_equal(
        kc.graph.Interpreter(kc.IRModule.from_expr(function)).run(Q, W), expected
    )
    text = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 3), int8], %y: Tensor[(2, 3), int8]) {
  %0 = (%x, %y);
  %1 = (0.5f, 2f);
  %2 = (0, 1);
  qnn.concatenate(%0, %1, %2, 1f, -4, axis=1)
}"""
    module = relay.fromtext(text)
    np.testing.assert_array_equal(kc.graph.Interpreter(module).run(Q, W), expected)


def test_symbolic_sizes_are_exact() -> None:
    scale = _of(), _of(dtype="int32")
    assert inferred("qnn.quantize", _of(N, 3), *scale) == _of(N, 3, dtype="int8")
    zeros = _of(dtype="int32"), _of(dtype="int32"), _of(), _of()
    data, weight = _of(N, 3, dtype="int8"), _of(4, 3, dtype="int8")
    assert inferred("qnn.dense", data, weight, *zeros) == _of(N, 4, dtype="int32")


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("qnn.quantize", [X, _f(1), _i(0)], {"out_dtype": "int64"}, "out_dtype is 'int64'"),
        ("qnn.quantize", [X, _f(1, 2), _i(0, 0)], {}, "3 and 2, but must be equal"),
        ("qnn.quantize", [X, _f(1, 2), _i(0)], {"axis": 0}, "but output_zero_point"),
        ("qnn.quantize", [X, _i(1), _i(0)], {}, "must be float32"),
        ("qnn.requantize", [Q, _f(1), _i(0), _f(1), _i(0)], {"rounding": "DOWN"}, "rounding is"),
        ("qnn.dense", [X, W, *ZEROS], {}, "must be int8 or uint8"),
        ("qnn.dense", [Q, W, *ZEROS], {"out_dtype": "int8"}, "out_dtype is 'int8'"),
        ("qnn.conv2d", [IMAGE, TAPS, _i(0), _i(1, 2), _f(1), _f(1)], {}, "kernel_zero_point are 3"),
        ("qnn.add", [Q, IMAGE, *BOTH], {}, "lhs is int8 and rhs is uint8"),
        ("qnn.simulated_quantize", [X, _i([0]), _f(1), _i(0)], {}, "must have 0 dimensions"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
