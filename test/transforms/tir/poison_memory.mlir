// RUN: kc-opt %s --poison-memory | FileCheck %s
// RUN: kc-opt %s --fill-slack --poison-memory | FileCheck %s --check-prefix=BOTH

// Before anything that is stored, also before zeros.
// CHECK-LABEL: func.func @main
// CHECK: %B = tir.alloc "B" (%n) : memref<?x4xf32>
// CHECK-NEXT: tir.for %p0 in %n {
// CHECK-NEXT: tir.for %p1 in 4 {
// CHECK-NEXT: [[PARITY:%.+]] = tir.apply (%p1 mod 2)
// CHECK-NEXT: [[ODD:%.+]] = arith.index_cast [[PARITY]] : index to i32
// CHECK-NEXT: [[FIRST:%.+]] = arith.constant 219738 : i32
// CHECK: [[BITS:%.+]] = arith.addi %{{.+}}, [[FIRST]] : i32
// CHECK-NEXT: [[VALUE:%.+]] = arith.bitcast [[BITS]] : i32 to f32
// CHECK-NEXT: tir.store [[VALUE]], %B[%p0, %p1] : memref<?x4xf32>
// CHECK: %C = tir.alloc "C" : memref<4xi32>
// CHECK-NEXT: tir.for %j in 4 vectorized

// BOTH: %B = tir.alloc "B"
// BOTH-NEXT: tir.for %p0
// BOTH: tir.for %j in 4 vectorized
func.func @main(%n: index, %O: memref<4xf32>) {
  %B = tir.alloc "B" (%n) : memref<?x4xf32>
  %C = tir.alloc "C" : memref<4xi32>
  tir.for %j in 4 vectorized {
    %c = arith.constant 1 : i32
    tir.store %c, %C[%j] : memref<4xi32>
    %b = tir.load %B[0, %j] : memref<?x4xf32>
    tir.store %b, %O[%j] : memref<4xf32>
  }
  func.return
}
