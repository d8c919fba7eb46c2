// RUN: kc-opt %s --defuse-ops | FileCheck %s
// RUN: kc-opt %s --defuse-ops --defuse-ops | FileCheck %s

// Groups are dissolved, also in branches; the group of another compiler and other functions stay.
// CHECK-LABEL: graph.func @main
// CHECK-NEXT: [[A:%.*]] = graph.exp(%x)
// CHECK-NEXT: [[B:%.*]] = graph.negative([[A]])
// CHECK-NEXT: [[C:%.*]] = graph.if
// CHECK-NEXT: [[D:%.*]] = graph.exp([[B]])
// CHECK-NEXT: [[E:%.*]] = graph.negative([[D]])
// CHECK-NEXT: graph.yield [[E]]
// CHECK: [[F:%.*]] = graph.call @elsewhere([[C]])
// CHECK-NEXT: graph.call @plain([[F]])
// CHECK-NOT: @group
// CHECK: graph.func private @elsewhere
// CHECK: graph.func @plain
graph.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = graph.call @group(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.if %c -> tensor<4xf32> {
    %2 = graph.call @group(%0) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  %3 = graph.call @elsewhere(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.call @plain(%3) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %4 : tensor<4xf32>
}
graph.func private @group(%p0: tensor<4xf32>) -> tensor<4xf32> attributes {primitive} {
  %0 = graph.exp(%p0) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.negative(%0) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %1 : tensor<4xf32>
}
graph.func private @elsewhere(%p0: tensor<4xf32>) -> tensor<4xf32> attributes {primitive, compiler = "dnnl"} {
  %0 = graph.exp(%p0) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
graph.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.log(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
