// RUN: not kc-opt %s --plan-devices 2>&1 | FileCheck %s

// CHECK: error[KC2485]: plan-devices: a value is on cpu and on cuda
// CHECK: on_device says cpu
// CHECK: on_device says cuda
graph.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.on_device(%x) <device = "cuda", constrain_result = true> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.on_device(%y) <device = "cpu", constrain_result = true> : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.add(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.return %2 : tensor<4xf32>
}
