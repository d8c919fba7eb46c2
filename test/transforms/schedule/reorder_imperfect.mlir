// What stands beside the inner loop goes into it.
// RUN: kc-opt %s --reorder="func=blocks loops=j,i" | FileCheck %s --check-prefix=BLOCKS
// RUN: kc-opt %s --reorder="func=loops loops=j,i" | FileCheck %s --check-prefix=LOOPS
// RUN: kc-opt %s --reorder="func=loops loops=i,j" | FileCheck %s --check-prefix=KEPT
// RUN: kc-opt %s --tile="func=blocks loops=i,j factors=4,2" | FileCheck %s --check-prefix=TILE

// BLOCKS-LABEL: func.func @blocks(
// BLOCKS-NEXT:      tir.for %j in 4 {
// BLOCKS-NEXT:        tir.for %i in 8 {
// BLOCKS-NEXT:          tir.block "y" (spatial %v_i in 8 = %i) where (%j == 0) do {
// BLOCKS-NEXT:            %c = arith.constant 0.000000e+00 : f32
// BLOCKS-NEXT:            tir.store %c, %y[%v_i] : memref<8xf32>
// BLOCKS-NEXT:          }
// BLOCKS-NEXT:          tir.block "A" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do {
// BLOCKS-NEXT:            %s = tir.load %y[%v_i] : memref<8xf32>
// BLOCKS-NEXT:            tir.store %s, %A[%v_i, %v_j] : memref<8x4xf32>
// BLOCKS-NEXT:          }
// BLOCKS-NEXT:          tir.block "z" (spatial %v_i in 8 = %i) where (%j == 3) do {
// BLOCKS-NEXT:            %a = tir.load %A[%v_i, 3] : memref<8x4xf32>
// BLOCKS-NEXT:            tir.store %a, %z[%v_i] : memref<8xf32>
// BLOCKS-NEXT:          }
// BLOCKS-NEXT:        }
// BLOCKS-NEXT:      }
// TILE-LABEL: func.func @blocks(
// TILE-NEXT:      tir.for %i_o in 2 {
// TILE-NEXT:        tir.for %j_o in 2 {
// TILE-NEXT:          tir.for %i_i in 4 {
// TILE-NEXT:            tir.for %j_i in 2 {
// TILE-NEXT:              tir.block "y" (spatial %v_i in 8 = %i_o * 4 + %i_i) where (%j_o == 0, %j_i == 0) do {
// TILE-NEXT:                %c = arith.constant 0.000000e+00 : f32
// TILE-NEXT:                tir.store %c, %y[%v_i] : memref<8xf32>
// TILE-NEXT:              }
// TILE-NEXT:              tir.block "A" (spatial %v_i in 8 = %i_o * 4 + %i_i, spatial %v_j in 4 = %j_o * 2 + %j_i) do {
// TILE-NEXT:                %s = tir.load %y[%v_i] : memref<8xf32>
// TILE-NEXT:                tir.store %s, %A[%v_i, %v_j] : memref<8x4xf32>
// TILE-NEXT:              }
// TILE-NEXT:              tir.block "z" (spatial %v_i in 8 = %i_o * 4 + %i_i) where (%j_o == 1, %j_i == 1) do {
// TILE-NEXT:                %a = tir.load %A[%v_i, 3] : memref<8x4xf32>
// TILE-NEXT:                tir.store %a, %z[%v_i] : memref<8xf32>
// TILE-NEXT:              }
// TILE-NEXT:            }
// TILE-NEXT:          }
// TILE-NEXT:        }
// TILE-NEXT:      }
func.func @blocks(%A: memref<8x4xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "y" (spatial %v_i in 8 = %i) do {
      %c = arith.constant 0.0 : f32
      tir.store %c, %y[%v_i] : memref<8xf32>
    }
    tir.for %j in 4 {
      tir.block "A" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do {
        %s = tir.load %y[%v_i] : memref<8xf32>
        tir.store %s, %A[%v_i, %v_j] : memref<8x4xf32>
      }
    }
    tir.block "z" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i, 3] : memref<8x4xf32>
      tir.store %a, %z[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// A loop, a store and what it stores go into a branch.
// LOOPS-LABEL: func.func @loops(
// LOOPS-NEXT:      tir.for %j in 4 {
// LOOPS-NEXT:        tir.for %i in 8 {
// LOOPS-NEXT:          tir.if (%j == 0) {
// LOOPS-NEXT:            %a = tir.load %y[%i] : memref<8xf32>
// LOOPS-NEXT:            %b = arith.addf %a, %a : f32
// LOOPS-NEXT:            tir.store %b, %z[%i] : memref<8xf32>
// LOOPS-NEXT:          }
// LOOPS-NEXT:          %s = tir.load %z[%i] : memref<8xf32>
// LOOPS-NEXT:          tir.store %s, %A[%i, %j] : memref<8x4xf32>
// LOOPS-NEXT:          tir.if (%j == 3) {
// LOOPS-NEXT:            tir.for %k in 4 {
// LOOPS-NEXT:              %s_1 = tir.load %A[%i, %k * -1 + 3] : memref<8x4xf32>
// LOOPS-NEXT:              tir.store %s_1, %B[%i, %k] : memref<8x4xf32>
// LOOPS-NEXT:            }
// LOOPS-NEXT:          }
// LOOPS-NEXT:        }
// LOOPS-NEXT:      }
// KEPT-LABEL: func.func @loops(
// KEPT-NEXT:      tir.for %i in 8 {
// KEPT-NEXT:        %a = tir.load %y[%i] : memref<8xf32>
// KEPT-NEXT:        %b = arith.addf %a, %a : f32
// KEPT-NEXT:        tir.store %b, %z[%i] : memref<8xf32>
// KEPT-NEXT:        tir.for %j in 4 {
// KEPT-NEXT:          %s = tir.load %z[%i] : memref<8xf32>
// KEPT-NEXT:          tir.store %s, %A[%i, %j] : memref<8x4xf32>
// KEPT-NEXT:        }
// KEPT-NEXT:        tir.for %k in 4 {
// KEPT-NEXT:          %s_1 = tir.load %A[%i, %k * -1 + 3] : memref<8x4xf32>
// KEPT-NEXT:          tir.store %s_1, %B[%i, %k] : memref<8x4xf32>
// KEPT-NEXT:        }
// KEPT-NEXT:      }
func.func @loops(%A: memref<8x4xf32>, %B: memref<8x4xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  tir.for %i in 8 {
    %a = tir.load %y[%i] : memref<8xf32>
    %b = arith.addf %a, %a : f32
    tir.store %b, %z[%i] : memref<8xf32>
    tir.for %j in 4 {
      %s = tir.load %z[%i] : memref<8xf32>
      tir.store %s, %A[%i, %j] : memref<8x4xf32>
    }
    tir.for %k in 4 {
      %s = tir.load %A[%i, 3 - %k] : memref<8x4xf32>
      tir.store %s, %B[%i, %k] : memref<8x4xf32>
    }
  }
  func.return
}
