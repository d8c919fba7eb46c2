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
