"""The operators of two tensors and of one, over all types and special values, against numpy."""

import itertools
import operator

import numpy as np
import pytest
from topi_cases import EPSILON, Program, np_dtype

from kc import te, topi
from kc.error import KCError
from kc.expr.dtypes import FLOATS, INTS, UINTS
from kc.topi import testing
from kc.topi.table import TABLE

TWO = [name for name, row in TABLE.items() if row.family == "broadcast" and name != "broadcast_to"]
ALWAYS = ("bool", "int8", "uint8", "int32", "float16", "float32", "float64")
TYPES = [
    pytest.param(dtype, marks=() if dtype in ALWAYS else pytest.mark.sweep)
    for dtype in (*FLOATS, *INTS, *UINTS, "bool")
]
STEPS = ("floor_divide", "trunc_divide")
"""Operators that round more than once, so that float32's result is not that of a narrow type."""


def special(dtype: str) -> np.ndarray:
    """The edges of a type."""
    if dtype == "bool":
        return np.array([False, True])
    if dtype in FLOATS:
        values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 7.0, np.nan, np.inf, -np.inf]
        if dtype in ("float32", "float64"):
            info = np.finfo(dtype)
            values += [float(info.max), float(info.min), float(info.smallest_subnormal)]
        return np.array(values).astype(np_dtype(dtype))
    info = np.iinfo(dtype)
    return np.unique(
        np.array([info.min, info.min + (info.min < 0), 0, 1, 2, 3, 5, info.max], dtype)
    )


def wrapped(values: list[int], dtype: np.dtype) -> np.ndarray:
    """Whole numbers as a type of integers has them."""
    width = dtype.itemsize * 8
    low = -(1 << (width - 1)) if dtype.kind == "i" else 0
    return np.array([(value - low) % (1 << width) + low for value in values], dtype)


def integers(name: str, a: int, b: int, width: int) -> int:
    """An operator of integers by its definition, without an end to the numbers."""
    if name in ("divide", "trunc_divide"):
        return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    if name in ("mod", "trunc_mod"):
        return 0 if b == 0 else a - b * integers("divide", a, b, width)
    if name == "power":
        if b < 0:
            return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)
        return pow(a, b, 1 << width)
    beyond = not 0 <= b < width
    if name == "left_shift":
        return 0 if beyond else a << b
    return (-1 if a < 0 else 0) if beyond else a >> b


BY_HAND = ("divide", "trunc_divide", "mod", "trunc_mod", "power", "left_shift", "right_shift")


def reference(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind in "iu" and name in BY_HAND:
        width = a.dtype.itemsize * 8
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        return wrapped([integers(name, x, y, width) for x, y in pairs], a.dtype)
    if name == "trunc_divide":
        return np.trunc(a / b)
    if str(a.dtype) not in EPSILON or a.dtype.itemsize >= 4:
        return getattr(np, TABLE[name].numpy)(a, b)
    result = getattr(np, TABLE[name].numpy)(a.astype("float32"), b.astype("float32"))
    return result if result.dtype == bool else result.astype(a.dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_of_two(dtype: str):
    """All pairs of special values, of all operators in one program."""
    values = special(dtype)
    pairs = zip(*itertools.product(values, values), strict=True)
    a, b = (np.array(side, values.dtype) for side in pairs)
    tensors = [te.placeholder(a.shape, dtype, name) for name in "AB"]
    names = [name for name in TWO if dtype in TABLE[name].types]
    call = Program(tensors, [a, b], [TABLE[name].function(*tensors) for name in names])
    with np.errstate(all="ignore"):
        for name, result in zip(names, call.interpreted(), strict=True):
            if name in STEPS and dtype in FLOATS and values.dtype.itemsize < 4:
                continue
            if dtype.startswith("float8") and result.dtype != bool:
                continue  # what overflows differs between numpy's ml_dtypes and IEEE's rule
            wanted = reference(name, a, b)
            close = 4 * EPSILON.get(dtype, 0) if name in ("power", "atan2") else 0
            np.testing.assert_allclose(
                result.astype("float64") if dtype in FLOATS else result,
                wanted.astype("float64") if dtype in FLOATS else wanted,
                rtol=close, err_msg=f"{name} of {dtype}",
            )  # fmt: skip


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_of_two_natively(dtype: str):
    values = special(dtype)
    pairs = zip(*itertools.product(values, values), strict=True)
    a, b = (np.array(side, values.dtype) for side in pairs)
    tensors = [te.placeholder(a.shape, dtype, name) for name in "AB"]
    names = ["divide", "floor_divide", "mod", "floor_mod", "power", "maximum", "less_equal"]
    call = Program(tensors, [a, b], [TABLE[name].function(*tensors) for name in names])
    with np.errstate(all="ignore"):
        for name, result in zip(names, call.native(), strict=True):
            np.testing.assert_allclose(
                result, reference(name, a, b), rtol=3e-7 if name == "power" else 0, err_msg=name
            )


def test_powers_of_constants():
    data = np.array([-3, -1, 0, 1, 2, 7], "int32")
    x = te.placeholder((6,), "int32", "X")
    results = Program([x], [data], [topi.power(x, 0), topi.power(x, 5), topi.power(2, x)])
    zero, five, two = results.interpreted()
    np.testing.assert_array_equal(zero, data**0)
    np.testing.assert_array_equal(five, data**5)
    np.testing.assert_array_equal(two, [0, 0, 1, 2, 4, 128])


SHAPES = [
    ((), ()), ((), (3,)), ((1,), (7,)), ((0,), (1,)), ((0, 3), (3,)), ((2, 1, 5), (3, 1)),
    ((8,), (2, 1, 3, 1, 8)), ((1, 1), (4, 7)), ((2, 3, 1, 1, 2), (1, 4, 5, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_shapes_are_broadcast(left, right):
    generator = np.random.default_rng(0)
    for shapes in ((left, right), (right, left)):
        a, b = (generator.integers(-5, 5, shape).astype("float32") for shape in shapes)
        x, y = te.placeholder(a.shape, name="X"), te.placeholder(b.shape, name="Y")
        call = Program([x, y], [a, b], [topi.subtract(x, y), topi.greater(x, y)])
        difference, larger = call.interpreted()
        np.testing.assert_array_equal(difference, a - b)
        np.testing.assert_array_equal(larger, a > b)


@pytest.mark.parametrize(("left", "right"), [((4, 3), (4, 3)), ((4, 3), (4, 1))])
def test_sizes_that_the_call_tells(left, right):
    """Two sizes by different names are equal, or the second is 1."""
    x = te.placeholder((te.var("n"), te.var("m")), name="X")
    y = te.placeholder((te.var("k"), te.var("l")), name="Y")
    a = np.arange(np.prod(left), dtype="float32").reshape(left)
    b = np.arange(np.prod(right), dtype="float32").reshape(right) * 10
    (result,) = Program([x, y], [a, b], [topi.add(x, y)]).interpreted()
    np.testing.assert_array_equal(result, a + b)


def test_mixed_with_scalars():
    data = np.array([1.5, -2.0, 3.0], "float32")
    x = te.placeholder((3,), name="X")
    scale = te.var("s", "float32")
    outputs = [
        topi.add(x, 1), topi.subtract(2, x), topi.maximum(0.0, x), topi.multiply(x, scale),
        -x * 2 + x, x > 1,
    ]  # fmt: skip
    import kc
    from kc.analysis.interpreter import run

    module = kc.lower(te.create_schedule([tensor.op for tensor in outputs]), [x, scale, *outputs])
    results = [np.zeros(3, tensor.dtype) for tensor in outputs]
    run(module.op, "main", [data, 0.5, *results])
    wanted = [data + 1, 2 - data, np.maximum(0, data), data * 0.5, -data, data > 1]
    for result, want in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result, want)
    assert str(topi.add(te.const(2), te.const(3))) == "2 + 3"


PLAIN = [
    name
    for name, row in TABLE.items()
    if row.family == "elementwise" and row.example.startswith(f"{name}(T(4, 3, dtype=")
]
BOUNDS = {
    "acosh": (1.0, 100.0), "log": (1e-3, 1e3), "log2": (1e-3, 1e3), "log10": (1e-3, 1e3),
    "sqrt": (0.0, 1e3), "rsqrt": (1e-3, 1e3), "acos": (-1, 1), "asin": (-1, 1),
    "atanh": (-0.99, 0.99),
    "ceil_log2": (1, 1000),
}  # fmt: skip
REFERENCES = {
    "rsqrt": lambda x: 1 / np.sqrt(x), "erf": testing.erf_python,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "ceil_log2": lambda x: np.ceil(np.log2(x)),
    "fast_exp": np.exp, "fast_tanh": np.tanh, "fast_erf": testing.erf_python,
}  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_of_one(dtype: str):
    """Ordinary and special values, of all operators in one program."""
    names = [name for name in PLAIN if dtype in TABLE[name].types]
    generator = np.random.default_rng(1)
    arrays = []
    for name in names:
        low, high = BOUNDS.get(name, (-5, 5))
        low = max(low, 0) if dtype.startswith("uint") else low
        high = min(high, 100) if dtype == "int8" else high
        drawn = np.append(generator.uniform(low, high, 40), [1, 1]).astype(np_dtype(dtype))
        arrays.append(np.append(drawn, special(dtype)[-8:]) if name not in BOUNDS else drawn)
    tensors = [te.placeholder(array.shape, dtype, f"A{n}") for n, array in enumerate(arrays)]
    outputs = [TABLE[name].function(x) for name, x in zip(names, tensors, strict=True)]
    with np.errstate(all="ignore"):
        results = Program(tensors, arrays, outputs).interpreted()
        for name, data, result in zip(names, arrays, results, strict=True):
            source = data.astype("float64") if dtype in FLOATS else data
            function = REFERENCES.get(name) or getattr(np, TABLE[name].numpy)
            wanted = function(source)
            if dtype in FLOATS and wanted.dtype != bool:
                wanted = wanted.astype(data.dtype).astype("float64")
            units = 4 if name == "sigmoid" else 2
            if name in ("isinf", "isfinite") and dtype == "float8_e4m3fn":
                wanted = function(source)
            np.testing.assert_allclose(
                result.astype("float64") if dtype in FLOATS else result,
                wanted,
                rtol=2 * units * EPSILON.get(dtype, 0.125 if dtype in FLOATS else 0),
                atol=0 if dtype != "float16" else 1e-7,
                err_msg=f"{name} of {dtype}",
            )


@pytest.mark.parametrize("name", ["fast_exp", "fast_tanh", "fast_erf"])
def test_fast_functions(name: str):
    """Within the documented units of float32; never NaN or infinite but for NaN."""
    limit = {"fast_exp": 87.3, "fast_tanh": 9.0, "fast_erf": 4.0}[name]
    units = {"fast_exp": 4, "fast_tanh": 8, "fast_erf": 8}[name]
    data = np.linspace(-limit, limit, 4001).astype("float32")
    beyond = np.array([np.inf, -np.inf, 3e38, -3e38, 1e4, -1e4, 89.0, np.nan], "float32")
    x = te.placeholder((4009,), name="X")
    array = np.append(data, beyond)
    (result,) = Program([x], [array], [TABLE[name].function(x)]).native()
    exact = REFERENCES[name](data.astype("float64"))
    error = np.abs(result[:4001] - exact) / np.spacing(np.abs(exact).astype("float32"))
    assert error.max() <= units
    assert np.isfinite(result[:-1]).all()
    assert np.isnan(result[-1])


def test_clip():
    data = np.array([-np.inf, -3, 0.5, np.nan, 9], "float32")
    x, y = te.placeholder((5,), name="X"), te.placeholder((4,), "uint8", "Y")
    small = np.array([0, 3, 200, 255], "uint8")
    outputs = [
        topi.clip(x, -1.0, 2),
        topi.clip(x, 2, -1),
        topi.clip(y, -5, 300),
        topi.clip(y, 2, 7),
    ]
    near, turned, all_of_it, some = Program([x, y], [data, small], outputs).interpreted()
    np.testing.assert_array_equal(near, [-1, -1, 0.5, np.nan, 2])
    np.testing.assert_array_equal(turned, [2, 2, 2, np.nan, 2])  # a_min wins
    np.testing.assert_array_equal(all_of_it, small)
    np.testing.assert_array_equal(some, [2, 3, 7, 7])


def test_casts_bits_and_constants():
    data = np.array([0.0, -0.0, 2.9, -2.9, np.nan], "float32")
    x = te.placeholder((5,), name="X")
    outputs = [
        topi.cast(x, "bool"), topi.cast(te.compute((4,), lambda i: x[i]), "int32"),
        topi.reinterpret(x, "int32"), topi.full((2, 3), "int8", 7), topi.full_like(x, 1.5),
        topi.full((), "bool", 1), topi.elemwise_sum([x, x, x]), topi.elemwise_sum([x]),
        topi.identity(x),
    ]  # fmt: skip
    results = Program([x], [data], outputs).interpreted()
    wanted = [
        data != 0, [0, 0, 2, -2], data.view("int32"), np.full((2, 3), 7), np.full(5, 1.5), True,
        data + data + data, data, data,
    ]  # fmt: skip
    for result, want in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result, want)


def test_fixed_point_multiply():
    data = np.array([-(2**31), -7, -1, 0, 1, 5, 1000, 2**31 - 1], "int32")
    x = te.placeholder((8,), "int32", "X")
    outputs = [topi.fixed_point_multiply(x, 1 << 30, 0), topi.fixed_point_multiply(x, 3 << 28, -2)]
    half, small = Program([x], [data], outputs).interpreted()
    wide = data.astype(object)
    np.testing.assert_array_equal(half, [(v * (1 << 30) + (1 << 30)) >> 31 for v in wide])
    np.testing.assert_array_equal(small, [(v * (3 << 28) + (1 << 32)) >> 33 for v in wide])


REALS = (
    [1, -1, 7.5, -7.5, 0.0, -0.0, np.inf, 5, np.nan], [0.1, 0.1, -2, 2, -3, 3, 2, np.inf, 1]
)  # fmt: skip
SIGNS = {
    "float32": REALS,
    "float16": REALS,
    "int32": ([7, -7, 7, -7, 0, 5, 100, -100, 3], [2, 2, 3, 3, 3, 9, 7, 7, 1]),
    "uint8": ([7, 200, 255, 3, 0, 5, 100, 9, 3], [2, 2, 2, 3, 3, 9, 7, 7, 1]),
}  # fmt: skip
OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.pow,
    operator.lt, operator.le, operator.gt, operator.ge,
]  # fmt: skip
OF_BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]


@pytest.mark.parametrize("dtype", SIGNS)
def test_operators_of_tensors_are_numpys(dtype: str):
    """Of two tensors, and of a tensor and a number on either side."""
    a, b = (np.array(values, dtype) for values in SIGNS[dtype])
    x, y = te.placeholder(a.shape, dtype, "X"), te.placeholder(b.shape, dtype, "Y")
    functions = [*OPERATORS, *(OF_BITS if dtype not in FLOATS else [])]
    if dtype in FLOATS:
        functions.append(operator.truediv)
    pairs = [(f, *pair) for f in functions for pair in ((x, y), (x, 2), (2, y))]
    call = Program([x, y], [a, b], [f(left, right) for f, left, right in pairs])
    of: dict[object, np.ndarray] = {x: a, y: b}
    with np.errstate(all="ignore"):
        for (f, left, right), result in zip(pairs, call.native(), strict=True):
            wanted = f(of.get(left, left), of.get(right, right))
            what = f"{f.__name__} of {left} and {right}"
            assert result.dtype == wanted.dtype, what
            close = 4 * EPSILON.get(dtype, 0) if f is operator.pow else 0
            np.testing.assert_allclose(
                result.astype("float64"), wanted.astype("float64"), rtol=close, err_msg=what
            )
    assert +x is x


def test_an_integer_to_a_negative_power_is_refused():
    x = te.placeholder((3,), "int32", "X")
    with pytest.raises(KCError) as caught:
        _ = x**-2
    lines = str(caught.value).split("\n")
    assert [lines[0], *lines[2:]] == [
        "error[KC2317]: int32 to the power of -2",
        "  why: powers of integers have exponents of at least 0",
        '  try: convert: x.astype("float32")',
    ]
