// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

ml_program.global private @table(dense<[1.0, 2.0]> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @seed : tensor<i64>
func.func @f(%x: tensor<i64>) {
  %0 = ml_program.global_load_const @table : tensor<2xf32>
  %1 = ml_program.global_load @seed : tensor<i64>
  ml_program.global_store @seed = %x : tensor<i64>
  return
}

// CHECK: %0 = ml_program.global_load_const @table : tensor<2xf32>
// CHECK: %1 = ml_program.global_load @seed : tensor<i64>
// CHECK: ml_program.global_store @seed = %x : tensor<i64>
