// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%t: tensor<?x4xf32>, %n: index, %z: f32) {
  %0 = tensor.pad %t low[0, 1] high[0, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x4xf32> to tensor<8x8xf32>
  %1 = tensor.pad %t nofold low[%n, 1] high[2, 3] {
  ^bb0(%k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<?x4xf32> to tensor<?x8xf32>
  return
}

// CHECK: func.func @f(%t: tensor<?x4xf32>, %n: index, %z: f32) {
// CHECK: %{{.*}} = tensor.pad %t low[0, 1] high[0, 3] {
// CHECK: ^bb0(%i: index, %j: index):
// CHECK: tensor.yield %z : f32
// CHECK: } : tensor<?x4xf32> to tensor<8x8xf32>
// CHECK: %{{.*}} = tensor.pad %t nofold low[%n, 1] high[2, 3] {
// CHECK: ^bb0(%k: index, %l: index):
// CHECK: tensor.yield %z : f32
// CHECK: } : tensor<?x4xf32> to tensor<?x8xf32>
