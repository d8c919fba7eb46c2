// RUN: kc-opt %s --fuse-ops=report=true 2>&1 | FileCheck %s

// CHECK: KC2413
// CHECK-SAME: the groups of @main
// CHECK: group 0: exp, sum
// CHECK-NEXT: ends with sum: it is a reduction: nothing is fused after it
// CHECK: group 1: negative
// CHECK: graph.call @fused_exp_sum
graph.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = graph.exp(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.sum(%0) <axis = [1]> : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = graph.negative(%1) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %2 : tensor<4xf32>
}
