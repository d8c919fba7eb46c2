"""TE schedules as programs for TVM use them: values against numpy, and refusals."""

# Ranges are expressions, here constants and sizes.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from te_checks import check, nest, warnings_of

import kc
from kc import te
from kc.error import KCError


def refusal(call: Callable[[], Any]) -> str:
    """The text of a refusal, without the line of the call and where loops come from."""
    with pytest.raises(KCError) as caught:
        call()
    lines = re.sub(r" \(from .*\)", "", str(caught.value)).split("\n")
    return "\n".join(line for line in lines if not line.startswith("  -->"))


def increment(n: Any = 8) -> tuple[Any, Any, te.Schedule]:
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] + 1, name="B")
    return a, b, te.create_schedule(b.op)


# Loops --------------------------------------------------------------------------------------------


def test_a_split_by_more_than_there_is():
    a, b, s = increment()
    _, inner = s[b].split(b.op.axis[0], factor=32)
    s[b].split(inner, factor=16)
    s[b].vectorize(s[b].leaf_iter_vars[-1])
    assert nest(s, [a, b])[:3] == [
        "for i_o in 1",
        "  for i_i_o in 1",
        "    for i_i_i in 8 vectorized",
    ]
    check(s, [a, b], lambda a: a + 1)
    a, b, s = increment()
    s[b].split(b.op.axis[0], nparts=32)
    assert nest(s, [a, b])[:2] == ["for i_o in 8", "  for i_i in 1"]
    assert [bound.extent.value for bound in te.schedule.InferBound(s).values()] == [8, 8, 1]
    check(s, [a, b], lambda a: a + 1)


def test_a_split_by_more_than_a_consumer_needs():
    a = te.placeholder((66,), name="A")
    b = te.compute((66,), lambda i: a[i] * 2, name="B")
    c = te.compute((64,), lambda j: b[j] + b[j + 2], name="C")
    s = te.create_schedule(c.op)
    s[b].compute_at(s[c], c.op.axis[0])
    s[b].split(b.op.axis[0], factor=16)
    assert nest(s, [a, c])[:3] == ["for j in 64", "  for i_o in 1", "    for i_i in 3"]
    check(s, [a, c], lambda a: a[:64] * 2 + a[2:] * 2)


def test_threads_are_as_many_as_they_are():
    a, b, s = increment()
    _, inner = s[b].split(b.op.axis[0], factor=32)
    s[b].bind(inner, te.thread_axis("threadIdx.x"))
    assert nest(s, [a, b])[:2] == ["for i_o in 1", '  for i_i in 32 thread "threadIdx.x"']


def test_bounds_of_multiples_have_no_divisions():
    m = te.var("m")
    a = te.placeholder((m,), name="A")
    b = te.compute((8 * m,), lambda i: a[i // 8] + 1, name="B")
    s = te.create_schedule(b.op)
    outer, inner = s[b].split(b.op.axis[0], factor=8)
    bounds = te.schedule.InferBound(s.normalize())
    assert bounds[outer].extent is m
    assert bounds[inner].extent.value == 8
    assert nest(s, [a, b])[:2] == ["for i_o in %m", "  for i_i in 8"]
    quarter = te.create_schedule(b.op)
    parts, _ = quarter[b].split(b.op.axis[0], factor=4)
    assert repr(te.schedule.InferBound(quarter)[parts].extent) == "m * 2"
    for schedule in (s, quarter):
        x, y = np.arange(5, dtype=np.float32), np.zeros(40, np.float32)
        kc.build(schedule, [a, b])(x, y)
        np.testing.assert_array_equal(y, np.repeat(x, 8) + 1)


def test_unrolling_what_is_bound_replaces_the_threads():
    a, b, s = increment(64)
    (axis,) = b.op.axis
    s[b].bind(axis, te.thread_axis("threadIdx.x"))
    assert warnings_of(lambda: s[b].unroll(axis)) == [
        "KC3142: unroll: axis i of B is bound no longer"
    ]
    assert nest(s, [a, b])[:1] == ["for i in 64 unrolled"]
    check(s, [a, b], lambda a: a + 1)


# Threads ------------------------------------------------------------------------------------------


def rows_summed() -> tuple[Any, Any, te.Schedule]:
    """``B[i]``, the sum of ``A[i, k]``, both extents symbolic, ``k`` in 16 parts."""
    n, m = te.var("n"), te.var("m")
    a = te.placeholder((n, m), name="A")
    k = te.reduce_axis((0, m), name="k")
    b = te.compute((n,), lambda i: te.sum(a[i, k], axis=k), name="B")
    s = te.create_schedule(b.op)
    s[b].split(k, nparts=16)
    return a, b, s


@pytest.mark.parametrize("m", [1, 16, 37])
def test_threads_combine_a_reduction_of_any_size(m: int):
    a, b, s = rows_summed()
    row, part, _ = s[b].leaf_iter_vars
    s[b].bind(row, te.thread_axis("blockIdx.x"))
    s[b].bind(part, te.thread_axis("threadIdx.x"))
    sizes = {"n": 3, "m": m}
    text = check(s, [a, b], lambda a: a.sum(1), native=False, sizes=sizes, target="cuda")
    assert 'tir.for %k_o in 16 thread "threadIdx.x" {' in text
    kc.build(s, [a, b], target="cuda")


def test_blocks_of_threads_do_not_combine_values():
    _, b, s = rows_summed()
    assert refusal(lambda: s[b].bind(s[b].leaf_iter_vars[1], te.thread_axis("blockIdx.x"))) == (
        "error[KC3111]: bind: axis k_o is a reduction of B\n"
        "  why: all its iterations update one element of B\n"
        "  try: bind a spatial axis: i"
    )


def test_threads_that_do_not_combine_a_reduction_of_any_size():
    a, b, s = rows_summed()
    sch = kc.tir.Schedule(kc.lower(s, [a, b]))
    sch.decompose_reduction("B", sch.get_loops("B")[1])
    part = sch.get_loops("B")[1]
    assert refusal(lambda: sch.bind(part, "threadIdx.x")) == (
        "error[KC3407]: bind: the threads of k_o cannot combine their values of B\n"
        "   |  for i in n:\n"
        "   |    block B_init\n"
        "   |    for k_o in 16:    <-- threadIdx.x\n"
        "   |      for k_i in k_size:\n"
        "   |        block B    <-- the reduction\n"
        "  why: the init of B is a separate block; bind before decompose_reduction\n"
        "  try: rfactor creates partial results, whose final reduction has this form\n"
        "  try: bind a spatial loop: i"
    )


# Places -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_two_rolling_buffers_in_one_loop(first: int):
    a = te.placeholder((12,), "int32", name="A")
    b = te.compute((10,), lambda i: a[i] + a[i + 2], name="B")
    c = te.compute((8,), lambda i: b[i] * 3 + b[i + 2], name="C")
    d = te.compute((6,), lambda i: c[i] - c[i + 2], name="D")
    s = te.create_schedule(d.op)
    for tensor in (c, b):
        s[tensor].compute_at(s[d], d.op.axis[0])
    for tensor in [(b, c), (c, b)][first]:
        s[tensor].rolling_buffer()

    def reference(a: Any) -> Any:
        b = a[:10] + a[2:]
        c = b[:8] * 3 + b[2:]
        return c[:6] - c[2:]

    text = check(s, [a, d], reference)
    # Each keeps what the next iteration reads again.
    assert re.findall(r'tir.alloc "(\w)" : memref<(\d)xi32>', text) == [("B", "5"), ("C", "3")]


def test_a_step_of_a_scan_reads_the_row_before():
    m, n = te.var("m"), te.var("n")
    x = te.placeholder((m, n), name="X")
    state = te.placeholder((m, n), name="state")
    first = te.compute((1, n), lambda _, i: x[0, i], name="first")
    update = te.compute((m, n), lambda t, i: state[t - 1, i] + x[t - 1, i], name="update")
    scan = te.scan(first, update, state, inputs=[x], name="S")

    def reference(x: Any) -> Any:
        result = x.copy()
        for t in range(1, len(x)):
            result[t] = result[t - 1] + x[t - 1]
        return result

    s = te.create_schedule(scan.op)
    check(s, [x, scan], reference, sizes={"m": 5, "n": 3})


def test_a_step_of_a_scan_that_reads_before_the_first_row():
    x = te.placeholder((6, 3), name="X")
    state = te.placeholder((6, 3), name="state")
    first = te.compute((1, 3), lambda _, i: x[0, i], name="first")
    update = te.compute((6, 3), lambda t, i: state[t - 1, i] + x[t - 2, i], name="update")
    s = te.create_schedule(te.scan(first, update, state, inputs=[x], name="S").op)
    assert refusal(lambda: kc.lower(s, [x, s.outputs[0].output(0)])) == (
        "error[KC2030]: update reads outside X: index -1 of dimension 0, which has the size 6\n"
        "  why: this happens at t=1, i=0\n"
        "  try: make the extents smaller, or read a larger (padded) tensor"
    )
