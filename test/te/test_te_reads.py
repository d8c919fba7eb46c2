"""Reads that are inside their tensors for some sizes only: what a call is refused for."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir, topi
from kc.building.signatures import signatures_of
from kc.error import CallError
from kc.runtime.signature import SizeCondition


def requires(*args) -> tuple[SizeCondition, ...]:
    """The conditions that the function of ``args`` requires of its sizes."""
    (signature,) = signatures_of(te.create_prim_func(list(args)).op)
    return signature.requires


def vectors():
    n, m = te.var("n"), te.var("m")
    return te.placeholder((n,), name="A"), te.placeholder((m,), name="B")


def test_a_call_whose_sizes_differ_is_refused():
    a, b = vectors()
    c = te.compute(a.shape, lambda i: a[i] + b[i], name="C")
    add = kc.build(te.create_schedule(c.op), [a, b, c])
    x, y = np.arange(4, dtype=np.float32), np.arange(6, dtype=np.float32)
    out = np.zeros(4, np.float32)
    add(x, y, out)
    np.testing.assert_array_equal(out, x + y[:4])
    with pytest.raises(CallError) as caught:
        add(y, x, np.zeros(6, np.float32))
    assert str(caught.value) == (
        "error[KC5132]: main: the sizes of its arguments do not fit: m >= n does not hold\n"
        "   |  m is 4, from argument 2 'B'\n"
        "   |  n is 6, from argument 1 'A'\n"
        "  why: C reads B[i]"
    )


def holds(conditions: tuple[SizeCondition, ...], **sizes: int) -> bool:
    return all(condition.holds(sizes) for condition in conditions)


@pytest.mark.parametrize(
    "index",
    [
        lambda i: i,
        lambda i: 2 * i + 1,
        lambda i: i // 4,
        lambda i: i % 4,
        lambda i: 3 - i,
        lambda i: i - 2,
        lambda i: 3,
    ],
)
def test_exactly_the_sizes_at_which_all_reads_are_inside_are_accepted(index):
    a, b = vectors()
    c = te.compute(a.shape, lambda i: a[i] + b[index(i)], name="C")
    conditions = requires(a, b, c)
    for n in range(9):
        for m in range(9):
            inside = all(0 <= index(i) < m for i in range(n))
            assert holds(conditions, n=n, m=m) == inside, (n, m)


def test_reductions_and_offsets():
    """``w + o`` elements around each of ``n``, of the ``m`` that there are."""
    (a, b), w, o = vectors(), te.var("w"), te.var("o")
    weights = te.placeholder((w,), name="W")
    k = te.reduce_axis((0, w), name="k")
    c = te.compute(a.shape, lambda i: te.sum(b[i + k + o] * weights[k], axis=k), name="C")
    conditions = requires(a, b, weights, o, c)
    for n in range(4):
        for m in range(5):
            for window in range(4):
                for offset in range(-2, 3):
                    inside = all(0 <= i + k + offset < m for i in range(n) for k in range(window))
                    assert holds(conditions, n=n, m=m, w=window, o=offset) == inside


def test_what_conditions_keep_inside_requires_nothing():
    a, b = vectors()
    n, m = a.shape[0], b.shape[0]
    j = te.reduce_axis((0, n), name="j")
    for c in (
        te.compute((n,), lambda i: te.if_then_else(i < m, b[i], 0.0), name="C"),
        te.compute((n,), lambda i: te.if_then_else(te.all(i >= 1, i <= m), b[i - 1], 0.0)),
        te.compute((n,), lambda i: tir.Select(i < m, b[i], 0.0), name="C"),
        te.compute((n,), lambda i: te.sum(b[j], axis=j, where=j < m), name="C"),
        te.compute((n + m,), lambda i: te.if_then_else(i < n, a[i], b[i - n]), name="C"),
        te.compute(((m + 1) // 2,), lambda i: b[2 * i], name="C"),
        te.compute((m - 2,), lambda i: b[i] + b[i + 1] + b[i + 2], name="C"),
    ):
        assert requires(a, b, c) == ()


def test_values_of_tensors_require_nothing():
    a, b = vectors()
    rows = te.placeholder(a.shape, "int32", name="rows")
    by_value = te.compute(a.shape, lambda i: b[rows[i]], name="C")
    under_value = te.compute(a.shape, lambda i: te.if_then_else(rows[i] > 0, b[i], 0.0), name="C")
    assert requires(a, b, rows, by_value) == requires(a, b, rows, under_value) == ()


def test_scans():
    n, m = te.var("n"), te.var("m")
    x = te.placeholder((m, 4), name="X")
    steps = te.placeholder((n,), name="steps")
    state = te.placeholder((n, 4), name="state")
    init = te.compute((1, 4), lambda _, i: 0.0, name="init")
    update = te.compute((n, 4), lambda t, i: state[t - 1, i] + x[t - 1, i], name="update")
    conditions = requires(x, steps, te.scan(init, update, state, inputs=[x]))
    for rows in range(5):
        for times in range(5):
            assert holds(conditions, n=times, m=rows) == (rows >= times - 1)


def test_an_operator():
    n, k, m = te.var("n"), te.var("k"), te.var("m")
    a, b = te.placeholder((n, k), name="A"), te.placeholder((m,), name="B")
    add = kc.build([a, b, topi.nn.bias_add(a, b)])
    with pytest.raises(CallError) as caught:
        add(np.zeros((2, 4), np.float32), np.zeros(3, np.float32))
    assert str(caught.value) == (
        "error[KC5132]: main: the sizes of its arguments do not fit: m == k does not hold\n"
        "   |  m is 3, from argument 2 'B'\n"
        "   |  k is 4, from argument 1 'A'\n"
        "  why: T_bias_add takes m to be k"
    )
    assert add(np.zeros((0, 4), np.float32), np.zeros(4, np.float32)).shape == (0, 4)


def test_a_function_in_textual_ir_keeps_what_it_requires():
    a, b = vectors()
    c = te.compute(a.shape, lambda i: b[i], name="C")
    module = kc.lower(te.create_schedule(c.op), [a, b, c])
    again = kc.IRModule.parse(str(module))
    assert signatures_of(again.op)[0].requires == signatures_of(module.op)[0].requires
    assert holds(signatures_of(module.op)[0].requires, n=3, m=3)


# Products of sizes ------------------------------------------------------------------------------


def test_an_extent_that_is_a_product():
    n, m, k = (te.var(name) for name in "nmk")
    a = te.placeholder((k,), name="A")
    b = te.placeholder((n, m), name="B")
    c = te.compute((n * m,), lambda i: a[i] + b[0, 0], name="C")
    add = kc.build(te.create_schedule(c.op), [a, b, c])
    x, y, out = np.arange(6, dtype="f4"), np.ones((2, 3), "f4"), np.zeros(6, "f4")
    add(x, y, out)
    np.testing.assert_array_equal(out, x + 1)
    with pytest.raises(CallError) as caught:
        add(x[:5], y, out)
    assert str(caught.value) == (
        "error[KC5132]: main: the sizes of its arguments do not fit: k >= n * m does not hold\n"
        "   |  k is 5, from argument 1 'A'\n"
        "   |  n is 2, from argument 2 'B'\n"
        "   |  m is 3, from argument 2 'B'\n"
        "  why: C reads A[i]"
    )


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_an_argument_whose_size_is_a_product(offset: int):
    """Its size is checked by the call, and is the extent of what reads all of it."""
    n, m, k = (te.var(name) for name in "nmk")
    a = te.placeholder((n * m,), name="A")
    b = te.placeholder((n, m), name="B")
    d = te.placeholder((k,), name="D")
    c = te.compute((m * n,), lambda i: a[i] + b[0, 0] + d[i + offset], name="C")
    needed = requires(a, b, d, c)
    for sizes in np.ndindex(3, 3, 8):
        given = dict(zip("nmk", map(int, sizes), strict=True))
        count = given["n"] * given["m"]
        inside = all(0 <= i + offset < given["k"] for i in range(count))
        assert holds(needed, **given, A_0=count, C_0=count) == inside


def test_an_intermediate_whose_size_is_a_product():
    n, m, k = (te.var(name) for name in "nmk")
    a = te.placeholder((k,), name="A")
    b = te.placeholder((n, m), name="B")
    flat = te.compute((n * m,), lambda i: a[i] * 2, name="T")
    c = te.compute((n * m * 2,), lambda i: flat[i // 2] + b[0, 0], name="C")
    needed = requires(a, b, c)
    assert [size for size in range(10) if holds(needed, n=2, m=3, k=size, C_0=12)] == [6, 7, 8, 9]


PRODUCTS = {
    "rows": lambda n, m, p, i, j: i * m + j,
    "columns": lambda n, m, p, i, j: j * n + i,
    "rows with a gap": lambda n, m, p, i, j: i * (m + 1) + j + 2,
    "every other row, backwards": lambda n, m, p, i, j: 2 * (i * m) - j + 2,
}
"""Indices of a flat tensor of p elements, for the elements of n rows and m columns."""


@pytest.mark.parametrize("name", PRODUCTS)
def test_axes_times_sizes(name: str):
    """A call is refused exactly where an element is read that is not there."""
    index = PRODUCTS[name]
    n, m, p = te.var("n"), te.var("m"), te.var("p")
    D = te.placeholder((p,), "float32", name="D")
    C = te.compute((n, m), lambda i, j: D[index(n, m, p, i, j)], name="C")
    kernel = kc.build(te.create_schedule(C.op), [D, C])
    for rows, columns, size in itertools.product(range(4), range(4), range(15)):
        read = [index(rows, columns, size, i, j) for i in range(rows) for j in range(columns)]
        given = np.arange(size, dtype=np.float32)
        result = np.zeros((rows, columns), np.float32)
        if all(0 <= at < size for at in read):
            kernel(given, result)
            assert result.ravel().tolist() == read
        else:
            with pytest.raises(CallError) as refused:
                kernel(given, result)
            assert refused.value.code == "KC5132"


def test_axes_times_sizes_are_told():
    n, m, p = te.var("n"), te.var("m"), te.var("p")
    D = te.placeholder((p,), "float32", name="D")
    C = te.compute((n, m), lambda i, j: D[i * m + j], name="C")
    kernel = kc.build(te.create_schedule(C.op), [D, C])
    with pytest.raises(CallError) as refused:
        kernel(np.zeros(11, np.float32), np.zeros((3, 4), np.float32))
    assert str(refused.value) == (
        "error[KC5132]: main: the sizes of its arguments do not fit: p >= n * m does not hold\n"
        "   |  p is 11, from argument 1 'D'\n"
        "   |  n is 3, from argument 2 'C'\n"
        "   |  m is 4, from argument 2 'C'\n"
        "  why: C reads D[i * m + j]"
    )


@pytest.mark.parametrize("condition", [lambda m, p, i, j: i * m + j < p, lambda m, p, i, j: i < 1])
def test_guarded_axes_times_sizes_refuse_no_call(condition: Callable[..., Any]):
    """Also where the guard is more than is known of the product."""
    n, m, p = te.var("n"), te.var("m"), te.var("p")
    D = te.placeholder((p,), "float32", name="D")
    C = te.compute(
        (n, m),
        lambda i, j: te.if_then_else(condition(m, p, i, j), D[i * m + j], -1.0),
        name="C",
    )
    kernel = kc.build(te.create_schedule(C.op), [D, C])
    for rows, columns, size in itertools.product(range(3), range(3), range(3, 6)):
        expected = [
            i * columns + j if condition(columns, size, i, j) else -1
            for i in range(rows)
            for j in range(columns)
        ]
        if all(at < size for at in expected):
            result = np.zeros((rows, columns), np.float32)
            kernel(np.arange(size, dtype=np.float32), result)
            assert result.ravel().tolist() == expected
