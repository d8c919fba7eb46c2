// C is computed where B stores: with the producer's loops and name, at the elements that it makes.
// RUN: kc-opt %s --reverse-compute-inline="func=transpose block=C" \
// RUN:   | FileCheck %s --check-prefix=TRANSPOSE
// RUN: kc-opt %s --split="func=others block=B loop=b factors=?,4" --parallel="func=others block=B loop=b_o" --reverse-compute-inline="func=others block=C" \
// RUN:   | FileCheck %s --check-prefix=OTHERS

te.func @transpose(%A: tensor<16x8xf32>) -> tensor<8x16xf32> {
  %B = te.compute "B" [%i = 16, %j = 8] {
    %a = te.read %A[15 - %i, %j] : tensor<16x8xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<16x8xf32>
  %C = te.compute "C" [%i = 8, %j = 16] {
    %x = te.read %B[%j, %i] : tensor<16x8xf32>
    %c = arith.mulf %x, %x : f32
    te.yield %c : f32
  } : tensor<8x16xf32>
  te.return %C : tensor<8x16xf32>
}

// The consumer reads an argument too; its buffer is allocated earlier.
te.func @others(%A: tensor<?xf32> {kc.shape = affine_map<()[n] -> (n)>}, %W: tensor<?xf32>
    {kc.shape = affine_map<()[n] -> (n)>}) -> tensor<1xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%b = %n] {
    %a = te.read %A[%b] : tensor<?xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  %C = te.compute "C" [%c = %n] {
    %x = te.read %B[%c] : tensor<?xf32>
    %w = te.read %W[%c] : tensor<?xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } : tensor<?xf32>
  %S = te.compute "S" [%s = 1] reduce sum [%k = %n] {
    %x = te.read %C[%k] : tensor<?xf32>
    te.yield %x : f32
  } : tensor<1xf32>
  te.return %S : tensor<1xf32>
}

// TRANSPOSE:      func.func @transpose(
// TRANSPOSE-NEXT:   tir.for %i in 16 {
// TRANSPOSE-NEXT:     tir.for %j in 8 {
// TRANSPOSE-NEXT:       tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
// TRANSPOSE-NEXT:         %a = tir.load %A[%v_i * -1 + 15, %v_j] : memref<16x8xf32>
// TRANSPOSE-NEXT:         %b = arith.addf %a, %a : f32
// TRANSPOSE-NEXT:         %c = arith.mulf %b, %b : f32
// TRANSPOSE-NEXT:         tir.store %c, %C[%v_j, %v_i] : memref<8x16xf32>
// TRANSPOSE-NEXT:       }
// TRANSPOSE-NEXT:     }
// TRANSPOSE-NEXT:   }
// TRANSPOSE-NEXT:   func.return
// TRANSPOSE-NEXT: }

// OTHERS:      func.func @others(
// OTHERS-NEXT:   %n = tir.symbol "n"
// OTHERS-NEXT:   %b_size = tir.apply (%n ceildiv 4)
// OTHERS-NEXT:   %C = tir.alloc "C" (%n) : memref<?xf32>
// OTHERS-NEXT:   tir.for %b_o in %b_size parallel {
// OTHERS-NEXT:     tir.for %b_i in 4 {
// OTHERS-NEXT:       tir.block "B" (spatial %v_b in %n = %b_o * 4 + %b_i) where (%b_o * 4 + %b_i < %n) do {
// OTHERS-NEXT:         %a = tir.load %A[%v_b] : memref<?xf32>
// OTHERS-NEXT:         %w = tir.load %W[%v_b] : memref<?xf32>
// OTHERS-NEXT:         %p = arith.mulf %a, %w : f32
// OTHERS-NEXT:         tir.store %p, %C[%v_b] : memref<?xf32>
// OTHERS-NEXT:       }
// OTHERS-NEXT:     }
// OTHERS-NEXT:   }
// OTHERS-NEXT:   tir.for %s in 1 {
// OTHERS-NEXT:     tir.for %k in %n {
// OTHERS-NEXT:       tir.block "S" (spatial %v_s in 1 = %s, reduce %v_k in %n = %k) init {
// OTHERS-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// OTHERS-NEXT:         tir.store %0, %S[%v_s] : memref<1xf32>
// OTHERS-NEXT:       } do {
// OTHERS-NEXT:         %x = tir.load %C[%v_k] : memref<?xf32>
// OTHERS-NEXT:         %1 = tir.load %S[%v_s] : memref<1xf32>
// OTHERS-NEXT:         %2 = arith.addf %1, %x : f32
// OTHERS-NEXT:         tir.store %2, %S[%v_s] : memref<1xf32>
// OTHERS-NEXT:       }
// OTHERS-NEXT:     }
// OTHERS-NEXT:   }
// OTHERS-NEXT:   func.return
// OTHERS-NEXT: }
