"""Sizes of the call that do not fit, sums that are no numbers of their type, and places of large
shapes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from guarded_arrays import checked_build
from topi_cases import Program

import kc
from kc import te, topi
from kc.expr.tensor import Tensor
from kc.support.diagnostics import CallError


def tensor(name: str, *shape: object, dtype: str = "float32") -> Tensor:
    return te.placeholder(shape, dtype, name)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_scatter_writes_what_is_there(rows: int):
    """More rows of indices than the data has are left out; accesses are checked."""
    n, m = te.var("n"), te.var("m")
    data, updates = tensor("D", n, 4), tensor("U", m, 2)
    places = tensor("I", m, 2, dtype="int32")
    kernel = checked_build([data, places, updates, topi.scatter(data, places, updates, 1)])
    given = np.arange(8, dtype="float32").reshape(2, 4)
    at = np.tile(np.array([3, 0], "int32"), (rows, 1))
    values = 100 + np.arange(2 * rows, dtype="float32").reshape(rows, 2)
    expected = given.copy()
    kept = min(rows, 2)
    np.put_along_axis(expected[:kept], at[:kept].astype("int64"), values[:kept], 1)
    np.testing.assert_array_equal(kernel(given, at, values), expected)


def test_gather_reads_what_is_there():
    n, m = te.var("n"), te.var("m")
    data, places = tensor("D", n, 4), tensor("I", m, 2, dtype="int32")
    kernel = checked_build([data, places, topi.gather(data, 1, places)])
    given = np.arange(8, dtype="float32").reshape(2, 4)
    result = kernel(given, np.full((5, 2), 1, "int32"))
    np.testing.assert_array_equal(result[:2], given[:, [1, 1]])


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_the_mean_of_a_window_that_is_larger_than_the_type(dtype: str):
    data = tensor("D", 1, 1, 16, 16, dtype=dtype)
    args = ((16, 16), (1, 1), (1, 1), (0, 0, 0, 0), "avg")
    ones = np.ones((1, 1, 16, 16), dtype)
    pooled = topi.nn.pool2d(data, *args)
    assert checked_build([data, pooled])(ones).item() == 1
    pooled = topi.nn.adaptive_pool(data, (1, 1), "avg")
    assert checked_build([data, pooled])(ones).item() == 1


def test_places_in_a_shape_that_is_larger_than_the_type():
    numbers = tensor("N", 2, dtype="uint8")
    kernel = checked_build([numbers, topi.unravel_index(numbers, (3, 300))])
    given = np.array([200, 7], "uint8")
    expected = np.stack(np.unravel_index(given, (3, 300)))
    np.testing.assert_array_equal(kernel(given), expected)


def test_split_at_places_from_the_end():
    data = tensor("D", 6)
    parts = topi.split(data, [-1])
    kernel = checked_build([data, *parts])
    given = np.arange(6, dtype="float32")
    for part, expected in zip(kernel(given), np.split(given, [-1]), strict=True):
        np.testing.assert_array_equal(part, expected)


@pytest.mark.parametrize("method", ["linear", "cubic"])
def test_between_equal_integers_is_that_integer(method: str):
    """The weights of places may add up to less than 1, and integers are cut."""
    levels = np.arange(1, 250, 24, dtype="uint8")
    lines = tensor("L", len(levels), 3, dtype="uint8")
    resized = topi.image.resize1d(lines, None, 7, "NW", method)
    given = levels[:, None].repeat(3, 1)
    (result,) = Program([lines], [given], [resized]).interpreted()
    np.testing.assert_array_equal(result, levels[:, None].repeat(7, 1))


def test_boxes_of_equal_integers_are_that_integer():
    image, boxes = tensor("I", 1, 5, 6, 1, dtype="uint8"), tensor("B", 4, 4)
    numbers = tensor("N", 4, dtype="int32")
    crops = topi.image.crop_and_resize(image, boxes, numbers, (7, 9), "NHWC")
    shares = np.random.default_rng(0).random((4, 4)).astype("float32")
    given = np.full((1, 5, 6, 1), 201, "uint8")
    arrays = [given, shares, np.zeros(4, "int32")]
    (result,) = Program([image, boxes, numbers], arrays, [crops]).interpreted()
    np.testing.assert_array_equal(result, 201)


LIMITS = {
    "gelu": (-0.0, np.inf),
    "silu": (-0.0, np.inf),
    "swish": (-0.0, np.inf),
    "mish": (-0.0, np.inf),
    "hardswish": (-0.0, np.inf),
    "hardsigmoid": (0.0, 1.0),
    "softplus": (0.0, np.inf),
    "softsign": (-1.0, 1.0),
    "elu": (-1.0, np.inf),
    "celu": (-1.0, np.inf),
    "relu": (0.0, np.inf),
    "leaky_relu": (-np.inf, np.inf),
}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_activations_of_infinities_are_limits(dtype: str):
    """The product of -infinity and 0 is none, nor is the quotient of two infinities."""
    data = tensor("D", 3, dtype=dtype)
    results = [getattr(topi.nn, name)(data) for name in LIMITS]
    results.append(topi.nn.gelu(data, "tanh"))
    kernel = checked_build([data, *results])
    limits = [*LIMITS.values(), LIMITS["gelu"]]
    for result, (low, high) in zip(
        kernel(np.array([-np.inf, np.inf, np.nan], dtype)), limits, strict=True
    ):
        np.testing.assert_array_equal(result, np.array([low, high, np.nan], dtype))
        assert np.signbit(result[0]) == np.signbit(low)


@pytest.mark.parametrize("name", ["gelu", "silu", "hardsigmoid", "softplus"])
def test_activations_of_narrow_types_are_rounded_once(name: str):
    """They are computed in float32."""
    narrow, wide = tensor("N", 64, dtype="float16"), tensor("W", 64)
    function = getattr(topi.nn, name)
    kernel = checked_build([narrow, wide, function(narrow), function(wide)])
    given = np.linspace(-8, 4, 64).astype("float16")
    first, second = kernel(given, given.astype("float32"))
    np.testing.assert_array_equal(first, second.astype("float16"))


@cache
def of_sizes_that_only_the_call_tells() -> Any:
    n, m = te.var("n"), te.var("m")
    a, b = tensor("A", n), tensor("B", m)
    return kc.build([a, b, topi.add(a, b), a - b, topi.where(a, b, a)])


@pytest.mark.parametrize(
    ("sizes", "refused"), [((5, 5), ""), ((5, 1), ""), ((1, 5), "m"), ((3, 4), "m"), ((4, 3), "m")]
)
def test_sizes_that_only_the_call_tells_are_broadcast_or_refused(
    sizes: tuple[int, int], refused: str
):
    kernel = of_sizes_that_only_the_call_tells()
    first, second = (np.arange(size, dtype="float32") for size in sizes)
    if not refused:
        total, rest, chosen = kernel(first, second)
        np.testing.assert_array_equal(total, first + second)
        np.testing.assert_array_equal(rest, first - second)
        np.testing.assert_array_equal(chosen, np.where(first, second, first))
        return
    with pytest.raises(CallError) as info:
        kernel(first, second)
    assert str(info.value) == (
        "error[KC5132]: main: the sizes of its arguments do not fit: (m - n) * (m - 1) == 0 does "
        f"not hold\n   |  m is {sizes[1]}, from argument 2 'B'\n"
        f"   |  n is {sizes[0]}, from argument 1 'A'\n  why: T_add takes m to be n, "
        "which is the size of its result, or 1"
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: topi.nn.prelu(a, b),
        lambda a, b: topi.nn.bias_add(a, b),
        lambda a, b: topi.concatenate([a, topi.reshape(b, (1, b.shape[0]))]),
        lambda a, b: topi.einsum("ij,j->i", a, b),
    ],
)
def test_sizes_that_are_taken_to_be_equal_are_checked_at_the_call(
    function: Callable[[Tensor, Tensor], Tensor],
):
    """Too long a one is nonsense, as is too short a one."""
    a, b = tensor("A", 2, te.var("n")), tensor("B", te.var("m"))
    kernel = kc.build([a, b, function(a, b)])
    data = np.ones((2, 3), "float32")
    kernel(data, np.ones(3, "float32"))
    for length in (1, 2, 4):
        with pytest.raises(CallError, match=r"KC5132.*(m == n|n == m) does not hold"):
            kernel(data, np.ones(length, "float32"))


def test_lengths_of_half_precision_leave_its_range():
    """The square of 300 is beyond float16, and 1e-12 below its least number."""
    data = tensor("A", 2, 8, dtype="float16")
    kernel = kc.build([data, topi.nn.l2_normalize(data, 1e-12, 1)])
    given = np.repeat(np.array([[300], [0]], "float16"), 8, 1)
    expected = np.repeat(np.array([[8**-0.5], [0]], "float16"), 8, 1)
    np.testing.assert_array_equal(kernel(given), expected)


@pytest.mark.parametrize(
    ("source", "shape", "places"),
    [
        ((1, 6, 4), (6, 4), "0, %v_i0, %v_i1"),
        ((2, 12), (2, 3, 1, 4), "%v_i0, %v_i1 * 4 + %v_i3"),
        ((6, 5), (2, 3, 5), "%v_i0 * 3 + %v_i1, %v_i2"),
        ((2, 3, 5), (6, 5, 1), "%v_i0 floordiv 3, %v_i0 mod 3, %v_i1"),
    ],
)
def test_reshape_keeps_the_indices_of_dimensions_that_stay(source, shape, places):
    x = te.placeholder(source, name="x")
    text = str(kc.lower([x, topi.reshape(x, shape)], target="c"))  # no schedule
    assert f"tir.load %x[{places}]" in text
