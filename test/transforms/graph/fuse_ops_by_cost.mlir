// RUN: kc-opt %s --target="llvm -mcpu=znver4 -num-cores=1" --fuse-ops="fuse_opt_level=3 report=true" 2>&1 | FileCheck %s
// RUN: kc-opt %s --fuse-ops | FileCheck %s --check-prefix=RELAY

// From level 3 on groups of level 2 are joined where the default schedule of the joint group takes fewer cycles.
// CHECK: the groups of @rows
// CHECK: group 0: add, nn.softmax
// CHECK-NEXT: joined: add + nn.softmax: {{.*}} cycles instead of {{.*}} cycles, 12 MiB need not cross memory
// CHECK-NEXT: ends with nn.softmax: its value is a result

// CHECK: the groups of @convolutions
// CHECK: group 0: nn.conv2d, nn.relu
// CHECK-NEXT: ends with nn.relu: with nn.conv2d: the loops of nn.conv2d are its own
// CHECK: group 1: nn.conv2d

// CHECK: the groups of @small
// CHECK: group 0: nn.dense
// CHECK-NEXT: ends with nn.dense: with nn.dense: 8 KiB between the products stay in the L2 cache

// CHECK: the groups of @returned
// CHECK: group 0: add
// CHECK-NEXT: ends with add: tuple uses its value, and is not fused with anything

// CHECK: the groups of @stopped
// CHECK: ends with add: annotation.stop_fusion uses its value, and is not fused with anything

// CHECK-LABEL: graph.func @rows
// CHECK-NEXT: graph.call @fused_add_nn_softmax(%x, %y)
// CHECK-NEXT: graph.return
// RELAY-LABEL: graph.func @rows
// RELAY-NEXT: graph.call @fused_add(%x, %y)
// RELAY-NEXT: graph.call @fused_nn_softmax(
graph.func @rows(%x: tensor<2048x768xf32>, %y: tensor<2048x768xf32>) -> tensor<2048x768xf32> {
  %0 = graph.add(%x, %y) : (tensor<2048x768xf32>, tensor<2048x768xf32>) -> tensor<2048x768xf32>
  %1 = graph.nn.softmax(%0) : (tensor<2048x768xf32>) -> tensor<2048x768xf32>
  graph.return %1 : tensor<2048x768xf32>
}

graph.func @convolutions(%x: tensor<1x64x28x28xf32>, %w: tensor<64x64x1x1xf32>) -> tensor<1x64x28x28xf32> {
  %0 = graph.nn.conv2d(%x, %w) : (tensor<1x64x28x28xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x28x28xf32>
  %1 = graph.nn.relu(%0) : (tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32>
  %2 = graph.nn.conv2d(%1, %w) : (tensor<1x64x28x28xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x28x28xf32>
  graph.return %2 : tensor<1x64x28x28xf32>
}

graph.func @small(%x: tensor<256x512xf32>, %w: tensor<8x512xf32>, %v: tensor<512x8xf32>) -> tensor<256x512xf32> {
  %0 = graph.nn.dense(%x, %w) : (tensor<256x512xf32>, tensor<8x512xf32>) -> tensor<256x8xf32>
  %1 = graph.nn.dense(%0, %v) : (tensor<256x8xf32>, tensor<512x8xf32>) -> tensor<256x512xf32>
  graph.return %1 : tensor<256x512xf32>
}

graph.func @returned(%x: tensor<512x768xf32>) -> tuple<tensor<512x768xf32>, tensor<512x768xf32>> {
  %0 = graph.add(%x, %x) : (tensor<512x768xf32>, tensor<512x768xf32>) -> tensor<512x768xf32>
  %1 = graph.nn.softmax(%0) : (tensor<512x768xf32>) -> tensor<512x768xf32>
  %2 = graph.tuple(%0, %1) : tensor<512x768xf32>, tensor<512x768xf32>
  graph.return %2 : tuple<tensor<512x768xf32>, tensor<512x768xf32>>
}

graph.func @stopped(%x: tensor<512x768xf32>) -> tensor<512x768xf32> {
  %0 = graph.add(%x, %x) : (tensor<512x768xf32>, tensor<512x768xf32>) -> tensor<512x768xf32>
  %1 = graph.annotation.stop_fusion(%0) : (tensor<512x768xf32>) -> tensor<512x768xf32>
  %2 = graph.nn.softmax(%1) : (tensor<512x768xf32>) -> tensor<512x768xf32>
  graph.return %2 : tensor<512x768xf32>
}
