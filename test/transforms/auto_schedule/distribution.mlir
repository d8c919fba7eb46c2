// RUN: kc-opt %s --auto-schedule --target="llvm -mcpu=x86-64-v3 -num-cores=1" | FileCheck %s

// The product gets loops of its own, in which rows are added eight at a time to vectors.
// CHECK-LABEL: func.func @product
// CHECK:         tir.for %i in 64 {
// CHECK-NEXT:      tir.for %j in 64 vectorized {
// CHECK-NEXT:        tir.block "C"
// CHECK:         tir.for %i_d in 64 {
// CHECK:           tir.for %k_i in 8 unrolled {
// CHECK-NEXT:        tir.for %j_i in 32 vectorized {
// CHECK-NEXT:          tir.block "C_1"
func.func @product(%beta: f32, %A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %c = affine.load %C[%i, %j] : memref<64x64xf32>
      %scaled = arith.mulf %c, %beta : f32
      affine.store %scaled, %C[%i, %j] : memref<64x64xf32>
    }
    affine.for %k = 0 to 64 {
      affine.for %j = 0 to 64 {
        %a = affine.load %A[%i, %k] : memref<64x64xf32>
        %b = affine.load %B[%k, %j] : memref<64x64xf32>
        %p = arith.mulf %a, %b : f32
        %c = affine.load %C[%i, %j] : memref<64x64xf32>
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// A row of A is read once for both sums.
// CHECK-LABEL: func.func @two_sums
// CHECK:         tir.for %i in 64 {
// CHECK-NEXT:      tir.for %j in 64 vectorized {
// CHECK-NEXT:        tir.block "s"
// CHECK:           tir.for %j_d in 64 vectorized {
// CHECK-NEXT:        tir.block "q"
func.func @two_sums(%A: memref<64x64xf32>, %r: memref<64xf32>, %p: memref<64xf32>,
    %s: memref<64xf32>, %q: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %a = affine.load %A[%i, %j] : memref<64x64xf32>
      %x = affine.load %r[%i] : memref<64xf32>
      %0 = arith.mulf %a, %x : f32
      %1 = affine.load %s[%j] : memref<64xf32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %s[%j] : memref<64xf32>
      %again = affine.load %A[%i, %j] : memref<64x64xf32>
      %y = affine.load %p[%j] : memref<64xf32>
      %3 = arith.mulf %again, %y : f32
      %4 = affine.load %q[%i] : memref<64xf32>
      %5 = arith.addf %4, %3 : f32
      affine.store %5, %q[%i] : memref<64xf32>
    }
  }
  func.return
}
