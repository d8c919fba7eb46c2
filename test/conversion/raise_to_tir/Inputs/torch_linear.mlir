#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
module attributes {torch.debug_module_name = "MLP"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<?x8xf32>) -> tensor<?x4xf32> {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<1.5> : tensor<4x8xf32>
    %cst_1 = arith.constant dense<[1.0, 2.0, -100.0, 4.0]> : tensor<4xf32>
    %0 = tensor.empty() : tensor<8x4xf32>
    %transposed = linalg.transpose ins(%cst_0 : tensor<4x8xf32>) outs(%0 : tensor<8x4xf32>) permutation = [1, 0]
    %dim = tensor.dim %arg0, %c0 : tensor<?x8xf32>
    %1 = tensor.empty(%dim) : tensor<?x4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<?x8xf32>, tensor<8x4xf32>) outs(%2 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %dim_i64 = arith.index_cast %dim : index to i64
    %dim_2 = tensor.dim %3, %c0 : tensor<?x4xf32>
    %dim_2_i64 = arith.index_cast %dim_2 : index to i64
    %ok = arith.cmpi eq, %dim_i64, %dim_2_i64 : i64
    cf.assert %ok, "mismatched size for broadcast"
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %cst_1 : tensor<?x4xf32>, tensor<4xf32>) outs(%1 : tensor<?x4xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %6 = arith.addf %in, %in_3 : f32
      linalg.yield %6 : f32
    } -> tensor<?x4xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<?x4xf32>) outs(%1 : tensor<?x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = arith.cmpf ugt, %in, %cst : f32
      %7 = arith.select %6, %in, %cst : f32
      linalg.yield %7 : f32
    } -> tensor<?x4xf32>
    return %5 : tensor<?x4xf32>
  }
}
