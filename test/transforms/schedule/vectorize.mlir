// RUN: kc-opt %s --vectorize="block=C loop=j" | FileCheck %s
// RUN: kc-opt %s --vectorize | FileCheck %s --check-prefix=BARE
// RUN: kc-opt %s --split="block=C loop=j factors=?,4" --vectorize | FileCheck %s --check-prefix=LANES

// A vectorized loop may hold the serial loop of a reduction.
// CHECK:       tir.for %i in 16 {
// CHECK-NEXT:    tir.for %j in 12 vectorized {
// CHECK-NEXT:      tir.for %k in 8 {

// BARE:        tir.for %j in 12 vectorized {

// LANES:       tir.for %j_o in 3 {
// LANES-NEXT:    tir.for %j_i in 4 vectorized {
// LANES-NEXT:      tir.for %k in 8 {
func.func @sum(%A: memref<16x12x8xf32>, %C: memref<16x12xf32>) {
  tir.for %i in 16 {
    tir.for %j in 12 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%v_i, %v_j] : memref<16x12xf32>
        } do {
          %a = tir.load %A[%v_i, %v_j, %v_k] : memref<16x12x8xf32>
          %c = tir.load %C[%v_i, %v_j] : memref<16x12xf32>
          %s = arith.addf %c, %a : f32
          tir.store %s, %C[%v_i, %v_j] : memref<16x12xf32>
        }
      }
    }
  }
  func.return
}
