"""Buffers that all threads of an axis may compute together: the same values, all written."""

from __future__ import annotations

import re

import pytest
from interpreter_support import parse

from kc.analysis import loop_tree
from kc.analysis.accesses.replicated import is_replicated
from kc.dialects.tir import AllocOp

LANES, GRID = "threadIdx.x", "blockIdx.x"

COPY = """
  tir.for %j in 8 {
    tir.block "S" (spatial %v in 8 = %j) do {
      %x = tir.load INPUT
      tir.store %x, %S[%v]
    }
  }
"""
SUM = """
  tir.for %j in 8 {
    tir.for %k in 4 {
      tir.block "S" (spatial %v in 8 = %j, reduce %w in 8 = REDUCED) where (PREDICATE) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %S[%v]
      } do {
        %s = tir.load %S[%v]
        %x = tir.load %A[%w]
        %y = arith.addf %s, %x : f32
        tir.store %y, %S[%v]
      }
    }
  }
"""
FIRST = """
  tir.for %i in 8 {
    tir.block "T" (spatial %v in 8 = %i) where (PREDICATE) do {
      %x = tir.load %A[%v]
      tir.store %x, %T[%v]
    }
  }
"""
OVERWRITTEN = """
  tir.for %i in 8 {
    tir.block "again" (spatial %v in 8 = %i) do {
      %x = tir.load %B[%v]
      tir.store %x, %T[%v]
    }
  }
"""


LOCAL = '%T = tir.alloc "T" : memref<8xf32, "local">'
SHARED = '%T = tir.alloc "T" : memref<8xf32, "shared">'


def replicated(body: str, axis: str = LANES, before: str = "", own: str = "") -> bool:
    """True if S, in shared memory, is the same for all four threads of ``axis``, which execute
    ``body``. The code ``before`` runs once, and ``own`` allocates in each thread.

    The texts leave out the types of buffers.
    """
    scope = ', "shared"' if SHARED in own else ', "local"'
    types = {"A": "", "B": "", "S": ', "shared"', "T": scope}
    text = f"""
      {before}
      tir.for %t in 4 thread "{axis}" {{
        %S = tir.alloc "S" : memref<8xf32, "shared">
        {own}
        {body}
      }}
    """
    closing = "}" * before.count("tir.for %o") + " func.return"
    text = re.sub(
        r"%([ABST])\[[^]]*]", lambda place: f"{place[0]} : memref<8xf32{types[place[1]]}>", text
    )
    module = parse(f"func.func @f(%A: memref<8xf32>, %B: memref<8xf32>) {{ {text} {closing} }}")
    loop = next(loop for loop in loop_tree.loops(module) if loop.label == "t")
    (alloc,) = (op for op in module.walk() if isinstance(op, AllocOp) and op.label == "S")
    return is_replicated(alloc.buffer, loop, axis)


def copy(place: str) -> str:
    return COPY.replace("INPUT", place)


def reduction(bound_to: str = "%k", predicate: str = "%k >= 0") -> str:
    return SUM.replace("REDUCED", bound_to).replace("PREDICATE", predicate)


def first(predicate: str = "%i >= 0") -> str:
    return FIRST.replace("PREDICATE", predicate)


@pytest.mark.parametrize("axis", [LANES, GRID])
def test_a_copy_of_the_same_elements(axis: str):
    assert replicated(copy("%A[%v]"), axis)


@pytest.mark.parametrize("axis", [LANES, GRID])
def test_each_thread_copies_elements_of_its_own(axis: str):
    assert not replicated(copy("%A[%v + %t]"), axis)


def test_blocks_of_threads_share_no_reduction():
    """They do not wait for each other: one may see the sum of another half done."""
    assert replicated(reduction(), LANES)
    assert not replicated(reduction(), GRID)


def test_each_thread_adds_elements_of_its_own():
    assert not replicated(reduction(bound_to="%k + %t"))


def test_each_thread_adds_so_many_elements():
    assert not replicated(reduction(predicate="%k + %t < 4"))


def test_threads_add_to_the_same_elements_at_different_times():
    """If terms are in the inner loop, each reduction begins with its init; otherwise a thread adds
    a term to an element to which another thread has already added it.
    """
    rows, terms = "tir.for %j in 8 {", "tir.for %k in 4 {"
    shifted = reduction().replace("= %j,", "= %j floordiv 2 + %t,")
    assert replicated(shifted)
    swapped = shifted.replace(rows, "ROWS").replace(terms, rows).replace("ROWS", terms)
    assert not replicated(swapped)
    assert replicated(swapped.replace(" + %t", ""))


def test_each_thread_adds_its_iteration_of_a_loop():
    each = reduction().replace("tir.for %k in 4", 'tir.for %k in 4 thread "threadIdx.x"')
    assert not replicated(each)


def test_all_threads_sum_the_same_rows():

    assert replicated(reduction(predicate="%j >= 4"))


def test_two_blocks_write():
    assert not replicated(copy("%A[%v]") + copy("%B[%v]"))


@pytest.mark.parametrize("place", ["own", "before"])
def test_a_buffer_of_each_thread_with_the_same_values(place: str):
    assert replicated(first() + copy("%T[%v]"), **{place: LOCAL})


@pytest.mark.parametrize("place", ["own", "before"])
def test_a_buffer_of_which_a_thread_has_not_written_all(place: str):
    """Thread 3 has not written T[5] to T[7] of its own, though thread 0 has."""
    assert not replicated(first("%i + %t < 8") + copy("%T[%v]"), **{place: LOCAL})


def test_a_shared_buffer_that_the_threads_have_written_together():
    assert replicated(first("%i + %t < 8") + copy("%T[%v]"), own=SHARED)


def test_a_buffer_that_is_written_after_it_is_read():
    assert not replicated(copy("%T[%v]") + first(), own=LOCAL)


def test_a_buffer_with_other_values_in_each_thread():
    varying = first().replace("%A[%v]", "%A[(%v + %t) mod 8]")
    assert not replicated(varying + copy("%T[%v]"), own=LOCAL)


def test_an_earlier_iteration_has_written():
    body = """
    tir.for %j in 8 {
      tir.block "T" (spatial %v in 8 = %j) do {
        %x = tir.load %A[%v]
        tir.store %x, %T[%v]
      }
      tir.block "S" (spatial %v in 8 = %j) do {
        %x = tir.load %T[0]
        tir.store %x, %S[%v]
      }
    }
    """
    assert replicated(body, own=LOCAL)
    assert replicated(body, before=LOCAL)
    assert not replicated(body.replace("%T[0]", "%T[1]"), own=LOCAL)


def test_a_buffer_written_once_before_the_threads():
    """Nobody has one of its own, whatever was written there how often."""
    assert replicated(copy("%T[%v]"), before=LOCAL + first() + OVERWRITTEN)


def test_a_block_reads_two_buffers_and_has_written_one():
    body = """
    tir.for %j in 8 {
      tir.block "S" (spatial %v in 8 = %j) do {
        %x = tir.load %A[%v]
        %y = tir.load %T[%v]
        %z = arith.addf %x, %y : f32
        tir.store %z, %S[%v]
      }
    }
    """
    assert replicated(first() + body, own=LOCAL)
    assert not replicated(first("%i + %t < 8") + body, own=LOCAL)


@pytest.mark.parametrize(
    ("value", "same"), [("arith.constant 2 : index", True), ("arith.addi %t, %t : index", False)]
)
def test_values_computed_in_the_threads(value: str, same: bool):
    assert replicated(f"%q = {value}\n" + copy("%A[(%v + %q) mod 8]")) is same


def test_a_variable_of_one_iteration_does_not_identify_the_element():
    body = """
    tir.for %j in 8 {
      tir.block "S" (spatial %u in EXTENT = 0, spatial %v in 8 = %j) do {
        %x = tir.load %A[%v]
        tir.store %x, %S[%v]
      }
    }
    """
    assert replicated(body.replace("EXTENT", "1"))
    assert not replicated(body.replace("EXTENT", "2"))


def test_a_value_of_an_earlier_iteration_around_the_threads():
    """In iteration 3 of o, only thread 0 writes T; the others have the values of an earlier one."""
    around = "\ntir.for %o in 4 {\n"
    latest = first("PREDICATE").replace("%A[%v]", "%A[(%v + %o) mod 8]")
    always, seldom = (latest.replace("PREDICATE", p) for p in ("%i >= 0", "%o + %t < 4"))
    assert replicated(always + copy("%T[%v]"), before=LOCAL + around)
    assert not replicated(seldom + copy("%T[%v]"), before=LOCAL + around)
