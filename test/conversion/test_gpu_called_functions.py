"""Functions that kernels call: in the memory of the kernel, and not left to the host."""

from __future__ import annotations

import numpy as np
import pytest

import kc

SHARED = """
func.func @f(%A: memref<64xf32>, %B: memref<64xf32>) {
  tir.for %b in 8 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<8xf32, "shared">
    tir.for %t in 8 thread "threadIdx.x" {
      %x = tir.load %A[%b * 8 + %t] : memref<64xf32>
      tir.store %x, %S[7 - %t] : memref<8xf32, "shared">
    }
    tir.for %t in 8 thread "threadIdx.x" {
      %s = tir.view %S[%t] : memref<8xf32, "shared"> to memref<1xf32, strided<[1], offset: ?>, "shared">
      %o = tir.view %B[%b * 8 + %t] : memref<64xf32> to memref<1xf32, strided<[1], offset: ?>>
      tir.call @twice(read %s, write %o) : (memref<1xf32, strided<[1], offset: ?>, "shared">, memref<1xf32, strided<[1], offset: ?>>)
    }
  }
  func.return
}
func.func private @twice(%s: memref<1xf32, strided<[1], offset: ?>, "shared">, %o: memref<1xf32, strided<[1], offset: ?>>) {
  %x = tir.load %s[0] : memref<1xf32, strided<[1], offset: ?>, "shared">
  %y = arith.addf %x, %x : f32
  tir.store %y, %o[0] : memref<1xf32, strided<[1], offset: ?>>
  func.return
}
"""  # noqa: E501

LAUNCH = """
func.func @f(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  gpu.launch blocks(%b, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %first = arith.muli %b, %c8 : index
    %i = arith.addi %first, %t : index
    %7 = arith.constant 7 : index
    %last = arith.addi %first, %7 : index
    %j = arith.subi %last, %t : index
    func.call @twice(%A, %j, %B, %i) : (memref<64xf32>, index, memref<64xf32>, index) -> ()
    gpu.terminator
  }
  func.return
}
func.func private @twice(%s: memref<64xf32>, %j: index, %o: memref<64xf32>, %i: index) {
  %x = memref.load %s[%j] : memref<64xf32>
  %y = arith.addf %x, %x : f32
  memref.store %y, %o[%i] : memref<64xf32>
  func.return
}
"""


@pytest.mark.parametrize("text", [SHARED, LAUNCH], ids=["of shared memory", "of a launch"])
def test_a_kernel_calls_a_private_function(text: str):
    module = kc.IRModule.parse(text)
    a, b = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    kc.build(module, target="cuda-emu")(a, b)
    np.testing.assert_array_equal(b, a.reshape(8, 8)[:, ::-1].ravel() * 2)
    for target in ("cuda", "rocm"):
        kc.build(module, target=target)
