"""Threads around a loop are in lockstep: its iterations are in order for all of them together."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc import tir
from kc.analysis.interpreter import run
from kc.support.diagnostics import ScheduleError, diagnostic_handler

LATER_READS = """
func.func @f(%A: memref<4xi32>, %B: memref<4x4xi32>) {
  tir.for %v in 4 {
    %S = tir.alloc "S" : memref<4x4xi32, "shared">
    tir.for %l in 4 {
      tir.for %w in 4 {
        tir.block "S" (spatial %i in 4 = %w, spatial %j in 4 = %l) do {
          %x = tir.load %A[%i] : memref<4xi32>
          tir.store %x, %S[%i, %j] : memref<4x4xi32, "shared">
        }
      }
      tir.block "B" (spatial %i in 4 = %v, spatial %j in 4 = %l) do {
        %x = tir.load %S[3 - %i, %j floordiv 2] : memref<4x4xi32, "shared">
        tir.store %x, %B[%i, %j] : memref<4x4xi32>
      }
    }
  }
  func.return
}
"""
"""Each thread computes what all of them read, until they share that work."""


def refused(text: str, call: str, *args: object, name: str = "l") -> ScheduleError:
    """The refusal of a call on loop ``name``, which changes nothing."""
    sch = tir.Schedule(kc.IRModule.parse(text))
    before = str(sch.mod)
    with pytest.raises(ScheduleError) as caught:
        getattr(sch, call)(sch.get_loop(name), *args)
    assert str(sch.mod) == before
    return caught.value


@pytest.mark.parametrize("axis", ["threadIdx.x", "vthread.x"])
def test_what_a_thread_reads_in_a_later_iteration_than_another_one_writes_it(axis: str):
    sch = tir.Schedule(kc.IRModule.parse(LATER_READS))
    for name in ("v", "w"):
        sch.bind(sch.get_loop(name), axis)
    arrays = [np.arange(4, dtype="int32"), np.zeros((4, 4), "int32")]
    run(sch.mod.op, "f", arrays)
    assert arrays[1].tolist() == [[3 - row] * 4 for row in range(4)]
    refusal = refused(str(sch.mod), "reverse")
    assert refusal.code == "KC3457"
    assert refusal.why == "S at (v=0, l=0, w=0) writes S[0, 0], which B at (v=3, l=1) reads"


@pytest.mark.parametrize("old", ["threadIdx.x", "vthread.y"])
@pytest.mark.parametrize("axis", ["threadIdx.y", "vthread", "vthread.x"])
def test_iterations_of_other_threads_are_no_threads_of_another_axis(axis: str, old: str):
    """A[v + l] is what the last of the iterations l wrote, whichever thread that was in."""
    text = f"""
func.func @f(%A: memref<8xi32>) {{
  tir.for %v in 4 thread "{old}" {{
    tir.for %l in 4 {{
      %x = arith.index_cast %l : index to i32
      tir.store %x, %A[%v + %l] : memref<8xi32>
    }}
  }}
  func.return
}}
"""
    arrays = [np.zeros(8, "int32")]
    run(kc.IRModule.parse(text).op, "f", arrays)
    assert arrays[0].tolist() == [0, 1, 2, 3, 3, 3, 3, 0]
    refusal = refused(text, "bind", axis)
    assert refusal.code == "KC3041"
    assert refusal.message == "bind: the iterations of l depend on each other"
    assert (
        refusal.why
        == "the statement at (v=1, l=0) writes A[1], which the statement at (v=0, l=1) writes"
    )


def test_memory_of_an_iteration_that_threads_share():
    """Thread v keeps a value in T[v + l], where thread v + 1 keeps one in iteration l - 1."""
    text = """
func.func @f(%B: memref<4x4xi32>) {
  tir.for %v in 4 thread "threadIdx.x" {
    tir.for %l in 4 {
      %T = tir.alloc "T" : memref<8xi32, "shared">
      tir.block "T" (spatial %i in 8 = %v + %l, spatial %j in 4 = %l) do {
        %x = arith.index_cast %j : index to i32
        tir.store %x, %T[%i] : memref<8xi32, "shared">
      }
      tir.block "B" (spatial %i in 4 = %v, spatial %j in 4 = %l) do {
        %x = tir.load %T[%i + %j] : memref<8xi32, "shared">
        tir.store %x, %B[%i, %j] : memref<4x4xi32>
      }
    }
  }
  func.return
}
"""
    arrays = [np.zeros((4, 4), "int32")]
    run(kc.IRModule.parse(text).op, "f", arrays)
    assert arrays[0].tolist() == [[0, 1, 2, 3]] * 4
    refusal = refused(text, "bind", "threadIdx.y")
    assert refusal.code == "KC3041"
    assert refusal.why == "T at (v=1, l=0) writes T[1], which T at (v=0, l=1) writes"
    sch = tir.Schedule(kc.IRModule.parse(text.replace('"shared"', '"local"')))
    sch.bind(sch.get_loop("l"), "threadIdx.y")  # each thread has its own
    arrays = [np.zeros((4, 4), "int32")]
    run(sch.mod.op, "f", arrays)
    assert arrays[0].tolist() == [[0, 1, 2, 3]] * 4


EXCHANGE = """
func.func @f(%A: memref<4x4xi32>, %S: memref<4x5xi32>) {
  tir.for %v in 4 thread "threadIdx.x" {
    tir.for %k in 4 {
      tir.for %l in 4 {
        %x = tir.load %S[3 - %v, FROM] : memref<4x5xi32>
        tir.store %x, %S[%v, TO] : memref<4x5xi32>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize(("source", "to"), [("%l", "%l + 1"), ("%l + 1", "%l")])
def test_steps_of_threads_that_exchange_values_keep_their_order(source: str, to: str):
    """Lanes of a vector are loaded before any of them is stored, in all threads."""
    text = EXCHANGE.replace("FROM", source).replace("TO", to)
    given = np.arange(20, dtype="int32").reshape(4, 5)
    expected = given.copy()
    for _ in range(4):
        for step in range(4):
            at, into = (step, step + 1) if source == "%l" else (step + 1, step)
            expected[:, into] = expected[::-1, at].copy()
    sch = tir.Schedule(kc.IRModule.parse(text))
    if source == "%l":
        assert refused(text, "vectorize").code == "KC3041"
    else:
        sch.vectorize(sch.get_loop("l"))
    arrays = [np.zeros((4, 4), "int32"), given]
    run(sch.mod.op, "f", arrays)
    assert np.array_equal(given, expected)
    assert refused(text, "reverse").code == "KC3457"


def test_loops_in_threads_that_exchange_values_are_not_exchanged():
    text = EXCHANGE.replace("FROM", "%l").replace("TO", "%k + 1")
    sch = tir.Schedule(kc.IRModule.parse(text))
    with pytest.raises(ScheduleError) as caught:
        sch.reorder(sch.get_loop("l"), sch.get_loop("k"))
    assert caught.value.code == "KC3035"
    assert caught.value.why == (
        "the statement at (v=0, k=0, l=2) reads S[3, 2], which the statement at (v=3, k=1, l=0) "
        "writes"
    )


def test_an_unknown_element_of_another_thread():
    """It is unknown if threads load different indices, and so if they use the same element."""
    text = """
func.func @f(%A: memref<4xindex>, %S: memref<8xi32>) {
  tir.for %v in 4 thread "threadIdx.x" {
    %a = tir.load %A[%v] : memref<4xindex>
    tir.for %l in 4 {
      %x = arith.index_cast %l : index to i32
      tir.store %x, %S[%a + %l] : memref<8xi32>
    }
  }
  func.return
}
"""
    refusal = refused(text, "reverse")
    assert refusal.message == "reverse: running l backwards cannot be proven to keep the result"
    assert refusal.why == (
        "cannot prove that iterations touch different elements of S: a may differ from thread to "
        "thread"
    )


def test_what_each_thread_computes_alike_may_be_computed_in_any_order():
    """Neighbours compute the elements that they share alike."""
    text = """
func.func @f(%A: memref<8xi32>, %B: memref<4x3xi32>) {
  tir.for %v in 4 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<8xi32, "shared">
    tir.for %l in 3 {
      tir.block "S" (spatial %i in 8 = %v + %l) do {
        %x = tir.load %A[%i] : memref<8xi32>
        tir.store %x, %S[%i] : memref<8xi32, "shared">
      }
    }
    tir.for %m in 3 {
      tir.block "B" (spatial %i in 4 = %v, spatial %j in 3 = %m) do {
        %x = tir.load %S[%i + %j] : memref<8xi32, "shared">
        tir.store %x, %B[%i, %j] : memref<4x3xi32>
      }
    }
  }
  func.return
}
"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    with diagnostic_handler(lambda _: None):
        sch.reverse(sch.get_loop("l"))
        sch.vectorize(sch.get_loop("m"))
    arrays = [np.arange(8, dtype="int32") ** 2, np.zeros((4, 3), "int32")]
    run(sch.mod.op, "f", arrays)
    assert arrays[1].tolist() == [[(row + n) ** 2 for n in range(3)] for row in range(4)]
