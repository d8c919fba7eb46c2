"""The scalar functions of te against numpy, over ordinary and special values, three ways to run."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false

import math

import numpy as np
import pytest

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.error import KCError

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-40, -1e-45, 3e38, math.inf, -math.inf, math.nan]


def results(function, *arrays):
    """The results of ``function`` of elements: interpreted and compiled."""
    for (result,) in results_of_all([function], *arrays):
        yield result


def results_of_all(functions, *arrays):
    """The results of each function, which are all of one module."""
    size = arrays[0].size
    inputs = [
        te.placeholder((size,), array.dtype.name, name=f"A{n}") for n, array in enumerate(arrays)
    ]

    def computed(function):
        return te.compute((size,), lambda i: function(*(tensor[i] for tensor in inputs)), name="B")

    outs = [computed(function) for function in functions]
    args = [*inputs, *outs]
    mod = kc.lower(te.create_schedule([out.op for out in outs]), args)
    s = te.create_schedule([out.op for out in outs])
    for out in outs:
        s[out].vectorize(s[out].split(out.op.axis[0], factor=8)[1])
    for call in (
        lambda *given: run(mod.op, "main", list(given)),
        kc.build(mod),
        kc.build(s, args),
    ):
        results = [np.full(size, 1, out.dtype) for out in outs]
        call(*arrays, *results)
        yield results


def close(result, expected, ulps, what=""):
    """Equal, or that many units in the last place apart; NaN where expected; signs of zero."""
    expected = expected.astype(result.dtype)
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected), what)
    rest = ~np.isnan(expected)
    with np.errstate(all="ignore"):
        near = np.abs(result - expected) <= ulps * np.spacing(np.abs(expected))
    assert (near | (result == expected))[rest].all(), (what, result, expected)
    zero = (expected == 0) & (result == 0)
    np.testing.assert_array_equal(np.signbit(result)[zero], np.signbit(expected)[zero], what)


UNARY = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh,
    "atan": np.arctan, "atanh": np.arctanh, "cosh": np.cosh, "sinh": np.sinh,
    "nearbyint": np.rint, "exp10": lambda x: 10.0**x, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "sqrt": np.sqrt, "abs": np.abs, "exp": np.exp, "log": np.log,
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_unary(dtype):
    x = np.array([*SPECIAL, 0.3, -0.7, 2.0, 20.25, -3.5, 0.999], dtype)
    with np.errstate(all="ignore"):
        expected = {name: function(x.astype(np.float64)) for name, function in UNARY.items()}
        expected = {name: values.astype(dtype) for name, values in expected.items()}
    for computed in results_of_all([getattr(te, name) for name in UNARY], x):
        for name, result in zip(UNARY, computed, strict=True):
            close(result, expected[name], 4, name)


BINARY = {
    "atan2": np.arctan2, "copysign": np.copysign, "fmod": np.fmod, "power": np.power,
    "hypot": np.hypot, "nextafter": np.nextafter,
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_binary(dtype):
    values = np.array([*SPECIAL, 2.0, -3.25, 1e30], dtype)
    x, y = (grid.ravel().copy() for grid in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        expected = {name: function(x, y) for name, function in BINARY.items()}
    for computed in results_of_all([getattr(te, name) for name in BINARY], x, y):
        for name, result in zip(BINARY, computed, strict=True):
            exact = name in ("copysign", "fmod", "nextafter")
            close(result, expected[name], 0 if exact else 4, name)


def test_ldexp():
    x = np.array([1.0, -3.0, 1.5e-30, 1e30, 0.0, math.inf, 1.0], np.float32)
    e = np.array([10, -20, 120, -100, 7, 3, -149], np.int32)
    for result in results(te.ldexp, x, e):
        close(result, np.ldexp(x, e), 1)


@pytest.mark.parametrize(
    ("name", "expected"), [("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)]
)
def test_classes(name, expected):
    x = np.array(SPECIAL, np.float32)
    for result in results(getattr(te, name), x):
        np.testing.assert_array_equal(result, expected(x))


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def integers(dtype):
    info = np.iinfo(dtype)
    some = {info.min, info.max, 0, 1, 2, 5, info.max // 3, info.min // 3 if info.min else 77}
    return np.array(sorted(some), dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits(dtype):
    x = integers(dtype)
    width = x.itemsize * 8
    plain = [int(value) % (1 << width) for value in x]
    for ones, zeros, inverse in results_of_all([te.popcount, te.clz, te.bitwise_not], x):
        np.testing.assert_array_equal(ones, [value.bit_count() for value in plain])
        assert zeros.dtype == np.int32
        np.testing.assert_array_equal(zeros, [width - value.bit_length() for value in plain])
        np.testing.assert_array_equal(inverse, ~x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts(dtype):
    width = np.dtype(dtype).itemsize * 8
    x = integers(dtype)
    distances = np.array([0, 1, width - 1, width, width + 5 if width < 64 else 100], dtype)
    a, b = (grid.ravel().copy() for grid in np.meshgrid(x, distances))
    # From first principles: numbers without a width, cut to it.
    low = np.iinfo(dtype).min
    left = [(int(p) << int(q)) % (1 << width) if q < width else 0 for p, q in zip(a, b)]  # noqa: B905
    left = [value - (1 << width) if low and value >= 1 << (width - 1) else value for value in left]
    right = [int(p) >> int(q) for p, q in zip(a, b)]  # noqa: B905
    for shifted, result in results_of_all([lambda p, q: p << q, lambda p, q: p >> q], a, b):
        np.testing.assert_array_equal(shifted, np.array(left, dtype))
        np.testing.assert_array_equal(result, np.array(right, dtype))


@pytest.mark.parametrize("name", ["ceildiv", "div", "floordiv", "floormod", "truncdiv", "truncmod"])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_divisions_exhaustively(name, dtype):
    info = np.iinfo(dtype)
    values = np.arange(info.min, info.max + 1)
    a, b = (grid.ravel() for grid in np.meshgrid(values, values[values != 0]))
    if info.min:  # the one quotient that does not fit
        keep = ~((a == info.min) & (b == -1))
        a, b = a[keep], b[keep]
    down = a // b
    toward = np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))
    expected = {
        "ceildiv": -(-a // b), "div": toward, "floordiv": down, "floormod": a - b * down,
        "truncdiv": toward, "truncmod": a - b * toward,
    }[name]  # fmt: skip
    x, y = a.astype(dtype), b.astype(dtype)
    _, *compiled = results(getattr(te, name), x[:0], y[:0]) if x.size == 0 else (None,)
    inputs = [te.placeholder((x.size,), dtype, name=operand) for operand in "xy"]
    out = te.compute((x.size,), lambda i: getattr(te, name)(inputs[0][i], inputs[1][i]), name="B")
    result = np.empty(x.size, dtype)
    kc.build(te.create_schedule(out.op), [*inputs, out])(x, y, result)
    np.testing.assert_array_equal(result, expected.astype(dtype))


def test_reinterpret():
    x = np.array(SPECIAL, np.float32)
    for result in results(lambda value: te.reinterpret("int32", value), x):
        np.testing.assert_array_equal(result, x.view(np.int32))
    back = x[:-1].view(np.uint32)
    for result in results(lambda value: te.reinterpret("float32", value), back.copy()):
        np.testing.assert_array_equal(result, x[:-1])


@pytest.mark.parametrize(
    ("source", "target"), [("float16", "bfloat16"), ("float8_e5m2", "float8_e4m3fn")]
)
def test_reinterpret_between_formats_of_one_width(source: str, target: str):
    """It takes the bits: that of the value would be ``astype``."""
    bits = np.arange(64, dtype="uint16" if "16" in source else "uint8") + 40
    x = te.placeholder(bits.shape, source, name="X")
    out = te.compute(bits.shape, lambda i: te.reinterpret(target, x[i]), name="B")
    for options in ("llvm", "c"):
        result = kc.nd.array(np.zeros_like(bits), dtype=target)
        kernel = kc.build(te.create_schedule(out.op), [x, out], target=options)
        given = bits.view("float16") if source == "float16" else kc.nd.array(bits, dtype=source)
        kernel(given, result)
        np.testing.assert_array_equal(result.numpy().view(bits.dtype), bits)


def test_q_multiply_shift():
    x = np.array([0, 1, -1, 1000, -1000, 2**30, -(2**31), 2**31 - 1], np.int32)
    y = np.array([2**30, 2**31 - 1, 2**30 + 12345, -(2**30), 3, 2**29, 2**30, 2**30], np.int32)
    for s in (0, 1, 5, -2):
        exact = [int(a) * int(b) * 2 ** max(-s, 0) for a, b in zip(x, y, strict=True)]
        total = 31 + max(s, 0)
        expected = np.array([(product + (1 << total - 1)) >> total for product in exact])
        fits = np.abs(expected) < 2**31
        for result in results(lambda a, b, s=s: te.q_multiply_shift(a, b, 31, s), x, y):
            np.testing.assert_array_equal(result[fits], expected[fits])


REFUSED = [
    (lambda x, i: te.popcount(x), "error[KC2006]: popcount of float32 values"),
    (lambda x, i: te.power(i > 0, i > 1), "error[KC2006]: power of bool values"),
    (lambda x, i: te.power(i, -2), "error[KC2317]: int32 to the power of -2"),
    (lambda x, i: x << 1, "error[KC2006]: a shift of float32 values"),
    (lambda x, i: te.acos(i), "error[KC2006]: acos of int32 values"),
    (lambda x, i: te.reinterpret("int64", x), "error[KC2062]: reinterpret: float32 as int64"),
]


@pytest.mark.parametrize(("make", "title"), REFUSED)
def test_refusals(make, title):
    x = te.placeholder((4,), name="X")
    with pytest.raises(KCError) as caught:
        te.compute((4,), lambda i: make(x[i], i + 0), name="B")
    assert str(caught.value).splitlines()[0] == title
