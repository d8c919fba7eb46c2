// RUN: kc-opt %s --tosa-to-linalg | FileCheck %s
// RUN: kc-opt %s --raise-to-tir | FileCheck %s --check-prefix=TIR

// CHECK-NOT: tosa.

// CHECK-LABEL: func.func @sums
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[START:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK:         %[[SUM:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x3xf32>) outs(%[[START]] : tensor<4xf32>)
// CHECK:           arith.addf
// CHECK:         %[[KEPT:.*]] = tensor.expand_shape %[[SUM]] {{\[\[}}0 : i64, 1 : i64{{\]\]}} output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
// CHECK:         %[[EXP:.*]] = linalg.generic {{.*}} ins(%[[KEPT]] : tensor<4x1xf32>)
// CHECK:           math.exp
// CHECK:         func.return %[[EXP]] : tensor<4x1xf32>

// The zero of the sum is the block's init.
// TIR-LABEL: func.func @sums
// TIR:         tir.block {{.*}} reduce {{.*}} init {
// TIR-NOT:   tosa.
func.func @sums(%x: tensor<4x3xf32>) -> tensor<4x1xf32> {
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<4x3xf32>) -> tensor<4x1xf32>
  %1 = tosa.exp %0 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  func.return %1 : tensor<4x1xf32>
}

// A product of floats reads no zero points.
// CHECK-LABEL: func.func @product
// CHECK:         linalg.generic {{.*}} ins(%a, %b : tensor<1x4x8xf32>, tensor<1x8x2xf32>)
func.func @product(%a: tensor<1x4x8xf32>, %b: tensor<1x8x2xf32>) -> tensor<1x4x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x4x8xf32>, tensor<1x8x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x2xf32>
  func.return %0 : tensor<1x4x2xf32>
}

// CHECK-LABEL: func.func @nothing_of_tosa
// CHECK-NEXT:    func.return %x : tensor<4xf32>
func.func @nothing_of_tosa(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
