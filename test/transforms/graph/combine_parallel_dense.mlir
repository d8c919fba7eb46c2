// RUN: kc-opt %s --combine-parallel-dense=min_num_branches=2 | FileCheck %s
// RUN: kc-opt %s --combine-parallel-dense=min_num_branches=2 --combine-parallel-dense=min_num_branches=2 | FileCheck %s
// RUN: kc-opt %s --combine-parallel-dense="min_num_branches=2 to_batch=false" | FileCheck %s --check-prefix=ONE
// RUN: not kc-opt %s --combine-parallel-dense=min_num_branches=1 2>&1 | FileCheck %s --check-prefix=BAD

// CHECK-LABEL: @main
// CHECK-NEXT: [[X:%.*]] = graph.expand_dims(%x) <axis = 0> {{.*}} -> tensor<1x4x8xf32>
// CHECK-NEXT: [[W:%.*]] = graph.stack(%w, %v) {{.*}} -> tensor<2x5x8xf32>
// CHECK-NEXT: [[Y:%.*]] = graph.nn.batch_matmul([[X]], [[W]]) {{.*}} -> tensor<2x4x5xf32>
// CHECK-NEXT: [[S:%.*]] = graph.stack(%b, %c)
// CHECK-NEXT: [[B:%.*]] = graph.expand_dims([[S]]) <axis = 1> {{.*}} -> tensor<2x1x5xf32>
// CHECK-NEXT: [[Z:%.*]] = graph.add([[Y]], [[B]])
// CHECK-NEXT: [[P:%.*]] = graph.strided_slice([[Z]]) <begin = [0], end = [1], axes = [0]>
// CHECK-NEXT: graph.squeeze([[P]]) <axis = [0]>
// CHECK-NEXT: [[Q:%.*]] = graph.strided_slice([[Z]]) <begin = [1], end = [2], axes = [0]>
// CHECK-NEXT: graph.squeeze([[Q]]) <axis = [0]>

// ONE: [[W:%.*]] = graph.concatenate(%w, %v) {{.*}} -> tensor<10x8xf32>
// ONE-NEXT: [[Y:%.*]] = graph.nn.dense(%x, [[W]]) {{.*}} -> tensor<4x10xf32>
// ONE-NEXT: [[B:%.*]] = graph.concatenate(%b, %c) {{.*}} -> tensor<10xf32>
// ONE-NEXT: [[Z:%.*]] = graph.nn.bias_add([[Y]], [[B]])
// ONE-NEXT: graph.strided_slice([[Z]]) <begin = [0], end = [5], axes = [1]>
// ONE-NEXT: graph.strided_slice([[Z]]) <begin = [5], end = [10], axes = [1]>
// BAD: error[KC2460]: combine-parallel-dense: min_num_branches is 1
graph.func @main(%x: tensor<4x8xf32>, %w: tensor<5x8xf32>, %v: tensor<5x8xf32>, %b: tensor<5xf32>, %c: tensor<5xf32>) -> tensor<4x5xf32> {
  %0 = graph.nn.dense(%x, %w) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
  %1 = graph.nn.bias_add(%0, %b) : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %2 = graph.nn.dense(%x, %v) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
  %3 = graph.nn.bias_add(%2, %c) : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %4 = graph.add(%1, %3) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  graph.return %4 : tensor<4x5xf32>
}
