// Ops that are several loops become ops that are one each.
// RUN: kc-opt %s --decompose-aggregates --split-input-file | FileCheck %s
// RUN: kc-opt %s --split-input-file | FileCheck %s --check-prefix=TEXT
// RUN: kc-opt %s --split-input-file --mlir-print-op-generic | kc-opt --split-input-file | FileCheck %s --check-prefix=TEXT

// CHECK-LABEL: func.func @softmax
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:           arith.maximumf
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK:           math.exp
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK:           arith.divf
// CHECK-NOT:     linalg.softmax
// TEXT: %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @put
// CHECK:         %[[BUFFER:.*]] = bufferization.to_buffer %x
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             memref.store %{{.*}}, %[[BUFFER]][%{{.*}}]
// CHECK:         bufferization.to_tensor %[[BUFFER]] restrict
// TEXT: %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%new, %at : tensor<2xi32>, tensor<2x1xi32>) outs(%x : tensor<8xi32>) {
// TEXT-NEXT: ^{{.*}}(%a: i32, %b: i32):
// TEXT-NEXT:   tm_tensor.yield %a : i32
// TEXT-NEXT: } -> tensor<8xi32>
func.func @put(%x: tensor<8xi32>, %new: tensor<2xi32>, %at: tensor<2x1xi32>) -> tensor<8xi32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
    ins(%new, %at : tensor<2xi32>, tensor<2x1xi32>) outs(%x : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    tm_tensor.yield %a : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// -----

// CHECK-LABEL: func.func @at
// CHECK:         tensor.generate
// CHECK:           %[[C:.*]] = tensor.extract %k[%{{.*}}, %{{.*}}] : tensor<3x1xindex>
// CHECK:           tensor.extract %t[%{{.*}}, %[[C]]] : tensor<4x5xf32>
// TEXT: tensor.gather %t[%k] gather_dims([1])
func.func @at(%t: tensor<4x5xf32>, %k: tensor<3x1xindex>) -> tensor<3x4xf32> {
  %0 = tensor.gather %t[%k] gather_dims([1]) : (tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @put_slices
// CHECK:         %[[BUFFER:.*]] = bufferization.to_buffer %t
// CHECK-COUNT-3: scf.for
// CHECK:         memref.store %{{.*}}, %[[BUFFER]][%{{.*}}, %{{.*}}]
// CHECK:         bufferization.to_tensor %[[BUFFER]] restrict
// TEXT: tensor.scatter %s into %t[%k] scatter_dims([0]) unique
func.func @put_slices(%s: tensor<3x1x5xf32>, %t: tensor<4x5xf32>, %k: tensor<3x1xindex>) -> tensor<4x5xf32> {
  %0 = tensor.scatter %s into %t[%k] scatter_dims([0]) unique : (tensor<3x1x5xf32>, tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func.func @line
// CHECK:         arith.constant dense<{{.*}}> : tensor<2x4xf32>
// CHECK:         arith.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK:         tensor.collapse_shape
// TEXT: linalg.winograd_output_transform fmr(F_2_3)
func.func @line(%y: tensor<4x1x3x1x2x2xf32>, %e: tensor<2x6x1x2xf32>) -> tensor<2x6x1x2xf32> {
  %0 = linalg.winograd_output_transform fmr(F_2_3) ins(%y : tensor<4x1x3x1x2x2xf32>) outs(%e : tensor<2x6x1x2xf32>) -> tensor<2x6x1x2xf32>
  return %0 : tensor<2x6x1x2xf32>
}
