"""Kernels whose loops of threads become one launch compute the same."""

import itertools

import numpy as np
import pytest

import kc

VIRTUAL = ("vthread", "vthread.x", "vthread.y")
KERNEL = """
func.func @virtual(%A: memref<8x4xf32>, %O: memref<8xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %v in 2 thread "OUTER" {
      %L = tir.alloc "L" : memref<SIZExf32, "SCOPE">
      tir.for %x in 4 thread "INNER" {
        %0 = tir.load %A[%b * 2 + %v, %x] : memref<8x4xf32>
        tir.store %0, %L[%x + %v * STRIDE] : memref<SIZExf32, "SCOPE">
      }
      %1 = tir.load %L[%v * STRIDE + 1] : memref<SIZExf32, "SCOPE">
      %2 = tir.load %L[%v * STRIDE + 3] : memref<SIZExf32, "SCOPE">
      %3 = arith.addf %1, %2 : f32
      tir.store %3, %O[%b * 2 + %v] : memref<8xf32>
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("scope", ["local", "shared"])
@pytest.mark.parametrize(
    ("outer", "inner"),
    # A loop in another one of the same named axis is the same threads.
    [*itertools.permutations(VIRTUAL, 2), ("vthread", "vthread"), ("threadIdx.x", "vthread.x")],
)
def test_virtual_threads_exchange_values_in_memory_of_one(outer: str, inner: str, scope: str):
    """The threads of the inner loop fill what the outer one's thread reads: local memory of its
    own, or a part of shared memory."""
    text = KERNEL.replace("OUTER", outer).replace("INNER", inner).replace("SCOPE", scope)
    is_shared = scope == "shared"
    text = text.replace("SIZE", str(8 if is_shared else 4)).replace(
        "STRIDE", str(4 if is_shared else 0)
    )
    a = np.arange(32, dtype="float32").reshape(8, 4) ** 2
    result = np.zeros(8, "float32")
    kc.build(kc.IRModule.parse(text), target="cuda-emu")(a, result)
    np.testing.assert_array_equal(result, a[:, 1] + a[:, 3])


TWO_KERNELS = """
func.func @f(%A: memref<2x4xi32>, %C: memref<2x4xi32> {kc.role = "out"},
             %D: memref<2x4xi32> {kc.role = "out"}) {
  %S = tir.alloc "S" : memref<4xi32, "SCOPE">
  tir.for %r in 2 {
    tir.for %j in 3 thread "threadIdx.x" {
      tir.block "T" (spatial %v in 4 = %j, spatial %w in 2 = %r) do {
        %seven = arith.constant 7 : i32
        tir.store %seven, %S[%v] : memref<4xi32, "SCOPE">
      }
      tir.block "D" (spatial %v in 4 = %j, spatial %w in 2 = %r) do {
        %s = tir.load %S[%v] : memref<4xi32, "SCOPE">
        tir.store %s, %D[%w, %v] : memref<2x4xi32>
      }
    }
    tir.for %i in 4 thread "blockIdx.x" {
      tir.for %t in 2 thread "threadIdx.x" {
        tir.block "S" (spatial %v in 4 = %i, spatial %w in 2 = %r) do {
          %a = tir.load %A[%w, %v] : memref<2x4xi32>
          tir.store %a, %S[%v] : memref<4xi32, "SCOPE">
        }
        tir.block "U" (spatial %v in 4 = %i, spatial %w in 2 = %r) do {
          %s = tir.load %S[%v] : memref<4xi32, "SCOPE">
          %sum = arith.addi %s, %s : i32
          tir.store %sum, %S[%v] : memref<4xi32, "SCOPE">
        }
        tir.block "C" (spatial %v in 4 = %i, spatial %w in 2 = %r) do {
          %s = tir.load %S[%v] : memref<4xi32, "SCOPE">
          tir.store %s, %C[%w, %v] : memref<2x4xi32>
        }
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("scope", ["local", "shared"])
def test_kernels_have_memory_of_threads_of_their_own(scope: str):
    """Also where one buffer in front of all of them is meant, in loops of the host."""
    module = kc.IRModule.parse(TWO_KERNELS.replace("SCOPE", scope))
    kernel = kc.build(module, target="cuda-emu")
    a = np.arange(8, dtype="int32").reshape(2, 4)
    c, d = np.zeros((2, 4), "int32"), np.zeros((2, 4), "int32")
    report = kc.gpu.check(kernel, a, c, d)
    assert not report.findings, str(report)
    assert ".ptr .shared" not in kc.build(module, target="cuda").get_source("ptx")
    np.testing.assert_array_equal(c, 2 * a)
    np.testing.assert_array_equal(d, [[7, 7, 7, 0]] * 2)
