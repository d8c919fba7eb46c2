// RUN: kc-opt %s --lower-blocks --inject-double-buffer 2>&1 | FileCheck %s

// CHECK: warning[KC3478]: double_buffer of T is not applied: T is not filled first and then read in each iteration of i
// CHECK-NEXT: --> {{.*}}inject_double_buffer_unfilled.mlir:12:5  %T = tir.alloc "T" {tir.double_buffer} : memref<1xf32>
// CHECK-NEXT: why: nothing in loop i writes to it
// CHECK-NEXT: try: apply double_buffer last, when the loops are final
// CHECK: %T = tir.alloc "T" : memref<1xf32>
// CHECK-NEXT: tir.load

func.func @f(%C: memref<8xf32>) {
  tir.for %i in 8 {
    %T = tir.alloc "T" {tir.double_buffer} : memref<1xf32>
    %t = tir.load %T[0] : memref<1xf32>
    tir.store %t, %C[%i] : memref<8xf32>
  }
  func.return
}
