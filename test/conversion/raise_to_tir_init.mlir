// A fill in front of a reduction that has an init stays what it is.
// RUN: kc-opt %s --raise-to-tir | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK: tir.block "fill"
// CHECK: tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
// CHECK-NEXT: %z = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: tir.store %z, %S[%v_i]
// CHECK-NEXT: } do {
func.func @f(%A: memref<4x8xf32>, %S: memref<4xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%S : memref<4xf32>)
  tir.for %i in 4 {
    tir.for %k in 8 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
        %z = arith.constant 2.0 : f32
        tir.store %z, %S[%v_i] : memref<4xf32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
        %s = tir.load %S[%v_i] : memref<4xf32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %S[%v_i] : memref<4xf32>
      }
    }
  }
  return
}
