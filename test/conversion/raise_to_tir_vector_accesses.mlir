// RUN: kc-opt %s --raise-to-tir | FileCheck %s
// Accesses of vectors by affine maps become those of vector; a prefetch computes nothing.

func.func @f(%A: memref<4x16xf32>, %B: memref<16xf32>) {
  affine.for %i = 0 to 13 step 4 {
    affine.prefetch %A[2, %i + 4], read, locality<3>, data : memref<4x16xf32>
    %v = affine.vector_load %A[1, %i] : memref<4x16xf32>, vector<4xf32>
    affine.vector_store %v, %B[-%i + 12] : memref<16xf32>, vector<4xf32>
  }
  return
}

// CHECK: tir.for %i in 4 {
// CHECK-NEXT: %i_1 = tir.apply (%i * 4)
// CHECK-NOT: prefetch
// CHECK: %v = vector.load %A[%{{.*}}, %i_1] : memref<4x16xf32>, vector<4xf32>
// CHECK: [[AT:%.*]] = tir.apply (%i_1 * -1 + 12)
// CHECK: vector.store %v, %B{{\[}}[[AT]]] : memref<16xf32>, vector<4xf32>
