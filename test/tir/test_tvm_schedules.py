"""``tir.Schedule`` as programs for TVM use it: values against numpy, and refusals."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false, reportCallIssue=false, reportGeneralTypeIssues=false
# pyright: reportAttributeAccessIssue=false, reportIndexIssue=false
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.script import from_source
from kc.script import tir as T
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
        "(4.0 is not a factor), not list [None, 4.0]"
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


def test_index_maps_of_shapes_and_their_inverses():
    index_map = tir.IndexMap.from_func(lambda i, j: [i // 4, j, i % 4])
    assert index_map.map_shape([18, 8]) == [5, 8, 4]
    assert index_map.map_indices([5, 3]) == [1, 3, 1]
    back = index_map.inverse([16, 8])
    assert back.map_indices([1, 3, 1]) == [5, 3]
    assert back.is_equivalent_to(tir.IndexMap.from_func(lambda a, b, c: [a * 4 + c, b]))
    with pytest.raises(kc.KCError, match=r"KC3500.*has no inverse that is an index map"):
        tir.IndexMap.from_func(lambda i, j: [i + j]).inverse([4, 4])


ONE = """
@T.prim_func
def two(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi]
"""


def test_the_only_function_is_main():
    sch = tir.Schedule(from_source(ONE))
    assert list(sch.mod["main"].functions) == ["two"]
    block = sch.get_block("B", func_name="main")
    (loop,) = sch.get_loops(block)
    stmt, nest = sch.get(block), sch.get(loop)
    assert (stmt.name_hint, nest.loop_var.name, nest.extent) == ("B", "i", 8)
    references = [sch.get_sref(part) for part in (block, stmt, loop, nest)]
    assert all(reference is not None for reference in references)
    assert references[0].stmt.same_as(stmt)
    assert references[2].same_as(references[3])
    kc.ir.assert_structural_equal(sch.get(sch.get_block("B")), stmt)


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


def test_places_are_sampled_equally_often():
    """Inline, where it is, and the loops of more than one iteration, as TVM chooses them."""
    a = te.placeholder((8, 8), name="A")
    b = te.compute((8, 8), lambda i, j: a[i, j] * 2, name="B")
    k = te.reduce_axis((0, 8), name="k")
    c = te.compute((8, 8), lambda i, j: te.sum(b[i, k] * b[k, j], axis=k), name="C")
    sch = tir.Schedule(te.create_prim_func([a, c]), seed=7)
    i, j, k = sch.get_loops("C")
    j_o, j_i = sch.split(j, [None, 1])
    sch.reorder(i, j_o, k, j_i)
    counts = {depth: 0 for depth in (-2, -1, 0, 1, 2)}
    for _ in range(200):
        sch.sample_compute_location("B")
        counts[sch.session.trace[-1].decision] += 1
    # Of 200 in five places 40 each, with a standard deviation of 6.
    assert all(22 <= count <= 58 for count in counts.values()), counts


def test_a_place_that_is_none():
    sch = ones_added((4, 8))
    assert refusal(lambda: sch.sample_compute_location("A1", decision=5)) == (
        "error[KC3731]: sample_compute_location: decision 5\n"
        "  why: block A1 can be computed at -2: inline, -1: where it is, 0: i0, 1: i1"
    )


PADDED = """
def f(x: T.Buffer((16, 14), "uint8"), y: T.Buffer((16, 18), "uint8")):
    for i, j in T.grid(16, 18):
        with T.block("pad"):
            vi, vj = T.axis.remap("SS", [i, j])
            y[vi, vj] = T.if_then_else(
                2 <= vj and vj < 16, x[vi, vj - 2], T.uint8(0), dtype="uint8")
"""

MIXED = """
def f(x: T.Buffer((16, 3), "float32"), y: T.Buffer((T.int64(4), 8), "float32")):
    for i, j in T.grid(T.int64(4), 8):
        with T.block("y"):
            vi = T.axis.spatial(T.int64(4), i)
            vj = T.axis.spatial(8, j)
            y[vi, vj] = x[vi * T.int64(2) + T.cast(vj, "int64"), 0] + 1.0
"""

SQUARES = """
def f(x: T.Buffer((4, 32), "float32"), y: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 32):
        with T.block("y"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                y[vi] = 0.0
            v: T.float32 = x[vi, vk]
            y[vi] = y[vi] + v * v
"""

SHIFTED = """
def f(x: T.Buffer((65,), "float32"), y: T.Buffer((65,), "float32")):
    for i in range(65):
        with T.block("copy"):
            vi = T.axis.spatial(65, i)
            y[vi] = x[vi]
    for i in range(64):
        with T.block("y"):
            vi = T.axis.spatial(64, i)
            y[vi] = y[vi + 1] * 2.0
"""

OVERWRITTEN = """
def f(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,), "float32")
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = x[vi] * 2.0
    for i in range(8):
        with T.block("y"):
            vi = T.axis.spatial(8, i)
            y[vi] = B[vi] + 1.0
        with T.block("x"):
            vi = T.axis.spatial(8, i)
            x[vi] = 0.0
"""

GUARDED = """
def f(x: T.Buffer((10, 6), "float32"), y: T.Buffer((10, 6), "float32")):
    for i in range(12):
        if i < 10:
            for j in range(6):
                with T.block("y"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    y[vi, vj] = x[vi, vj] + 1.0
"""

CASES: dict[str, tuple[str, Callable[[tir.Schedule], Any], Callable[[Any], Any]]] = {
    "decompose_padding of unsigned pads": (
        PADDED,
        lambda sch: sch.decompose_padding("pad", sch.get_loops("pad")[0]),
        lambda x: np.pad(x, ((0, 0), (2, 2))),
    ),
    "reindex of a read with indices of two types": (
        MIXED,
        lambda sch: sch.reindex("y", ("read", 0)),
        lambda x: x[np.arange(4)[:, None] * 2 + np.arange(8), 0] + 1,
    ),
    "reindex of a write with indices of two types": (
        MIXED,
        lambda sch: sch.reindex("y", ("write", 0)),
        lambda x: x[np.arange(4)[:, None] * 2 + np.arange(8), 0] + 1,
    ),
    "rfactor of a block with a let": (
        SQUARES,
        lambda sch: sch.rfactor(sch.split(sch.get_loops("y")[1], [None, 4])[1], 0),
        lambda x: (x * x).sum(1),
    ),
    "vectorize where later elements are read": (
        SHIFTED,
        lambda sch: sch.vectorize(sch.get_loops("y")[0]),
        lambda x: np.append(x[1:] * 2, x[-1:]),
    ),
    "compute_at before the source is overwritten": (
        OVERWRITTEN,
        lambda sch: sch.compute_at("B", sch.get_loops("y")[0]),
        lambda x: x * 2 + 1,
    ),
    "fuse across a guard": (
        GUARDED,
        lambda sch: sch.fuse(*sch.get_loops("y")),
        lambda x: x + 1,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_was_refused_once(name: str):
    text, schedule, reference = CASES[name]
    sch = scheduled(text)
    before = str(sch.mod)
    schedule(sch)
    assert str(sch.mod) != before
    (x_type, y_type) = (argument.type for argument in sch.module.body.ops.first.body.block.args)
    rng = np.random.default_rng(0)
    dtype = np.uint8 if "i8" in str(x_type) else np.float32
    x = rng.integers(1, 9, x_type.get_shape()).astype(dtype)
    y = np.full(y_type.get_shape(), 77, dtype)
    wanted = reference(x.copy())
    kc.build(sch.mod)(x, y)
    np.testing.assert_array_equal(y, wanted)


def test_vectors_of_what_earlier_iterations_write():
    """The other way round: each iteration reads what the one before has written."""
    sch = scheduled(SHIFTED.replace("y[vi] = y[vi + 1]", "y[vi + 1] = y[vi]"))
    assert refusal(lambda: sch.vectorize(sch.get_loops("y")[0])) == (
        "error[KC3041]: vectorize: the iterations of i depend on each other\n"
        "   |  for i in 64:    <-- here\n"
        "   |    block y\n"
        "  why: y at (i=0) writes y[1], which y at (i=1) reads"
    )


# Reshapes -----------------------------------------------------------------------------------------


RESHAPES = {
    "flatten": ("32", "vi // 8, vi % 8"),
    "factorize": ("2, 2, 8", "vi * 2 + vj, vk"),
    "factorize both": ("2, 2, 4, 2", "vi * 2 + vj, vk * 2 + vl"),
    "reshape": ("2, 16", "(vi * 16 + vj) // 8, (vi * 16 + vj) % 8"),
    "three digits": ("32", "vi // 8, vi // 2 % 4 * 2 + vi % 2"),
}


def reshaped(shape: str, indices: str, terms: int = 0) -> tir.Schedule:
    """``C``, whose elements are those of ``B`` plus one; ``B`` is 2 ``A``, or a sum of ``A``."""
    names = "ijkl"[: shape.count(",") + 1]
    variables = ", ".join(f"v{name}" for name in names)
    loops = ", ".join(names)
    sum_of = f"""
    for a, b, c in T.grid(4, 8, {terms}):
        with T.block("B"):
            va, vb, vc = T.axis.remap("SSR", [a, b, c])
            with T.init():
                B[va, vb] = 0.0
            B[va, vb] = B[va, vb] + A[va, vb, vc]"""
    twice = """
    for a, b in T.grid(4, 8):
        with T.block("B"):
            va, vb = T.axis.remap("SS", [a, b])
            B[va, vb] = A[va, vb] * 2.0"""
    return scheduled(f"""
def f(A: T.Buffer((4, 8{f", {terms}" if terms else ""}), "float32"),
      C: T.Buffer(({shape},), "float32")):
    B = T.alloc_buffer((4, 8), "float32"){sum_of if terms else twice}
    for {loops} in T.grid({shape}):
        with T.block("C"):
            {variables} = T.axis.remap("{"S" * len(names)}", [{loops}])
            C[{variables}] = B[{indices}] + 1.0
""")


def assert_is_reshaped(sch: tir.Schedule, shape: str, terms: int = 0) -> None:
    a = np.arange(32 * max(terms, 1), dtype=np.float32).reshape(4, 8, *([terms] if terms else []))
    sizes = [int(size) for size in shape.split(",")]
    c = np.full(sizes, 77, np.float32)
    kc.build(sch.mod)(a, c)
    np.testing.assert_array_equal(c, ((a.sum(2) if terms else a * 2) + 1).reshape(sizes))


@pytest.mark.parametrize("name", RESHAPES)
def test_a_reshape_is_inlined_into_its_producer(name: str):
    shape, indices = RESHAPES[name]
    sch = reshaped(shape, indices)
    sch.reverse_compute_inline("C")
    assert [block.name for block in sch.get_child_blocks(sch.get_loops("B")[0])] == ["B"]
    assert "tir.alloc" not in str(sch.mod)
    assert_is_reshaped(sch, shape)


@pytest.mark.parametrize("name", RESHAPES)
@pytest.mark.parametrize("depth", [0, 1])
def test_a_reshape_is_computed_at_loops_of_its_producer(name: str, depth: int):
    shape, indices = RESHAPES[name]
    sch = reshaped(shape, indices)
    sch.reverse_compute_at("C", sch.get_loops("B")[depth])
    around = sch.get_loops("C")
    assert [loop.name for loop in around[: depth + 1]] == ["a", "b"][: depth + 1]
    # The rest of the loops make one row of B, or one element.
    assert np.prod([sch.get(loop).static_extent for loop in around[depth + 1 :]]) == [8, 1][depth]
    assert_is_reshaped(sch, shape)


@pytest.mark.parametrize("name", ["flatten", "factorize both", "reshape"])
def test_a_reshape_is_computed_at_tiles_of_a_reduction(name: str):
    shape, indices = RESHAPES[name]
    sch = reshaped(shape, indices, terms=6)
    a, b, c = sch.get_loops("B")
    b_o, b_i = sch.split(b, [None, 4])
    sch.reorder(a, b_o, c, b_i)
    sch.reverse_compute_at("C", b_o)
    assert np.prod([sch.get(loop).static_extent for loop in sch.get_loops("C")[2:]]) == 4
    assert_is_reshaped(sch, shape, terms=6)


def test_a_sum_of_rows_that_is_no_reshape():
    sch = reshaped("4, 4", "vi, vj + vi")
    before = str(sch.mod)
    assert refusal(lambda: sch.reverse_compute_inline("C")) == (
        "error[KC3243]: reverse_compute_inline: blocks B and C do not access the same elements "
        "of B\n"
        "   |  for i in 4:\n"
        "   |    for j in 4:\n"
        "   |      block C    <-- reads B\n"
        "  why: block C does not read [0, 4]\n"
        "  try: compute_inline B"
    )
    assert str(sch.mod) == before
    sch = reshaped("4, 4, 2", "vi, vj + vk")
    assert refusal(lambda: sch.reverse_compute_inline("C")) == (
        "error[KC3242]: reverse_compute_inline: block C does not access B element by element\n"
        "   |  for i in 4:\n"
        "   |    for j in 4:\n"
        "   |      for k in 2:\n"
        "   |        block C    <-- here\n"
        "  why: vi, vj, vk do not follow from the read element of B by one affine map\n"
        "  try: compute_inline B"
    )


# Tensor intrinsics --------------------------------------------------------------------------------


@T.prim_func
def tile_product(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (16, 16), offset_factor=1)
    B = T.match_buffer(b, (16, 16), offset_factor=1)
    C = T.match_buffer(c, (16, 16), offset_factor=1)
    with T.block("root"):
        T.reads(C[0:16, 0:16], A[0:16, 0:16], B[0:16, 0:16])
        T.writes(C[0:16, 0:16])
        for i, j, k in T.grid(16, 16, 16):
            with T.block("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]


@T.prim_func
def tile_by_elements(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (16, 16), offset_factor=1)
    B = T.match_buffer(b, (16, 16), offset_factor=1)
    C = T.match_buffer(c, (16, 16), offset_factor=1)
    with T.block("root"):
        T.reads(C[0:16, 0:16], A[0:16, 0:16], B[0:16, 0:16])
        T.writes(C[0:16, 0:16])
        for i, j, k in T.grid(16, 16, 16):
            C[i, j] += A[i, k] * B[j, k]


@T.prim_func
def tile_by_a_call(a: T.handle, b: T.handle, c: T.handle) -> None:
    step_a = T.int32()
    step_b = T.int32()
    step_c = T.int32()
    A = T.match_buffer(a, (16, 16), offset_factor=1, strides=[step_a, 1])
    B = T.match_buffer(b, (16, 16), offset_factor=1, strides=[step_b, 1])
    C = T.match_buffer(c, (16, 16), offset_factor=1, strides=[step_c, 1])
    with T.block("root"):
        T.reads(C[0:16, 0:16], A[0:16, 0:16], B[0:16, 0:16])
        T.writes(C[0:16, 0:16])
        T.evaluate(
            T.call_extern(
                "tile_product_16",
                C.access_ptr("rw"),
                A.access_ptr("r"),
                B.access_ptr("r"),
                step_a,
                step_b,
                step_c,
                dtype="int32",
            )
        )


@T.prim_func
def tile_by_a_dense_call(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (16, 16), offset_factor=1)
    B = T.match_buffer(b, (16, 16), offset_factor=1)
    C = T.match_buffer(c, (16, 16), offset_factor=1)
    with T.block("root"):
        T.reads(C[0:16, 0:16], A[0:16, 0:16], B[0:16, 0:16])
        T.writes(C[0:16, 0:16])
        T.evaluate(
            T.call_extern(
                "dense_product_16",
                C.access_ptr("rw"),
                A.access_ptr("r"),
                B.access_ptr("r"),
                dtype="int32",
            )
        )


TILE_PRODUCT = """
int tile_product_16(float *c, const float *a, const float *b, int la, int lb, int lc) {
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      for (int k = 0; k < 16; k++) c[i * lc + j] += a[i * la + k] * b[j * lb + k];
  return 0;
}
"""


def tiled_product(intrin: str) -> tuple[tir.Schedule, Callable[[], None]]:
    """``A B^T`` of 32 x 48 and 64 x 48 in tiles, and a call that tensorizes one."""
    sch = scheduled("""
def f(A: T.Buffer((32, 48), "float32"), B: T.Buffer((64, 48), "float32"),
      C: T.Buffer((32, 64), "float32")):
    for i, j, k in T.grid(32, 64, 48):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = 0.0
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]
""")
    i, j, k = (sch.split(loop, [None, 16]) for loop in sch.get_loops("C"))
    sch.reorder(i[0], j[0], k[0], i[1], j[1], k[1])
    sch.decompose_reduction("C", k[0])
    return sch, lambda: sch.tensorize(i[1], intrin)


def assert_is_product(sch: tir.Schedule) -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((32, 48), (64, 48)))
    c = np.full((32, 64), 77, np.float32)
    kc.build(sch.mod)(a, b, c)
    np.testing.assert_array_equal(c, a @ b.T)


def test_a_tile_of_a_wider_matrix():
    """The buffers of the intrinsic declare no strides, and only elements of them are accessed."""
    tir.TensorIntrin.register("tile_by_elements", tile_product, tile_by_elements, override=True)
    sch, tensorize = tiled_product("tile_by_elements")
    tensorize()
    assert_is_product(sch)


def test_strides_of_a_script(tmp_path: Path):
    tir.TensorIntrin.register("tile_by_a_call", tile_product, tile_by_a_call, override=True)
    sch, tensorize = tiled_product("tile_by_a_call")
    tensorize()
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (tmp_path / "tile.c").write_text(TILE_PRODUCT)
    library = tmp_path / "libtile.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", library, tmp_path / "tile.c"]
    subprocess.run(command, check=True)
    ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
    assert_is_product(sch)


def test_a_call_that_takes_a_tile_to_be_dense():
    tir.TensorIntrin.register("dense_tile", tile_product, tile_by_a_dense_call, override=True)
    sch, tensorize = tiled_product("dense_tile")
    before = str(sch.mod)
    assert refusal(tensorize) == (
        "error[KC3564]: tensorize: A does not have the layout that dense_tile needs\n"
        "   |  ...\n"
        "   |          block C_init\n"
        "   |      for k_o in 3:\n"
        "   |        block C_o    <-- here\n"
        "   |          for i_i in 16:\n"
        "   |            for j_i in 16:\n"
        "   |              for k_i in 16:\n"
        "   |                block C\n"
        "  why: the stride of dimension 0 of A is 48 elements, not 16; its argument A is "
        "memref<16x16xf32>\n"
        "  try: an argument with strides of any size, memref<16x16xf32, strided<[?, 1], offset: ?>>"
    )
    assert str(sch.mod) == before


# The position of a largest element ----------------------------------------------------------------


def positions(larger: str, start: str, *, ties: bool = False) -> tir.Schedule:
    """The largest or smallest element of each row, and its position, as TVM's programs say it."""
    strict = larger.removesuffix("=")
    chosen = f"V[vi] {larger} x[vi, vk]"
    if ties:
        chosen = f"V[vi] {strict} x[vi, vk] or (V[vi] == x[vi, vk] and P[vi] < vk)"
    return scheduled(f"""
def f(x: T.Buffer((4, 32), "float32"), P: T.Buffer((4,), "int32"), V: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 32):
        with T.block("P"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                P[vi] = -1
                V[vi] = {start}
            p: T.int32 = T.Select({chosen}, P[vi], vk)
            v: T.float32 = T.Select(V[vi] {strict if ties else larger} x[vi, vk], V[vi], x[vi, vk])
            P[vi] = p
            V[vi] = v
""")


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    ("larger", "start"), [(">=", 'T.min_value("float32")'), ("<=", 'T.max_value("float32")')]
)
def test_rfactor_of_the_position_of_an_element(larger: str, start: str, ties: bool):
    sch = positions(larger, start, ties=ties)
    sch.rfactor(sch.split(sch.get_loops("P")[1], [None, 4])[1], 0)
    assert sch.get(sch.get_block("P_rf")).label == "P_rf"
    x = np.random.default_rng(0).permutation(128).reshape(4, 32).astype(np.float32)
    if ties:
        x //= 8  # of equal elements the first one
    p, v = np.full(4, 77, np.int32), np.zeros(4, np.float32)
    run(sch.mod.op, "f", [x, p, v])
    np.testing.assert_array_equal(p, (x.argmax if larger == ">=" else x.argmin)(1))
    np.testing.assert_array_equal(v, (x.max if larger == ">=" else x.min)(1))


def test_the_last_position_is_no_combination():
    sch = positions(">", "0.0")
    assert refusal(lambda: sch.rfactor(sch.get_loops("P")[1], 0)) == (
        "error[KC3200]: rfactor: block P is neither complete nor a reduction\n"
        "   |  for i in 4:\n"
        "   |    for k in 32:\n"
        "   |      block P    <-- here\n"
        "  why: it has reduce variables, but is not an update with a commutative combiner\n"
        "  try: use rfactor on a block that computes each element of one buffer"
    )


# Parts of buffers that calls are given ------------------------------------------------------------


TILES_BY_CALLS = """
def f(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    B = T.alloc_buffer((8, 8), "float32")
    for i, j in T.grid(2, 2):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            A_tile = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4))
            B_tile = T.match_buffer(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4))
            T.call_extern("int32", "tile", A_tile.access_ptr("r"), B_tile.access_ptr("w"))
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + A[vi, vj]
"""


@pytest.mark.parametrize("name", "AB")
def test_a_copy_of_what_calls_use(name: str):
    sch = scheduled(TILES_BY_CALLS)
    before = sch.mod.script(style="tvmscript")
    copy = sch.cache_read("C", name, "local")
    text = sch.mod.script(style="tvmscript")
    tiles, after = text.split('        for ax0, ax1 in T.grid(8, 8):\n            with T.block("')
    assert before.startswith(tiles[: tiles.index(f"{name}_local")].rstrip()[: len(before) // 3])
    assert f"C[vi, vj] = {'B_local' if name == 'B' else 'B'}[vi, vj] + " in after
    assert sch.get(copy).reads[0].buffer.name == name


def test_a_call_that_writes_before_the_read():
    sch = scheduled(
        """
def f(C: T.Buffer((3,), "float32")):
    B = T.alloc_buffer((4,), "float32")
    for t in range(3):
        with T.block("C"):
            vt = T.axis.spatial(3, t)
            part = T.match_buffer(B[0:4], (4,))
            T.call_extern("int32", "fill", part.access_ptr("w"))
            C[vt] = B[0]
"""
    )
    assert refusal(lambda: sch.cache_read("C", "B", "local")).split("\n") == [
        "error[KC3305]: cache_read: B changes between the copy and what block C reads",
        "   |  for t in 3:",
        "   |    block C    <-- reads B",
        "  why: block C at (t=0) writes what is read at (t=0)",
    ]


def test_calls_in_parallel_iterations():
    """Each has a row written by a call, and reads it."""
    sch = scheduled(
        """
def f(C: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
    for i in T.parallel(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            row = T.match_buffer(B[vi, 0:4], (4,))
            T.call_extern("int32", "fill", row.access_ptr("w"))
        for j in range(4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj]
"""
    )
    sch.cache_read("C", "B", "local")
    assert [loop.label for loop in map(sch.get, sch.get_loops("B_local"))] == ["i", "ax0", "ax1"]
