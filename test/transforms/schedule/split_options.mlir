// Splits that must need no predicate, and bindings without loops of one iteration.
// RUN: kc-opt %s --split="block=B loop=i factors=?,25 disable-predication" | FileCheck %s --check-prefix=DIVIDES
// RUN: kc-opt %s --split="block=C loop=i factors=?,4 disable-predication" | FileCheck %s --check-prefix=KNOWN
// RUN: kc-opt %s --split="block=B loop=i factors=1,?,100 preserve-unit-iters=false" | FileCheck %s --check-prefix=UNIT
// RUN: kc-opt %s --split="block=B loop=i factors=1,?,100" | FileCheck %s --check-prefix=KEPT
// RUN: kc-opt %s --fuse="block=D loops=u,v preserve-unit-iters=false" | FileCheck %s --check-prefix=FUSED

// DIVIDES:      tir.block "B" (spatial %v_i in 100 = %i_o * 25 + %i_i) do {

// n * 4 + 8 iterations are whole quarters, whatever n is.
// KNOWN:      tir.for %i_o in %{{.*}} {
// KNOWN-NEXT:   tir.for %i_i in 4 {
// KNOWN-NEXT:     tir.block "C" (spatial %v_i in %{{.*}} = %i_o * 4 + %i_i) do {

// UNIT:      tir.for %i_0 in 1 {
// UNIT-NEXT:   tir.for %i_1 in 1 {
// UNIT-NEXT:     tir.for %i_2 in 100 {
// UNIT-NEXT:       tir.block "B" (spatial %v_i in 100 = %i_2) do {

// KEPT:        tir.block "B" (spatial %v_i in 100 = %{{.*}} * 100 + %i_1 * 100 + %i_2) do {

// FUSED:      tir.for %u_v_fused in 1 {
// FUSED-NEXT:   tir.block "D" (spatial %v_u in 1 = 0, spatial %v_v in 1 = 0) do {
func.func @f(%A: memref<100xf32>, %B: memref<100xf32>, %C: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 100 {
    tir.block "B" (spatial %v_i in 100 = %i) do {
      %a = tir.load %A[%v_i] : memref<100xf32>
      tir.store %a, %B[%v_i] : memref<100xf32>
    }
  }
  %m = tir.apply (%n * 4 + 8)
  tir.for %i in %m {
    tir.block "C" (spatial %v_i in %m = %i) do {
      %a = tir.load %A[0] : memref<100xf32>
      tir.store %a, %C[%v_i floordiv 4] : memref<?xf32>
    }
  }
  tir.for %u in 1 {
    tir.for %v in 1 {
      tir.block "D" (spatial %v_u in 1 = %u, spatial %v_v in 1 = %v) do {
        %a = tir.load %A[%v_u] : memref<100xf32>
        tir.store %a, %B[%v_v] : memref<100xf32>
      }
    }
  }
  func.return
}
