"""The proposals of primitives: calls worth asking about, of which ``sch.legal`` keeps the legal."""

from __future__ import annotations

from typing import Any

import pytest

import kc
from kc import te, tir
from kc.analysis.loop_tree import memory_scope
from kc.expr.tensor import Tensor
from kc.support.registry import pass_class


def scheduled(*args: Tensor) -> tir.Schedule:
    """Plain loops of the last of ``args``."""
    return tir.Schedule(kc.lower(te.create_schedule(args[-1].op), list(args), name="main"))


def padded() -> tir.Schedule:
    """A padded copy of A, between blocks that do not pad."""
    a = te.placeholder((6, 4), name="A")
    b = te.compute((6, 4), lambda i, j: a[i, j] + 1.0, name="B")
    p = te.compute(
        (8, 4),
        lambda i, j: te.if_then_else(te.all(i >= 1, i < 7), b[i - 1, j], 0.0),
        name="P",
    )
    c = te.compute((6, 4), lambda i, j: p[i, j] + p[i + 2, j], name="C")
    return scheduled(a, c)


def threads() -> tir.Schedule:
    """A block that all threads do in the same way, and one whose elements they share."""
    a = te.placeholder((4, 8), name="A")
    b = te.compute((4,), lambda i: a[i, 0], name="B")
    c = te.compute((4, 8), lambda i, j: a[i, j] + b[i], name="C")
    sch = scheduled(a, c)
    i, j = sch.get_loops("C")
    sch.bind(i, "blockIdx.x")
    sch.bind(j, "threadIdx.x")
    sch.compute_at("B", j)
    sch.set_scope("B", 0, "shared")
    return sch


def legal(sch: tir.Schedule, primitive: str) -> list[str]:
    return [repr(choice) for choice in sch.legal(primitive)]


def proposed(sch: tir.Schedule, primitive: str) -> list[Any]:
    return list(pass_class(primitive).candidates(sch.session.site(sch.mod.functions["main"])))


def test_storage_align_proposes_rows_of_buffers_that_are_allocated():
    sch = padded()
    rows = [
        f"storage_align(block={name}, buffer_index={name}, axis=-2, factor={factor})"
        for name in "BP"
        for factor in ("32, offset=8", "16")
    ]
    assert legal(sch, "storage_align") == rows


def test_set_store_predicate_proposes_the_first_thread_of_what_all_do():
    sch = threads()
    choices = [
        (choice.arguments["condition"], sch.get(choice.arguments["block"]).label)
        for choice in sch.legal("set_store_predicate")
    ]
    assert choices == [("threadIdx.x == 0", "B")]


@pytest.mark.parametrize(
    ("primitive", "blocks"),
    [
        ("decompose-padding", {"P"}),
        ("compute-inline", {"B", "P"}),
        ("reverse-compute-inline", {"P", "C"}),
    ],
)
def test_only_blocks_that_may_be_legal_are_proposed(primitive: str, blocks: set[str]):
    assert {str(choice.block) for choice in proposed(padded(), primitive)} == blocks


def test_rolling_buffer_is_proposed_where_a_loop_is_around_writes_and_reads():
    sch = padded()
    assert legal(sch, "rolling_buffer") == []
    sch.compute_at("P", sch.get_loops("C")[0])
    assert [sch.get(choice.arguments["block"]).label for choice in sch.legal("rolling_buffer")] == [
        "P"
    ]


def test_a_loop_that_holds_the_block_is_no_place_for_it():
    sch = padded()
    i, j = sch.get_loops("C")
    sch.compute_at("P", i)
    places = [
        choice.loop.target for choice in proposed(sch, "compute-at") if str(choice.block) == "P"
    ]
    assert places == [sch.get(j)]


def test_compute_inline_proposes_blocks_of_buffers_that_are_allocated_but_no_reduction():
    a = te.placeholder((6, 4), name="A")
    b = te.compute((6, 4), lambda i, j: a[i, j] + 1.0, name="B")
    k = te.reduce_axis((0, 4), name="k")
    s = te.compute((6,), lambda i: te.sum(b[i, k], axis=k), name="S")
    c = te.compute((6,), lambda i: s[i] * 2.0, name="C")
    sch = scheduled(a, c)
    assert [str(choice.block) for choice in proposed(sch, "compute-inline")] == ["B"]
    assert legal(sch, "compute_inline") == ["compute_inline(block=B)"]


READERS = """
func.func @main(%A: memref<6x4xf32>, %S: memref<6xf32>) {
  %B = tir.alloc "B" : memref<6xf32>
  tir.for %i in 6 {
    tir.for %k in 4 {
      tir.block "B" (spatial %v in 6 = %i, reduce %w in 4 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %B[%v] : memref<6xf32>
      } do {
        %b = tir.load %B[%v] : memref<6xf32>
        %a = tir.load %A[%v, %w] : memref<6x4xf32>
        %s = arith.addf %b, %a : f32
        tir.store %s, %B[%v] : memref<6xf32>
      }
    }
  }
  tir.for %i in 6 {
    %b = tir.load %B[%i] : memref<6xf32>
    tir.store %b, %S[%i] : memref<6xf32>
  }
  tir.for %i in 6 {
    tir.block "C" (spatial %v in 6 = %i) do {
      %b = tir.load %B[%v] : memref<6xf32>
      tir.store %b, %S[%v] : memref<6xf32>
    }
  }
  func.return
}
"""


def test_cache_write_proposes_each_other_block_that_reads_as_a_consumer():
    sch = tir.Schedule(kc.IRModule.parse(READERS))
    choices = [
        (str(choice.block), choice.scope, [str(consumer) for consumer in choice.consumers])
        for choice in proposed(sch, "cache-write")
    ]
    assert choices == [
        ("B", "global", []),
        ("B", "global", ["C"]),
        ("B", "local", []),
        ("B", "local", ["C"]),
        ("C", "global", []),
        ("C", "local", []),
    ]


def test_reindex_cache_write_proposes_the_variables_that_stay_in_the_opposite_order():
    a = te.placeholder((6, 4, 5), name="A")
    k = te.reduce_axis((0, 5), name="k")
    s = te.compute((6, 4), lambda i, j: te.sum(a[i, j, k], axis=k), name="S")
    maps = {str(choice.index_map) for choice in proposed(scheduled(a, s), "reindex-cache-write")}
    assert maps == {"(v_i, v_j, v_k)->(v_j, v_i)"}


def test_double_buffer_proposes_buffers_that_are_not_marked_yet():
    a = te.placeholder((6, 4), name="A")
    b = te.compute((6, 4), lambda i, j: a[i, j] + 1.0, name="B")
    c = te.compute((6, 4), lambda i, j: b[i, j] * 2.0, name="C")
    d = te.compute((6, 4), lambda i, j: c[i, j] - 3.0, name="D")
    sch = scheduled(a, d)
    assert [str(choice.block) for choice in proposed(sch, "double-buffer")] == ["B", "C"]
    sch.compute_at("C", sch.get_loops("D")[0])
    sch.double_buffer("C", 0)
    assert [str(choice.block) for choice in proposed(sch, "double-buffer")] == ["B"]


def test_layouts_propose_each_axis_of_each_buffer():
    a = te.placeholder((4, 8, 2), name="A")
    c = te.compute((4, 8, 2), lambda i, j, k: a[i, j, k] + 1.0, name="C")
    sch = scheduled(a, c)
    separators = [choice.axis_separators for choice in proposed(sch, "set_axis_separator")]
    assert separators == [(1,), (2,)] * 2
    orders = [choice.order for choice in proposed(sch, "reorder_block_iter_var")]
    assert orders == [(1, 0, 2), (0, 2, 1)]


def test_set_scope_proposes_other_scopes_than_the_one_it_is():
    scopes: dict[str, list[str]] = {}
    for choice in proposed(threads(), "set_scope"):
        scopes.setdefault(memory_scope(choice.buffer.target), []).append(choice.scope)
    assert {old: sorted(set(new)) for old, new in scopes.items()} == {
        "global": ["local"],
        "shared": ["global", "local"],
    }


def test_transform_layout_proposes_layouts_that_differ():
    a = te.placeholder((8,), name="A")
    c = te.compute((8,), lambda i: a[i] + 1.0, name="C")
    rows = [str(choice.index_map) for choice in proposed(scheduled(a, c), "transform_layout")]
    assert set(rows) == {"(i0)->(i0 floordiv 4, i0 mod 4)"}
