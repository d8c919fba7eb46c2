// Softmax along the last dimension, as torch-mlir lowers aten.softmax.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
func.func @softmax(%x: tensor<5x12xf32>) -> tensor<5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %keep = tensor.empty() : tensor<5x1xf32>
  %full = tensor.empty() : tensor<5x12xf32>
  %start = linalg.fill ins(%low : f32) outs(%keep : tensor<5x1xf32>) -> tensor<5x1xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x12xf32>) outs(%start : tensor<5x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<5x1xf32>
  %shifted = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<5x12xf32>, tensor<5x1xf32>) outs(%full : tensor<5x12xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %d = arith.subf %in, %m : f32
    linalg.yield %d : f32
  } -> tensor<5x12xf32>
  %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%shifted : tensor<5x12xf32>) outs(%full : tensor<5x12xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  } -> tensor<5x12xf32>
  %none = linalg.fill ins(%zero : f32) outs(%keep : tensor<5x1xf32>) -> tensor<5x1xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%exp : tensor<5x12xf32>) outs(%none : tensor<5x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<5x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<5x12xf32>, tensor<5x1xf32>) outs(%full : tensor<5x12xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %q = arith.divf %in, %s : f32
    linalg.yield %q : f32
  } -> tensor<5x12xf32>
  return %y : tensor<5x12xf32>
}
