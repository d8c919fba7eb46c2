// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%s: tensor<f32>, %t: tensor<?xf32>, %k: tensor<2xindex>) {
  %0 = tensor.expand_shape %s [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %1 = tensor.collapse_shape %0 [] : tensor<1x1xf32> into tensor<f32>
  %2 = tensor.reshape %t(%k) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %3 = tensor.rank %t : tensor<?xf32>
  %4 = tensor.bitcast %t : tensor<?xf32> to tensor<?xi32>
  return
}

// CHECK: func.func @f(%s: tensor<f32>, %t: tensor<?xf32>, %k: tensor<2xindex>) {
// CHECK: %{{.*}} = tensor.expand_shape %s [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
// CHECK: %{{.*}} = tensor.collapse_shape %0 [] : tensor<1x1xf32> into tensor<f32>
// CHECK: %{{.*}} = tensor.reshape %t(%k) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
// CHECK: %{{.*}} = tensor.rank %t : tensor<?xf32>
// CHECK: %{{.*}} = tensor.bitcast %t : tensor<?xf32> to tensor<?xi32>
