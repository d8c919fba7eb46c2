// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%s: tensor<3x1x5xf32>, %u: tensor<3x4xf32>, %t: tensor<4x5xf32>, %k: tensor<3x1xindex>) {
  %0 = tensor.scatter %s into %t[%k] scatter_dims([0]) unique : (tensor<3x1x5xf32>, tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<4x5xf32>
  %1 = tensor.scatter %u into %t[%k] scatter_dims([1]) unique {kept} : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<4x5xf32>
  return
}

// CHECK: %{{.*}} = tensor.scatter %s into %t[%k] scatter_dims([0]) unique : (tensor<3x1x5xf32>, tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<4x5xf32>
// CHECK: %{{.*}} = tensor.scatter %u into %t[%k] scatter_dims([1]) unique {kept} : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<4x5xf32>
