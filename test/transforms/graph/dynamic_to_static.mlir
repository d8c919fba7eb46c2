// RUN: kc-opt %s --dynamic-to-static | FileCheck %s
// RUN: kc-opt %s --dynamic-to-static --dynamic-to-static | FileCheck %s

// The shape of the first result is known then, so the second one is static too.
// CHECK-LABEL: @main
// CHECK-SAME: -> tensor<2x6x1xf32>
// CHECK-NEXT: [[Y:%.*]] = graph.reshape(%x) <newshape = [2, -1]> : (tensor<3x4xf32>) -> tensor<2x6xf32>
// CHECK-NEXT: [[Z:%.*]] = graph.exp([[Y]]) : (tensor<2x6xf32>) -> tensor<2x6xf32>
// CHECK-NEXT: graph.reshape([[Z]]) <newshape = [2, 6, 1]> : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
graph.func @main(%x: tensor<3x4xf32>) -> tensor<?x?x?xf32> {
  %s = graph.constant dense<[2, -1]> : tensor<2xsi64>
  %0 = graph.dyn.reshape(%x, %s) : (tensor<3x4xf32>, tensor<2xsi64>) -> tensor<?x?xf32>
  %1 = graph.exp(%0) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = graph.shape_of(%1) <dtype = "int64"> : (tensor<?x?xf32>) -> tensor<2xsi64>
  %one = graph.constant dense<[1]> : tensor<1xsi64>
  %3 = graph.concatenate(%2, %one) : (tensor<2xsi64>, tensor<1xsi64>) -> tensor<3xsi64>
  %4 = graph.dyn.reshape(%1, %3) : (tensor<?x?xf32>, tensor<3xsi64>) -> tensor<?x?x?xf32>
  graph.return %4 : tensor<?x?x?xf32>
}

// A shape that is an argument stays one.
// CHECK-LABEL: @argument
// CHECK-NEXT: graph.dyn.reshape(%x, %s)
graph.func @argument(%x: tensor<3x4xf32>, %s: tensor<2xsi64>) -> tensor<?x?xf32> {
  %0 = graph.dyn.reshape(%x, %s) : (tensor<3x4xf32>, tensor<2xsi64>) -> tensor<?x?xf32>
  graph.return %0 : tensor<?x?xf32>
}
