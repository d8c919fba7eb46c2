// RUN: kc-opt %s --to-a-normal-form | FileCheck %s
// RUN: kc-opt %s --to-a-normal-form --to-a-normal-form | FileCheck %s

// A name that is taken is not used again; the value that is bound already has another use.
// CHECK-LABEL: @main
// CHECK-NEXT: [[A:%.*]] = graph.abs(%x)
// CHECK: [[V:%.*]] = graph.let "v0" = {{%.*}}
// CHECK: graph.if
// CHECK-NEXT: [[E:%.*]] = graph.exp(%x)
// CHECK-NEXT: [[W:%.*]] = graph.let "[[WN:v[0-9]+]]" = [[E]]
// CHECK-NEXT: [[N:%.*]] = graph.negative([[W]])
// CHECK-NEXT: [[X:%.*]] = graph.let "{{v[0-9]+}}" = [[N]]
// CHECK-NEXT: [[S:%.*]] = graph.add([[X]], %v)
// CHECK-NEXT: [[Y:%.*]] = graph.let "{{v[0-9]+}}" = [[S]]
// CHECK-NEXT: graph.yield [[Y]]
// CHECK: graph.call_indirect
// CHECK-NEXT: [[Z:%.*]] = graph.let
// CHECK-NEXT: graph.return [[Z]]
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
