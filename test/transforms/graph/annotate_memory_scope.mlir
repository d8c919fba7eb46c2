// RUN: kc-opt %s --annotate-memory-scope="scopes=nn.conv2d:global.texture" | FileCheck %s
// RUN: kc-opt %s --annotate-memory-scope="scopes=nn.conv2d:global.texture" --annotate-memory-scope="scopes=nn.conv2d:global.texture" | FileCheck %s
// RUN: not kc-opt %s --annotate-memory-scope="scopes=nn.conv2:global.texture" 2>&1 | FileCheck %s --check-prefix=BAD

// BAD: error[KC2404]: annotate-memory-scope: 'nn.conv2:global.texture' is no operator with a scope

// What is given back, and what an operator outside of the table reads, is in the usual memory.
// CHECK-LABEL: @main
// CHECK-NEXT: graph.nn.conv2d(%x, %w) : (
// CHECK-NEXT: [[R:%.*]] = graph.nn.relu({{.*}}) {memory_scope = "global.texture"}
// CHECK-NEXT: graph.nn.conv2d([[R]], %w) : (
// CHECK-NEXT: graph.exp({{.*}}) : (
graph.func @main(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> {
  %0 = graph.nn.conv2d(%x, %w) : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.nn.relu(%0) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = graph.nn.conv2d(%1, %w) : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = graph.exp(%2) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  graph.return %3 : tensor<1x2x4x4xf32>
}
