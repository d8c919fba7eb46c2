// RUN: kc-opt %s --fuse="block=C loops=i,j" | FileCheck %s
// RUN: kc-opt %s --fuse="block=C loops=i,j,l" | FileCheck %s --check-prefix=THREE
// RUN: kc-opt %s --split="block=C loop=j factors=?,8" --fuse="block=C loops=j_o,j_i" | FileCheck %s --check-prefix=BACK
// RUN: kc-opt %s --fuse="block=S loops=i,j" --split="block=S loop=i_j_fused factors=?,32" | FileCheck %s --check-prefix=SYMBOL

// CHECK-LABEL: func.func @constant
// CHECK:       tir.for %i_j_fused in 512 {
// CHECK-NEXT:    tir.for %l in 3 {
// CHECK-NEXT:      tir.block "C" (spatial %v_i in 16 = %i_j_fused floordiv 32, spatial %v_j in 32 = %i_j_fused mod 32, spatial %v_l in 3 = %l) do {

// THREE:       tir.for %i_j_l_fused in 1536 {
// THREE-NEXT:    tir.block "C" (spatial %v_i in 16 = %i_j_l_fused floordiv 96, spatial %v_j in 32 = (%i_j_l_fused floordiv 3) mod 32, spatial %v_l in 3 = %i_j_l_fused mod 3) do {

// What was split is one loop again: f floordiv 8 * 8 + f mod 8 is f.
// BACK:        tir.for %j_o_j_i_fused in 32 {
// BACK:          spatial %v_j in 32 = %j_o_j_i_fused,
func.func @constant(%A: memref<16x32x3xf32>) {
  %zero = arith.constant 0.0 : f32
  tir.for %i in 16 {
    tir.for %j in 32 {
      tir.for %l in 3 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 32 = %j, spatial %v_l in 3 = %l) do {
          tir.store %zero, %A[%v_i, %v_j, %v_l] : memref<16x32x3xf32>
        }
      }
    }
  }
  func.return
}

// SYMBOL-LABEL: func.func @symbolic
// SYMBOL:       %[[NM:.*]] = arith.muli %n, %m : index
// SYMBOL-NEXT:  %i_j_fused_size = tir.apply (%[[NM]] ceildiv 32)
// SYMBOL-NEXT:  tir.for %i_j_fused_o in %i_j_fused_size {
// SYMBOL-NEXT:    tir.for %i_j_fused_i in 32 {
// SYMBOL-NEXT:      %[[F:.*]] = tir.apply (%i_j_fused_o * 32 + %i_j_fused_i)
// SYMBOL-NEXT:      %i, %j = tir.delinearize %[[F]] by [%n, %m]
// SYMBOL-NEXT:      tir.block "S" (spatial %v_i in %n = %i, spatial %v_j in %m = %j) where (%i_j_fused_o * 32 + %i_j_fused_i < %[[NM]]) do {
func.func @symbolic(%A: memref<?x?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0, s1)>})
    attributes {kc.symbols = ["n", "m"]} {
  %n = tir.symbol "n"
  %m = tir.symbol "m"
  %zero = arith.constant 0.0 : f32
  tir.for %i in %n {
    tir.for %j in %m {
      tir.block "S" (spatial %v_i in %n = %i, spatial %v_j in %m = %j) do {
        tir.store %zero, %A[%v_i, %v_j] : memref<?x?xf32>
      }
    }
  }
  func.return
}
