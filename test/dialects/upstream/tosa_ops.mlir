// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// CHECK-LABEL: func.func @quantised
// CHECK:         "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK:         tosa.conv2d %a, %w, %b, %{{.*}}, %{{.*}} {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} :
// CHECK:         tosa.rescale {{.*}} {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} :
// CHECK-LABEL: func.func @floats
// CHECK:         tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
// CHECK:         tosa.clamp %x {max_val = 6.000000e+00 : f32, min_val = 0.000000e+00 : f32, nan_mode = IGNORE} : (tensor<?x4x6x3xf32>) -> tensor<?x4x6x3xf32>
// CHECK:         tosa.resize {{.*}} {mode = NEAREST_NEIGHBOR} : (tensor<?x4x6x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x8x12x3xf32>
// CHECK-LABEL: func.func @data
// CHECK:         tosa.concat %{{.*}}, %{{.*}} {axis = 1 : i32} :
func.func @quantised(%a: tensor<1x4x4x3xi8>, %w: tensor<5x2x2x3xi8>, %b: tensor<5xi32>) -> tensor<1x3x3x5xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %n = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = tosa.conv2d %a, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>, tensor<5x2x2x3xi8>, tensor<5xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x5xi32>
  %1 = tosa.rescale %0, %m, %n, %z32, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x3x3x5xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x3x5xi8>
  return %1 : tensor<1x3x3x5xi8>
}
func.func @floats(%x: tensor<?x4x6x3xf32>) -> (tensor<?x1x1x3xf32>, tensor<?x8x12x3xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %scale = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.clamp %x {max_val = 6.0 : f32, min_val = 0.0 : f32, nan_mode = IGNORE} : (tensor<?x4x6x3xf32>) -> tensor<?x4x6x3xf32>
  %1 = tosa.avg_pool2d %0, %z, %z {acc_type = f32, kernel = array<i64: 4, 6>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<?x4x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x1x1x3xf32>
  %2 = tosa.resize %0, %scale, %offset, %border {mode = NEAREST_NEIGHBOR} : (tensor<?x4x6x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x8x12x3xf32>
  return %1, %2 : tensor<?x1x1x3xf32>, tensor<?x8x12x3xf32>
}
func.func @data(%x: tensor<2x5x4xf32>, %i: tensor<2x3xi32>) -> (tensor<4x10xf32>, tensor<2x3x4xf32>, tensor<2x5xi32>) {
  %s = tosa.const_shape {values = dense<[4, 10]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.transpose %x {perms = array<i32: 2, 0, 1>} : (tensor<2x5x4xf32>) -> tensor<4x2x5xf32>
  %1 = tosa.reshape %0, %s : (tensor<4x2x5xf32>, !tosa.shape<2>) -> tensor<4x10xf32>
  %2 = tosa.gather %x, %i : (tensor<2x5x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>
  %3 = tosa.argmax %x {axis = 2 : i32} : (tensor<2x5x4xf32>) -> tensor<2x5xi32>
  %4 = tosa.concat %2, %2 {axis = 1 : i32} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
  return %1, %2, %3 : tensor<4x10xf32>, tensor<2x3x4xf32>, tensor<2x5xi32>
}
