// A loop of one iteration is put around a block, or a loop.
// RUN: kc-opt %s --add-unit-loop="block=B" --add-unit-loop="block=B loop=i" --add-unit-loop="block=C" | FileCheck %s --check-prefix=ALL

te.func @two(%A: tensor<6x4xf32>) -> tensor<4xf32> {
  %B = te.compute "B" [%i = 6, %j = 4] {
    %a = te.read %A[%i, %j] : tensor<6x4xf32>
    te.yield %a : f32
  } : tensor<6x4xf32>
  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
    %x = te.read %B[%k, %i] : tensor<6x4xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// ALL:      func.func @two(
// ALL-NEXT:   %B = tir.alloc "B" : memref<6x4xf32>
// ALL-NEXT:   tir.for %u_1 in 1 {
// ALL-NEXT:     tir.for %i in 6 {
// ALL-NEXT:       tir.for %j in 4 {
// ALL-NEXT:         tir.for %u in 1 {
// ALL-NEXT:           tir.block "B" (spatial %v_i in 6 = %i, spatial %v_j in 4 = %j) do {
// ALL-NEXT:             %a = tir.load %A[%v_i, %v_j] : memref<6x4xf32>
// ALL-NEXT:             tir.store %a, %B[%v_i, %v_j] : memref<6x4xf32>
// ALL-NEXT:           }
// ALL-NEXT:         }
// ALL-NEXT:       }
// ALL-NEXT:     }
// ALL-NEXT:   }
// ALL-NEXT:   tir.for %i_1 "i" in 4 {
// ALL-NEXT:     tir.for %k in 6 {
// ALL-NEXT:       tir.for %u_2 "u" in 1 {
// ALL-NEXT:         tir.block "C" (spatial %v_i in 4 = %i_1, reduce %v_k in 6 = %k) init {
// ALL-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// ALL-NEXT:           tir.store %0, %C[%v_i] : memref<4xf32>
// ALL-NEXT:         } do {
// ALL-NEXT:           %x = tir.load %B[%v_k, %v_i] : memref<6x4xf32>
// ALL-NEXT:           %1 = tir.load %C[%v_i] : memref<4xf32>
// ALL-NEXT:           %2 = arith.addf %1, %x : f32
// ALL-NEXT:           tir.store %2, %C[%v_i] : memref<4xf32>
// ALL-NEXT:         }
// ALL-NEXT:       }
// ALL-NEXT:     }
// ALL-NEXT:   }
// ALL-NEXT:   func.return
// ALL-NEXT: }
