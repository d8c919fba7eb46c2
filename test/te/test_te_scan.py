"""Scheduling recurrences: the stages of a step in the time loop, and what is around."""

# Wrong arguments are what is tested.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from te_checks import check, nest, refusal, warnings_of

import kc
from kc import te

M, N = 6, 8


def recurrence():
    x = te.placeholder((M, N), name="X")
    state = te.placeholder((M, N), name="state")
    first = te.compute((1, N), lambda _, i: x[0, i], name="first")
    twice = te.compute((M, N), lambda t, i: state[t - 1, i] * 2.0, name="twice")
    update = te.compute((M, N), lambda t, i: twice[t, i] + x[t, i], name="update")
    s_tensor = te.scan(first, update, state, inputs=[x], name="S")
    out = te.compute((M, N), lambda i, j: s_tensor[i, j] + 1.0, name="out")
    return x, first, twice, update, s_tensor, out, te.create_schedule(out.op)


def reference(x):
    state = np.zeros_like(x)
    state[0] = x[0]
    for t in range(1, M):
        state[t] = state[t - 1] * 2 + x[t]
    return state + 1


def test_the_stages_of_a_step_have_loops_of_their_own():
    x, first, twice, update, scan, out, s = recurrence()
    assert s[scan].leaf_iter_vars == [scan.op.scan_axis]
    assert s[update].leaf_iter_vars == [update.op.axis[1]]
    outer, inner = s[update].split(update.op.axis[1], factor=4)
    s[update].parallel(outer)
    s[update].vectorize(inner)
    s[twice].split(twice.op.axis[1], factor=3)
    s[first].parallel(first.op.axis[1])
    assert nest(s, [x, out])[3:10] == [
        "for t in 5",
        "  for i_o_1 in 3",
        "    for i_i_1 in 3",
        "      block twice",
        "  for i_o in 2 parallel",
        "    for i_i in 4 vectorized",
        "      block update",
    ]
    check(s, [x, out], reference)


def test_caches_inside_of_a_scan():
    x, _, twice, update, scan, out, s = recurrence()
    xl = s.cache_read(x, "local", [update])
    tl = s.cache_write(twice, "local")
    s[tl].vectorize(s[tl].leaf_iter_vars[0])
    s[xl].compute_at(s[update], s[update].op.axis[1])
    check(s, [x, out], reference)
    s[xl].compute_at(s[scan], s[scan].op.scan_axis)
    lines = nest(s, [x, out])
    at = lines.index("  for ax0 in 1")
    assert lines[at : at + 3] == ["  for ax0 in 1", "    for ax1 in 8", "      block X_local"]
    check(s, [x, out], reference)
    bounds = te.schedule.InferBound(s)
    time = bounds[s[scan].op.scan_axis]
    assert (time.min.value, time.extent.value) == (1, 5)
    assert bounds[xl.op.axis[0]].extent.value == 1


def test_a_stage_of_a_step_at_the_scans_axis_is_where_it_is():
    x, _, twice, _, scan, out, s = recurrence()
    plain = nest(s, [x, out])
    s[twice].compute_at(s[scan], scan.op.scan_axis)
    assert nest(s, [x, out]) == plain
    s[scan].unroll(scan.op.scan_axis)
    check(s, [x, out], reference)


def test_several_states():
    x = te.placeholder((M, N), name="X")
    sa, sb = (te.placeholder((M, N), name=name) for name in ("sa", "sb"))
    fa = te.compute((1, N), lambda _, i: x[0, i], name="fa")
    fb = te.compute((1, N), lambda _, i: x[0, i] * 2.0, name="fb")
    ua = te.compute((M, N), lambda t, i: sa[t - 1, i] + sb[t - 1, i], name="ua")
    ub = te.compute((M, N), lambda t, i: sb[t - 1, i] - x[t, i], name="ub")
    a, b = te.scan([fa, fb], [ua, ub], [sa, sb], inputs=[x], name="S")
    s = te.create_schedule(a.op)
    s[ua].vectorize(ua.op.axis[1])
    s[ub].split(ub.op.axis[1], nparts=3)

    def numbers(x):
        p, q = np.zeros_like(x), np.zeros_like(x)
        p[0], q[0] = x[0], x[0] * 2
        for t in range(1, M):
            p[t], q[t] = p[t - 1] + q[t - 1], q[t - 1] - x[t]
        return p, q

    check(s, [x, a, b], numbers, outputs=2)


def slice_of(hows: Iterable[str], schedules: Sequence[str]) -> list[Any]:
    """Each way with two schedules, each schedule with some ways; the other pairs in the sweep."""
    count = len(schedules)
    return [
        pytest.param(how, schedule, marks=[] if (m - n) % count < 2 else pytest.mark.sweep)
        for n, how in enumerate(hows)
        for m, schedule in enumerate(schedules)
    ]


BRANCHES = {
    "then": (
        lambda t, i, g, state: te.if_then_else(i >= 2, g[t, i - 2], state[t - 1, i]),
        lambda t, i, g, last: g[i - 2] if i >= 2 else last[i],
    ),
    "else": (
        lambda t, i, g, state: te.if_then_else(i >= 2, state[t - 1, i - 2], g[t, i]),
        lambda t, i, g, last: last[i - 2] if i >= 2 else g[i],
    ),
    "both": (
        lambda t, i, g, state: te.if_then_else(i >= 2, g[t, i - 2], g[t, i] * g[t, 0]),
        lambda t, i, g, last: g[i - 2] if i >= 2 else g[i] * g[0],
    ),
    "nested": (
        lambda t, i, g, state: te.if_then_else(
            i >= 2, te.if_then_else(i < 6, g[t, i] + g[t, i + 2], 1.0), state[t - 1, N - 1 - i]
        ),
        lambda t, i, g, last: (g[i] + g[i + 2] if i < 6 else 1) if i >= 2 else last[N - 1 - i],
    ),
    "selection": (
        lambda t, i, g, state: te.Select(t + i < N, g[t, t + i], state[t - 1, i]),
        lambda t, i, g, last: g[t + i] if t + i < N else last[i],
    ),
    "beside": (
        lambda t, i, g, state: te.if_then_else(i >= 2, g[t, i - 2], 0.0) - g[t, i],
        lambda t, i, g, last: (g[i - 2] if i >= 2 else 0) - g[i],
    ),
}


@pytest.mark.parametrize(
    ("how", "schedule"),
    slice_of(BRANCHES, ["plain", "compute_at", "inline", "vectorize", "cache_write"]),
)
def test_a_stage_of_a_step_read_in_a_branch(how: str, schedule: str):
    """In a branch, too, it is the row of the step that is read."""
    expr, element = BRANCHES[how]
    x = te.placeholder((M, N), name="X")
    state = te.placeholder((M, N), name="state")
    first = te.compute((1, N), lambda _, i: x[0, i], name="first")
    g = te.compute((M, N), lambda t, i: state[t - 1, i] - x[t, i], name="g")
    update = te.compute((M, N), lambda t, i: expr(t, i, g, state), name="update")
    rows = te.scan(first, update, state, inputs=[x], name="S")
    s = te.create_schedule(rows.op)
    axis = update.op.axis[1]
    if schedule == "compute_at":
        s[g].compute_at(s[update], axis)
    elif schedule == "inline":
        s[g].compute_inline()
    elif schedule == "vectorize":
        s[update].vectorize(s[update].split(axis, factor=3)[1])
    elif schedule == "cache_write":
        s.cache_write(g, "local")

    def numbers(x):
        state = np.zeros_like(x)
        state[0] = x[0]
        for t in range(1, M):
            stage = state[t - 1] - x[t]
            state[t] = [element(t, i, stage, state[t - 1]) for i in range(N)]
        return state

    check(s, [x, rows], numbers)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[1:])
def test_the_reduction_of_an_update_has_no_order(order: tuple[int, ...]):
    """Only the rows have: a row is reduced from rows that are complete."""
    x = te.placeholder((M, N), name="X")
    state = te.placeholder((M, N), name="state")
    first = te.compute((1, N), lambda _, i: x[0, i], name="first")
    q = te.reduce_axis((0, N), name="q")
    update = te.compute(
        (M, N), lambda t, i: te.max(state[t - 1, q] - x[t, (i + q) % N], axis=q), name="update"
    )
    rows = te.scan(first, update, state, inputs=[x], name="S")
    s = te.create_schedule(rows.op)
    axes = [update.op.axis[1], *s[update].split(q, factor=3)]
    s[update].reorder(*(axes[n] for n in order))

    def numbers(x):
        state = x.copy()
        for t in range(1, M):
            state[t] = [(state[t - 1] - np.roll(x[t], -i)).max() for i in range(N)]
        return state

    check(s, [x, rows], numbers)


X = te.placeholder((M, N), name="X")
STATE = te.placeholder((M, N), name="state")
Q = te.reduce_axis((0, 4), name="q")
FARTHER = {
    "branch": (
        lambda t, i: te.if_then_else(t >= 3, STATE[t - 3, i], 7.0) + X[t, i],
        lambda t, i, s, x: (s[t - 3, i] if t >= 3 else 7) + x[t, i],
    ),
    "selection": (
        lambda t, i: te.Select(te.any(t < 2, i < 1), X[t, i], STATE[t - 2, i - 1]),
        lambda t, i, s, x: x[t, i] if t < 2 or i < 1 else s[t - 2, i - 1],
    ),
    "nested": (
        lambda t, i: te.if_then_else(
            t > i, te.if_then_else(i > 1, STATE[t - i, i], 1.0), X[t, i] - STATE[t - 1, i]
        ),
        lambda t, i, s, x: (s[t - i, i] if i > 1 else 1) if t > i else x[t, i] - s[t - 1, i],
    ),
    "where": (
        lambda t, i: te.sum(STATE[t - 1 - Q, i], axis=Q, where=Q < t),
        lambda t, i, s, x: sum(s[t - 1 - q, i] for q in range(min(t, 4))),
    ),
    "data besides": (
        lambda t, i: te.if_then_else(te.all(t >= 2, X[t, i] > 0), STATE[t - 2, i], 1.0),
        lambda t, i, s, x: s[t - 2, i] if t >= 2 and x[t, i] > 0 else 1,
    ),
}


@pytest.mark.parametrize(
    ("how", "schedule"), slice_of(FARTHER, ["plain", "vectorize", "parallel", "cache_write"])
)
def test_rows_farther_back_under_a_condition(how: str, schedule: str):
    """A row is read where it is there: the conditions of the read count."""
    expr, element = FARTHER[how]
    first = te.compute((1, N), lambda _, i: X[0, i], name="first")
    update = te.compute((M, N), expr, name="update")
    rows = te.scan(first, update, STATE, inputs=[X], name="S")
    s = te.create_schedule(rows.op)
    axis = update.op.axis[1]
    if schedule == "vectorize":
        s[update].vectorize(s[update].split(axis, factor=4)[1])
    elif schedule == "parallel":
        s[update].parallel(axis)
    elif schedule == "cache_write":
        s.cache_write(update, "local")

    def numbers(x):
        state = np.zeros_like(x)
        state[0] = x[0]
        for t in range(1, M):
            state[t] = [element(t, i, state, x) for i in range(N)]
        return state

    check(s, [X, rows], numbers)


TOO_EARLY = {
    "a condition that is too weak": (
        lambda t, i: te.if_then_else(t >= 2, STATE[t - 3, i], 7.0),
        "at t=2 it reads row -1; rows before 2 are there",
    ),
    "the other branch": (
        lambda t, i: te.if_then_else(t >= 2, 7.0, STATE[t - 2, i]),
        "at t=1 it reads row -1; rows before 1 are there",
    ),
    "data": (
        lambda t, i: te.if_then_else(X[t, i] > 0, STATE[t - 2, i], 7.0),
        "at t=1 it may read row -1, depending on values that are known only at run time",
    ),
    "a product": (
        lambda t, i: te.if_then_else(t * i >= 2, STATE[t - 2, i], 7.0),
        "at t=1 it may read row -1, depending on values that are known only at run time",
    ),
    "the row itself": (
        lambda t, i: te.if_then_else(t >= 2, STATE[t, i], 7.0),
        "at t=2 it reads row 2; rows before 2 are there",
    ),
}


@pytest.mark.parametrize("how", TOO_EARLY)
def test_rows_that_may_not_be_there(how: str):
    expr, why = TOO_EARLY[how]
    first = te.compute((1, N), lambda _, i: X[0, i], name="first")
    update = te.compute((M, N), expr, name="update")
    rows = te.scan(first, update, STATE, inputs=[X], name="S")
    assert refusal(lambda: kc.lower(te.create_schedule(rows.op), [X, rows]), __file__) == (
        "error[KC2050]: update reads a row of state that S may not have computed\n"
        f"  why: {why}\n"
        "  try: read state[t - 1, ...]"
    )


@pytest.mark.parametrize("how", ["plain", "nparts"])
@pytest.mark.parametrize("size", [0, 1, 3])
def test_updates_that_reduce_over_nothing(how: str, size: int):
    """If the size is 0, a row is the initial value of its reduction; the earlier rows are
    unchanged.
    """
    n = te.var("n")
    x = te.placeholder((M, n), name="X")
    state = te.placeholder((M, n + 3), name="state")
    first = te.compute((2, n + 3), lambda z, i: (z + i).astype("float32"), name="first")
    q = te.reduce_axis((0, n), name="q")
    update = te.compute(
        (M, n + 3), lambda t, i: te.sum(state[t - 2, q] + x[t, q], axis=q, init=4.0), name="update"
    )
    rows = te.scan(first, update, state, inputs=[x], name="S")
    s = te.create_schedule(rows.op)
    if how == "nparts":
        outer, inner = s[update].split(update.op.axis[1], nparts=2)
        s[update].reorder(outer, q, inner)

    def numbers(x):
        state = np.add.outer(np.arange(M), np.arange(size + 3)).astype(np.float32)
        for t in range(2, M):
            state[t] = 4 + (state[t - 2, :size] + x[t]).sum()
        return state

    built = kc.build(s, [x, rows])
    given = np.random.default_rng(size).integers(-4, 5, (M, size)).astype(np.float32)
    out = np.full((M, size + 3), 99, np.float32)
    built(given, out)
    np.testing.assert_array_equal(out, numbers(given))


def test_refusals():
    x, _, twice, update, scan, out, s = recurrence()
    assert refusal(lambda: s[update].compute_at(s[scan], scan.op.scan_axis), __file__) == (
        "error[KC3152]: compute_at: update is an update of the scan S\n"
        "  why: the rows of a scan are computed in order, each from earlier rows\n"
        "  try: inputs of an update can be computed at its axes"
    )
    assert refusal(lambda: s[scan].compute_inline(), __file__).startswith(
        "error[KC3152]: compute_inline: S is a scan\n"
    )
    assert refusal(lambda: s[update].split(update.op.axis[0], factor=2), __file__) == (
        "error[KC3104]: split: axis t of update is gone\n"
        "  why: time is the axis S_idx of S; update has the axes i\n"
        "  try: use i"
    )
    assert refusal(lambda: s[scan].parallel(scan.op.spatial_axis_[0]), __file__) == (
        "error[KC3104]: parallel: axis S_out0_i1 of S is gone\n"
        "  why: the rows of S are computed by update, in its loops; S has the axes S_idx\n"
        "  try: use S_idx"
    )
    first = scan.op.init[0]
    assert refusal(lambda: s[first].transform_layout(lambda t, i: [i, t]), __file__) == (
        f"error[KC3152]: transform_layout: {first.op.name} computes the first rows of scan S\n"
        "  why: they are stored in the tensor of the scan, whose first index is time"
    )
    s[scan].parallel(scan.op.scan_axis)
    text = refusal(lambda: nest(s, [x, out]), __file__)
    assert text.startswith("error[KC3041]: parallel: the iterations of t depend on each other\n")


def test_threads_of_a_scan():
    _, _, _, update, scan, _, s = recurrence()
    thread = te.thread_axis("threadIdx.x")
    assert warnings_of(lambda: s[scan].env_threads([thread])) == [
        "KC3154: env_threads: threadIdx.x around the scan S"
    ]
    assert refusal(lambda: s[scan].env_threads(thread), __file__) == (
        "error[KC3147]: env_threads: S has its threads already\n"
        "  why: a scan is given all its threads at once"
    )
    assert refusal(lambda: s[update].env_threads(thread), __file__) == (
        "error[KC3147]: env_threads: update is not a scan\n"
        "  why: only a scan has stages of its own inside, which need the threads around them\n"
        "  try: s[update].bind(axis, thread)"
    )
