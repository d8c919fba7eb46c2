// The size of dimensions that are collapsed, of which one is constant, whichever comes first.
// RUN: kc-opt %s --raise-to-tir | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK: %[[ROWS:[a-z0-9_]+]] = tir.apply (%{{.*}} * 4)
// CHECK: tir.for %{{.*}} in %[[ROWS]] {
// CHECK: tir.block "a"
// CHECK: %[[COLUMNS:[a-z0-9_]+]] = tir.apply (%{{.*}} * 4)
// CHECK: tir.for %{{.*}} in %[[COLUMNS]] {
// CHECK: tir.block "b"
func.func @f(%A: tensor<?x4xf32>, %B: tensor<4x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = tensor.collapse_shape %A [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %b = tensor.collapse_shape %B [[0, 1]] : tensor<4x?xf32> into tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
