"""online_softmax: equal results, also for rows with infinities, NaN and no finite term."""

import numpy as np
import pytest

import kc
from kc import te
from kc.support.diagnostics import ScheduleError

ROWS, TERMS, WIDTH = 8, 12, 3


def quotient(a, b):
    return a / b


def by_inverse(a, b):
    return a * (1 / b)


def weighted(*, is_divided_before: bool, power=te.exp, divided=quotient) -> list[te.Tensor]:
    """Weighted sums of the rows of V, whose weights are divided before or after these."""
    X = te.placeholder((ROWS, TERMS), name="X")
    V = te.placeholder((TERMS, WIDTH), name="V")
    j, k, n = (te.reduce_axis((0, TERMS), name) for name in "jkn")
    M = te.compute((ROWS,), lambda i: te.max(X[i, j] * 0.5, axis=j), name="M")
    E = te.compute((ROWS, TERMS), lambda i, j: power(X[i, j] * 0.5 - M[i]), name="E")
    T = te.compute((ROWS,), lambda i: te.sum(E[i, k], axis=k), name="T")
    if is_divided_before:
        P = te.compute((ROWS, TERMS), lambda i, j: divided(E[i, j], T[i]), name="P")
        R = te.compute((ROWS, WIDTH), lambda i, d: te.sum(P[i, n] * V[n, d], axis=n), name="R")
    else:
        S = te.compute((ROWS, WIDTH), lambda i, d: te.sum(V[n, d] * E[i, n], axis=n), name="S")
        R = te.compute((ROWS, WIDTH), lambda i, d: divided(S[i, d], T[i]), name="R")
    return [X, V, R]


def online(args: list[te.Tensor], terms: int, rows: int) -> kc.tir.Schedule:
    sch = kc.tir.Schedule(te.create_prim_func(args))
    i, j = sch.get_loops("M")
    i, ii = sch.split(i, [None, rows])
    j, jj = sch.split(j, [None, terms])
    sch.reorder(i, j, ii, jj)
    sch.online_softmax("M", j)
    return sch


def expected(x: np.ndarray, v: np.ndarray, power=np.exp) -> np.ndarray:
    x = x.astype("float64") * 0.5
    with np.errstate(invalid="ignore"):
        powers = power(x - x.max(1, keepdims=True))
    return powers @ v / powers.sum(1, keepdims=True)


@pytest.mark.parametrize("divided", [quotient, by_inverse])
@pytest.mark.parametrize(
    ("is_divided_before", "terms", "rows"), [(True, 4, 1), (False, 3, 4), (False, 12, 8)]
)
def test_the_result_is_that_of_numpy(is_divided_before, terms, rows, divided):
    args = weighted(is_divided_before=is_divided_before, divided=divided)
    module = kc.build(online(args, terms, rows), target="llvm")
    rng = np.random.default_rng(terms)
    x = rng.standard_normal((ROWS, TERMS)).astype("float32") * 20
    v = rng.standard_normal((TERMS, WIDTH)).astype("float32")
    inf = np.float32(np.inf)
    x[0, :6] = -inf  # the first parts of the row have no finite term
    x[1] = -inf
    x[2, 7] = inf
    x[3, 5] = np.nan
    x[4] = np.linspace(-3e38, 3e38, TERMS)
    r = np.zeros((ROWS, WIDTH), "float32")
    module(x, v, r)
    np.testing.assert_allclose(r, expected(x, v), rtol=2e-5, atol=1e-6)
    assert np.isnan(r[[1, 2, 3]]).all()
    assert np.isfinite(r[[0, 4, 5, 6, 7]]).all()


@pytest.mark.parametrize("divided", [quotient, lambda a, b: (1 / b) * a])
def test_another_row_of_the_sum(divided):
    X = te.placeholder((ROWS, TERMS), name="X")
    j, k = te.reduce_axis((0, TERMS), "j"), te.reduce_axis((0, TERMS), "k")
    M = te.compute((ROWS,), lambda i: te.max(X[i, j], axis=j), name="M")
    E = te.compute((ROWS, TERMS), lambda i, j: te.exp(X[i, j] - M[i]), name="E")
    T = te.compute((ROWS,), lambda i: te.sum(E[i, k], axis=k), name="T")
    n = te.reduce_axis((0, TERMS), "n")
    R = te.compute((ROWS,), lambda i: te.sum(divided(E[i, n], T[ROWS - 1 - i]), axis=n), name="R")
    sch = kc.tir.Schedule(te.create_prim_func([X, R]))
    with pytest.raises(ScheduleError) as refused:
        sch.online_softmax("M", sch.get_loops("M")[-1])
    assert refused.value.code == "KC3620"
    assert refused.value.why == "block R reads T at indices that are not its variables"


def test_inverses_of_what_is_weighted():
    X, V = te.placeholder((ROWS, TERMS), name="X"), te.placeholder((TERMS, WIDTH), name="V")
    j, k, n = (te.reduce_axis((0, TERMS), name) for name in "jkn")
    M = te.compute((ROWS,), lambda i: te.max(X[i, j], axis=j), name="M")
    E = te.compute((ROWS, TERMS), lambda i, j: te.exp(X[i, j] - M[i]), name="E")
    T = te.compute((ROWS,), lambda i: te.sum(E[i, k], axis=k), name="T")
    P = te.compute((ROWS, TERMS), lambda i, j: E[i, j] * (1 / T[i]), name="P")
    R = te.compute((ROWS, WIDTH), lambda i, d: te.sum(P[i, n] * (1 / V[n, d]), axis=n), name="R")
    rng = np.random.default_rng(8)
    x = rng.standard_normal((ROWS, TERMS)).astype("float32")
    v = rng.uniform(1, 9, (TERMS, WIDTH)).astype("float32")
    r = np.zeros((ROWS, WIDTH), "float32")
    kc.build(online([X, V, R], 4, 2), target="llvm")(x, v, r)
    powers = np.exp(x.astype("float64") - x.max(1, keepdims=True))
    np.testing.assert_allclose(r, powers @ (1 / v) / powers.sum(1, keepdims=True), rtol=2e-6)


def test_another_inverse_than_that_of_the_sum():
    X = te.placeholder((ROWS, TERMS), name="X")
    j, k, n = (te.reduce_axis((0, TERMS), name) for name in "jkn")
    M = te.compute((ROWS,), lambda i: te.max(X[i, j], axis=j), name="M")
    E = te.compute((ROWS, TERMS), lambda i, j: te.exp(X[i, j] - M[i]), name="E")
    T = te.compute((ROWS,), lambda i: te.sum(E[i, k], axis=k), name="T")
    R = te.compute((ROWS,), lambda i: te.sum(E[i, n] * (2 / T[i]), axis=n), name="R")
    sch = kc.tir.Schedule(te.create_prim_func([X, R]))
    with pytest.raises(ScheduleError) as refused:
        sch.online_softmax("M", sch.get_loops("M")[-1])
    assert refused.value.code == "KC3620"
    assert refused.value.why == "block R is not linear in the weights"


def test_powers_of_two():
    args = weighted(is_divided_before=True, power=te.exp2)
    sch = online(args, 4, 2)
    assert "math.exp2" in str(sch.mod)
    module = kc.build(sch, target="llvm")
    rng = np.random.default_rng(0)
    x = rng.standard_normal((ROWS, TERMS)).astype("float32")
    v = rng.standard_normal((TERMS, WIDTH)).astype("float32")
    r = np.zeros((ROWS, WIDTH), "float32")
    module(x, v, r)
    np.testing.assert_allclose(r, expected(x, v, np.exp2), rtol=2e-5, atol=1e-6)


def test_another_block_may_stand_between_the_blocks():
    text = str(kc.tir.Schedule(te.create_prim_func(weighted(is_divided_before=False))).mod)
    before, sums = text.split('tir.block "T"')
    at = before.rindex("tir.for", 0, before.rindex("tir.for"))
    between = """%Q = tir.alloc "Q" : memref<8xf32>
    tir.for %q in 8 {
      tir.block "Q" (spatial %v in 8 = %q) do {
        %x = tir.load %X[%v, 0] : memref<8x12xf32>
        tir.store %x, %Q[%v] : memref<8xf32>
      }
    }
    """
    text = f'{before[:at]}{between}{before[at:]}tir.block "T"{sums}'
    sch = kc.tir.Schedule(kc.IRModule.parse(text))
    sch.online_softmax("M", sch.get_loops("M")[1])
    assert sch.get_loops("Q")[0] != sch.get_loops("M")[0]
