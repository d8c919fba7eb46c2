// RUN: kc-opt %s --plan-devices --split-input-file | FileCheck %s
// RUN: kc-opt %s --plan-devices --plan-devices --split-input-file | FileCheck %s
// RUN: kc-opt %s --plan-devices=default=cuda --split-input-file | FileCheck %s --check-prefix=CUDA

// The operands of what is on a device are there, also the arguments; a copy stands at the border.
// CHECK-LABEL: graph.func @main
// CHECK-SAME: attributes {devices = ["cuda", "cpu", "cpu"]}
// CHECK-NEXT: [[A:%.*]] = graph.exp(%x) {device = "cuda"}
// CHECK-NEXT: [[B:%.*]] = graph.device_copy([[A]]) <src_device = "cuda", dst_device = "cpu">
// CHECK-NEXT: graph.add([[B]], %y) : (
// CUDA-LABEL: graph.func @main
// CUDA-NEXT: [[A:%.*]] = graph.exp(%x) :
// CUDA-NEXT: graph.add([[A]], %y) :
graph.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.on_device(%0) <device = "cuda"> : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.add(%1, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.return %2 : tensor<4xf32>
}

// -----

// Shapes and conditions stay on the host; a constant is on each device; a function has one plan.
// CHECK-LABEL: graph.func @main
// CHECK: [[W:%.*]] = graph.constant
// CHECK: graph.call @scaled(%x, [[W]]) {device = "cuda"}
// CHECK: [[S:%.*]] = graph.shape_of(%{{.*}}) :
// CHECK: graph.less({{.*}}) :
// CHECK: graph.if {{.*}} {
// CHECK: graph.tanh({{.*}}) {device = "cuda"}
// CHECK-LABEL: graph.func @scaled
// CHECK-SAME: attributes {devices = ["cuda", "cuda", "cuda"]}
// CHECK: graph.multiply(%a, %b) {device = "cuda"}
// CUDA-LABEL: graph.func @main
// CUDA: graph.shape_of({{.*}}) {device = "cpu"}
graph.func @main(%x: tensor<4xf32>, %n: tensor<si32>) -> tuple<tensor<4xf32>, tensor<1xsi32>> {
  %w = graph.constant dense<2.0> : tensor<4xf32>
  %1 = graph.call @scaled(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.on_device(%1) <device = "cuda(0)", constrain_result = true> : (tensor<4xf32>) -> tensor<4xf32>
  %s = graph.shape_of(%2) : (tensor<4xf32>) -> tensor<1xsi32>
  %c = graph.less(%n, %n) : (tensor<si32>, tensor<si32>) -> tensor<i1>
  %r = graph.if %c -> tensor<4xf32> {
    %3 = graph.tanh(%2) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %3 : tensor<4xf32>
  } else {
    graph.yield %2 : tensor<4xf32>
  }
  %4 = graph.device_copy(%r) <src_device = "cuda", dst_device = "cpu"> : (tensor<4xf32>) -> tensor<4xf32>
  %t = graph.tuple(%4, %s) : tensor<4xf32>, tensor<1xsi32>
  graph.return %t : tuple<tensor<4xf32>, tensor<1xsi32>>
}
graph.func @scaled(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.multiply(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
