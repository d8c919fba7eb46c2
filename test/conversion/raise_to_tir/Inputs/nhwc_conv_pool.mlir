func.func @f(%x: tensor<1x6x6x2xf32>, %w: tensor<3x3x2x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x2x2x4xf32>) {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x6x6x2xf32>, tensor<3x3x2x4xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %pe = tensor.empty() : tensor<1x2x2x4xf32>
  %pf = linalg.fill ins(%ninf : f32) outs(%pe : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %win = tensor.empty() : tensor<2x2xf32>
  %p = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%c, %win : tensor<1x4x4x4xf32>, tensor<2x2xf32>) outs(%pf : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %c, %p : tensor<1x4x4x4xf32>, tensor<1x2x2x4xf32>
}
