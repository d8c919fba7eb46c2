"""Facts about accesses and barriers that hold without running a kernel agree with the emulator's
counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from access_verdicts import disagreeing

import kc
from kc import te
from kc.analysis.gpu.kernel_accesses import verdicts_of
from kc.dialects.gpu import GPUFuncOp
from kc.gpu import KernelVerdicts, Report
from kc.support.ir_text import parse_module
from kc.support.registry import context

TYPE = "memref<4x64xf32>"
SHARED = "memref<64x4xf32, #gpu.address_space<workgroup>>"


def kernel(body: str) -> str:
    return f"""module attributes {{gpu.container_module}} {{
  func.func @main(%A: {TYPE}, %B: {TYPE}) {{
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %n = arith.constant 64 : index
    gpu.launch_func @m::@k blocks in (%c4, %c1, %c1) threads in (%n, %c1, %c1)
        args(%A : {TYPE}, %B : {TYPE})
    func.return
  }}
  gpu.module @m {{
    gpu.func @k(%A: {TYPE}, %B: {TYPE}) workgroup(%S : {SHARED}) kernel attributes {{
        known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %c63 = arith.constant 63 : index
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %zero = arith.constant 0.0 : f32
      {body}
      gpu.return
    }}
  }}
}}
"""


def watched(body: str) -> tuple[KernelVerdicts, Report]:
    a = np.random.default_rng(1).random((4, 64), dtype="float32")
    report = kc.gpu.check(kernel(body), a, np.zeros_like(a))
    (verdicts,) = report.verdicts
    return verdicts, report


def test_they_agree_with_the_emulator():
    """Per warp: rows, columns, a part of the threads, vectors, loops."""
    verdicts, report = watched(
        f"""scf.for %j = %c0 to %c4 step %c1 {{
        memref.store %zero, %S[%t, %j] : {SHARED}
      }}
      gpu.barrier
      %q = arith.divui %t, %c16 : index
      %r = arith.remui %t, %c16 : index
      %x = memref.load %S[%r, %q] : {SHARED}
      %v = vector.load %S[%t, %c0] : {SHARED}, vector<4xf32>
      %y0 = vector.extract %v[1] : f32 from vector<4xf32>
      %y1 = arith.addf %x, %y0 : f32
      %z = memref.load %A[%q, %b] : {TYPE}
      %y = arith.addf %y1, %z : f32
      %few = arith.cmpi slt, %t, %c16 : index
      scf.if %few {{
        %s = arith.muli %t, %c4 : index
        memref.store %y, %B[%b, %s] : {TYPE}
      }}"""
    )
    assert report.ok, str(report)
    counted = [
        tuple(
            number * cost.warps // site.executions
            for number in (site.transactions, site.least, site.bank_conflicts)
        )
        for site, cost in zip(report.sites, verdicts.accesses, strict=True)
    ]
    assert [
        (cost.transactions, cost.least, cost.conflicts) for cost in verdicts.accesses
    ] == counted
    # Of rows of 16 bytes, lanes have a column, parts of two, or all; then columns, and some lanes.
    assert counted == [(8, 2, 6), (4, 2, 2), (8, 8, 0), (4, 4, 0), (8, 2, 0)]
    assert verdicts.is_unanimous
    assert [cost.is_inside for cost in verdicts.accesses] == [True, True, True, True, None]


@pytest.mark.parametrize(
    ("body", "is_unanimous"),
    [
        ("gpu.barrier", True),
        ("%p = arith.cmpi slt, %b, %c2 : index\nscf.if %p {\ngpu.barrier\n}", True),
        ("scf.for %i = %c0 to %b step %c1 {\ngpu.barrier\n}", True),
        ("%p = arith.cmpi sle, %t, %c63 : index\nscf.if %p {\ngpu.barrier\n}", None),
        ("%n = arith.minui %t, %c0 : index\nscf.for %i = %c0 to %n step %c1 {gpu.barrier}", None),
        (
            f"%x = memref.load %A[%b, %c0] : {TYPE}\n%p = arith.cmpf oge, %x, %zero : f32\n"
            "scf.if %p {\ngpu.barrier\n}",
            None,
        ),
    ],
)
def test_barriers(body: str, is_unanimous: bool | None):
    assert watched(body)[0].is_unanimous is is_unanimous


@pytest.mark.parametrize(
    ("index", "is_inside"), [("%t", True), ("%u", None), ("%d", True), ("%r", True), ("%e", None)]
)
def test_bounds(index: str, is_inside: bool | None):
    """One more than the thread, what is left of it, a difference, and what is in an array."""
    verdicts, _ = watched(
        f"""%u = arith.addi %t, %c1 : index
      %r = arith.remui %u, %c63 : index
      %d = arith.subi %c63, %t : index
      %x = memref.load %A[%b, %t] : {TYPE}
      %i = arith.fptosi %x : f32 to i32
      %e = arith.index_cast %i : i32 to index
      memref.store %zero, %B[%b, {index}] : {TYPE}"""
    )
    written = [cost.is_inside for cost in verdicts.accesses if cost.access == "written"]
    assert written == ([] if index == "%e" else [is_inside])


def test_a_schedule_shows_them():
    """In the cost, and in the page of the schedule."""
    A = te.placeholder((64, 64), name="A")
    B = te.compute((64, 64), lambda i, j: A[j, i], name="B")
    sch: Any = kc.tir.Schedule(
        te.create_prim_func([A, B]), target=kc.target.Target("cuda -arch=sm_80")
    )
    i, j = sch.get_loops(sch.get_block("B"))
    sch.bind(i, "blockIdx.x")
    sch.bind(j, "threadIdx.x")
    lines = "\n".join(sch.cost().lines())
    assert "A read: warps 2, sectors 64, least 8, uncoalesced, inside of its bounds" in lines
    assert "B written: warps 2, sectors 8, least 8, coalesced, inside of its bounds" in lines
    page = sch.report().html()
    assert (
        "A read</th><td>warps 2, sectors 64, least 8, uncoalesced, inside of its bounds</td>"
        in page
    )


def test_verdicts_hold_for_all_blocks_and_iterations():
    """Where lanes leave out the last iterations, the first ones, or what arrays say."""
    verdicts, report = watched(
        f"""%q = arith.divui %t, %c16 : index
      %s = arith.muli %t, %c4 : index
      scf.for %i = %c0 to %c4 step %c1 {{
        %k = arith.muli %i, %c16 : index
        %e = arith.addi %k, %t : index
        %in = arith.cmpi slt, %e, %c63 : index
        scf.if %in {{
          %a = memref.load %A[%b, %e] : {TYPE}
          memref.store %a, %S[%e, %i] : {SHARED}
        }} else {{
          %a = memref.load %A[%b, %t] : {TYPE}
        }}
      }}
      %y = memref.load %A[%q, %b] : {TYPE}
      %z = memref.load %S[%c0, %c0] : {SHARED}
      %few = arith.cmpi slt, %t, %c16 : index
      scf.if %few {{
        memref.store %y, %B[%b, %s] : {TYPE}
      }}
      %n = arith.fptosi %y : f32 to i32
      %m = arith.index_cast %n : i32 to index
      scf.for %i = %c0 to %t step %c1 {{
        %a = memref.load %A[%b, %t] : {TYPE}
      }}
      %x = memref.load %A[%b, %m] : {TYPE}
      memref.store %x, %B[%b, %t] : {TYPE}"""
    )
    assert [(cost.access, cost.buffer, cost.verdict) for cost in verdicts.accesses] == [
        ("read", "A", "coalesced"),
        ("written", "S", "conflict"),  # four lanes have words in one bank
        ("read", "A", None),
        ("read", "A", "coalesced"),  # two words
        ("read", "S", "conflict-free"),
        ("written", "B", "uncoalesced"),
        ("read", "A", None),
        ("written", "B", "coalesced"),
    ]
    assert disagreeing(report) == []
    assert len(verdicts.without_cost) == 1, "an index that an array holds"


@pytest.mark.parametrize(
    ("row", "index", "verdict"),
    [
        ("%c0", "%e", "coalesced"),
        ("%b", "%e", None),  # a row may begin in the middle of a sector
        ("%c0", "%w", "uncoalesced"),
    ],
)
def test_verdicts_for_sizes_that_a_call_gives(row: str, index: str, verdict: str | None):
    """Threads of b * 64 + t < n, and elements that far apart that each has a sector of its own."""
    array = "memref<?x?xf32>"
    module = parse_module(
        f"""gpu.module @m {{
      gpu.func @k(%A: {array}) kernel attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        %b = gpu.block_id x
        %t = gpu.thread_id x
        %s = gpu.block_dim x
        %d = arith.muli %b, %s : index
        %e = arith.addi %d, %t : index
        %w = arith.muli %e, %c8 : index
        %n = memref.dim %A, %c1 : {array}
        %in = arith.cmpi slt, %e, %n : index
        scf.if %in {{
          %a = memref.load %A[{row}, {index}] : {array}
        }}
        gpu.return
      }}
    }}""",
        "kernel.mlir",
        context(),
    )
    (kernel,) = (op for op in module.walk() if isinstance(op, GPUFuncOp))
    verdicts = verdicts_of(kernel)
    assert [cost.verdict for cost in verdicts.accesses] == ([verdict] if verdict else [])
    assert bool(verdicts.without_cost) is (verdict is None)
