"""Reductions whose extents depend on axes of the element or on data, in every primitive of TE."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from property_tests import sliced

import kc
from kc import te, tir

ROWS, TERMS, WIDTH = 10, 16, 6
RANDOM = np.random.default_rng(40)
LEFT = RANDOM.integers(-5, 6, (ROWS, TERMS)).astype(np.int32)
RIGHT = RANDOM.integers(-5, 6, (TERMS, WIDTH)).astype(np.int32)
LENGTHS = np.array([3, 0, 10, 5, 16, 1, 0, 7, 9, 2], np.int32)
ENDS = np.concatenate([[0], np.cumsum(LENGTHS)]).astype(np.int32)

KINDS: dict[str, tuple[Callable[..., Any], np.ndarray | None, Any]] = {
    "triangle": (lambda i, _: i + 1, None, np.arange(ROWS) + 1),
    "band": (lambda i, _: te.min(ROWS - i, 4), None, np.minimum(ROWS - np.arange(ROWS), 4)),
    "lengths": (lambda i, given: given[i], LENGTHS, LENGTHS),
    "ends": (lambda i, given: given[i + 1] - given[i], ENDS, LENGTHS),
}


class Ragged:
    """``Z[i, j] = 2 * sum over r < length(i) of P[i, r] * B[r, j]``, ``P = 3 * A + 1``."""

    def __init__(self, kind: str) -> None:
        length, self.data, self.counts = KINDS[kind]
        self.a = te.placeholder((ROWS, TERMS), "int32", name="A")
        self.b = te.placeholder((TERMS, WIDTH), "int32", name="B")
        self.lengths = None
        if self.data is not None:
            self.lengths = te.placeholder(self.data.shape, "int32", name="L")
        self.p = te.compute((ROWS, TERMS), lambda i, j: self.a[i, j] * 3 + 1, name="P")

        def element(i: Any, j: Any) -> Any:
            r = te.reduce_axis((0, length(i, self.lengths)), name="r")
            return te.sum(self.p[i, r] * self.b[r, j], axis=r)

        self.y = te.compute((ROWS, WIDTH), element, name="Y")
        self.z = te.compute((ROWS, WIDTH), lambda i, j: self.y[i, j] * 2, name="Z")
        self.s = te.create_schedule(self.z.op)
        self.i, self.j = self.y.op.axis
        (self.r,) = self.y.op.reduce_axis

    @property
    def inputs(self) -> list[te.Tensor]:
        """The tensors that it is computed from."""
        return [tensor for tensor in (self.a, self.b, self.lengths) if tensor is not None]

    def run(self) -> None:
        """Build and call it, and compare with the definition."""
        self.check(kc.build(self.s, [*self.inputs, self.z]))

    def check(self, function: Callable[..., Any]) -> None:
        """Call it, and compare with the definition."""
        arrays = [array for array in (LEFT, RIGHT, self.data) if array is not None]
        result = np.full((ROWS, WIDTH), 0x5A, np.int32)
        function(*arrays, result)
        terms = (LEFT * 3 + 1)[:, :, None] * RIGHT
        wanted = [2 * terms[n, :count].sum(0) for n, count in enumerate(self.counts)]
        np.testing.assert_array_equal(result, np.array(wanted))


def split_reduction(it: Ragged) -> None:
    outer, inner = it.s[it.y].split(it.r, 4)
    it.s[it.y].reorder(it.i, outer, it.j, inner)


def vectors_inside(it: Ragged) -> None:
    outer, inner = it.s[it.y].split(it.r, 4)
    it.s[it.y].reorder(it.i, outer, inner, it.j)
    it.s[it.y].unroll(inner)
    it.s[it.y].vectorize(it.j)


def cached(it: Ragged) -> None:
    cache = it.s.cache_write(it.y, "local")
    outer, _ = it.s[it.y].split(it.y.op.axis[0], 4)
    it.s[cache].compute_at(it.s[it.y], outer)
    it.s[cache].split(cache.op.reduce_axis[0], 4)


def cached_in_tiles(it: Ragged) -> None:
    it.s[it.y].tile(it.i, it.j, 4, 2)
    cache = it.s.cache_write(it.y, "local")
    it.s[cache].compute_at(it.s[it.y], it.y.op.axis[0])


def lengths_cached(it: Ragged) -> None:
    if it.lengths is not None:
        copy = it.s.cache_read(it.lengths, "local", [it.y])
        it.s[copy].compute_at(it.s[it.y], it.i)
    it.s[it.y].compute_at(it.s[it.z], it.z.op.axis[0])


def partial(it: Ragged) -> None:
    _, inner = it.s[it.y].split(it.r, 4)
    parts = it.s.rfactor(it.y, inner)
    it.s[parts].compute_at(it.s[it.y], it.s[it.y].op.axis[0])


def partial_by_parts(it: Ragged) -> None:
    outer, _ = it.s[it.y].split(it.r, nparts=4)
    it.s.rfactor(it.y, outer)


SCHEDULES: dict[str, Callable[[Ragged], Any]] = {
    "none": lambda it: None,
    "split i": lambda it: it.s[it.y].split(it.i, 4),
    "split r": lambda it: it.s[it.y].split(it.r, 4),
    "split r in parts": lambda it: it.s[it.y].split(it.r, nparts=4),
    "fuse": lambda it: it.s[it.y].fuse(it.i, it.j),
    "reorder j, i": lambda it: it.s[it.y].reorder(it.j, it.i),
    "reorder i, r, j": lambda it: it.s[it.y].reorder(it.i, it.r, it.j),
    "tile": lambda it: it.s[it.y].tile(it.i, it.j, 4, 4),
    "split and reorder": split_reduction,
    "vectors": vectors_inside,
    "parallel": lambda it: it.s[it.y].parallel(it.i),
    "compute_inline": lambda it: it.s[it.p].compute_inline(),
    "producer at i": lambda it: it.s[it.p].compute_at(it.s[it.y], it.i),
    "producer at r": lambda it: it.s[it.p].compute_at(it.s[it.y], it.r),
    "compute_at i": lambda it: it.s[it.y].compute_at(it.s[it.z], it.z.op.axis[0]),
    "compute_at j": lambda it: it.s[it.y].compute_at(it.s[it.z], it.z.op.axis[1]),
    "compute_at a part": lambda it: it.s[it.y].compute_at(
        it.s[it.z], it.s[it.z].split(it.z.op.axis[0], 4)[0]
    ),
    "cache_write": lambda it: it.s.cache_write(it.y, "local"),
    "cache_write and compute_at": cached,
    "cache_write in tiles": cached_in_tiles,
    "cache_read": lambda it: it.s.cache_read(it.p, "local", [it.y]),
    "cache_read of lengths": lengths_cached,
    "rfactor": partial,
    "rfactor by parts": partial_by_parts,
}


@pytest.mark.parametrize(("name", "kind"), sliced(product(SCHEDULES, KINDS), 2))
def test_schedules_give_the_sums_of_the_definition(name: str, kind: str):
    it = Ragged(kind)
    SCHEDULES[name](it)
    it.run()


@pytest.mark.parametrize("kind", ["triangle", "lengths"])
def test_partial_results_have_one_number_for_all_elements(kind: str):
    it = Ragged(kind)
    outer, _ = it.s[it.y].split(it.r, 4)
    length = {"triangle": "(i + 1)", "lengths": "L[i]"}[kind]
    with pytest.raises(kc.KCError) as caught:
        it.s.rfactor(it.y, outer)
    assert str(caught.value).splitlines()[0] == (
        "error[KC3139]: rfactor: axis r_o of Y has a number of iterations that differs between "
        "elements"
    )
    assert str(caught.value).splitlines()[2:] == [
        f"  why: the partial results would have ({length} + 3) // 4 elements along it, and a "
        "dimension of a tensor has one size",
        "  try: split it by factor=8, or by nparts=8, and factor the axis that has 8 of them",
    ]


def test_what_an_extent_depends_on_stays_around_its_loop():
    it = Ragged("triangle")
    it.s[it.y].reorder(it.r, it.i)
    with pytest.raises(kc.KCError, match="KC3034.*the extent of r depends on i"):
        it.run()
    it = Ragged("lengths")
    it.s[it.y].reorder(it.r, it.i)
    with pytest.raises(kc.KCError, match="KC3034.*the extent of r depends on i"):
        it.run()


def test_lengths_that_are_written_in_between_stay_where_they_are():
    """The lengths of the new place would be others."""
    text = """
func.func @main(%L: memref<4xi32> {kc.name = "L", kc.role = "in"},
                %A: memref<4x8xi32> {kc.name = "A", kc.role = "in"},
                %Z: memref<4xi32> {kc.name = "Z", kc.role = "out"}) {
  %M = tir.alloc "M" : memref<4xi32>
  %Y = tir.alloc "Y" : memref<4xi32>
  tir.for %i in 4 {
    tir.block "M" (spatial %v in 4 = %i) do {
      %0 = tir.load %L[%v] : memref<4xi32>
      tir.store %0, %M[%v] : memref<4xi32>
    }
  }
  tir.for %n in 4 {
    %0 = tir.load %M[%n] : memref<4xi32>
    %1 = arith.index_cast %0 : i32 to index
    tir.for %r in %1 {
      tir.block "Y" (spatial %v_n in 4 = %n, reduce %v_r in %1 = %r) init {
        %z = arith.constant 0 : i32
        tir.store %z, %Y[%v_n] : memref<4xi32>
      } do {
        %2 = tir.load %A[%v_n, %v_r] : memref<4x8xi32>
        %3 = tir.load %Y[%v_n] : memref<4xi32>
        %4 = arith.addi %3, %2 : i32
        tir.store %4, %Y[%v_n] : memref<4xi32>
      }
    }
  }
  LATER
  tir.for %m in 4 {
    tir.block "Z" (spatial %v in 4 = %m) do {
      %5 = tir.load %Y[%v] : memref<4xi32>
      tir.store %5, %Z[%v] : memref<4xi32>
    }
  }
  func.return
}
"""
    later = """
  tir.for %w in 4 {
    tir.block "W" (spatial %v in 4 = %w) do {
      %0 = arith.constant 1 : i32
      tir.store %0, %M[%v] : memref<4xi32>
    }
  }
"""
    sch = tir.Schedule(kc.IRModule.parse(text.replace("LATER", "")))
    sch.compute_at("Y", sch.get_loops("Z")[0])
    a = RANDOM.integers(-5, 6, (4, 8)).astype(np.int32)
    lengths, result = np.array([8, 0, 3, 5], np.int32), np.zeros(4, np.int32)
    kc.build(sch.mod)(lengths, a, result)
    wanted = [a[n, :count].sum() for n, count in enumerate(lengths)]
    np.testing.assert_array_equal(result, wanted)
    sch = tir.Schedule(kc.IRModule.parse(text.replace("LATER", later)))
    with pytest.raises(kc.KCError, match="KC3208"):
        sch.compute_at("Y", sch.get_loops("Z")[0])


@pytest.mark.parametrize("kind", ["triangle", "lengths"])
def test_blocks_of_such_reductions_in_schedules_of_tir(kind: str):
    it = Ragged(kind)

    def started() -> tir.Schedule:
        return tir.Schedule(te.create_prim_func([*it.inputs, it.z]))

    sch = started()
    sch.cache_write("Y", 0, "local")
    sch.reverse_compute_at("Y_local", sch.get_loops("Y")[1])
    it.check(kc.build(sch.mod))
    sch = started()
    sch.reverse_compute_at("Z", sch.get_loops("Y")[0])
    it.check(kc.build(sch.mod))
    sch = started()
    sch.compute_at("Y", sch.get_loops("Z")[1])
    sch.compute_root("Y")
    it.check(kc.build(sch.mod))
