// RUN: kc-opt %s --fast-math | FileCheck %s
// RUN: kc-opt %s --fast-math --fast-math | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: graph.fast_exp
// CHECK-NEXT: graph.fast_tanh
// CHECK-NEXT: graph.fast_erf
// CHECK-NEXT: graph.nn.fast_softmax({{.*}}) <axis = 0>
// CHECK-NEXT: graph.return
graph.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.exp(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.tanh(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.erf(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = graph.nn.softmax(%2) <axis = 0> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  graph.return %3 : tensor<4x4xf32>
}
// Only float32 has fast forms.
// CHECK-LABEL: @wide
// CHECK-NEXT: graph.exp
graph.func @wide(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = graph.exp(%x) : (tensor<4xf64>) -> tensor<4xf64>
  graph.return %0 : tensor<4xf64>
}
