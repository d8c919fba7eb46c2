// The distance between elements is kept with the buffer; the last word for an axis counts.
// RUN: kc-opt %s --storage-align="block=B buffer=B axis=-2 factor=32 offset=1" | FileCheck %s --check-prefix=ONE
// RUN: kc-opt %s --storage-align="block=B buffer=B axis=0 factor=32 offset=1" --storage-align="block=B buffer=0 axis=1 factor=2" \
// RUN:   --storage-align="block=B buffer=0 axis=0 factor=8" | FileCheck %s --check-prefix=TWO

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

// ONE:      func.func @two(
// ONE-NEXT:   %B = tir.alloc "B" {tir.storage_align = [array<i64: 0, 32, 1>]} : memref<6x4xf32>
// ONE-NEXT:   tir.for %i in 6 {
// ONE-NEXT:     tir.for %j in 4 {
// ONE-NEXT:       tir.block "B" (spatial %v_i in 6 = %i, spatial %v_j in 4 = %j) do {
// ONE-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<6x4xf32>
// ONE-NEXT:         tir.store %a, %B[%v_i, %v_j] : memref<6x4xf32>
// ONE-NEXT:       }
// ONE-NEXT:     }
// ONE-NEXT:   }
// ONE-NEXT:   tir.for %i_1 "i" in 4 {
// ONE-NEXT:     tir.for %k in 6 {
// ONE-NEXT:       tir.block "C" (spatial %v_i in 4 = %i_1, reduce %v_k in 6 = %k) init {
// ONE-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// ONE-NEXT:         tir.store %0, %C[%v_i] : memref<4xf32>
// ONE-NEXT:       } do {
// ONE-NEXT:         %x = tir.load %B[%v_k, %v_i] : memref<6x4xf32>
// ONE-NEXT:         %1 = tir.load %C[%v_i] : memref<4xf32>
// ONE-NEXT:         %2 = arith.addf %1, %x : f32
// ONE-NEXT:         tir.store %2, %C[%v_i] : memref<4xf32>
// ONE-NEXT:       }
// ONE-NEXT:     }
// ONE-NEXT:   }
// ONE-NEXT:   func.return
// ONE-NEXT: }

// TWO:      func.func @two(
// TWO-NEXT:   %B = tir.alloc "B" {tir.storage_align = [array<i64: 1, 2, 0>, array<i64: 0, 8, 0>]} : memref<6x4xf32>
// TWO-NEXT:   tir.for %i in 6 {
// TWO-NEXT:     tir.for %j in 4 {
// TWO-NEXT:       tir.block "B" (spatial %v_i in 6 = %i, spatial %v_j in 4 = %j) do {
// TWO-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<6x4xf32>
// TWO-NEXT:         tir.store %a, %B[%v_i, %v_j] : memref<6x4xf32>
// TWO-NEXT:       }
// TWO-NEXT:     }
// TWO-NEXT:   }
// TWO-NEXT:   tir.for %i_1 "i" in 4 {
// TWO-NEXT:     tir.for %k in 6 {
// TWO-NEXT:       tir.block "C" (spatial %v_i in 4 = %i_1, reduce %v_k in 6 = %k) init {
// TWO-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// TWO-NEXT:         tir.store %0, %C[%v_i] : memref<4xf32>
// TWO-NEXT:       } do {
// TWO-NEXT:         %x = tir.load %B[%v_k, %v_i] : memref<6x4xf32>
// TWO-NEXT:         %1 = tir.load %C[%v_i] : memref<4xf32>
// TWO-NEXT:         %2 = arith.addf %1, %x : f32
// TWO-NEXT:         tir.store %2, %C[%v_i] : memref<4xf32>
// TWO-NEXT:       }
// TWO-NEXT:     }
// TWO-NEXT:   }
// TWO-NEXT:   func.return
// TWO-NEXT: }
