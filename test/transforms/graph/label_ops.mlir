// RUN: kc-opt %s --label-ops | FileCheck %s
// RUN: kc-opt %s --label-ops --label-ops | FileCheck %s

// Equal kernels have one label, whatever their names; only kernels have labels.
// CHECK: @main({{.*}}) -> tensor<4xf32> {
// CHECK: @a({{.*}} hash = "[[A:[0-9a-f]+]]"
// CHECK: @b({{.*}} hash = "[[A]]"
// CHECK-NOT: hash = "[[A]]"
// CHECK: @c({{.*}} hash =
graph.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.call @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.call @b(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.call @c(%1) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %2 : tensor<4xf32>
}
graph.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> attributes {primitive} {
  %y = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
graph.func private @b(%other: tensor<4xf32> {kc.name = "w"}) -> tensor<4xf32> attributes {primitive} {
  %named = graph.exp(%other) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %named : tensor<4xf32>
}
graph.func private @c(%x: tensor<4xf32>) -> tensor<4xf32> attributes {primitive} {
  %0 = graph.abs(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
