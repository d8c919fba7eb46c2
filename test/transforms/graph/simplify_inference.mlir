// RUN: kc-opt %s --simplify-inference | FileCheck %s
// RUN: kc-opt %s --simplify-inference | kc-opt --simplify-inference | FileCheck %s

// The scale and the shift are computed of the parameters alone, so that constants fold to numbers.
// CHECK-LABEL: graph.func @main
// CHECK-NOT: batch_norm
// CHECK: %[[ROOT:.*]] = graph.sqrt
// CHECK: %[[SCALE:.*]] = graph.divide(%g, %[[ROOT]])
// CHECK: %[[WIDE:.*]] = graph.expand_dims(%[[SCALE]]) <axis = 1, num_newaxis = 2>
// CHECK: graph.multiply(%x, %[[WIDE]])
// CHECK: %[[Y:.*]] = graph.add
// CHECK-NEXT: graph.return %[[Y]]
graph.func @main(%x: tensor<2x4x3x3xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<2x4x3x3xf32> {
  %0 = graph.nn.batch_norm(%x, %g, %b, %m, %v) : (tensor<2x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<2x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>>
  %1 = graph.tuple_get_item %0[0] : tuple<tensor<2x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>>
  graph.return %1 : tensor<2x4x3x3xf32>
}
