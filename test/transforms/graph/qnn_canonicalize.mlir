// RUN: kc-opt %s --qnn-canonicalize | FileCheck %s
// RUN: kc-opt %s --qnn-canonicalize --qnn-canonicalize | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: graph.qnn
// CHECK: [[Y:%.*]] = graph.nn.dense(%x, %w) <out_dtype = "int32"> : (tensor<4x8xsi8>, tensor<5x8xsi8>) -> tensor<4x5xsi32>
// CHECK: [[W:%.*]] = graph.cast(%w) <dtype = "int32">
// CHECK-NEXT: [[T:%.*]] = graph.sum([[W]]) <axis = [1], keepdims = true>
// CHECK-NEXT: [[S:%.*]] = graph.squeeze([[T]]) <axis = [1]>
// CHECK-NEXT: [[P:%.*]] = graph.multiply([[S]], %zx)
// CHECK-NEXT: [[Z:%.*]] = graph.subtract([[Y]], [[P]])
// CHECK-NEXT: [[L:%.*]] = graph.cast([[Z]]) <dtype = "int64">
// CHECK: graph.minimum([[L]],
// CHECK: graph.maximum
// CHECK: graph.multiply
// CHECK: graph.add
// CHECK: graph.right_shift
// CHECK: graph.clip({{.*}}) <a_min = -128.0, a_max = 127.0>
// CHECK-NEXT: graph.cast({{.*}}) <dtype = "int8">
graph.func @main(%x: tensor<4x8xsi8>, %w: tensor<5x8xsi8>) -> tensor<4x5xsi8> {
  %zx = graph.constant dense<3> : tensor<si32>
  %zw = graph.constant dense<0> : tensor<si32>
  %s = graph.constant dense<0.01> : tensor<f32>
  %t = graph.constant dense<0.037> : tensor<f32>
  %0 = graph.qnn.dense(%x, %w, %zx, %zw, %s, %s) : (tensor<4x8xsi8>, tensor<5x8xsi8>, tensor<si32>, tensor<si32>, tensor<f32>, tensor<f32>) -> tensor<4x5xsi32>
  %1 = graph.qnn.requantize(%0, %s, %zw, %t, %zx) : (tensor<4x5xsi32>, tensor<f32>, tensor<si32>, tensor<f32>, tensor<si32>) -> tensor<4x5xsi8>
  graph.return %1 : tensor<4x5xsi8>
}

// Scales that are arguments have the float form.
// CHECK-LABEL: @computed
// CHECK-NOT: graph.right_shift
// CHECK: graph.floor({{.*}}) : (tensor<4xf64>)
graph.func @computed(%x: tensor<4xsi32>, %s: tensor<f32>) -> tensor<4xsi8> {
  %z = graph.constant dense<0> : tensor<si32>
  %1 = graph.qnn.requantize(%x, %s, %z, %s, %z) : (tensor<4xsi32>, tensor<f32>, tensor<si32>, tensor<f32>, tensor<si32>) -> tensor<4xsi8>
  graph.return %1 : tensor<4xsi8>
}
