"""Gradients through choices (max, min, zeros of a product, branches) by numbers that are computed.

Products and sums are one operation here and two there, as compilers please. What is chosen must not
depend on it: neither may what flows to a result be lost, nor flow twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.codegen.native_target import host_target

N = 96
LEVELS = (0, 1, 2, 3)
HOST = f"llvm -mcpu={host_target()[1]}"
"""With what this machine has: products and sums in one operation, mostly."""
TARGETS = (HOST, f"{HOST} -contract=0", f"{HOST} -fast-math", "c")

Array = Any


def tensor(shape: tuple[int, ...], name: str) -> Any:
    return te.placeholder(shape, "float64", name=name)


def rows_of(x: Sequence[Any], reducer: Callable[..., Any]) -> Any:
    """For each row the largest or smallest of a product and a sum."""
    a, b, c = x
    k = te.reduce_axis((0, N), name="k")
    return te.compute((N,), lambda i: reducer(a[k] * b[k] + c[i, k], axis=k), name="T")


def rows_by_stages(x: Sequence[Any], reducer: Callable[..., Any]) -> Any:
    """The same by a stage of its own, which a schedule may inline."""
    a, b, c = x
    k = te.reduce_axis((0, N), name="k")
    d = te.compute((N, N), lambda i, j: a[j] * b[j] + c[i, j], name="D")
    return te.compute((N,), lambda i: reducer(d[i, k], axis=k), name="T")


def inputs() -> list[Any]:
    return [tensor((N,), "A"), tensor((N,), "B"), tensor((N, N), "C")]


def expected_of(arrays: Sequence[Array], best: Any) -> tuple[Array, Array]:
    """The flows to A and to C. Rounding decides nothing: no two terms of these are that near."""
    a, b, c, head = arrays
    flows = np.zeros((N, N))
    flows[np.arange(N), best(a * b + c, axis=1)] = head
    return flows.sum(axis=0) * b, flows


def plain(s: te.Schedule, outputs: Sequence[Any]) -> None:
    """As it is."""


def inlined(s: te.Schedule, outputs: Sequence[Any]) -> None:
    for stage in s.stages:
        is_elementwise = isinstance(stage.op, te.ComputeOp) and not stage.op.reduce_axis
        if is_elementwise and not any(stage.op is tensor.op for tensor in outputs):
            stage.compute_inline()


def in_vectors(s: te.Schedule, outputs: Sequence[Any]) -> None:
    for stage in s.stages:
        if isinstance(stage.op, te.ComputeOp):
            outer, inner = stage.split(stage.op.axis[-1], factor=8)
            if not stage.op.reduce_axis:
                stage.vectorize(inner)
            else:
                stage.reorder(outer, *stage.op.reduce_axis, inner)
                if len(stage.op.axis) == 1:
                    stage.parallel(outer)


def unrolled(s: te.Schedule, outputs: Sequence[Any]) -> None:
    """Inlined, and five parts of each reduction at once."""
    inlined(s, outputs)
    for stage in s.stages:
        if isinstance(stage.op, te.ComputeOp) and stage.op.reduce_axis:
            outer, inner = stage.split(stage.op.reduce_axis[0], nparts=5)
            stage.unroll(outer)
            stage.reorder(inner, outer)


SCHEDULES = (
    plain,
    inlined,
    *(pytest.param(schedule, marks=pytest.mark.slow) for schedule in (in_vectors, unrolled)),
)


def with_sweep(cases: Iterable[tuple[Any, ...]], kept: Callable[..., bool]) -> list[Any]:
    """Cases of which those that are not ``kept`` are run by `make sweep` alone."""
    marks = pytest.mark.sweep
    return [case if kept(*case) else pytest.param(*case, marks=marks) for case in cases]


def built(
    args: Sequence[Any],
    outputs: Sequence[Any],
    schedule: Callable[..., None] = plain,
    level: int = 2,
    target: str = HOST,
) -> Callable[[Sequence[Array]], list[Array]]:
    s = te.create_schedule([output.op for output in outputs])
    schedule(s, outputs)
    with kc.transform.PassContext(opt_level=level):
        function = kc.build(s, [*args, *outputs], target=target)

    def call(arrays: Sequence[Array]) -> list[Array]:
        results = [np.full(output.shape, 77.0) for output in outputs]
        function(*arrays, *results)
        return results

    return call


def call(
    args: Sequence[Any], outputs: Sequence[Any], arrays: Sequence[Array], *options: Any
) -> list[Array]:
    return built(args, outputs, *options)(arrays)


def some_arrays(seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, shape) for shape in ((N,), (N,), (N, N), (N,))]


def check_rows(rows: Callable[..., Any], reducer: str, **options: Any) -> None:
    x, head = inputs(), tensor((N,), "head")
    y = rows(x, getattr(te, reducer))
    slopes_of = built([*x, head], te.gradient(y, [x[0], x[2]], head), **options)
    for seed in range(3):
        arrays = some_arrays(seed)
        slopes = slopes_of(arrays)
        for slope, want in zip(
            slopes, expected_of(arrays, getattr(np, f"arg{reducer}")), strict=True
        ):
            np.testing.assert_allclose(slope, want, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("reducer", ["max", "min"])
@pytest.mark.parametrize("rows", [rows_of, rows_by_stages])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_largest_keeps_all_that_flows(
    schedule: Callable[..., None], rows: Callable[..., Any], reducer: str
):
    check_rows(rows, reducer, schedule=schedule)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "target"),
    with_sweep(product(LEVELS, TARGETS), lambda level, target: target == HOST or level in (0, 2)),
)
def test_at_every_level(level: int, target: str):
    check_rows(rows_by_stages, "max", schedule=inlined, level=level, target=target)


def test_in_the_interpreter():
    x, head = inputs(), tensor((N,), "head")
    (da,) = te.gradient(rows_of(x, te.max), [x[0]], head)
    arrays, out = some_arrays(0), np.full(N, 77.0)
    module = kc.lower(te.create_schedule(da.op), [*x, head, da])
    run(module.op, "main", [*arrays, out])
    np.testing.assert_allclose(out, expected_of(arrays, np.argmax)[0], rtol=1e-12)


@pytest.mark.parametrize(
    ("level", "schedule"),
    with_sweep(
        product(LEVELS, (plain, inlined, in_vectors, unrolled)),
        lambda level, schedule: schedule is plain or level == 2,
    ),
)
def test_equal_terms_share(level: int, schedule: Callable[..., None]):
    """Every second term is equal to the one before it, whatever it is rounded to."""
    x, head = inputs(), tensor((N,), "head")
    _, dc = te.gradient(rows_by_stages(x, te.max), [x[0], x[2]], head)
    a, b, c, h = some_arrays(4)
    for array in (a, b, c):
        array[..., 1::2] = array[..., ::2]
    (slopes,) = call([*x, head], [dc], [a, b, c, h], schedule, level)
    want = expected_of([a, b, c, h], np.argmax)[1] / 2
    np.testing.assert_array_equal(slopes, want + np.roll(want, 1, axis=1))


def test_the_initial_value_is_one_of_the_terms():
    """It gets what flows where it is larger than all others, and its share where it is as large."""
    a, b = tensor((4,), "A"), tensor((3,), "B")
    k = te.reduce_axis((0, 4), name="k")
    y = te.compute((3,), lambda i: te.max(a[k] * a[k] + 1.0, axis=k, init=b[i] * 2.0), name="Y")
    head = tensor((3,), "head")
    arrays = [np.array([1.0, 3, 2, -3]), np.array([1.0, 5, 9]), np.array([1.0, 6, 100])]
    da, db = call([a, b, head], te.gradient(y, [a, b], head), arrays)
    # The largest terms are two of 10: alone, with 2 * 5, and less than 2 * 9.
    np.testing.assert_array_equal(da, [0, 3 + 12, 0, -3 - 12])
    np.testing.assert_array_equal(db, [0, 4, 200])


def test_two_axes_of_reduction_with_a_condition():
    x = tensor((5, 6), "X")
    p, q = te.reduce_axis((0, 3), name="p"), te.reduce_axis((0, 3), name="q")
    y = te.compute(
        (3, 4),
        lambda i, j: te.min(
            x[i + p, j + q] * x[i + p, j + q] + 0.1, axis=[p, q], where=x[i + p, j + q] * 0.3 > 0.01
        ),
        name="Y",
    )
    head = tensor((3, 4), "head")
    rng = np.random.default_rng(0)
    values, h = rng.uniform(-1, 1, (5, 6)), rng.uniform(-1, 1, (3, 4))
    want = np.zeros((5, 6))
    for i, j in np.ndindex(3, 4):
        window = values[i : i + 3, j : j + 3]
        best = np.argmin(np.where(window * 0.3 > 0.01, window * window, np.inf))
        at = i + best // 3, j + best % 3
        want[at] += h[i, j] * 2 * values[at]
    (slopes,) = call([x, head], te.gradient(y, [x], head), [values, h])
    np.testing.assert_allclose(slopes, want, rtol=1e-12)


def central_difference(function: Callable[[Array], float], x: Array) -> Array:
    slopes = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        slopes[place] = (function(x + step) - function(x - step)) / 2e-6
    return slopes


@pytest.mark.parametrize("reducer", ["max", "min"])
def test_central_differences(reducer: str):
    x, w = tensor((6, 5), "X"), tensor((5,), "W")
    k = te.reduce_axis((0, 5), name="k")
    y = te.compute(
        (6,),
        lambda i: getattr(te, reducer)(te.sqrt(x[i, k] * x[i, k] + w[k] * w[k]) + w[k], axis=k),
        name="Y",
    )
    head = tensor((6,), "head")
    rng = np.random.default_rng(1)
    xs, ws, h = rng.uniform(-1, 1, (6, 5)), rng.uniform(-1, 1, 5), rng.uniform(-1, 1, 6)

    def value(xs: Array, ws: Array) -> float:
        return float(getattr(np.sqrt(xs * xs + ws * ws) + ws, reducer)(axis=1) @ h)

    slopes = call([x, w, head], te.gradient(y, [x, w], head), [xs, ws, h])
    want = [
        central_difference(lambda moved: value(moved, ws), xs),
        central_difference(lambda moved: value(xs, moved), ws),
    ]
    for slope, wanted in zip(slopes, want, strict=True):
        np.testing.assert_allclose(slope, wanted, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_zeros_of_a_product(schedule: Callable[..., None]):
    """If one factor is 0, its slope is the product of the other factors, and their slopes are 0."""
    a, b, c, head = (tensor(shape, name) for shape, name in zip(SHAPES, "ABCh", strict=True))
    prod = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="prod")
    k = te.reduce_axis((0, N), name="k")
    y = te.compute((N,), lambda i: prod(a[k] * b[k] - c[i, k], axis=k), name="Y")
    (dc,) = te.gradient(y, [c], head)
    values = some_arrays(5)
    products = values[0] * values[1]
    factors = np.random.default_rng(6).choice([0.5, 1, 2], (N, N))
    factors[np.arange(N), np.arange(N)[::-1]] = 0
    values[2] = products - factors
    (slopes,) = call([a, b, c, head], [dc], values, schedule)
    rest = np.where(factors == 0, 1, factors).prod(axis=1)
    want = np.where(factors == 0, -(values[3] * rest)[:, None], 0)
    # Where a factor is rounded once, it is a little more or less than 0.
    np.testing.assert_allclose(slopes, want, rtol=1e-9, atol=1e-12 * np.abs(want).max())


SHAPES = ((N,), (N,), (N, N), (N,))
CHOICES: dict[str, Callable[[Any, Any], Any]] = {
    "max": lambda x, y: te.max(x, y),
    "min": lambda x, y: te.min(x, y),
    "select": lambda x, y: te.Select(x > y, x, y),
    "branch": lambda x, y: te.if_then_else(x >= y, x, y),
    "of the difference": lambda x, y: te.if_then_else(x - y > 0.0, x, y),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", CHOICES)
def test_one_of_two_gets_it(name: str, schedule: Callable[..., None]):
    """If only rounding decides which operand is larger, the gradients of both add up to the
    gradient of Y.
    """
    a, b, c = (tensor(shape, name) for shape, name in zip(SHAPES[:3], "ABC", strict=True))
    d, head = tensor((N, N), "D"), tensor((N, N), "head")
    y = te.compute(
        (N, N), lambda i, j: CHOICES[name](a[j] * b[j] - c[i, j], d[i, j] * 1.0), name="Y"
    )
    values = some_arrays(5)[:3]
    arrays = [*values, values[0] * values[1] - values[2], np.ones((N, N))]
    da, dd = call([a, b, c, d, head], te.gradient(y, [a, d], head), arrays, schedule)
    np.testing.assert_allclose(da / values[1] + dd.sum(axis=0), np.full(N, N), rtol=1e-12)
