// RUN: kc-opt %s --choose-vector-form --target="llvm -mcpu=znver4" | FileCheck %s --check-prefix=VECTORS
// RUN: kc-opt %s --choose-vector-form --target=c | FileCheck %s --check-prefix=SCALARS
// RUN: kc-opt %s --choose-vector-form --target="llvm -mtriple=riscv64-linux-gnu" | FileCheck %s --check-prefix=SCALARS
// RUN: kc-opt %s --auto-schedule --target=c | FileCheck %s --check-prefix=SCALARS
// RUN: kc-opt %s --apply-schedule=%S/Inputs/no_steps.mlir --target=c | FileCheck %s --check-prefix=SCALARS

// A program asks whether the target takes vectors; one of its forms is left.

// VECTORS-LABEL: func.func @main
// VECTORS-NOT: takes_vectors
// VECTORS-NOT: tir.if
// VECTORS: tir.load %A[0] : memref<4xf32>, vector<4xf32>
// VECTORS-NOT: mulf

// SCALARS-LABEL: func.func @main
// SCALARS-NOT: takes_vectors
// SCALARS-NOT: vector
// SCALARS: mulf
func.func @main(%A: memref<4xf32> {kc.role = "in"}, %B: memref<4xf32> {kc.role = "out"}) {
  %asked = tir.call_extern packed "kc.takes_vectors"() : () -> i32
  %one = arith.constant 1 : i32
  %equal = arith.cmpi eq, %asked, %one : i32
  %wide = arith.extui %equal : i1 to i64
  %takes = arith.index_cast %wide : i64 to index
  tir.if (%takes == 1) {
    %a = tir.load %A[0] : memref<4xf32>, vector<4xf32>
    %sum = arith.addf %a, %a : vector<4xf32>
    tir.store %sum, %B[0] : memref<4xf32>, vector<4xf32>
  } else {
    tir.for %i in 4 {
      %a = tir.load %A[%i] : memref<4xf32>
      %product = arith.mulf %a, %a : f32
      tir.store %product, %B[%i] : memref<4xf32>
    }
  }
  func.return
}
