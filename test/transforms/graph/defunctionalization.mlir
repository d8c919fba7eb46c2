// RUN: kc-opt %s --defunctionalization | FileCheck %s

// CHECK: graph.data @Function_0 { lifted_0_1(tensor<4xf32>), negated_0() }
// CHECK-LABEL: graph.func @main
// CHECK: [[F:%.*]] = graph.construct @Function_0 lifted_0_1(%z) : (tensor<4xf32>) -> !graph.adt<"Function_0">
// CHECK: graph.call @twice([[F]], %x) : (!graph.adt<"Function_0">, tensor<4xf32>) -> tensor<4xf32>
// CHECK: [[G:%.*]] = graph.construct @Function_0 negated_0() : () -> !graph.adt<"Function_0">
// CHECK: graph.call @twice([[G]], {{.*}})
// CHECK-LABEL: graph.func @twice(%f: !graph.adt<"Function_0">
// CHECK-NEXT: graph.call @apply_0(%f, %x)
// CHECK-LABEL: graph.func private @apply_0
// CHECK: case lifted_0_1([[Z:%.*]]: tensor<4xf32>) {
// CHECK-NEXT: graph.call @lifted_0([[Z]], %{{.*}})
// CHECK: case negated_0() {
// CHECK-NEXT: graph.call @negated(%{{.*}})
graph.func @main(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %f = graph.fn (%y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.multiply(%y, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.return %0 : tensor<4xf32>
  }
  %1 = graph.call @twice(%f, %x) : (!graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
  %g = graph.function_ref @negated : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>
  %2 = graph.call @twice(%g, %1) : (!graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
  graph.return %2 : tensor<4xf32>
}
graph.func @twice(%f: !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.call_indirect %f(%x) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.call_indirect %f(%0) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  graph.return %1 : tensor<4xf32>
}
graph.func @negated(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.negative(%a) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
