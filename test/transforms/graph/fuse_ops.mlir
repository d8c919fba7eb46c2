// RUN: kc-opt %s --fuse-ops | FileCheck %s
// RUN: kc-opt %s --fuse-ops=fuse_opt_level=0 | FileCheck %s --check-prefix=ALONE

// A product takes its elementwise tail; a softmax ends the group before it and takes the sum after it.
// CHECK-LABEL: graph.func @main
// CHECK-NEXT: %0 = graph.call @fused_nn_dense_nn_bias_add_nn_relu_multiply(%x, %w, %b)
// CHECK-NEXT: %1 = graph.call @fused_nn_softmax(%0)
// CHECK-NEXT: %2 = graph.call @fused_nn_softmax_add_add(%1)
// CHECK-NEXT: graph.return %2
// ALONE-LABEL: graph.func @main
// ALONE: graph.call @fused_nn_dense(%x, %w)
// ALONE: graph.call @fused_nn_bias_add(
// ALONE: graph.call @fused_nn_relu(
graph.func @main(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = graph.nn.dense(%x, %w) : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %1 = graph.nn.bias_add(%0, %b) : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = graph.nn.relu(%1) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %c = graph.constant dense<2.0> : tensor<f32>
  %3 = graph.multiply(%2, %c) : (tensor<4x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  %4 = graph.nn.softmax(%3) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %5 = graph.nn.softmax(%4) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %6 = graph.add(%4, %c) : (tensor<4x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  %7 = graph.add(%5, %6) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  graph.return %7 : tensor<4x16xf32>
}

// Equal groups are one function; a value that is returned too is a group of its own.
// CHECK-LABEL: graph.func @equal
// CHECK: %[[A:.*]] = graph.call @fused_exp(%x)
// CHECK: %[[B:.*]] = graph.call @fused_exp(%[[A]])
// CHECK: graph.tuple(%[[A]], %[[B]])
graph.func @equal(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.exp(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.tuple(%0, %1) : tensor<4xf32>, tensor<4xf32>
  graph.return %2 : tuple<tensor<4xf32>, tensor<4xf32>>
}
// Nothing is fused into or out of a region.
// CHECK-LABEL: graph.func @branches
// CHECK: %[[E:.*]] = graph.call @fused_exp
// CHECK: graph.if
// CHECK: graph.call @fused_log_negative(%[[E]])
graph.func @branches(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.if %c -> tensor<4xf32> {
    %2 = graph.log(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = graph.negative(%2) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %3 : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  graph.return %1 : tensor<4xf32>
}

// The groups follow, each once.
// CHECK: graph.func private @fused_nn_dense_nn_bias_add_nn_relu_multiply(%p0: tensor<4x8xf32>, %p1: tensor<16x8xf32>, %p2: tensor<16xf32>) -> tensor<4x16xf32> attributes {primitive}
// CHECK: graph.constant dense<2.000000e+00> : tensor<f32>
// CHECK: graph.func private @fused_nn_softmax(
// CHECK: graph.func private @fused_nn_softmax_add_add(%p0: tensor<4x16xf32>)
// CHECK: graph.func private @fused_exp(
// CHECK-NOT: graph.func private @fused_exp
