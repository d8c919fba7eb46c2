// RUN: kc-opt %s --infer-type | FileCheck %s
// RUN: kc-opt %s --infer-type | kc-opt --infer-type | FileCheck %s

// The weight follows from units, the bias from the product, the callee's types from the call.
// CHECK: graph.func @main(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
graph.func @main(%x: tensor<4x8xf32>, %w: !graph.unknown, %b: !graph.unknown) -> !graph.unknown {
  // CHECK: graph.nn.dense(%x, %w) <units = 16> : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %0 = graph.nn.dense(%x, %w) <units = 16> : (tensor<4x8xf32>, !graph.unknown) -> !graph.unknown
  %1 = graph.nn.bias_add(%0, %b) : (!graph.unknown, !graph.unknown) -> !graph.unknown
  // CHECK: graph.call @f(%1) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = graph.call @f(%1) : (!graph.unknown) -> !graph.unknown
  %c = graph.constant dense<true> : tensor<i1>
  // CHECK: graph.if %c -> tensor<4x16xf32>
  %3 = graph.if %c -> !graph.unknown {
    graph.yield %2 : !graph.unknown
  } else {
    %4 = graph.exp(%1) : (!graph.unknown) -> !graph.unknown
    graph.yield %4 : !graph.unknown
  }
  // CHECK: graph.fn (%y: tensor<4x16xf32>) -> tensor<4x16xf32>
  %g = graph.fn (%y: !graph.unknown) -> !graph.unknown {
    %q = graph.nn.relu(%y) : (!graph.unknown) -> !graph.unknown
    graph.return %q : !graph.unknown
  }
  %5 = graph.call_indirect %g(%3) : !graph.fn<(!graph.unknown) -> !graph.unknown>, (!graph.unknown) -> !graph.unknown
  graph.return %5 : !graph.unknown
}
// CHECK: graph.func private @f(%x: tensor<4x16xf32>) -> tensor<4x16xf32>
graph.func private @f(%x: !graph.unknown) -> !graph.unknown {
  %0 = graph.nn.softmax(%x) : (!graph.unknown) -> !graph.unknown
  graph.return %0 : !graph.unknown
}
// Names of sizes pass through.
// CHECK: graph.func @named(%x: tensor<?x8xf32, #graph.dims<"n", 8>>) -> tensor<?x16xf32, #graph.dims<"n", 16>>
graph.func @named(%x: tensor<?x8xf32, #graph.dims<"n", 8>>) -> !graph.unknown {
  %w = graph.constant dense<1.0> : tensor<16x8xf32>
  %0 = graph.nn.dense(%x, %w) : (tensor<?x8xf32, #graph.dims<"n", 8>>, tensor<16x8xf32>) -> !graph.unknown
  graph.return %0 : !graph.unknown
}
