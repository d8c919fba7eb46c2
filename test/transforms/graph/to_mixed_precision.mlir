// RUN: kc-opt %s --to-mixed-precision | FileCheck %s
// RUN: kc-opt %s --to-mixed-precision --to-mixed-precision | FileCheck %s
// RUN: not kc-opt %s --to-mixed-precision=mixed_precision_type=float8 2>&1 | FileCheck %s --check-prefix=BAD

// CHECK-LABEL: @main
// CHECK-NEXT: [[W:%.*]] = graph.cast(%w) <dtype = "float16">
// CHECK-NEXT: [[X:%.*]] = graph.cast(%x) <dtype = "float16">
// CHECK-NEXT: [[P:%.*]] = graph.nn.dense([[X]], [[W]]) <out_dtype = "float32"> : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf32>
// CHECK-NEXT: [[Y:%.*]] = graph.cast([[P]]) <dtype = "float16">
// CHECK-NEXT: [[R:%.*]] = graph.nn.relu([[Y]]) : (tensor<4x5xf16>) -> tensor<4x5xf16>
// CHECK-NEXT: [[Z:%.*]] = graph.cast([[R]]) <dtype = "float32">
// CHECK-NEXT: graph.nn.softmax([[Z]]) : (tensor<4x5xf32>)
// BAD: error[KC2460]
graph.func @main(%x: tensor<4x8xf32>, %w: tensor<5x8xf32>) -> tensor<4x5xf32> {
  %0 = graph.nn.dense(%x, %w) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
  %1 = graph.nn.relu(%0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = graph.nn.softmax(%1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  graph.return %2 : tensor<4x5xf32>
}
