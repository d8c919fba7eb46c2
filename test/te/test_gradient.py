"""te.gradient: derivatives against central differences and closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import kc
from kc import te
from kc.analysis.cost import estimate
from kc.analysis.interpreter import run
from kc.expr.constructors import Const, Var

Array = Any


def call(args: Sequence[Any], outputs: Sequence[Any]) -> Callable[..., list[Array]]:
    """The function of ``args`` (tensors) that gives ``outputs``."""
    schedule = te.create_schedule(list(dict.fromkeys(output.op for output in outputs)))
    # An output that is an argument, or listed twice, is returned from there.
    own = [output for output in dict.fromkeys(outputs) if output not in args]
    built = kc.build(schedule, [*args, *own], name="f")

    def function(*arrays: Array) -> list[Array]:
        sizes = sizes_of(args, arrays)
        results = [np.full([size_of(d, sizes) for d in o.shape], 77, o.dtype) for o in own]
        built(*arrays, *results)
        known = dict(zip([*args, *own], [*arrays, *results], strict=True))
        return [known[output] for output in outputs]

    return function


def sizes_of(tensors: Sequence[Any], arrays: Sequence[Array]) -> dict[str, int]:
    """The values of the sizes that are dimensions of ``tensors``."""
    return {
        dim.name: size
        for tensor, array in zip(tensors, arrays, strict=True)
        for dim, size in zip(tensor.shape, array.shape, strict=True)
        if isinstance(dim, Var)
    }


def size_of(dim: Any, sizes: dict[str, int]) -> int:
    """The value of a dimension."""
    if isinstance(dim, int):
        return dim
    if isinstance(dim, Var):
        return sizes[dim.name]
    if isinstance(dim, Const):
        return int(dim.value)
    lhs, rhs = size_of(dim.lhs, sizes), size_of(dim.rhs, sizes)
    return {"add": lhs + rhs, "sub": lhs - rhs, "mul": lhs * rhs, "floordiv": lhs // rhs}[dim.op]


def check(
    inputs: Sequence[Any],
    output: Any,
    arrays: Sequence[Array],
    extras: Sequence[Any] = (),
    other_arrays: Sequence[Array] = (),
    step: float = 1e-5,
    prefix: tuple[int, ...] = (),
) -> list[Array]:
    """Compare the gradients of ``output``, with a random head, with central differences."""
    head = te.placeholder((*prefix, *output.shape), output.dtype, name="head")
    gradients = te.gradient(output, list(inputs), head)
    for gradient, of in zip(gradients, inputs, strict=True):
        assert [str(dim) for dim in gradient.shape] == [str(dim) for dim in (*prefix, *of.shape)]
        assert gradient.dtype == of.dtype
    function = call([*inputs, *extras, head], [output, *gradients])
    sizes = sizes_of([*inputs, *extras], [*arrays, *other_arrays])
    shape = [size_of(dim, sizes) for dim in output.shape]
    weights = np.random.default_rng(7).standard_normal((*prefix, *shape)).astype(output.dtype)
    results = [result.copy() for result in function(*arrays, *other_arrays, weights)[1:]]
    rank = output.ndim
    for n, array in enumerate(arrays):
        expected = np.zeros((*prefix, *array.shape))
        for place in np.ndindex(array.shape):
            sides = []
            for sign in (1, -1):
                moved = [array.copy() for array in arrays]
                moved[n][place] += sign * step
                sides.append(function(*moved, *other_arrays, weights)[0].astype(np.float64))
            slope = (sides[0] - sides[1]) / (2 * step)
            expected[(..., *place)] = np.tensordot(weights, slope, rank)
        np.testing.assert_allclose(results[n], expected, rtol=1e-6, atol=1e-7)
    return results


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def tensor(shape: Any, name: str, dtype: str = "float64") -> Any:
    return te.placeholder(shape, dtype, name=name)


def elementwise(functions: Sequence[Callable[..., Any]], *tensors: Any) -> list[Any]:
    """Each function of the elements of ``tensors``, as a tensor."""

    def computed(n: int, function: Callable[..., Any]) -> Any:
        shape = tensors[0].shape
        return te.compute(
            shape, lambda i: function(*(tensor[i] for tensor in tensors)), name=f"F{n}"
        )

    return [computed(n, function) for n, function in enumerate(functions)]


# Functions of one and two numbers ---------------------------------------------------------------

UNARY = {
    "abs": te.abs,
    "acos": lambda x: te.acos(x / 4),
    "acosh": lambda x: te.acosh(te.abs(x) + 1.25),
    "asin": lambda x: te.asin(x / 4),
    "asinh": te.asinh,
    "atan": te.atan,
    "atanh": lambda x: te.atanh(x / 4),
    "cos": te.cos,
    "cosh": te.cosh,
    "erf": te.erf,
    "exp": te.exp,
    "exp2": te.exp2,
    "expm1": te.expm1,
    "exp10": te.exp10,
    "log": lambda x: te.log(te.abs(x)),
    "log10": lambda x: te.log10(te.abs(x)),
    "log1p": lambda x: te.log1p(te.abs(x)),
    "log2": lambda x: te.log2(te.abs(x)),
    "neg": lambda x: -x,
    "rsqrt": lambda x: te.rsqrt(te.abs(x)),
    "sigmoid": te.sigmoid,
    "sin": te.sin,
    "sinh": te.sinh,
    "sqrt": lambda x: te.sqrt(te.abs(x)),
    "tan": te.tan,
    "tanh": te.tanh,
    "square": lambda x: te.power(x, 2.0),
    "cube": lambda x: te.power(x, 3.0),
    "power of x": lambda x: te.power(te.const(1.5, "float64"), x),
    "ldexp": lambda x: te.ldexp(x, 3),
    "select": lambda x: te.Select(x > 0.1, x * x, -x),
    "if": lambda x: te.if_then_else(x > 0.1, x * x, -x),
    "casts": lambda x: (x.astype("float32").astype("float64") - x) * 0 + x * 3,
    "constants": lambda x: 3 - x * te.const(2.0, "float64") / 5,
    "isnan": lambda x: te.Select(te.isnan(x), 1.0, x),
    "shared": lambda x: (te.exp(x) + x) * (te.exp(x) - x),
}
BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "max": te.max,
    "min": te.min,
    "atan2": te.atan2,
    "copysign": lambda x, y: te.copysign(x, y),
    "fmod": te.fmod,
    "hypot": te.hypot,
    "power": lambda x, y: te.power(te.abs(x), y),
    "nested": lambda x, y: te.Select(x > y, te.if_then_else(x > 0, x * y, y), x / y),
}
STEPS = {
    "ceil": te.ceil,
    "floor": te.floor,
    "nearbyint": te.nearbyint,
    "round": te.round,
    "trunc": te.trunc,
    "compare": lambda x: (x > 0.5).astype("float64"),
    "through int": lambda x: (x * 10).astype("int32").astype("float64"),
}


def test_functions_of_one_number(rng: np.random.Generator):
    x = tensor((8,), "X")
    outputs = elementwise([*UNARY.values(), *STEPS.values()], x)
    values = rng.uniform(0.2, 1.4, 8) * [1, -1, 1, -1, 1, -1, 1, -1]
    ones = tensor((8,), "head")
    gradients = [te.gradient(output, [x], ones)[0] for output in outputs]
    slopes = call([x, ones], gradients)(values, np.ones(8))
    forward = call([x], outputs)
    step = 1e-6
    sides = zip(forward(values + step), forward(values - step), strict=True)
    names = [*UNARY, *STEPS]
    for name, slope, (high, low) in zip(names, slopes, sides, strict=True):
        expected = (high - low) / (2 * step)
        if name == "casts":
            expected = np.full(8, 3.0)
        np.testing.assert_allclose(slope, expected, rtol=1e-7, atol=1e-8, err_msg=name)
    for slope in slopes[len(UNARY) :]:
        assert not slope.any()


def test_functions_of_two_numbers(rng: np.random.Generator):
    x, y, head = (tensor((8,), name) for name in ("X", "Y", "head"))
    outputs = elementwise([*BINARY.values()], x, y)
    signs = np.array([1, -1, 1, -1, 1, -1, 1, -1])
    xs = rng.uniform(0.2, 1.4, 8) * signs
    two = rng.uniform(0.2, 1.4, 8) * signs[::-1]
    gradients = [part for z in outputs for part in te.gradient(z, [x, y], head)]
    slopes = call([x, y, head], gradients)(xs, two, np.ones(8))
    forward = call([x, y], outputs)
    step = 1e-6
    for n, (name, _) in enumerate(BINARY.items()):
        for m, (dx, dy) in enumerate(((step, 0), (0, step))):
            high, low = forward(xs + dx, two + dy)[n], forward(xs - dx, two - dy)[n]
            slope = (high - low) / (2 * step)
            np.testing.assert_allclose(slopes[2 * n + m], slope, rtol=1e-7, atol=1e-8, err_msg=name)


def test_slopes_at_corners():
    """Of two equal operands the first is the larger, and abs goes up at 0; 0 ** y is flat."""
    x, y, head = (tensor((2,), name) for name in ("X", "Y", "head"))
    outputs = elementwise((te.max, te.min, lambda a, _: te.abs(a), te.power), x, y)
    gradients = [part for z in outputs for part in te.gradient(z, [x, y], head)]
    corner = np.array([0.0, 2.0])
    slopes = call([x, y, head], gradients)(corner, np.array([2.0, 2.0]), np.ones(2))
    both = [[1, 1], [0, 0]]
    at = call([x, y, head], gradients)(corner, corner, np.ones(2))
    np.testing.assert_array_equal(at[:2], both)
    np.testing.assert_array_equal(at[2:4], both)
    np.testing.assert_array_equal(at[4:6], both)
    np.testing.assert_allclose(slopes[6:], [[0, 4], [0, 4 * math.log(2)]])


def test_half_precision(rng: np.random.Generator):
    """The flow to a tensor has its type; here float32 computes, float16 is read."""
    x, w = tensor((6,), "X", "float16"), tensor((6,), "W", "float32")
    y = te.compute((6,), lambda i: te.tanh(x[i].astype("float32") * w[i]), name="Y")
    head = tensor((6,), "head", "float32")
    dx, dw = te.gradient(y, [x, w], head)
    assert (dx.dtype, dw.dtype) == ("float16", "float32")
    a = rng.standard_normal(6).astype(np.float16)
    b = rng.standard_normal(6).astype(np.float32)
    slopes = call([x, w, head], [dx, dw])(a, b, np.ones(6, np.float32))
    slope = 1 - np.tanh(a.astype(np.float32) * b) ** 2
    np.testing.assert_allclose(slopes[0], (slope * b).astype(np.float16), rtol=2e-3)
    np.testing.assert_allclose(slopes[1], slope * a.astype(np.float32), rtol=1e-5, atol=1e-6)


# Indices ----------------------------------------------------------------------------------------


def matmul(m: Any, n: Any, k: Any) -> tuple[Any, Any, Any]:
    a, b = tensor((m, k), "A"), tensor((k, n), "B")
    axis = te.reduce_axis((0, k), name="k")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, axis] * b[axis, j], axis=axis), name="C")
    return a, b, c


def test_matmul(rng: np.random.Generator):
    a, b, c = matmul(3, 4, 5)
    x, y = rng.standard_normal((3, 5)), rng.standard_normal((5, 4))
    check([a, b], c, [x, y])
    check([a, b], c, [x, y], prefix=(2,))


def test_the_gradient_of_a_matmul_is_a_matmul():
    a, b, c = matmul(16, 32, 8)
    head = tensor((16, 32), "H")
    gradients = te.gradient(c, [a, b], head)
    text = str(
        kc.lower(
            te.create_schedule([gradient.op for gradient in gradients]), [a, b, head, *gradients]
        )
    )
    loops = [line.strip() for line in text.split("\n") if "tir.for" in line]
    assert loops == [
        "tir.for %i0 in 16 {",
        "tir.for %i1 in 8 {",
        "tir.for %j in 32 {",
        'tir.for %i0_1 "i0" in 8 {',
        'tir.for %i1_1 "i1" in 32 {',
        "tir.for %i in 16 {",
    ]
    assert "tir.if" not in text
    assert "where" not in text
    assert "tir.load %H[%v_i0, %v_j]" in text
    assert "tir.load %A[%v_i, %v_i0]" in text


INDICES: dict[str, tuple[tuple[int, ...], tuple[int, ...], Callable[..., Any]]] = {
    "transpose": ((3, 4), (4, 3), lambda x, i, j: x[j, i]),
    "diagonal": ((4, 4), (4,), lambda x, i: x[i, i]),
    "antidiagonal": ((4, 4), (4,), lambda x, i: x[i, 3 - i]),
    "flip": ((7,), (7,), lambda x, i: x[6 - i]),
    "slice": ((9,), (4,), lambda x, i: x[2 * i + 1]),
    "broadcast": ((4,), (3, 4), lambda x, i, j: x[j]),
    "one element": ((4,), (3,), lambda x, i: x[2] * x[2]),
    "flatten": ((3, 4), (12,), lambda x, i: x[i // 4, i % 4]),
    "unflatten": ((12,), (3, 4), lambda x, i, j: x[i * 4 + j]),
    "reshape": ((3, 8), (4, 6), lambda x, i, j: x[(i * 6 + j) // 8, (i * 6 + j) % 8]),
    "reshape of 3": ((24,), (2, 3, 4), lambda x, i, j, k: x[i * 12 + j * 4 + k]),
    "repeat": ((5,), (15,), lambda x, i: x[i // 3]),
    "tile": ((5,), (15,), lambda x, i: x[i % 5]),
    "wrap around": ((5,), (5,), lambda x, i: x[(i + 2) % 5]),
    "space to depth": ((6, 6), (3, 3, 4), lambda x, i, j, c: x[i * 2 + c // 2, j * 2 + c % 2]),
    "stencil": ((9,), (7,), lambda x, i: x[i] * x[i + 1] - x[i + 2] * x[i + 2]),
    "skewed": ((9, 4), (6, 4), lambda x, i, j: x[i + j, j]),
    "strided sum": ((17,), (4, 3), lambda x, i, j: x[i * 4 + j * 2]),
    "coprime strides": ((20,), (4, 5), lambda x, i, j: x[i * 2 + j * 3]),
    "three strides": ((40,), (3, 4, 3), lambda x, i, j, k: x[i * 6 + j * 4 + k * 3]),
    "gaps": ((16,), (4, 2), lambda x, i, j: x[i * 4 + j]),
    "overlap": ((10,), (4, 4), lambda x, i, j: x[i * 2 + j]),
    "constant row": ((2, 6), (6,), lambda x, i: x[0, i] * x[1, i]),
    "clamped": ((5,), (9,), lambda x, i: x[te.max(te.min(i - 2, 4), 0)]),
    "pad": ((4, 4), (6, 6), lambda x, i, j: te.if_then_else(
        te.all(i >= 1, i < 5, j >= 1, j < 5), x[i - 1, j - 1], 0.0)),
    "mirror": ((4,), (8,), lambda x, i: te.if_then_else(i < 4, x[3 - i], x[i - 4])),
    "both or neither": ((6,), (6,), lambda x, i: te.if_then_else(
        te.any(i < 2, i > 3), x[i], x[5 - i] * 2)),
    "not": ((6,), (6,), lambda x, i: te.if_then_else(~(i < 2), x[i - 2], x[i])),
    "chosen by value": ((6,), (5,), lambda x, i: te.if_then_else(x[i] > 0, x[i] * x[i + 1], x[i])),
    "of rank 0": ((), (3,), lambda x, i: x() * x() * i),
}  # fmt: skip


@pytest.mark.parametrize("name", INDICES)
def test_reads(name: str, rng: np.random.Generator):
    source, target, read = INDICES[name]
    x = tensor(source, "X")
    w = tensor(target, "W")
    y = te.compute(target, lambda *i: read(x, *i) * w[i], name="Y")
    check([x, w], y, [rng.standard_normal(source), rng.standard_normal(target)])


def test_conv2d(rng: np.random.Generator):
    """With padding, stride and dilation: stride 2, dilation 3 have no common factor."""
    x, w = tensor((2, 2, 6, 7), "X"), tensor((3, 2, 2, 3), "W")
    pad = te.compute(
        (2, 2, 8, 9),
        lambda n, c, h, w: te.if_then_else(
            te.all(h >= 1, h < 7, w >= 1, w < 8), x[n, c, h - 1, w - 1], 0.0
        ),
        name="pad",
    )
    rc, ry, rx = (te.reduce_axis((0, n), name=m) for n, m in ((2, "rc"), (2, "ry"), (3, "rx")))
    y = te.compute(
        (2, 3, 3, 5),
        lambda n, f, h, v: te.sum(
            pad[n, rc, h * 2 + ry * 3, v + rx * 2] * w[f, rc, ry, rx], axis=[rc, ry, rx]
        ),
        name="Y",
    )
    check([x, w], y, [rng.standard_normal((2, 2, 6, 7)), rng.standard_normal((3, 2, 2, 3))])


def pool(x: Any, kind: str, window: int, stride: int) -> Any:
    size = (x.shape[0] - window) // stride + 1
    ry, rx = te.reduce_axis((0, window), name="ry"), te.reduce_axis((0, window), name="rx")
    reducer = te.max if kind == "max" else te.sum
    scale = 1.0 if kind == "max" else 1 / window**2
    return te.compute(
        (size, size),
        lambda i, j: reducer(x[i * stride + ry, j * stride + rx] * scale, axis=[ry, rx]),
        name="Y",
    )


@pytest.mark.parametrize("kind", ["max", "average"])
@pytest.mark.parametrize(("window", "stride"), [(2, 2), (3, 2), (3, 1), (2, 3)])
def test_pooling(kind: str, window: int, stride: int, rng: np.random.Generator):
    x = tensor((7, 7), "X")
    values = rng.permutation(49).reshape(7, 7) / 10.0
    check([x], pool(x, kind, window, stride), [values])


def test_equal_maxima_share():
    x = tensor((2, 4), "X")
    k = te.reduce_axis((0, 4), name="k")
    y = te.compute((2,), lambda i: te.max(x[i, k], axis=k), name="Y")
    head = tensor((2,), "head")
    (slopes,) = call([x, head], te.gradient(y, [x], head))(
        np.array([[1.0, 3, 3, 0], [2, 2, 2, 2]]), np.array([1.0, 8.0])
    )
    np.testing.assert_array_equal(slopes, [[0, 0.5, 0.5, 0], [2, 2, 2, 2]])


def softmax(x: Any) -> Any:
    m, n = x.shape
    k, kk = te.reduce_axis((0, n), name="k"), te.reduce_axis((0, n), name="kk")
    top = te.compute((m,), lambda i: te.max(x[i, k], axis=k), name="top")
    e = te.compute((m, n), lambda i, j: te.exp(x[i, j] - top[i]), name="e")
    total = te.compute((m,), lambda i: te.sum(e[i, kk], axis=kk), name="total")
    return te.compute((m, n), lambda i, j: e[i, j] / total[i], name="softmax")


def test_softmax(rng: np.random.Generator):
    x = tensor((3, 5), "X")
    values = rng.standard_normal((3, 5))
    check([x], softmax(x), [values])
    head = tensor((3, 5), "head")
    (dx,) = te.gradient(softmax(x), [x], head)
    h = rng.standard_normal((3, 5))
    y = np.exp(values) / np.exp(values).sum(axis=1, keepdims=True)
    expected = y * (h - (h * y).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(call([x, head], [dx])(values, h)[0], expected, rtol=1e-12)


def layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
    m, n = x.shape
    k, kk = te.reduce_axis((0, n), name="k"), te.reduce_axis((0, n), name="kk")
    mean = te.compute((m,), lambda i: te.sum(x[i, k] / n, axis=k), name="mean")
    centred = te.compute((m, n), lambda i, j: x[i, j] - mean[i], name="centred")
    square = te.compute(
        (m,), lambda i: te.sum(centred[i, kk] * centred[i, kk] / n, axis=kk), name="square"
    )
    scale = te.compute((m,), lambda i: te.rsqrt(square[i] + 1e-5), name="scale")
    return te.compute(
        (m, n), lambda i, j: centred[i, j] * scale[i] * gamma[j] + beta[j], name="norm"
    )


def test_layer_norm(rng: np.random.Generator):
    x, gamma, beta = tensor((3, 6), "X"), tensor((6,), "gamma"), tensor((6,), "beta")
    arrays = [rng.standard_normal(shape) for shape in ((3, 6), (6,), (6,))]
    check([x, gamma, beta], layer_norm(x, gamma, beta), arrays)


# Reductions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("reducer", ["max", "min", "sum", "prod"])
def test_reductions(reducer: str, rng: np.random.Generator):
    """With a condition and an initial value."""
    own = {
        "prod": te.comm_reducer(lambda a, b: a * b, lambda t: te.const(1, t), name="prod"),
        "sum": te.comm_reducer(lambda a, b: b + a, lambda t: te.const(0, t), name="plus"),
    }
    reduce = own.get(reducer) or getattr(te, reducer)
    x, start = tensor((3, 4, 5), "X"), tensor((3,), "start")
    j, k = te.reduce_axis((1, 4), name="j"), te.reduce_axis((0, 5), name="k")
    y = te.compute(
        (3,),
        lambda i: reduce(
            te.sin(x[i, j, k]), axis=[j, k], where=(j + k < 6) & (x[i, j, k] > -1), init=start[i]
        ),
        name="Y",
    )
    values = rng.permutation(60).reshape(3, 4, 5) / 20.0 - 1.22
    check([x, start], y, [values, np.array([-2.0, 0.3, 2.0])])


def test_product_with_zeros(rng: np.random.Generator):
    """The slope at a factor is the product of the others: one 0 leaves its own, two leave none."""
    prod = te.comm_reducer(lambda a, b: a * b, lambda t: te.const(1, t), name="prod")
    x = tensor((3, 4), "X")
    k = te.reduce_axis((0, 4), name="k")
    y = te.compute((3,), lambda i: prod(x[i, k], axis=k), name="Y")
    values = rng.standard_normal((3, 4))
    values[1, 2] = values[2, 0] = values[2, 3] = 0
    (slopes,) = check([x], y, [values])
    assert np.count_nonzero(slopes, axis=1).tolist() == [4, 1, 0]


def test_several_results_of_one_reduction(rng: np.random.Generator):
    """Each a reduction of its own."""
    both = te.comm_reducer(
        lambda a, b: (a[0] + b[0], te.max(a[1], b[1])),
        lambda t, u: (te.const(0, t), te.min_value(u)),
        name="both",
    )
    x = tensor((3, 4), "X")
    k = te.reduce_axis((0, 4), name="k")
    total, top = te.compute((3,), lambda i: both((x[i, k] * x[i, k], x[i, k]), axis=k), name="T")
    y = te.compute((3,), lambda i: total[i] * top[i], name="Y")
    check([x], y, [rng.standard_normal((3, 4))])


def test_a_triangle(rng: np.random.Generator):
    x = tensor((5,), "X")
    k = te.reduce_axis((0, 5), name="k")
    y = te.compute((5,), lambda i: te.sum(x[k] * x[k], axis=k, where=k <= i), name="Y")
    check([x], y, [rng.standard_normal(5)])


@pytest.mark.parametrize("reducer", [te.sum, te.max])
def test_rows_of_different_lengths(reducer: Any, rng: np.random.Generator):
    """The extent of a loop depends on an axis, or on an element."""
    x, w = tensor((5,), "X"), tensor((3,), "W")
    lengths = tensor((3,), "L", "int32")
    for extent in (lambda i: i + 2, lambda i: lengths[i]):

        def row(i: Any, extent: Any = extent) -> Any:
            k = te.reduce_axis((0, extent(i)), name="k")
            return reducer(x[k] * w[i], axis=k)

        y = te.compute((3,), lambda i: row(i), name="Y")
        extras = ([w, lengths], [np.arange(1.0, 4), np.array([1, 5, 2], np.int32)])
        check([x], y, [rng.standard_normal(5)], *extras)


# Data-dependent reads ---------------------------------------------------------------------------


def test_embedding(rng: np.random.Generator):
    table, index = tensor((6, 4), "table"), tensor((5,), "index", "int32")
    y = te.compute((5, 4), lambda i, j: table[index[i], j] * table[index[i], j], name="Y")
    places = np.array([3, 0, 3, 5, 3], np.int32)
    (slopes,) = check([table], y, [rng.standard_normal((6, 4))], [index], [places])
    assert not slopes[[1, 2, 4]].any()


def test_gather_with_an_offset(rng: np.random.Generator):
    """The loop over the offset goes, that over the gathered places stays."""
    x, index = tensor((9,), "X"), tensor((4,), "index", "uint8")
    y = te.compute((4, 3), lambda i, j: x[index[i].astype("int32") + j] * x[index[i]], name="Y")
    check([x], y, [rng.standard_normal(9)], [index], [np.array([6, 0, 2, 2], np.uint8)])


# Graphs -----------------------------------------------------------------------------------------


def test_a_shared_tensor(rng: np.random.Generator):
    """Read by several, at several places, and between input and output an input."""
    x, w = tensor((6,), "X"), tensor((6,), "W")
    a = te.compute((6,), lambda i: te.sin(x[i]) * w[i], name="A")
    b = te.compute((6,), lambda i: a[i] * a[5 - i], name="B")
    c = te.compute((4,), lambda i: a[i] + b[i + 2] * x[i + 1], name="C")
    arrays = [rng.standard_normal(6), rng.standard_normal(6)]
    check([x, w], c, arrays)
    head = tensor((4,), "head")
    of_a, of_x = te.gradient(c, [a, x], head)
    assert of_a.shape == (6,)
    h = rng.standard_normal(4)
    of_factor, dx = call([x, w, head], [of_a, of_x])(*arrays, h)
    s = np.sin(arrays[0]) * arrays[1]
    flow_b = np.concatenate([[0, 0], h * arrays[0][1:5]])
    expected = np.concatenate([h, [0, 0]]) + flow_b * s[::-1] + (flow_b * s)[::-1]
    np.testing.assert_allclose(of_factor, expected)
    direct = np.concatenate([[0], h * (s * s[::-1])[2:], [0]])
    np.testing.assert_allclose(dx, expected * np.cos(arrays[0]) * arrays[1] + direct)


def test_jacobians(rng: np.random.Generator):
    """Without a head; also through several operations, and of a tensor by itself."""
    a, b, c = matmul(2, 3, 4)
    x, y = rng.standard_normal((2, 4)), rng.standard_normal((4, 3))
    d = te.compute((2, 3), lambda i, j: te.exp(c[i, j]), name="D")
    jacobian = te.gradient(d, [a, b, c, d])
    assert [gradient.shape for gradient in jacobian] == [
        (2, 3, 2, 4), (2, 3, 4, 3), (2, 3, 2, 3), (2, 3, 2, 3),
    ]  # fmt: skip
    slopes = call([a, b], jacobian)(x, y)
    slope, eye = np.exp(x @ y), np.eye
    np.testing.assert_allclose(slopes[0], np.einsum("ij,im,kj->ijmk", slope, eye(2), y))
    np.testing.assert_allclose(slopes[1], np.einsum("ij,jn,ik->ijkn", slope, eye(3), x))
    np.testing.assert_allclose(slopes[2], np.einsum("ij,im,jn->ijmn", slope, eye(2), eye(3)))
    np.testing.assert_array_equal(slopes[3], np.einsum("im,jn->ijmn", eye(2), eye(3)))


def test_jacobians_of_reductions(rng: np.random.Generator):
    """Of a maximum and a product, of symbolic size."""
    n = te.var("n")
    x = tensor((n, 4), "X")
    prod = te.comm_reducer(lambda a, b: a * b, lambda t: te.const(1, t), name="prod")
    values = rng.standard_normal((3, 4))

    def reduced(reducer: Any) -> Any:
        k = te.reduce_axis((0, 4), name="k")
        return te.compute((n,), lambda i: reducer(x[i, k] * x[i, k], axis=k), name="Y")

    squares, same = values * values, np.eye(3)[:, :, None]
    (top,) = call([x], te.gradient(reduced(te.max), [x]))(values)
    first = squares == squares.max(axis=1, keepdims=True)
    np.testing.assert_allclose(top, same * first * 2 * values)
    (product,) = call([x], te.gradient(reduced(prod), [x]))(values)
    rest = squares.prod(axis=1, keepdims=True) / squares
    np.testing.assert_allclose(product, same * rest * 2 * values)


def test_rank_0(rng: np.random.Generator):
    x = tensor((4,), "X")
    k = te.reduce_axis((0, 4), name="k")
    y = te.compute((), lambda: te.sum(x[k] * x[k] * x[k], axis=k), name="Y")
    values = rng.standard_normal(4)
    (slopes,) = call([x], te.gradient(y, x))(values)
    np.testing.assert_allclose(slopes, 3 * values**2)
    assert te.gradient(y, [y])[0].shape == ()


def test_no_dependence():
    """An input that the output does not depend on has the gradient 0."""
    x, w = tensor((3,), "X"), tensor((2, 2), "W")
    y = te.compute((3,), lambda i: te.floor(x[i]), name="Y")
    head = tensor((3,), "head")
    of_x, of_w = te.gradient(y, [x, w], head)
    slopes = call([x, w, head], [of_x, of_w])(np.ones(3), np.ones((2, 2)), np.ones(3))
    assert [slope.shape for slope in slopes] == [(3,), (2, 2)]
    assert not any(slope.any() for slope in slopes)
    assert te.gradient(y, [], head) == []
    assert te.gradient(y, [y], head) == [head]


def test_second_derivatives(rng: np.random.Generator):
    """Gradients are tensors like any: here the Hessian of a sum of cubes."""
    x = tensor((4,), "X")
    k = te.reduce_axis((0, 4), name="k")
    y = te.compute((), lambda: te.sum(x[k] * x[k] * x[k], axis=k), name="Y")
    (first,) = te.gradient(y, [x])
    (second,) = te.gradient(first, [x])
    values = rng.standard_normal(4)
    np.testing.assert_allclose(call([x], [second])(values)[0], np.diag(6 * values))


# Symbolic sizes ---------------------------------------------------------------------------------


def test_symbolic_sizes(rng: np.random.Generator):
    n, m = te.var("n"), te.var("m")
    a, b, c = matmul(n, m, 4)
    check([a, b], c, [rng.standard_normal((3, 4)), rng.standard_normal((4, 2))])
    x, w = tensor((n,), "X"), tensor((3,), "W")
    r = te.reduce_axis((0, 3), name="r")
    y = te.compute((n - 2,), lambda i: te.sum(x[i + r] * w[r], axis=r), name="Y")
    check([x, w], y, [rng.standard_normal(7), rng.standard_normal(3)])
    pairs = te.compute((n // 2,), lambda i: x[i * 2] * x[i * 2 + 1], name="pairs")
    check([x], pairs, [rng.standard_normal(7)])
    check([x], softmax_of_row(x, n), [rng.standard_normal(5)])


def softmax_of_row(x: Any, n: Any) -> Any:
    k = te.reduce_axis((0, n), name="k")
    total = te.compute((), lambda: te.sum(te.exp(x[k]), axis=k), name="total")
    return te.compute((n,), lambda i: te.exp(x[i]) / total(), name="S")


def test_a_stencil_of_symbolic_size_stays_one():
    n = te.var("n")
    x = tensor((n,), "X")
    y = te.compute((n - 2,), lambda i: x[i] + x[i + 1] * 2 + x[i + 2], name="Y")
    head = tensor((n - 2,), "head")
    (dx,) = te.gradient(y, [x], head)
    text = str(kc.lower(te.create_schedule(dx.op), [x, head, dx]))
    assert text.count("tir.for") == 1


# Schedules --------------------------------------------------------------------------------------


def test_gradients_are_scheduled_like_any_tensor(rng: np.random.Generator):
    a, b, c = matmul(32, 16, 24)
    head = tensor((32, 16), "head")
    da, db = te.gradient(c, [a, b], head)
    s = te.create_schedule([da.op, db.op])
    for product in (da, db):
        outer, inner = s[product].split(product.op.axis[1], factor=8)
        s[product].reorder(product.op.axis[0], outer, product.op.reduce_axis[0], inner)
        s[product].vectorize(inner)
        s[product].parallel(product.op.axis[0])
    args = [a, b, head, da, db]
    x, y, h = (rng.standard_normal(shape) for shape in ((32, 24), (24, 16), (32, 16)))
    out = [np.empty((32, 24)), np.empty((24, 16))]
    kc.build(s, args)(x, y, h, *out)
    np.testing.assert_allclose(out[0], h @ y.T)
    np.testing.assert_allclose(out[1], x.T @ h)
    module = kc.lower(s, args)
    again = [array.copy() for array in out]
    run(module.op, "main", [x, y, h, *again])
    np.testing.assert_allclose(again[0], out[0])


# Costs ------------------------------------------------------------------------------------------


def operations(args: Sequence[Any], outputs: Sequence[Any]) -> int:
    """Arithmetic operations on elements, in the loops that ``outputs`` are lowered to."""
    module = kc.lower(te.create_schedule([output.op for output in outputs]), [*args, *outputs])
    function = next(candidate for candidate in module.op.walk() if isinstance(candidate, FuncOp))
    return estimate(function).operations


def test_operations_of_a_matmul_and_a_bias():
    a, b, c = matmul(16, 32, 8)
    bias, head = tensor((32,), "bias"), tensor((16, 32), "head")
    y = te.compute((16, 32), lambda i, j: te.tanh(c[i, j] + bias[j]), name="Y")
    forward = operations([a, b, bias], [y])
    assert forward == 2 * 16 * 32 * 8 + 2 * 16 * 32
    # Two matmuls, the sum for the bias, and in both branches 1 - y * y times the head.
    of_all = operations([a, b, bias, head], te.gradient(y, [a, b, bias], head))
    assert of_all == forward + 2 * (2 * 16 * 32 * 8) + 16 * 32 + 2 * 3 * 16 * 32


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_operations_of_a_convolution(stride: int):
    size = 3 * stride + 3
    x, w = tensor((2, 3, size, size), "X"), tensor((5, 3, 3, 3), "W")
    rc, ry, rx = (te.reduce_axis((0, 3), name=name) for name in ("rc", "ry", "rx"))
    y = te.compute(
        (2, 5, 4, 4),
        lambda n, f, i, j: te.sum(
            x[n, rc, i * stride + ry, j * stride + rx] * w[f, rc, ry, rx], axis=[rc, ry, rx]
        ),
        name="Y",
    )
    head = tensor((2, 5, 4, 4), "head")
    forward = operations([x, w], [y])
    dx, dw = te.gradient(y, [x, w], head)
    assert operations([x, head], [dw]) == forward
    # For each element of X, the filters that reach it: every stride-th in each direction.
    reach = -(-3 // stride)
    assert operations([w, head], [dx]) == 2 * (2 * 3 * size * size) * 5 * reach * reach


def test_operations_of_softmax_and_layer_norm():
    """About twice those of gradients written by hand, with what they need."""
    m, n = 16, 32
    x, head = tensor((m, n), "X"), tensor((m, n), "head")
    y = softmax(x)
    count = operations([x, head], te.gradient(y, [x], head))
    by_hand = operations([x], [y]) + 4 * m * n  # y * (head - sum(head * y))
    assert count <= 2.1 * by_hand
    gamma, beta = tensor((n,), "gamma"), tensor((n,), "beta")
    y = layer_norm(x, gamma, beta)
    count = operations([x, gamma, head], te.gradient(y, [x, gamma, beta], head))
    # gamma: 3, beta: 1, x: two sums of 2, and 6 to put it together.
    by_hand = operations([x, gamma, beta], [y]) + (3 + 1 + 4 + 6) * m * n
    assert count <= 2 * by_hand


def test_factors_that_all_terms_have(rng: np.random.Generator):
    """They are multiplied with the sum; in a sum with conditions, only what reads nothing."""
    x, w, head = tensor((16,), "X"), tensor((32,), "W"), tensor((16, 32), "head")
    y = te.compute((16, 32), lambda i, j: -te.exp(x[i]) * w[j] / 3.0, name="Y")
    (dx,) = te.gradient(y, [x], head)
    # A product and an addition for each term; exp, a product, a sign and a quotient for each sum.
    assert operations([x, w, head], [dx]) == 2 * 16 * 32 + 4 * 16
    arrays = [rng.standard_normal(16), rng.standard_normal(32)]
    check([x, w], y, arrays)
    k = te.reduce_axis((0, 32), name="k")
    z = te.compute(
        (16,), lambda i: te.sum(-te.exp(x[i]) * w[k] / 3.0, axis=k, where=k > i), name="Z"
    )
    check([x, w], z, arrays)
