// The init becomes a block before the loop, with the loops that it needs.
// RUN: kc-opt %s --reorder="func=mm block=C loops=k,j" --vectorize="func=mm block=C loop=j" --decompose-reduction="func=mm block=C loop=k" \
// RUN:   | FileCheck %s --check-prefix=OUTER
// RUN: kc-opt %s --decompose-reduction="func=mm block=C loop=i" | FileCheck %s --check-prefix=ALL
// RUN: kc-opt %s --split="func=sum block=S loop=k factors=?,4" --split="func=sum block=S loop=i factors=?,4" --decompose-reduction="func=sum block=S loop=i_i" \
// RUN:   | FileCheck %s --check-prefix=SPLIT

te.func @mm(%A: tensor<16x8xf32>, %B: tensor<8x32xf32>) -> tensor<16x32xf32> {
  %C = te.compute "C" [%i = 16, %j = 32] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<16x8xf32>
    %b = te.read %B[%k, %j] : tensor<8x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<16x32xf32>
  te.return %C : tensor<16x32xf32>
}

te.func @sum(%A: tensor<10x10xf32>) -> tensor<10xf32> {
  %S = te.compute "S" [%i = 10] reduce max [%k = 10] {
    %a = te.read %A[%i, %k] : tensor<10x10xf32>
    te.yield %a : f32
  } : tensor<10xf32>
  te.return %S : tensor<10xf32>
}

// OUTER:      func.func @mm(
// OUTER-NEXT:   tir.for %i in 16 {
// OUTER-NEXT:     tir.for %j_init in 32 vectorized {
// OUTER-NEXT:       tir.block "C_init" (spatial %v_i in 16 = %i, spatial %v_j in 32 = %j_init) do {
// OUTER-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// OUTER-NEXT:         tir.store %0, %C[%v_i, %v_j] : memref<16x32xf32>
// OUTER-NEXT:       }
// OUTER-NEXT:     }
// OUTER-NEXT:     tir.for %k in 8 {
// OUTER-NEXT:       tir.for %j in 32 vectorized {
// OUTER-NEXT:         tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 32 = %j, reduce %v_k in 8 = %k) do {
// OUTER-NEXT:           %a = tir.load %A[%v_i, %v_k] : memref<16x8xf32>
// OUTER-NEXT:           %b = tir.load %B[%v_k, %v_j] : memref<8x32xf32>
// OUTER-NEXT:           %p = arith.mulf %a, %b : f32
// OUTER-NEXT:           %0 = tir.load %C[%v_i, %v_j] : memref<16x32xf32>
// OUTER-NEXT:           %1 = arith.addf %0, %p : f32
// OUTER-NEXT:           tir.store %1, %C[%v_i, %v_j] : memref<16x32xf32>
// OUTER-NEXT:         }
// OUTER-NEXT:       }
// OUTER-NEXT:     }
// OUTER-NEXT:   }
// OUTER-NEXT:   func.return
// OUTER-NEXT: }

// ALL:      func.func @mm(
// ALL-NEXT:   tir.for %i_init in 16 {
// ALL-NEXT:     tir.for %j_init in 32 {
// ALL-NEXT:       tir.block "C_init" (spatial %v_i in 16 = %i_init, spatial %v_j in 32 = %j_init) do {
// ALL-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// ALL-NEXT:         tir.store %0, %C[%v_i, %v_j] : memref<16x32xf32>
// ALL-NEXT:       }
// ALL-NEXT:     }
// ALL-NEXT:   }
// ALL-NEXT:   tir.for %i in 16 {
// ALL-NEXT:     tir.for %j in 32 {
// ALL-NEXT:       tir.for %k in 8 {
// ALL-NEXT:         tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 32 = %j, reduce %v_k in 8 = %k) do {
// ALL-NEXT:           %a = tir.load %A[%v_i, %v_k] : memref<16x8xf32>
// ALL-NEXT:           %b = tir.load %B[%v_k, %v_j] : memref<8x32xf32>
// ALL-NEXT:           %p = arith.mulf %a, %b : f32
// ALL-NEXT:           %0 = tir.load %C[%v_i, %v_j] : memref<16x32xf32>
// ALL-NEXT:           %1 = arith.addf %0, %p : f32
// ALL-NEXT:           tir.store %1, %C[%v_i, %v_j] : memref<16x32xf32>
// ALL-NEXT:         }
// ALL-NEXT:       }
// ALL-NEXT:     }
// ALL-NEXT:   }
// ALL-NEXT:   func.return
// ALL-NEXT: }

// SPLIT:      func.func @sum(
// SPLIT-NEXT:   tir.for %i_o in 3 {
// SPLIT-NEXT:     tir.for %i_i_init in 4 {
// SPLIT-NEXT:       tir.block "S_init" (spatial %v_i in 10 = %i_o * 4 + %i_i_init) where (%i_o * 4 + %i_i_init < 10) do {
// SPLIT-NEXT:         %0 = arith.constant 0xff800000 : f32
// SPLIT-NEXT:         tir.store %0, %S[%v_i] : memref<10xf32>
// SPLIT-NEXT:       }
// SPLIT-NEXT:     }
// SPLIT-NEXT:     tir.for %i_i in 4 {
// SPLIT-NEXT:       tir.for %k_o in 3 {
// SPLIT-NEXT:         tir.for %k_i in 4 {
// SPLIT-NEXT:           tir.block "S" (spatial %v_i in 10 = %i_o * 4 + %i_i, reduce %v_k in 10 = %k_o * 4 + %k_i) where (%k_o * 4 + %k_i < 10, %i_o * 4 + %i_i < 10) do {
// SPLIT-NEXT:             %a = tir.load %A[%v_i, %v_k] : memref<10x10xf32>
// SPLIT-NEXT:             %0 = tir.load %S[%v_i] : memref<10xf32>
// SPLIT-NEXT:             %1 = arith.maximumf %0, %a : f32
// SPLIT-NEXT:             tir.store %1, %S[%v_i] : memref<10xf32>
// SPLIT-NEXT:           }
// SPLIT-NEXT:         }
// SPLIT-NEXT:       }
// SPLIT-NEXT:     }
// SPLIT-NEXT:   }
// SPLIT-NEXT:   func.return
// SPLIT-NEXT: }

// RUN: kc-opt %s --decompose-reduction="func=no_loop block=S loop=i" | FileCheck %s --check-prefix=NOLOOP

// A reduction that no loop drives.
// NOLOOP-LABEL: func.func @no_loop
// NOLOOP-NEXT:    tir.for %i_init in 4 {
// NOLOOP:           tir.store %{{.*}}, %S[
// NOLOOP:         tir.for %i in 4 {
// NOLOOP-NEXT:      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 1 = 0) do {
func.func @no_loop(%A: memref<4xf32>, %S: memref<4xf32>) {
  tir.for %i in 4 {
    tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 1 = 0) init {
      %z = arith.constant 0.0 : f32
      tir.store %z, %S[%v_i] : memref<4xf32>
    } do {
      %a = tir.load %A[%v_i] : memref<4xf32>
      %s = tir.load %S[%v_i] : memref<4xf32>
      %t = arith.addf %s, %a : f32
      tir.store %t, %S[%v_i] : memref<4xf32>
    }
  }
  func.return
}
