// Slices, a reshape, a gather, a constant, and an argmax with two results.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @more(%arg0: tensor<4x6xf32>, %arg1: tensor<10x3xf32>, %arg2: tensor<4xi32>) -> (tensor<4x6xf32>, tensor<4x3xf32>, tensor<24xf32>, tensor<4xf32>, tensor<4xi64>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    %extracted_slice = tensor.extract_slice %arg0[1, 2] [2, 2] [1, 2] : tensor<4x6xf32> to tensor<2x2xf32>
    %0 = tensor.empty() : tensor<2x2xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice, %cst_0 : tensor<2x2xf32>, tensor<2xf32>) outs(%0 : tensor<2x2xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %9 = arith.addf %in, %in_2 : f32
      linalg.yield %9 : f32
    } -> tensor<2x2xf32>
    %inserted_slice = tensor.insert_slice %1 into %arg0[0, 0] [2, 2] [2, 1] : tensor<2x2xf32> into tensor<4x6xf32>
    %2 = tensor.empty() : tensor<4x3xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<4xi32>) outs(%2 : tensor<4x3xf32>) {
    ^bb0(%in: i32, %out: f32):
      %9 = arith.index_cast %in : i32 to index
      %10 = linalg.index 1 : index
      %extracted = tensor.extract %arg1[%9, %10] : tensor<10x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x3xf32>
    %collapsed = tensor.collapse_shape %arg0 [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
    %cst_1 = arith.constant 0xFF800000 : f32
    %c0_i64 = arith.constant 0 : i64
    %4 = tensor.empty() : tensor<4xf32>
    %5 = tensor.empty() : tensor<4xi64>
    %6 = linalg.fill ins(%cst_1 : f32) outs(%4 : tensor<4xf32>) -> tensor<4xf32>
    %7 = linalg.fill ins(%c0_i64 : i64) outs(%5 : tensor<4xi64>) -> tensor<4xi64>
    %8:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x6xf32>) outs(%6, %7 : tensor<4xf32>, tensor<4xi64>) {
    ^bb0(%in: f32, %out: f32, %out_2: i64):
      %9 = linalg.index 1 : index
      %10 = arith.index_cast %9 : index to i64
      %11 = arith.cmpf ogt, %in, %out : f32
      %12 = arith.select %11, %in, %out : f32
      %13 = arith.select %11, %10, %out_2 : i64
      linalg.yield %12, %13 : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    return %inserted_slice, %3, %collapsed, %8#0, %8#1 : tensor<4x6xf32>, tensor<4x3xf32>, tensor<24xf32>, tensor<4xf32>, tensor<4xi64>
  }
}

