"""cache_read and cache_write of TE: what they rewrite, in which layout, and what they refuse."""

# Wrong arguments are what is tested.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from te_checks import check, matmul, nest, refusal, warnings_of

from kc import te


def test_cache_write_computes_into_the_cache():
    a, b, c, k = matmul()
    s = te.create_schedule(c.op)
    cl = s.cache_write(c, "local")
    assert (cl.name, cl.shape) == ("C_local", (12, 10))
    assert [axis.name for axis in cl.op.axis] == ["i_c", "j_c"]
    # The user's tensor is the key of the copy; its axes are those of the copy, k is the cache's.
    assert s[c].op.axis == c.op.axis
    assert s[c].leaf_iter_vars == list(c.op.axis)
    assert s[cl].op.reduce_axis == [k]
    assert s.outputs == [s[c].op]
    assert nest(s, [a, b, c]) == [
        "for i_c in 12",
        "  for j_c in 10",
        "    for k in 7",
        "      block C_local",
        "for i in 12",
        "  for j in 10",
        "    block C",
    ]
    text = check(s, [a, b, c], lambda x, y: x @ y)
    assert 'memref<12x10xf32, "local">' in text


def test_the_tutorial_of_a_packed_matmul_with_a_write_cache():
    size, bn = 32, 8
    a = te.placeholder((size, size), name="A")
    b = te.placeholder((size, size), name="B")
    k = te.reduce_axis((0, size), name="k")
    packed = te.compute(
        (size // bn, size, bn), lambda bigN, k, littleN: b[k, bigN * bn + littleN], name="packedB"
    )
    c = te.compute(
        (size, size),
        lambda x, y: te.sum(a[x, k] * packed[y // bn, k, te.indexmod(y, bn)], axis=k),
        name="C",
    )
    s = te.create_schedule(c.op)
    cc = s.cache_write(c, "global")
    xo, yo, _, _ = s[c].tile(c.op.axis[0], c.op.axis[1], bn, bn)
    s[cc].compute_at(s[c], yo)
    s[c].parallel(xo)
    xc, yc = s[cc].op.axis
    (k,) = s[cc].op.reduce_axis
    ko, ki = s[cc].split(k, factor=4)
    s[cc].reorder(ko, xc, ki, yc)
    s[cc].unroll(ki)
    s[cc].vectorize(yc)
    x, _, z = s[packed].op.axis
    s[packed].vectorize(z)
    s[packed].parallel(x)
    assert nest(s, [a, b, c]) == [
        "for bigN in 4 parallel",
        "  for k in 32",
        "    for littleN in 8 vectorized",
        "      block packedB",
        "for x_o in 4 parallel",
        "  for y_o in 4",
        "    for k_o in 8",
        "      for x_c in 8",
        "        for k_i in 4 unrolled",
        "          for y_c in 8 vectorized",
        "            block C_global",
        "    for x_i in 8",
        "      for y_i in 8",
        "        block C",
    ]
    check(s, [a, b, c], lambda x, y: x @ y)
    assert s.to_tir_script().split("\n")[:6] == [
        'x, y = sch.get_loops(sch.get_block("C"))',
        "x_o, x_i = sch.split(x, [None, 8])",
        "y_o, y_i = sch.split(y, [None, 8])",
        "sch.reorder(x_o, y_o, x_i, y_i)",
        "sch.parallel(x_o)",
        'sch.compute_at(sch.get_block("C_global"), y_o, True)',
    ]


def test_a_chain_of_caches_each_computed_at_another():
    a, b, c, k = matmul()
    s = te.create_schedule(c.op)
    cl = s.cache_write(c, "local")
    aa = s.cache_read(a, "shared", [cl])
    al = s.cache_read(aa, "local", cl)
    assert (aa.name, al.name) == ("A_shared", "A_shared_local")
    ko, ki = s[cl].split(k, factor=4)
    s[cl].reorder(ko, ki, *cl.op.axis)
    # In any order: the last of the chain first, and before the consumer is tiled.
    s[al].compute_at(s[cl], ki)
    s[aa].compute_at(s[cl], ko)
    i, j = c.op.axis
    _, jo, _, _ = s[c].tile(i, j, 8, 8)
    s[cl].compute_at(s[c], jo)
    assert nest(s, [a, b, c]) == [
        "for i_o in 2",
        "  for j_o in 2",
        "    for k_o in 2",
        "      for ax0_1 in 8",
        "        for ax1_1 in 4",
        "          block A_shared",
        "      for k_i in 4",
        "        for ax0 in 8",
        "          for ax1 in 1",
        "            block A_shared_local",
        "        for i_c in 8",
        "          for j_c in 8",
        "            block C_local",
        "    for i_i in 8",
        "      for j_i in 8",
        "        block C",
    ]
    check(s, [a, b, c], lambda x, y: x @ y)


def test_cache_read_for_some_of_the_readers():
    a = te.placeholder((6, 6), name="A")
    b = te.compute((6, 6), lambda i, j: a[i, j] + 1.0, name="B")
    c = te.compute((6, 6), lambda i, j: a[i, j] * b[j, i] + a[j, i], name="C")
    s = te.create_schedule(c.op)
    aa = s.cache_read(a, "local", [b])
    ab = s.cache_read(a, "local", [c.op])
    assert s[b].op.input_tensors == [aa]
    assert [tensor.name for tensor in s[c].op.input_tensors] == ["A_local", "B"]
    assert s[c].op.input_tensors[0] is ab
    assert b.op.input_tensors == [a]  # the user's operation is as it was
    s[aa].compute_at(s[b], b.op.axis[0])
    check(s, [a, c], lambda x: x * (x + 1).T + x.T)


def test_several_schedules_of_the_same_tensors():
    a, b, c, k = matmul()
    s, t = te.create_schedule(c.op), te.create_schedule(c.op)
    s.cache_write(c, "global")
    s.cache_read(a, "global", s[c].op.input_tensors[0])
    assert len(t.stages) == 3
    t[c].split(k, factor=2)
    for schedule in (s, t):
        check(schedule, [a, b, c], lambda x, y: x @ y)


def relayout(schedule):
    m, n = te.var("m"), te.var("n")
    a = te.placeholder((m, n), name="A")
    b = te.compute((m, n), lambda i, j: a[i, j] * a[i, j], name="B")
    c = te.compute((m, n), lambda i, j: b[i, j] + a[i, j], name="C")
    s = te.create_schedule(c.op)
    cache = schedule(s, a, b, c)
    sizes = [{"m": 5, "n": 7}, {"m": 16, "n": 4}, {"m": 0, "n": 3}]
    check(s, [a, c], lambda x: x * x + x, sizes=sizes)
    return cache


def test_the_layout_is_the_order_of_the_leaves():
    def split_and_reorder(s, a, b, c):
        xo, xi = s[c].split(c.op.axis[0], factor=4)
        s[c].reorder(xi, c.op.axis[1], xo)
        return s.cache_write(c, "local")

    cache = relayout(split_and_reorder)
    assert [axis.name for axis in cache.op.axis] == ["i_i_c", "j_c", "i_o_c"]
    assert cache.shape[0] == 4


def test_the_layout_of_fused_and_split_axes():
    def fused(s, a, b, c):
        _, inner = s[c].split(s[c].fuse(*c.op.axis), factor=16)
        cache = s.cache_write(c, "local")
        s[cache].vectorize(cache.op.axis[1])
        s[c].parallel(c.op.axis[0])
        del inner
        return cache

    assert relayout(fused).ndim == 2


def test_the_layout_of_an_intermediate_whose_first_layout_is_inlined():
    def inlined(s, a, b, c):
        _, inner = s[b].split(b.op.axis[1], nparts=3)
        s[b].reorder(inner, b.op.axis[0])
        s.cache_read(a, "global", [b])
        cache = s.cache_write(b, "global")
        s[b].compute_inline()
        assert s[c].op.input_tensors[0] is s[b].op.output(0)
        return cache

    assert [axis.name for axis in relayout(inlined).op.axis] == ["j_i_c", "j_o_c", "i_c"]


LAYOUTS: dict[str, Callable[..., Any]] = {
    "nparts": lambda s, c, i, j: s[c].split(i, nparts=3),
    "fuse": lambda s, c, i, j: s[c].fuse(i, j),
    "fuse and split": lambda s, c, i, j: s[c].split(s[c].fuse(i, j), nparts=4),
    "split twice": lambda s, c, i, j: s[c].split(s[c].split(i, nparts=2)[1], nparts=2),
}
VALUES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "condition": (
        lambda a, i, j, n: te.if_then_else(te.all(i >= 1, i < n + 1), a[i - 1, j], 0),
        lambda a, i, j, n: np.pad(a, ((1, 1), (0, 0))),
    ),
    "selection": (
        lambda a, i, j, n: te.Select(i + j < n, i, -j),
        lambda a, i, j, n: np.where(i + j < n, i, -j),
    ),
    "number": (
        lambda a, i, j, n: i * n + te.max(j, i * 2) // 2,
        lambda a, i, j, n: i * n + np.maximum(j, i * 2) // 2,
    ),
    "float": (
        lambda a, i, j, n: te.floor((i - j).astype("float32") / 2).astype("int32"),
        lambda a, i, j, n: np.floor((i - j) / 2),
    ),
    "index": (
        lambda a, i, j, n: a[te.max(te.min(i, n - 1), 0), te.indexmod(i * n + j, 5)],
        lambda a, i, j, n: a[np.clip(i, 0, n - 1), (i * n + j) % 5],
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("value", VALUES)
def test_what_is_computed_of_the_axes_of_a_symbolic_layout(layout: str, value: str):
    """The axes are products of sizes, in 64 bits; what is computed of them is in their type."""
    m, n = te.var("m"), te.var("n")
    expr, expected = VALUES[value]
    a = te.placeholder((n, 5), "int32", name="A")
    c = te.compute((m, 5), lambda i, j: expr(a, i, j, n), name="C")
    s = te.create_schedule(c.op)
    LAYOUTS[layout](s, c, *c.op.axis)
    s.cache_write(c, "global")
    check(
        s,
        [a, c],
        lambda x: expected(x, *np.ogrid[: len(x) + 2, :5], len(x)) + np.zeros((1, 5)),
        sizes=[{"n": size, "m": size + 2} for size in (1, 4)],
    )


def test_a_split_that_is_even_needs_no_padding():
    a, b, c, _ = matmul(16, 8, 4)
    s = te.create_schedule(c.op)
    i, j = c.op.axis
    s[c].tile(i, j, 4, 4)
    s.cache_write(c, "global")
    text = check(s, [a, b, c], lambda x, y: x @ y)
    assert "memref<4x2x4x4xf32>" in text
    assert "%A[%v_i_o_c * 4 + %v_i_i_c, %v_k]" in text
    assert "%C_global[%v_i floordiv 4, %v_j floordiv 4, %v_i mod 4, %v_j mod 4]" in text


def test_an_uneven_split_is_padded():
    a, b, c, _ = matmul(10, 8, 4)
    s = te.create_schedule(c.op)
    s[c].split(c.op.axis[0], factor=4)
    cache = s.cache_write(c, "global")
    s[cache].vectorize(cache.op.axis[2])
    assert cache.shape == (3, 4, 8)
    check(s, [a, b, c], lambda x, y: x @ y)


def test_the_caches_of_all_results_of_a_compute():
    a = te.placeholder((6, 5), name="A")
    b0, b1 = te.compute((6, 5), lambda i, j: (a[i, j] + 1.0, a[i, j] * 3.0), name="B")
    c = te.compute((6, 5), lambda i, j: b0[i, j] * b1[i, j], name="C")
    s = te.create_schedule(c.op)
    s[b0].split(b0.op.axis[1], factor=2)
    l0, l1 = s.cache_write([b0, b1], "local")
    assert (l0.op is l1.op, l0.value_index, l1.value_index) == (True, 0, 1)
    assert l0.shape == (6, 3, 2)
    check(s, [a, c], lambda x: (x + 1) * (x * 3))


@pytest.mark.parametrize("scope", ["shared", "wmma.accumulator"])
def test_names_of_caches_are_identifiers(scope: str):
    a, _, c, _ = matmul()
    s = te.create_schedule(c.op)
    assert s.cache_read(a, scope, [c]).name == f"A_{scope.replace('.', '_')}"


def test_what_was_asked_of_the_old_axes_is_forgotten_with_a_warning():
    _, _, c, _ = matmul()
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[1], factor=2)
    s[c].vectorize(inner)
    assert warnings_of(lambda: s.cache_write(c, "local")) == [
        "KC3135: earlier calls on C are dropped: vectorize"
    ]
    text = refusal(lambda: s[c].parallel(outer), __file__)
    assert text == (
        "error[KC3104]: parallel: axis j_o of C is gone\n"
        "  why: C is now the copy of C_local, by cache_write at test_te_caches.py; C has the axes "
        "i, j\n"
        "  try: use i, j"
    )


def test_refused_at_the_call():
    a, b, c, k = matmul()
    s = te.create_schedule(c.op)
    s[c].split(k, factor=2)
    assert refusal(lambda: s.cache_write(c, "local"), __file__) == (
        "error[KC3136]: cache_write: axis k_o of C is a reduction\n"
        "  why: the cache has a dimension for each data-parallel axis; k_o comes from k, over "
        "which C is reduced\n"
        "  try: cache_write first, then split or fuse k of the cache\n"
        "  try: s.rfactor(C, k_o) makes it data-parallel"
    )
    s = te.create_schedule(c.op)
    s[c].fuse(c.op.axis[1], k)
    assert refusal(lambda: s.cache_write(c, "local"), __file__) == (
        "error[KC3136]: cache_write: axis j_k_fused of C is made from a reduction axis and an axis "
        "of the result\n"
        "  why: the cache has a dimension for each data-parallel axis; j_k_fused comes from k, "
        "over which C is reduced\n"
        "  try: cache_write first, then split or fuse k of the cache"
    )
    s = te.create_schedule(c.op)
    cl = s.cache_write(c, "local")
    assert refusal(lambda: s.cache_read(a, "shared", [c]), __file__) == (
        "error[KC3130]: cache_read: C does not read A\n"
        "  why: C reads C_local\n"
        "  try: A is read by C_local"
    )
    assert refusal(lambda: s.cache_read(a, "shared", []), __file__) == (
        "error[KC3130]: cache_read: no reader of A is named\n"
        "  why: the copy needs at least one reader\n"
        "  try: A is read by C_local"
    )
    assert refusal(lambda: s.cache_read("A", "shared", [cl]), __file__) == (
        "error[KC3141]: cache_read: str is not a tensor\n"
        "  try: s.cache_read(C, ...) takes a result of te.compute"
    )
    assert refusal(lambda: s.cache_write(a, "local"), __file__) == (
        "error[KC3141]: cache_write: A is not computed by te.compute\n"
        "  why: a cache has one element for each point of the axes\n"
        "  try: s.cache_read(A, scope, readers) makes a copy that is read"
    )
    assert refusal(lambda: s.cache_write([c, cl], "local"), __file__) == (
        "error[KC3141]: cache_write: C, C_local are not results of one compute\n"
        "  why: the list must hold all results of one compute, which are computed together\n"
        "  try: one cache_write for each of them"
    )
    assert refusal(lambda: s.cache_write([], "local"), __file__) == (
        "error[KC3141]: cache_write: there are no tensors"
    )
    d = te.compute((3,), lambda i: i + 1, name="D")
    assert refusal(lambda: s.cache_write(d, "local"), __file__) == (
        "error[KC3102]: 'D' is not part of the schedule\n"
        "  why: the schedule computes A, B, C_local, C\n"
        "  try: create the schedule from an operation that needs it"
    )


def test_a_cache_of_one_of_two_results_is_refused():
    a = te.placeholder((6,), name="A")
    b0, b1 = te.compute((6,), lambda i: (a[i] + 1.0, a[i] * 3.0), name="B")
    s = te.create_schedule(b0.op)
    assert refusal(lambda: s.cache_write(b0, "local"), __file__) == (
        "error[KC3141]: cache_write: 1 of the 2 results of B\n"
        "  why: the results of one compute are computed together, so all go to the cache\n"
        "  try: s.cache_write([B.output(0), ...], scope) with all of them"
    )
    assert [tensor.name for tensor in s.cache_write([b1, b0], "local")] == [
        "B_local_v1",
        "B_local_v0",
    ]


def test_an_unknown_scope_is_refused_at_lowering_at_the_call():
    a, b, c, _ = matmul()
    s = te.create_schedule(c.op)
    s.cache_write(c, "nowhere")
    text = refusal(lambda: nest(s, [a, b, c]), __file__)
    assert text.startswith("error[KC3301]: set_scope: ")
