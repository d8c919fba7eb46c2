"""Primitives whose vectors a GPU does not take at once say so, and no others."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import kc
from kc import te
from kc.support.diagnostics import Diagnostic, diagnostic_handler
from kc.target import Target
from kc.tir import Schedule


def rows(width: int, factor: int) -> Schedule:
    """Rows of some length, copied by vectors."""
    A = te.placeholder((64, width), name="A")
    B = te.compute(A.shape, lambda i, j: A[i, j] * 2.0, name="B")
    sch = Schedule(te.create_prim_func([A, B]), target=Target("cuda -arch=sm_80"))
    i, j = sch.get_loops(sch.get_block("B"))
    outer, lanes = sch.split(j, [None, factor])
    sch.bind(i, "blockIdx.x")
    sch.bind(outer, "threadIdx.x")
    sch.vectorize(lanes)
    return sch


def shifted() -> Schedule:
    """Vectors that begin one element behind a multiple of their size."""
    A = te.placeholder((260,), name="A")
    B = te.compute((256,), lambda i: A[i + 1], name="B")
    sch = Schedule(te.create_prim_func([A, B]), target=Target("cuda -arch=sm_80"))
    thread, lanes = sch.split(sch.get_loops(sch.get_block("B"))[0], [None, 4])
    sch.bind(thread, "threadIdx.x")
    sch.vectorize(lanes)
    return sch


def tile(pad: int, *, padded_last: bool = False) -> Schedule:
    """Tiles of 32 x 32, whose rows in shared memory are 32 and some elements apart."""
    A = te.placeholder((256, 256), name="A")
    B = te.compute(A.shape, lambda i, j: A[j, i] * 2.0, name="B")
    sch = Schedule(te.create_prim_func([A, B]), target=Target("cuda -arch=sm_80"))
    block = sch.get_block("B")
    i, j = sch.get_loops(block)
    (i_o, i_i), (j_o, j_i) = sch.split(i, [None, 32]), sch.split(j, [None, 32])
    sch.reorder(i_o, j_o, i_i, j_i)
    copy = sch.cache_read(block, 0, "shared")
    sch.bind(i_o, "blockIdx.y")
    sch.bind(j_o, "blockIdx.x")
    sch.compute_at(copy, j_o)
    _, thread, lanes = sch.split(sch.fuse(*sch.get_loops(copy)[-2:]), [None, 256, 4])
    sch.bind(thread, "threadIdx.x")
    if not padded_last:
        sch.storage_align(copy, 0, 0, 32, pad)
    sch.vectorize(lanes)
    if padded_last:
        sch.storage_align(copy, 0, 0, 32, pad)
    _, thread = sch.split(sch.fuse(i_i, j_i), [None, 256])
    sch.bind(thread, "threadIdx.x")
    return sch


def said(make: Callable[[], Schedule]) -> tuple[Schedule, list[str]]:
    warnings: list[Diagnostic] = []
    with diagnostic_handler(warnings.append):
        sch = make()
    return sch, [
        re.sub(r"--> .*test_vector_alignment\.py:.*", "--> HERE", warning.render())
        for warning in warnings
    ]


WHY = (
    "  why: a GPU accesses a vector at once if its address is a multiple of its size; other "
    "vectors are split\n"
)


def test_rows_of_odd_length():
    assert said(lambda: rows(255, 4))[1] == [
        "warning[KC3446]: vectorize: the alignment of vectors of @main is unknown\n"
        "  --> HERE\n"
        "   |  A  16 bytes at a multiple of 4\n"
        "   |  B  16 bytes at a multiple of 4\n"
        f"{WHY}"
        "  try: pad A: along axis 0 its elements are 255 apart\n"
        "  try: pad B: along axis 0 its elements are 255 apart"
    ]


def test_an_index_in_between():
    assert said(shifted)[1] == [
        "warning[KC3446]: vectorize: the alignment of vectors of @main is unknown\n"
        "  --> HERE\n"
        "   |  A  16 bytes at a multiple of 4\n"
        f"{WHY}"
        "  try: begin vectors of A at multiples of 4: split by such factors, or cache_read A"
    ]


@pytest.mark.parametrize("padded_last", [False, True])
def test_rows_in_shared_memory(padded_last: bool):
    """By the primitive that is the last to know."""
    primitive = "storage-align" if padded_last else "vectorize"
    assert said(lambda: tile(1, padded_last=padded_last))[1] == [
        f"warning[KC3446]: {primitive}: the alignment of vectors of @main is unknown\n"
        "  --> HERE\n"
        "   |  A_shared  16 bytes at a multiple of 4\n"
        f"{WHY}"
        "  try: storage_align A_shared with axis=0 factor=4 offset=0"
    ]


def test_sizes_of_a_call():
    def symbolic() -> Schedule:
        A = te.placeholder((te.var("n"), te.var("m")), name="A")
        B = te.compute(A.shape, lambda i, j: A[i, j] * 2.0, name="B")
        sch = Schedule(te.create_prim_func([A, B]), target=Target("cuda -arch=sm_80"))
        i, j = sch.get_loops(sch.get_block("B"))
        _, lanes = sch.split(j, [None, 4])
        sch.bind(i, "blockIdx.x")
        sch.vectorize(lanes)
        return sch

    (warning,) = said(symbolic)[1]
    assert "  try: give A constant sizes after axis 0\n" in warning


@pytest.mark.parametrize(
    ("make", "wide"),
    [
        (lambda: rows(256, 4), r"global(\.nc)?\.v4"),
        (lambda: rows(254, 2), r"global(\.nc)?\.v2"),
        (lambda: rows(256, 8), r"global(\.nc)?\.v4"),
        (lambda: tile(4), r"st\.shared\.v4"),
        (lambda: tile(0), r"st\.shared\.v4"),
        (lambda: rows(255, 4), None),
        (lambda: tile(1), None),
    ],
)
def test_it_is_said_where_the_code_has_no_wide_accesses(
    make: Callable[[], Schedule], wide: str | None
):
    sch, warnings = said(make)
    assert bool(warnings) == (wide is None)
    ptx = kc.build(sch.mod, target="cuda -arch=sm_80").imported_modules[0].get_source()
    if wide is not None:
        assert re.search(wide, ptx)
    else:
        scope = "shared" if "st.shared" in ptx else "global"
        assert not re.search(rf"{scope}(\.nc)?\.v[24]", ptx)


def test_a_cpu_takes_vectors_from_anywhere():
    def on_cpu() -> Schedule:
        A = te.placeholder((64, 255), name="A")
        B = te.compute(A.shape, lambda i, j: A[i, j] * 2.0, name="B")
        sch = Schedule(te.create_prim_func([A, B]), target=Target("llvm"))
        _, j = sch.get_loops(sch.get_block("B"))
        sch.vectorize(sch.split(j, [None, 4])[1])
        return sch

    assert said(on_cpu)[1] == []
