"""rfactor of TE: partial results over one leaf of a reduction, in the place that is asked for."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from te_checks import check, nest, refusal, warnings_of

from kc import te


def row_sum(m: int = 6, n: int = 20):
    a = te.placeholder((m, n), name="A")
    k = te.reduce_axis((0, n), name="k")
    b = te.compute((m,), lambda i: te.sum(a[i, k], axis=k), name="B")
    return a, b, k


def test_of_a_split_axis():
    a, b, k = row_sum()
    s = te.create_schedule(b.op)
    ko, ki = s[b].split(k, factor=5)
    bf = s.rfactor(b, ki)
    assert (bf.name, bf.shape) == ("B_rf", (5, 6))
    assert [axis.name for axis in s[bf].op.axis] == ["k_i", "i"]
    assert [axis.name for axis in s[bf].op.reduce_axis] == ["k_o"]
    assert [axis.name for axis in s[b].op.reduce_axis] == ["k_i_v"]
    # The axes of the partial results are the old ones; those of the result are new.
    assert s[bf].op.axis[1] is b.op.axis[0]
    assert s[b].op.axis[0] is not b.op.axis[0]
    assert ko not in s[bf].leaf_iter_vars
    s[bf].compute_at(s[b], s[b].op.axis[0])
    s[bf].vectorize(s[bf].op.axis[0])
    s[bf].reorder(*s[bf].op.reduce_axis, s[bf].op.axis[0])
    assert nest(s, [a, b]) == [
        "for i in 6",
        "  for k_o in 4",
        "    for i_1 in 1".replace(' "i_1"', ""),
        "      for k_i in 5 vectorized",
        "        block B_rf",
        "  for k_i_v in 5",
        "    block B",
    ]
    check(s, [a, b], lambda x: x.sum(1))


@pytest.mark.parametrize(
    ("place", "factor"), [*product((0, 1, 2), (3, 4, 7, 30)), (-1, 3), (-3, 7)]
)
def test_in_every_place_and_for_every_tail(place: int, factor: int):
    a = te.placeholder((5, 7, 2), name="A")
    k = te.reduce_axis((0, 7), name="k")
    b = te.compute((5, 2), lambda i, j: te.max(a[i, k, j], axis=k), name="B")
    s = te.create_schedule(b.op)
    ko, ki = s[b].split(k, factor=factor)
    bf = s.rfactor(b, ki if factor < 7 else ko, place)
    assert bf.shape.index(factor if factor < 7 else 1) == place % 3
    check(s, [a, b], lambda x: x.max(1))


def test_of_a_whole_axis_and_of_one_of_two():
    a = te.placeholder((4, 6, 5), name="A")
    k, r = te.reduce_axis((0, 6), name="k"), te.reduce_axis((1, 5), name="r")
    b = te.compute((4,), lambda i: te.sum(a[i, k, r], axis=[k, r]), name="B")
    for axis in (k, r):
        s = te.create_schedule(b.op)
        bf = s.rfactor(b, axis)
        (left,) = s[bf].op.reduce_axis
        assert left is (r if axis is k else k)
        s[bf].split(left, factor=3)
        check(s, [a, b], lambda x: x[:, :, 1:].sum((1, 2)))


@pytest.mark.parametrize("which", [0, 1])
def test_what_is_computed_of_an_axis_in_symbolic_parts(which: int):
    n = te.var("n")
    a = te.placeholder((4, n), "int32", name="A")
    k = te.reduce_axis((1, n), name="k")
    b = te.compute(
        (4,),
        lambda i: te.sum(te.if_then_else(k < n - i, a[i, k - 1] * k, k // 2), axis=k),
        name="B",
    )
    s = te.create_schedule(b.op)
    s.rfactor(b, s[b].split(k, nparts=3)[which])

    def reference(x: np.ndarray) -> np.ndarray:
        size = x.shape[1]
        i, at = np.ogrid[:4, 1:size]
        return np.where(at < size - i, x[i, at - 1] * at, at // 2).sum(1)

    check(s, [a, b], reference, sizes=[{"n": size} for size in (1, 2, 9)])


def test_of_fused_axes_split_again():
    a = te.placeholder((4, 6, 5), name="A")
    k, r = te.reduce_axis((0, 6), name="k"), te.reduce_axis((0, 5), name="r")
    b = te.compute((4,), lambda i: te.sum(a[i, k, r], axis=[k, r]), name="B")
    s = te.create_schedule(b.op)
    outer, inner = s[b].split(s[b].fuse(k, r), factor=8)
    bf = s.rfactor(b, inner, -1)
    assert bf.shape == (4, 8)
    s[bf].parallel(s[bf].op.axis[0])
    check(s, [a, b], lambda x: x.sum((1, 2)))
    del outer


def test_twice():
    a, b, k = row_sum(4, 24)
    s = te.create_schedule(b.op)
    _, ki = s[b].split(k, factor=6)
    bf = s.rfactor(b, ki)
    (ko,) = s[bf].op.reduce_axis
    bff = s.rfactor(bf, ko)
    assert (bff.name, bff.shape) == ("B_rf_rf", (4, 6, 4))
    check(s, [a, b], lambda x: x.sum(1))


def test_of_symbolic_extents():
    m, n = te.var("m"), te.var("n")
    a = te.placeholder((m, n), name="A")
    k = te.reduce_axis((0, n), name="k")
    b = te.compute((m,), lambda i: te.sum(a[i, k], axis=k), name="B")
    for schedule in ("factor", "nparts"):
        s = te.create_schedule(b.op)
        how: dict[str, Any] = {schedule: 4}
        ko, ki = s[b].split(k, **how)
        bf = s.rfactor(b, ki if schedule == "factor" else ko)
        assert bf.shape[0] == 4
        s[bf].compute_at(s[b], s[b].op.axis[0])
        sizes = [{"m": 5, "n": 7}, {"m": 2, "n": 8}, {"m": 3, "n": 1}, {"m": 3, "n": 0}]
        check(s, [a, b], lambda x: x.sum(1), sizes=sizes)


def test_of_a_tuple_reduction_with_a_condition():

    argmax = te.comm_reducer(
        lambda x, y: (te.Select(x[1] >= y[1], x[0], y[0]), te.max(x[1], y[1])),
        lambda t0, t1: (te.const(-1, t0), te.min_value(t1)),
        name="argmax",
    )
    a = te.placeholder((5, 9), "int32", name="A")
    k = te.reduce_axis((0, 9), name="k")
    index, value = te.compute((5,), lambda i: argmax((k, a[i, k] * 16 - k), axis=k), name="B")
    s = te.create_schedule(index.op)
    _, ki = s[index].split(k, factor=4)
    partial = s.rfactor(index, ki)
    assert [tensor.name for tensor in partial] == ["B_rf_v0", "B_rf_v1"]

    def reference(x):
        terms = x * 16 - np.arange(9)
        return terms.argmax(1), terms.max(1)

    check(s, [a, index, value], reference, outputs=2)


def test_what_was_done_to_other_axes_is_forgotten_with_a_warning():
    _, b, k = row_sum()
    s = te.create_schedule(b.op)
    _, ki = s[b].split(k, factor=5)
    s[b].split(s[b].op.axis[0], factor=2)
    assert warnings_of(lambda: s.rfactor(b, ki)) == [
        "KC3135: earlier calls on B are dropped: split"
    ]


def test_refusals():
    a, b, k = row_sum()
    c = te.compute((6,), lambda i: b[i] + 1.0, name="C")
    s = te.create_schedule(c.op)
    assert refusal(lambda: s.rfactor(c, c.op.axis[0]), __file__) == (
        "error[KC3139]: rfactor: C is not a reduction\n  why: only reductions have partial results"
    )
    assert refusal(lambda: s.rfactor(a, k), __file__) == (
        "error[KC3139]: rfactor: A is not a reduction\n  why: only reductions have partial results"
    )
    assert refusal(lambda: s.rfactor(b, b.op.axis[0]), __file__) == (
        "error[KC3139]: rfactor: axis i of B is not of the reduction\n"
        "  why: B has an element for each of its iterations\n"
        "  try: the axes of the reduction: k"
    )
    assert refusal(lambda: s.rfactor(b, k, 2), __file__) == (
        "error[KC3140]: rfactor: factor_axis 2 for B\n"
        "  why: B has 1 dimension, the partial results one more\n"
        "  try: factor_axis=0 to 1, or -1 for the last"
    )
    ko, _ = s[b].split(k, factor=5)
    assert refusal(lambda: s.rfactor(b, k), __file__) == (
        "error[KC3104]: rfactor: axis k of B is gone\n"
        "  why: k was split into k_o, k_i at test_te_rfactor.py\n"
        "  try: use k_o, k_i"
    )
    fused = s[b].fuse(b.op.axis[0], ko)
    assert refusal(lambda: s.rfactor(b, fused), __file__) == (
        "error[KC3139]: rfactor: axis i_k_o_fused of B is not of the reduction alone\n"
        "  why: it is made from i, an axis of the result"
    )
