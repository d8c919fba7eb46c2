"""Results of every op of tosa against numpy, in the interpreter and, for some, natively."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context

import kc
from kc.analysis.interpreter import run
from kc.conversion.raise_to_tir import RaiseToTirPass
from kc.dialects.tosa import OPS
from kc.support.diagnostics import KCError

TYPES = {"float32": "f32", "float16": "f16", "bool": "i1", "float64": "f64"}
random = np.random.default_rng(7)


def type_of(array: np.ndarray) -> str:
    element = TYPES.get(str(array.dtype), f"i{8 * array.itemsize}")
    return f"tensor<{''.join(f'{extent}x' for extent in array.shape)}{element}>"


def const(name: str, array: np.ndarray) -> str:
    values = str(array.tolist()).replace("True", "true").replace("False", "false")
    of = type_of(array)
    return f'%{name} = "tosa.const"() <{{values = dense<{values}> : {of}}}> : () -> {of}'


def array(numbers: Any) -> str:
    return f"array<i64: {', '.join(map(str, numbers))}>"


def operands(**arrays: np.ndarray) -> dict[str, Any]:
    """Constants as further operands."""
    return {
        "before": [const(name, values) for name, values in arrays.items()],
        "more": [(name, type_of(values)) for name, values in arrays.items()],
    }


def shape(name: str, *numbers: int) -> str:
    return (
        f"%{name} = tosa.const_shape {{values = dense<{list(numbers)}> : "
        f"tensor<{len(numbers)}xindex>}} : () -> !tosa.shape<{len(numbers)}>"
    )


@dataclass
class Case:
    """One op: what it is called with, what stands before it, and what it gives."""

    op: str
    inputs: list[np.ndarray]
    expected: list[np.ndarray]
    properties: str = ""
    before: list[str] = field(default_factory=list)
    more: list[tuple[str, str]] = field(default_factory=list)
    """Further operands: names and types."""
    rtol: float = 0.0
    name: str = ""

    def text(self, dynamic: bool = False) -> str:
        def type_(array: np.ndarray) -> str:
            text = type_of(array)
            is_batch = dynamic and array.shape[:1] == self.inputs[0].shape[:1]
            return f"tensor<?{text[text.index('x') :]}" if is_batch else text

        arguments = ", ".join(f"%a{n}: {type_(array)}" for n, array in enumerate(self.inputs))
        operands = [(f"a{n}", type_(array)) for n, array in enumerate(self.inputs)] + self.more
        names = ", ".join(f"%{name}" for name, _ in operands)
        types = ", ".join(of for _, of in operands)
        results = ", ".join(type_(array) for array in self.expected)
        returned = ", ".join(f"%r#{n}" for n in range(len(self.expected)))
        count = f":{len(self.expected)}" if len(self.expected) > 1 else ""
        arrow = f"({results})" if len(self.expected) > 1 else results
        lines = "\n".join(self.before)
        properties = f" {{{self.properties}}}" if self.properties else ""
        return f"""func.func @f({arguments}) -> ({results}) {{
          {lines}
          %r{count} = tosa.{self.op} {names}{properties} : ({types}) -> {arrow}
          func.return {returned if count else "%r"} : {results}
        }}"""

    def __str__(self) -> str:
        return self.name or f"{self.op} {' '.join(type_of(array)[7:-1] for array in self.inputs)}"


def floats(*extents: int) -> np.ndarray:
    return random.uniform(-2, 2, extents).astype("float32")


def integers(dtype: str, *extents: int, low: int | None = None, high: int | None = None):
    info = np.iinfo(dtype)
    low, high = (info.min if low is None else low), (info.max if high is None else high)
    return random.integers(low, high, extents, dtype=dtype, endpoint=True)


X, Y, POSITIVE = floats(3, 5), floats(3, 5), np.abs(floats(3, 5)) + 0.1
SPECIAL = np.array([[np.nan, 1, -np.inf, 0, -0.0]], "float32")
N, M = integers("int32", 3, 5, low=-100, high=100), integers("int32", 3, 5, low=1, high=20)
FLAGS = random.integers(0, 2, (3, 5)).astype(bool), random.integers(0, 2, (3, 5)).astype(bool)
ERF = np.vectorize(math.erf)


def unary(op: str, x: np.ndarray, expected: Any, rtol: float = 3e-7) -> Case:
    return Case(op, [x], [np.asarray(expected, x.dtype)], rtol=rtol)


def binary(op: str, a: np.ndarray, b: np.ndarray, expected: Any, **given: Any) -> Case:
    return Case(op, [a, b], [np.asarray(expected)], **given)


UNARY = [
    unary("abs", X, np.abs(X)),
    unary("abs", N, np.abs(N)),
    unary("bitwise_not", N, ~N),
    unary("logical_not", FLAGS[0], ~FLAGS[0]),
    unary("ceil", X, np.ceil(X)),
    unary("floor", X, np.floor(X)),
    unary("clz", M, 31 - np.floor(np.log2(M))),
    unary("cos", X, np.cos(X)),
    unary("sin", X, np.sin(X)),
    unary("erf", X, ERF(X)),
    unary("exp", X, np.exp(X)),
    unary("log", POSITIVE, np.log(POSITIVE), 2e-6),
    unary("reciprocal", X, 1 / X),
    unary("rsqrt", POSITIVE, 1 / np.sqrt(POSITIVE)),
    unary("sigmoid", X, 1 / (1 + np.exp(-X.astype("float64")))),
    unary("tanh", X, np.tanh(X)),
    unary("identity", X, X),
]
ROW, COLUMN = floats(1, 5), floats(3, 1)
BINARY = [
    binary("add", X, Y, X + Y),
    binary("add", X, ROW, X + ROW, name="add of a row"),
    binary("sub", COLUMN, ROW, COLUMN - ROW, name="sub of a column and a row"),
    binary("sub", N, M, N - M),
    binary("pow", POSITIVE, Y, POSITIVE**Y, rtol=1e-6),
    binary("intdiv", N, M, np.trunc(N / M).astype("int32")),
    binary("bitwise_and", N, M, N & M),
    binary("bitwise_or", N, M, N | M),
    binary("bitwise_xor", N, M, N ^ M),
    binary("logical_and", *FLAGS, FLAGS[0] & FLAGS[1]),
    binary("logical_or", *FLAGS, FLAGS[0] | FLAGS[1]),
    binary("logical_xor", *FLAGS, FLAGS[0] ^ FLAGS[1]),
    binary("logical_left_shift", N, M, N << M),
    binary("logical_right_shift", N, M, (N.view("uint32") >> M.view("uint32")).view("int32")),
    binary("arithmetic_right_shift", N, M, N >> M, properties="round = false"),
    binary(
        "arithmetic_right_shift",
        N,
        M,
        (N >> M) + ((N >> (M - 1)) & 1),
        properties="round = true",
        name="arithmetic_right_shift, rounded",
    ),
    binary("equal", N, N.T.reshape(3, 5), N == N.T.reshape(3, 5)),
    binary("greater", X, Y, X > Y),
    binary("greater_equal", SPECIAL, SPECIAL[:, ::-1].copy(), SPECIAL >= SPECIAL[:, ::-1]),
    binary("maximum", X, Y, np.maximum(X, Y)),
    binary("maximum", SPECIAL, ROW, np.maximum(SPECIAL, ROW), name="maximum of NaN"),
    binary(
        "minimum",
        SPECIAL,
        ROW,
        np.fmin(SPECIAL, ROW),
        properties="nan_mode = IGNORE",
        name="minimum that ignores NaN",
    ),
    binary("minimum", N, M, np.minimum(N, M)),
]


def mul(a: np.ndarray, b: np.ndarray, shift: int, expected: np.ndarray) -> Case:
    before, more = [const("s", np.array([shift], "int8"))], [("s", "tensor<1xi8>")]
    return Case("mul", [a, b], [expected], before=before, more=more, name=f"mul {a.dtype} {shift}")


SMALL = integers("int8", 4), integers("int8", 4)
LARGE = integers("int32", 4), integers("int32", 4)
PRODUCTS = [
    mul(X, Y, 0, X * Y),
    mul(*SMALL, 0, SMALL[0].astype("int32") * SMALL[1]),
    mul(*LARGE, 31, ((LARGE[0].astype("int64") * LARGE[1] + (1 << 30)) >> 31).astype("int32")),
]

HALVES = np.array([0.5, 1.5, 2.5, -0.5, -1.5, np.nan, np.inf, -np.inf, 3e9, 127.4], "float32")
CASTS = [
    Case("cast", [N], [N.astype("float32")], name="cast i32 to f32"),
    Case("cast", [X], [X.astype("float16")], name="cast f32 to f16"),
    Case("cast", [FLAGS[0]], [FLAGS[0].astype("float32")], name="cast i1 to f32"),
    Case("cast", [N], [N != 0], name="cast i32 to i1"),
    Case("cast", [N], [N.astype("int8")], name="cast i32 to i8"),
    Case(
        "cast",
        [HALVES],
        [np.array([0, 2, 2, 0, -2, 0, 127, -128, 127, 127], "int8")],
        name="cast f32 to i8",
    ),
    Case(
        "cast",
        [HALVES],
        [np.array([0, 2, 2, 0, -2, 0, 2**31 - 1, -(2**31), 2**31 - 1, 127], "int32")],
        name="cast f32 to i32",
    ),
]

OTHERS = [
    Case("select", [FLAGS[0], X, Y], [np.where(FLAGS[0], X, Y)]),
    Case("clamp", [X], [np.clip(X, -1, 1)], "min_val = -1.0 : f32, max_val = 1.0 : f32"),
    Case("clamp", [N], [np.clip(N, -9, 30)], "min_val = -9 : i32, max_val = 30 : i32"),
    Case(
        "clamp",
        [SPECIAL],
        [np.clip(SPECIAL, -1, 1)],
        "min_val = -1.0 : f32, max_val = 1.0 : f32",
        name="clamp of NaN",
    ),
    Case(
        "negate",
        [X],
        [-X],
        before=[const("z", np.zeros(1, "float32"))],
        more=[("z", "tensor<1xf32>"), ("z", "tensor<1xf32>")],
    ),
]


def zero_points(*values: int) -> dict[str, Any]:
    before = [const(f"z{n}", np.array([value], "int8")) for n, value in enumerate(values)]
    return {"before": before, "more": [(f"z{n}", "tensor<1xi8>") for n in range(len(values))]}


BYTES = integers("int8", 40)
TABLE8, TABLE16 = integers("int8", 256), integers("int16", 513)
SHORTS = integers("int16", 40)
AT = (SHORTS.astype("int32") >> 7) + 256
QUANTISED = [
    Case(
        "negate",
        [BYTES],
        [np.clip(-(BYTES.astype("int32") - 3) + 5, -128, 127).astype("int8")],
        **zero_points(3, 5),
    ),
    Case("table", [BYTES, TABLE8], [TABLE8[BYTES.astype("int32") + 128]]),
    Case(
        "table",
        [SHORTS, TABLE16],
        [
            (TABLE16[AT].astype("int32") << 7)
            + (TABLE16[AT + 1].astype("int32") - TABLE16[AT]) * (SHORTS & 127)
        ],
    ),
]


def rescaled(x: Any, scale: Any, bits: Any, zero_in: int, zero_out: int, twice: bool, info: Any):
    """The specification's apply_scale_32, in Python's integers."""
    results = []
    for n, value in enumerate(int(v) for v in np.asarray(x).ravel()):
        multiplier = int(np.ravel(scale)[n % np.size(scale)])
        shift = int(np.ravel(bits)[n % np.size(bits)])
        centred = value - zero_in
        rounding = 1 << (shift - 1)
        if twice and shift > 31:
            rounding += (1 << 30) if centred >= 0 else -(1 << 30)
        moved = ((centred * multiplier + rounding) >> shift) + zero_out
        results.append(min(max(moved, info.min), info.max))
    return np.array(results, info.dtype).reshape(np.shape(x))


def rescale(
    x: np.ndarray, scale: np.ndarray, bits: np.ndarray, out: str, mode: str, unsigned: bool = False
) -> Case:
    info = np.iinfo(out.replace("int", "uint") if unsigned else out)
    given = x.view(f"u{x.dtype}") if unsigned else x
    expected = rescaled(given, scale, bits, 3, 5, mode == "DOUBLE_ROUND", info).view(out)
    zero_in, zero_out = np.array([3], x.dtype), np.array([5], out)
    parts = {"m": scale, "s": bits, "zi": zero_in, "zo": zero_out}
    flag = str(unsigned).lower()
    return Case(
        "rescale",
        [x],
        [expected],
        f"scale32 = true, rounding_mode = {mode}, per_channel = "
        f"{str(len(scale) > 1).lower()}, input_unsigned = {flag}, output_unsigned = {flag}",
        **operands(**parts),
        name=f"rescale {x.dtype} to {out} {mode} {len(scale)} {unsigned}",
    )


CHANNELS = integers("int32", 4, low=2**30, high=2**31 - 1)
SCALE = CHANNELS[:1]
SHIFTS = np.array([33, 36, 38, 40], "int8")
RESCALES = [
    rescale(integers("int32", 3, 4, low=-5000, high=5000), SCALE, SHIFTS[:1], "int8", mode)
    for mode in ("SINGLE_ROUND", "DOUBLE_ROUND")
]
RESCALES += [
    rescale(integers("int32", 3, 4), CHANNELS, SHIFTS, "int32", "SINGLE_ROUND"),
    rescale(integers("int8", 3, 4), SCALE, SHIFTS[:1], "int8", "DOUBLE_ROUND", True),
    rescale(integers("int16", 3, 4), SCALE, SHIFTS[:1], "int16", "INEXACT_ROUND"),
]

BLOCK = floats(2, 3, 4)
WITH_NAN = np.array([[1, np.nan, 9, np.nan], [3, 9, 9, -1]], "float32")
TRUTHS = random.integers(0, 2, (3, 4)).astype(bool)
REDUCTIONS = [
    Case(
        f"reduce_{name}",
        [BLOCK],
        [function(BLOCK, axis=axis, keepdims=True)],
        f"axis = {axis} : i32",
        rtol=1e-6,
        name=f"reduce_{name} along {axis}",
    )
    for name, function in (("sum", np.sum), ("product", np.prod), ("max", np.max), ("min", np.min))
    for axis in range(3)
]
REDUCTIONS += [
    Case("reduce_sum", [X[0]], [X[0].sum(keepdims=True)], "axis = 0 : i32", rtol=1e-6),
    Case("reduce_all", [TRUTHS], [np.asarray(TRUTHS.all(1, keepdims=True))], "axis = 1 : i32"),
    Case("reduce_any", [TRUTHS], [np.asarray(TRUTHS.any(0, keepdims=True))], "axis = 0 : i32"),
    Case("reduce_max", [N], [N.max(1, keepdims=True)], "axis = 1 : i32"),
    Case("reduce_max", [WITH_NAN], [WITH_NAN.max(1, keepdims=True)], "axis = 1 : i32"),
    Case(
        "reduce_min",
        [WITH_NAN],
        [np.nanmin(WITH_NAN, 1, keepdims=True)],
        "axis = 1 : i32, nan_mode = IGNORE",
        name="reduce_min that ignores NaN",
    ),
    Case("argmax", [BLOCK], [BLOCK.argmax(1).astype("int32")], "axis = 1 : i32"),
    Case("argmax", [N], [N.argmax(0).astype("int32")], "axis = 0 : i32"),
    Case("argmax", [WITH_NAN], [np.array([1, 1], "int32")], "axis = 1 : i32", name="argmax of NaN"),
    Case(
        "argmax",
        [WITH_NAN],
        [np.array([2, 1], "int32")],
        "axis = 1 : i32, nan_mode = IGNORE",
        name="argmax that ignores NaN",
    ),
]


# Windows -----------------------------------------------------------------------------------------


def windows(
    x: np.ndarray,
    taps: tuple[int, ...],
    pad: tuple[int, ...],
    strides: Any,
    dilations: Any,
    fill: Any,
):
    """Each window of a tensor with channels last, with its place among them."""
    rank = len(taps)
    widths = [(0, 0), *((pad[2 * n], pad[2 * n + 1]) for n in range(rank)), (0, 0)]
    padded = np.pad(x, widths, constant_values=fill)
    counts = [
        (padded.shape[1 + n] - (taps[n] - 1) * dilations[n] - 1) // strides[n] + 1
        for n in range(rank)
    ]
    for place in itertools.product(*map(range, counts)):
        parts = tuple(
            slice(
                place[n] * strides[n],
                place[n] * strides[n] + (taps[n] - 1) * dilations[n] + 1,
                dilations[n],
            )
            for n in range(rank)
        )
        yield place, counts, padded[(slice(None), *parts)]


def convolution(
    op: str,
    x: np.ndarray,
    w: np.ndarray,
    pad: tuple[int, ...],
    strides: Any,
    dilations: Any,
    zeros: tuple[int, int] = (0, 0),
) -> Case:
    rank = len(strides)
    is_depthwise = op == "depthwise_conv2d"
    taps = w.shape[:2] if is_depthwise else w.shape[1:-1]
    wide = np.float64 if x.dtype.kind == "f" else np.int64
    a, b = x.astype(wide), w.astype(wide) - zeros[1]
    features = w.shape[2] * w.shape[3] if is_depthwise else w.shape[0]
    result = np.dtype("float32" if x.dtype.kind == "f" else "int32")
    bias = floats(features) if result == np.float32 else integers("int32", features, low=-9, high=9)
    expected = np.array([])
    for place, counts, window in windows(a, taps, pad, strides, dilations, zeros[0]):
        if not expected.size:
            expected = np.zeros((len(x), *counts, features), wide)
        inner = window - zeros[0]
        if is_depthwise:
            product = np.einsum("nijc,ijcm->ncm", inner, b).reshape(len(x), -1)
        else:
            axes = list(range(1, rank + 2))
            product = np.tensordot(inner, b, (axes, axes))
        expected[(slice(None), *place)] = product + bias
    zero_type = np.dtype(x.dtype)
    parts = {
        "b": bias,
        "zx": np.array([zeros[0]], zero_type),
        "zw": np.array([zeros[1]], zero_type),
    }
    return Case(
        op,
        [x, w],
        [expected.astype(result)],
        f"acc_type = {TYPES.get(str(result), 'i32')}, pad = {array(pad)}, "
        f"stride = {array(strides)}, dilation = {array(dilations)}",
        **operands(**parts),
        rtol=2e-5,
        name=f"{op} {x.dtype} {pad} {strides} {dilations} {zeros}",
    )


IMAGE, BYTE_IMAGE = floats(2, 5, 6, 3), integers("int8", 1, 5, 6, 3)
CONVOLUTIONS = [
    convolution("conv2d", IMAGE, floats(4, 2, 3, 3), (0, 0, 0, 0), (1, 1), (1, 1)),
    convolution("conv2d", IMAGE, floats(4, 3, 2, 3), (1, 1, 0, 1), (2, 1), (1, 2)),
    convolution(
        "conv2d", BYTE_IMAGE, integers("int8", 2, 3, 3, 3), (1, 1, 1, 1), (1, 1), (1, 1), (4, 0)
    ),
    convolution(
        "conv2d", BYTE_IMAGE, integers("int8", 2, 1, 1, 3), (0, 0, 0, 0), (1, 1), (1, 1), (-3, 2)
    ),
    convolution("depthwise_conv2d", IMAGE, floats(3, 2, 3, 2), (1, 1, 0, 0), (1, 2), (1, 1)),
    convolution(
        "depthwise_conv2d",
        BYTE_IMAGE,
        integers("int8", 2, 2, 3, 1),
        (0, 1, 0, 0),
        (1, 1),
        (1, 1),
        (7, 1),
    ),
    convolution(
        "conv3d",
        floats(1, 3, 4, 4, 2),
        floats(3, 2, 2, 2, 2),
        (0, 1, 0, 0, 1, 1),
        (1, 2, 2),
        (1, 1, 1),
    ),
]


def transposed(
    x: np.ndarray, w: np.ndarray, pad: tuple[int, ...], strides: tuple[int, int]
) -> Case:
    features, rows, columns, _ = w.shape
    extents = [
        (x.shape[1 + n] - 1) * strides[n] + pad[2 * n] + pad[2 * n + 1] + w.shape[1 + n]
        for n in range(2)
    ]
    bias = floats(features)
    expected = np.zeros((len(x), *extents, features)) + bias
    for y, z, i, j in itertools.product(*map(range, (x.shape[1], x.shape[2], rows, columns))):
        row, column = y * strides[0] + pad[0] + i, z * strides[1] + pad[2] + j
        if 0 <= row < extents[0] and 0 <= column < extents[1]:
            expected[:, row, column] += x[:, y, z] @ w[:, i, j].T
    zero = np.zeros(1, "float32")
    parts = {"b": bias, "zx": zero, "zw": zero}
    return Case(
        "transpose_conv2d",
        [x, w],
        [expected.astype("float32")],
        f"acc_type = f32, out_pad = {array(pad)}, stride = {array(strides)}",
        **operands(**parts),
        rtol=2e-5,
        name=f"transpose_conv2d {pad} {strides}",
    )


CONVOLUTIONS += [
    transposed(floats(1, 3, 2, 2), floats(3, 2, 3, 2), (0, 0, 0, 0), (1, 1)),
    transposed(floats(1, 3, 2, 2), floats(3, 3, 2, 2), (1, -1, -1, 2), (2, 3)),
]


def product(a: np.ndarray, b: np.ndarray, zeros: tuple[int, int], out: str) -> Case:
    parts = {"za": np.array([zeros[0]], a.dtype), "zb": np.array([zeros[1]], b.dtype)}
    wide = np.int64 if a.dtype.kind == "i" else np.float64
    expected = ((a.astype(wide) - zeros[0]) @ (b.astype(wide) - zeros[1])).astype(out)
    return Case(
        "matmul",
        [a, b],
        [expected],
        **operands(**parts),
        rtol=1e-5 if out == "float32" else 2e-3,
        name=f"matmul {a.dtype} to {out}",
    )


PRODUCTS += [
    product(floats(2, 3, 4), floats(2, 4, 5), (0, 0), "float32"),
    product(
        floats(2, 3, 4).astype("float16"), floats(2, 4, 5).astype("float16"), (0, 0), "float16"
    ),
    product(integers("int8", 2, 3, 4), integers("int8", 2, 4, 5), (3, -7), "int32"),
]


def divided(total: np.ndarray, count: int) -> np.ndarray:
    """The specification's reciprocal_scale and apply_scale_32: away from zero below it."""
    bits = (count - 1).bit_length()
    multiplier, shift = (((1 << 30) + 1) << bits) // count, 30 + bits
    return (total * multiplier + (1 << (shift - 1))) >> shift


def pool(
    op: str, x: np.ndarray, taps: tuple[int, int], pad: tuple[int, ...], strides: Any, **given: Any
):
    is_max = op == "max_pool2d"
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    expected = np.array([])
    for place, counts, window in windows(x, taps, pad, strides, (1, 1), lowest if is_max else 0):
        if not expected.size:
            expected = np.zeros((len(x), *counts, x.shape[3]), np.float64)
        inside = [
            min(place[n] * strides[n] - pad[2 * n] + taps[n], x.shape[1 + n])
            - max(place[n] * strides[n] - pad[2 * n], 0)
            for n in range(2)
        ]
        if is_max:
            reduced = window.max((1, 2))
        elif x.dtype.kind == "i":
            reduced = divided(window.sum((1, 2), dtype=np.int64), math.prod(inside))
        else:
            reduced = window.sum((1, 2), dtype=np.float64) / math.prod(inside)
        expected[(slice(None), *place)] = reduced
    more: dict[str, Any] = {}
    accumulated = ""
    if not is_max:
        more["before"] = [const("z", np.zeros(1, x.dtype))]
        more["more"] = [("z", type_of(np.zeros(1, x.dtype)))] * 2
        accumulated = f", acc_type = {'f32' if x.dtype.kind == 'f' else 'i32'}"
    return Case(
        op,
        [x],
        [expected.astype(x.dtype)],
        f"kernel = {array(taps)}, pad = {array(pad)}, stride = {array(strides)}{accumulated}",
        rtol=1e-6,
        name=f"{op} {x.dtype} {taps} {pad} {strides}",
        **more,
    )


POOLS = [
    pool("max_pool2d", IMAGE, (2, 3), (0, 0, 0, 0), (1, 1)),
    pool("max_pool2d", IMAGE, (3, 2), (1, 1, 1, 1), (2, 2)),
    pool("max_pool2d", BYTE_IMAGE, (2, 2), (1, 0, 0, 0), (1, 2)),
    pool("avg_pool2d", IMAGE, (3, 2), (1, 1, 1, 1), (2, 2)),
    pool("avg_pool2d", BYTE_IMAGE, (3, 3), (1, 1, 1, 1), (1, 1)),
]

SIGNAL = floats(2, 4, 8), floats(2, 4, 8)
SPECTRUM = np.fft.fft2(SIGNAL[0] + 1j * SIGNAL[1])
BACK = np.fft.ifft2(SIGNAL[0] + 1j * SIGNAL[1]) * 32
HALF = np.fft.rfft2(SIGNAL[0])
TRANSFORMS = [
    Case("rfft2d", [SIGNAL[0]], [HALF.real.astype("float32"), HALF.imag.astype("float32")]),
    Case(
        "fft2d",
        list(SIGNAL),
        [SPECTRUM.real.astype("float32"), SPECTRUM.imag.astype("float32")],
        "inverse = false",
    ),
    Case(
        "fft2d",
        list(SIGNAL),
        [BACK.real.astype("float32"), BACK.imag.astype("float32")],
        "inverse = true",
        name="fft2d, inverse",
    ),
]


# Data --------------------------------------------------------------------------------------------


def shaped(op: str, x: np.ndarray, expected: np.ndarray, *lists: list[int], name: str = "") -> Case:
    return Case(
        op,
        [x],
        [np.ascontiguousarray(expected)],
        before=[shape(f"s{n}", *numbers) for n, numbers in enumerate(lists)],
        more=[(f"s{n}", f"!tosa.shape<{len(numbers)}>") for n, numbers in enumerate(lists)],
        name=name or f"{op} {x.shape} {lists}",
    )


ROWS, TAKEN = floats(2, 5, 3), np.array([[4, 0, 2, 2], [1, 1, 3, 0]], "int32")
PUT, PLACES = floats(2, 3, 3), np.array([[4, 0, 2], [1, 3, 0]], "int32")
SCATTERED = ROWS.copy()
for batch, places in enumerate(PLACES):
    SCATTERED[batch, places] = PUT[batch]
DATA = [
    Case("concat", [X, Y], [np.concatenate([X, Y], 1)], "axis = 1 : i32"),
    Case("concat", [X, Y, ROW], [np.concatenate([X, Y, ROW], 0)], "axis = 0 : i32"),
    Case("reverse", [BLOCK], [BLOCK[:, ::-1].copy()], "axis = 1 : i32"),
    Case(
        "transpose",
        [BLOCK],
        [BLOCK.transpose(2, 0, 1).copy()],
        "perms = array<i32: 2, 0, 1>",
    ),
    shaped("reshape", BLOCK, BLOCK.reshape(6, 4), [6, 4]),
    shaped("reshape", BLOCK, BLOCK.reshape(4, 6), [4, 6]),
    shaped("reshape", BLOCK, BLOCK.reshape(2, 3, 1, 2, 2), [2, 3, 1, 2, 2]),
    shaped("reshape", BLOCK, BLOCK.reshape(24), [24]),
    shaped("reshape", X[:1, :1], X[:1, :1].reshape(()), [], name="reshape to a scalar"),
    shaped("slice", BLOCK, BLOCK[1:, :2, 1:3], [1, 0, 1], [1, 2, 2]),
    shaped("tile", BLOCK, np.tile(BLOCK, (1, 3, 2)), [1, 3, 2]),
    Case(
        "pad",
        [X],
        [np.pad(X, ((1, 0), (2, 3)), constant_values=2.5)],
        before=[shape("p", 1, 0, 2, 3), const("c", np.array([2.5], "float32"))],
        more=[("p", "!tosa.shape<4>"), ("c", "tensor<1xf32>")],
    ),
    Case("gather", [ROWS, TAKEN], [np.stack([r[t] for r, t in zip(ROWS, TAKEN, strict=True)])]),
    Case(
        "gather",
        [ROWS, np.array([[-7, 9], [5, -1]], "int32")],
        [np.stack([ROWS[0][[0, 4]], ROWS[1][[4, 0]]])],
        name="gather outside",
    ),
    Case("scatter", [ROWS, PLACES, PUT], [SCATTERED]),
    Case(
        "scatter",
        [ROWS, np.array([[-1, 5, 2**31 - 1]] * 2, "int32"), PUT],
        [ROWS],
        name="scatter outside",
    ),
]


def resize(
    x: np.ndarray, scale: list[int], offset: list[int], border: list[int], mode: str
) -> Case:
    """The specification's loop, an element of the result at a time."""
    result = x.dtype if mode != "BILINEAR" or x.dtype.kind == "f" else np.dtype("int32")
    counts = [
        ((x.shape[1 + n] - 1) * scale[2 * n] - offset[n] + border[n]) // scale[2 * n + 1] + 1
        for n in range(2)
    ]
    expected = np.zeros((len(x), *counts, x.shape[3]), np.float64)
    for place in itertools.product(*map(range, counts)):
        close, far, share = [], [], []
        for n in range(2):
            at = place[n] * scale[2 * n + 1] + offset[n]
            first, last = at // scale[2 * n], x.shape[1 + n] - 1
            close.append(min(max(first, 0), last))
            far.append(min(max(first + 1, 0), last))
            share.append(at - first * scale[2 * n])
        if mode == "BILINEAR":
            units = [scale[0], scale[2]]
            total = 0.0
            for down, across in itertools.product((0, 1), repeat=2):
                row, column = (close, far)[down][0], (close, far)[across][1]
                weight = (share[0] if down else units[0] - share[0]) * (
                    share[1] if across else units[1] - share[1]
                )
                total = total + x[:, row, column].astype(np.float64) * weight
            if x.dtype.kind == "f":
                total = total / (units[0] * units[1])
            expected[(slice(None), *place)] = total
        else:
            row, column = (far[n] if 2 * share[n] >= scale[2 * n] else close[n] for n in range(2))
            expected[(slice(None), *place)] = x[:, row, column]
    lists = {"sc": scale, "of": offset, "bo": border}
    return Case(
        "resize",
        [x],
        [expected.astype(result)],
        f"mode = {mode}",
        before=[shape(name, *numbers) for name, numbers in lists.items()],
        more=[(name, f"!tosa.shape<{len(numbers)}>") for name, numbers in lists.items()],
        rtol=1e-5,
        name=f"resize {x.dtype} {scale} {offset} {border} {mode}",
    )


RESIZED = [
    resize(floats(1, 3, 4, 2), [2, 1, 2, 1], [0, 0], [0, 0], "NEAREST_NEIGHBOR"),
    resize(floats(1, 3, 4, 2), [4, 2, 4, 2], [-1, -1], [1, 1], "NEAREST_NEIGHBOR"),
    resize(floats(1, 3, 4, 2), [4, 2, 6, 2], [-1, -2], [1, 2], "BILINEAR"),
    resize(integers("int8", 1, 3, 4, 2), [4, 2, 4, 2], [-1, -1], [1, 1], "BILINEAR"),
]

SUMS = {"conv2d", "conv3d", "depthwise_conv2d", "transpose_conv2d", "fft2d", "rfft2d"}
SUMS |= {"resize", "matmul"}
"""The ops that add numbers of both signs."""

CASES = [
    *UNARY,
    *BINARY,
    *PRODUCTS,
    *CASTS,
    *OTHERS,
    *QUANTISED,
    *RESCALES,
    *REDUCTIONS,
    *CONVOLUTIONS,
    *POOLS,
    *TRANSFORMS,
    *DATA,
    *RESIZED,
]


def compare(results: list[np.ndarray], case: Case) -> None:
    for result, expected in zip(results, case.expected, strict=True):
        assert result.shape == expected.shape
        atol = 1e-5 if case.op.endswith(("conv2d", "conv3d", "fft2d", "resize", "matmul")) else 0
        np.testing.assert_allclose(
            result, expected, rtol=case.rtol, atol=atol if case.rtol or "fft" in case.op else 0
        )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_op(case: Case):
    module = kc.IRModule.parse(case.text())
    RaiseToTirPass().apply(Context(), module.op)
    module.op.verify()
    results = [np.full(expected.shape, 77).astype(expected.dtype) for expected in case.expected]
    run(module.op, "f", [*case.inputs, *results])
    compare(results, case)


TO_COMPILE = ("rescale int32", "conv2d float32", "avg_pool2d int8", "cast f32", "scatter outside")
TO_COMPILE += ("transpose_conv2d (1", "argmax of")
NATIVE = [case for case in CASES if str(case).startswith(TO_COMPILE)]


@pytest.mark.parametrize("case", NATIVE, ids=str)
def test_natively(case: Case):
    results = kc.build(kc.IRModule.parse(case.text()))(*case.inputs)
    compare([np.asarray(results)] if len(case.expected) == 1 else [*map(np.asarray, results)], case)


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in (BINARY[0], PRODUCTS[3], CONVOLUTIONS[1], POOLS[1], REDUCTIONS[1], OTHERS[1])
    ],
    ids=str,
)
def test_a_batch_whose_size_is_known_at_the_call(case: Case):
    result = np.asarray(kc.build(kc.IRModule.parse(case.text(dynamic=True)))(*case.inputs))
    compare([result], case)


def test_every_op_has_a_case():
    assert OPS.keys() - {case.op for case in CASES} == {"const_shape"}


VARIABLES = """
tosa.variable @count : tensor<i32>
tosa.variable @last = dense<[1.0, 2.0]> : tensor<2xf32>
func.func @f(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
  %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %c = tosa.variable_read @count : tensor<i32>
  %l = tosa.variable_read @last : tensor<2xf32>
  tosa.variable_write @last, %a : tensor<2xf32>
  %d = tosa.add %c, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tosa.variable_write @count, %d : tensor<i32>
  return %l, %d : tensor<2xf32>, tensor<i32>
}
"""


def test_variables_keep_their_elements_between_calls():
    function = kc.build(kc.IRModule.parse(VARIABLES))
    for number, last in ((1, [1, 2]), (2, [5, 5]), (3, [6, 6])):
        before, count = function(np.full(2, number + 4, np.float32))
        np.testing.assert_array_equal(before, last)
        assert count == number


def test_the_sizes_of_a_variable_are_known():
    text = VARIABLES.replace("@last = dense<[1.0, 2.0]> : tensor<2xf32>", "@last : tensor<?xf32>")
    module = kc.IRModule.parse(text, "step.mlir")
    with pytest.raises(KCError) as error:
        kc.build(module)
    assert str(error.value) == (
        "error[KC4557]: tosa-to-linalg: tosa.variable is not converted\n"
        "  --> step.mlir:3:1\n"
        "   |  it is tensor<?xf32>\n"
        "  why: the sizes of a variable must be known at compile time"
    )
    assert "tosa.variable_read @last" in module.script()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "@last : tensor",
            "@first : tensor",
            "tosa.variable_read: there is no tosa.variable @first",
        ),
        (
            "@count : tensor<i32>",
            "@count : tensor<1xi32>",
            "tosa.variable_read: @count is tensor<1xi32>, and not tensor<i32>",
        ),
    ],
)
def test_variables_are_declared(old: str, new: str, message: str):
    with pytest.raises(KCError) as error:
        kc.IRModule.parse(VARIABLES.replace(old, new, 1))
    assert str(error.value).splitlines()[0] == f"error[KC1101]: {message}"


@pytest.mark.parametrize(
    ("given", "sizes", "result"),
    [
        ("?x2x3", [3, -1], "3x?"),
        ("?x6", [-1, 2, 3], "?x2x3"),
        ("?x2x3", [-1], "?"),
        ("?x2x3", [2, 2, -1], "2x2x?"),
        ("?x?x3", [4, 6], "4x6"),
        ("4x2x3", [-1, 8], "?x8"),
    ],
)
def test_reshape_to_a_size_that_follows(given: str, sizes: list[int], result: str):
    text = f"""
      func.func @f(%x: tensor<{given}xf32>) -> tensor<{result}xf32> {{
        {shape("s", *sizes)}
        %0 = tosa.reshape %x, %s
          : (tensor<{given}xf32>, !tosa.shape<{len(sizes)}>) -> tensor<{result}xf32>
        return %0 : tensor<{result}xf32>
      }}
    """
    extents = [4 if size == "?" else int(size) for size in given.split("x")]
    extents[1:2] = [2] if given == "?x?x3" else extents[1:2]
    x = np.arange(math.prod(extents), dtype=np.float32).reshape(extents)
    np.testing.assert_array_equal(kc.build(kc.IRModule.parse(text))(x), x.reshape(sizes))


def test_reshape_to_a_size_that_does_not_follow():
    text = f"""
      func.func @f(%x: tensor<?x3xf32>) -> tensor<?x5xf32> {{
        {shape("s", -1, 5)}
        %0 = tosa.reshape %x, %s : (tensor<?x3xf32>, !tosa.shape<2>) -> tensor<?x5xf32>
        return %0 : tensor<?x5xf32>
      }}
    """
    built = kc.build(kc.IRModule.parse(text, "f.mlir"))
    x = np.arange(30, dtype=np.float32).reshape(10, 3)
    np.testing.assert_array_equal(built(x), x.reshape(6, 5))
    with pytest.raises(KCError) as caught:
        built(x[:4])
    assert str(caught.value) == (
        "error[KC5132]: f: the sizes of its arguments do not fit: "
        "3 * x_0 == 5 * ((x_0 * 3) floordiv 5) does not hold\n"
        "   |  x_0 is 4, from argument 1 'x'\n"
        "  why: tensor.expand_shape (f.mlir:4:9) keeps the number of elements"
    )
