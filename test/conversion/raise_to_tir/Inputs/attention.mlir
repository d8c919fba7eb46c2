// Scaled attention scores of several heads: reshape, transpose, batch matmul, as torch-mlir does.
func.func @scores(%q: tensor<7x8xf32>, %k: tensor<7x8xf32>) -> tensor<2x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %qs = tensor.expand_shape %q [[0], [1, 2]] output_shape [7, 2, 4] : tensor<7x8xf32> into tensor<7x2x4xf32>
  %ks = tensor.expand_shape %k [[0], [1, 2]] output_shape [7, 2, 4] : tensor<7x8xf32> into tensor<7x2x4xf32>
  %e = tensor.empty() : tensor<2x7x4xf32>
  %qt = linalg.transpose ins(%qs : tensor<7x2x4xf32>) outs(%e : tensor<2x7x4xf32>) permutation = [1, 0, 2]
  %f = tensor.empty() : tensor<2x4x7xf32>
  %kt = linalg.transpose ins(%ks : tensor<7x2x4xf32>) outs(%f : tensor<2x4x7xf32>) permutation = [1, 2, 0]
  %g = tensor.empty() : tensor<2x7x7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%g : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %s = linalg.batch_matmul ins(%qt, %kt : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%z : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> ()>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %half : tensor<2x7x7xf32>, f32) outs(%g : tensor<2x7x7xf32>) {
  ^bb0(%in: f32, %h: f32, %out: f32):
    %r = arith.mulf %in, %h : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  return %y : tensor<2x7x7xf32>
}
