// RUN: kc-opt %s --fake-quantization-to-integer | FileCheck %s
// RUN: kc-opt %s --fake-quantization-to-integer --fake-quantization-to-integer | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: dequantize
// CHECK: [[Y:%.*]] = graph.qnn.dense(%x, %w, %zx, %zw, %sx, %sw) {{.*}} -> tensor<4x5xsi32>
// CHECK: [[S:%.*]] = graph.multiply(%sx, %sw)
// CHECK: [[Z:%.*]] = graph.constant dense<0> : tensor<si32>
// CHECK: graph.qnn.requantize([[Y]], [[S]], [[Z]], %s, %z)
graph.func @main(%x: tensor<4x8xsi8>, %w: tensor<5x8xsi8>, %sx: tensor<f32>, %zx: tensor<si32>, %sw: tensor<f32>, %zw: tensor<si32>, %s: tensor<f32>, %z: tensor<si32>) -> tensor<4x5xsi8> {
  %0 = graph.qnn.dequantize(%x, %sx, %zx) : (tensor<4x8xsi8>, tensor<f32>, tensor<si32>) -> tensor<4x8xf32>
  %1 = graph.qnn.dequantize(%w, %sw, %zw) : (tensor<5x8xsi8>, tensor<f32>, tensor<si32>) -> tensor<5x8xf32>
  %2 = graph.nn.dense(%0, %1) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
  %3 = graph.qnn.quantize(%2, %s, %z) : (tensor<4x5xf32>, tensor<f32>, tensor<si32>) -> tensor<4x5xsi8>
  graph.return %3 : tensor<4x5xsi8>
}
