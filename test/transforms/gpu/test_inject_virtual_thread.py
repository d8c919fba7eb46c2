"""Branches that depend on the virtual thread: what is legal computes what numpy does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc import te


def windows(rows: int, columns: int, threads: int) -> tuple[Any, list[Any]]:
    """Maxima of two rows, by virtual threads some of which have columns beyond the end."""
    A = te.placeholder((2 * rows, columns), name="A")
    w = te.reduce_axis((0, 2), name="w")
    B = te.compute((rows, columns), lambda i, j: te.max(A[2 * i + w, j], axis=w), name="B")
    s = te.create_schedule(B.op)
    block, j = s[B].split(B.op.axis[1], threads * 16)
    virtual, _ = s[B].split(j, 16)
    s[B].reorder(block, virtual, B.op.axis[0])
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[B].bind(virtual, te.thread_axis("vthread"))
    return s, [A, B]


@pytest.mark.parametrize(("columns", "threads"), [(24, 2), (40, 3), (100, 4)])
def test_each_virtual_thread_has_its_elements(columns: int, threads: int):
    a = np.random.default_rng(0).random((6, columns), "float32")
    b = np.full((3, columns), 99, "float32")
    module = kc.build(*windows(3, columns, threads), target="cuda-emu")
    report = kc.gpu.check(module, a, b, expected=[np.maximum(a[::2], a[1::2])])
    assert report.ok, str(report)


STEPS = """func.func @steps(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %b in 1 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<8xf32, "shared">
    tir.for %v in 4 thread "vthread" {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %S[%v] : memref<8xf32, "shared">
      tir.for %k in 5 {
        tir.if (%v < 3) {
          %x = tir.load %A[%v + %k] : memref<8xf32>
          %s = tir.load %S[%v] : memref<8xf32, "shared">
          %y = arith.addf %s, %x : f32
          tir.store %y, %S[%v] : memref<8xf32, "shared">
        }
        %n = tir.load %S[3 - %v] : memref<8xf32, "shared">
        tir.store %n, %B[%v] : memref<8xf32>
        tir.store %n, %S[%v] : memref<8xf32, "shared">
      }
    }
  }
  func.return
}
"""


def test_an_exchange_between_branches():
    """Between two branches they exchange values, in lockstep."""
    a = np.arange(8, dtype="float32")
    b = np.zeros(8, "float32")
    kc.build(kc.IRModule.parse(STEPS), target="cuda-emu")(a, b)
    values, expected = np.zeros(4, "float32"), np.zeros(8, "float32")
    for k in range(5):
        values[:3] += a[k : k + 3]
        values = values[::-1].copy()
        expected[:4] = values
    np.testing.assert_array_equal(b, expected)


LAST = """func.func @last(%A: memref<6xf32>, %B: memref<3xf32>) {
  tir.for %b in 1 thread "blockIdx.x" {
    tir.for %u in 2 thread "vthread.x" {
      tir.for %v in 3 thread "vthread.y" {
        tir.if (%v < 2) {
          %x = tir.load %A[%u * 3 + %v] : memref<6xf32>
          tir.store %x, %B[%v] : memref<3xf32>
        }
      }
    }
  }
  func.return
}
"""


def test_the_last_of_two_virtual_threads_along_an_outer_loop():
    """Virtual threads that take the same branch stay in their order."""
    a, b = np.arange(6, dtype="float32"), np.full(3, 9, "float32")
    kc.build(kc.IRModule.parse(LAST), target="cuda-emu")(a, b)
    np.testing.assert_array_equal(b, [a[3], a[4], 9])
