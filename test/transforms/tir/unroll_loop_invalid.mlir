// More copies than can be compiled are refused, before any loop is unrolled.
// RUN: not kc-opt %s --split-input-file --unroll-loop 2>&1 | FileCheck %s

// CHECK: error[KC4215]: unroll-loop: 4294967296 copies of z have 8589934592 operations
// CHECK-NEXT: --> {{.*}}:[[# @LINE + 6]]:3  tir.for %z in 4294967296 unrolled {
// CHECK: why: a loop is unrolled to at most 100000 operations, as compile time grows faster than the size of the code
// CHECK: try: split the loop by a small factor and unroll the inner loop
func.func @f(%A: memref<4xf32>) {
  %x = arith.constant 1.0 : f32
  tir.for %y in 2 unrolled { tir.store %x, %A[%y] : memref<4xf32> }
  tir.for %z in 4294967296 unrolled {
    tir.store %x, %A[0] : memref<4xf32>
  }
  func.return
}

// -----

// Loops in each other are counted together.
// CHECK: error[KC4215]: unroll-loop: 400 copies of i have 320400 operations
func.func @nested(%A: memref<4xf32>) {
  %x = arith.constant 1.0 : f32
  tir.for %i in 400 unrolled {
    tir.for %j in 400 unrolled {
      tir.store %x, %A[0] : memref<4xf32>
    }
  }
  func.return
}
