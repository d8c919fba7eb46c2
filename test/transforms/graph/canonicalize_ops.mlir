// RUN: kc-opt %s --canonicalize-ops | FileCheck %s
// RUN: kc-opt %s --canonicalize-ops --canonicalize-ops | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: [[B:%.*]] = graph.expand_dims(%b) <axis = 1, num_newaxis = 2> : (tensor<8xf32>) -> tensor<8x1x1xf32>
// CHECK-NEXT: [[Y:%.*]] = graph.add(%x, [[B]])
// CHECK-NEXT: [[D:%.*]] = graph.expand_dims(%d) <axis = 1> : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK-NEXT: [[Z:%.*]] = graph.add([[Y]], [[D]])
// CHECK-NEXT: graph.add([[Z]], %e)
graph.func @main(%x: tensor<1x8x3x5xf32>, %b: tensor<8xf32>, %d: tensor<3xf32>, %e: tensor<5xf32>) -> tensor<1x8x3x5xf32> {
  %0 = graph.nn.bias_add(%x, %b) : (tensor<1x8x3x5xf32>, tensor<8xf32>) -> tensor<1x8x3x5xf32>
  %1 = graph.nn.bias_add(%0, %d) <axis = -2> : (tensor<1x8x3x5xf32>, tensor<3xf32>) -> tensor<1x8x3x5xf32>
  %2 = graph.nn.bias_add(%1, %e) <axis = -1> : (tensor<1x8x3x5xf32>, tensor<5xf32>) -> tensor<1x8x3x5xf32>
  graph.return %2 : tensor<1x8x3x5xf32>
}
