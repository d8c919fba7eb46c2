"""Loops inside of those of a reduction run for its init even where the reduction is empty."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc import tir
from kc.analysis.interpreter import run as interpret
from kc.support.diagnostics import ScheduleError

MODULE = """
func.func @main(%A: memref<6xi32>, %B: memref<1xi32>, %C: memref<6xi32>) {
  %none = tir.apply (0)
  tir.for %r in %none {
    tir.for %o in 1 {
      tir.block "B" (spatial %v in 1 = %o) do {
        %one = arith.constant 1 : i32
        tir.store %one, %B[%v] : memref<1xi32>
      }
    }
    tir.for %s in 6 {
      tir.block "C" (spatial %vs in 6 = %s, reduce %vr in 0 = %r) init {
        %b = arith.constant -100 : i32
        tir.store %b, %C[%vs] : memref<6xi32>
      } do {
        %old = tir.load %C[%vs] : memref<6xi32>
        %x = tir.load %A[%vr] : memref<6xi32>
        %new = arith.maxsi %old, %x : i32
        tir.store %new, %C[%vs] : memref<6xi32>
      }
    }
  }
  func.return
}"""


@pytest.fixture
def schedule() -> tir.Schedule:
    return tir.Schedule(kc.IRModule.parse(MODULE))


def said(error: ScheduleError) -> list[str]:
    """The text, without where."""
    return [line for line in str(error).splitlines() if not line.startswith(("  -->", "   |"))]


def test_merge_compares_how_often_an_init_runs(schedule: tir.Schedule):
    before = str(schedule.mod)
    with pytest.raises(ScheduleError) as caught:
        schedule.merge(schedule.get_loops("B")[1], schedule.get_loops("C")[1])
    assert said(caught.value) == [
        "error[KC3454]: merge: loop o has 1 iterations, s has 6",
        "  why: they are not equal at (r=0)",
        "  try: loop_partition first: loop=s factors=1,?",
    ]
    assert str(schedule.mod) == before


def test_split_without_a_condition_divides_what_an_init_runs_over(schedule: tir.Schedule):
    with pytest.raises(ScheduleError) as caught:
        schedule.split(schedule.get_loops("C")[1], [None, 4], disable_predication=True)
    assert said(caught.value) == [
        "error[KC3497]: split: loop s cannot be split by ?,4 without a predicate",
        "  why: 6 iterations are not a multiple of 4",
        "  try: factors=?,3",
        "  try: factors=?,2",
    ]


def test_loop_partition_keeps_the_conditions_of_an_init():
    """The first part of the reduction has no iteration, and its init runs over 3 of 4."""
    text = """
    func.func @main(%A: memref<3xi32>, %C: memref<3xi32>, %n: index) {
      tir.for %r in %n {
        tir.for %s in 4 {
          tir.block "C" (spatial %v in 3 = %s, reduce %vr in %n = %r) where (%s < 3) init {
            %b = arith.constant -100 : i32
            tir.store %b, %C[%v] : memref<3xi32>
          } do {
            %old = tir.load %C[%v] : memref<3xi32>
            %x = tir.load %A[%vr] : memref<3xi32>
            %new = arith.maxsi %old, %x : i32
            tir.store %new, %C[%v] : memref<3xi32>
          }
        }
      }
      func.return
    }"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    sch.loop_partition(sch.get_loops("C")[0], [None, 1])
    for n in (0, 1, 2):
        c = np.full(3, 7, "int32")
        kc.build(sch.mod)(np.zeros(3, "int32"), c, n)
        np.testing.assert_array_equal(c, [0 if n else -100] * 3)


def test_loop_partition_leaves_conditions_of_what_never_runs():
    """Its lanes would write one element: the module could not be compiled."""
    text = """
    func.func @main(%A: memref<?xi32>, %n: index) {
      %one = arith.constant 1 : index
      %size = arith.minsi %one, %n : index
      tir.for %i in %size {
        tir.for %u in 3 vectorized {
          tir.block "A" (spatial %v in %n = %i) where (%u < 1) do {
            %x = tir.load %A[%v] : memref<?xi32>
            %two = arith.addi %x, %x : i32
            tir.store %two, %A[%v] : memref<?xi32>
          }
        }
      }
      func.return
    }"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    sch.loop_partition(sch.get_loops("A")[0], [2, None, 1])
    a = np.arange(1, 5, dtype="int32")
    kc.build(sch.mod)(a, 4)
    np.testing.assert_array_equal(a, [2, 2, 3, 4])


@pytest.mark.parametrize("fused", [False, True])
def test_units_keep_conditions_on_terms_apart_from_the_init(fused: bool):
    """Without its variable the condition that there is a term would be one on the init."""
    text = """
    func.func @main(%A: memref<2x0xi32>, %C: memref<2xi32>) {
      tir.for %k in 0 {
        tir.for %u in 1 {
          tir.for %i in 2 {
            tir.block "C" (spatial %v in 2 = %i, reduce %vk in 0 = %k, spatial %vu in 1 = %u) init {
              %b = arith.constant -100 : i32
              tir.store %b, %C[%v] : memref<2xi32>
            } do {
              %old = tir.load %C[%v] : memref<2xi32>
              %x = tir.load %A[%v, %vk] : memref<2x0xi32>
              %new = arith.maxsi %old, %x : i32
              tir.store %new, %C[%v] : memref<2xi32>
            }
          }
        }
      }
      func.return
    }"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    if fused:
        (unit,) = sch.split(sch.get_loops("C")[0], [1])
        sch.fuse(unit, sch.get_loops("C")[1], preserve_unit_iters=False)
    else:
        sch.split(sch.get_loops("C")[0], [1], preserve_unit_iters=False)
    for run in (kc.build(sch.mod), lambda *at: interpret(sch.mod.op, "main", [*at])):
        result = np.zeros(2, np.int32)
        run(np.zeros((2, 0), np.int32), result)
        np.testing.assert_array_equal(result, [-100, -100])


@pytest.mark.parametrize("fused", [False, True])
def test_elements_that_no_loop_counts_are_initialised(fused: bool):
    """A fused loop of terms and elements counts no elements, neither one of no variable left for
    terms nor a part of one iteration, whose elements seem to be known."""
    text = """
    func.func @main(%A: memref<2x0xi32>, %C: memref<2xi32>) {
      tir.for %k in 0 {
        tir.for %i in 2 {
          tir.block "C" (spatial %v in 2 = %i, reduce %vk in 0 = %k) init {
            %b = arith.constant -100 : i32
            tir.store %b, %C[%v] : memref<2xi32>
          } do {
            %old = tir.load %C[%v] : memref<2xi32>
            %x = tir.load %A[%v, %vk] : memref<2x0xi32>
            %new = arith.maxsi %old, %x : i32
            tir.store %new, %C[%v] : memref<2xi32>
          }
        }
      }
      func.return
    }"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    k, i = sch.get_loops("C")
    (unit,) = sch.split(k, [1])
    if fused:
        sch.loop_partition(sch.fuse(unit, i), [1])
        bindings = "(spatial %v in 2 = %k_0_i_fused_0 mod 2, reduce %vk in 0"
    else:
        sch.reorder(i, unit)
        sch.fuse(i, unit, preserve_unit_iters=False)
        bindings = "(spatial %v in 2 = %i_k_0_fused, reduce %vk in 0 = 0) where (0 >= 1) init"
    assert bindings in str(sch.mod)
    for run in (kc.build(sch.mod), lambda *at: interpret(sch.mod.op, "main", [*at])):
        result = np.zeros(2, np.int32)
        run(np.zeros((2, 0), np.int32), result)
        np.testing.assert_array_equal(result, [-100, -100])


@pytest.mark.parametrize(("size", "how"), [("0", "has"), ("%none", "may have")])
def test_no_loop_of_an_empty_reduction_is_left_around_all_of_it(size: str, how: str):
    """In another loop of its own the reduction is over nothing there too, if that ever ran."""
    text = f"""
    func.func @main(%A: memref<3x0xi32>, %C: memref<3xi32>) {{
      %none = tir.apply (0)
      tir.for %i in 3 {{
        tir.for %k in {size} {{
          %T = tir.alloc "T" : memref<3x0xi32>
          tir.for %o in 1 {{
            tir.for %t in 0 {{
              tir.block "T" (spatial %v in 3 = %i, spatial %vt in 0 = %t) do {{
                %a = tir.load %A[%v, %vt] : memref<3x0xi32>
                tir.store %a, %T[%v, %vt] : memref<3x0xi32>
              }}
            }}
          }}
          tir.block "C" (spatial %v in 3 = %i, reduce %vk in 0 = %k) init {{
            %b = arith.constant -100 : i32
            tir.store %b, %C[%v] : memref<3xi32>
          }} do {{
            %c = tir.load %C[%v] : memref<3xi32>
            %a = tir.load %T[%v, %vk] : memref<3x0xi32>
            %m = arith.addi %c, %a : i32
            tir.store %m, %C[%v] : memref<3xi32>
          }}
        }}
      }}
      func.return
    }}"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    before = str(sch.mod)
    with pytest.raises(ScheduleError) as caught:
        sch.reverse_compute_at("C", sch.get_loops("T")[2])
    assert said(caught.value) == [
        "error[KC3231]: reverse_compute_at: block C would not be initialised in loop o",
        f"  why: loop k {how} no iteration",
        "  try: it is not legal at any loop",
    ]
    assert str(sch.mod) == before
