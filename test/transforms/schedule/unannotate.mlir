// An annotation is taken off; the last one leaves nothing behind.
// RUN: kc-opt %s --unannotate="block=C key=a" --unannotate="block=C loop=i key=b" | FileCheck %s

func.func @f(%C: memref<4xf32>) {
  tir.for %i in 4 annotations {b = 1 : i64} {
    tir.block "C" (spatial %v_i in 4 = %i) annotations {a, c = 2 : i64} do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %C[%v_i] : memref<4xf32>
    }
  }
  func.return
}

// CHECK:      tir.for %i in 4 {
// CHECK-NEXT:   tir.block "C" (spatial %v_i in 4 = %i) annotations {c = 2 : i64} do {
