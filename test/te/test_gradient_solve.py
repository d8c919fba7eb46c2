"""Index equations solved for loops: random reads, against sums over all iterations."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.expr.constructors import Element, IterVar, const
from kc.te.autodiff.reads import Nest, Read, adjoint


def flow(shape: Any, extents: Any, index: Any, conditions: Any = ()) -> tuple[Any, list[Any], str]:
    """The flow from a read of a tensor of ``shape``: the indices' loops and conditions."""
    axes = [IterVar("ijklmn"[n], extent, "spatial") for n, extent in enumerate(extents)]
    tensor = te.placeholder(shape, "float64", name="X")
    element = tensor(*index(*axes))
    assert isinstance(element, Element)
    read = Read(element, const(1.0, "float64"), tuple(conditions))
    flowing = adjoint(read, Nest("Y", tuple(axes), ()))
    if flowing is None:
        return None, [], ""
    loops = [(axis.name, extent) for axis, extent in flowing.loops]
    return flowing, loops, str(len(flowing.conditions))


@pytest.mark.parametrize(
    ("shape", "extents", "index", "loops", "conditions"),
    [
        # The longest loop goes; of equal ones the first.
        ((12,), (10, 3), lambda i, j: (i + j,), [("j", 3)], 2),
        ((12,), (3, 10), lambda i, j: (i + j,), [("i", 3)], 2),
        # Modulo the stride a shorter loop is left, or none.
        ((22,), (10, 4), lambda i, j: (i * 2 + j,), [("j", 2)], 2),
        ((20,), (10, 2), lambda i, j: (i * 2 + j,), [], 0),
        ((40,), (10, 2), lambda i, j: (i * 4 + j,), [], 1),
        ((32,), (10, 5), lambda i, j: (i * 2 + j * 3,), [("j", 3)], 3),
        # Mixed radix: all of them.
        ((24,), (2, 3, 4), lambda i, j, k: (i * 12 + j * 4 + k,), [], 0),
        ((3, 8), (4, 6), lambda i, j: ((i * 6 + j) // 8, (i * 6 + j) % 8), [], 0),
        # Quotients and remainders.
        ((5,), (20,), lambda i: (i // 4,), [("i_i", 4)], 0),
        ((4,), (20,), lambda i: (i % 4,), [("i_o", 5)], 0),
        ((4,), (18,), lambda i: (i % 4,), [("i_o", 5)], 1),
        # Several equations for one loop.
        ((6, 6), (6,), lambda i: (i, i), [], 1),
        ((6, 6), (6,), lambda i: (i, 5 - i), [], 1),
        # Loops that are not read with.
        ((6,), (6, 7), lambda i, j: (i,), [("j", 7)], 0),
    ],
)
def test_loops_that_are_left(shape: Any, extents: Any, index: Any, loops: Any, conditions: int):
    _, left, count = flow(shape, extents, index)
    assert left == loops
    assert count == str(conditions)


def test_contradictions():
    """Nothing flows where no iteration reads."""
    assert flow((8,), (4,), lambda i: (i * 2,), [const(False)])[0] is None
    i = te.placeholder((4,), name="A")
    never = te.compute((4,), lambda n: te.if_then_else(n > 5, i[n], 0.0), name="never")
    (gradient,) = te.gradient(never, [i], te.placeholder((4,), name="head"))
    assert "if" not in str(kc.lower(te.create_schedule(gradient.op), [gradient]))


@st.composite
def reads(draw: st.DrawFn) -> tuple[list[int], int, list[Any]]:
    """Extents of loops, how many of them are reduced, and index functions."""
    extents = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    reduced = draw(st.integers(0, min(2, len(extents))))

    def index() -> Any:
        factor = st.sampled_from([0, 0, 1, 1, 2, 3, 4, 6, -1, -2])
        factors = [draw(factor) for _ in extents]
        kind = draw(st.sampled_from(["linear", "linear", "quotient", "remainder", "both"]))
        by, more = draw(st.integers(2, 4)), draw(st.integers(0, 2))
        shift = -sum(min(0, f) * (e - 1) for f, e in zip(factors, extents, strict=True))

        def function(place: Any) -> Any:
            terms = [p * f for p, f in zip(place, factors, strict=True) if f]
            whole = sum(terms[1:], terms[0]) + shift if terms else place[0] * 0
            if kind == "quotient":
                return whole // by
            if kind == "remainder":
                return whole % by
            return whole // by + place[-1] * more if kind == "both" else whole

        return function

    return extents, reduced, [index() for _ in range(draw(st.integers(1, 2)))]


@examples(20)
@given(reads(), st.integers(0, 3))
def test_gradients_of_random_reads(case: tuple[list[int], int, list[Any]], padding: int):
    """With ``padding`` some indices are outside of the tensor, where nothing is read."""
    extents, reduced, functions = case
    places = list(itertools.product(*map(range, extents)))
    shape = [max(1, max(f(p) for p in places) + 1 - padding) for f in functions]
    outer = tuple(extents[: len(extents) - reduced])
    x, w = te.placeholder(shape, "float64", name="X"), te.placeholder(extents, "float64", name="W")
    loops = [te.reduce_axis((0, n)) for n in extents[len(outer) :]]

    def body(*axes: Any) -> Any:
        place = [*axes, *loops]
        index = [f(place) for f in functions]
        term = x[tuple(index)]
        if padding:
            inside = [i < size for i, size in zip(index, shape, strict=True)]
            term = te.if_then_else(te.all(*inside), term, 0.0)
        term = term * w[tuple(place)]
        return te.sum(term, axis=loops) if loops else term

    y = te.compute(outer, body, name="Y")
    head = te.placeholder(outer, "float64", name="head")
    (gradient,) = te.gradient(y, [x], head)
    rng = np.random.default_rng(0)
    weights, flows = (np.array(rng.integers(-4, 5, shape_), float) for shape_ in (extents, outer))
    expected = np.zeros(shape)
    for place in places:
        index = tuple(f(place) for f in functions)
        if all(i < size for i, size in zip(index, shape, strict=True)):
            expected[index] += weights[place] * flows[place[: len(outer)]]
    out = np.full(shape, 77.0)
    module = kc.lower(te.create_schedule(gradient.op), [w, head, gradient])
    run(module.op, "main", [weights, flows, out])
    np.testing.assert_array_equal(out, expected)
