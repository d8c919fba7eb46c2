// A loop gets iterations in which nothing happens.
// RUN: kc-opt %s --shift="func=two loop=j by=1" | FileCheck %s --check-prefix=BY
// RUN: kc-opt %s --shift="func=two loop=j after=2" | FileCheck %s --check-prefix=AFTER
// RUN: kc-opt %s --shift="func=two loop=i after=1" --shift="func=two loop=j by=1" --merge="func=two loops=i_s,j_s" | FileCheck %s --check-prefix=MERGE
// RUN: kc-opt %s --shift="func=sizes loop=i by=1 after=2" | FileCheck %s --check-prefix=SIZES

// C needs the element of B behind its own: shifted by one, it can be computed in the same loop.
// BY-LABEL: func.func @two(
// BY-NEXT:      tir.for %i in 16 {
// BY-NEXT:        tir.block "B" (spatial %v_i in 16 = %i) do {
// BY-NEXT:          %a = tir.load %A[%v_i] : memref<16xf32>
// BY-NEXT:          tir.store %a, %B[%v_i] : memref<17xf32>
// BY-NEXT:        }
// BY-NEXT:      }
// BY-NEXT:      tir.for %j_s in 17 {
// BY-NEXT:        tir.block "C" (spatial %v_j in 16 = %j_s - 1) where (%j_s >= 1) do {
// BY-NEXT:          %b = tir.load %B[%v_j + 1] : memref<17xf32>
// BY-NEXT:          tir.store %b, %C[%v_j] : memref<16xf32>
// BY-NEXT:        }
// BY-NEXT:      }
// AFTER-LABEL: func.func @two(
// AFTER-NEXT:      tir.for %i in 16 {
// AFTER-NEXT:        tir.block "B" (spatial %v_i in 16 = %i) do {
// AFTER-NEXT:          %a = tir.load %A[%v_i] : memref<16xf32>
// AFTER-NEXT:          tir.store %a, %B[%v_i] : memref<17xf32>
// AFTER-NEXT:        }
// AFTER-NEXT:      }
// AFTER-NEXT:      tir.for %j_s in 18 {
// AFTER-NEXT:        tir.block "C" (spatial %v_j in 16 = %j_s) where (%j_s < 16) do {
// AFTER-NEXT:          %b = tir.load %B[%v_j + 1] : memref<17xf32>
// AFTER-NEXT:          tir.store %b, %C[%v_j] : memref<16xf32>
// AFTER-NEXT:        }
// AFTER-NEXT:      }
// MERGE-LABEL: func.func @two(
// MERGE-NEXT:      tir.for %i_s_m in 17 {
// MERGE-NEXT:        tir.block "B" (spatial %v_i in 16 = %i_s_m) where (%i_s_m < 16) do {
// MERGE-NEXT:          %a = tir.load %A[%v_i] : memref<16xf32>
// MERGE-NEXT:          tir.store %a, %B[%v_i] : memref<17xf32>
// MERGE-NEXT:        }
// MERGE-NEXT:        tir.block "C" (spatial %v_j in 16 = %i_s_m - 1) where (%i_s_m >= 1) do {
// MERGE-NEXT:          %b = tir.load %B[%v_j + 1] : memref<17xf32>
// MERGE-NEXT:          tir.store %b, %C[%v_j] : memref<16xf32>
// MERGE-NEXT:        }
// MERGE-NEXT:      }
func.func @two(%A: memref<16xf32>, %B: memref<17xf32>, %C: memref<16xf32>) {
  tir.for %i in 16 {
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %B[%v_i] : memref<17xf32>
    }
  }
  tir.for %j in 16 {
    tir.block "C" (spatial %v_j in 16 = %j) do {
      %b = tir.load %B[%v_j + 1] : memref<17xf32>
      tir.store %b, %C[%v_j] : memref<16xf32>
    }
  }
  func.return
}

// SIZES-LABEL: func.func @sizes(
// SIZES-NEXT:      %n = tir.symbol "n"
// SIZES-NEXT:      %i_size = tir.apply (%n + 3)
// SIZES-NEXT:      tir.for %i_s in %i_size {
// SIZES-NEXT:        tir.if (%i_s >= 1, %i_s < %n + 1) {
// SIZES-NEXT:          tir.store %x, %A[%i_s - 1] : memref<?xf32>
// SIZES-NEXT:        }
// SIZES-NEXT:      }
func.func @sizes(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %x: f32) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}
