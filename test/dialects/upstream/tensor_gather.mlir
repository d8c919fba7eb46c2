// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%t: tensor<4x5xf32>, %k: tensor<3x1xindex>) {
  %0 = tensor.gather %t[%k] gather_dims([0]) : (tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<3x1x5xf32>
  %1 = tensor.gather %t[%k] gather_dims([1]) unique : (tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<3x4xf32>
  return
}

// CHECK: func.func @f(%t: tensor<4x5xf32>, %k: tensor<3x1xindex>) {
// CHECK: %{{.*}} = tensor.gather %t[%k] gather_dims([0]) : (tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<3x1x5xf32>
// CHECK: %{{.*}} = tensor.gather %t[%k] gather_dims([1]) unique : (tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<3x4xf32>
