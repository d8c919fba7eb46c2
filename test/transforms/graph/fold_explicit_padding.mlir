// RUN: kc-opt %s --fold-explicit-padding | FileCheck %s
// RUN: kc-opt %s --fold-explicit-padding --fold-explicit-padding | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: graph.nn.conv2d(%x, %w) <padding = [2, 0, 2, 2]> : (tensor<1x4x5x5xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x7x5xf32>
// CHECK-NEXT: graph.return
graph.func @main(%x: tensor<1x4x5x5xf32>, %w: tensor<2x4x3x3xf32>) -> tensor<1x2x7x5xf32> {
  %z = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.nn.pad(%x, %z) <pad_width = [[0, 0], [0, 0], [1, 1], [0, 2]]> : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x7x7xf32>
  %1 = graph.nn.conv2d(%0, %w) <padding = [1, 0, 1, 0]> : (tensor<1x4x7x7xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x7x5xf32>
  graph.return %1 : tensor<1x2x7x5xf32>
}

// The value is not 0.
// CHECK-LABEL: @one
// CHECK: graph.nn.pad
// CHECK-NEXT: graph.nn.conv2d
graph.func @one(%x: tensor<1x4x5x5xf32>, %w: tensor<2x4x3x3xf32>) -> tensor<1x2x5x5xf32> {
  %z = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.nn.pad(%x, %z) <pad_width = [[0, 0], [0, 0], [1, 1], [0, 2]]> : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x7x7xf32>
  %1 = graph.nn.conv2d(%0, %w) : (tensor<1x4x7x7xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x5x5xf32>
  graph.return %1 : tensor<1x2x5x5xf32>
}
