// RUN: kc-opt %s --lambda-lift | FileCheck %s
// RUN: kc-opt %s --lambda-lift --lambda-lift | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: graph.fn (
// CHECK: [[A:%.*]] = graph.abs(%x)
// CHECK: graph.closure @lifted_0([[A]])
// CHECK-LABEL: @nested
// CHECK: graph.if
// CHECK: graph.closure @lifted_3(%x)
// CHECK: graph.function_ref @lifted_1
// CHECK: graph.func private @lifted_0(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
// CHECK: graph.func private @lifted_1(%y: tensor<4xf32>)
// CHECK: graph.func private @lifted_2(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>)
// CHECK: graph.func private @lifted_3(%x: tensor<4xf32>, %y: tensor<4xf32>)
// CHECK-NEXT: graph.closure @lifted_2(%x, %y)
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
graph.func @nested(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %f = graph.if %c -> !graph.fn<(tensor<4xf32>) -> tensor<4xf32>> {
    %g = graph.fn (%y: tensor<4xf32>) -> tensor<4xf32> {
      %h = graph.fn (%z: tensor<4xf32>) -> tensor<4xf32> {
        %0 = graph.add(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %1 = graph.add(%0, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        graph.return %1 : tensor<4xf32>
      }
      %2 = graph.call_indirect %h(%y) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
      graph.return %2 : tensor<4xf32>
    }
    graph.yield %g : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>
  } else {
    %k = graph.fn (%y: tensor<4xf32>) -> tensor<4xf32> {
      graph.return %y : tensor<4xf32>
    }
    graph.yield %k : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>
  }
  %3 = graph.call_indirect %f(%x) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  graph.return %3 : tensor<4xf32>
}
