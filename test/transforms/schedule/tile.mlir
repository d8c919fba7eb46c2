// RUN: kc-opt %s --tile="block=C loops=i,j factors=4,8" | FileCheck %s
// RUN: kc-opt %s --tile | FileCheck %s --check-prefix=BARE

// CHECK:       tir.for %i_o in 16 {
// CHECK-NEXT:    tir.for %j_o in 13 {
// CHECK-NEXT:      tir.for %i_i in 4 {
// CHECK-NEXT:        tir.for %j_i in 8 {
// CHECK-NEXT:          tir.block "C" (spatial %v_i in 64 = %i_o * 4 + %i_i, spatial %v_j in 100 = %j_o * 8 + %j_i) where (%j_o * 8 + %j_i < 100) do {

// BARE:        tir.for %i_o in 2 {
// BARE-NEXT:     tir.for %j_o in 4 {
// BARE-NEXT:       tir.for %i_i in 32 {
// BARE-NEXT:         tir.for %j_i in 32 {
func.func @f(%A: memref<64x100xf32>) {
  %zero = arith.constant 0.0 : f32
  tir.for %i in 64 {
    tir.for %j in 100 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 100 = %j) do {
        tir.store %zero, %A[%v_i, %v_j] : memref<64x100xf32>
      }
    }
  }
  func.return
}
