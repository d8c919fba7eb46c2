"""compute_at and reverse_compute_at of blocks that hold loops: equal results, or a refusal."""

# pyright: reportIndexIssue=false

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.script import from_source
from kc.support.global_functions import remove_global_func

TILES = """
@T.prim_func
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    B = T.alloc_buffer((16, 16), "float32")
    for i, j in T.grid(4, 4):
        with T.block("B_tile"):
            vi, vj = T.axis.remap("SS", [i, j])
            for a, b in T.grid(4, 4):
                with T.block("B"):
                    va, vb = T.axis.remap("SS", [a, b])
                    B[vi * 4 + va, vj * 4 + vb] = A[vi * 4 + va, vj * 4 + vb] * 2.0
    for i, j in T.grid(8, 8):
        with T.block("C_tile"):
            vi, vj = T.axis.remap("SS", [i, j])
            for a, b in T.grid(2, 2):
                with T.block("C"):
                    va, vb = T.axis.remap("SS", [a, b])
                    C[vi * 2 + va, vj * 2 + vb] = B[vi * 2 + va, vj * 2 + vb] + 1.0
"""

SUMS = """
@T.prim_func
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    B = T.alloc_buffer((16,), "float32")
    for i in range(4):
        with T.block("B_tile"):
            vi = T.axis.spatial(4, i)
            row = T.alloc_buffer((16,), "float32")
            for a in range(4):
                for k in range(16):
                    row[k] = A[vi * 4 + a, k] * 2.0
                for k in range(16):
                    with T.block("B"):
                        va, vk = T.axis.remap("SR", [a, k])
                        with T.init():
                            B[vi * 4 + va] = 0.0
                        B[vi * 4 + va] = B[vi * 4 + va] + row[vk]
    for i, j in T.grid(16, 16):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi] + 1.0
"""

SUMS_OF_TILES = """
@T.prim_func
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    B = T.alloc_buffer((16, 16), "float32")
    for i, k in T.grid(4, 4):
        with T.block("B_tile"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                for a, b in T.grid(4, 16):
                    B[vi * 4 + a, b] = 0.0
            for a, b, c in T.grid(4, 16, 4):
                B[vi * 4 + a, b] = B[vi * 4 + a, b] + A[vi * 4 + a, vk * 4 + c]
    for i, j in T.grid(16, 16):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + 1.0
"""

ROWS_OF_CALLS = """
@T.prim_func
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    B = T.alloc_buffer((16, 16), "float32")
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * 2.0
    for i in range(16):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            row = T.match_buffer(B[vi, 0:16], (16,))
            result = T.match_buffer(C[vi, 0:16], (16,))
            T.call_packed("test.copy_row", row.access_ptr("r"), result.access_ptr("w"))
"""


def scheduled(text: str) -> tir.Schedule:
    return tir.Schedule(from_source(f"from kc.script import tir as T\n{text}"))


def refusal(call: Callable[[], Any]) -> str:
    """The text of a refusal, without places and the loop tree."""
    with pytest.raises(KCError) as caught:
        call()
    return "\n".join(
        line for line in str(caught.value).split("\n") if not re.match(r"  -->|   \|", line)
    )


def values(sch: tir.Schedule) -> Any:
    """The result of the function for two shuffled rows of numbers."""
    a = np.random.default_rng(0).permutation(256).reshape(16, 16).astype(np.float32)
    c = np.full((16, 16), 77, np.float32)
    run(sch.mod.op, "f", [a, c])
    return c


def test_a_tile_is_computed_in_the_rows_of_its_consumer():
    sch = scheduled(TILES)
    before = values(sch)
    sch.compute_at("B_tile", sch.get_loops("C_tile")[0])
    text = sch.mod.script(style="tvmscript")
    assert [line.strip() for line in text.splitlines() if "for " in line or "axis" in line] == [
        "for i in T.serial(8):",
        "for vj in T.serial(4):",
        "vi = T.axis.spatial(4, i // 2)",
        "vj_1 = T.axis.spatial(4, vj)",
        "for a_1, b_1 in T.grid(4, 4):",
        'va, vb = T.axis.remap("SS", [a_1, b_1])',
        "for j in T.serial(8):",
        'vi, vj = T.axis.remap("SS", [i, j])',
        "for a, b in T.grid(2, 2):",
        'va, vb = T.axis.remap("SS", [a, b])',
    ]
    np.testing.assert_array_equal(values(sch), before)


def test_a_tile_is_computed_where_its_producer_is():
    sch = scheduled(TILES)
    before = values(sch)
    sch.reverse_compute_at("C_tile", sch.get_loops("B_tile")[1])
    np.testing.assert_array_equal(values(sch), before)
    assert [loop.label for loop in map(sch.get, sch.get_loops("C_tile"))] == ["i", "j", "vi", "vj"]


def test_sums_with_memory_of_their_own():
    sch = scheduled(SUMS)
    before = values(sch)
    loop = sch.split(sch.get_loops("C")[0], [None, 4])[0]
    sch.compute_at("B_tile", loop)
    np.testing.assert_array_equal(values(sch), before)
    assert len(sch.get_loops("B_tile")) == 1


@pytest.mark.parametrize("order", ["ik", "ki"])
def test_a_sum_of_tiles_is_computed_whole_where_it_is_read(order: str):
    sch = scheduled(SUMS_OF_TILES)
    before = values(sch)
    if order == "ki":
        sch.reorder(*reversed(sch.get_loops("B_tile")))
    loop = sch.split(sch.get_loops("C")[0], [None, 4])[0]
    sch.compute_at("B_tile", loop)
    np.testing.assert_array_equal(values(sch), before)
    assert [loop.label for loop in map(sch.get, sch.get_loops("B_tile"))] == ["i_o", "vk"]


def test_rows_that_a_call_reads_are_computed_before_it():
    kc.register_func("test.copy_row", lambda row, result: result.copyfrom(row.numpy()))
    sch = scheduled(ROWS_OF_CALLS)
    try:
        sch.compute_at("B", sch.get_loops("C")[0])
        a = np.arange(256, dtype=np.float32).reshape(16, 16)
        c = np.zeros_like(a)
        kc.build(sch.mod)(a, c)
    finally:
        remove_global_func("test.copy_row")
    np.testing.assert_array_equal(c, a * 2)
    assert len(sch.get_loops("B")) == 2
    written = scheduled(ROWS_OF_CALLS.replace('row.access_ptr("r")', 'row.access_ptr("rw")'))
    with pytest.raises(KCError, match="KC3205.*compute_at: B is also used by block C"):
        written.compute_at("B", written.get_loops("C")[0])


REFUSED = {
    "adds to what it has not initialised": (
        SUMS_OF_TILES.replace("T.grid(4, 16):", "T.grid(4, 15):"),
        "its init may not write all elements of B that it updates",
    ),
    "scales its sum": (
        SUMS_OF_TILES.replace("= B[vi * 4 + a, b] + A", "= B[vi * 4 + a, b] * 2.0 + A"),
        "it contains loops, and uses B for more than updates of its elements",
    ),
    "reads its sum": (
        SUMS_OF_TILES.replace("A[vi * 4 + a, vk * 4 + c]", "B[vi * 4 + a, vk * 4 + c]"),
        "it reads B, which it writes",
    ),
    "adds and multiplies": (
        SUMS_OF_TILES.replace(
            "            for a, b, c in T.grid(4, 16, 4):",
            "            for a, b in T.grid(4, 16):\n"
            "                B[vi * 4 + a, b] = B[vi * 4 + a, b] * A[vi * 4 + a, b]\n"
            "            for a, b, c in T.grid(4, 16, 4):",
        ),
        "it updates B by several operations",
    ),
    "adds to the sum of another one": (
        SUMS_OF_TILES.replace("B[vi * 4 + a, b]", "B[vi * 3 + a, b]"),
        "an element of B may be written for several values of its variables vi",
    ),
    "has its init elsewhere": (
        SUMS_OF_TILES.replace("with T.init():", "if vk == 0:"),
        "its initialisation is another block, so B has two writers",
    ),
    "reads what another one has written": (
        SUMS.replace("with T.init():", "if vk > 0:").replace("B[vi * 4 + va] = 0.0", "row[0] = 0.0")
        .replace('remap("SR"', 'remap("SS"'),
        "it reads elements of B that it may not have written",
    ),
    "writes an element twice": (
        TILES.replace("B[vi * 4 + va, vj * 4 + vb] =", "B[vi * 3 + va, vj * 4 + vb] ="),
        "an element of B may be written for several values of its variables vi, vj",
    ),
    "knows nothing of a variable": (
        TILES.replace('vi, vj = T.axis.remap("SS", [i, j])',
                      "vi = T.axis.opaque(4, i)\n            vj = T.axis.spatial(4, j)", 1),
        "it contains loops, and its variable vi is opaque, not spatial",
    ),
    "loops over threads": (
        TILES.replace("for a, b in T.grid(4, 4):",
                      'for a in T.thread_binding(4, "threadIdx.x"):', 1)
        .replace('remap("SS", [a, b])', 'remap("SS", [a, a])', 1),
        "its loop a is bound to threadIdx.x",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_block_that_cannot_be_moved(name: str):
    text, why = REFUSED[name]
    sch = scheduled(text)
    before = str(sch.mod)
    consumer = "C_tile" if "C_tile" in text else "C"
    assert refusal(lambda: sch.compute_at("B_tile", sch.get_loops(consumer)[0])) == (
        "error[KC3200]: compute_at: block B_tile is neither complete nor a reduction\n"
        f"  why: {why}\n"
        "  try: use compute_at on a block that computes each element of one buffer"
    )
    assert str(sch.mod) == before


@given(data=st.data())
@examples(12)
def test_random_tiles(data: st.DataObject):
    """A stencil of two stages, one or both in tiles, moved to any loop of the other."""
    size, halo = data.draw(st.sampled_from([8, 12])), data.draw(st.integers(0, 2))
    tiles = data.draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=2, max_size=2))
    a = te.placeholder((size + halo,), dtype="int32", name="A")
    b = te.compute(a.shape, lambda i: a[i] * 3, name="B")
    k = te.reduce_axis((0, halo + 1), "k")
    c = te.compute((size,), lambda i: te.sum(b[i + k], axis=k), name="C")
    sch = tir.Schedule(te.create_prim_func([a, c]))
    outer: dict[str, Any] = {}
    for name, tile in zip("BC", tiles, strict=True):
        (i, *_) = sch.get_loops(name)
        if name == "C" and halo:
            sch.decompose_reduction(name, i) if data.draw(st.booleans()) else None
            (i, *_) = sch.get_loops(name)
        block = name
        if data.draw(st.booleans()):
            block = sch.blockize(sch.split(i, [None, tile])[1])
        outer[name] = block
    x = np.arange(size + halo, dtype=np.int32) ** 2
    wanted = np.array([(x[n : n + halo + 1] * 3).sum() for n in range(size)], np.int32)
    step, moved, near = data.draw(
        st.sampled_from([("compute_at", "B", "C"), ("reverse_compute_at", "C", "B")])
    )
    loop = data.draw(st.sampled_from(sch.get_loops(outer[near])))
    if sch.can(step, outer[moved], loop):
        getattr(sch, step)(outer[moved], loop)
    y = np.full(size, 7, np.int32)
    run(sch.mod.op, "main", [x, y])
    np.testing.assert_array_equal(y, wanted)
