// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// CHECK-LABEL: graph.func @main(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
graph.func @main(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  // CHECK: %0 = graph.nn.dense(%x, %w) : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %0 = graph.nn.dense(%x, %w) : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  // CHECK: graph.nn.bias_add(%0, %b) <axis = -1> : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %1 = graph.nn.bias_add(%0, %b) <axis = -1> : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  // CHECK: graph.constant dense<2.000000e+00> : tensor<f32>
  %c = graph.constant dense<2.0> : tensor<f32>
  %2 = graph.multiply(%1, %c) : (tensor<4x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  // CHECK: graph.tuple(%2, %1) : tensor<4x16xf32>, tensor<4x16xf32>
  %t = graph.tuple(%2, %1) : tensor<4x16xf32>, tensor<4x16xf32>
  // CHECK: graph.tuple_get_item %t[0] : tuple<tensor<4x16xf32>, tensor<4x16xf32>>
  %u = graph.tuple_get_item %t[0] : tuple<tensor<4x16xf32>, tensor<4x16xf32>>
  // CHECK: %v = graph.let "v" = %u : tensor<4x16xf32>
  %v = graph.let "v" = %u : tensor<4x16xf32>
  %d = graph.constant dense<true> : tensor<i1>
  // CHECK: graph.if %d -> tensor<4x16xf32> {
  // CHECK-NEXT: graph.yield %v : tensor<4x16xf32>
  // CHECK-NEXT: } else {
  %i = graph.if %d -> tensor<4x16xf32> {
    graph.yield %v : tensor<4x16xf32>
  } else {
    graph.yield %1 : tensor<4x16xf32>
  }
  // CHECK: graph.fn (%y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %f = graph.fn (%y: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %q = graph.add(%y, %v) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    graph.return %q : tensor<4x16xf32>
  }
  // CHECK: graph.call_indirect %f(%i) : !graph.fn<(tensor<4x16xf32>) -> tensor<4x16xf32>>, (tensor<4x16xf32>) -> tensor<4x16xf32>
  %g = graph.call_indirect %f(%i) : !graph.fn<(tensor<4x16xf32>) -> tensor<4x16xf32>>, (tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: graph.call @softmax(%g) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %s = graph.call @softmax(%g) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  graph.return %s : tensor<4x16xf32>
}

// CHECK: graph.func private @softmax(%x: tensor<4x16xf32> {kc.name = "x"}) -> tensor<4x16xf32> attributes {primitive}
graph.func private @softmax(%x: tensor<4x16xf32> {kc.name = "x"}) -> tensor<4x16xf32> attributes {primitive} {
  %0 = graph.nn.softmax(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  graph.return %0 : tensor<4x16xf32>
}

// Equal names are equal sizes.
// CHECK: @named(%x: tensor<?x8xf32, #graph.dims<"2 * n", 8>>)
graph.func @named(%x: tensor<?x8xf32, #graph.dims<"n + n", 8>>) -> tensor<?x8xf32, #graph.dims<"2 * n", 8>> {
  %0 = graph.add(%x, %x) : (tensor<?x8xf32, #graph.dims<"2 * n", 8>>, tensor<?x8xf32, #graph.dims<"n * 2", 8>>) -> tensor<?x8xf32, #graph.dims<"2 * n", 8>>
  graph.return %0 : tensor<?x8xf32, #graph.dims<"2 * n", 8>>
}
// CHECK: @loop
graph.func @loop(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: graph.while (%a = %x) -> tensor<f32> {
  %r = graph.while (%a = %x) -> tensor<f32> {
    %limit = graph.constant dense<10.0> : tensor<f32>
    %less = graph.less(%a, %limit) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    graph.yield %less : tensor<i1>
  // CHECK: } do (%b) {
  } do (%b) {
    %next = graph.add(%b, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    graph.yield %next : tensor<f32>
  }
  graph.return %r : tensor<f32>
}
