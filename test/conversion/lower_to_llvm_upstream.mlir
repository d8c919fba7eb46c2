// Functions of linalg, affine and tensor are raised first, in a stage of its own; others are not.
// RUN: kc-opt %s --lower-to-llvm --mlir-timing 2>%t.timing | FileCheck %s
// RUN: FileCheck %s --check-prefix=STAGES --input-file=%t.timing
// RUN: kc-opt %s --lower-to-c --mlir-timing 2>&1 >%t.c | FileCheck %s --check-prefix=STAGES
// RUN: kc-opt %S/lower_to_llvm.mlir --lower-to-llvm --mlir-timing 2>&1 >%t.te | FileCheck %s --check-prefix=NONE

// STAGES: raise-to-tir
// STAGES: convert-te-to-tir
// NONE-NOT: raise-to-tir

// CHECK-LABEL: llvm.func @mm(
// CHECK-NOT:   {{ (linalg|tensor|tir|scf|memref|arith|func)\.}}
// CHECK:         llvm.fmul
// CHECK:         llvm.fadd
func.func @mm(%A: tensor<16x8xf32>, %B: tensor<8x16xf32>, %C: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = linalg.matmul ins(%A, %B : tensor<16x8xf32>, tensor<8x16xf32>) outs(%C : tensor<16x16xf32>) -> tensor<16x16xf32>
  func.return %0 : tensor<16x16xf32>
}

// CHECK-LABEL: llvm.func @twice(
// CHECK-NOT:   {{ (affine|tir|scf|memref|arith|func)\.}}
// CHECK:         llvm.fadd
func.func @twice(%A: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<64xf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %A[%i] : memref<64xf32>
  }
  func.return
}
