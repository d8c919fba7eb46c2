"""Values that threads exchange in branches: what is refused is what the interpreter cannot run."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import ExecutionError, run
from kc.error import KCError
from kc.support.registry import context, get_pass

KERNEL = """
func.func @f(%C: memref<2x2x4xi32>) {{
  tir.for %b in 2 thread "blockIdx.x" {{
    %S = tir.alloc "S" : memref<2x4xi32{space}>
    tir.for %w in 2 thread "threadIdx.y" {{
      tir.for %t in 4 thread "threadIdx.x" {{
        {body}
      }}
    }}
  }}
  func.return
}}
"""
WRITE = """%n = arith.index_cast %t : index to i32
tir.store %n, %S[%w, %t] : memref<2x4xi32{space}>
"""
READ = """%s = tir.load %S[{row}, {column}] : memref<2x4xi32{space}>
tir.store %s, %C[%b, %w, %t] : memref<2x2x4xi32>
"""
IF = "tir.if ({condition}) {{\n" + WRITE + READ + "}}"
ELSE = "tir.if ({condition}) {{ }} else {{\n" + WRITE + READ + "}}"
OVER = (
    "tir.if ({condition}) {{\n"
    + WRITE.replace("%t]", "2 - %t]").replace("%n", "%m")
    + WRITE
    + READ
    + "}}"
)
APART = "tir.if ({condition}) {{\n" + WRITE + "}}\ntir.if ({condition}) {{\n" + READ + "}}"
BEFORE = WRITE + "tir.if ({condition}) {{\n" + READ + "}}"
LOOP = "%m = tir.apply ({condition})\ntir.for %i in %m {{\n" + WRITE + READ + "}}"
NESTED = "tir.if ({condition}) {{\ntir.if (%t < 2) {{\n" + WRITE + "}}\n" + READ + "}}"
BLOCK = (
    """tir.block "O" (opaque %o in 1 = 0) where ({condition}) do {{
  tir.block "W" (opaque %p in 1 = 0) do {{
"""
    + WRITE
    + """}}
  tir.block "R" (opaque %p in 1 = 0) do {{
"""
    + READ
    + "}}\n}}"
)
LEAF = 'tir.block "O" (opaque %o in 1 = 0) where ({condition}) do {{\n' + READ + "}}"
ACCESSES = 'tir.block "O" (opaque %o in 1 = 0) where ({condition}) do {{\n' + WRITE + READ + "}}"

CASES = {
    "another row": (IF, "%w < 1", "%w", "3 - %t", "shared", False),
    "another row, of a warp": (IF, "%w < 1", "%w", "3 - %t", "warp", True),
    "another row, of all": (IF, "%w < 1", "%w", "3 - %t", "global", False),
    "part of a row": (IF, "%t < 3", "%w", "2 - %t", "shared", False),
    "part of a row, of a warp": (IF, "%t < 3", "%w", "2 - %t", "warp", False),
    "part of a row, by rows": (IF, "%w + %t < 3", "%w", "2 - %w - %t", "warp", False),
    "all threads": (IF, "%t < 4", "%w", "3 - %t", "shared", True),
    "its own value": (IF, "%t < 3", "%w", "%t", "shared", True),
    "its own value, over another one's": (OVER, "%t < 3", "%w", "%t", "shared", True),
    "another block": (IF, "%b < 1", "%w", "3 - %t", "shared", True),
    "the other row": (IF, "%t < 3", "1 - %w", "%t", "shared", False),
    "else": (ELSE, "%t >= 3", "%w", "2 - %t", "shared", False),
    "else of no thread": (ELSE, "%t >= 4", "%w", "3 - %t", "shared", True),
    "two branches": (APART, "%t < 3", "%w", "2 - %t", "shared", True),
    "written by all": (BEFORE, "%t < 3", "%w", "3 - %t", "shared", True),
    "a loop that some leave": (LOOP, "%w + 1", "%w", "3 - %t", "shared", False),
    "a loop that some leave, own values": (LOOP, "%w + 1", "%w", "%t", "shared", True),
    "a loop of all": (LOOP, "%b + 1", "%w", "3 - %t", "shared", True),
    "a block of blocks": (BLOCK, "%t < 3", "%w", "2 - %t", "shared", False),
    "a block of blocks, own values": (BLOCK, "%t < 3", "%w", "%t", "shared", True),
    "a block": (WRITE + LEAF, "%t < 3", "%w", "3 - %t", "shared", True),
    "a block that writes and reads": (ACCESSES, "%t < 3", "%w", "2 - %t", "shared", False),
    "a block that writes and reads its own": (ACCESSES, "%t < 3", "%w", "%t", "shared", True),
    "a branch in a branch": (NESTED, "%t < 3", "%w", "2 - %t", "shared", False),
}


@pytest.mark.parametrize("name", CASES)
def test_where_not_all_threads_are(name: str):
    body, condition, row, column, scope, is_right = CASES[name]
    space = "" if scope == "global" else f', "{scope}"'
    if scope == "global":  # one for all blocks
        body = body.replace("2x4xi32{space}", "2x2x4xi32").replace("%S[", "%S[%b, ")
    text = KERNEL.format(
        space=space, body=body.format(condition=condition, row=row, column=column, space=space)
    )
    if scope == "global":
        text = text.replace('"S" : memref<2x4xi32>', '"S" : memref<2x2x4xi32>')
    module = kc.IRModule.parse(text)
    refusals: list[str] = []
    try:
        run(module.op, "f", [np.zeros((2, 2, 4), np.int32)])
    except ExecutionError as error:
        refusals.append(str(error).split("\n", 1)[0].rsplit(" was written ", 1)[-1])
    try:
        get_pass("verify-gpu-code").apply(context(), module.op)
    except KCError as refusal:
        refusals.append(refusal.code)
    apart = (
        "by another thread at a place that not all threads reach, so they cannot wait for each "
        "other"
    )
    assert refusals == ([] if is_right else [apart, "KC3418"])


@pytest.mark.parametrize("outer", [False, True])
@pytest.mark.parametrize("launched", [False, True])
def test_a_reduction_over_threads_of_which_some_have_nothing_to_add(outer: bool, launched: bool):
    """A tail: the threads that do not come into the block leave the others' values as they are."""
    a = te.placeholder((3, 10), "int32", name="A")
    k = te.reduce_axis((0, 10), name="k")
    b = te.compute((3,), lambda i: te.sum(a[i, k], axis=k), name="B")
    sch = tir.Schedule(te.create_prim_func([a, b]))
    i, loop = sch.get_loops("B")
    threads = sch.split(loop, [4, None] if outer else [None, 4])
    sch.bind(i, "blockIdx.x")
    sch.bind(threads[not outer], "threadIdx.x")
    get_pass("verify-gpu-code").apply(context(), sch.mod.op)
    array = np.arange(30, dtype=np.int32).reshape(3, 10)
    result = np.full(3, -1, np.int32)
    order = Random(1) if launched else None
    run(sch.mod.op, "main", [array, result], launch_order=order)
    np.testing.assert_array_equal(result, array.sum(axis=1))


def test_bind_refuses_what_cannot_wait():
    text = """func.func @f(%A: memref<4xi32>, %B: memref<2x4xi32>) {
  tir.for %x in 2 {
    %S = tir.alloc "S" : memref<4xi32, "shared">
    tir.if (%x < 1) {
      tir.for %i in 4 {
        tir.block "P" (spatial %v in 4 = %i) do {
          %a = tir.load %A[%v] : memref<4xi32>
          tir.store %a, %S[%v] : memref<4xi32, "shared">
        }
      }
      tir.for %j in 4 {
        tir.block "C" (spatial %w in 2 = %x, spatial %v in 4 = %j) do {
          %s = tir.load %S[3 - %v] : memref<4xi32, "shared">
          tir.store %s, %B[%w, %v] : memref<2x4xi32>
        }
      }
    }
  }
  func.return
}
"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    x, i = sch.get_loops("P")
    sch.bind(x, "threadIdx.y")
    before = str(sch.mod)
    with pytest.raises(KCError) as caught:
        sch.bind(i, "threadIdx.x")
    said = [line for line in str(caught.value).splitlines() if not line.startswith("  -->")]
    assert [line.split(" (from ")[0] for line in said] == [
        "error[KC3418]: bind: block C reads a value that another thread writes to S, "
        "in a branch that not all threads take",
        "   |  for x in 2 threadIdx.y:",
        "   |    alloc S",
        "   |    if ...:    <-- not in all threads",
        "   |      for i in 4:",
        "   |        block P    <-- writes S",
        "   |      for j in 4:",
        "   |        block C    <-- reads S",
        "  why: threadIdx.x 0 reads S[3], which threadIdx.x 3 writes; threadIdx.y 1 does not "
        "reach it, and all threads of a block wait together",
        "  try: guard each access by a condition of its own, so that all threads can wait in "
        "between",
    ]
    assert str(sch.mod) == before


def test_an_init_under_the_condition_of_its_block():
    """Threads along y start sums that the first one of them adds to, and not all along x do."""
    text = """
func.func @f(%A: memref<12x4xi32>, %B: memref<10xi32> {kc.role = "out"}) {
  tir.for %b in 1 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<12xi32, "shared">
    tir.for %o in 10 thread "threadIdx.x" {
      tir.block "O" (spatial %v_o in 6 = %o, reduce %v_k in 1 = 0) where (%o < 6) init {
        tir.for %y in 2 {
          tir.block "S_init" (spatial %v in 12 = %v_o * 2 + %y) do {
            %zero = arith.constant 0 : i32
            tir.store %zero, %S[%v] : memref<12xi32, "shared">
          }
        }
      } do {
        tir.for %i in 2 {
          tir.for %k in 4 {
            tir.block "S" (spatial %v in 12 = %v_o * 2 + %i, reduce %w in 4 = %k) do {
              %a = tir.load %A[%v, %w] : memref<12x4xi32>
              %s = tir.load %S[%v] : memref<12xi32, "shared">
              %sum = arith.addi %s, %a : i32
              tir.store %sum, %S[%v] : memref<12xi32, "shared">
            }
          }
        }
      }
    }
    tir.for %p in 10 thread "threadIdx.x" {
      tir.block "B" (spatial %v in 10 = %p) do {
        %s = tir.load %S[%v] : memref<12xi32, "shared">
        tir.store %s, %B[%v] : memref<10xi32>
      }
    }
  }
  func.return
}
"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    before = str(sch.mod)
    with pytest.raises(KCError) as caught:
        sch.bind(sch.get_loops("S_init")[-1], "threadIdx.y")
    assert caught.value.code == "KC3418"
    assert caught.value.why == (
        "threadIdx.y 1 reads S[0], which threadIdx.y 0 writes; threadIdx.x 6 does not reach it, "
        "and all threads of a block wait together"
    )
    assert str(sch.mod) == before
