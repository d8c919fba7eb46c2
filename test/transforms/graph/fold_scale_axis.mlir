// RUN: kc-opt %s --simplify-inference --fold-constant --fold-scale-axis | FileCheck %s
// RUN: kc-opt %s --simplify-inference --fold-constant --fold-scale-axis --fold-scale-axis | FileCheck %s

// A convolution and batch_norm are a convolution and a sum: 3 * 2 / sqrt(4) and 1 - 6 * 2 / 2.
// CHECK: [[W:%.*]] = graph.constant dense<3.000000e+00> : tensor<1x1x1x1xf32>
// CHECK: [[Y:%.*]] = graph.nn.conv2d(%x, [[W]])
// CHECK-NEXT: [[B:%.*]] = graph.constant dense<-5.000000e+00>
// CHECK-NEXT: [[Z:%.*]] = graph.add([[Y]], [[B]])
// CHECK-NEXT: graph.return [[Z]]
graph.func @main(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %w = graph.constant dense<3.0> : tensor<1x1x1x1xf32>
  %g = graph.constant dense<2.0> : tensor<1xf32>
  %b = graph.constant dense<1.0> : tensor<1xf32>
  %m = graph.constant dense<6.0> : tensor<1xf32>
  %v = graph.constant dense<4.0> : tensor<1xf32>
  %0 = graph.nn.conv2d(%x, %w) : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
  %1 = graph.nn.batch_norm(%0, %g, %b, %m, %v) <epsilon = 0.0> : (tensor<1x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tuple<tensor<1x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>>
  %2 = graph.tuple_get_item %1[0] : tuple<tensor<1x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>>
  graph.return %2 : tensor<1x1x4x4xf32>
}
