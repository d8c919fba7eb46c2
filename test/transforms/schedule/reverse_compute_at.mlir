// C is computed in loops of B as soon as what it reads is complete.
// RUN: kc-opt %s --reverse-compute-at="func=rows block=C loop=i" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --split="func=rows block=B loop=i factors=?,4" --reverse-compute-at="func=rows block=C loop=i_o" \
// RUN:   | FileCheck %s --check-prefix=TILE
// RUN: kc-opt %s --reverse-compute-at="func=same block=C loop=j preserve-unit-loops" --reverse-compute-at="func=same block=D loop=j index=-2" \
// RUN:   | FileCheck %s --check-prefix=POINT
// RUN: kc-opt %s --reverse-compute-at="func=columns block=S loop=k" \
// RUN:   | FileCheck %s --check-prefix=SUM

te.func @rows(%A: tensor<16x8xf32>) -> tensor<14x8xf32> {
  %B = te.compute "B" [%i = 16, %j = 8] {
    %a = te.read %A[%i, %j] : tensor<16x8xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<16x8xf32>
  %C = te.compute "C" [%i = 14, %j = 8] {
    %x = te.read %B[%i, %j] : tensor<16x8xf32>
    %y = te.read %B[%i + 2, %j] : tensor<16x8xf32>
    %c = arith.mulf %x, %y : f32
    te.yield %c : f32
  } : tensor<14x8xf32>
  te.return %C : tensor<14x8xf32>
}

// The buffer of C is allocated before the loop.
te.func @same(%A: tensor<16x?xf32> {kc.shape = affine_map<()[n] -> (16, n)>}) -> tensor<?x16xf32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%i = 16, %j = %n] {
    %a = te.read %A[%i, %j] : tensor<16x?xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<16x?xf32>
  %C = te.compute "C" [%i = %n, %j = 16] {
    %x = te.read %B[%j, %i] : tensor<16x?xf32>
    te.yield %x : f32
  } : tensor<?x16xf32>
  %D = te.compute "D" [%i = %n, %j = 16] {
    %x = te.read %C[%i, %j] : tensor<?x16xf32>
    te.yield %x : f32
  } : tensor<?x16xf32>
  te.return %D : tensor<?x16xf32>
}

// A sum over what the loop makes: it is added up as it comes, the init before.
te.func @columns(%A: tensor<16x8xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%k = 16, %j = 8] {
    %a = te.read %A[%k, %j] : tensor<16x8xf32>
    %b = arith.mulf %a, %a : f32
    te.yield %b : f32
  } : tensor<16x8xf32>
  %S = te.compute "S" [%i = 8] reduce sum [%r = 16] {
    %x = te.read %B[%r, %i] : tensor<16x8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %S : tensor<8xf32>
}

// ROWS:      func.func @rows(
// ROWS-NEXT:   %B = tir.alloc "B" : memref<16x8xf32>
// ROWS-NEXT:   tir.for %i in 16 {
// ROWS-NEXT:     tir.for %j in 8 {
// ROWS-NEXT:       tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
// ROWS-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
// ROWS-NEXT:         %b = arith.addf %a, %a : f32
// ROWS-NEXT:         tir.store %b, %B[%v_i, %v_j] : memref<16x8xf32>
// ROWS-NEXT:       }
// ROWS-NEXT:     }
// ROWS-NEXT:     tir.for %j_1 in 8 {
// ROWS-NEXT:       tir.block "C" (spatial %v_i in 14 = %i - 2, spatial %v_j in 8 = %j_1) where (%i >= 2) do {
// ROWS-NEXT:         %x = tir.load %B[%v_i, %v_j] : memref<16x8xf32>
// ROWS-NEXT:         %y = tir.load %B[%v_i + 2, %v_j] : memref<16x8xf32>
// ROWS-NEXT:         %c = arith.mulf %x, %y : f32
// ROWS-NEXT:         tir.store %c, %C[%v_i, %v_j] : memref<14x8xf32>
// ROWS-NEXT:       }
// ROWS-NEXT:     }
// ROWS-NEXT:   }
// ROWS-NEXT:   func.return
// ROWS-NEXT: }

// TILE:      func.func @rows(
// TILE-NEXT:   %B = tir.alloc "B" : memref<16x8xf32>
// TILE-NEXT:   tir.for %i_o in 4 {
// TILE-NEXT:     tir.for %i_i in 4 {
// TILE-NEXT:       tir.for %j in 8 {
// TILE-NEXT:         tir.block "B" (spatial %v_i in 16 = %i_o * 4 + %i_i, spatial %v_j in 8 = %j) do {
// TILE-NEXT:           %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
// TILE-NEXT:           %b = arith.addf %a, %a : f32
// TILE-NEXT:           tir.store %b, %B[%v_i, %v_j] : memref<16x8xf32>
// TILE-NEXT:         }
// TILE-NEXT:       }
// TILE-NEXT:     }
// TILE-NEXT:     tir.for %i in 4 {
// TILE-NEXT:       tir.for %j_1 in 8 {
// TILE-NEXT:         tir.block "C" (spatial %v_i in 14 = %i_o * 4 + %i - 2, spatial %v_j in 8 = %j_1) where (%i_o * 4 + %i >= 2) do {
// TILE-NEXT:           %x = tir.load %B[%v_i, %v_j] : memref<16x8xf32>
// TILE-NEXT:           %y = tir.load %B[%v_i + 2, %v_j] : memref<16x8xf32>
// TILE-NEXT:           %c = arith.mulf %x, %y : f32
// TILE-NEXT:           tir.store %c, %C[%v_i, %v_j] : memref<14x8xf32>
// TILE-NEXT:         }
// TILE-NEXT:       }
// TILE-NEXT:     }
// TILE-NEXT:   }
// TILE-NEXT:   func.return
// TILE-NEXT: }

// POINT:      func.func @same(
// POINT-NEXT:   %n = tir.symbol "n"
// POINT-NEXT:   %B = tir.alloc "B" (%n) : memref<16x?xf32>
// POINT-NEXT:   %C = tir.alloc "C" (%n) : memref<?x16xf32>
// POINT-NEXT:   tir.for %i in 16 {
// POINT-NEXT:     tir.for %j in %n {
// POINT-NEXT:       tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in %n = %j) do {
// POINT-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<16x?xf32>
// POINT-NEXT:         %b = arith.addf %a, %a : f32
// POINT-NEXT:         tir.store %b, %B[%v_i, %v_j] : memref<16x?xf32>
// POINT-NEXT:       }
// POINT-NEXT:       tir.for %i_1 in 1 {
// POINT-NEXT:         tir.for %j_1 in 1 {
// POINT-NEXT:           tir.block "C" (spatial %v_i in %n = %j, spatial %v_j in 16 = %i) do {
// POINT-NEXT:             %x = tir.load %B[%v_j, %v_i] : memref<16x?xf32>
// POINT-NEXT:             tir.store %x, %C[%v_i, %v_j] : memref<?x16xf32>
// POINT-NEXT:           }
// POINT-NEXT:         }
// POINT-NEXT:       }
// POINT-NEXT:       tir.block "D" (spatial %v_i in %n = %j, spatial %v_j in 16 = %i) do {
// POINT-NEXT:         %x = tir.load %C[%v_i, %v_j] : memref<?x16xf32>
// POINT-NEXT:         tir.store %x, %D[%v_i, %v_j] : memref<?x16xf32>
// POINT-NEXT:       }
// POINT-NEXT:     }
// POINT-NEXT:   }
// POINT-NEXT:   func.return
// POINT-NEXT: }

// SUM:      func.func @columns(
// SUM-NEXT:   %B = tir.alloc "B" : memref<16x8xf32>
// SUM-NEXT:   tir.for %k in 16 {
// SUM-NEXT:     tir.for %j in 8 {
// SUM-NEXT:       tir.block "B" (spatial %v_k in 16 = %k, spatial %v_j in 8 = %j) do {
// SUM-NEXT:         %a = tir.load %A[%v_k, %v_j] : memref<16x8xf32>
// SUM-NEXT:         %b = arith.mulf %a, %a : f32
// SUM-NEXT:         tir.store %b, %B[%v_k, %v_j] : memref<16x8xf32>
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:     tir.for %i in 8 {
// SUM-NEXT:       tir.block "S" (spatial %v_i in 8 = %i, reduce %v_r in 16 = %k) init {
// SUM-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// SUM-NEXT:         tir.store %0, %S[%v_i] : memref<8xf32>
// SUM-NEXT:       } do {
// SUM-NEXT:         %x = tir.load %B[%v_r, %v_i] : memref<16x8xf32>
// SUM-NEXT:         %1 = tir.load %S[%v_i] : memref<8xf32>
// SUM-NEXT:         %2 = arith.addf %1, %x : f32
// SUM-NEXT:         tir.store %2, %S[%v_i] : memref<8xf32>
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:   }
// SUM-NEXT:   func.return
// SUM-NEXT: }
