// RUN: kc-opt %s --backward-fold-scale-axis | FileCheck %s
// RUN: kc-opt %s --backward-fold-scale-axis --backward-fold-scale-axis | FileCheck %s

// CHECK-LABEL: @main
// CHECK: [[W:%.*]] = graph.constant {{.*}} : tensor<2x1x1x1xf32>
// CHECK: [[S:%.*]] = graph.constant {{.*}} : tensor<2x1x1xf32>
// CHECK: [[V:%.*]] = graph.reshape([[S]]) <newshape = [-1]> {{.*}} -> tensor<2xf32>
// CHECK: [[F:%.*]] = graph.expand_dims([[V]]) <axis = 1, num_newaxis = 3>
// CHECK: [[X:%.*]] = graph.multiply([[W]], [[F]]) {{.*}} -> tensor<2x1x1x1xf32>
// CHECK: [[Y:%.*]] = graph.nn.conv2d(%x, [[X]])
// CHECK: [[B:%.*]] = graph.multiply(%b, [[S]])
// CHECK: [[Z:%.*]] = graph.add([[Y]], [[B]])
// CHECK: [[R:%.*]] = graph.nn.relu([[Z]])
// CHECK-NEXT: graph.return [[R]]
graph.func @main(%x: tensor<1x1x4x4xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.constant dense<[[[[3.0]]], [[[4.0]]]]> : tensor<2x1x1x1xf32>
  %0 = graph.nn.conv2d(%x, %w) : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.add(%0, %b) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = graph.nn.relu(%1) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %s = graph.constant dense<[[[5.0]], [[6.0]]]> : tensor<2x1x1xf32>
  %3 = graph.multiply(%2, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  graph.return %3 : tensor<1x2x4x4xf32>
}

// A factor that is not positive does not move through relu.
// CHECK-LABEL: @negative
// CHECK: graph.nn.relu
// CHECK-NEXT: graph.constant
// CHECK-NEXT: graph.multiply
// CHECK-NEXT: graph.return
graph.func @negative(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.constant dense<[[[[3.0]]], [[[4.0]]]]> : tensor<2x1x1x1xf32>
  %0 = graph.nn.conv2d(%x, %w) : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = graph.nn.relu(%0) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %s = graph.constant dense<[[[5.0]], [[-6.0]]]> : tensor<2x1x1xf32>
  %3 = graph.multiply(%2, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  graph.return %3 : tensor<1x2x4x4xf32>
}
