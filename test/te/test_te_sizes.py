"""Products and quotients of sizes as dimensions, and sizes that are known through a dimension."""

import numpy as np
import pytest
from te_checks import refusal

import kc
from kc import te, tir

N, M, X = te.var("n"), te.var("m"), te.var("x")
MATRIX = te.placeholder((N, M), name="A")
GIVEN = np.arange(12, dtype=np.float32).reshape(3, 4)


def built(*args):
    return kc.build(te.create_schedule(args[-1].op), list(args))


def flatten():
    return te.compute((N * M,), lambda i: MATRIX[i // M, i % M], name="C")


def test_flatten():
    run = built(MATRIX, flatten())
    np.testing.assert_array_equal(run(GIVEN), GIVEN.ravel())
    assert run(np.zeros((0, 4), np.float32)).shape == (0,)
    with pytest.raises(kc.KCError) as caught:
        run(GIVEN, np.zeros(11, np.float32))
    assert str(caught.value) == (
        "error[KC5110]: main: argument 2 'C' has size 11 in dimension 0, "
        "expected n * m, which is 12\n"
        "   |  came: numpy.ndarray float32[11]\n"
        "   |  expected: C: out float32[n * m]\n"
        "  why: n is 3, from argument 1 'A'; m is 4, from argument 1 'A'"
    )


def test_a_flatten_is_scheduled():
    c = flatten()
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[0], factor=8)
    s[c].parallel(outer)
    s[c].vectorize(inner)
    np.testing.assert_array_equal(kc.build(s, [MATRIX, c])(GIVEN), GIVEN.ravel())
    sch = tir.Schedule(te.create_prim_func([MATRIX, c]))
    sch.split(sch.get_loops("C")[0], [None, 5])
    np.testing.assert_array_equal(kc.build(sch.mod)(GIVEN), GIVEN.ravel())


def test_a_reshape():
    flat = te.placeholder((N * M,), name="F")
    like = te.placeholder((N, M), name="L")
    c = te.compute((N, M), lambda i, j: flat[i * M + j] + like[i, j], name="C")
    run = built(flat, like, c)
    np.testing.assert_array_equal(run(GIVEN.ravel(), GIVEN), GIVEN * 2)
    with pytest.raises(kc.KCError) as caught:
        run(GIVEN.ravel()[:5], np.zeros((2, 3), np.float32))
    assert str(caught.value) == (
        "error[KC5132]: main: the sizes of its arguments do not fit: F_0 == n * m does not hold\n"
        "   |  F_0 is 5, from argument 1 'F'\n"
        "   |  n is 2, from argument 2 'L'\n"
        "   |  m is 3, from argument 2 'L'\n"
        "  why: dimension 0 of F is n * m"
    )


def test_products_of_three():
    a = te.placeholder((N, M, X), name="A")
    c = te.compute((N * M * X,), lambda i: a[i // (M * X), i // X % M, i % X], name="C")
    given = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(built(a, c)(given), given.ravel())


def test_quotients():
    c = te.compute((N, M // X), lambda i, j: MATRIX[i, j * X], name="C")
    run = built(MATRIX, X, c)
    for step in (1, 2, 3, 4, 5):
        out = np.zeros((3, 4 // step), np.float32)
        run(GIVEN, step, out)
        np.testing.assert_array_equal(out, GIVEN[:, : 4 // step * step : step])
    for step, size, text in (
        (2, 3, "m >= C_1 * x"),
        (2, 1, "(C_1 * x) + x >= m + 1"),
        (0, 3, "x >= 1"),
    ):
        with pytest.raises(kc.KCError) as caught:
            run(GIVEN, step, np.zeros((3, size), np.float32))
        error = caught.value
        assert (error.code, error.message, error.why) == (
            "KC5132",
            f"main: the sizes of its arguments do not fit: {text} does not hold",
            "dimension 1 of C is m // x",
        )


def test_a_dimension_that_determines_a_size():
    a = te.placeholder((M * 4 + 2,), name="A")
    c = te.compute((M * 2,), lambda i: a[2 * i] + a[2 * i + 2], name="C")
    run = built(a, c)
    given = np.arange(18, dtype=np.float32)
    np.testing.assert_array_equal(run(given), given[0:16:2] + given[2:18:2])
    for size, text in ((19, "(A_0 - 2) mod 4 == 0"), (1, "(A_0 - 2) mod 4 == 0")):
        with pytest.raises(kc.KCError) as caught:
            run(given[:1].repeat(size))
        assert (caught.value.code, caught.value.message, caught.value.why) == (
            "KC5132",
            f"main: the sizes of its arguments do not fit: {text} does not hold",
            "dimension 0 of A is (m * 4) + 2",
        )


def test_what_is_no_dimension():
    a = te.placeholder((N % M,), name="A")
    b = te.placeholder((N, M), name="B")
    c = te.compute((N, M), lambda i, j: a[0] + b[i, j], name="C")
    s = te.create_schedule(c.op)
    assert refusal(lambda: kc.lower(s, [a, b, c]), __file__) == (
        "error[KC2026]: a dimension of A is not an affine function of sizes\n"
        "  why: dimensions are sums and products of sizes, or their quotients\n"
        "  try: a te.var of its own, which the call takes from the array's shape"
    )
