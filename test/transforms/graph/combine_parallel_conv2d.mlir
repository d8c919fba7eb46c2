// RUN: kc-opt %s --combine-parallel-conv2d=min_num_branches=2 | FileCheck %s
// RUN: kc-opt %s --combine-parallel-conv2d=min_num_branches=2 --combine-parallel-conv2d=min_num_branches=2 | FileCheck %s
// RUN: kc-opt %s --combine-parallel-conv2d | FileCheck %s --check-prefix=THREE
// RUN: kc-opt %s --combine-parallel-conv2d="min_num_branches=2 constants_only=true" | FileCheck %s --check-prefix=THREE

// CHECK-LABEL: @main
// CHECK-NEXT: [[V:%.*]] = graph.negative(%v)
// CHECK-NEXT: [[W:%.*]] = graph.concatenate(%w, [[V]]) {{.*}} -> tensor<10x4x1x1xf32>
// CHECK-NEXT: [[Y:%.*]] = graph.nn.conv2d(%x, [[W]]) {{.*}} -> tensor<1x10x5x5xf32>
// CHECK-NEXT: [[Z:%.*]] = graph.nn.relu([[Y]])
// CHECK-NEXT: [[A:%.*]] = graph.strided_slice([[Z]]) <begin = [0], end = [8], axes = [1]>
// CHECK-NEXT: [[B:%.*]] = graph.strided_slice([[Z]]) <begin = [8], end = [10], axes = [1]>
// CHECK-NEXT: [[T:%.*]] = graph.tanh([[A]])
// CHECK-NEXT: graph.tuple([[T]], [[B]])
// THREE: graph.nn.conv2d(%x, %w)
// THREE: graph.nn.conv2d
graph.func @main(%x: tensor<1x4x5x5xf32>, %w: tensor<8x4x1x1xf32>, %v: tensor<2x4x1x1xf32>) -> tuple<tensor<1x8x5x5xf32>, tensor<1x2x5x5xf32>> {
  %0 = graph.nn.conv2d(%x, %w) : (tensor<1x4x5x5xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x5x5xf32>
  %1 = graph.nn.relu(%0) : (tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  %2 = graph.tanh(%1) : (tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  %3 = graph.negative(%v) : (tensor<2x4x1x1xf32>) -> tensor<2x4x1x1xf32>
  %4 = graph.nn.conv2d(%x, %3) : (tensor<1x4x5x5xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x5x5xf32>
  %5 = graph.nn.relu(%4) : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %6 = graph.tuple(%2, %5) : tensor<1x8x5x5xf32>, tensor<1x2x5x5xf32>
  graph.return %6 : tuple<tensor<1x8x5x5xf32>, tensor<1x2x5x5xf32>>
}
