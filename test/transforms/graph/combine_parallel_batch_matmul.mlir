// RUN: kc-opt %s --combine-parallel-batch-matmul=min_num_branches=2 | FileCheck %s
// RUN: kc-opt %s --combine-parallel-batch-matmul=min_num_branches=2 --combine-parallel-batch-matmul=min_num_branches=2 | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NEXT: [[W:%.*]] = graph.concatenate(%w, %v) <axis = 1> {{.*}} -> tensor<3x7x8xf32>
// CHECK-NEXT: [[Y:%.*]] = graph.nn.batch_matmul(%x, [[W]]) {{.*}} -> tensor<3x4x7xf32>
// CHECK-NEXT: [[A:%.*]] = graph.strided_slice([[Y]]) <begin = [0], end = [5], axes = [2]>
// CHECK-NEXT: [[B:%.*]] = graph.strided_slice([[Y]]) <begin = [5], end = [7], axes = [2]>
// CHECK-NEXT: graph.tuple([[A]], [[B]])
graph.func @main(%x: tensor<3x4x8xf32>, %w: tensor<3x5x8xf32>, %v: tensor<3x2x8xf32>) -> tuple<tensor<3x4x5xf32>, tensor<3x4x2xf32>> {
  %0 = graph.nn.batch_matmul(%x, %w) : (tensor<3x4x8xf32>, tensor<3x5x8xf32>) -> tensor<3x4x5xf32>
  %1 = graph.nn.batch_matmul(%x, %v) : (tensor<3x4x8xf32>, tensor<3x2x8xf32>) -> tensor<3x4x2xf32>
  %2 = graph.tuple(%0, %1) : tensor<3x4x5xf32>, tensor<3x4x2xf32>
  graph.return %2 : tuple<tensor<3x4x5xf32>, tensor<3x4x2xf32>>
}
