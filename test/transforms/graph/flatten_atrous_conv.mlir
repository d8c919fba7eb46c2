// RUN: kc-opt %s --flatten-atrous-conv | FileCheck %s
// RUN: kc-opt %s --flatten-atrous-conv --flatten-atrous-conv | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: graph.nn.conv2d(%x, %w) <padding = [2, 2, 2, 2], dilation = [2, 2], data_layout = "NHWC", kernel_layout = "HWIO"> : (tensor<1x5x5x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x5x5x2xf32>
// CHECK-NEXT: graph.return
graph.func @main(%x: tensor<1x5x5x4xf32>, %w: tensor<3x3x4x2xf32>) -> tensor<1x5x5x2xf32> {
  %0 = graph.nn.space_to_batch_nd(%x) <block_shape = [2, 2], paddings = [[2, 3], [2, 3]]> : (tensor<1x5x5x4xf32>) -> tensor<4x5x5x4xf32>
  %1 = graph.nn.conv2d(%0, %w) <data_layout = "NHWC", kernel_layout = "HWIO"> : (tensor<4x5x5x4xf32>, tensor<3x3x4x2xf32>) -> tensor<4x3x3x2xf32>
  %2 = graph.nn.batch_to_space_nd(%1) <block_shape = [2, 2], crops = [[0, 1], [0, 1]]> : (tensor<4x3x3x2xf32>) -> tensor<1x5x5x2xf32>
  graph.return %2 : tensor<1x5x5x2xf32>
}

// More is cropped than was added.
// CHECK-LABEL: @cropped
// CHECK-NEXT: graph.nn.space_to_batch_nd
// CHECK-NEXT: graph.nn.conv2d
// CHECK-NEXT: graph.nn.batch_to_space_nd
graph.func @cropped(%x: tensor<1x6x6x4xf32>, %w: tensor<1x1x4x2xf32>) -> tensor<1x5x5x2xf32> {
  %0 = graph.nn.space_to_batch_nd(%x) <block_shape = [2, 2], paddings = [[0, 0], [0, 0]]> : (tensor<1x6x6x4xf32>) -> tensor<4x3x3x4xf32>
  %1 = graph.nn.conv2d(%0, %w) <data_layout = "NHWC", kernel_layout = "HWIO"> : (tensor<4x3x3x4xf32>, tensor<1x1x4x2xf32>) -> tensor<4x3x3x2xf32>
  %2 = graph.nn.batch_to_space_nd(%1) <block_shape = [2, 2], crops = [[0, 1], [0, 1]]> : (tensor<4x3x3x2xf32>) -> tensor<1x5x5x2xf32>
  graph.return %2 : tensor<1x5x5x2xf32>
}
