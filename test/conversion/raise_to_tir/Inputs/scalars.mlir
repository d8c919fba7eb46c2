func.func @f(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<1x4x1xf32>) {
  %v = tensor.extract %s[] : tensor<f32>
  %fe = tensor.from_elements %v, %v, %v, %v : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.mul ins(%x, %fe : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %ex = tensor.expand_shape %y [[0, 1, 2]] output_shape [1, 4, 1] : tensor<4xf32> into tensor<1x4x1xf32>
  return %y, %ex : tensor<4xf32>, tensor<1x4x1xf32>
}
