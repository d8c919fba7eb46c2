func.func @f(%x: tensor<?x12xf32>, %u: tensor<2x3xf32>) -> tensor<?x3x4xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x12xf32>
  %ex = tensor.expand_shape %x [[0], [1, 2]] output_shape [%d, 3, 4] : tensor<?x12xf32> into tensor<?x3x4xf32>
  %u3 = tensor.expand_shape %u [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %ins = tensor.insert_slice %u3 into %ex[0, 0, 1] [2, 3, 1] [1, 1, 1] : tensor<2x3x1xf32> into tensor<?x3x4xf32>
  return %ins : tensor<?x3x4xf32>
}
