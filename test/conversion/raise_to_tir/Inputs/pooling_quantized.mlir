// i8 convolution into i32 with an average pool, on memrefs.
func.func @pool(%x: memref<1x6x6x2xi8>, %w: memref<3x3x2x4xi8>, %t: memref<1x4x4x4xi32>, %win: memref<2x2xi32>, %y: memref<1x2x2x4xi32>) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%t : memref<1x4x4x4xi32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : memref<1x6x6x2xi8>, memref<3x3x2x4xi8>) outs(%t : memref<1x4x4x4xi32>)
  linalg.fill ins(%zero : i32) outs(%y : memref<1x2x2x4xi32>)
  linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t, %win : memref<1x4x4x4xi32>, memref<2x2xi32>) outs(%y : memref<1x2x2x4xi32>)
  return
}
