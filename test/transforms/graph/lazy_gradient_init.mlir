// RUN: kc-opt %s --lazy-gradient-init | FileCheck %s
// RUN: kc-opt %s --lazy-gradient-init --lazy-gradient-init | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: [[R:%.*]] = graph.tuple(%y, %y)
// CHECK-NEXT: graph.return [[R]]
graph.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %0 = graph.zeros_like(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.add(%0, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.ones_like(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.multiply(%1, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.constant dense<0.0> : tensor<f32>
  %5 = graph.multiply(%3, %4) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = graph.subtract(%y, %5) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = graph.tuple(%3, %6) : tensor<4xf32>, tensor<4xf32>
  graph.return %7 : tuple<tensor<4xf32>, tensor<4xf32>>
}

// A sum that is broadcast stays; the product of matrices with zeros is zeros.
// CHECK-LABEL: @shapes
// CHECK: graph.add(%x, %{{.*}}) : (tensor<4xf32>, tensor<2x4xf32>)
// CHECK: graph.zeros() <shape = [2, 2], dtype = "float32">
// CHECK-NOT: graph.nn.dense
// CHECK: graph.return
graph.func @shapes(%x: tensor<4xf32>, %y: tensor<2x4xf32>) -> tuple<tensor<2x4xf32>, tensor<2x2xf32>> {
  %0 = graph.zeros() <shape = [2, 4], dtype = "float32"> : () -> tensor<2x4xf32>
  %1 = graph.add(%x, %0) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = graph.nn.dense(%y, %0) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
  %3 = graph.tuple(%1, %2) : tensor<2x4xf32>, tensor<2x2xf32>
  graph.return %3 : tuple<tensor<2x4xf32>, tensor<2x2xf32>>
}
