// RUN: not kc-opt %s --split-input-file 2>&1 | FileCheck %s

// CHECK: tir.prefetch: 1 indices for a buffer of rank 2
func.func @f(%A: memref<64x64xf32>) {
  tir.prefetch %A[0] : memref<64x64xf32>
  func.return
}
