// RUN: kc-opt %s --to-basic-block-normal-form | FileCheck %s
// RUN: kc-opt %s --to-basic-block-normal-form --to-basic-block-normal-form | FileCheck %s

// A chain that one branch uses goes there; the value of both branches stays before, as does
// what a function captures.
// CHECK-LABEL: @main
// CHECK-NEXT: [[A:%.*]] = graph.abs(%x)
// CHECK-NEXT: graph.if
// CHECK-NEXT: [[E:%.*]] = graph.exp(%x)
// CHECK-NEXT: [[N:%.*]] = graph.negative([[E]])
// CHECK-NEXT: graph.add([[N]], [[A]])
// CHECK: graph.yield [[A]]
// CHECK: graph.fn
// CHECK-NEXT: graph.multiply({{.*}}, [[A]])
graph.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.negative(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.abs(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %v = graph.let "v0" = %2 : tensor<4xf32>
  %r = graph.if %c -> tensor<4xf32> {
    %3 = graph.add(%1, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %3 : tensor<4xf32>
  } else {
    graph.yield %v : tensor<4xf32>
  }
  %f = graph.fn (%y: tensor<4xf32>) -> tensor<4xf32> {
    %4 = graph.multiply(%y, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.return %4 : tensor<4xf32>
  }
  %5 = graph.call_indirect %f(%r) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  graph.return %5 : tensor<4xf32>
}
