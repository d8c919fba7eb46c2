// RUN: kc-opt %s --auto-schedule --target="llvm -mcpu=x86-64-v3 -num-cores=1" | FileCheck %s

// The steps in time stay in order; what is in one is a vector.
// CHECK-LABEL: func.func @stencil
// CHECK:         tir.for %t in 4 {
// CHECK-NEXT:      tir.for %i in 62 vectorized {
// CHECK-NEXT:        tir.block "B"
// CHECK:           tir.for %i_1 "i" in 62 vectorized {
// CHECK-NEXT:        tir.block "A"
func.func @stencil(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %t = 0 to 4 {
    affine.for %i = 1 to 63 {
      %a = affine.load %A[%i - 1] : memref<64xf32>
      %b = affine.load %A[%i + 1] : memref<64xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %B[%i] : memref<64xf32>
    }
    affine.for %i = 1 to 63 {
      %a = affine.load %B[%i - 1] : memref<64xf32>
      %b = affine.load %B[%i + 1] : memref<64xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %A[%i] : memref<64xf32>
    }
  }
  func.return
}

// A recurrence along the rows: the other loop goes inside.
// CHECK-LABEL: func.func @recurrence
// CHECK:         tir.for %j in 63 {
// CHECK-NEXT:      tir.for %i in 64 vectorized {
// CHECK-NEXT:        tir.block "A"
func.func @recurrence(%A: memref<64x64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 1 to 64 {
      %a = affine.load %A[%j - 1, %i] : memref<64x64xf32>
      %b = affine.load %A[%j, %i] : memref<64x64xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %A[%j, %i] : memref<64x64xf32>
    }
  }
  func.return
}

// What nothing can be done about stays as it is.
// CHECK-LABEL: func.func @seidel
// CHECK:         tir.for %i in 62 {
// CHECK-NEXT:      tir.for %j in 62 {
// CHECK-NEXT:        tir.block "A"
func.func @seidel(%A: memref<64x64xf32>) {
  affine.for %i = 1 to 63 {
    affine.for %j = 1 to 63 {
      %a = affine.load %A[%i - 1, %j + 1] : memref<64x64xf32>
      %b = affine.load %A[%i, %j - 1] : memref<64x64xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %A[%i, %j] : memref<64x64xf32>
    }
  }
  func.return
}
