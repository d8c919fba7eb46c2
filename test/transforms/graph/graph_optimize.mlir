// RUN: kc-opt %s --graph-optimize | FileCheck %s
// RUN: kc-opt %s --graph-optimize --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=STAGES

// The parameters of batch_norm fold to numbers, and what is left is one group.
// CHECK: graph.func @main
// CHECK-NOT: graph.nn.batch_norm
// CHECK: graph.call @fused_
// CHECK-NEXT: graph.return
// CHECK: graph.func private @fused_

// STAGES: simplify-inference
// STAGES: fold-constant
// STAGES: fuse-ops
graph.func @main(%x: tensor<2x2x3xf32>) -> tensor<2x2x3xf32> {
  %p = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = graph.nn.batch_norm(%x, %p, %p, %p, %p) : (tensor<2x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tuple<tensor<2x2x3xf32>, tensor<2xf32>, tensor<2xf32>>
  %1 = graph.tuple_get_item %0[0] : tuple<tensor<2x2x3xf32>, tensor<2xf32>, tensor<2xf32>>
  %2 = graph.nn.relu(%1) : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  graph.return %2 : tensor<2x2x3xf32>
}
