func.func @f(%x: tensor<4x4xf32>, %i: tensor<3xi64>) -> (tensor<3x4xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<5xindex>) {
  %e = tensor.empty() : tensor<3x4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<3xi64>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%in: i64, %out: f32):
    %a = arith.index_cast %in : i64 to index
    %b = linalg.index 1 : index
    %v = tensor.extract %x[%a, %b] : tensor<4x4xf32>
    linalg.yield %v : f32
  } -> tensor<3x4xf32>
  %cc = tensor.concat dim(1) %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  %k = arith.constant 2.0 : f32
  %sp = tensor.splat %k : tensor<4xf32>
  %gen = tensor.generate {
  ^bb0(%j: index):
    %q = arith.addi %j, %j : index
    tensor.yield %q : index
  } : tensor<5xindex>
  return %g, %cc, %sp, %gen : tensor<3x4xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<5xindex>
}
