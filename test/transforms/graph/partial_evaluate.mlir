// RUN: kc-opt %s --partial-evaluate | FileCheck %s
// RUN: kc-opt %s --partial-evaluate --partial-evaluate | FileCheck %s

// A function that is passed is followed, a branch of a known condition is taken, the other one stays.
// CHECK-LABEL: graph.func @main
// CHECK-NEXT: [[A:%.*]] = graph.exp(%x)
// CHECK-NEXT: [[B:%.*]] = graph.exp([[A]])
// CHECK-NEXT: [[C:%.*]] = graph.if %c -> tensor<4xf32> {
// CHECK-NEXT: [[D:%.*]] = graph.constant dense<5.000000e+00> : tensor<f32>
// CHECK-NEXT: [[E:%.*]] = graph.multiply([[B]], [[D]])
// CHECK-NEXT: graph.yield [[E]]
// CHECK: graph.return [[C]]
graph.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %f = graph.fn (%y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp(%y) : (tensor<4xf32>) -> tensor<4xf32>
    graph.return %0 : tensor<4xf32>
  }
  %t = graph.constant dense<true> : tensor<i1>
  %two = graph.constant dense<2.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %sum = graph.add(%two, %three) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %r = graph.if %t -> tensor<4xf32> {
    %1 = graph.call @twice(%f, %x) : (!graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  %s = graph.if %c -> tensor<4xf32> {
    %2 = graph.multiply(%r, %sum) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } else {
    graph.yield %r : tensor<4xf32>
  }
  graph.return %s : tensor<4xf32>
}
graph.func @twice(%f: !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.call_indirect %f(%x) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.call_indirect %f(%0) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  graph.return %1 : tensor<4xf32>
}
