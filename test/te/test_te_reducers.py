"""Reductions of kc.te: combiners of the user's, tuples, conditions, initial values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from te_checks import refusal

import kc
from kc import script, te, tir
from kc.analysis.interpreter import run
from kc.error import KCError

argmax = te.comm_reducer(
    lambda x, y: (te.Select(x[1] >= y[1], x[0], y[0]), te.max(x[1], y[1])),
    lambda i, v: (te.const(-1, i), te.min_value(v)),
    name="argmax",
)


def results(args: list[Any], outputs: list[Any], arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The values of ``outputs``, by the interpreter and natively, which must agree."""
    ops = list(dict.fromkeys(output.op for output in outputs))
    schedule = te.create_schedule(ops)
    shapes = [tuple(output.shape) for output in outputs]
    interpreted = [
        np.full(shape, 77, output.dtype) for shape, output in zip(shapes, outputs, strict=True)
    ]
    again = [array.copy() for array in interpreted]
    module = kc.lower(schedule, [*args, *outputs], name="f")
    run(module.op, "f", [*arrays, *interpreted])
    kc.build(schedule, [*args, *outputs], name="f")(*arrays, *again)
    for result, native in zip(interpreted, again, strict=True):
        np.testing.assert_allclose(result, native, rtol=1e-5, atol=1e-6)
    return again


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(1)


def test_argmax(random: np.random.Generator):
    a = te.placeholder((5, 12), name="A")
    k = te.reduce_axis((0, 12), name="k")
    index, value = te.compute((5,), lambda i: argmax((k.var, a[i, k]), axis=k), name="M")
    assert index.op is value.op
    assert (index.value_index, value.value_index) == (0, 1)
    assert (index.op.num_outputs, index.op.output(1)) == (2, value)
    assert (index.dtype, value.dtype) == ("int32", "float32")
    assert (index.name, value.name) == ("M_v0", "M_v1")
    x = random.standard_normal((5, 12)).astype(np.float32)
    out = results([a], [index, value], [x])
    np.testing.assert_array_equal(out[0], x.argmax(axis=1))
    np.testing.assert_array_equal(out[1], x.max(axis=1))


def test_one_output_is_enough(random: np.random.Generator):
    """An output that is no argument is kept inside."""
    a = te.placeholder((5, 12), name="A")
    k = te.reduce_axis((0, 12), name="k")
    index, _ = te.compute((5,), lambda i: argmax((k.var, a[i, k]), axis=k), name="M")
    x = random.standard_normal((5, 12)).astype(np.float32)
    (out,) = results([a], [index], [x])
    np.testing.assert_array_equal(out, x.argmax(axis=1))


def test_a_combiner_of_one_value(random: np.random.Generator):
    a = te.placeholder((6, 20), "int64", name="A")
    k = te.reduce_axis((0, 4), name="k")
    j = te.reduce_axis((0, 5), name="j")
    bits = te.comm_reducer(lambda x, y: x | y, lambda t: te.const(0, t), name="bits")
    c = te.compute((6,), lambda i: bits(a[i, k * 5 + j], axis=[k, j]), name="C")
    x = random.integers(0, 1000, (6, 20))
    np.testing.assert_array_equal(results([a], [c], [x])[0], np.bitwise_or.reduce(x, axis=1))
    assert bits(te.const(1), 2, 4).dtype == "int32"


def test_condition_and_initial_value(random: np.random.Generator):
    a = te.placeholder((6, 8), name="A")
    b = te.placeholder((6,), name="B")
    k = te.reduce_axis((0, 8), name="k")
    c = te.compute(
        (6,),
        lambda i: te.sum(a[i, i + k], axis=k, where=(i + k < 8) & (a[i, k] > 0), init=b[i]),
        name="C",
    )
    x, y = random.standard_normal((6, 8)), random.standard_normal(6)
    x, y = x.astype(np.float32), y.astype(np.float32)
    expected = [y[i] + sum(x[i, i + k] for k in range(8 - i) if x[i, k] > 0) for i in range(6)]
    np.testing.assert_allclose(results([a, b], [c], [x, y])[0], expected, rtol=1e-5)


@pytest.mark.parametrize("start", [3, te.const(3.0)])
def test_constant_initial_value(start: Any, random: np.random.Generator):
    a = te.placeholder((6, 8), name="A")
    k = te.reduce_axis((0, 8), name="k")
    c = te.compute((6,), lambda i: te.max(a[i, k], axis=k, init=start), name="C")
    x = random.standard_normal((6, 8)).astype(np.float32)
    np.testing.assert_array_equal(results([a], [c], [x])[0], np.maximum(x.max(axis=1), 3))


def test_welford(random: np.random.Generator):
    """Count, mean and sum of squared deviations."""

    def combine(a: Any, b: Any) -> Any:
        n = a[0] + b[0]
        delta = b[1] - a[1]
        share = b[0] / te.max(n, 1.0)
        return n, a[1] + delta * share, a[2] + b[2] + delta * delta * a[0] * share

    welford = te.comm_reducer(combine, lambda *types: tuple(te.const(0, t) for t in types))
    a = te.placeholder((3, 40), "float64", name="A")
    k = te.reduce_axis((0, 40), name="k")
    unit, zero = te.const(1, "float64"), te.const(0, "float64")
    n, mean, m2 = te.compute((3,), lambda i: welford((unit, a[i, k], zero), axis=k), name="W")
    variance = te.compute((3,), lambda i: m2[i] / n[i], name="V")
    x = random.standard_normal((3, 40))
    out = results([a], [mean, variance], [x])
    np.testing.assert_allclose(out[0], x.mean(axis=1))
    np.testing.assert_allclose(out[1], x.var(axis=1))


def test_tuples_without_a_reduction(random: np.random.Generator):
    a = te.placeholder((4, 3), name="A")
    both = te.compute((4, 3), lambda i, j: [a[i, j] * 2, a[i, j] > 0], name="P")
    assert [tensor.dtype for tensor in both] == ["float32", "bool"]
    (single,) = [te.compute((4, 3), lambda i, j: (a[i, j],), name="Q")]
    assert single.op.num_outputs == 1
    x = random.standard_normal((4, 3)).astype(np.float32)
    out = results([a], list(both), [x])
    np.testing.assert_array_equal(out[0], x * 2)
    np.testing.assert_array_equal(out[1], x > 0)


def test_values():
    assert te.max_value("int8").value == 127
    assert te.min_value("int8").value == -128
    assert te.max_value("uint16").value == 65535
    assert te.min_value("uint16").value == 0
    for dtype in ("float16", "float32", "float64"):
        assert te.max_value(dtype).value == float(np.finfo(dtype).max)
        assert te.min_value(dtype).value == float(np.finfo(dtype).min)


A = te.placeholder((8, 8), name="A")
N = te.placeholder((8,), "int32", name="N")


def axis() -> Any:
    return te.reduce_axis((0, 8), name="k")


def reduced(combine: Any, identity: Any, *values: Any, name: str = "r", **more: Any) -> Any:
    k = axis()
    given = values or (A[0, k],)
    reducer = te.comm_reducer(combine, identity, name)
    return reducer(given, axis=k, **more) if len(given) > 1 else reducer(*given, axis=k, **more)


def zero(dtype: str) -> Any:
    return te.const(0, dtype)


def two_reductions(both: bool) -> Any:
    k, j = axis(), axis()
    return te.compute(
        (8,), lambda i: (te.sum(A[i, k], axis=k), te.sum(A[i, j], axis=j) if both else A[i, 0])
    )


CASES: list[tuple[Callable[[], object], str]] = [
    (
        lambda: te.compute((8,), lambda i: (), name="C"),
        "error[KC2018]: compute C returns no value\n"
        "  why: the function must return at least one expression; each becomes a tensor",
    ),
    (
        lambda: A.op.output(1),
        "error[KC2031]: A has no output 1\n  why: it has 1, counted from 0",
    ),
    (
        lambda: reduced(lambda x: x, zero),
        "error[KC2040]: the combiner of r cannot be called with 2 arguments\n"
        "  why: the combiner takes two values (two tuples, if tuples are reduced), the identity "
        "one dtype for each value\n"
        "  try: te.comm_reducer(lambda x, y: x + y, lambda dtype: te.const(0, dtype))",
    ),
    (
        lambda: reduced(lambda x, y: x, lambda: 0),
        "error[KC2040]: the identity of r cannot be called with 1 argument\n"
        "  why: the combiner takes two values (two tuples, if tuples are reduced), the identity "
        "one dtype for each value\n"
        "  try: te.comm_reducer(lambda x, y: x + y, lambda dtype: te.const(0, dtype))",
    ),
    (
        lambda: te.comm_reducer(lambda x, y: x, zero)((), axis=axis()),
        "error[KC2040]: reduce: the list of values to reduce is empty",
    ),
    (
        lambda: te.comm_reducer(lambda x, y: x, zero, name=""),
        "error[KC2040]: the reducer's name is '', not a string",
    ),
    (
        lambda: reduced(lambda x, y: (x, y), zero),
        "error[KC2041]: the combiner of r returns 2 values for 1\n"
        "  why: it must return one value for each reduced expression",
    ),
    (
        lambda: reduced(lambda x, y: x > y, zero),
        "error[KC2042]: the combiner of r gives bool for value 0, which has type float32\n"
        "  why: results are combined again, so their types must not change\n"
        '  try: convert it: .astype("float32")',
    ),
    (
        lambda: reduced(lambda x, y: x + y * A[0, 0], zero),
        "error[KC2043]: the combiner of r uses the tensor A\n"
        "  why: a combiner can use only its arguments, constants, axes of the element that is "
        "reduced to, and sizes\n"
        "  try: make it a part of the reduced expression",
    ),
    (
        lambda: reduced(lambda x, y: x + y, lambda t: A[0, 0]),
        "error[KC2043]: the identity of r is not a constant\n"
        "  why: the identity must be the same for every element\n"
        "  try: te.const(0, dtype), te.min_value(dtype)",
    ),
    (
        lambda: two_reductions(True),
        "error[KC2044]: the values of compute compute are not results of one reduction\n"
        "  why: they are computed in one loop nest, in the order in which they are combined\n"
        "  try: make one compute a reduction\n"
        "  try: te.comm_reducer reduces a tuple of expressions over one set of axes",
    ),
    (
        lambda: two_reductions(False),
        "error[KC2044]: the values of compute compute are not results of one reduction\n"
        "  why: they are computed in one loop nest, in the order in which they are combined\n"
        "  try: make one compute a reduction\n"
        "  try: te.comm_reducer reduces a tuple of expressions over one set of axes",
    ),
    (
        lambda: te.compute((8,), lambda i: argmax((N[i], A[i, 0]), axis=axis())[1], name="C"),
        "error[KC2044]: compute C returns 1 of the 2 results of a reduction, or in another order\n"
        "  why: the results are computed together, so all are needed\n"
        "  try: return all results of the reducer, and use the tensor you need",
    ),
    (
        lambda: reduced(lambda x, y: x + y, zero, init=(1.0, 2.0)),
        "error[KC2045]: r: init has 2 values for 1 result",
    ),
    (
        lambda: reduced(lambda x, y: x + y, zero, init=te.const(1, "float64")),
        "error[KC2045]: r: init has type float64, the terms have float32\n"
        '  try: convert one: init.astype("float32")',
    ),
    (
        lambda: te.sum(A[0, 0], axis=(k := axis()), init=A[0, k]),
        "error[KC2045]: te.sum: init depends on the reduction axis k\n"
        "  why: a reduction starts from one value for each element of the result",
    ),
    (
        lambda: te.sum(A[0, 0], axis=axis(), where=N[0]),
        "error[KC2006]: the condition of te.sum has type int32\n  try: compare it: where=x > 0",
    ),
    (
        lambda: te.compute(
            (8,), lambda i: te.sum(A[i, 0], axis=axis(), where=A[i, 1] > j), name="C"
        ),
        "error[KC2019]: compute C uses the axis j, which is not one of its axes\n"
        "  why: a reduction axis is used without a reduction over it\n"
        "  try: te.sum(..., axis=j)",
    ),
]
j = te.reduce_axis((0, 8), name="j")


@pytest.mark.parametrize(("make", "expected"), CASES)
def test_refusals(make: Callable[[], object], expected: str):
    assert refusal(make, __file__) == expected


def test_a_combiner_uses_an_axis_of_the_element_and_a_size(random: np.random.Generator):
    n = te.var("n")
    a = te.placeholder((4, n), name="A")

    def combined(k: Any, i: Any) -> Any:
        chosen = te.comm_reducer(
            lambda x, y: te.Select(te.any(i < 2, n < 7), x + y, te.max(x, y)),
            lambda t: te.const(0, t),
        )
        return chosen(a[i, k], axis=k)

    x = random.random((4, 8), dtype="f4")
    wanted = np.where(np.arange(4) < 2, x.sum(1), x.max(1))
    for way in ("plain", "rfactor", "vectorize", "bind"):
        k = te.reduce_axis((0, n), name="k")
        c = te.compute((4,), lambda i, k=k: combined(k, i), name="C")
        s = te.create_schedule(c.op)
        _, inner = s[c].split(k, 4)
        if way == "rfactor":
            s.rfactor(c, inner)
        elif way == "vectorize":
            s[c].vectorize(inner)
        elif way == "bind":
            s[c].bind(c.op.axis[0], te.thread_axis("blockIdx.x"))
            s[c].bind(inner, te.thread_axis("threadIdx.x"))
        result = np.zeros(4, "f4")
        kc.build(s, [a, c], "cuda-emu" if way == "bind" else "llvm")(x, result)
        np.testing.assert_allclose(result, wanted, rtol=1e-6)
        run(kc.lower(s, [a, c]).op, "main", [x, result])
        np.testing.assert_allclose(result, wanted, rtol=1e-6)


def test_a_combiner_that_uses_an_axis_in_a_schedule_and_a_script():
    a = te.placeholder((4, 8), name="A")
    k = te.reduce_axis((0, 8), name="k")
    zero = te.const(0)

    def farthest(i: Any) -> Any:
        reducer = te.comm_reducer(
            lambda x, y: te.Select(te.abs(x - i) >= te.abs(y - i), x, y),
            lambda t: zero.astype(t),
            unsafe=True,  # 0 is nearer to i than the farthest of these values
        )
        return reducer(a[i, k], axis=k, init=i.astype("float32"))

    c = te.compute((4,), farthest, name="C")
    sch = tir.Schedule(te.create_prim_func([a, c]))
    _, inner = sch.split(sch.get_loops("C")[1], [None, 4])
    sch.rfactor(inner, 1)
    x = np.arange(32, dtype="f4").reshape(4, 8)
    result = np.zeros(4, "f4")
    run(sch.mod.op, "main", [x, result])
    np.testing.assert_array_equal(result, x[:, 7])
    again = script.from_source(sch.mod.script(style="tvmscript"))
    kc.ir.assert_structural_equal(again, sch.mod)
    assert refusal(
        lambda: te.compute(
            (4,),
            lambda i: te.comm_reducer(lambda x, y: x + k, lambda t: zero)(
                a[i, k].astype("int32"), axis=k
            ),
        ),
        __file__,
    ).startswith("error[KC2043]: the combiner of reduce uses the reduction axis k\n")


def test_an_axis_of_two_computes():
    k = axis()
    c = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="C")
    d, _ = te.compute((8,), lambda i: argmax((k.var, A[i, k]), axis=k), name="D")
    with pytest.raises(KCError) as caught:
        te.create_prim_func([A, c, d])
    text = str(caught.value)
    assert text.startswith("error[KC2017]: reduction axis k belongs to C already\n")
    assert text.count("test_te_reducers.py:") == 2  # both lines
    assert "try: make another: te.reduce_axis((0, 8), name='k')" in text


def test_extents_that_depend_on_the_element(random: np.random.Generator):
    """Rows of different lengths, and the rows of a triangle."""
    a, n = te.placeholder((6, 8), name="A"), te.placeholder((6,), "int32", name="N")

    def ragged(i: Any) -> Any:
        k = te.reduce_axis((0, n[i]), name="k")
        return te.sum(a[i, k], axis=k)

    def triangle(i: Any) -> Any:
        k = te.reduce_axis((0, i + 1), name="k")
        return te.max(a[i, k], axis=k)

    b = te.compute((6,), ragged, name="B")
    c = te.compute((6,), triangle, name="C")
    assert b.op.input_tensors == [n, a]
    x = random.standard_normal((6, 8)).astype(np.float32)
    lengths = np.array([3, 8, 1, 2, 5, 4], np.int32)
    out = results([a, n], [b, c], [x, lengths])
    np.testing.assert_allclose(out[0], [x[i, : lengths[i]].sum() for i in range(6)], rtol=1e-5)
    np.testing.assert_array_equal(out[1], [x[i, : i + 1].max() for i in range(6)])
