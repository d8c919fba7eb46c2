// RUN: kc-opt %s --skip-vectorize | FileCheck %s

// Loops of other kinds stay what they are.

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    tir.for %i in 4 parallel {
// CHECK-NEXT:      tir.for %j in 8 {
// CHECK-NEXT:        tir.for %u in 2 unrolled {
// CHECK-NEXT:          tir.for %k in 4 {
// CHECK-NEXT:            tir.block "B"
// CHECK-NOT:   vector
func.func @f(%A: memref<4x8x2x4xf32>, %B: memref<4x8x2x4xf32>) {
  tir.for %i in 4 parallel {
    tir.for %j in 8 vectorized {
      tir.for %u in 2 unrolled {
        tir.for %k in 4 {
          tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j, spatial %v_u in 2 = %u,
                         spatial %v_k in 4 = %k) do {
            %a = tir.load %A[%v_i, %v_j, %v_u, %v_k] : memref<4x8x2x4xf32>
            tir.store %a, %B[%v_i, %v_j, %v_u, %v_k] : memref<4x8x2x4xf32>
          }
        }
      }
    }
  }
  func.return
}
