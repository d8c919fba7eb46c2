// RUN: kc-opt %s --first-order-gradient | FileCheck %s
// RUN: kc-opt %s --first-order-gradient --lazy-gradient-init --dead-code-elimination | FileCheck %s --check-prefix=LAZY
// RUN: kc-opt %s --first-order-gradient="functions=main wrt=y" | FileCheck %s --check-prefix=WRT
// RUN: not kc-opt %s --first-order-gradient="functions=man" 2>&1 | FileCheck %s --check-prefix=BAD

// What comes from two uses is added. A function that is called stays, and gets one for its gradient.
// CHECK-LABEL: graph.func @main({{.*}}) -> tuple<tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>>
// CHECK: [[E:%.*]] = graph.exp(%x)
// CHECK: [[S:%.*]] = graph.call @scaled([[E]], %y)
// CHECK: [[ONES:%.*]] = graph.ones_like([[S]])
// CHECK: [[G:%.*]] = graph.call @scaled_vjp([[E]], %y, [[ONES]])
// CHECK: [[OFE:%.*]] = graph.tuple_get_item [[G]][0]
// CHECK: [[OFY:%.*]] = graph.tuple_get_item [[G]][1]
// CHECK: [[OFX:%.*]] = graph.multiply([[OFE]], [[E]])
// CHECK: graph.tuple([[OFX]], [[OFY]])
// CHECK: graph.func @scaled(
// CHECK: graph.func private @scaled_vjp(
// CHECK: graph.tanh
// CHECK: graph.add(
// LAZY-LABEL: graph.func @main(
// LAZY: graph.ones_like
// WRT-LABEL: graph.func @main(
// WRT-SAME: -> tuple<tensor<4xf32>, tuple<tensor<4xf32>>>
// BAD: error[KC2441]: first-order-gradient: the module has no function @man
graph.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.call @scaled(%0, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.return %1 : tensor<4xf32>
}
graph.func @scaled(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.multiply(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.tanh(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.add(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.return %2 : tensor<4xf32>
}
