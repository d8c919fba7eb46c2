// A loop of one iteration in the tile does not repeat the init, whatever the block is bound to.
// RUN: kc-opt %s --blockize="loop=k" | FileCheck %s

// CHECK-LABEL: @f
// CHECK: tir.for %i in 8 {
// CHECK: tir.block "S_o" (spatial %v_i_o in 8 = %i
// CHECK: init {
// CHECK: tir.block "S_init"
// CHECK: } do {
// CHECK: tir.for %k in 4 {
// CHECK: tir.for %u in 1 {
// CHECK: tir.block "S"
func.func @f(%A: memref<4xf32>, %S: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %k in 4 {
      tir.for %u in 1 {
        tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 4 = %k) init {
          %z = arith.constant 0.0 : f32
          tir.store %z, %S[%v_i] : memref<8xf32>
        } do {
          %a = tir.load %A[%v_k] : memref<4xf32>
          %s = tir.load %S[%v_i] : memref<8xf32>
          %t = arith.addf %a, %s : f32
          tir.store %t, %S[%v_i] : memref<8xf32>
        }
      }
    }
  }
  func.return
}
