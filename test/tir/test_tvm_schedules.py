"""What programs written for TVM ask of ``tir.Schedule``: values against numpy, and refusals."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.error import KCError
from kc.script import from_source
from kc.support.diagnostics import diagnostic_handler


def scheduled(text: str) -> tir.Schedule:
    """A schedule of a function in TVMScript."""
    return tir.Schedule(from_source("from kc.script import tir as T\n@T.prim_func\n" + text))


def ones_added(shape: tuple[int, ...]) -> tir.Schedule:
    """``B = (A + 1) * 2`` in two blocks, ``A1`` and ``B``."""
    a = te.placeholder(shape, name="A")
    a1 = te.compute(shape, lambda *i: a[i] + 1, name="A1")
    b = te.compute(shape, lambda *i: a1[i] * 2, name="B")
    return tir.Schedule(te.create_prim_func([a, b]))


def refusal(call: Callable[[], Any]) -> str:
    """The text of a refusal, without the line of the call."""
    with pytest.raises(KCError) as caught:
        call()
    return without_places(str(caught.value))


def without_places(text: str) -> str:
    """A diagnostic without the line of the call, and where loops and blocks come from."""
    lines = re.sub(r" \(from .*\)", "", text).split("\n")
    return "\n".join(line for line in lines if not line.startswith("  -->"))


def warnings_of(call: Callable[[], Any]) -> list[str]:
    """The texts of the warnings that a call gives, without the line of the call."""
    warnings: list[str] = []
    with diagnostic_handler(lambda warning: warnings.append(without_places(warning.render()))):
        call()
    return warnings


# Loops --------------------------------------------------------------------------------------------


def test_factors_are_constants_of_any_integer_type():
    sch = ones_added((16,))
    (loop,) = sch.get_loops("B")
    outer, inner = sch.split(loop, factors=[None, tir.const(4, "int64")])
    assert [sch.get(outer).static_extent, sch.get(inner).static_extent] == [4, 4]
    (whole,) = sch.split(sch.get_loops("A1")[0], factors=[tir.const(16, "int64")])
    assert sch.get(whole).static_extent == 16
    sch.split(outer, factors=[np.int64(2), tir.IntImm("int64", 2)])
    a, b = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    kc.build(sch.mod)(a, b)
    np.testing.assert_array_equal(b, (a + 1) * 2)
    # The trace has the numbers.
    assert "factors=[None, 4]" in sch.trace.as_python()


def test_factors_that_are_no_whole_numbers():
    sch = ones_added((16,))
    (loop,) = sch.get_loops("B")
    before = str(sch.mod)
    assert refusal(lambda: sch.split(loop, factors=[None, tir.const(4.0, "float32")])) == (
        "error[KC3702]: split: factors is a list of numbers, of which one may be None "
        "(4.0 is no factor), not list [None, 4.0]"
    )
    assert refusal(lambda: sch.split(loop, factors=[tir.const(8, "int64")])) == (
        "error[KC3022]: split: factors 8 do not cover loop i0\n"
        "   |  for i0 in 16:    <-- here\n"
        "   |    block B\n"
        "  why: they give 8 iterations, the extent is 16\n"
        "  try: leave one open: factors=?,8"
    )
    assert str(sch.mod) == before


def test_binding_again_and_unrolling_replace_the_threads():
    sch = ones_added((4, 16))
    i, j = sch.get_loops("B")
    sch.bind(i, "blockIdx.x")
    sch.bind(j, "threadIdx.y")
    assert warnings_of(lambda: sch.bind(j, "threadIdx.x")) == [
        "warning[KC3401]: bind: loop i1 is bound again\n"
        "  why: it was bound to threadIdx.y, now it is bound to threadIdx.x"
    ]
    assert warnings_of(lambda: sch.unroll(i)) == [
        "warning[KC3401]: unroll: loop i0 is bound no longer\n"
        "  why: it was bound to blockIdx.x, now its body is repeated"
    ]
    assert [(sch.get(loop).axis, sch.get(loop).kind_text) for loop in (i, j)] == [
        (None, "unrolled"),
        ("threadIdx.x", "threadIdx.x"),
    ]
    a, b = np.arange(64, dtype=np.float32).reshape(4, 16), np.zeros((4, 16), np.float32)
    sch.unroll(j)
    kc.build(sch.mod)(a, b)
    np.testing.assert_array_equal(b, (a + 1) * 2)


def test_binding_again_to_what_the_kernel_has():
    sch = ones_added((4, 16))
    i, j = sch.get_loops("B")
    sch.bind(i, "threadIdx.x")
    sch.bind(j, "threadIdx.y")
    before = str(sch.mod)
    assert refusal(lambda: sch.bind(j, "threadIdx.x")) == (
        "error[KC3403]: bind: i1 has 16 threads of threadIdx.x, i0 4\n"
        "   |  for i0 in 4 threadIdx.x:    <-- 4 threadIdx.x\n"
        "   |    for i1 in 16:    <-- 16 threadIdx.x\n"
        "   |      block B\n"
        "  why: loops bound to threadIdx.x in one kernel are the same threads, so their extents "
        "must be equal\n"
        "  try: split i1 by factors=?,4\n"
        "  try: bind i1 to another axis"
    )
    assert str(sch.mod) == before


# Blocks and layouts -------------------------------------------------------------------------------


def test_inlining_what_nothing_reads_removes_it():
    sch = scheduled("""
def f(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,), "float32")
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] * 2.0
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = A[vi] + 1.0
""")
    block = sch.get_block("B")
    sch.compute_inline(block)
    assert '"B"' not in str(sch.mod)
    assert (
        refusal(lambda: sch.get_loops(block))
        .split("\n")[1]
        .startswith("  why: block B was removed: nothing read B at ")
    )
    a, c = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    kc.build(sch.mod)(a, c)
    np.testing.assert_array_equal(c, a + 1)


def test_index_maps_of_the_remaining_indices():
    sch = ones_added((4, 8, 2))
    sch.transform_layout("A1", ("write", 0), lambda i, *r: [*r, i])
    assert "memref<8x2x4xf32>" in str(sch.mod)
    sch.transform_block_layout("A1", lambda i, *r: [*r, i])
    assert [sch.get(loop).static_extent for loop in sch.get_loops("A1")] == [8, 2, 4]
    sch.transform_layout(block="B", buffer=("read", 0), index_map=lambda *r: list(reversed(r)))
    a, b = np.arange(64, dtype=np.float32).reshape(4, 8, 2), np.zeros((4, 8, 2), np.float32)
    kc.build(sch.mod)(a, b)
    np.testing.assert_array_equal(b, (a + 1) * 2)
    # The trace has maps of as many indices as there are.
    assert "(i, r1, r2)->(r1, r2, i)" in sch.trace.as_python()


def test_an_index_map_of_too_many_indices():
    sch = ones_added((4, 8))
    assert refusal(lambda: sch.transform_layout("A1", ("write", 0), lambda i, j, k, *r: [i])) == (
        "error[KC3501]: transform_layout: (i, j, k)->(i) takes 3 indices\n"
        "   |  for i0 in 4:\n"
        "   |    for i1 in 8:\n"
        "   |      block A1    <-- here\n"
        "  why: A1 has 2 dimensions\n"
        "  try: index_map=(i, j)->(...)"
    )
