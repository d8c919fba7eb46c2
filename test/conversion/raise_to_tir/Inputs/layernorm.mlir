// Layer normalization over the last dimension, by named ops.
func.func @layernorm(%x: tensor<6x16xf32>, %gamma: tensor<16xf32>, %beta: tensor<16xf32>) -> tensor<6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  %count = arith.constant dense<16.0> : tensor<6xf32>
  %rows = tensor.empty() : tensor<6xf32>
  %full = tensor.empty() : tensor<6x16xf32>
  %none = linalg.fill ins(%zero : f32) outs(%rows : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.reduce ins(%x : tensor<6x16xf32>) outs(%none : tensor<6xf32>) dimensions = [1] (%in: f32, %init: f32) {
    %s = arith.addf %in, %init : f32
    linalg.yield %s : f32
  }
  %mean = linalg.div ins(%sum, %count : tensor<6xf32>, tensor<6xf32>) outs(%rows : tensor<6xf32>) -> tensor<6xf32>
  %wide = linalg.broadcast ins(%mean : tensor<6xf32>) outs(%full : tensor<6x16xf32>) dimensions = [1]
  %centered = linalg.sub ins(%x, %wide : tensor<6x16xf32>, tensor<6x16xf32>) outs(%full : tensor<6x16xf32>) -> tensor<6x16xf32>
  %squares = linalg.square ins(%centered : tensor<6x16xf32>) outs(%full : tensor<6x16xf32>) -> tensor<6x16xf32>
  %total = linalg.reduce { arith.addf } ins(%squares : tensor<6x16xf32>) outs(%none : tensor<6xf32>) dimensions = [1]
  %variance = linalg.div ins(%total, %count : tensor<6xf32>, tensor<6xf32>) outs(%rows : tensor<6xf32>) -> tensor<6xf32>
  %scale = linalg.map ins(%variance : tensor<6xf32>) outs(%rows : tensor<6xf32>) (%v: f32, %o: f32) {
    %a = arith.addf %v, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  }
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%centered, %scale, %gamma, %beta : tensor<6x16xf32>, tensor<6xf32>, tensor<16xf32>, tensor<16xf32>) outs(%full : tensor<6x16xf32>) {
  ^bb0(%c: f32, %s: f32, %g: f32, %b: f32, %o: f32):
    %n = arith.mulf %c, %s : f32
    %m = arith.mulf %n, %g : f32
    %r = arith.addf %m, %b : f32
    linalg.yield %r : f32
  } -> tensor<6x16xf32>
  return %y : tensor<6x16xf32>
}
