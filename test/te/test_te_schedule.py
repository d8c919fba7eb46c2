"""TE's schedule: what it records, what it refuses at once, and that it is a tir schedule."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false

import pytest

import kc
from kc import te, tir
from kc.error import ScheduleError


def matmul(n: int = 16):
    a = te.placeholder((n, n), name="A")
    b = te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    return a, b, c, te.create_schedule(c.op)


def refusal(call) -> list[str]:
    with pytest.raises(ScheduleError) as caught:
        call()
    assert caught.value.location is not None
    assert caught.value.location.file == __file__
    return [line for line in str(caught.value).split("\n") if not line.startswith("  -->")]


def test_records_replay_as_the_script_says():
    a, b, c, s = matmul()
    i, j = s[c].op.axis
    i_o, j_o, i_i, j_i = s[c].tile(i, j, 4, 8)
    k_o, k_i = s[c].split(s[c].op.reduce_axis[0], nparts=2)
    s[c].reorder(i_o, j_o, k_o, i_i, k_i, j_i)
    s[c].parallel(i_o)
    s[c].unroll(k_i)
    s[c].vectorize(j_i)
    lowered = str(kc.lower(s, [a, b, c]))

    sch = tir.Schedule(kc.lower(te.create_schedule(c.op), [a, b, c]))
    exec(s.to_tir_script("sch"), {"sch": sch})
    assert str(sch.mod) == lowered
    assert "tir.for %i_o in 4 parallel {" in lowered
    assert "tir.for %j_i in 8 vectorized {" in lowered
    assert "tir.for %k_i in 8 unrolled {" in lowered


def test_leaves_follow_the_primitives():
    _, _, c, s = matmul()
    stage = s[c]
    i, j = stage.op.axis
    (k,) = stage.op.reduce_axis
    assert stage.leaf_iter_vars == [i, j, k]
    j_o, j_i = stage.split(j, factor=4)
    assert stage.leaf_iter_vars == [i, j_o, j_i, k]
    assert (j_o.name, j_i.name) == ("j_o", "j_i")
    stage.reorder(k, i)
    assert stage.leaf_iter_vars == [k, j_o, j_i, i]
    fused = stage.fuse(j_i, j_o)  # either order
    assert stage.leaf_iter_vars == [k, fused, i]
    assert fused.name == "j_o_j_i_fused"


def test_fuse_of_either_order_is_the_same_loop():
    a, b, c, s = matmul()
    stage = s[c]
    stage.fuse(stage.op.axis[1], stage.op.axis[0])
    assert "tir.for %i_j_fused in 256 {" in str(kc.lower(s, [a, b, c]))


def test_a_stale_axis_says_what_became_of_it():
    _, _, c, s = matmul()
    i = s[c].op.axis[0]
    s[c].split(i, factor=4)
    line = s[c].records[0].location
    assert refusal(lambda: s[c].parallel(i)) == [
        "error[KC3104]: parallel: axis i of C is gone",
        f"  why: i was split into i_o, i_i at {line}",
        "  try: use i_o, i_i",
    ]


def test_refused_at_the_call():
    a, _, c, s = matmul()
    stage = s[c]
    i, j = stage.op.axis
    (k,) = stage.op.reduce_axis
    d = te.compute((16,), lambda x: a[x, 0], name="D")
    assert refusal(lambda: te.create_schedule("C")) == [
        "error[KC3101]: create_schedule: str is not an operation",
        "  try: te.create_schedule(C.op)",
    ]
    assert refusal(lambda: s[d]) == [
        "error[KC3102]: 'D' is not part of the schedule",
        "  why: the schedule computes A, B, C",
        "  try: create the schedule from an operation that needs it",
    ]
    assert refusal(lambda: stage.split(0, factor=4)) == [
        "error[KC3103]: split: int is not an axis",
        "  try: s[C].op.axis gives the axes",
    ]
    assert refusal(lambda: stage.parallel(d.op.axis[0])) == [
        "error[KC3105]: parallel: x is not an axis of C",
        "  why: C has the axes i, j, k",
    ]
    assert refusal(lambda: stage.split(i)) == [
        "error[KC3107]: split: neither factor nor nparts is given",
        "  why: factor is the number of inner iterations, nparts of outer iterations; give "
        "exactly one",
        "  try: factor=8",
        "  try: nparts=4",
    ]
    assert refusal(lambda: stage.split(i, factor=0)) == [
        "error[KC3108]: split: 0 iterations of axis i",
        "  why: a factor must be an integer from 1 to 2^63 - 1, or a te.var",
        "  try: factor=8",
    ]
    assert refusal(lambda: stage.fuse(i, k)) == [
        "error[KC3109]: fuse: i, k of C",
        "  why: only adjacent axes can be fused, outermost first; the order is i, j, k",
        "  try: reorder first",
    ]
    assert refusal(lambda: stage.reorder(i, i)) == ["error[KC3110]: reorder: axis i is named twice"]
    assert refusal(lambda: stage.parallel(k)) == [
        "error[KC3111]: parallel: axis k is a reduction of C",
        "  why: all its iterations update one element of C",
        "  try: parallel a spatial axis: i, j",
    ]
    stage.vectorize(j)
    assert refusal(lambda: stage.split(j, factor=4)) == [
        "error[KC3106]: split: axis j of C is to be vectorized",
        "  why: an axis must be split, fused and reordered before its kind of execution is set",
        "  try: split first, then vectorize one of the results",
    ]
    for wrong in (
        lambda: stage.tile(i, i, 4, 4),
        lambda: stage.tile(i, k, 4, 0),
        lambda: stage.tile(i, j, 4, 4),
    ):
        refusal(wrong)
    # Nothing of all that was recorded.
    assert [record.primitive for record in stage.records] == ["vectorize"]


def test_refused_at_lowering_with_the_line_of_the_call():
    a, b, c, s = matmul()
    i, j = s[c].op.axis
    s[c].parallel(i)
    s[c].parallel(j)
    line = s[c].records[1].location
    with pytest.raises(ScheduleError) as caught:
        kc.lower(s, [a, b, c])
    error = caught.value
    assert error.code == "KC3042"
    assert error.message == "parallel: loop j is inside the parallel loop i"
    assert error.location == line
    assert error.facts[0] == "for i in 16 parallel:    <-- parallel"
    assert error.facts[1] == f"  for j in 16:    <-- here (from {c.op.location})"


def test_symbolic_factor_and_parts():
    n, m = te.var("n"), te.var("m")
    a = te.placeholder((n, m), name="A")
    c = te.compute((n, m), lambda i, j: a[i, j] * 2.0, name="C")
    s = te.create_schedule(c.op)
    i, j = s[c].op.axis
    s[c].split(i, nparts=4)
    s[c].split(j, factor=m)
    text = str(kc.lower(s, [a, c]))
    assert "%i = tir.linearize [%i_o, %i_i] by" in text
    assert "%j = tir.linearize [%j_o, %j_i] by" in text
    assert "where (%i < %n, %j < %m)" in text
