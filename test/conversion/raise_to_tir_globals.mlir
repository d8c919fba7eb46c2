// A global that a function uses becomes one of memref; one that nothing uses goes.
// RUN: kc-opt %s --split-input-file --raise-to-tir | FileCheck %s

// CHECK: memref.global "private" constant @n : memref<i64> = dense<4>
// CHECK-LABEL: func.func @uses
// CHECK: memref.get_global @n : memref<i64>
// CHECK-NOT: ml_program
module {
  ml_program.global private @n(4 : i64) : i64
  func.func @raised(%A: tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.add ins(%A, %A : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @uses() -> i64 {
    %0 = ml_program.global_load_const @n : i64
    return %0 : i64
  }
}

// -----

// CHECK-NOT: ml_program.global
// CHECK-LABEL: func.func @alone
// CHECK-NOT: ml_program.global
module {
  ml_program.global private @n(4 : i64) : i64
  func.func @alone(%A: tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.add ins(%A, %A : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
