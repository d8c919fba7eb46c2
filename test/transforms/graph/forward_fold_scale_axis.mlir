// RUN: kc-opt %s --forward-fold-scale-axis | FileCheck %s
// RUN: kc-opt %s --forward-fold-scale-axis --forward-fold-scale-axis | FileCheck %s

// What is added is divided by the factors, and the weight takes them along its inputs.
// CHECK-LABEL: @main
// CHECK-NEXT: [[W:%.*]] = graph.constant
// CHECK-NEXT: [[S:%.*]] = graph.constant
// CHECK-NEXT: [[B:%.*]] = graph.divide(%b, [[S]])
// CHECK-NEXT: [[Y:%.*]] = graph.add(%x, [[B]])
// CHECK-NEXT: [[Z:%.*]] = graph.nn.relu([[Y]])
// CHECK-NEXT: [[X:%.*]] = graph.multiply([[W]], [[S]]) {{.*}} -> tensor<1x1x1x2xf32>
// CHECK-NEXT: graph.nn.conv2d([[Z]], [[X]])
// CHECK-NEXT: graph.return
graph.func @main(%x: tensor<1x4x4x2xf32>, %b: tensor<2xf32>) -> tensor<1x4x4x1xf32> {
  %w = graph.constant dense<[[[[3.0, 4.0]]]]> : tensor<1x1x1x2xf32>
  %s = graph.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %0 = graph.multiply(%x, %s) : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %1 = graph.add(%0, %b) : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %2 = graph.nn.relu(%1) : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %3 = graph.nn.conv2d(%2, %w) <data_layout = "NHWC", kernel_layout = "OHWI"> : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x4x4x1xf32>
  graph.return %3 : tensor<1x4x4x1xf32>
}

// The product is a result too, so it stays.
// CHECK-LABEL: @escapes
// CHECK: graph.multiply(%x
// CHECK-NEXT: graph.nn.conv2d
graph.func @escapes(%x: tensor<1x4x4x2xf32>) -> tuple<tensor<1x4x4x1xf32>, tensor<1x4x4x2xf32>> {
  %w = graph.constant dense<[[[[3.0, 4.0]]]]> : tensor<1x1x1x2xf32>
  %s = graph.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %0 = graph.multiply(%x, %s) : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %3 = graph.nn.conv2d(%0, %w) <data_layout = "NHWC", kernel_layout = "OHWI"> : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x4x4x1xf32>
  %4 = graph.tuple(%3, %0) : tensor<1x4x4x1xf32>, tensor<1x4x4x2xf32>
  graph.return %4 : tuple<tensor<1x4x4x1xf32>, tensor<1x4x4x2xf32>>
}
