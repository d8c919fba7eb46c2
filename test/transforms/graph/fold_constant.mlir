// RUN: kc-opt %s --fold-constant | FileCheck %s
// RUN: kc-opt %s --fold-constant | kc-opt --fold-constant | FileCheck %s

// CHECK-LABEL: graph.func @main
// CHECK-NEXT: %[[E:.*]] = graph.constant dense<7.000000e+00> : tensor<f32>
// CHECK-NEXT: graph.multiply(%x, %[[E]])
// CHECK-NEXT: graph.return
graph.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.constant dense<14.0> : tensor<f32>
  %b = graph.constant dense<2.0> : tensor<f32>
  %e = graph.divide(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %y = graph.multiply(%x, %e) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
