func.func @f(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e2 = tensor.empty() : tensor<4x8xf32>
  %c = linalg.elementwise kind=#linalg.elementwise_kind<add> indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] ins(%x, %y : tensor<4x8xf32>, tensor<8xf32>) outs(%e2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = linalg.map { math.sqrt } ins(%x : tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>)
  return %c, %m : tensor<4x8xf32>, tensor<4x8xf32>
}
