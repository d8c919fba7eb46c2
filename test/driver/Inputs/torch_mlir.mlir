// linear
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<3x8xf32>) -> tensor<3x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_4_8_torch.float32> : tensor<4x8xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %0 = tensor.empty() : tensor<8x4xf32>
    %transposed = linalg.transpose ins(%cst_0 : tensor<4x8xf32>) outs(%0 : tensor<8x4xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<3x4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<3x8xf32>, tensor<8x4xf32>) outs(%2 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %cst_1 : tensor<3x4xf32>, tensor<4xf32>) outs(%1 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %5 = arith.addf %in, %in_2 : f32
      linalg.yield %5 : f32
    } -> tensor<3x4xf32>
    return %4 : tensor<3x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_8_torch.float32: "0x0400000022792DBB9C36423EB1FC94BE1D3885BED6700BBEAB2AC23D578AE5BB40878F3EDE8300BD9799BF3D5DD3DABD1B548EBDC2EFACBE90C56FBE9F3D15BE4C94563C6B200F3E403B593EDE7075BE86A71DBEA77F033EF750963EE70395BD7A75873E1E6B69BD353C193DA1E8A33E20EDA7BEC5EA63BEAC4FB7BD661F0DBE9E669C3E",
      torch_tensor_4_torch.float32: "0x0400000085AA6ABE86A826BE53EF7CBE2089A9BE"
    }
  }
#-}
// -----
// perceptron
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
module {
  func.func @main(%arg0: tensor<2x4xf32>) -> tensor<2x3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 5.000000e-01 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_2 = arith.constant 0xFF800000 : f32
    %cst_3 = arith.constant dense_resource<torch_tensor_3_torch.float32> : tensor<3xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_3_6_torch.float32> : tensor<3x6xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_6_4_torch.float32> : tensor<6x4xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %cst_7 = arith.constant 1.41421354 : f32
    %0 = tensor.empty() : tensor<4x6xf32>
    %transposed = linalg.transpose ins(%cst_5 : tensor<6x4xf32>) outs(%0 : tensor<4x6xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<2x6xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2x6xf32>) -> tensor<2x6xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<2x4xf32>, tensor<4x6xf32>) outs(%2 : tensor<2x6xf32>) -> tensor<2x6xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %cst_6 : tensor<2x6xf32>, tensor<6xf32>) outs(%1 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %22 = arith.addf %in, %in_9 : f32
      linalg.yield %22 : f32
    } -> tensor<2x6xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<2x6xf32>) outs(%1 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.divf %in, %cst_7 : f32
      %23 = math.erf %22 : f32
      %24 = arith.addf %23, %cst_0 : f32
      %25 = arith.mulf %24, %cst_1 : f32
      %26 = arith.mulf %in, %25 : f32
      linalg.yield %26 : f32
    } -> tensor<2x6xf32>
    %6 = tensor.empty() : tensor<6x3xf32>
    %transposed_8 = linalg.transpose ins(%cst_4 : tensor<3x6xf32>) outs(%6 : tensor<6x3xf32>) permutation = [1, 0] 
    %7 = tensor.empty() : tensor<2x3xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<2x3xf32>) -> tensor<2x3xf32>
    %9 = linalg.matmul ins(%5, %transposed_8 : tensor<2x6xf32>, tensor<6x3xf32>) outs(%8 : tensor<2x3xf32>) -> tensor<2x3xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %cst_3 : tensor<2x3xf32>, tensor<3xf32>) outs(%7 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %22 = arith.addf %in, %in_9 : f32
      linalg.yield %22 : f32
    } -> tensor<2x3xf32>
    %11 = tensor.empty() : tensor<2xi64>
    %12 = linalg.fill ins(%c0_i64 : i64) outs(%11 : tensor<2xi64>) -> tensor<2xi64>
    %13 = tensor.empty() : tensor<2xf32>
    %14 = linalg.fill ins(%cst_2 : f32) outs(%13 : tensor<2xf32>) -> tensor<2xf32>
    %15:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<2x3xf32>) outs(%14, %12 : tensor<2xf32>, tensor<2xi64>) {
    ^bb0(%in: f32, %out: f32, %out_9: i64):
      %22 = linalg.index 1 : index
      %23 = arith.index_cast %22 : index to i64
      %24 = arith.maximumf %in, %out : f32
      %25 = arith.cmpf ogt, %in, %out : f32
      %26 = arith.select %25, %23, %out_9 : i64
      linalg.yield %24, %26 : f32, i64
    } -> (tensor<2xf32>, tensor<2xi64>)
    %expanded = tensor.expand_shape %15#0 [[0, 1]] output_shape [2, 1] : tensor<2xf32> into tensor<2x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %expanded : tensor<2x3xf32>, tensor<2x1xf32>) outs(%7 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %22 = arith.subf %in, %in_9 : f32
      linalg.yield %22 : f32
    } -> tensor<2x3xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<2x3xf32>) outs(%7 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = math.exp %in : f32
      linalg.yield %22 : f32
    } -> tensor<2x3xf32>
    %18 = tensor.empty() : tensor<2x1xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<2x1xf32>) -> tensor<2x1xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "reduction"]} ins(%17 : tensor<2x3xf32>) outs(%19 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %in, %out : f32
      linalg.yield %22 : f32
    } -> tensor<2x1xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel"]} ins(%17, %20 : tensor<2x3xf32>, tensor<2x1xf32>) outs(%7 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %22 = arith.divf %in, %in_9 : f32
      linalg.yield %22 : f32
    } -> tensor<2x3xf32>
    return %21 : tensor<2x3xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_torch.float32: "0x040000005581C8BE60C777BE864CD1BD",
      torch_tensor_3_6_torch.float32: "0x0400000020689DBE3D3BA1BE0346B8BC00127B3DDE332BBE2D0F783EC3657EBE4DA9BD3E583E8F3E0144B0BE1F17D0BD21E8963C3FF9733DB54CC63D9D0D243E0D54C83C0FFA4BBE9DD0453E",
      torch_tensor_6_4_torch.float32: "0x0400000078CACB3DF89CDEBE90663C3DAC27A0BE8C94EEBE3E74E33EF0A6C23EFE5DFFBE08AABF3DC880ACBDB882A8BD1C5F6ABE8CE4443E34A197BEDCB13B3E1676813E5C43B73E48713F3E4A5FFDBE0011A6BE38A67F3E1853D63D96B3C7BEE86893BE",
      torch_tensor_6_torch.float32: "0x04000000F2D4F03E547FAC3EB03E5FBED4DC00BE78DDF3BE803E13BC"
    }
  }
#-}
// -----
// conv1d
module {
  func.func @main(%arg0: tensor<2x3x7xf32>) -> tensor<2x4x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_4_3_3_torch.float32> : tensor<4x3x3xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %padded = tensor.pad %arg0 low[0, 0, 1] high[0, 0, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index):
      tensor.yield %cst : f32
    } : tensor<2x3x7xf32> to tensor<2x3x9xf32>
    %0 = tensor.empty() : tensor<2x4x4xf32>
    %broadcasted = linalg.broadcast ins(%cst_1 : tensor<4xf32>) outs(%0 : tensor<2x4x4xf32>) dimensions = [0, 2] 
    %1 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<2> : vector<1xi64>} ins(%padded, %cst_0 : tensor<2x3x9xf32>, tensor<4x3x3xf32>) outs(%broadcasted : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    return %1 : tensor<2x4x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_3_3_torch.float32: "0x04000000807CC5BC445099BE80D121BE686A683EAB9C0DBB93A829BEACC882BE00B89FBE480B90BE4B788ABD73303B3EF089383EAC98A4BEE8EA543E5C8C85BEA05290BDBE660ABEF67D83BD600986BDD22599BE2E5C93BE8BA555BD00418D3B260F1BBE7B94003E279C99BE0049B8BC6C16963E263A0BBECF1C9A3EF63AF73D1F059ABEF0F5573E4B8D1DBDA05F18BE6379883E",
      torch_tensor_4_torch.float32: "0x0400000038EA89BECB81123DD6ED8EBD1EC0733E"
    }
  }
#-}
// -----
// conv2d
module {
  func.func @main(%arg0: tensor<1x2x5x6xf32>) -> tensor<1x3x5x6xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_3_2_3_3_torch.float32> : tensor<3x2x3x3xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_3_torch.float32> : tensor<3xf32>
    %padded = tensor.pad %arg0 low[0, 0, 2, 2] high[0, 0, 2, 2] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x2x5x6xf32> to tensor<1x2x9x10xf32>
    %0 = tensor.empty() : tensor<1x3x5x6xf32>
    %broadcasted = linalg.broadcast ins(%cst_1 : tensor<3xf32>) outs(%0 : tensor<1x3x5x6xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<2> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %cst_0 : tensor<1x2x9x10xf32>, tensor<3x2x3x3xf32>) outs(%broadcasted : tensor<1x3x5x6xf32>) -> tensor<1x3x5x6xf32>
    return %1 : tensor<1x3x5x6xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_2_3_3_torch.float32: "0x040000000A13353E08659BBDEED3C539C483F83DA06A69BE7A7F2E3ED49547BEE8E5543BF02324BD113CFEBD9A34FF3C9995473EA41B8DBD224B0FBE2887B2BD02396FBE66E5D93D01D5E7BD941121BE1E0C0BBE59C50A3E87A2FF3D973F393ED317AF3D5C35A1BD0CE586BD039C8E3DD467463E503F833D5965E4BD39EAE2BD943264BEA394503D4F7207BEA13057BE63A4533EC7BD1CBEBAA8DBBCB04B8A3DB90EF63BF96722BE871843BE1362403EDE351D3DC93C483EA6D3A1BDF12F8E3DB8C55CBD7BBC2BBC95FF12BE7941A33D7A9E983D19539FBBF52059BD",
      torch_tensor_3_torch.float32: "0x04000000EDC714BE1FE9263E6DAC33BE"
    }
  }
#-}
// -----
// conv3d
module {
  func.func @main(%arg0: tensor<1x2x3x4x3xf32>) -> tensor<1x2x2x3x2xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_2_2_2_2_2_torch.float32> : tensor<2x2x2x2x2xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_2_torch.float32> : tensor<2xf32>
    %padded = tensor.pad %arg0 low[0, 0, 1, 1, 1] high[0, 0, 1, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst : f32
    } : tensor<1x2x3x4x3xf32> to tensor<1x2x5x6x5xf32>
    %0 = tensor.empty() : tensor<1x2x2x3x2xf32>
    %broadcasted = linalg.broadcast ins(%cst_1 : tensor<2xf32>) outs(%0 : tensor<1x2x2x3x2xf32>) dimensions = [0, 2, 3, 4] 
    %1 = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<1> : vector<3xi64>, strides = dense<2> : vector<3xi64>} ins(%padded, %cst_0 : tensor<1x2x5x6x5xf32>, tensor<2x2x2x2x2xf32>) outs(%broadcasted : tensor<1x2x2x3x2xf32>) -> tensor<1x2x2x3x2xf32>
    return %1 : tensor<1x2x2x3x2xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_2_2_2_2_2_torch.float32: "0x04000000C45177BEC65711BEE28D523E429A513E2441373E22AA453EBAA1633EB01A83BDF447E13D0414643E1461A93DCAEA7F3E18C7043E58241F3E2C32B3BDF4ABF53D2054EB3C888C74BD4A4F10BE56A50FBEB2FC44BE4EDC2B3E96FF353EA016E9BCC42414BE22DD453E8CB5233E703C983CB8BBF1BDB8466B3EAC60D13D5A5742BE",
      torch_tensor_2_torch.float32: "0x040000006203753E5266423E"
    }
  }
#-}
// -----
// conv_grouped
module {
  func.func @main(%arg0: tensor<1x4x4x4xf32>) -> tensor<1x6x2x2xf32> {
    %cst = arith.constant dense_resource<torch_tensor_6_2_3_3_torch.float32> : tensor<6x2x3x3xf32>
    %cst_0 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %0 = tensor.empty() : tensor<1x6x2x2xf32>
    %broadcasted = linalg.broadcast ins(%cst_0 : tensor<6xf32>) outs(%0 : tensor<1x6x2x2xf32>) dimensions = [0, 2, 3] 
    %expanded = tensor.expand_shape %arg0 [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 4, 4] : tensor<1x4x4x4xf32> into tensor<1x2x2x4x4xf32>
    %expanded_1 = tensor.expand_shape %cst [[0, 1], [2], [3], [4]] output_shape [2, 3, 2, 3, 3] : tensor<6x2x3x3xf32> into tensor<2x3x2x3x3xf32>
    %expanded_2 = tensor.expand_shape %broadcasted [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 2, 2] : tensor<1x6x2x2xf32> into tensor<1x2x3x2x2xf32>
    %1 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%expanded, %expanded_1 : tensor<1x2x2x4x4xf32>, tensor<2x3x2x3x3xf32>) outs(%expanded_2 : tensor<1x2x3x2x2xf32>) -> tensor<1x2x3x2x2xf32>
    %collapsed = tensor.collapse_shape %1 [[0], [1, 2], [3], [4]] : tensor<1x2x3x2x2xf32> into tensor<1x6x2x2xf32>
    return %collapsed : tensor<1x6x2x2xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_6_2_3_3_torch.float32: "0x04000000ED3E4ABED89602BE0F8F553EBFBA5C3EE8905FBEED3A2A3E2FEBF13D6BDD0E3E4B514C3EA01402BE436E983D598BC53DD9A38EBD0D8BA13D6FE28ABD1739153EB2EE85BD8DF4B3BD360C733D9337AB3DAAD7EBBD9BAFAA3C51E00B3E931DC0BC54E8923DC8D968BD4C31A93DD2D62EBE15ED0DBEF105F5BDC8CF5D3E4DE481BD32B428BAF4DFE9BD48F2703E6EBA6B3EA20736BE9EA943BED2F236BE48FE94BAF21776BD06FB1DBE3923ADBD9866363D3F37FCBD82EC553DD1635DBD56E8E9BD10A3043DA375463E8B2D23BE5F51333CCB02B2BDE4D86C3E1FFE64BEB26167BEE6D46D3E9BB418BEC218393D67A5A6BC3E604BBDCBA057BD905E193E6994383CA2FD6ABE227D0EBE0D8FA4BD67E9F23D0E311CBE0E95633EF00757BD0E5B2DBD6E1E3D3E2F9EF23D9AB34C3EE29C0B3E396F92BD972220BEAFA98FBC04C2473E8202A2BD46D45FBE43E1C53DC9F46A3EFA6B89BDDDD947BE58ED5ABE13F0713D843492BC3CC4F3BD3E25433D0751B73D1DF53F3E0D633B3E978210BD92D254BE01195ABEC05A613E5C63D53DA16BD23D38D450BE99805F3E60A6643EDFE9593E609B4BBE1124B6BD81FF25BE0C8F643E",
      torch_tensor_6_torch.float32: "0x04000000146ACFBD1F63DCBDFEE6FC3D414DDFBDD9BFEDBD75E5A8BC"
    }
  }
#-}
// -----
// conv_depthwise
module {
  func.func @main(%arg0: tensor<1x4x3x4xf32>) -> tensor<1x4x3x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_4_1_3_3_torch.float32> : tensor<4x1x3x3xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x4x3x4xf32> to tensor<1x4x5x6xf32>
    %0 = tensor.empty() : tensor<1x4x3x4xf32>
    %broadcasted = linalg.broadcast ins(%cst_1 : tensor<4xf32>) outs(%0 : tensor<1x4x3x4xf32>) dimensions = [0, 2, 3] 
    %collapsed = tensor.collapse_shape %cst_0 [[0, 1], [2], [3]] : tensor<4x1x3x3xf32> into tensor<4x3x3xf32>
    %1 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %collapsed : tensor<1x4x5x6xf32>, tensor<4x3x3xf32>) outs(%broadcasted : tensor<1x4x3x4xf32>) -> tensor<1x4x3x4xf32>
    return %1 : tensor<1x4x3x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_1_3_3_torch.float32: "0x0400000018EA053E6F0A833E606A4BBDD69158BCB8BF693E16B6B8BDB69C953E8E4363BE16BE13BDABAA92BC6B4E183E885C693E166958BDDF648DBEC620293E1035CC3D061D093EB88E52BE3EAE5B3ED6A5A13E96F1EC3C33699FBED09C6F3E00157DBE10ED9C3D4068463DA8C11FBE96B3ED3D5CA698BEDB7B9B3D7B6358BE76A313BD0B9F2F3D0666913E68DB22BEA3AB5A3E",
      torch_tensor_4_torch.float32: "0x040000008B712DBDD31B22BED29D94BEFE969CBE"
    }
  }
#-}
// -----
// conv_transposed_1d
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @main(%arg0: tensor<1x3x4xf32>) -> tensor<1x2x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_3_2_3_torch.float32> : tensor<3x2x3xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_2_torch.float32> : tensor<2xf32>
    %c2 = arith.constant 2 : index
    %0 = tensor.empty() : tensor<2x3x3xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]} outs(%1 : tensor<2x3x3xf32>) {
    ^bb0(%out: f32):
      %7 = linalg.index 0 : index
      %8 = linalg.index 1 : index
      %9 = linalg.index 2 : index
      %10 = arith.subi %c2, %9 : index
      %extracted = tensor.extract %cst_0[%8, %7, %10] : tensor<3x2x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x3x3xf32>
    %3 = tensor.empty() : tensor<1x3x10xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x3x10xf32>) -> tensor<1x3x10xf32>
    %inserted_slice = tensor.insert_slice %arg0 into %4[0, 0, 1] [1, 3, 4] [1, 1, 2] : tensor<1x3x4xf32> into tensor<1x3x10xf32>
    %5 = tensor.empty() : tensor<1x2x8xf32>
    %broadcasted = linalg.broadcast ins(%cst_1 : tensor<2xf32>) outs(%5 : tensor<1x2x8xf32>) dimensions = [0, 2] 
    %6 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>} ins(%inserted_slice, %2 : tensor<1x3x10xf32>, tensor<2x3x3xf32>) outs(%broadcasted : tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
    return %6 : tensor<1x2x8xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_2_3_torch.float32: "0x040000001874BCBE3BF3BC3E5D62163EBC7192BEC119B4BD2258B53EAB5EA0BEED5EF4BD661C093E3E1FB7BE172C653EED9C593E26A3813E194385BEF02FD03E3FCD77BE1FADD03EF698C8BE",
      torch_tensor_2_torch.float32: "0x04000000BC3BBABE9961803E"
    }
  }
#-}
// -----
// conv_transposed_2d
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
module {
  func.func @main(%arg0: tensor<1x4x3x3xf32>) -> tensor<1x4x5x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_4_2_3_3_torch.float32> : tensor<4x2x3x3xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %c2 = arith.constant 2 : index
    %expanded = tensor.expand_shape %cst_0 [[0, 1], [2], [3], [4]] output_shape [2, 2, 2, 3, 3] : tensor<4x2x3x3xf32> into tensor<2x2x2x3x3xf32>
    %0 = tensor.empty() : tensor<2x2x2x3x3xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x2x2x3x3xf32>) -> tensor<2x2x2x3x3xf32>
    %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%1 : tensor<2x2x2x3x3xf32>) {
    ^bb0(%out: f32):
      %7 = linalg.index 0 : index
      %8 = linalg.index 1 : index
      %9 = linalg.index 2 : index
      %10 = linalg.index 3 : index
      %11 = linalg.index 4 : index
      %12 = arith.subi %c2, %10 : index
      %13 = arith.subi %c2, %11 : index
      %extracted = tensor.extract %expanded[%7, %9, %8, %12, %13] : tensor<2x2x2x3x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x2x3x3xf32>
    %3 = tensor.empty() : tensor<1x4x7x7xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
    %inserted_slice = tensor.insert_slice %arg0 into %4[0, 0, 1, 1] [1, 4, 3, 3] [1, 1, 2, 2] : tensor<1x4x3x3xf32> into tensor<1x4x7x7xf32>
    %5 = tensor.empty() : tensor<1x4x5x5xf32>
    %broadcasted = linalg.broadcast ins(%cst_1 : tensor<4xf32>) outs(%5 : tensor<1x4x5x5xf32>) dimensions = [0, 2, 3] 
    %expanded_2 = tensor.expand_shape %inserted_slice [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 7, 7] : tensor<1x4x7x7xf32> into tensor<1x2x2x7x7xf32>
    %expanded_3 = tensor.expand_shape %broadcasted [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 5, 5] : tensor<1x4x5x5xf32> into tensor<1x2x2x5x5xf32>
    %6 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%expanded_2, %2 : tensor<1x2x2x7x7xf32>, tensor<2x2x2x3x3xf32>) outs(%expanded_3 : tensor<1x2x2x5x5xf32>) -> tensor<1x2x2x5x5xf32>
    %collapsed = tensor.collapse_shape %6 [[0], [1, 2], [3], [4]] : tensor<1x2x2x5x5xf32> into tensor<1x4x5x5xf32>
    return %collapsed : tensor<1x4x5x5xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_2_3_3_torch.float32: "0x040000000101703E6BCF0BBEE1F82B3D7514E43CC152E2BDD4C6A6BD04BF823D2ED527BEF74A1F3D55E2D03D8F39BEBD9A7B483EA9247EBCF103DB3DFC046F3E3B8D93BD1128033E4F128ABD31060DBD169D23BD7EEEBFBA0F5BB6BD2249623D1883113CBEFE183ED46843BDD5A0C13C0791B3BD89204ABE1B57C33D0E12F73C2052C1BD9D35A3BD747B7C3D35912EBDEDB81D3ECABD5A3C2457B63D8B51D23DB7E26CBDF0DAD03D5F1B323E12B6313CD7ED3C3D9D510C3CF41B273E27CDCBBD9A4C00BEA158D23DE90E52BE32A7773B70FFDDBD1C4E1F3EFBB660BE0958123E4FCA6E3EB758433DCBA580BCF1946D3E6F4ACEBD4CBA9ABC7C62D3BD234505BDB1D3513DEDF1003DC65836BD165271BEB7BC453CF3C8E4BBB53C113D05F1383E749A6A3E",
      torch_tensor_4_torch.float32: "0x04000000B3310FBE0ACC70BC9769C1BD94725EBE"
    }
  }
#-}
// -----
// conv_transposed_3d
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
module {
  func.func @main(%arg0: tensor<1x2x2x2x3xf32>) -> tensor<1x1x4x4x6xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_2_1_2_2_2_torch.float32> : tensor<2x1x2x2x2xf32>
    %cst_1 = arith.constant dense<-0.215098202> : tensor<1xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = tensor.empty() : tensor<1x2x2x2x2xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x2x2x2x2xf32>) -> tensor<1x2x2x2x2xf32>
    %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%1 : tensor<1x2x2x2x2xf32>) {
    ^bb0(%out: f32):
      %7 = linalg.index 1 : index
      %8 = linalg.index 2 : index
      %9 = linalg.index 3 : index
      %10 = linalg.index 4 : index
      %11 = arith.subi %c1, %8 : index
      %12 = arith.subi %c1, %9 : index
      %13 = arith.subi %c1, %10 : index
      %extracted = tensor.extract %cst_0[%7, %c0, %11, %12, %13] : tensor<2x1x2x2x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x2x2x2x2xf32>
    %3 = tensor.empty() : tensor<1x2x5x5x7xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x2x5x5x7xf32>) -> tensor<1x2x5x5x7xf32>
    %inserted_slice = tensor.insert_slice %arg0 into %4[0, 0, 1, 1, 1] [1, 2, 2, 2, 3] [1, 1, 2, 2, 2] : tensor<1x2x2x2x3xf32> into tensor<1x2x5x5x7xf32>
    %5 = tensor.empty() : tensor<1x1x4x4x6xf32>
    %broadcasted = linalg.broadcast ins(%cst_1 : tensor<1xf32>) outs(%5 : tensor<1x1x4x4x6xf32>) dimensions = [0, 2, 3, 4] 
    %6 = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<1> : vector<3xi64>, strides = dense<1> : vector<3xi64>} ins(%inserted_slice, %2 : tensor<1x2x5x5x7xf32>, tensor<1x2x2x2x2xf32>) outs(%broadcasted : tensor<1x1x4x4x6xf32>) -> tensor<1x1x4x4x6xf32>
    return %6 : tensor<1x1x4x4x6xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_2_1_2_2_2_torch.float32: "0x0400000091B6A03E57D05D3EB1B1703EA77798BE3606833EACE8AABE95C2A13DDE256DBED4CC0FBE2736803DAC580EBE9A2165BD1593ABBEA4ADAABE8C3D0C3E403E19BE"
    }
  }
#-}
// -----
// batch_norm
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
module {
  func.func @main(%arg0: tensor<2x4x2x3xf32>) -> tensor<2x4x2x3xf32> {
    %cst = arith.constant dense_resource<torch_tensor_4_torch.float32_3> : tensor<4xf32>
    %cst_0 = arith.constant dense_resource<torch_tensor_4_torch.float32_2> : tensor<4xf32>
    %cst_1 = arith.constant 1.000000e-05 : f64
    %cst_2 = arith.constant dense_resource<torch_tensor_4_torch.float32_1> : tensor<4xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %0 = tensor.empty() : tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_2 : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %8 = arith.truncf %cst_1 : f64 to f32
      %9 = arith.addf %in, %8 : f32
      linalg.yield %9 : f32
    } -> tensor<4xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %8 = math.rsqrt %in : f32
      linalg.yield %8 : f32
    } -> tensor<4xf32>
    %expanded = tensor.expand_shape %cst_3 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %expanded_4 = tensor.expand_shape %2 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %3 = tensor.empty() : tensor<2x4x2x3xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %expanded : tensor<2x4x2x3xf32>, tensor<4x1x1xf32>) outs(%3 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %8 = arith.subf %in, %in_7 : f32
      linalg.yield %8 : f32
    } -> tensor<2x4x2x3xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %expanded_4 : tensor<2x4x2x3xf32>, tensor<4x1x1xf32>) outs(%3 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %8 = arith.mulf %in, %in_7 : f32
      linalg.yield %8 : f32
    } -> tensor<2x4x2x3xf32>
    %expanded_5 = tensor.expand_shape %cst_0 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5, %expanded_5 : tensor<2x4x2x3xf32>, tensor<4x1x1xf32>) outs(%3 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %8 = arith.mulf %in, %in_7 : f32
      linalg.yield %8 : f32
    } -> tensor<2x4x2x3xf32>
    %expanded_6 = tensor.expand_shape %cst [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %expanded_6 : tensor<2x4x2x3xf32>, tensor<4x1x1xf32>) outs(%3 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %8 = arith.addf %in, %in_7 : f32
      linalg.yield %8 : f32
    } -> tensor<2x4x2x3xf32>
    return %7 : tensor<2x4x2x3xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32_3: "0x0400000000000000000000000000000000000000",
      torch_tensor_4_torch.float32_2: "0x040000000000803F0000803F0000803F0000803F",
      torch_tensor_4_torch.float32_1: "0x040000000000803F0000803F0000803F0000803F",
      torch_tensor_4_torch.float32: "0x0400000000000000000000000000000000000000"
    }
  }
#-}
// -----
// layer_norm
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @main(%arg0: tensor<2x3x6xf32>) -> tensor<2x3x6xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e-05 : f64
    %cst_1 = arith.constant dense_resource<torch_tensor_6_torch.float32_1> : tensor<6xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %cst_3 = arith.constant 6.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x3x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x3x6xf32>) outs(%1 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.addf %in, %out : f32
      linalg.yield %16 : f32
    } -> tensor<2x3x1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<2x3x1xf32>) outs(%0 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.divf %in, %cst_3 : f32
      linalg.yield %16 : f32
    } -> tensor<2x3x1xf32>
    %4 = tensor.empty() : tensor<2x3x6xf32>
    %collapsed = tensor.collapse_shape %3 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed : tensor<2x3xf32>) outs(%4 : tensor<2x3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x6xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %5 : tensor<2x3x6xf32>, tensor<2x3x6xf32>) outs(%4 : tensor<2x3x6xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %16 = arith.subf %in, %in_5 : f32
      linalg.yield %16 : f32
    } -> tensor<2x3x6xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x3x6xf32>, tensor<2x3x6xf32>) outs(%4 : tensor<2x3x6xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %16 = arith.mulf %in, %in_5 : f32
      linalg.yield %16 : f32
    } -> tensor<2x3x6xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<2x3x6xf32>) outs(%1 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.addf %in, %out : f32
      linalg.yield %16 : f32
    } -> tensor<2x3x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x3x1xf32>) outs(%0 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.divf %in, %cst_3 : f32
      linalg.yield %16 : f32
    } -> tensor<2x3x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x3x1xf32>) outs(%0 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.truncf %cst_0 : f64 to f32
      %17 = arith.addf %in, %16 : f32
      linalg.yield %17 : f32
    } -> tensor<2x3x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x3x1xf32>) outs(%0 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = math.rsqrt %in : f32
      linalg.yield %16 : f32
    } -> tensor<2x3x1xf32>
    %collapsed_4 = tensor.collapse_shape %11 [[0], [1, 2]] : tensor<2x3x1xf32> into tensor<2x3xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_4 : tensor<2x3xf32>) outs(%4 : tensor<2x3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x6xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %12 : tensor<2x3x6xf32>, tensor<2x3x6xf32>) outs(%4 : tensor<2x3x6xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %16 = arith.mulf %in, %in_5 : f32
      linalg.yield %16 : f32
    } -> tensor<2x3x6xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %cst_2 : tensor<2x3x6xf32>, tensor<6xf32>) outs(%4 : tensor<2x3x6xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %16 = arith.mulf %in, %in_5 : f32
      linalg.yield %16 : f32
    } -> tensor<2x3x6xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %cst_1 : tensor<2x3x6xf32>, tensor<6xf32>) outs(%4 : tensor<2x3x6xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %16 = arith.addf %in, %in_5 : f32
      linalg.yield %16 : f32
    } -> tensor<2x3x6xf32>
    return %15 : tensor<2x3x6xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_6_torch.float32_1: "0x04000000000000000000000000000000000000000000000000000000",
      torch_tensor_6_torch.float32: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}
// -----
// group_norm
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
module {
  func.func @main(%arg0: tensor<2x4x2x3xf32>) -> tensor<2x4x2x3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_4_torch.float32_1> : tensor<4xf32>
    %cst_3 = arith.constant 1.000000e-05 : f64
    %cst_4 = arith.constant 1.200000e+01 : f32
    %cst_5 = arith.constant 1.200000e+01 : f64
    %collapsed = tensor.collapse_shape %arg0 [[0], [1, 2, 3]] : tensor<2x4x2x3xf32> into tensor<2x24xf32>
    %expanded = tensor.expand_shape %collapsed [[0], [1, 2]] output_shape [2, 2, 12] : tensor<2x24xf32> into tensor<2x2x12xf32>
    %0 = tensor.empty() : tensor<2x2x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%expanded : tensor<2x2x12xf32>) outs(%1 : tensor<2x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.addf %in, %out : f32
      linalg.yield %23 : f32
    } -> tensor<2x2x1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<2x2x1xf32>) outs(%0 : tensor<2x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.divf %in, %cst_4 : f32
      linalg.yield %23 : f32
    } -> tensor<2x2x1xf32>
    %4 = tensor.empty() : tensor<2x2x12xf64>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x2x12xf32>) outs(%4 : tensor<2x2x12xf64>) {
    ^bb0(%in: f32, %out: f64):
      %23 = arith.extf %in : f32 to f64
      linalg.yield %23 : f64
    } -> tensor<2x2x12xf64>
    %6 = tensor.empty() : tensor<2x2x1xf64>
    %7 = linalg.fill ins(%cst_0 : f64) outs(%6 : tensor<2x2x1xf64>) -> tensor<2x2x1xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%5 : tensor<2x2x12xf64>) outs(%7 : tensor<2x2x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %23 = arith.addf %in, %out : f64
      linalg.yield %23 : f64
    } -> tensor<2x2x1xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x2x1xf64>) outs(%6 : tensor<2x2x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %23 = arith.divf %in, %cst_5 : f64
      linalg.yield %23 : f64
    } -> tensor<2x2x1xf64>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %9 : tensor<2x2x12xf64>, tensor<2x2x1xf64>) outs(%4 : tensor<2x2x12xf64>) {
    ^bb0(%in: f64, %in_10: f64, %out: f64):
      %23 = arith.subf %in, %in_10 : f64
      linalg.yield %23 : f64
    } -> tensor<2x2x12xf64>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %10 : tensor<2x2x12xf64>, tensor<2x2x12xf64>) outs(%4 : tensor<2x2x12xf64>) {
    ^bb0(%in: f64, %in_10: f64, %out: f64):
      %23 = arith.mulf %in, %in_10 : f64
      linalg.yield %23 : f64
    } -> tensor<2x2x12xf64>
    %12 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<2x2x12xf64>) outs(%7 : tensor<2x2x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %23 = arith.addf %in, %out : f64
      linalg.yield %23 : f64
    } -> tensor<2x2x1xf64>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<2x2x1xf64>) outs(%6 : tensor<2x2x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %23 = arith.divf %in, %cst_5 : f64
      linalg.yield %23 : f64
    } -> tensor<2x2x1xf64>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x2x1xf64>) outs(%0 : tensor<2x2x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %23 = arith.truncf %in : f64 to f32
      linalg.yield %23 : f32
    } -> tensor<2x2x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<2x2x1xf32>) outs(%0 : tensor<2x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.truncf %cst_3 : f64 to f32
      %24 = arith.addf %in, %23 : f32
      linalg.yield %24 : f32
    } -> tensor<2x2x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x2x1xf32>) outs(%0 : tensor<2x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = math.rsqrt %in : f32
      linalg.yield %23 : f32
    } -> tensor<2x2x1xf32>
    %17 = tensor.empty() : tensor<2x2x12xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %3 : tensor<2x2x12xf32>, tensor<2x2x1xf32>) outs(%17 : tensor<2x2x12xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %23 = arith.subf %in, %in_10 : f32
      linalg.yield %23 : f32
    } -> tensor<2x2x12xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %16 : tensor<2x2x12xf32>, tensor<2x2x1xf32>) outs(%17 : tensor<2x2x12xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %23 = arith.mulf %in, %in_10 : f32
      linalg.yield %23 : f32
    } -> tensor<2x2x12xf32>
    %collapsed_6 = tensor.collapse_shape %19 [[0], [1, 2]] : tensor<2x2x12xf32> into tensor<2x24xf32>
    %expanded_7 = tensor.expand_shape %collapsed_6 [[0], [1, 2, 3]] output_shape [2, 4, 2, 3] : tensor<2x24xf32> into tensor<2x4x2x3xf32>
    %expanded_8 = tensor.expand_shape %cst_1 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %20 = tensor.empty() : tensor<2x4x2x3xf32>
    %21 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7, %expanded_8 : tensor<2x4x2x3xf32>, tensor<4x1x1xf32>) outs(%20 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %23 = arith.mulf %in, %in_10 : f32
      linalg.yield %23 : f32
    } -> tensor<2x4x2x3xf32>
    %expanded_9 = tensor.expand_shape %cst_2 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %expanded_9 : tensor<2x4x2x3xf32>, tensor<4x1x1xf32>) outs(%20 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %23 = arith.addf %in, %in_10 : f32
      linalg.yield %23 : f32
    } -> tensor<2x4x2x3xf32>
    return %22 : tensor<2x4x2x3xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32: "0x040000000000803F0000803F0000803F0000803F",
      torch_tensor_4_torch.float32_1: "0x0400000000000000000000000000000000000000"
    }
  }
#-}
// -----
// instance_norm
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d1)>
module {
  func.func @main(%arg0: tensor<2x4x2x3xf32>) -> tensor<2x4x2x3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_4_torch.float32_1> : tensor<4xf32>
    %cst_2 = arith.constant 1.000000e-05 : f64
    %cst_3 = arith.constant 6.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x4x1x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x4x1x1xf32>) -> tensor<2x4x1x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%arg0 : tensor<2x4x2x3xf32>) outs(%1 : tensor<2x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.addf %in, %out : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x1x1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x4x1x1xf32>) outs(%0 : tensor<2x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.divf %in, %cst_3 : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x1x1xf32>
    %4 = tensor.empty() : tensor<2x4x2x3xf32>
    %collapsed = tensor.collapse_shape %3 [[0], [1, 2, 3]] : tensor<2x4x1x1xf32> into tensor<2x4xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed : tensor<2x4xf32>) outs(%4 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x2x3xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %5 : tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>) outs(%4 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %18 = arith.subf %in, %in_5 : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x2x3xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>) outs(%4 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %18 = arith.mulf %in, %in_5 : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x2x3xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%7 : tensor<2x4x2x3xf32>) outs(%1 : tensor<2x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.addf %in, %out : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<2x4x1x1xf32>) outs(%0 : tensor<2x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.divf %in, %cst_3 : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x1x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x4x1x1xf32>) outs(%0 : tensor<2x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.truncf %cst_2 : f64 to f32
      %19 = arith.addf %in, %18 : f32
      linalg.yield %19 : f32
    } -> tensor<2x4x1x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<2x4x1x1xf32>) outs(%0 : tensor<2x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = math.rsqrt %in : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x1x1xf32>
    %collapsed_4 = tensor.collapse_shape %11 [[0], [1, 2, 3]] : tensor<2x4x1x1xf32> into tensor<2x4xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_4 : tensor<2x4xf32>) outs(%4 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x2x3xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %12 : tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>) outs(%4 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %18 = arith.mulf %in, %in_5 : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x2x3xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<4xf32>) outs(%4 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x2x3xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<4xf32>) outs(%4 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x2x3xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %14 : tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>) outs(%4 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %18 = arith.mulf %in, %in_5 : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x2x3xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %15 : tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>) outs(%4 : tensor<2x4x2x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %18 = arith.addf %in, %in_5 : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x2x3xf32>
    return %17 : tensor<2x4x2x3xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32: "0x040000000000803F0000803F0000803F0000803F",
      torch_tensor_4_torch.float32_1: "0x0400000000000000000000000000000000000000"
    }
  }
#-}
// -----
// rms_norm
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %cst_1 = arith.constant 6.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x6xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg0 : tensor<2x6xf32>, tensor<2x6xf32>) outs(%0 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %9 = arith.mulf %in, %in_2 : f32
      linalg.yield %9 : f32
    } -> tensor<2x6xf32>
    %2 = tensor.empty() : tensor<2x1xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<2x1xf32>) -> tensor<2x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<2x6xf32>) outs(%3 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.addf %in, %out : f32
      linalg.yield %9 : f32
    } -> tensor<2x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<2x1xf32>) outs(%2 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.divf %in, %cst_1 : f32
      linalg.yield %9 : f32
    } -> tensor<2x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<2x1xf32>) outs(%2 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = math.rsqrt %in : f32
      linalg.yield %9 : f32
    } -> tensor<2x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<2x6xf32>, tensor<2x1xf32>) outs(%0 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %9 = arith.mulf %in, %in_2 : f32
      linalg.yield %9 : f32
    } -> tensor<2x6xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %cst_0 : tensor<2x6xf32>, tensor<6xf32>) outs(%0 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %9 = arith.mulf %in, %in_2 : f32
      linalg.yield %9 : f32
    } -> tensor<2x6xf32>
    return %8 : tensor<2x6xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_6_torch.float32: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}
// -----
// attention
#map = affine_map<(d0, d1, d2) -> (d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x3x4xf32>, %arg2: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_4_4_torch.float32> : tensor<4x4xf32>
    %cst_3 = arith.constant 0.70710678118654757 : f64
    %cst_4 = arith.constant dense_resource<torch_tensor_12_torch.float32> : tensor<12xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_12_4_torch.float32> : tensor<12x4xf32>
    %0 = tensor.empty() : tensor<3x2x4xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<2x3x4xf32>) outs(%0 : tensor<3x2x4xf32>) permutation = [1, 0, 2] 
    %1 = tensor.empty() : tensor<4x12xf32>
    %transposed_6 = linalg.transpose ins(%cst_5 : tensor<12x4xf32>) outs(%1 : tensor<4x12xf32>) permutation = [1, 0] 
    %2 = tensor.empty() : tensor<3x4x12xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_6 : tensor<4x12xf32>) outs(%2 : tensor<3x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4x12xf32>
    %4 = tensor.empty() : tensor<3x2x12xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<3x2x12xf32>) -> tensor<3x2x12xf32>
    %6 = linalg.batch_matmul ins(%transposed, %3 : tensor<3x2x4xf32>, tensor<3x4x12xf32>) outs(%5 : tensor<3x2x12xf32>) -> tensor<3x2x12xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %cst_4 : tensor<3x2x12xf32>, tensor<12xf32>) outs(%4 : tensor<3x2x12xf32>) {
    ^bb0(%in: f32, %in_26: f32, %out: f32):
      %35 = arith.addf %in, %in_26 : f32
      linalg.yield %35 : f32
    } -> tensor<3x2x12xf32>
    %expanded = tensor.expand_shape %7 [[0, 1], [2], [3, 4]] output_shape [1, 3, 2, 3, 4] : tensor<3x2x12xf32> into tensor<1x3x2x3x4xf32>
    %8 = tensor.empty() : tensor<3x3x2x1x4xf32>
    %transposed_7 = linalg.transpose ins(%expanded : tensor<1x3x2x3x4xf32>) outs(%8 : tensor<3x3x2x1x4xf32>) permutation = [3, 1, 2, 0, 4] 
    %collapsed = tensor.collapse_shape %transposed_7 [[0], [1], [2, 3], [4]] : tensor<3x3x2x1x4xf32> into tensor<3x3x2x4xf32>
    %extracted_slice = tensor.extract_slice %collapsed[0, 0, 0, 0] [1, 3, 2, 4] [1, 1, 1, 1] : tensor<3x3x2x4xf32> to tensor<1x3x2x4xf32>
    %extracted_slice_8 = tensor.extract_slice %collapsed[1, 0, 0, 0] [1, 3, 2, 4] [1, 1, 1, 1] : tensor<3x3x2x4xf32> to tensor<1x3x2x4xf32>
    %extracted_slice_9 = tensor.extract_slice %collapsed[2, 0, 0, 0] [1, 3, 2, 4] [1, 1, 1, 1] : tensor<3x3x2x4xf32> to tensor<1x3x2x4xf32>
    %collapsed_10 = tensor.collapse_shape %extracted_slice [[0, 1], [2, 3]] : tensor<1x3x2x4xf32> into tensor<3x8xf32>
    %expanded_11 = tensor.expand_shape %collapsed_10 [[0], [1, 2]] output_shape [3, 4, 2] : tensor<3x8xf32> into tensor<3x4x2xf32>
    %9 = tensor.empty() : tensor<4x3x2xf32>
    %transposed_12 = linalg.transpose ins(%expanded_11 : tensor<3x4x2xf32>) outs(%9 : tensor<4x3x2xf32>) permutation = [1, 0, 2] 
    %collapsed_13 = tensor.collapse_shape %extracted_slice_8 [[0, 1], [2, 3]] : tensor<1x3x2x4xf32> into tensor<3x8xf32>
    %expanded_14 = tensor.expand_shape %collapsed_13 [[0], [1, 2]] output_shape [3, 4, 2] : tensor<3x8xf32> into tensor<3x4x2xf32>
    %collapsed_15 = tensor.collapse_shape %extracted_slice_9 [[0, 1], [2, 3]] : tensor<1x3x2x4xf32> into tensor<3x8xf32>
    %expanded_16 = tensor.expand_shape %collapsed_15 [[0], [1, 2]] output_shape [3, 4, 2] : tensor<3x8xf32> into tensor<3x4x2xf32>
    %transposed_17 = linalg.transpose ins(%expanded_16 : tensor<3x4x2xf32>) outs(%9 : tensor<4x3x2xf32>) permutation = [1, 0, 2] 
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_12 : tensor<4x3x2xf32>) outs(%9 : tensor<4x3x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.truncf %cst_3 : f64 to f32
      %36 = arith.mulf %in, %35 : f32
      linalg.yield %36 : f32
    } -> tensor<4x3x2xf32>
    %11 = tensor.empty() : tensor<4x2x3xf32>
    %transposed_18 = linalg.transpose ins(%expanded_14 : tensor<3x4x2xf32>) outs(%11 : tensor<4x2x3xf32>) permutation = [1, 2, 0] 
    %12 = tensor.empty() : tensor<4x3x3xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
    %14 = linalg.batch_matmul ins(%10, %transposed_18 : tensor<4x3x2xf32>, tensor<4x2x3xf32>) outs(%13 : tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
    %15 = tensor.empty() : tensor<4x3xi64>
    %16 = linalg.fill ins(%c0_i64 : i64) outs(%15 : tensor<4x3xi64>) -> tensor<4x3xi64>
    %17 = tensor.empty() : tensor<4x3xf32>
    %18 = linalg.fill ins(%cst_0 : f32) outs(%17 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %19:2 = linalg.generic {indexing_maps = [#map1, #map3, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<4x3x3xf32>) outs(%18, %16 : tensor<4x3xf32>, tensor<4x3xi64>) {
    ^bb0(%in: f32, %out: f32, %out_26: i64):
      %35 = linalg.index 2 : index
      %36 = arith.index_cast %35 : index to i64
      %37 = arith.maximumf %in, %out : f32
      %38 = arith.cmpf ogt, %in, %out : f32
      %39 = arith.select %38, %36, %out_26 : i64
      linalg.yield %37, %39 : f32, i64
    } -> (tensor<4x3xf32>, tensor<4x3xi64>)
    %expanded_19 = tensor.expand_shape %19#0 [[0], [1, 2]] output_shape [4, 3, 1] : tensor<4x3xf32> into tensor<4x3x1xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %expanded_19 : tensor<4x3x3xf32>, tensor<4x3x1xf32>) outs(%12 : tensor<4x3x3xf32>) {
    ^bb0(%in: f32, %in_26: f32, %out: f32):
      %35 = arith.subf %in, %in_26 : f32
      linalg.yield %35 : f32
    } -> tensor<4x3x3xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<4x3x3xf32>) outs(%12 : tensor<4x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = math.exp %in : f32
      linalg.yield %35 : f32
    } -> tensor<4x3x3xf32>
    %22 = tensor.empty() : tensor<4x3x1xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<4x3x1xf32>) -> tensor<4x3x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%21 : tensor<4x3x3xf32>) outs(%23 : tensor<4x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %out : f32
      linalg.yield %35 : f32
    } -> tensor<4x3x1xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %24 : tensor<4x3x3xf32>, tensor<4x3x1xf32>) outs(%12 : tensor<4x3x3xf32>) {
    ^bb0(%in: f32, %in_26: f32, %out: f32):
      %35 = arith.divf %in, %in_26 : f32
      linalg.yield %35 : f32
    } -> tensor<4x3x3xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%9 : tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
    %27 = linalg.batch_matmul ins(%25, %transposed_17 : tensor<4x3x3xf32>, tensor<4x3x2xf32>) outs(%26 : tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
    %28 = tensor.empty() : tensor<3x4x2xf32>
    %transposed_20 = linalg.transpose ins(%27 : tensor<4x3x2xf32>) outs(%28 : tensor<3x4x2xf32>) permutation = [1, 0, 2] 
    %collapsed_21 = tensor.collapse_shape %transposed_20 [[0, 1, 2]] : tensor<3x4x2xf32> into tensor<24xf32>
    %expanded_22 = tensor.expand_shape %collapsed_21 [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
    %29 = tensor.empty() : tensor<4x4xf32>
    %transposed_23 = linalg.transpose ins(%cst_2 : tensor<4x4xf32>) outs(%29 : tensor<4x4xf32>) permutation = [1, 0] 
    %30 = tensor.empty() : tensor<6x4xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<6x4xf32>) -> tensor<6x4xf32>
    %32 = linalg.matmul ins(%expanded_22, %transposed_23 : tensor<6x4xf32>, tensor<4x4xf32>) outs(%31 : tensor<6x4xf32>) -> tensor<6x4xf32>
    %33 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%32, %cst_1 : tensor<6x4xf32>, tensor<4xf32>) outs(%30 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %in_26: f32, %out: f32):
      %35 = arith.addf %in, %in_26 : f32
      linalg.yield %35 : f32
    } -> tensor<6x4xf32>
    %expanded_24 = tensor.expand_shape %33 [[0, 1], [2]] output_shape [3, 2, 4] : tensor<6x4xf32> into tensor<3x2x4xf32>
    %34 = tensor.empty() : tensor<2x3x4xf32>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<3x2x4xf32>) outs(%34 : tensor<2x3x4xf32>) permutation = [1, 0, 2] 
    return %transposed_25 : tensor<2x3x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32: "0x0400000000000000000000000000000000000000",
      torch_tensor_4_4_torch.float32: "0x04000000C4678DBEFCE3503EDA4BDFBEF8B1EEBED85AFCBEA86D5C3E28297D3E0AFF9EBE18EEFD3DACF9BC3EE0C9943DD8A8D8BDA04F173D309A5BBD52E5803EB0D3ADBE",
      torch_tensor_12_torch.float32: "0x04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_12_4_torch.float32: "0x0400000079F9193F713577BE7CA32FBE72409C3E26A1F5BEC7FA773E5B4C123E57A1C53E502B08BF6C3D02BF4CD18C3E8DE0613EECE911BF7AD8AEBE52700FBF9A9FE0BE7D778DBE24BB013F31A3F9BD3B14B43E04E1143F4BE38E3EFA560CBF1DC79D3E9A2F6F3E8B02F33E03A41ABF30D4C03E1152003FCFD911BF4537833DFCD3053F4E09E4BEE9C04D3E3C8B8A3E4359243EB7DE1B3FA05B003FD17F063F0A539CBD957B033FEE1712BF4931A9BE4A1E06BE75463ABE20CE103F28E2933E93DBC93E"
    }
  }
#-}
// -----
// attention_causal
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x3x4xf32>, %arg2: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<1x2x3x3xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%1 : tensor<1x2x3x3xf32>) {
    ^bb0(%out: f32):
      %6 = linalg.index 2 : index
      %7 = linalg.index 3 : index
      %8 = arith.cmpi sge, %6, %7 : index
      %9 = arith.select %8, %cst, %cst_0 : f32
      linalg.yield %9 : f32
    } -> tensor<1x2x3x3xf32>
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<1x2x3x4xf32> into tensor<2x3x4xf32>
    %collapsed_1 = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<1x2x3x4xf32> into tensor<2x3x4xf32>
    %collapsed_2 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<1x2x3x4xf32> into tensor<2x3x4xf32>
    %collapsed_3 = tensor.collapse_shape %2 [[0, 1], [2], [3]] : tensor<1x2x3x3xf32> into tensor<2x3x3xf32>
    %3 = tensor.empty() : tensor<2x3x4xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %5 = tm_tensor.attention ins(%collapsed, %collapsed_1, %collapsed_2, %collapsed_3 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x3xf32>) outs(%4 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %expanded = tensor.expand_shape %5 [[0, 1], [2], [3]] output_shape [1, 2, 3, 4] : tensor<2x3x4xf32> into tensor<1x2x3x4xf32>
    return %expanded : tensor<1x2x3x4xf32>
  }
}
// -----
// transformer_layer
#map = affine_map<(d0, d1, d2) -> (d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map6 = affine_map<(d0, d1) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d1)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<1x3x4xf32>) -> tensor<1x3x4xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.70710678118654746 : f64
    %cst_2 = arith.constant dense_resource<torch_tensor_4_torch.float32_5> : tensor<4xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_4_torch.float32_4> : tensor<4xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_4_torch.float32_3> : tensor<4xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_4_6_torch.float32> : tensor<4x6xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %cst_7 = arith.constant dense_resource<torch_tensor_6_4_torch.float32> : tensor<6x4xf32>
    %cst_8 = arith.constant 1.000000e-05 : f64
    %cst_9 = arith.constant dense_resource<torch_tensor_4_torch.float32_2> : tensor<4xf32>
    %cst_10 = arith.constant dense_resource<torch_tensor_4_torch.float32_1> : tensor<4xf32>
    %cst_11 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_12 = arith.constant dense_resource<torch_tensor_4_4_torch.float32> : tensor<4x4xf32>
    %cst_13 = arith.constant dense_resource<torch_tensor_12_torch.float32> : tensor<12xf32>
    %cst_14 = arith.constant dense_resource<torch_tensor_12_4_torch.float32> : tensor<12x4xf32>
    %cst_15 = arith.constant 4.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x1x4xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<1x3x4xf32>) outs(%0 : tensor<3x1x4xf32>) permutation = [1, 0, 2] 
    %1 = tensor.empty() : tensor<4x12xf32>
    %transposed_16 = linalg.transpose ins(%cst_14 : tensor<12x4xf32>) outs(%1 : tensor<4x12xf32>) permutation = [1, 0] 
    %2 = tensor.empty() : tensor<3x4x12xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_16 : tensor<4x12xf32>) outs(%2 : tensor<3x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4x12xf32>
    %4 = tensor.empty() : tensor<3x1x12xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<3x1x12xf32>) -> tensor<3x1x12xf32>
    %6 = linalg.batch_matmul ins(%transposed, %3 : tensor<3x1x4xf32>, tensor<3x4x12xf32>) outs(%5 : tensor<3x1x12xf32>) -> tensor<3x1x12xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %cst_13 : tensor<3x1x12xf32>, tensor<12xf32>) outs(%4 : tensor<3x1x12xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.addf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<3x1x12xf32>
    %expanded = tensor.expand_shape %7 [[0, 1], [2], [3, 4]] output_shape [1, 3, 1, 3, 4] : tensor<3x1x12xf32> into tensor<1x3x1x3x4xf32>
    %8 = tensor.empty() : tensor<3x3x1x1x4xf32>
    %transposed_17 = linalg.transpose ins(%expanded : tensor<1x3x1x3x4xf32>) outs(%8 : tensor<3x3x1x1x4xf32>) permutation = [3, 1, 2, 0, 4] 
    %collapsed = tensor.collapse_shape %transposed_17 [[0], [1], [2, 3], [4]] : tensor<3x3x1x1x4xf32> into tensor<3x3x1x4xf32>
    %extracted_slice = tensor.extract_slice %collapsed[0, 0, 0, 0] [1, 3, 1, 4] [1, 1, 1, 1] : tensor<3x3x1x4xf32> to tensor<1x3x1x4xf32>
    %extracted_slice_18 = tensor.extract_slice %collapsed[1, 0, 0, 0] [1, 3, 1, 4] [1, 1, 1, 1] : tensor<3x3x1x4xf32> to tensor<1x3x1x4xf32>
    %extracted_slice_19 = tensor.extract_slice %collapsed[2, 0, 0, 0] [1, 3, 1, 4] [1, 1, 1, 1] : tensor<3x3x1x4xf32> to tensor<1x3x1x4xf32>
    %collapsed_20 = tensor.collapse_shape %extracted_slice [[0, 1], [2, 3]] : tensor<1x3x1x4xf32> into tensor<3x4xf32>
    %expanded_21 = tensor.expand_shape %collapsed_20 [[0], [1, 2]] output_shape [3, 2, 2] : tensor<3x4xf32> into tensor<3x2x2xf32>
    %9 = tensor.empty() : tensor<2x3x2xf32>
    %transposed_22 = linalg.transpose ins(%expanded_21 : tensor<3x2x2xf32>) outs(%9 : tensor<2x3x2xf32>) permutation = [1, 0, 2] 
    %collapsed_23 = tensor.collapse_shape %extracted_slice_18 [[0, 1], [2, 3]] : tensor<1x3x1x4xf32> into tensor<3x4xf32>
    %expanded_24 = tensor.expand_shape %collapsed_23 [[0], [1, 2]] output_shape [3, 2, 2] : tensor<3x4xf32> into tensor<3x2x2xf32>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<3x2x2xf32>) outs(%9 : tensor<2x3x2xf32>) permutation = [1, 0, 2] 
    %collapsed_26 = tensor.collapse_shape %extracted_slice_19 [[0, 1], [2, 3]] : tensor<1x3x1x4xf32> into tensor<3x4xf32>
    %expanded_27 = tensor.expand_shape %collapsed_26 [[0], [1, 2]] output_shape [3, 2, 2] : tensor<3x4xf32> into tensor<3x2x2xf32>
    %transposed_28 = linalg.transpose ins(%expanded_27 : tensor<3x2x2xf32>) outs(%9 : tensor<2x3x2xf32>) permutation = [1, 0, 2] 
    %expanded_29 = tensor.expand_shape %transposed_25 [[0, 1], [2], [3]] output_shape [1, 2, 3, 2] : tensor<2x3x2xf32> into tensor<1x2x3x2xf32>
    %10 = tensor.empty() : tensor<1x2x2x3xf32>
    %transposed_30 = linalg.transpose ins(%expanded_29 : tensor<1x2x3x2xf32>) outs(%10 : tensor<1x2x2x3xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_31 = tensor.collapse_shape %transposed_30 [[0, 1], [2], [3]] : tensor<1x2x2x3xf32> into tensor<2x2x3xf32>
    %11 = tensor.empty() : tensor<2x3x3xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %13 = linalg.batch_matmul ins(%transposed_22, %collapsed_31 : tensor<2x3x2xf32>, tensor<2x2x3xf32>) outs(%12 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %expanded_32 = tensor.expand_shape %13 [[0, 1], [2], [3]] output_shape [1, 2, 3, 3] : tensor<2x3x3xf32> into tensor<1x2x3x3xf32>
    %14 = tensor.empty() : tensor<1x2x3x3xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_32 : tensor<1x2x3x3xf32>) outs(%14 : tensor<1x2x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_1 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<1x2x3x3xf32>
    %16 = tensor.empty() : tensor<1x2x3xi64>
    %17 = linalg.fill ins(%c0_i64 : i64) outs(%16 : tensor<1x2x3xi64>) -> tensor<1x2x3xi64>
    %18 = tensor.empty() : tensor<1x2x3xf32>
    %19 = linalg.fill ins(%cst_0 : f32) outs(%18 : tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
    %20:2 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<1x2x3x3xf32>) outs(%19, %17 : tensor<1x2x3xf32>, tensor<1x2x3xi64>) {
    ^bb0(%in: f32, %out: f32, %out_47: i64):
      %80 = linalg.index 3 : index
      %81 = arith.index_cast %80 : index to i64
      %82 = arith.maximumf %in, %out : f32
      %83 = arith.cmpf ogt, %in, %out : f32
      %84 = arith.select %83, %81, %out_47 : i64
      linalg.yield %82, %84 : f32, i64
    } -> (tensor<1x2x3xf32>, tensor<1x2x3xi64>)
    %expanded_33 = tensor.expand_shape %20#0 [[0], [1], [2, 3]] output_shape [1, 2, 3, 1] : tensor<1x2x3xf32> into tensor<1x2x3x1xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %expanded_33 : tensor<1x2x3x3xf32>, tensor<1x2x3x1xf32>) outs(%14 : tensor<1x2x3x3xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.subf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x2x3x3xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<1x2x3x3xf32>) outs(%14 : tensor<1x2x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.exp %in : f32
      linalg.yield %80 : f32
    } -> tensor<1x2x3x3xf32>
    %23 = tensor.empty() : tensor<1x2x3x1xf32>
    %24 = linalg.fill ins(%cst : f32) outs(%23 : tensor<1x2x3x1xf32>) -> tensor<1x2x3x1xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<1x2x3x3xf32>) outs(%24 : tensor<1x2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<1x2x3x1xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %25 : tensor<1x2x3x3xf32>, tensor<1x2x3x1xf32>) outs(%14 : tensor<1x2x3x3xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.divf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x2x3x3xf32>
    %collapsed_34 = tensor.collapse_shape %26 [[0, 1], [2], [3]] : tensor<1x2x3x3xf32> into tensor<2x3x3xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%9 : tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
    %28 = linalg.batch_matmul ins(%collapsed_34, %transposed_28 : tensor<2x3x3xf32>, tensor<2x3x2xf32>) outs(%27 : tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
    %expanded_35 = tensor.expand_shape %28 [[0, 1], [2], [3]] output_shape [1, 2, 3, 2] : tensor<2x3x2xf32> into tensor<1x2x3x2xf32>
    %29 = tensor.empty() : tensor<3x1x2x2xf32>
    %transposed_36 = linalg.transpose ins(%expanded_35 : tensor<1x2x3x2xf32>) outs(%29 : tensor<3x1x2x2xf32>) permutation = [2, 0, 1, 3] 
    %collapsed_37 = tensor.collapse_shape %transposed_36 [[0], [1, 2, 3]] : tensor<3x1x2x2xf32> into tensor<3x4xf32>
    %30 = tensor.empty() : tensor<4x4xf32>
    %transposed_38 = linalg.transpose ins(%cst_12 : tensor<4x4xf32>) outs(%30 : tensor<4x4xf32>) permutation = [1, 0] 
    %31 = tensor.empty() : tensor<3x4xf32>
    %32 = linalg.fill ins(%cst : f32) outs(%31 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %33 = linalg.matmul ins(%collapsed_37, %transposed_38 : tensor<3x4xf32>, tensor<4x4xf32>) outs(%32 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %34 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel"]} ins(%33, %cst_11 : tensor<3x4xf32>, tensor<4xf32>) outs(%31 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.addf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<3x4xf32>
    %expanded_39 = tensor.expand_shape %34 [[0], [1, 2]] output_shape [3, 1, 4] : tensor<3x4xf32> into tensor<3x1x4xf32>
    %35 = tensor.empty() : tensor<1x3x4xf32>
    %transposed_40 = linalg.transpose ins(%expanded_39 : tensor<3x1x4xf32>) outs(%35 : tensor<1x3x4xf32>) permutation = [1, 0, 2] 
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %transposed_40 : tensor<1x3x4xf32>, tensor<1x3x4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.addf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %37 = tensor.empty() : tensor<1x3x1xf32>
    %38 = linalg.fill ins(%cst : f32) outs(%37 : tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%36 : tensor<1x3x4xf32>) outs(%38 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x1xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<1x3x1xf32>) outs(%37 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.divf %in, %cst_15 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_41 = tensor.collapse_shape %40 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %41 = linalg.generic {indexing_maps = [#map9, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_41 : tensor<1x3xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x4xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36, %41 : tensor<1x3x4xf32>, tensor<1x3x4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.subf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42, %42 : tensor<1x3x4xf32>, tensor<1x3x4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.mulf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%43 : tensor<1x3x4xf32>) outs(%38 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x1xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44 : tensor<1x3x1xf32>) outs(%37 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.divf %in, %cst_15 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x1xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<1x3x1xf32>) outs(%37 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_8 : f64 to f32
      %81 = arith.addf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<1x3x1xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46 : tensor<1x3x1xf32>) outs(%37 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.rsqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_42 = tensor.collapse_shape %47 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %48 = linalg.generic {indexing_maps = [#map9, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_42 : tensor<1x3xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x4xf32>
    %49 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42, %48 : tensor<1x3x4xf32>, tensor<1x3x4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.mulf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %50 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49, %cst_10 : tensor<1x3x4xf32>, tensor<4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.mulf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %51 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50, %cst_9 : tensor<1x3x4xf32>, tensor<4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.addf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %52 = tensor.empty() : tensor<4x6xf32>
    %transposed_43 = linalg.transpose ins(%cst_7 : tensor<6x4xf32>) outs(%52 : tensor<4x6xf32>) permutation = [1, 0] 
    %53 = tensor.empty() : tensor<1x4x6xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_43 : tensor<4x6xf32>) outs(%53 : tensor<1x4x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x6xf32>
    %55 = tensor.empty() : tensor<1x3x6xf32>
    %56 = linalg.fill ins(%cst : f32) outs(%55 : tensor<1x3x6xf32>) -> tensor<1x3x6xf32>
    %57 = linalg.batch_matmul ins(%51, %54 : tensor<1x3x4xf32>, tensor<1x4x6xf32>) outs(%56 : tensor<1x3x6xf32>) -> tensor<1x3x6xf32>
    %58 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %cst_6 : tensor<1x3x6xf32>, tensor<6xf32>) outs(%55 : tensor<1x3x6xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.addf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x6xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<1x3x6xf32>) outs(%55 : tensor<1x3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.cmpf ugt, %in, %cst : f32
      %81 = arith.select %80, %in, %cst : f32
      linalg.yield %81 : f32
    } -> tensor<1x3x6xf32>
    %60 = tensor.empty() : tensor<6x4xf32>
    %transposed_44 = linalg.transpose ins(%cst_5 : tensor<4x6xf32>) outs(%60 : tensor<6x4xf32>) permutation = [1, 0] 
    %61 = tensor.empty() : tensor<1x6x4xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_44 : tensor<6x4xf32>) outs(%61 : tensor<1x6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x6x4xf32>
    %63 = linalg.fill ins(%cst : f32) outs(%35 : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
    %64 = linalg.batch_matmul ins(%59, %62 : tensor<1x3x6xf32>, tensor<1x6x4xf32>) outs(%63 : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64, %cst_4 : tensor<1x3x4xf32>, tensor<4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.addf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %65 : tensor<1x3x4xf32>, tensor<1x3x4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.addf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%66 : tensor<1x3x4xf32>) outs(%38 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x1xf32>
    %68 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<1x3x1xf32>) outs(%37 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.divf %in, %cst_15 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_45 = tensor.collapse_shape %68 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %69 = linalg.generic {indexing_maps = [#map9, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_45 : tensor<1x3xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x4xf32>
    %70 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %69 : tensor<1x3x4xf32>, tensor<1x3x4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.subf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %71 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70, %70 : tensor<1x3x4xf32>, tensor<1x3x4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.mulf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %72 = linalg.generic {indexing_maps = [#map1, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%71 : tensor<1x3x4xf32>) outs(%38 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x1xf32>
    %73 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<1x3x1xf32>) outs(%37 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.divf %in, %cst_15 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x1xf32>
    %74 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<1x3x1xf32>) outs(%37 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_8 : f64 to f32
      %81 = arith.addf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<1x3x1xf32>
    %75 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74 : tensor<1x3x1xf32>) outs(%37 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.rsqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_46 = tensor.collapse_shape %75 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %76 = linalg.generic {indexing_maps = [#map9, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_46 : tensor<1x3xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x4xf32>
    %77 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70, %76 : tensor<1x3x4xf32>, tensor<1x3x4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.mulf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %78 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77, %cst_3 : tensor<1x3x4xf32>, tensor<4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.mulf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    %79 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78, %cst_2 : tensor<1x3x4xf32>, tensor<4xf32>) outs(%35 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %in_47: f32, %out: f32):
      %80 = arith.addf %in, %in_47 : f32
      linalg.yield %80 : f32
    } -> tensor<1x3x4xf32>
    return %79 : tensor<1x3x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32_5: "0x0400000000000000000000000000000000000000",
      torch_tensor_4_torch.float32_4: "0x040000000000803F0000803F0000803F0000803F",
      torch_tensor_4_torch.float32_3: "0x0400000056DBA23D02A831BEC374CCBE2975623E",
      torch_tensor_4_6_torch.float32: "0x04000000F7B4063EE4EA383E87FC6DBC8C2AC73EF9AB90BED948203E1543BC3EBA6191BD03F2A53EFC84DC3BA1869CBED85865BE729A1B3EB9E834BEE916C93D6DBBCD3E8C000E3EDB7F1CBD47FCD03DD0DA70BEE1A1AFBE631F9DBE4F64AFBE1F95AB3D",
      torch_tensor_6_torch.float32: "0x04000000A84197BD9A0CD93E00FE213B30265EBD425395BE483E2ABE",
      torch_tensor_6_4_torch.float32: "0x040000001E478C3E208FC2BD8E1AC23ED8A8E93D40399EBD8EDD93BE8C69EABEA05C15BE6810EDBE98B7BDBD80E4053C20FB03BDC8807BBE28AEB13E8E2C903E484AFCBD504B4ABED6F1A03EEAB9DE3E4A67EABEA03EDDBD100F3EBD0C6039BEAE8CDA3E",
      torch_tensor_4_torch.float32_2: "0x0400000000000000000000000000000000000000",
      torch_tensor_4_torch.float32_1: "0x040000000000803F0000803F0000803F0000803F",
      torch_tensor_4_torch.float32: "0x0400000000000000000000000000000000000000",
      torch_tensor_4_4_torch.float32: "0x040000000601FC3E582E74BE40B1B8BDACFC08BEC8E5E0BE3086B4BD54BB1C3EC8E64FBE2092AEBC00BF1CBB68D9FEBE160ABA3E32CACE3ECE8AAE3ED42328BEB4C6853E",
      torch_tensor_12_torch.float32: "0x04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_12_4_torch.float32: "0x0400000042AF833E53DD8EBE0A5C91BD841135BEB13713BFF91BCFBD4ADB04BFC9D2B63E9B92A73EC0DB123F589252BE4F1AFF3C91ACF53DF27C1C3FF0B10F3F3F44A2BECD6405BFE64A0DBF56FC96BED1CE033FDD99523EEA41173F0166E83ED774113C3352C2BE5B15193F2E82FB3E1EBE873EC645ABBE04FFF63E114B643DDD51CF3EE5DB823E537DA63E418F09BF5DD9ADBE970CBC3E1CA402BE696208BF6A900E3FA2F858BC63ECFC3E6210F5BE69E5573E89326CBEB2F083BEA8C902BE701B68BE"
    }
  }
#-}
// -----
// lstm
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<2x3x3xf32>) -> tensor<2x3x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_16_4_torch.float32> : tensor<16x4xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_16_3_torch.float32> : tensor<16x3xf32>
    %0 = tensor.empty() : tensor<1x2x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %cst : f32
    } -> tensor<1x2x4xf32>
    %2 = tensor.empty() : tensor<3x2x3xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<2x3x3xf32>) outs(%2 : tensor<3x2x3xf32>) permutation = [1, 0, 2] 
    %3 = tensor.empty() : tensor<3x16xf32>
    %transposed_5 = linalg.transpose ins(%cst_4 : tensor<16x3xf32>) outs(%3 : tensor<3x16xf32>) permutation = [1, 0] 
    %4 = tensor.empty() : tensor<3x3x16xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_5 : tensor<3x16xf32>) outs(%4 : tensor<3x3x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x3x16xf32>
    %6 = tensor.empty() : tensor<3x2x16xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<3x2x16xf32>) -> tensor<3x2x16xf32>
    %8 = linalg.batch_matmul ins(%transposed, %5 : tensor<3x2x3xf32>, tensor<3x3x16xf32>) outs(%7 : tensor<3x2x16xf32>) -> tensor<3x2x16xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %cst_3 : tensor<3x2x16xf32>, tensor<16xf32>) outs(%6 : tensor<3x2x16xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.addf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<3x2x16xf32>
    %extracted_slice = tensor.extract_slice %9[0, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<3x2x16xf32> to tensor<1x2x16xf32>
    %extracted_slice_6 = tensor.extract_slice %9[1, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<3x2x16xf32> to tensor<1x2x16xf32>
    %extracted_slice_7 = tensor.extract_slice %9[2, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<3x2x16xf32> to tensor<1x2x16xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x2x16xf32> into tensor<2x16xf32>
    %collapsed_8 = tensor.collapse_shape %extracted_slice_6 [[0, 1], [2]] : tensor<1x2x16xf32> into tensor<2x16xf32>
    %collapsed_9 = tensor.collapse_shape %extracted_slice_7 [[0, 1], [2]] : tensor<1x2x16xf32> into tensor<2x16xf32>
    %collapsed_10 = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %10 = tensor.empty() : tensor<4x16xf32>
    %transposed_11 = linalg.transpose ins(%cst_2 : tensor<16x4xf32>) outs(%10 : tensor<4x16xf32>) permutation = [1, 0] 
    %11 = tensor.empty() : tensor<2x16xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x16xf32>) -> tensor<2x16xf32>
    %13 = linalg.matmul ins(%collapsed_10, %transposed_11 : tensor<2x4xf32>, tensor<4x16xf32>) outs(%12 : tensor<2x16xf32>) -> tensor<2x16xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%13, %cst_1 : tensor<2x16xf32>, tensor<16xf32>) outs(%11 : tensor<2x16xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.addf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<2x16xf32>
    %expanded = tensor.expand_shape %14 [[0, 1], [2]] output_shape [1, 2, 16] : tensor<2x16xf32> into tensor<1x2x16xf32>
    %15 = tensor.empty() : tensor<1x2x16xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %collapsed : tensor<1x2x16xf32>, tensor<2x16xf32>) outs(%15 : tensor<1x2x16xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.addf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x16xf32>
    %extracted_slice_12 = tensor.extract_slice %16[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %extracted_slice_13 = tensor.extract_slice %16[0, 0, 4] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %extracted_slice_14 = tensor.extract_slice %16[0, 0, 8] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %extracted_slice_15 = tensor.extract_slice %16[0, 0, 12] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_12 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      %52 = math.exp %51 : f32
      %53 = arith.addf %52, %cst_0 : f32
      %54 = arith.divf %cst_0, %53 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x4xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_13 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      %52 = math.exp %51 : f32
      %53 = arith.addf %52, %cst_0 : f32
      %54 = arith.divf %cst_0, %53 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x4xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_14 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.tanh %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_15 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      %52 = math.exp %51 : f32
      %53 = arith.addf %52, %cst_0 : f32
      %54 = arith.divf %cst_0, %53 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x4xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %1 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.mulf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %19 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.mulf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %22 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.addf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.tanh %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %24 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.mulf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %collapsed_16 = tensor.collapse_shape %25 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %26 = linalg.matmul ins(%collapsed_16, %transposed_11 : tensor<2x4xf32>, tensor<4x16xf32>) outs(%12 : tensor<2x16xf32>) -> tensor<2x16xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%26, %cst_1 : tensor<2x16xf32>, tensor<16xf32>) outs(%11 : tensor<2x16xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.addf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<2x16xf32>
    %expanded_17 = tensor.expand_shape %27 [[0, 1], [2]] output_shape [1, 2, 16] : tensor<2x16xf32> into tensor<1x2x16xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_17, %collapsed_8 : tensor<1x2x16xf32>, tensor<2x16xf32>) outs(%15 : tensor<1x2x16xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.addf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x16xf32>
    %extracted_slice_18 = tensor.extract_slice %28[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %extracted_slice_19 = tensor.extract_slice %28[0, 0, 4] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %extracted_slice_20 = tensor.extract_slice %28[0, 0, 8] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %extracted_slice_21 = tensor.extract_slice %28[0, 0, 12] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_18 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      %52 = math.exp %51 : f32
      %53 = arith.addf %52, %cst_0 : f32
      %54 = arith.divf %cst_0, %53 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x4xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_19 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      %52 = math.exp %51 : f32
      %53 = arith.addf %52, %cst_0 : f32
      %54 = arith.divf %cst_0, %53 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x4xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_20 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.tanh %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_21 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      %52 = math.exp %51 : f32
      %53 = arith.addf %52, %cst_0 : f32
      %54 = arith.divf %cst_0, %53 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x4xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %23 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.mulf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %34 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29, %31 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.mulf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33, %34 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.addf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %36 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.tanh %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32, %36 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.mulf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %collapsed_22 = tensor.collapse_shape %37 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %38 = linalg.matmul ins(%collapsed_22, %transposed_11 : tensor<2x4xf32>, tensor<4x16xf32>) outs(%12 : tensor<2x16xf32>) -> tensor<2x16xf32>
    %39 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%38, %cst_1 : tensor<2x16xf32>, tensor<16xf32>) outs(%11 : tensor<2x16xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.addf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<2x16xf32>
    %expanded_23 = tensor.expand_shape %39 [[0, 1], [2]] output_shape [1, 2, 16] : tensor<2x16xf32> into tensor<1x2x16xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_23, %collapsed_9 : tensor<1x2x16xf32>, tensor<2x16xf32>) outs(%15 : tensor<1x2x16xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.addf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x16xf32>
    %extracted_slice_24 = tensor.extract_slice %40[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %extracted_slice_25 = tensor.extract_slice %40[0, 0, 4] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %extracted_slice_26 = tensor.extract_slice %40[0, 0, 8] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %extracted_slice_27 = tensor.extract_slice %40[0, 0, 12] [1, 2, 4] [1, 1, 1] : tensor<1x2x16xf32> to tensor<1x2x4xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_24 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      %52 = math.exp %51 : f32
      %53 = arith.addf %52, %cst_0 : f32
      %54 = arith.divf %cst_0, %53 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x4xf32>
    %42 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_25 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      %52 = math.exp %51 : f32
      %53 = arith.addf %52, %cst_0 : f32
      %54 = arith.divf %cst_0, %53 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x4xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_26 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.tanh %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %44 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_27 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      %52 = math.exp %51 : f32
      %53 = arith.addf %52, %cst_0 : f32
      %54 = arith.divf %cst_0, %53 : f32
      linalg.yield %54 : f32
    } -> tensor<1x2x4xf32>
    %45 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42, %35 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.mulf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %46 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41, %43 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.mulf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45, %46 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.addf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %48 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.tanh %in : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %48 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_29: f32, %out: f32):
      %51 = arith.mulf %in, %in_29 : f32
      linalg.yield %51 : f32
    } -> tensor<1x2x4xf32>
    %concat = tensor.concat dim(0) %25, %37, %49 : (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<3x2x4xf32>
    %50 = tensor.empty() : tensor<2x3x4xf32>
    %transposed_28 = linalg.transpose ins(%concat : tensor<3x2x4xf32>) outs(%50 : tensor<2x3x4xf32>) permutation = [1, 0, 2] 
    return %transposed_28 : tensor<2x3x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_16_torch.float32_1: "0x04000000E0CF403EA23ACE3E7A49CEBE3ACECD3E943D6BBEF40D09BE0021443B5808C0BD988DCA3DEC1EE43ECAF498BE90331E3E90BFCDBEA8C8A03D4EE5D23ED49DAC3E",
      torch_tensor_16_4_torch.float32: "0x04000000BE0CD43E10D0C63EC069AA3D3AB6B03EC80AEBBE4270B8BEBC54F6BE7441CE3E804094BB08C26BBE443F2D3E90A83FBE222FA4BE407A453E407EBB3D8A53B7BE129EA8BEB00F703E0EA8C23EC0B8263DC09580BE503B773E5897B23D6A1FE0BE46E6A5BE4021E03D00689E3EB07C24BEB491773E488B9EBE9AF9F43E4A69B63E78CDBF3DF4C8633E9C41323E9C1097BE00DE8EBBB887083EA021E7BD727DF53E247245BE36A0E4BE40C073BEF896EDBED2F4D23E70D765BE601DB4BEE0625DBDB67EACBE44BA85BEEA82823E2434C0BE8C74713E60AFBA3E000093BAC458633E8E668FBE12A2C73E64B0F83E0857F33D6049E93E1E40FEBE40DF60BD3076CB3D",
      torch_tensor_16_torch.float32: "0x040000000883DEBECC27793E702143BE742E39BE341DCBBE9050513EC445BABE704CD9BD4C72633E4CDBC03E608DE73D74FF3EBEC8B35EBE3AB08F3E98FDBD3D7880D73E",
      torch_tensor_16_3_torch.float32: "0x04000000101BB3BD2C53713E08C73D3E8CC84CBE402C0EBD0ED5FE3E00B31A3B18CECBBE705B15BD5CB77E3E002127BE201086BE22E3D23E506D873E68F8ADBDA042D13C209A58BDD0BCED3DE091913C20EA9ABE88B8BD3D8042563C1069043DF41D43BE9C2F033E6E03CFBE740C193E86B98A3E906361BD60DCC6BE003CEEBA00103A3A863CDDBE4C11B5BEC8C8EC3E0C71BF3E40E08D3EA258B13EDC19453EEC12903EEA8DA93ED836EFBD482C82BD368AB63E00D03CB96493A6BE8A80C6BEAC2C8F3E"
    }
  }
#-}
// -----
// gru
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<2x3x3xf32>) -> tensor<2x3x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant dense_resource<torch_tensor_12_torch.float32_1> : tensor<12xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_12_4_torch.float32> : tensor<12x4xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_12_torch.float32> : tensor<12xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_12_3_torch.float32> : tensor<12x3xf32>
    %0 = tensor.empty() : tensor<1x2x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %cst : f32
    } -> tensor<1x2x4xf32>
    %2 = tensor.empty() : tensor<3x2x3xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<2x3x3xf32>) outs(%2 : tensor<3x2x3xf32>) permutation = [1, 0, 2] 
    %3 = tensor.empty() : tensor<3x12xf32>
    %transposed_5 = linalg.transpose ins(%cst_4 : tensor<12x3xf32>) outs(%3 : tensor<3x12xf32>) permutation = [1, 0] 
    %4 = tensor.empty() : tensor<3x3x12xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_5 : tensor<3x12xf32>) outs(%4 : tensor<3x3x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x3x12xf32>
    %6 = tensor.empty() : tensor<3x2x12xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<3x2x12xf32>) -> tensor<3x2x12xf32>
    %8 = linalg.batch_matmul ins(%transposed, %5 : tensor<3x2x3xf32>, tensor<3x3x12xf32>) outs(%7 : tensor<3x2x12xf32>) -> tensor<3x2x12xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %cst_3 : tensor<3x2x12xf32>, tensor<12xf32>) outs(%6 : tensor<3x2x12xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<3x2x12xf32>
    %extracted_slice = tensor.extract_slice %9[0, 0, 0] [1, 2, 12] [1, 1, 1] : tensor<3x2x12xf32> to tensor<1x2x12xf32>
    %extracted_slice_6 = tensor.extract_slice %9[1, 0, 0] [1, 2, 12] [1, 1, 1] : tensor<3x2x12xf32> to tensor<1x2x12xf32>
    %extracted_slice_7 = tensor.extract_slice %9[2, 0, 0] [1, 2, 12] [1, 1, 1] : tensor<3x2x12xf32> to tensor<1x2x12xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x2x12xf32> into tensor<2x12xf32>
    %collapsed_8 = tensor.collapse_shape %extracted_slice_6 [[0, 1], [2]] : tensor<1x2x12xf32> into tensor<2x12xf32>
    %collapsed_9 = tensor.collapse_shape %extracted_slice_7 [[0, 1], [2]] : tensor<1x2x12xf32> into tensor<2x12xf32>
    %extracted_slice_10 = tensor.extract_slice %collapsed[0, 0] [2, 4] [1, 1] : tensor<2x12xf32> to tensor<2x4xf32>
    %extracted_slice_11 = tensor.extract_slice %collapsed[0, 4] [2, 4] [1, 1] : tensor<2x12xf32> to tensor<2x4xf32>
    %extracted_slice_12 = tensor.extract_slice %collapsed[0, 8] [2, 4] [1, 1] : tensor<2x12xf32> to tensor<2x4xf32>
    %collapsed_13 = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %10 = tensor.empty() : tensor<4x12xf32>
    %transposed_14 = linalg.transpose ins(%cst_2 : tensor<12x4xf32>) outs(%10 : tensor<4x12xf32>) permutation = [1, 0] 
    %11 = tensor.empty() : tensor<2x12xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x12xf32>) -> tensor<2x12xf32>
    %13 = linalg.matmul ins(%collapsed_13, %transposed_14 : tensor<2x4xf32>, tensor<4x12xf32>) outs(%12 : tensor<2x12xf32>) -> tensor<2x12xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%13, %cst_1 : tensor<2x12xf32>, tensor<12xf32>) outs(%11 : tensor<2x12xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<2x12xf32>
    %expanded = tensor.expand_shape %14 [[0, 1], [2]] output_shape [1, 2, 12] : tensor<2x12xf32> into tensor<1x2x12xf32>
    %extracted_slice_15 = tensor.extract_slice %expanded[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<1x2x12xf32> to tensor<1x2x4xf32>
    %extracted_slice_16 = tensor.extract_slice %expanded[0, 0, 4] [1, 2, 4] [1, 1, 1] : tensor<1x2x12xf32> to tensor<1x2x4xf32>
    %extracted_slice_17 = tensor.extract_slice %expanded[0, 0, 8] [1, 2, 4] [1, 1, 1] : tensor<1x2x12xf32> to tensor<1x2x4xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_15, %extracted_slice_10 : tensor<1x2x4xf32>, tensor<2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_16, %extracted_slice_11 : tensor<1x2x4xf32>, tensor<2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_17, %16 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.mulf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_12, %19 : tensor<2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = math.tanh %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %21 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.subf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %18 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.mulf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %21 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %extracted_slice_18 = tensor.extract_slice %collapsed_8[0, 0] [2, 4] [1, 1] : tensor<2x12xf32> to tensor<2x4xf32>
    %extracted_slice_19 = tensor.extract_slice %collapsed_8[0, 4] [2, 4] [1, 1] : tensor<2x12xf32> to tensor<2x4xf32>
    %extracted_slice_20 = tensor.extract_slice %collapsed_8[0, 8] [2, 4] [1, 1] : tensor<2x12xf32> to tensor<2x4xf32>
    %collapsed_21 = tensor.collapse_shape %24 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %25 = linalg.matmul ins(%collapsed_21, %transposed_14 : tensor<2x4xf32>, tensor<4x12xf32>) outs(%12 : tensor<2x12xf32>) -> tensor<2x12xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%25, %cst_1 : tensor<2x12xf32>, tensor<12xf32>) outs(%11 : tensor<2x12xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<2x12xf32>
    %expanded_22 = tensor.expand_shape %26 [[0, 1], [2]] output_shape [1, 2, 12] : tensor<2x12xf32> into tensor<1x2x12xf32>
    %extracted_slice_23 = tensor.extract_slice %expanded_22[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<1x2x12xf32> to tensor<1x2x4xf32>
    %extracted_slice_24 = tensor.extract_slice %expanded_22[0, 0, 4] [1, 2, 4] [1, 1, 1] : tensor<1x2x12xf32> to tensor<1x2x4xf32>
    %extracted_slice_25 = tensor.extract_slice %expanded_22[0, 0, 8] [1, 2, 4] [1, 1, 1] : tensor<1x2x12xf32> to tensor<1x2x4xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_23, %extracted_slice_18 : tensor<1x2x4xf32>, tensor<2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_24, %extracted_slice_19 : tensor<1x2x4xf32>, tensor<2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_25, %28 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.mulf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_20, %31 : tensor<2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = math.tanh %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %34 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %33 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.subf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34, %30 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.mulf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %36 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35, %33 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %extracted_slice_26 = tensor.extract_slice %collapsed_9[0, 0] [2, 4] [1, 1] : tensor<2x12xf32> to tensor<2x4xf32>
    %extracted_slice_27 = tensor.extract_slice %collapsed_9[0, 4] [2, 4] [1, 1] : tensor<2x12xf32> to tensor<2x4xf32>
    %extracted_slice_28 = tensor.extract_slice %collapsed_9[0, 8] [2, 4] [1, 1] : tensor<2x12xf32> to tensor<2x4xf32>
    %collapsed_29 = tensor.collapse_shape %36 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %37 = linalg.matmul ins(%collapsed_29, %transposed_14 : tensor<2x4xf32>, tensor<4x12xf32>) outs(%12 : tensor<2x12xf32>) -> tensor<2x12xf32>
    %38 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%37, %cst_1 : tensor<2x12xf32>, tensor<12xf32>) outs(%11 : tensor<2x12xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<2x12xf32>
    %expanded_30 = tensor.expand_shape %38 [[0, 1], [2]] output_shape [1, 2, 12] : tensor<2x12xf32> into tensor<1x2x12xf32>
    %extracted_slice_31 = tensor.extract_slice %expanded_30[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<1x2x12xf32> to tensor<1x2x4xf32>
    %extracted_slice_32 = tensor.extract_slice %expanded_30[0, 0, 4] [1, 2, 4] [1, 1, 1] : tensor<1x2x12xf32> to tensor<1x2x4xf32>
    %extracted_slice_33 = tensor.extract_slice %expanded_30[0, 0, 8] [1, 2, 4] [1, 1, 1] : tensor<1x2x12xf32> to tensor<1x2x4xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_31, %extracted_slice_26 : tensor<1x2x4xf32>, tensor<2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_32, %extracted_slice_27 : tensor<1x2x4xf32>, tensor<2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %42 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x4xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_33, %40 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.mulf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_28, %43 : tensor<2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %45 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = math.tanh %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %46 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36, %45 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.subf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46, %42 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.mulf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %48 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %45 : tensor<1x2x4xf32>, tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %50 = arith.addf %in, %in_35 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4xf32>
    %concat = tensor.concat dim(0) %24, %36, %48 : (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<3x2x4xf32>
    %49 = tensor.empty() : tensor<2x3x4xf32>
    %transposed_34 = linalg.transpose ins(%concat : tensor<3x2x4xf32>) outs(%49 : tensor<2x3x4xf32>) permutation = [1, 0, 2] 
    return %transposed_34 : tensor<2x3x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_12_torch.float32_1: "0x040000006E8CF43E782A6FBECAA487BED092013D886F1F3EA26A803E5C3B503E36FBD93ECC4600BE40F927BE5C9F2B3E78AD0E3E",
      torch_tensor_12_4_torch.float32: "0x04000000C0B5ED3D7C32BCBE506C783EFA8698BEBC3E27BE50D172BE4C10CA3EAC47B4BE94B7823E4A64803ED402B53EA048003EDE8E8B3E365ECA3E20B4C93DCC162E3ED42CC8BE6C5509BE30B2393DE021783DE4E334BE50C8FDBEA02605BEBC03443E1E6FDC3EEC2CE7BE4C72743E66E9F2BE32D0F4BE9051A0BED84087BD9CFF0E3EDCB0C2BE8E3BC53E7880E73E0003FC3C4061D03E50CA67BE648B4ABE602484BD80C65F3D0495B2BE22FDCCBED0414A3E909F133ED46FFA3EC0BF50BED0CE343E",
      torch_tensor_12_torch.float32: "0x04000000989C4EBEA0BF7C3E00E6E2BC5CC6BD3EC0398E3EBC14D53EA88E833EE0E2993C1E9DDC3EA85E96BEA674F13EEE28FA3E",
      torch_tensor_12_3_torch.float32: "0x04000000147EF43EA83D2F3EC04D82BE04B499BE908B33BE185520BE08EB5E3E20A9E3BD82E8D73E66768CBEB41A20BEBC683A3EA274CC3E48E3F43E38E6A33DA0A6AC3CE86465BE12A5903EE26394BEB89306BEC6F6D5BE961AF6BE78178F3EA0220B3DA413CC3E04B5CB3E3A56863E44E64C3E74DF04BEF0F6873E4C34763E403E313E407A6CBC60F4983D0063113B26C9B9BE"
    }
  }
#-}
// -----
// rnn
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<2x3x3xf32>) -> tensor<2x3x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_4_torch.float32_1> : tensor<4xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_4_4_torch.float32> : tensor<4x4xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_4_3_torch.float32> : tensor<4x3xf32>
    %0 = tensor.empty() : tensor<1x2x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %cst : f32
    } -> tensor<1x2x4xf32>
    %2 = tensor.empty() : tensor<3x2x3xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<2x3x3xf32>) outs(%2 : tensor<3x2x3xf32>) permutation = [1, 0, 2] 
    %3 = tensor.empty() : tensor<3x4xf32>
    %transposed_4 = linalg.transpose ins(%cst_3 : tensor<4x3xf32>) outs(%3 : tensor<3x4xf32>) permutation = [1, 0] 
    %4 = tensor.empty() : tensor<3x3x4xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_4 : tensor<3x4xf32>) outs(%4 : tensor<3x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x3x4xf32>
    %6 = tensor.empty() : tensor<3x2x4xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
    %8 = linalg.batch_matmul ins(%transposed, %5 : tensor<3x2x3xf32>, tensor<3x3x4xf32>) outs(%7 : tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %cst_2 : tensor<3x2x4xf32>, tensor<4xf32>) outs(%6 : tensor<3x2x4xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %26 = arith.addf %in, %in_16 : f32
      linalg.yield %26 : f32
    } -> tensor<3x2x4xf32>
    %extracted_slice = tensor.extract_slice %9[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<3x2x4xf32> to tensor<1x2x4xf32>
    %extracted_slice_5 = tensor.extract_slice %9[1, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<3x2x4xf32> to tensor<1x2x4xf32>
    %extracted_slice_6 = tensor.extract_slice %9[2, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<3x2x4xf32> to tensor<1x2x4xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %collapsed_7 = tensor.collapse_shape %extracted_slice_5 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %collapsed_8 = tensor.collapse_shape %extracted_slice_6 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %collapsed_9 = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %10 = tensor.empty() : tensor<4x4xf32>
    %transposed_10 = linalg.transpose ins(%cst_1 : tensor<4x4xf32>) outs(%10 : tensor<4x4xf32>) permutation = [1, 0] 
    %11 = tensor.empty() : tensor<2x4xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %13 = linalg.matmul ins(%collapsed_9, %transposed_10 : tensor<2x4xf32>, tensor<4x4xf32>) outs(%12 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%13, %cst_0 : tensor<2x4xf32>, tensor<4xf32>) outs(%11 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %26 = arith.addf %in, %in_16 : f32
      linalg.yield %26 : f32
    } -> tensor<2x4xf32>
    %expanded = tensor.expand_shape %14 [[0, 1], [2]] output_shape [1, 2, 4] : tensor<2x4xf32> into tensor<1x2x4xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %collapsed : tensor<1x2x4xf32>, tensor<2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %26 = arith.addf %in, %in_16 : f32
      linalg.yield %26 : f32
    } -> tensor<1x2x4xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.tanh %in : f32
      linalg.yield %26 : f32
    } -> tensor<1x2x4xf32>
    %collapsed_11 = tensor.collapse_shape %16 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %17 = linalg.matmul ins(%collapsed_11, %transposed_10 : tensor<2x4xf32>, tensor<4x4xf32>) outs(%12 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%17, %cst_0 : tensor<2x4xf32>, tensor<4xf32>) outs(%11 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %26 = arith.addf %in, %in_16 : f32
      linalg.yield %26 : f32
    } -> tensor<2x4xf32>
    %expanded_12 = tensor.expand_shape %18 [[0, 1], [2]] output_shape [1, 2, 4] : tensor<2x4xf32> into tensor<1x2x4xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_12, %collapsed_7 : tensor<1x2x4xf32>, tensor<2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %26 = arith.addf %in, %in_16 : f32
      linalg.yield %26 : f32
    } -> tensor<1x2x4xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.tanh %in : f32
      linalg.yield %26 : f32
    } -> tensor<1x2x4xf32>
    %collapsed_13 = tensor.collapse_shape %20 [[0, 1], [2]] : tensor<1x2x4xf32> into tensor<2x4xf32>
    %21 = linalg.matmul ins(%collapsed_13, %transposed_10 : tensor<2x4xf32>, tensor<4x4xf32>) outs(%12 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%21, %cst_0 : tensor<2x4xf32>, tensor<4xf32>) outs(%11 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %26 = arith.addf %in, %in_16 : f32
      linalg.yield %26 : f32
    } -> tensor<2x4xf32>
    %expanded_14 = tensor.expand_shape %22 [[0, 1], [2]] output_shape [1, 2, 4] : tensor<2x4xf32> into tensor<1x2x4xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_14, %collapsed_8 : tensor<1x2x4xf32>, tensor<2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %26 = arith.addf %in, %in_16 : f32
      linalg.yield %26 : f32
    } -> tensor<1x2x4xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<1x2x4xf32>) outs(%0 : tensor<1x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.tanh %in : f32
      linalg.yield %26 : f32
    } -> tensor<1x2x4xf32>
    %concat = tensor.concat dim(0) %16, %20, %24 : (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<3x2x4xf32>
    %25 = tensor.empty() : tensor<2x3x4xf32>
    %transposed_15 = linalg.transpose ins(%concat : tensor<3x2x4xf32>) outs(%25 : tensor<2x3x4xf32>) permutation = [1, 0, 2] 
    return %transposed_15 : tensor<2x3x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32_1: "0x04000000C0D70C3C7EDFA1BEC0D823BE703499BD",
      torch_tensor_4_4_torch.float32: "0x040000005A0E90BE204520BD8034C83E4017303D28DFB13E00A073BB88171D3E606D8E3C40615E3C569DF3BED0CDDFBE20402A3DF4677D3EFAF7AB3EE0B8B13CB0D1573E",
      torch_tensor_4_torch.float32: "0x040000002C23563E1AFEDCBEC801E1BE147DC6BE",
      torch_tensor_4_3_torch.float32: "0x04000000568CAD3ED00E4FBD3C4DDDBE5A8ACA3E38BF89BE4045353EE0E0FD3E409DBD3CE44D133EAC6E4B3E867BC13EE0171DBE"
    }
  }
#-}
// -----
// embedding
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @main(%arg0: tensor<2x2xi64>) -> tensor<2x2x4xf32> {
    %c10 = arith.constant 10 : index
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant dense_resource<torch_tensor_10_4_torch.float32> : tensor<10x4xf32>
    %0 = tensor.empty() : tensor<2x2x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x2xi64>) outs(%0 : tensor<2x2x4xf32>) {
    ^bb0(%in: i64, %out: f32):
      %2 = arith.index_cast %in : i64 to index
      %3 = linalg.index 2 : index
      %4 = arith.cmpi slt, %2, %c10 : index
      cf.assert %4, "index must be smaller than dim size"
      %5 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %5, "index must be larger or equal to 0"
      %extracted = tensor.extract %cst[%2, %3] : tensor<10x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x4xf32>
    return %1 : tensor<2x2x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_10_4_torch.float32: "0x040000007731363F6BB4A8BE3B432D3FDCF5B73FC7DEA93DEEE13A3F31BE6DBF7876323EB8FE813ED0EEBDBEDC137FBDCB943E3DE077B03F8A4CC6BF9157FE3EFD1ED63F0DC6C63D254FEE3E8696ACBEFDEF5EBF2576C7BE5FE9ABBD4A48A73FA731383FE1B1FCBD25F082BE7973A23EF72E57BFAFB74A3FB474DFBEC94D9ABF9D9DD1BFE93C153F09EB973E633A12BFE8135B3F845FDABDE8E2A63F0DF5293DC811C13F"
    }
  }
#-}
// -----
// max_pool
module {
  func.func @main(%arg0: tensor<1x2x5x6xf32>) -> tensor<1x2x3x3xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x2x5x6xf32> to tensor<1x2x7x8xf32>
    %0 = tensor.empty() : tensor<1x2x3x3xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    %2 = tensor.empty() : tensor<3x3xf32>
    %3 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %2 : tensor<1x2x7x8xf32>, tensor<3x3xf32>) outs(%1 : tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    return %3 : tensor<1x2x3x3xf32>
  }
}
// -----
// max_pool_1d
module {
  func.func @main(%arg0: tensor<1x2x7xf32>) -> tensor<1x2x4xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1] high[0, 0, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index):
      tensor.yield %cst : f32
    } : tensor<1x2x7xf32> to tensor<1x2x9xf32>
    %0 = tensor.empty() : tensor<1x2x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
    %2 = tensor.empty() : tensor<3xf32>
    %3 = linalg.pooling_ncw_max {dilations = dense<1> : vector<1xi64>, strides = dense<2> : vector<1xi64>} ins(%padded, %2 : tensor<1x2x9xf32>, tensor<3xf32>) outs(%1 : tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
    return %3 : tensor<1x2x4xf32>
  }
}
// -----
// max_pool_3d
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2 * 2 + d5, d3 * 2 + d6, d4 * 2 + d7)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d5, d6, d7)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
module {
  func.func @main(%arg0: tensor<1x1x4x4x2xf32>) -> tensor<1x1x2x2x1xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<1x1x2x2x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x1x2x2x1xf32>) -> tensor<1x1x2x2x1xf32>
    %2 = tensor.empty() : tensor<2x2x2xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%arg0, %2 : tensor<1x1x4x4x2xf32>, tensor<2x2x2xf32>) outs(%1 : tensor<1x1x2x2x1xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.maximumf %in, %out : f32
      linalg.yield %4 : f32
    } -> tensor<1x1x2x2x1xf32>
    return %3 : tensor<1x1x2x2x1xf32>
  }
}
// -----
// average_pool
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x2x5x6xf32>) -> tensor<1x2x3x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c1_i64 = arith.constant 1 : i64
    %c2_i64 = arith.constant 2 : i64
    %c6_i64 = arith.constant 6 : i64
    %c5_i64 = arith.constant 5 : i64
    %c7_i64 = arith.constant 7 : i64
    %c0_i64 = arith.constant 0 : i64
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 3, 3] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x2x5x6xf32> to tensor<1x2x9x10xf32>
    %0 = tensor.empty() : tensor<1x2x3x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    %2 = tensor.empty() : tensor<3x3xf32>
    %3 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %2 : tensor<1x2x9x10xf32>, tensor<3x3xf32>) outs(%1 : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x2x3x4xf32>) outs(%0 : tensor<1x2x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = linalg.index 2 : index
      %6 = arith.index_cast %5 : index to i64
      %7 = arith.muli %6, %c2_i64 : i64
      %8 = arith.subi %7, %c1_i64 : i64
      %9 = arith.addi %7, %c2_i64 : i64
      %10 = arith.minsi %9, %c6_i64 : i64
      %11 = arith.maxsi %8, %c0_i64 : i64
      %12 = arith.minsi %10, %c5_i64 : i64
      %13 = arith.subi %12, %11 : i64
      %14 = linalg.index 3 : index
      %15 = arith.index_cast %14 : index to i64
      %16 = arith.muli %15, %c2_i64 : i64
      %17 = arith.subi %16, %c1_i64 : i64
      %18 = arith.addi %16, %c2_i64 : i64
      %19 = arith.minsi %18, %c7_i64 : i64
      %20 = arith.maxsi %17, %c0_i64 : i64
      %21 = arith.minsi %19, %c6_i64 : i64
      %22 = arith.subi %21, %20 : i64
      %23 = arith.muli %13, %22 : i64
      %24 = arith.sitofp %23 : i64 to f32
      %25 = arith.divf %in, %24 : f32
      linalg.yield %25 : f32
    } -> tensor<1x2x3x4xf32>
    return %4 : tensor<1x2x3x4xf32>
  }
}
// -----
// adaptive_average_pool
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x2x5x7xf32>) -> tensor<1x2x2x3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 9.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x2x2x3xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32>
    %2 = tensor.empty() : tensor<3x3xf32>
    %3 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%arg0, %2 : tensor<1x2x5x7xf32>, tensor<3x3xf32>) outs(%1 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x2x2x3xf32>) outs(%0 : tensor<1x2x2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = arith.divf %in, %cst_0 : f32
      linalg.yield %5 : f32
    } -> tensor<1x2x2x3xf32>
    return %4 : tensor<1x2x2x3xf32>
  }
}
// -----
// adaptive_max_pool
module {
  func.func @main(%arg0: tensor<1x2x5x6xf32>) -> tensor<1x2x2x2xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<1x2x2x2xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
    %2 = tensor.empty() : tensor<3x3xf32>
    %3 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 3]> : vector<2xi64>} ins(%arg0, %2 : tensor<1x2x5x6xf32>, tensor<3x3xf32>) outs(%1 : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
    return %3 : tensor<1x2x2x2xf32>
  }
}
// -----
// reductions
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
#map6 = affine_map<(d0, d1) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d1, d2)>
module {
  func.func @main(%arg0: tensor<2x3x4xf32>) -> (tensor<2x4xf32>, tensor<3xf32>, tensor<2x1x4xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<3x4xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 0.000000e+00 : f64
    %cst_3 = arith.constant 2.000000e+00 : f64
    %cst_4 = arith.constant 8.000000e+00 : f32
    %cst_5 = arith.constant 3.000000e+00 : f64
    %0 = tensor.empty() : tensor<2x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction", "parallel"]} ins(%arg0 : tensor<2x3x4xf32>) outs(%1 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<2x4xf32>
    %3 = tensor.empty() : tensor<3xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<3xf32>) -> tensor<3xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["reduction", "parallel", "reduction"]} ins(%arg0 : tensor<2x3x4xf32>) outs(%4 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<3xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%5 : tensor<3xf32>) outs(%3 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.divf %in, %cst_4 : f32
      linalg.yield %39 : f32
    } -> tensor<3xf32>
    %7 = tensor.empty() : tensor<2x4xi64>
    %8 = linalg.fill ins(%c0_i64 : i64) outs(%7 : tensor<2x4xi64>) -> tensor<2x4xi64>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %10:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction", "parallel"]} ins(%arg0 : tensor<2x3x4xf32>) outs(%9, %8 : tensor<2x4xf32>, tensor<2x4xi64>) {
    ^bb0(%in: f32, %out: f32, %out_6: i64):
      %39 = linalg.index 1 : index
      %40 = arith.index_cast %39 : index to i64
      %41 = arith.maximumf %in, %out : f32
      %42 = arith.cmpf ogt, %in, %out : f32
      %43 = arith.select %42, %40, %out_6 : i64
      linalg.yield %41, %43 : f32, i64
    } -> (tensor<2x4xf32>, tensor<2x4xi64>)
    %expanded = tensor.expand_shape %10#0 [[0, 1], [2]] output_shape [2, 1, 4] : tensor<2x4xf32> into tensor<2x1x4xf32>
    %11 = tensor.empty() : tensor<2x3xf32>
    %12 = linalg.fill ins(%cst_1 : f32) outs(%11 : tensor<2x3xf32>) -> tensor<2x3xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x3x4xf32>) outs(%12 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.mulf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<2x3xf32>
    %14 = tensor.empty() : tensor<2x3x4xf64>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x3x4xf32>) outs(%14 : tensor<2x3x4xf64>) {
    ^bb0(%in: f32, %out: f64):
      %39 = arith.extf %in : f32 to f64
      linalg.yield %39 : f64
    } -> tensor<2x3x4xf64>
    %16 = tensor.empty() : tensor<2x1x4xf64>
    %17 = linalg.fill ins(%cst_2 : f64) outs(%16 : tensor<2x1x4xf64>) -> tensor<2x1x4xf64>
    %18 = linalg.generic {indexing_maps = [#map, #map5], iterator_types = ["parallel", "reduction", "parallel"]} ins(%15 : tensor<2x3x4xf64>) outs(%17 : tensor<2x1x4xf64>) {
    ^bb0(%in: f64, %out: f64):
      %39 = arith.addf %in, %out : f64
      linalg.yield %39 : f64
    } -> tensor<2x1x4xf64>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<2x1x4xf64>) outs(%16 : tensor<2x1x4xf64>) {
    ^bb0(%in: f64, %out: f64):
      %39 = arith.divf %in, %cst_5 : f64
      linalg.yield %39 : f64
    } -> tensor<2x1x4xf64>
    %20 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %19 : tensor<2x3x4xf64>, tensor<2x1x4xf64>) outs(%14 : tensor<2x3x4xf64>) {
    ^bb0(%in: f64, %in_6: f64, %out: f64):
      %39 = arith.subf %in, %in_6 : f64
      linalg.yield %39 : f64
    } -> tensor<2x3x4xf64>
    %21 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %20 : tensor<2x3x4xf64>, tensor<2x3x4xf64>) outs(%14 : tensor<2x3x4xf64>) {
    ^bb0(%in: f64, %in_6: f64, %out: f64):
      %39 = arith.mulf %in, %in_6 : f64
      linalg.yield %39 : f64
    } -> tensor<2x3x4xf64>
    %22 = tensor.empty() : tensor<2x4xf64>
    %23 = linalg.fill ins(%cst_2 : f64) outs(%22 : tensor<2x4xf64>) -> tensor<2x4xf64>
    %24 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction", "parallel"]} ins(%21 : tensor<2x3x4xf64>) outs(%23 : tensor<2x4xf64>) {
    ^bb0(%in: f64, %out: f64):
      %39 = arith.addf %in, %out : f64
      linalg.yield %39 : f64
    } -> tensor<2x4xf64>
    %25 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<2x4xf64>) outs(%22 : tensor<2x4xf64>) {
    ^bb0(%in: f64, %out: f64):
      %39 = arith.divf %in, %cst_3 : f64
      linalg.yield %39 : f64
    } -> tensor<2x4xf64>
    %26 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<2x4xf64>) outs(%0 : tensor<2x4xf32>) {
    ^bb0(%in: f64, %out: f32):
      %39 = arith.truncf %in : f64 to f32
      linalg.yield %39 : f32
    } -> tensor<2x4xf32>
    %27 = tensor.empty() : tensor<1x3x4xf64>
    %28 = linalg.fill ins(%cst_2 : f64) outs(%27 : tensor<1x3x4xf64>) -> tensor<1x3x4xf64>
    %29 = linalg.generic {indexing_maps = [#map, #map7], iterator_types = ["reduction", "parallel", "parallel"]} ins(%15 : tensor<2x3x4xf64>) outs(%28 : tensor<1x3x4xf64>) {
    ^bb0(%in: f64, %out: f64):
      %39 = arith.addf %in, %out : f64
      linalg.yield %39 : f64
    } -> tensor<1x3x4xf64>
    %30 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<1x3x4xf64>) outs(%27 : tensor<1x3x4xf64>) {
    ^bb0(%in: f64, %out: f64):
      %39 = arith.divf %in, %cst_3 : f64
      linalg.yield %39 : f64
    } -> tensor<1x3x4xf64>
    %31 = linalg.generic {indexing_maps = [#map, #map7, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %30 : tensor<2x3x4xf64>, tensor<1x3x4xf64>) outs(%14 : tensor<2x3x4xf64>) {
    ^bb0(%in: f64, %in_6: f64, %out: f64):
      %39 = arith.subf %in, %in_6 : f64
      linalg.yield %39 : f64
    } -> tensor<2x3x4xf64>
    %32 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %31 : tensor<2x3x4xf64>, tensor<2x3x4xf64>) outs(%14 : tensor<2x3x4xf64>) {
    ^bb0(%in: f64, %in_6: f64, %out: f64):
      %39 = arith.mulf %in, %in_6 : f64
      linalg.yield %39 : f64
    } -> tensor<2x3x4xf64>
    %33 = tensor.empty() : tensor<3x4xf64>
    %34 = linalg.fill ins(%cst_2 : f64) outs(%33 : tensor<3x4xf64>) -> tensor<3x4xf64>
    %35 = linalg.generic {indexing_maps = [#map, #map8], iterator_types = ["reduction", "parallel", "parallel"]} ins(%32 : tensor<2x3x4xf64>) outs(%34 : tensor<3x4xf64>) {
    ^bb0(%in: f64, %out: f64):
      %39 = arith.addf %in, %out : f64
      linalg.yield %39 : f64
    } -> tensor<3x4xf64>
    %36 = tensor.empty() : tensor<3x4xf32>
    %37 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<3x4xf64>) outs(%36 : tensor<3x4xf32>) {
    ^bb0(%in: f64, %out: f32):
      %39 = arith.truncf %in : f64 to f32
      linalg.yield %39 : f32
    } -> tensor<3x4xf32>
    %38 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<3x4xf32>) outs(%36 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.sqrt %in : f32
      linalg.yield %39 : f32
    } -> tensor<3x4xf32>
    return %2, %6, %expanded, %13, %26, %38 : tensor<2x4xf32>, tensor<3xf32>, tensor<2x1x4xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<3x4xf32>
  }
}
// -----
// extremes
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> ()>
module {
  func.func @main(%arg0: tensor<3x5xf32>) -> (tensor<3xi64>, tensor<3xf32>, tensor<3xi64>, tensor<5xi64>, tensor<i64>) {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0x7F800000 : f32
    %0 = tensor.empty() : tensor<3xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<3xi64>) -> tensor<3xi64>
    %2 = tensor.empty() : tensor<3xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<3xf32>) -> tensor<3xf32>
    %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<3x5xf32>) outs(%3, %1 : tensor<3xf32>, tensor<3xi64>) {
    ^bb0(%in: f32, %out: f32, %out_1: i64):
      %15 = linalg.index 1 : index
      %16 = arith.index_cast %15 : index to i64
      %17 = arith.maximumf %in, %out : f32
      %18 = arith.cmpf ogt, %in, %out : f32
      %19 = arith.select %18, %16, %out_1 : i64
      linalg.yield %17, %19 : f32, i64
    } -> (tensor<3xf32>, tensor<3xi64>)
    %5 = tensor.empty() : tensor<5xi64>
    %6 = linalg.fill ins(%c0_i64 : i64) outs(%5 : tensor<5xi64>) -> tensor<5xi64>
    %7 = tensor.empty() : tensor<5xf32>
    %8 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<5xf32>) -> tensor<5xf32>
    %9:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["reduction", "parallel"]} ins(%arg0 : tensor<3x5xf32>) outs(%8, %6 : tensor<5xf32>, tensor<5xi64>) {
    ^bb0(%in: f32, %out: f32, %out_1: i64):
      %15 = linalg.index 0 : index
      %16 = arith.index_cast %15 : index to i64
      %17 = arith.minimumf %in, %out : f32
      %18 = arith.cmpf olt, %in, %out : f32
      %19 = arith.select %18, %16, %out_1 : i64
      linalg.yield %17, %19 : f32, i64
    } -> (tensor<5xf32>, tensor<5xi64>)
    %collapsed = tensor.collapse_shape %arg0 [[0, 1]] : tensor<3x5xf32> into tensor<15xf32>
    %10 = tensor.empty() : tensor<i64>
    %11 = linalg.fill ins(%c0_i64 : i64) outs(%10 : tensor<i64>) -> tensor<i64>
    %12 = tensor.empty() : tensor<f32>
    %13 = linalg.fill ins(%cst_0 : f32) outs(%12 : tensor<f32>) -> tensor<f32>
    %14:2 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["reduction"]} ins(%collapsed : tensor<15xf32>) outs(%13, %11 : tensor<f32>, tensor<i64>) {
    ^bb0(%in: f32, %out: f32, %out_1: i64):
      %15 = linalg.index 0 : index
      %16 = arith.index_cast %15 : index to i64
      %17 = arith.minimumf %in, %out : f32
      %18 = arith.cmpf olt, %in, %out : f32
      %19 = arith.select %18, %16, %out_1 : i64
      linalg.yield %17, %19 : f32, i64
    } -> (tensor<f32>, tensor<i64>)
    return %4#1, %4#0, %4#1, %9#1, %14#1 : tensor<3xi64>, tensor<3xf32>, tensor<3xi64>, tensor<5xi64>, tensor<i64>
  }
}
// -----
// norms
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> ()>
module {
  func.func @main(%arg0: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3x5xf32>, tensor<3xf32>) {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 0x7FF0000000000000 : f64
    %cst_3 = arith.constant 9.9999999999999998E-13 : f64
    %cst_4 = arith.constant 5.000000e-01 : f32
    %0 = tensor.empty() : tensor<3x5xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<3x5xf32>) outs(%0 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %26 : f32
    } -> tensor<3x5xf32>
    %2 = tensor.empty() : tensor<3xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<3xf32>) -> tensor<3xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<3x5xf32>) outs(%3 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.addf %in, %out : f32
      linalg.yield %26 : f32
    } -> tensor<3xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%4 : tensor<3xf32>) outs(%2 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.powf %in, %cst_4 : f32
      linalg.yield %26 : f32
    } -> tensor<3xf32>
    %6 = tensor.empty() : tensor<3x1xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<3x5xf32>) outs(%7 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.addf %in, %out : f32
      linalg.yield %26 : f32
    } -> tensor<3x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<3x1xf32>) outs(%6 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.powf %in, %cst_4 : f32
      linalg.yield %26 : f32
    } -> tensor<3x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<3x1xf32>) outs(%6 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.truncf %cst_3 : f64 to f32
      %27 = arith.cmpf ult, %in, %26 : f32
      %28 = arith.select %27, %26, %in : f32
      linalg.yield %28 : f32
    } -> tensor<3x1xf32>
    %collapsed = tensor.collapse_shape %10 [[0, 1]] : tensor<3x1xf32> into tensor<3xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<3xf32>) outs(%0 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x5xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %11 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%0 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %26 = arith.divf %in, %in_6 : f32
      linalg.yield %26 : f32
    } -> tensor<3x5xf32>
    %13 = tensor.empty() : tensor<3xi64>
    %14 = linalg.fill ins(%c0_i64 : i64) outs(%13 : tensor<3xi64>) -> tensor<3xi64>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<3xf32>) -> tensor<3xf32>
    %16:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<3x5xf32>) outs(%15, %14 : tensor<3xf32>, tensor<3xi64>) {
    ^bb0(%in: f32, %out: f32, %out_6: i64):
      %26 = linalg.index 1 : index
      %27 = arith.index_cast %26 : index to i64
      %28 = arith.maximumf %in, %out : f32
      %29 = arith.cmpf ogt, %in, %out : f32
      %30 = arith.select %29, %27, %out_6 : i64
      linalg.yield %28, %30 : f32, i64
    } -> (tensor<3xf32>, tensor<3xi64>)
    %expanded = tensor.expand_shape %16#0 [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<3x1xf32>) outs(%6 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.absf %in : f32
      linalg.yield %26 : f32
    } -> tensor<3x1xf32>
    %18 = tensor.empty() : tensor<3x1xi1>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<3x1xf32>) outs(%18 : tensor<3x1xi1>) {
    ^bb0(%in: f32, %out: i1):
      %26 = arith.extf %in : f32 to f64
      %27 = arith.cmpf oeq, %26, %cst_2 : f64
      linalg.yield %27 : i1
    } -> tensor<3x1xi1>
    %20 = linalg.generic {indexing_maps = [#map, #map4, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %cst_1, %expanded : tensor<3x1xi1>, tensor<f32>, tensor<3x1xf32>) outs(%6 : tensor<3x1xf32>) {
    ^bb0(%in: i1, %in_6: f32, %in_7: f32, %out: f32):
      %26 = arith.select %in, %in_6, %in_7 : f32
      linalg.yield %26 : f32
    } -> tensor<3x1xf32>
    %collapsed_5 = tensor.collapse_shape %20 [[0, 1]] : tensor<3x1xf32> into tensor<3xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %20 : tensor<3x5xf32>, tensor<3x1xf32>) outs(%0 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %26 = arith.subf %in, %in_6 : f32
      linalg.yield %26 : f32
    } -> tensor<3x5xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<3x5xf32>) outs(%0 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.exp %in : f32
      linalg.yield %26 : f32
    } -> tensor<3x5xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%22 : tensor<3x5xf32>) outs(%3 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.addf %in, %out : f32
      linalg.yield %26 : f32
    } -> tensor<3xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%23 : tensor<3xf32>) outs(%2 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.log %in : f32
      linalg.yield %26 : f32
    } -> tensor<3xf32>
    %25 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%24, %collapsed_5 : tensor<3xf32>, tensor<3xf32>) outs(%2 : tensor<3xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %26 = arith.addf %in, %in_6 : f32
      linalg.yield %26 : f32
    } -> tensor<3xf32>
    return %5, %12, %25 : tensor<3xf32>, tensor<3x5xf32>, tensor<3xf32>
  }
}
// -----
// cumulative_sum
module {
  func.func @main(%arg0: tensor<3x5xf32>) -> tensor<3x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x5xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3x5xf32>) -> tensor<3x5xf32>
    %2 = tensor.empty() : tensor<3xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<3xf32>) -> tensor<3xf32>
    %4:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%arg0 : tensor<3x5xf32>) outs(%1, %3 : tensor<3x5xf32>, tensor<3xf32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      %5 = arith.addf %arg1, %arg2 : f32
      tm_tensor.yield %5 : f32
    } -> tensor<3x5xf32>, tensor<3xf32>
    return %4#0 : tensor<3x5xf32>
  }
}
// -----
// sort
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>) {
    %0 = tensor.empty() : tensor<3x5xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<3x5xi64>) {
    ^bb0(%out: i64):
      %3 = linalg.index 1 : index
      %4 = arith.index_cast %3 : index to i64
      linalg.yield %4 : i64
    } -> tensor<3x5xi64>
    %2:2 = tm_tensor.sort dimension(1) outs(%arg0, %1 : tensor<3x5xf32>, tensor<3x5xi64>) {
    ^bb0(%arg1: f32, %arg2: f32, %arg3: i64, %arg4: i64):
      %3 = arith.cmpf oge, %arg1, %arg2 : f32
      tm_tensor.yield %3 : i1
    } -> tensor<3x5xf32>, tensor<3x5xi64>
    return %2#0, %2#1 : tensor<3x5xf32>, tensor<3x5xi64>
  }
}
// -----
// topk
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>) {
    %0 = tensor.empty() : tensor<3x5xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<3x5xi64>) {
    ^bb0(%out: i64):
      %3 = linalg.index 1 : index
      %4 = arith.index_cast %3 : index to i64
      linalg.yield %4 : i64
    } -> tensor<3x5xi64>
    %2:2 = tm_tensor.sort dimension(1) outs(%arg0, %1 : tensor<3x5xf32>, tensor<3x5xi64>) {
    ^bb0(%arg1: f32, %arg2: f32, %arg3: i64, %arg4: i64):
      %3 = arith.cmpf oge, %arg1, %arg2 : f32
      tm_tensor.yield %3 : i1
    } -> tensor<3x5xf32>, tensor<3x5xi64>
    %extracted_slice = tensor.extract_slice %2#0[0, 0] [3, 2] [1, 1] : tensor<3x5xf32> to tensor<3x2xf32>
    %extracted_slice_0 = tensor.extract_slice %2#1[0, 0] [3, 2] [1, 1] : tensor<3x5xi64> to tensor<3x2xi64>
    return %extracted_slice, %extracted_slice_0 : tensor<3x2xf32>, tensor<3x2xi64>
  }
}
// -----
// gather
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<3x2xi64>) -> tensor<3x2xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c5 = arith.constant 5 : index
    %c0_i64 = arith.constant 0 : i64
    %0 = tensor.empty() : tensor<3x2xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3x2xf32>) -> tensor<3x2xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<3x2xi64>) outs(%1 : tensor<3x2xf32>) {
    ^bb0(%in: i64, %out: f32):
      %3 = linalg.index 0 : index
      %4 = arith.index_cast %in : i64 to index
      %5 = arith.cmpi slt, %4, %c5 : index
      cf.assert %5, "index must be smaller than dim size"
      %6 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %6, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg0[%3, %4] : tensor<3x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x2xf32>
    return %2 : tensor<3x2xf32>
  }
}
// -----
// scatter
#map = affine_map<(d0) -> (d0, 0)>
#map1 = affine_map<(d0) -> (d0)>
module {
  func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<3x2xi64>, %arg2: tensor<3x2xf32>) -> tensor<3x5xf32> {
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<6x1xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<6x1xi64>) -> tensor<6x1xi64>
    %2 = tensor.empty() : tensor<6xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<6xf32>) -> tensor<6xf32>
    %4:3 = linalg.generic {indexing_maps = [#map, #map, #map1], iterator_types = ["parallel"]} outs(%1, %1, %3 : tensor<6x1xi64>, tensor<6x1xi64>, tensor<6xf32>) {
    ^bb0(%out: i64, %out_1: i64, %out_2: f32):
      %8 = linalg.index 0 : index
      %9 = arith.remsi %8, %c2 : index
      %10 = arith.divsi %8, %c2 : index
      %11 = arith.remsi %10, %c3 : index
      %extracted = tensor.extract %arg1[%11, %9] : tensor<3x2xi64>
      %extracted_3 = tensor.extract %arg2[%11, %9] : tensor<3x2xf32>
      %12 = arith.index_cast %11 : index to i64
      linalg.yield %12, %extracted, %extracted_3 : i64, i64, f32
    } -> (tensor<6x1xi64>, tensor<6x1xi64>, tensor<6xf32>)
    %5 = tensor.empty() : tensor<6x2xi64>
    %6 = linalg.fill ins(%c0_i64 : i64) outs(%5 : tensor<6x2xi64>) -> tensor<6x2xi64>
    %inserted_slice = tensor.insert_slice %4#0 into %6[0, 0] [6, 1] [1, 1] : tensor<6x1xi64> into tensor<6x2xi64>
    %inserted_slice_0 = tensor.insert_slice %4#1 into %inserted_slice[0, 1] [6, 1] [1, 1] : tensor<6x1xi64> into tensor<6x2xi64>
    %7 = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%4#2, %inserted_slice_0 : tensor<6xf32>, tensor<6x2xi64>) outs(%arg0 : tensor<3x5xf32>) {
    ^bb0(%arg3: f32, %arg4: f32):
      tm_tensor.yield %arg3 : f32
    } -> tensor<3x5xf32>
    return %7 : tensor<3x5xf32>
  }
}
// -----
// scatter_add
#map = affine_map<(d0) -> (d0, 0)>
#map1 = affine_map<(d0) -> (d0)>
module {
  func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<3x2xi64>, %arg2: tensor<3x2xf32>) -> tensor<3x5xf32> {
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<6x1xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<6x1xi64>) -> tensor<6x1xi64>
    %2 = tensor.empty() : tensor<6xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<6xf32>) -> tensor<6xf32>
    %4:3 = linalg.generic {indexing_maps = [#map, #map, #map1], iterator_types = ["parallel"]} outs(%1, %1, %3 : tensor<6x1xi64>, tensor<6x1xi64>, tensor<6xf32>) {
    ^bb0(%out: i64, %out_1: i64, %out_2: f32):
      %8 = linalg.index 0 : index
      %9 = arith.remsi %8, %c2 : index
      %10 = arith.divsi %8, %c2 : index
      %11 = arith.remsi %10, %c3 : index
      %extracted = tensor.extract %arg1[%11, %9] : tensor<3x2xi64>
      %extracted_3 = tensor.extract %arg2[%11, %9] : tensor<3x2xf32>
      %12 = arith.index_cast %11 : index to i64
      linalg.yield %12, %extracted, %extracted_3 : i64, i64, f32
    } -> (tensor<6x1xi64>, tensor<6x1xi64>, tensor<6xf32>)
    %5 = tensor.empty() : tensor<6x2xi64>
    %6 = linalg.fill ins(%c0_i64 : i64) outs(%5 : tensor<6x2xi64>) -> tensor<6x2xi64>
    %inserted_slice = tensor.insert_slice %4#0 into %6[0, 0] [6, 1] [1, 1] : tensor<6x1xi64> into tensor<6x2xi64>
    %inserted_slice_0 = tensor.insert_slice %4#1 into %inserted_slice[0, 1] [6, 1] [1, 1] : tensor<6x1xi64> into tensor<6x2xi64>
    %7 = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%4#2, %inserted_slice_0 : tensor<6xf32>, tensor<6x2xi64>) outs(%arg0 : tensor<3x5xf32>) {
    ^bb0(%arg3: f32, %arg4: f32):
      %8 = arith.addf %arg4, %arg3 : f32
      tm_tensor.yield %8 : f32
    } -> tensor<3x5xf32>
    return %7 : tensor<3x5xf32>
  }
}
// -----
// index
#map = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<2xi64>) -> (tensor<2x5xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x5xf32>) {
    %c5_i64 = arith.constant 5 : i64
    %c3_i64 = arith.constant 3 : i64
    %c0_i64 = arith.constant 0 : i64
    %0 = tensor.empty() : tensor<2x5xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<2xi64>) outs(%0 : tensor<2x5xf32>) {
    ^bb0(%in: i64, %out: f32):
      %7 = arith.cmpi slt, %in, %c0_i64 : i64
      %8 = arith.addi %in, %c3_i64 : i64
      %9 = arith.select %7, %8, %in : i64
      %10 = arith.index_cast %9 : i64 to index
      %11 = linalg.index 1 : index
      %extracted = tensor.extract %arg0[%10, %11] : tensor<3x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x5xf32>
    %2 = tensor.empty() : tensor<3xi64>
    %3 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%2 : tensor<3xi64>) {
    ^bb0(%out: i64):
      %7 = linalg.index 0 : index
      %8 = arith.index_cast %7 : index to i64
      linalg.yield %8 : i64
    } -> tensor<3xi64>
    %expanded = tensor.expand_shape %3 [[0, 1]] output_shape [3, 1] : tensor<3xi64> into tensor<3x1xi64>
    %4 = tensor.empty() : tensor<3x2xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded, %arg1 : tensor<3x1xi64>, tensor<2xi64>) outs(%4 : tensor<3x2xf32>) {
    ^bb0(%in: i64, %in_2: i64, %out: f32):
      %7 = arith.cmpi slt, %in, %c0_i64 : i64
      %8 = arith.addi %in, %c3_i64 : i64
      %9 = arith.select %7, %8, %in : i64
      %10 = arith.index_cast %9 : i64 to index
      %11 = arith.cmpi slt, %in_2, %c0_i64 : i64
      %12 = arith.addi %in_2, %c5_i64 : i64
      %13 = arith.select %11, %12, %in_2 : i64
      %14 = arith.index_cast %13 : i64 to index
      %extracted = tensor.extract %arg0[%10, %14] : tensor<3x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x2xf32>
    %extracted_slice = tensor.extract_slice %arg0[1, 0] [2, 5] [1, 1] : tensor<3x5xf32> to tensor<2x5xf32>
    %extracted_slice_0 = tensor.extract_slice %extracted_slice[0, 0] [2, 3] [1, 2] : tensor<2x5xf32> to tensor<2x3xf32>
    %extracted_slice_1 = tensor.extract_slice %arg0[0, 4] [3, 1] [1, 1] : tensor<3x5xf32> to tensor<3x1xf32>
    %collapsed = tensor.collapse_shape %extracted_slice_1 [[0, 1]] : tensor<3x1xf32> into tensor<3xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<2xi64>) outs(%0 : tensor<2x5xf32>) {
    ^bb0(%in: i64, %out: f32):
      %7 = arith.index_cast %in : i64 to index
      %8 = linalg.index 1 : index
      %extracted = tensor.extract %arg0[%7, %8] : tensor<3x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x5xf32>
    return %1, %5, %extracted_slice_0, %collapsed, %6 : tensor<2x5xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x5xf32>
  }
}
// -----
// index_apart
#map = affine_map<(d0, d1, d2) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1, d2) -> (d0, 0, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d1, 0)>
#map5 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @main(%arg0: tensor<3x4x2x4xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2xi64>) -> (tensor<2x2x4xf32>, tensor<2x3x2xf32>) {
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c3_i64 = arith.constant 3 : i64
    %c4_i64 = arith.constant 4 : i64
    %0 = tensor.empty() : tensor<2x2x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %arg2 : tensor<2xi64>, tensor<2xi64>) outs(%0 : tensor<2x2x4xf32>) {
    ^bb0(%in: i64, %in_2: i64, %out: f32):
      %9 = arith.cmpi slt, %in, %c0_i64 : i64
      %10 = arith.addi %in, %c3_i64 : i64
      %11 = arith.select %9, %10, %in : i64
      %12 = arith.index_cast %11 : i64 to index
      %13 = arith.cmpi slt, %in_2, %c0_i64 : i64
      %14 = arith.addi %in_2, %c4_i64 : i64
      %15 = arith.select %13, %14, %in_2 : i64
      %16 = arith.index_cast %15 : i64 to index
      %17 = linalg.index 1 : index
      %18 = linalg.index 2 : index
      %extracted = tensor.extract %arg0[%12, %16, %17, %18] : tensor<3x4x2x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x2x4xf32>
    %2 = tensor.empty() : tensor<4x4x3x2xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<3x4x2x4xf32>) outs(%2 : tensor<4x4x3x2xf32>) permutation = [1, 3, 0, 2] 
    %3 = tensor.empty() : tensor<2xi64>
    %4 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%3 : tensor<2xi64>) {
    ^bb0(%out: i64):
      %9 = linalg.index 0 : index
      %10 = arith.index_cast %9 : index to i64
      linalg.yield %10 : i64
    } -> tensor<2xi64>
    %5 = tensor.empty() : tensor<3xi64>
    %6 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%5 : tensor<3xi64>) {
    ^bb0(%out: i64):
      %9 = linalg.index 0 : index
      %10 = arith.index_cast %9 : index to i64
      linalg.yield %10 : i64
    } -> tensor<3xi64>
    %expanded = tensor.expand_shape %6 [[0, 1]] output_shape [3, 1] : tensor<3xi64> into tensor<3x1xi64>
    %expanded_0 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [2, 1, 1] : tensor<2xi64> into tensor<2x1x1xi64>
    %expanded_1 = tensor.expand_shape %arg1 [[0, 1, 2]] output_shape [2, 1, 1] : tensor<2xi64> into tensor<2x1x1xi64>
    %7 = tensor.empty() : tensor<2x3x2xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map5, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_1, %expanded_0, %expanded, %4 : tensor<2x1x1xi64>, tensor<2x1x1xi64>, tensor<3x1xi64>, tensor<2xi64>) outs(%7 : tensor<2x3x2xf32>) {
    ^bb0(%in: i64, %in_2: i64, %in_3: i64, %in_4: i64, %out: f32):
      %9 = arith.cmpi slt, %in, %c0_i64 : i64
      %10 = arith.addi %in, %c4_i64 : i64
      %11 = arith.select %9, %10, %in : i64
      %12 = arith.index_cast %11 : i64 to index
      %13 = arith.cmpi slt, %in_2, %c0_i64 : i64
      %14 = arith.addi %in_2, %c4_i64 : i64
      %15 = arith.select %13, %14, %in_2 : i64
      %16 = arith.index_cast %15 : i64 to index
      %17 = arith.cmpi slt, %in_3, %c0_i64 : i64
      %18 = arith.addi %in_3, %c3_i64 : i64
      %19 = arith.select %17, %18, %in_3 : i64
      %20 = arith.index_cast %19 : i64 to index
      %21 = arith.cmpi slt, %in_4, %c0_i64 : i64
      %22 = arith.addi %in_4, %c2_i64 : i64
      %23 = arith.select %21, %22, %in_4 : i64
      %24 = arith.index_cast %23 : i64 to index
      %extracted = tensor.extract %transposed[%12, %16, %20, %24] : tensor<4x4x3x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x3x2xf32>
    return %1, %8 : tensor<2x2x4xf32>, tensor<2x3x2xf32>
  }
}
// -----
// pad
module {
  func.func @main(%arg0: tensor<2x3x4xf32>) -> (tensor<2x4x7xf32>, tensor<2x3x5xf32>) {
    %cst = arith.constant 3.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1] high[0, 1, 2] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index):
      tensor.yield %cst : f32
    } : tensor<2x3x4xf32> to tensor<2x4x7xf32>
    %padded_1 = tensor.pad %arg0 low[0, 0, -1] high[0, 0, 2] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index):
      tensor.yield %cst_0 : f32
    } : tensor<2x3x4xf32> to tensor<2x3x5xf32>
    return %padded, %padded_1 : tensor<2x4x7xf32>, tensor<2x3x5xf32>
  }
}
// -----
// pad_reflected
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x1x3x4xf32>) -> tensor<1x1x5x6xf32> {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x1x5x6xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x1x5x6xf32>) -> tensor<1x1x5x6xf32>
    %extracted_slice = tensor.extract_slice %arg0[0, 0, 1, 1] [1, 1, 1, 1] [1, 1, 1, 1] : tensor<1x1x3x4xf32> to tensor<1x1x1x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<1x1x1x1xf32>) outs(%extracted_slice : tensor<1x1x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %extracted = tensor.extract %extracted_slice[%c0, %c0, %c0, %c0] : tensor<1x1x1x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x1x1xf32>
    %inserted_slice = tensor.insert_slice %2 into %1[0, 0, 0, 0] [1, 1, 1, 1] [1, 1, 1, 1] : tensor<1x1x1x1xf32> into tensor<1x1x5x6xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 0, 1, 2] [1, 1, 1, 1] [1, 1, 1, 1] : tensor<1x1x3x4xf32> to tensor<1x1x1x1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_0 : tensor<1x1x1x1xf32>) outs(%extracted_slice_0 : tensor<1x1x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %extracted = tensor.extract %extracted_slice_0[%c0, %c0, %c0, %c0] : tensor<1x1x1x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x1x1xf32>
    %inserted_slice_1 = tensor.insert_slice %3 into %inserted_slice[0, 0, 0, 5] [1, 1, 1, 1] [1, 1, 1, 1] : tensor<1x1x1x1xf32> into tensor<1x1x5x6xf32>
    %extracted_slice_2 = tensor.extract_slice %arg0[0, 0, 1, 0] [1, 1, 1, 4] [1, 1, 1, 1] : tensor<1x1x3x4xf32> to tensor<1x1x1x4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_2 : tensor<1x1x1x4xf32>) outs(%extracted_slice_2 : tensor<1x1x1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %8 = linalg.index 3 : index
      %extracted = tensor.extract %extracted_slice_2[%c0, %c0, %c0, %8] : tensor<1x1x1x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x1x4xf32>
    %inserted_slice_3 = tensor.insert_slice %4 into %inserted_slice_1[0, 0, 0, 1] [1, 1, 1, 4] [1, 1, 1, 1] : tensor<1x1x1x4xf32> into tensor<1x1x5x6xf32>
    %inserted_slice_4 = tensor.insert_slice %2 into %inserted_slice_3[0, 0, 4, 0] [1, 1, 1, 1] [1, 1, 1, 1] : tensor<1x1x1x1xf32> into tensor<1x1x5x6xf32>
    %inserted_slice_5 = tensor.insert_slice %3 into %inserted_slice_4[0, 0, 4, 5] [1, 1, 1, 1] [1, 1, 1, 1] : tensor<1x1x1x1xf32> into tensor<1x1x5x6xf32>
    %inserted_slice_6 = tensor.insert_slice %4 into %inserted_slice_5[0, 0, 4, 1] [1, 1, 1, 4] [1, 1, 1, 1] : tensor<1x1x1x4xf32> into tensor<1x1x5x6xf32>
    %extracted_slice_7 = tensor.extract_slice %arg0[0, 0, 0, 1] [1, 1, 3, 1] [1, 1, 1, 1] : tensor<1x1x3x4xf32> to tensor<1x1x3x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_7 : tensor<1x1x3x1xf32>) outs(%extracted_slice_7 : tensor<1x1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %8 = linalg.index 2 : index
      %extracted = tensor.extract %extracted_slice_7[%c0, %c0, %8, %c0] : tensor<1x1x3x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x3x1xf32>
    %inserted_slice_8 = tensor.insert_slice %5 into %inserted_slice_6[0, 0, 1, 0] [1, 1, 3, 1] [1, 1, 1, 1] : tensor<1x1x3x1xf32> into tensor<1x1x5x6xf32>
    %extracted_slice_9 = tensor.extract_slice %arg0[0, 0, 0, 2] [1, 1, 3, 1] [1, 1, 1, 1] : tensor<1x1x3x4xf32> to tensor<1x1x3x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_9 : tensor<1x1x3x1xf32>) outs(%extracted_slice_9 : tensor<1x1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %8 = linalg.index 2 : index
      %extracted = tensor.extract %extracted_slice_9[%c0, %c0, %8, %c0] : tensor<1x1x3x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x3x1xf32>
    %inserted_slice_10 = tensor.insert_slice %6 into %inserted_slice_8[0, 0, 1, 5] [1, 1, 3, 1] [1, 1, 1, 1] : tensor<1x1x3x1xf32> into tensor<1x1x5x6xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x1x3x4xf32>) outs(%arg0 : tensor<1x1x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %8 = linalg.index 2 : index
      %9 = linalg.index 3 : index
      %extracted = tensor.extract %arg0[%c0, %c0, %8, %9] : tensor<1x1x3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x3x4xf32>
    %inserted_slice_11 = tensor.insert_slice %7 into %inserted_slice_10[0, 0, 1, 1] [1, 1, 3, 4] [1, 1, 1, 1] : tensor<1x1x3x4xf32> into tensor<1x1x5x6xf32>
    return %inserted_slice_11 : tensor<1x1x5x6xf32>
  }
}
// -----
// pad_replicated
module {
  func.func @main(%arg0: tensor<1x1x3x4xf32>) -> tensor<1x1x4x7xf32> {
    %extracted_slice = tensor.extract_slice %arg0[0, 0, 0, 0] [1, 1, 3, 1] [1, 1, 1, 1] : tensor<1x1x3x4xf32> to tensor<1x1x3x1xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 0, 0, 3] [1, 1, 3, 1] [1, 1, 1, 1] : tensor<1x1x3x4xf32> to tensor<1x1x3x1xf32>
    %concat = tensor.concat dim(3) %extracted_slice_0, %extracted_slice_0 : (tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>) -> tensor<1x1x3x2xf32>
    %concat_1 = tensor.concat dim(3) %extracted_slice, %arg0, %concat : (tensor<1x1x3x1xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x3x7xf32>
    %extracted_slice_2 = tensor.extract_slice %concat_1[0, 0, 2, 0] [1, 1, 1, 7] [1, 1, 1, 1] : tensor<1x1x3x7xf32> to tensor<1x1x1x7xf32>
    %concat_3 = tensor.concat dim(2) %concat_1, %extracted_slice_2 : (tensor<1x1x3x7xf32>, tensor<1x1x1x7xf32>) -> tensor<1x1x4x7xf32>
    return %concat_3 : tensor<1x1x4x7xf32>
  }
}
// -----
// nearest
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x2x2x3xf32>) -> tensor<1x2x4x6xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 2.000000e+00 : f32
    %c0 = arith.constant 0 : index
    %cst_1 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x2x4x6xf32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%0 : tensor<1x2x4x6xf32>) {
    ^bb0(%out: f32):
      %2 = linalg.index 1 : index
      %3 = linalg.index 2 : index
      %4 = linalg.index 3 : index
      %5 = arith.index_cast %3 : index to i64
      %6 = arith.sitofp %5 : i64 to f32
      %7 = arith.divf %6, %cst_0 : f32
      %8 = math.floor %7 : f32
      %9 = arith.maximumf %8, %cst : f32
      %10 = arith.minimumf %9, %cst_1 : f32
      %11 = arith.fptosi %10 : f32 to i64
      %12 = arith.index_cast %11 : i64 to index
      %13 = arith.index_cast %4 : index to i64
      %14 = arith.sitofp %13 : i64 to f32
      %15 = arith.divf %14, %cst_0 : f32
      %16 = math.floor %15 : f32
      %17 = arith.maximumf %16, %cst : f32
      %18 = arith.minimumf %17, %cst_0 : f32
      %19 = arith.fptosi %18 : f32 to i64
      %20 = arith.index_cast %19 : i64 to index
      %extracted = tensor.extract %arg0[%c0, %2, %12, %20] : tensor<1x2x2x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x2x4x6xf32>
    return %1 : tensor<1x2x4x6xf32>
  }
}
// -----
// bilinear
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d2, 0)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x1x3x4xf32>) -> tensor<1x1x5x7xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c3_i64 = arith.constant 3 : i64
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c4_i64 = arith.constant 4 : i64
    %cst = arith.constant 0.5714285714285714 : f64
    %cst_0 = arith.constant 6.000000e-01 : f64
    %cst_1 = arith.constant 5.000000e-01 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %cst_3 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<5xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<5xi64>) {
    ^bb0(%out: i64):
      %44 = linalg.index 0 : index
      %45 = arith.index_cast %44 : index to i64
      linalg.yield %45 : i64
    } -> tensor<5xi64>
    %2 = tensor.empty() : tensor<5xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<5xi64>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: i64, %out: f32):
      %44 = arith.sitofp %in : i64 to f32
      linalg.yield %44 : f32
    } -> tensor<5xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.addf %in, %cst_1 : f32
      linalg.yield %44 : f32
    } -> tensor<5xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.truncf %cst_0 : f64 to f32
      %45 = arith.mulf %in, %44 : f32
      linalg.yield %45 : f32
    } -> tensor<5xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%5 : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.subf %in, %cst_1 : f32
      linalg.yield %44 : f32
    } -> tensor<5xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%6 : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.cmpf ult, %in, %cst_2 : f32
      %45 = arith.select %44, %cst_2, %in : f32
      linalg.yield %45 : f32
    } -> tensor<5xf32>
    %expanded = tensor.expand_shape %7 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %8 = tensor.empty() : tensor<5x1xi64>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<5x1xf32>) outs(%8 : tensor<5x1xi64>) {
    ^bb0(%in: f32, %out: i64):
      %44 = arith.fptosi %in : f32 to i64
      linalg.yield %44 : i64
    } -> tensor<5x1xi64>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<5x1xi64>) outs(%8 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %44 = arith.addi %in, %c1_i64 : i64
      linalg.yield %44 : i64
    } -> tensor<5x1xi64>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<5x1xi64>) outs(%8 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %44 = arith.cmpi sge, %in, %c2_i64 : i64
      %45 = arith.select %44, %c2_i64, %in : i64
      linalg.yield %45 : i64
    } -> tensor<5x1xi64>
    %12 = tensor.empty() : tensor<7xi64>
    %13 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%12 : tensor<7xi64>) {
    ^bb0(%out: i64):
      %44 = linalg.index 0 : index
      %45 = arith.index_cast %44 : index to i64
      linalg.yield %45 : i64
    } -> tensor<7xi64>
    %14 = tensor.empty() : tensor<7xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%13 : tensor<7xi64>) outs(%14 : tensor<7xf32>) {
    ^bb0(%in: i64, %out: f32):
      %44 = arith.sitofp %in : i64 to f32
      linalg.yield %44 : f32
    } -> tensor<7xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%15 : tensor<7xf32>) outs(%14 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.addf %in, %cst_1 : f32
      linalg.yield %44 : f32
    } -> tensor<7xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%16 : tensor<7xf32>) outs(%14 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.truncf %cst : f64 to f32
      %45 = arith.mulf %in, %44 : f32
      linalg.yield %45 : f32
    } -> tensor<7xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%17 : tensor<7xf32>) outs(%14 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.subf %in, %cst_1 : f32
      linalg.yield %44 : f32
    } -> tensor<7xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%18 : tensor<7xf32>) outs(%14 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.cmpf ult, %in, %cst_2 : f32
      %45 = arith.select %44, %cst_2, %in : f32
      linalg.yield %45 : f32
    } -> tensor<7xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%19 : tensor<7xf32>) outs(%12 : tensor<7xi64>) {
    ^bb0(%in: f32, %out: i64):
      %44 = arith.fptosi %in : f32 to i64
      linalg.yield %44 : i64
    } -> tensor<7xi64>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%20 : tensor<7xi64>) outs(%12 : tensor<7xi64>) {
    ^bb0(%in: i64, %out: i64):
      %44 = arith.addi %in, %c1_i64 : i64
      linalg.yield %44 : i64
    } -> tensor<7xi64>
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%21 : tensor<7xi64>) outs(%12 : tensor<7xi64>) {
    ^bb0(%in: i64, %out: i64):
      %44 = arith.cmpi sge, %in, %c3_i64 : i64
      %45 = arith.select %44, %c3_i64, %in : i64
      linalg.yield %45 : i64
    } -> tensor<7xi64>
    %23 = tensor.empty() : tensor<1xi64>
    %24 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%23 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_4 = tensor.expand_shape %24 [[0, 1, 2]] output_shape [1, 1, 1] : tensor<1xi64> into tensor<1x1x1xi64>
    %expanded_5 = tensor.expand_shape %24 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1xi64>
    %25 = tensor.empty() : tensor<1x1x5x7xf32>
    %26 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5, %expanded_4, %9, %20 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<7xi64>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %44 = arith.cmpi slt, %in, %c0_i64 : i64
      %45 = arith.addi %in, %c1_i64 : i64
      %46 = arith.select %44, %45, %in : i64
      %47 = arith.index_cast %46 : i64 to index
      %48 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %49 = arith.addi %in_6, %c1_i64 : i64
      %50 = arith.select %48, %49, %in_6 : i64
      %51 = arith.index_cast %50 : i64 to index
      %52 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %53 = arith.addi %in_7, %c3_i64 : i64
      %54 = arith.select %52, %53, %in_7 : i64
      %55 = arith.index_cast %54 : i64 to index
      %56 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %57 = arith.addi %in_8, %c4_i64 : i64
      %58 = arith.select %56, %57, %in_8 : i64
      %59 = arith.index_cast %58 : i64 to index
      %extracted = tensor.extract %arg0[%47, %51, %55, %59] : tensor<1x1x3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x7xf32>
    %27 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5, %expanded_4, %9, %22 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<7xi64>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %44 = arith.cmpi slt, %in, %c0_i64 : i64
      %45 = arith.addi %in, %c1_i64 : i64
      %46 = arith.select %44, %45, %in : i64
      %47 = arith.index_cast %46 : i64 to index
      %48 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %49 = arith.addi %in_6, %c1_i64 : i64
      %50 = arith.select %48, %49, %in_6 : i64
      %51 = arith.index_cast %50 : i64 to index
      %52 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %53 = arith.addi %in_7, %c3_i64 : i64
      %54 = arith.select %52, %53, %in_7 : i64
      %55 = arith.index_cast %54 : i64 to index
      %56 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %57 = arith.addi %in_8, %c4_i64 : i64
      %58 = arith.select %56, %57, %in_8 : i64
      %59 = arith.index_cast %58 : i64 to index
      %extracted = tensor.extract %arg0[%47, %51, %55, %59] : tensor<1x1x3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x7xf32>
    %28 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5, %expanded_4, %11, %20 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<7xi64>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %44 = arith.cmpi slt, %in, %c0_i64 : i64
      %45 = arith.addi %in, %c1_i64 : i64
      %46 = arith.select %44, %45, %in : i64
      %47 = arith.index_cast %46 : i64 to index
      %48 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %49 = arith.addi %in_6, %c1_i64 : i64
      %50 = arith.select %48, %49, %in_6 : i64
      %51 = arith.index_cast %50 : i64 to index
      %52 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %53 = arith.addi %in_7, %c3_i64 : i64
      %54 = arith.select %52, %53, %in_7 : i64
      %55 = arith.index_cast %54 : i64 to index
      %56 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %57 = arith.addi %in_8, %c4_i64 : i64
      %58 = arith.select %56, %57, %in_8 : i64
      %59 = arith.index_cast %58 : i64 to index
      %extracted = tensor.extract %arg0[%47, %51, %55, %59] : tensor<1x1x3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x7xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5, %expanded_4, %11, %22 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<7xi64>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %44 = arith.cmpi slt, %in, %c0_i64 : i64
      %45 = arith.addi %in, %c1_i64 : i64
      %46 = arith.select %44, %45, %in : i64
      %47 = arith.index_cast %46 : i64 to index
      %48 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %49 = arith.addi %in_6, %c1_i64 : i64
      %50 = arith.select %48, %49, %in_6 : i64
      %51 = arith.index_cast %50 : i64 to index
      %52 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %53 = arith.addi %in_7, %c3_i64 : i64
      %54 = arith.select %52, %53, %in_7 : i64
      %55 = arith.index_cast %54 : i64 to index
      %56 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %57 = arith.addi %in_8, %c4_i64 : i64
      %58 = arith.select %56, %57, %in_8 : i64
      %59 = arith.index_cast %58 : i64 to index
      %extracted = tensor.extract %arg0[%47, %51, %55, %59] : tensor<1x1x3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x7xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%19, %20 : tensor<7xf32>, tensor<7xi64>) outs(%14 : tensor<7xf32>) {
    ^bb0(%in: f32, %in_6: i64, %out: f32):
      %44 = arith.sitofp %in_6 : i64 to f32
      %45 = arith.subf %in, %44 : f32
      linalg.yield %45 : f32
    } -> tensor<7xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%30 : tensor<7xf32>) outs(%14 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.cmpf ult, %in, %cst_2 : f32
      %45 = arith.select %44, %cst_2, %in : f32
      %46 = arith.cmpf ugt, %45, %cst_3 : f32
      %47 = arith.select %46, %cst_3, %45 : f32
      linalg.yield %47 : f32
    } -> tensor<7xf32>
    %32 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %26 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %44 = arith.subf %in, %in_6 : f32
      linalg.yield %44 : f32
    } -> tensor<1x1x5x7xf32>
    %33 = linalg.generic {indexing_maps = [#map6, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %31 : tensor<1x1x5x7xf32>, tensor<7xf32>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %44 = arith.mulf %in, %in_6 : f32
      linalg.yield %44 : f32
    } -> tensor<1x1x5x7xf32>
    %34 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %33 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %44 = arith.addf %in, %in_6 : f32
      linalg.yield %44 : f32
    } -> tensor<1x1x5x7xf32>
    %35 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %28 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %44 = arith.subf %in, %in_6 : f32
      linalg.yield %44 : f32
    } -> tensor<1x1x5x7xf32>
    %36 = linalg.generic {indexing_maps = [#map6, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35, %31 : tensor<1x1x5x7xf32>, tensor<7xf32>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %44 = arith.mulf %in, %in_6 : f32
      linalg.yield %44 : f32
    } -> tensor<1x1x5x7xf32>
    %37 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %36 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %44 = arith.addf %in, %in_6 : f32
      linalg.yield %44 : f32
    } -> tensor<1x1x5x7xf32>
    %38 = tensor.empty() : tensor<5x1xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded, %9 : tensor<5x1xf32>, tensor<5x1xi64>) outs(%38 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %in_6: i64, %out: f32):
      %44 = arith.sitofp %in_6 : i64 to f32
      %45 = arith.subf %in, %44 : f32
      linalg.yield %45 : f32
    } -> tensor<5x1xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%39 : tensor<5x1xf32>) outs(%38 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.cmpf ult, %in, %cst_2 : f32
      %45 = arith.select %44, %cst_2, %in : f32
      %46 = arith.cmpf ugt, %45, %cst_3 : f32
      %47 = arith.select %46, %cst_3, %45 : f32
      linalg.yield %47 : f32
    } -> tensor<5x1xf32>
    %41 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %34 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %44 = arith.subf %in, %in_6 : f32
      linalg.yield %44 : f32
    } -> tensor<1x1x5x7xf32>
    %42 = linalg.generic {indexing_maps = [#map6, #map4, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41, %40 : tensor<1x1x5x7xf32>, tensor<5x1xf32>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %44 = arith.mulf %in, %in_6 : f32
      linalg.yield %44 : f32
    } -> tensor<1x1x5x7xf32>
    %43 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34, %42 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%25 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %44 = arith.addf %in, %in_6 : f32
      linalg.yield %44 : f32
    } -> tensor<1x1x5x7xf32>
    return %43 : tensor<1x1x5x7xf32>
  }
}
// -----
// bilinear_corners
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d2, 0)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x1x3x4xf32>) -> tensor<1x1x5x7xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c3_i64 = arith.constant 3 : i64
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c4_i64 = arith.constant 4 : i64
    %cst = arith.constant 5.000000e-01 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<5xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<5xi64>) {
    ^bb0(%out: i64):
      %40 = linalg.index 0 : index
      %41 = arith.index_cast %40 : index to i64
      linalg.yield %41 : i64
    } -> tensor<5xi64>
    %2 = tensor.empty() : tensor<5xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<5xi64>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: i64, %out: f32):
      %40 = arith.sitofp %in : i64 to f32
      linalg.yield %40 : f32
    } -> tensor<5xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.mulf %in, %cst : f32
      linalg.yield %40 : f32
    } -> tensor<5xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.cmpf ult, %in, %cst_0 : f32
      %41 = arith.select %40, %cst_0, %in : f32
      linalg.yield %41 : f32
    } -> tensor<5xf32>
    %expanded = tensor.expand_shape %5 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %6 = tensor.empty() : tensor<5x1xi64>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<5x1xf32>) outs(%6 : tensor<5x1xi64>) {
    ^bb0(%in: f32, %out: i64):
      %40 = arith.fptosi %in : f32 to i64
      linalg.yield %40 : i64
    } -> tensor<5x1xi64>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<5x1xi64>) outs(%6 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %40 = arith.addi %in, %c1_i64 : i64
      linalg.yield %40 : i64
    } -> tensor<5x1xi64>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<5x1xi64>) outs(%6 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %40 = arith.cmpi sge, %in, %c2_i64 : i64
      %41 = arith.select %40, %c2_i64, %in : i64
      linalg.yield %41 : i64
    } -> tensor<5x1xi64>
    %10 = tensor.empty() : tensor<7xi64>
    %11 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%10 : tensor<7xi64>) {
    ^bb0(%out: i64):
      %40 = linalg.index 0 : index
      %41 = arith.index_cast %40 : index to i64
      linalg.yield %41 : i64
    } -> tensor<7xi64>
    %12 = tensor.empty() : tensor<7xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%11 : tensor<7xi64>) outs(%12 : tensor<7xf32>) {
    ^bb0(%in: i64, %out: f32):
      %40 = arith.sitofp %in : i64 to f32
      linalg.yield %40 : f32
    } -> tensor<7xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%13 : tensor<7xf32>) outs(%12 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.mulf %in, %cst : f32
      linalg.yield %40 : f32
    } -> tensor<7xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%14 : tensor<7xf32>) outs(%12 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.cmpf ult, %in, %cst_0 : f32
      %41 = arith.select %40, %cst_0, %in : f32
      linalg.yield %41 : f32
    } -> tensor<7xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%15 : tensor<7xf32>) outs(%10 : tensor<7xi64>) {
    ^bb0(%in: f32, %out: i64):
      %40 = arith.fptosi %in : f32 to i64
      linalg.yield %40 : i64
    } -> tensor<7xi64>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%16 : tensor<7xi64>) outs(%10 : tensor<7xi64>) {
    ^bb0(%in: i64, %out: i64):
      %40 = arith.addi %in, %c1_i64 : i64
      linalg.yield %40 : i64
    } -> tensor<7xi64>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%17 : tensor<7xi64>) outs(%10 : tensor<7xi64>) {
    ^bb0(%in: i64, %out: i64):
      %40 = arith.cmpi sge, %in, %c3_i64 : i64
      %41 = arith.select %40, %c3_i64, %in : i64
      linalg.yield %41 : i64
    } -> tensor<7xi64>
    %19 = tensor.empty() : tensor<1xi64>
    %20 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%19 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_2 = tensor.expand_shape %20 [[0, 1, 2]] output_shape [1, 1, 1] : tensor<1xi64> into tensor<1x1x1xi64>
    %expanded_3 = tensor.expand_shape %20 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1xi64>
    %21 = tensor.empty() : tensor<1x1x5x7xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3, %expanded_2, %7, %16 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<7xi64>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: i64, %in_4: i64, %in_5: i64, %in_6: i64, %out: f32):
      %40 = arith.cmpi slt, %in, %c0_i64 : i64
      %41 = arith.addi %in, %c1_i64 : i64
      %42 = arith.select %40, %41, %in : i64
      %43 = arith.index_cast %42 : i64 to index
      %44 = arith.cmpi slt, %in_4, %c0_i64 : i64
      %45 = arith.addi %in_4, %c1_i64 : i64
      %46 = arith.select %44, %45, %in_4 : i64
      %47 = arith.index_cast %46 : i64 to index
      %48 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %49 = arith.addi %in_5, %c3_i64 : i64
      %50 = arith.select %48, %49, %in_5 : i64
      %51 = arith.index_cast %50 : i64 to index
      %52 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %53 = arith.addi %in_6, %c4_i64 : i64
      %54 = arith.select %52, %53, %in_6 : i64
      %55 = arith.index_cast %54 : i64 to index
      %extracted = tensor.extract %arg0[%43, %47, %51, %55] : tensor<1x1x3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x7xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3, %expanded_2, %7, %18 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<7xi64>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: i64, %in_4: i64, %in_5: i64, %in_6: i64, %out: f32):
      %40 = arith.cmpi slt, %in, %c0_i64 : i64
      %41 = arith.addi %in, %c1_i64 : i64
      %42 = arith.select %40, %41, %in : i64
      %43 = arith.index_cast %42 : i64 to index
      %44 = arith.cmpi slt, %in_4, %c0_i64 : i64
      %45 = arith.addi %in_4, %c1_i64 : i64
      %46 = arith.select %44, %45, %in_4 : i64
      %47 = arith.index_cast %46 : i64 to index
      %48 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %49 = arith.addi %in_5, %c3_i64 : i64
      %50 = arith.select %48, %49, %in_5 : i64
      %51 = arith.index_cast %50 : i64 to index
      %52 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %53 = arith.addi %in_6, %c4_i64 : i64
      %54 = arith.select %52, %53, %in_6 : i64
      %55 = arith.index_cast %54 : i64 to index
      %extracted = tensor.extract %arg0[%43, %47, %51, %55] : tensor<1x1x3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x7xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3, %expanded_2, %9, %16 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<7xi64>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: i64, %in_4: i64, %in_5: i64, %in_6: i64, %out: f32):
      %40 = arith.cmpi slt, %in, %c0_i64 : i64
      %41 = arith.addi %in, %c1_i64 : i64
      %42 = arith.select %40, %41, %in : i64
      %43 = arith.index_cast %42 : i64 to index
      %44 = arith.cmpi slt, %in_4, %c0_i64 : i64
      %45 = arith.addi %in_4, %c1_i64 : i64
      %46 = arith.select %44, %45, %in_4 : i64
      %47 = arith.index_cast %46 : i64 to index
      %48 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %49 = arith.addi %in_5, %c3_i64 : i64
      %50 = arith.select %48, %49, %in_5 : i64
      %51 = arith.index_cast %50 : i64 to index
      %52 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %53 = arith.addi %in_6, %c4_i64 : i64
      %54 = arith.select %52, %53, %in_6 : i64
      %55 = arith.index_cast %54 : i64 to index
      %extracted = tensor.extract %arg0[%43, %47, %51, %55] : tensor<1x1x3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x7xf32>
    %25 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3, %expanded_2, %9, %18 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<7xi64>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: i64, %in_4: i64, %in_5: i64, %in_6: i64, %out: f32):
      %40 = arith.cmpi slt, %in, %c0_i64 : i64
      %41 = arith.addi %in, %c1_i64 : i64
      %42 = arith.select %40, %41, %in : i64
      %43 = arith.index_cast %42 : i64 to index
      %44 = arith.cmpi slt, %in_4, %c0_i64 : i64
      %45 = arith.addi %in_4, %c1_i64 : i64
      %46 = arith.select %44, %45, %in_4 : i64
      %47 = arith.index_cast %46 : i64 to index
      %48 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %49 = arith.addi %in_5, %c3_i64 : i64
      %50 = arith.select %48, %49, %in_5 : i64
      %51 = arith.index_cast %50 : i64 to index
      %52 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %53 = arith.addi %in_6, %c4_i64 : i64
      %54 = arith.select %52, %53, %in_6 : i64
      %55 = arith.index_cast %54 : i64 to index
      %extracted = tensor.extract %arg0[%43, %47, %51, %55] : tensor<1x1x3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x7xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%15, %16 : tensor<7xf32>, tensor<7xi64>) outs(%12 : tensor<7xf32>) {
    ^bb0(%in: f32, %in_4: i64, %out: f32):
      %40 = arith.sitofp %in_4 : i64 to f32
      %41 = arith.subf %in, %40 : f32
      linalg.yield %41 : f32
    } -> tensor<7xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%26 : tensor<7xf32>) outs(%12 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.cmpf ult, %in, %cst_0 : f32
      %41 = arith.select %40, %cst_0, %in : f32
      %42 = arith.cmpf ugt, %41, %cst_1 : f32
      %43 = arith.select %42, %cst_1, %41 : f32
      linalg.yield %43 : f32
    } -> tensor<7xf32>
    %28 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %22 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %40 = arith.subf %in, %in_4 : f32
      linalg.yield %40 : f32
    } -> tensor<1x1x5x7xf32>
    %29 = linalg.generic {indexing_maps = [#map6, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %27 : tensor<1x1x5x7xf32>, tensor<7xf32>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %40 = arith.mulf %in, %in_4 : f32
      linalg.yield %40 : f32
    } -> tensor<1x1x5x7xf32>
    %30 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %29 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %40 = arith.addf %in, %in_4 : f32
      linalg.yield %40 : f32
    } -> tensor<1x1x5x7xf32>
    %31 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %24 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %40 = arith.subf %in, %in_4 : f32
      linalg.yield %40 : f32
    } -> tensor<1x1x5x7xf32>
    %32 = linalg.generic {indexing_maps = [#map6, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31, %27 : tensor<1x1x5x7xf32>, tensor<7xf32>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %40 = arith.mulf %in, %in_4 : f32
      linalg.yield %40 : f32
    } -> tensor<1x1x5x7xf32>
    %33 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %32 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %40 = arith.addf %in, %in_4 : f32
      linalg.yield %40 : f32
    } -> tensor<1x1x5x7xf32>
    %34 = tensor.empty() : tensor<5x1xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded, %7 : tensor<5x1xf32>, tensor<5x1xi64>) outs(%34 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %in_4: i64, %out: f32):
      %40 = arith.sitofp %in_4 : i64 to f32
      %41 = arith.subf %in, %40 : f32
      linalg.yield %41 : f32
    } -> tensor<5x1xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<5x1xf32>) outs(%34 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.cmpf ult, %in, %cst_0 : f32
      %41 = arith.select %40, %cst_0, %in : f32
      %42 = arith.cmpf ugt, %41, %cst_1 : f32
      %43 = arith.select %42, %cst_1, %41 : f32
      linalg.yield %43 : f32
    } -> tensor<5x1xf32>
    %37 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %30 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %40 = arith.subf %in, %in_4 : f32
      linalg.yield %40 : f32
    } -> tensor<1x1x5x7xf32>
    %38 = linalg.generic {indexing_maps = [#map6, #map4, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %36 : tensor<1x1x5x7xf32>, tensor<5x1xf32>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %40 = arith.mulf %in, %in_4 : f32
      linalg.yield %40 : f32
    } -> tensor<1x1x5x7xf32>
    %39 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %38 : tensor<1x1x5x7xf32>, tensor<1x1x5x7xf32>) outs(%21 : tensor<1x1x5x7xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %40 = arith.addf %in, %in_4 : f32
      linalg.yield %40 : f32
    } -> tensor<1x1x5x7xf32>
    return %39 : tensor<1x1x5x7xf32>
  }
}
// -----
// bicubic
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> ()>
#map3 = affine_map<(d0, d1) -> ()>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map6 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d2, 0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x1x4x4xf32>) -> tensor<1x1x5x6xf32> {
    %c3_i64 = arith.constant 3 : i64
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c4_i64 = arith.constant 4 : i64
    %cst = arith.constant dense<2.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_1 = arith.constant 8.000000e-01 : f64
    %cst_2 = arith.constant 0.66666666666666663 : f64
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant 0.000000e+00 : f32
    %cst_5 = arith.constant 1.000000e+00 : f32
    %cst_6 = arith.constant -7.500000e-01 : f32
    %cst_7 = arith.constant -3.750000e+00 : f32
    %cst_8 = arith.constant -6.000000e+00 : f32
    %cst_9 = arith.constant -3.000000e+00 : f32
    %cst_10 = arith.constant 1.250000e+00 : f32
    %cst_11 = arith.constant 2.250000e+00 : f32
    %0 = tensor.empty() : tensor<5xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<5xi64>) {
    ^bb0(%out: i64):
      %122 = linalg.index 0 : index
      %123 = arith.index_cast %122 : index to i64
      linalg.yield %123 : i64
    } -> tensor<5xi64>
    %2 = tensor.empty() : tensor<5xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<5xi64>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: i64, %out: f32):
      %122 = arith.sitofp %in : i64 to f32
      linalg.yield %122 : f32
    } -> tensor<5xf32>
    %4 = tensor.empty() : tensor<6xi64>
    %5 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%4 : tensor<6xi64>) {
    ^bb0(%out: i64):
      %122 = linalg.index 0 : index
      %123 = arith.index_cast %122 : index to i64
      linalg.yield %123 : i64
    } -> tensor<6xi64>
    %6 = tensor.empty() : tensor<6xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%5 : tensor<6xi64>) outs(%6 : tensor<6xf32>) {
    ^bb0(%in: i64, %out: f32):
      %122 = arith.sitofp %in : i64 to f32
      linalg.yield %122 : f32
    } -> tensor<6xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%7 : tensor<6xf32>) outs(%6 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %cst_3 : f32
      linalg.yield %122 : f32
    } -> tensor<6xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%8 : tensor<6xf32>) outs(%6 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.truncf %cst_2 : f64 to f32
      %123 = arith.mulf %in, %122 : f32
      linalg.yield %123 : f32
    } -> tensor<6xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%9 : tensor<6xf32>) outs(%6 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.subf %in, %cst_3 : f32
      linalg.yield %122 : f32
    } -> tensor<6xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %cst_3 : f32
      linalg.yield %122 : f32
    } -> tensor<5xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%11 : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.truncf %cst_1 : f64 to f32
      %123 = arith.mulf %in, %122 : f32
      linalg.yield %123 : f32
    } -> tensor<5xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%12 : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.subf %in, %cst_3 : f32
      linalg.yield %122 : f32
    } -> tensor<5xf32>
    %expanded = tensor.expand_shape %13 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%10 : tensor<6xf32>) outs(%6 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = math.floor %in : f32
      linalg.yield %122 : f32
    } -> tensor<6xf32>
    %15 = tensor.empty() : tensor<5x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<5x1xf32>) outs(%15 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = math.floor %in : f32
      linalg.yield %122 : f32
    } -> tensor<5x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded, %16 : tensor<5x1xf32>, tensor<5x1xf32>) outs(%15 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.subf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<5x1xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<5x1xf32>) outs(%15 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.cmpf ult, %in, %cst_4 : f32
      %123 = arith.select %122, %cst_4, %in : f32
      %124 = arith.cmpf ugt, %123, %cst_5 : f32
      %125 = arith.select %124, %cst_5, %123 : f32
      linalg.yield %125 : f32
    } -> tensor<5x1xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%10, %14 : tensor<6xf32>, tensor<6xf32>) outs(%6 : tensor<6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.subf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<6xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%19 : tensor<6xf32>) outs(%6 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.cmpf ult, %in, %cst_4 : f32
      %123 = arith.select %122, %cst_4, %in : f32
      %124 = arith.cmpf ugt, %123, %cst_5 : f32
      %125 = arith.select %124, %cst_5, %123 : f32
      linalg.yield %125 : f32
    } -> tensor<6xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%14 : tensor<6xf32>) outs(%4 : tensor<6xi64>) {
    ^bb0(%in: f32, %out: i64):
      %122 = arith.fptosi %in : f32 to i64
      linalg.yield %122 : i64
    } -> tensor<6xi64>
    %22 = tensor.empty() : tensor<5x1xi64>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<5x1xf32>) outs(%22 : tensor<5x1xi64>) {
    ^bb0(%in: f32, %out: i64):
      %122 = arith.fptosi %in : f32 to i64
      linalg.yield %122 : i64
    } -> tensor<5x1xi64>
    %24 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<5x1xi64>) outs(%22 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.subi %in, %c1_i64 : i64
      linalg.yield %122 : i64
    } -> tensor<5x1xi64>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<5x1xi64>) outs(%22 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.addi %in, %c1_i64 : i64
      linalg.yield %122 : i64
    } -> tensor<5x1xi64>
    %26 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<5x1xi64>) outs(%22 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.addi %in, %c2_i64 : i64
      linalg.yield %122 : i64
    } -> tensor<5x1xi64>
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%21 : tensor<6xi64>) outs(%4 : tensor<6xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.subi %in, %c1_i64 : i64
      linalg.yield %122 : i64
    } -> tensor<6xi64>
    %28 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%21 : tensor<6xi64>) outs(%4 : tensor<6xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.addi %in, %c1_i64 : i64
      linalg.yield %122 : i64
    } -> tensor<6xi64>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%21 : tensor<6xi64>) outs(%4 : tensor<6xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.addi %in, %c2_i64 : i64
      linalg.yield %122 : i64
    } -> tensor<6xi64>
    %30 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel"]} ins(%cst_0, %20 : tensor<f32>, tensor<6xf32>) outs(%6 : tensor<6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.subf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<6xf32>
    %concat = tensor.concat dim(0) %20, %30 : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
    %expanded_12 = tensor.expand_shape %concat [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%20 : tensor<6xf32>) outs(%6 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %cst_5 : f32
      linalg.yield %122 : f32
    } -> tensor<6xf32>
    %32 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel"]} ins(%cst, %20 : tensor<f32>, tensor<6xf32>) outs(%6 : tensor<6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.subf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<6xf32>
    %concat_13 = tensor.concat dim(0) %31, %32 : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
    %expanded_14 = tensor.expand_shape %concat_13 [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
    %33 = tensor.empty() : tensor<2x6xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_14 : tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.mulf %in, %cst_6 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%34 : tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.subf %in, %cst_7 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%35, %expanded_14 : tensor<2x6xf32>, tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%36 : tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %cst_8 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%37, %expanded_14 : tensor<2x6xf32>, tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.subf %in, %cst_9 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_12 : tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.mulf %in, %cst_10 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%40 : tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.subf %in, %cst_11 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%41, %expanded_12 : tensor<2x6xf32>, tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%42, %expanded_12 : tensor<2x6xf32>, tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%43 : tensor<2x6xf32>) outs(%33 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %cst_5 : f32
      linalg.yield %122 : f32
    } -> tensor<2x6xf32>
    %extracted_slice = tensor.extract_slice %39[0, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<1x6xf32>
    %extracted_slice_15 = tensor.extract_slice %39[1, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<1x6xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1]] : tensor<1x6xf32> into tensor<6xf32>
    %collapsed_16 = tensor.collapse_shape %extracted_slice_15 [[0, 1]] : tensor<1x6xf32> into tensor<6xf32>
    %extracted_slice_17 = tensor.extract_slice %44[0, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<1x6xf32>
    %extracted_slice_18 = tensor.extract_slice %44[1, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<1x6xf32>
    %collapsed_19 = tensor.collapse_shape %extracted_slice_17 [[0, 1]] : tensor<1x6xf32> into tensor<6xf32>
    %collapsed_20 = tensor.collapse_shape %extracted_slice_18 [[0, 1]] : tensor<1x6xf32> into tensor<6xf32>
    %45 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_0, %18 : tensor<f32>, tensor<5x1xf32>) outs(%15 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.subf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<5x1xf32>
    %concat_21 = tensor.concat dim(0) %18, %45 : (tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<10x1xf32>
    %expanded_22 = tensor.expand_shape %concat_21 [[0, 1], [2]] output_shape [2, 5, 1] : tensor<10x1xf32> into tensor<2x5x1xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<5x1xf32>) outs(%15 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %cst_5 : f32
      linalg.yield %122 : f32
    } -> tensor<5x1xf32>
    %47 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst, %18 : tensor<f32>, tensor<5x1xf32>) outs(%15 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.subf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<5x1xf32>
    %concat_23 = tensor.concat dim(0) %46, %47 : (tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<10x1xf32>
    %expanded_24 = tensor.expand_shape %concat_23 [[0, 1], [2]] output_shape [2, 5, 1] : tensor<10x1xf32> into tensor<2x5x1xf32>
    %48 = tensor.empty() : tensor<2x5x1xf32>
    %49 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_24 : tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.mulf %in, %cst_6 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %50 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49 : tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.subf %in, %cst_7 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %51 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50, %expanded_24 : tensor<2x5x1xf32>, tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %52 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51 : tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %cst_8 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %53 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52, %expanded_24 : tensor<2x5x1xf32>, tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %54 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%53 : tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.subf %in, %cst_9 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %55 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_22 : tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.mulf %in, %cst_10 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %56 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55 : tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.subf %in, %cst_11 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %57 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56, %expanded_22 : tensor<2x5x1xf32>, tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %58 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %expanded_22 : tensor<2x5x1xf32>, tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %59 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<2x5x1xf32>) outs(%48 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %122 = arith.addf %in, %cst_5 : f32
      linalg.yield %122 : f32
    } -> tensor<2x5x1xf32>
    %extracted_slice_25 = tensor.extract_slice %54[0, 0, 0] [1, 5, 1] [1, 1, 1] : tensor<2x5x1xf32> to tensor<1x5x1xf32>
    %extracted_slice_26 = tensor.extract_slice %54[1, 0, 0] [1, 5, 1] [1, 1, 1] : tensor<2x5x1xf32> to tensor<1x5x1xf32>
    %collapsed_27 = tensor.collapse_shape %extracted_slice_25 [[0, 1], [2]] : tensor<1x5x1xf32> into tensor<5x1xf32>
    %collapsed_28 = tensor.collapse_shape %extracted_slice_26 [[0, 1], [2]] : tensor<1x5x1xf32> into tensor<5x1xf32>
    %extracted_slice_29 = tensor.extract_slice %59[0, 0, 0] [1, 5, 1] [1, 1, 1] : tensor<2x5x1xf32> to tensor<1x5x1xf32>
    %extracted_slice_30 = tensor.extract_slice %59[1, 0, 0] [1, 5, 1] [1, 1, 1] : tensor<2x5x1xf32> to tensor<1x5x1xf32>
    %collapsed_31 = tensor.collapse_shape %extracted_slice_29 [[0, 1], [2]] : tensor<1x5x1xf32> into tensor<5x1xf32>
    %collapsed_32 = tensor.collapse_shape %extracted_slice_30 [[0, 1], [2]] : tensor<1x5x1xf32> into tensor<5x1xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<5x1xi64>) outs(%22 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.select %122, %c0_i64, %in : i64
      %124 = arith.cmpi sge, %123, %c3_i64 : i64
      %125 = arith.select %124, %c3_i64, %123 : i64
      linalg.yield %125 : i64
    } -> tensor<5x1xi64>
    %61 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%27 : tensor<6xi64>) outs(%4 : tensor<6xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.select %122, %c0_i64, %in : i64
      %124 = arith.cmpi sge, %123, %c3_i64 : i64
      %125 = arith.select %124, %c3_i64, %123 : i64
      linalg.yield %125 : i64
    } -> tensor<6xi64>
    %62 = tensor.empty() : tensor<1xi64>
    %63 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%62 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_33 = tensor.expand_shape %63 [[0, 1, 2]] output_shape [1, 1, 1] : tensor<1xi64> into tensor<1x1x1xi64>
    %expanded_34 = tensor.expand_shape %63 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1xi64>
    %64 = tensor.empty() : tensor<1x1x5x6xf32>
    %65 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %60, %61 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%21 : tensor<6xi64>) outs(%4 : tensor<6xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.select %122, %c0_i64, %in : i64
      %124 = arith.cmpi sge, %123, %c3_i64 : i64
      %125 = arith.select %124, %c3_i64, %123 : i64
      linalg.yield %125 : i64
    } -> tensor<6xi64>
    %67 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %60, %66 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %68 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%28 : tensor<6xi64>) outs(%4 : tensor<6xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.select %122, %c0_i64, %in : i64
      %124 = arith.cmpi sge, %123, %c3_i64 : i64
      %125 = arith.select %124, %c3_i64, %123 : i64
      linalg.yield %125 : i64
    } -> tensor<6xi64>
    %69 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %60, %68 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %70 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%29 : tensor<6xi64>) outs(%4 : tensor<6xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.select %122, %c0_i64, %in : i64
      %124 = arith.cmpi sge, %123, %c3_i64 : i64
      %125 = arith.select %124, %c3_i64, %123 : i64
      linalg.yield %125 : i64
    } -> tensor<6xi64>
    %71 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %60, %70 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %72 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%65, %collapsed : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %73 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67, %collapsed_19 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %74 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%72, %73 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %75 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69, %collapsed_20 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %76 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%74, %75 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %77 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71, %collapsed_16 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %78 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%76, %77 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %79 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<5x1xi64>) outs(%22 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.select %122, %c0_i64, %in : i64
      %124 = arith.cmpi sge, %123, %c3_i64 : i64
      %125 = arith.select %124, %c3_i64, %123 : i64
      linalg.yield %125 : i64
    } -> tensor<5x1xi64>
    %80 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %79, %61 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %81 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %79, %66 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %82 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %79, %68 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %83 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %79, %70 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %84 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80, %collapsed : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %85 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%81, %collapsed_19 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %86 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%84, %85 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %87 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%82, %collapsed_20 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %88 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%86, %87 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %89 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%83, %collapsed_16 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %90 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%88, %89 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %91 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<5x1xi64>) outs(%22 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.select %122, %c0_i64, %in : i64
      %124 = arith.cmpi sge, %123, %c3_i64 : i64
      %125 = arith.select %124, %c3_i64, %123 : i64
      linalg.yield %125 : i64
    } -> tensor<5x1xi64>
    %92 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %91, %61 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %93 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %91, %66 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %94 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %91, %68 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %95 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %91, %70 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %96 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%92, %collapsed : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %97 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%93, %collapsed_19 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %98 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%96, %97 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %99 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%94, %collapsed_20 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %100 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%98, %99 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %101 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%95, %collapsed_16 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %102 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%100, %101 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %103 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<5x1xi64>) outs(%22 : tensor<5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.select %122, %c0_i64, %in : i64
      %124 = arith.cmpi sge, %123, %c3_i64 : i64
      %125 = arith.select %124, %c3_i64, %123 : i64
      linalg.yield %125 : i64
    } -> tensor<5x1xi64>
    %104 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %103, %61 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %105 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %103, %66 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %106 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %103, %68 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %107 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_34, %expanded_33, %103, %70 : tensor<1x1x1x1xi64>, tensor<1x1x1xi64>, tensor<5x1xi64>, tensor<6xi64>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: i64, %in_35: i64, %in_36: i64, %in_37: i64, %out: f32):
      %122 = arith.cmpi slt, %in, %c0_i64 : i64
      %123 = arith.addi %in, %c1_i64 : i64
      %124 = arith.select %122, %123, %in : i64
      %125 = arith.index_cast %124 : i64 to index
      %126 = arith.cmpi slt, %in_35, %c0_i64 : i64
      %127 = arith.addi %in_35, %c1_i64 : i64
      %128 = arith.select %126, %127, %in_35 : i64
      %129 = arith.index_cast %128 : i64 to index
      %130 = arith.cmpi slt, %in_36, %c0_i64 : i64
      %131 = arith.addi %in_36, %c4_i64 : i64
      %132 = arith.select %130, %131, %in_36 : i64
      %133 = arith.index_cast %132 : i64 to index
      %134 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %135 = arith.addi %in_37, %c4_i64 : i64
      %136 = arith.select %134, %135, %in_37 : i64
      %137 = arith.index_cast %136 : i64 to index
      %extracted = tensor.extract %arg0[%125, %129, %133, %137] : tensor<1x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x5x6xf32>
    %108 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%104, %collapsed : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %109 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%105, %collapsed_19 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %110 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%108, %109 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %111 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%106, %collapsed_20 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %112 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%110, %111 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %113 = linalg.generic {indexing_maps = [#map9, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%107, %collapsed_16 : tensor<1x1x5x6xf32>, tensor<6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %114 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%112, %113 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %115 = linalg.generic {indexing_maps = [#map9, #map7, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%78, %collapsed_27 : tensor<1x1x5x6xf32>, tensor<5x1xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %116 = linalg.generic {indexing_maps = [#map9, #map7, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%90, %collapsed_31 : tensor<1x1x5x6xf32>, tensor<5x1xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %117 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%115, %116 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %118 = linalg.generic {indexing_maps = [#map9, #map7, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%102, %collapsed_32 : tensor<1x1x5x6xf32>, tensor<5x1xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %119 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%117, %118 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %120 = linalg.generic {indexing_maps = [#map9, #map7, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%114, %collapsed_28 : tensor<1x1x5x6xf32>, tensor<5x1xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.mulf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    %121 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%119, %120 : tensor<1x1x5x6xf32>, tensor<1x1x5x6xf32>) outs(%64 : tensor<1x1x5x6xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %122 = arith.addf %in, %in_35 : f32
      linalg.yield %122 : f32
    } -> tensor<1x1x5x6xf32>
    return %121 : tensor<1x1x5x6xf32>
  }
}
// -----
// trilinear
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (0, 0, 0, 0, 0)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (0, 0, 0, 0)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d2, 0, 0)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d3, 0)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d4)>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
module {
  func.func @main(%arg0: tensor<1x1x2x3x2xf32>) -> tensor<1x1x4x6x4xf32> {
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c3_i64 = arith.constant 3 : i64
    %cst = arith.constant 5.000000e-01 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<4xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<4xi64>) {
    ^bb0(%out: i64):
      %67 = linalg.index 0 : index
      %68 = arith.index_cast %67 : index to i64
      linalg.yield %68 : i64
    } -> tensor<4xi64>
    %2 = tensor.empty() : tensor<4xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<4xi64>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: i64, %out: f32):
      %67 = arith.sitofp %in : i64 to f32
      linalg.yield %67 : f32
    } -> tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.addf %in, %cst : f32
      linalg.yield %67 : f32
    } -> tensor<4xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.mulf %in, %cst : f32
      linalg.yield %67 : f32
    } -> tensor<4xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%5 : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.subf %in, %cst : f32
      linalg.yield %67 : f32
    } -> tensor<4xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%6 : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.cmpf ult, %in, %cst_0 : f32
      %68 = arith.select %67, %cst_0, %in : f32
      linalg.yield %68 : f32
    } -> tensor<4xf32>
    %expanded = tensor.expand_shape %7 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %8 = tensor.empty() : tensor<4x1x1xi64>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x1x1xf32>) outs(%8 : tensor<4x1x1xi64>) {
    ^bb0(%in: f32, %out: i64):
      %67 = arith.fptosi %in : f32 to i64
      linalg.yield %67 : i64
    } -> tensor<4x1x1xi64>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<4x1x1xi64>) outs(%8 : tensor<4x1x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %67 = arith.addi %in, %c1_i64 : i64
      linalg.yield %67 : i64
    } -> tensor<4x1x1xi64>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<4x1x1xi64>) outs(%8 : tensor<4x1x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %67 = arith.cmpi sge, %in, %c1_i64 : i64
      %68 = arith.select %67, %c1_i64, %in : i64
      linalg.yield %68 : i64
    } -> tensor<4x1x1xi64>
    %12 = tensor.empty() : tensor<6xi64>
    %13 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%12 : tensor<6xi64>) {
    ^bb0(%out: i64):
      %67 = linalg.index 0 : index
      %68 = arith.index_cast %67 : index to i64
      linalg.yield %68 : i64
    } -> tensor<6xi64>
    %14 = tensor.empty() : tensor<6xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%13 : tensor<6xi64>) outs(%14 : tensor<6xf32>) {
    ^bb0(%in: i64, %out: f32):
      %67 = arith.sitofp %in : i64 to f32
      linalg.yield %67 : f32
    } -> tensor<6xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%15 : tensor<6xf32>) outs(%14 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.addf %in, %cst : f32
      linalg.yield %67 : f32
    } -> tensor<6xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%16 : tensor<6xf32>) outs(%14 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.mulf %in, %cst : f32
      linalg.yield %67 : f32
    } -> tensor<6xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%17 : tensor<6xf32>) outs(%14 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.subf %in, %cst : f32
      linalg.yield %67 : f32
    } -> tensor<6xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%18 : tensor<6xf32>) outs(%14 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.cmpf ult, %in, %cst_0 : f32
      %68 = arith.select %67, %cst_0, %in : f32
      linalg.yield %68 : f32
    } -> tensor<6xf32>
    %expanded_2 = tensor.expand_shape %19 [[0, 1]] output_shape [6, 1] : tensor<6xf32> into tensor<6x1xf32>
    %20 = tensor.empty() : tensor<6x1xi64>
    %21 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%expanded_2 : tensor<6x1xf32>) outs(%20 : tensor<6x1xi64>) {
    ^bb0(%in: f32, %out: i64):
      %67 = arith.fptosi %in : f32 to i64
      linalg.yield %67 : i64
    } -> tensor<6x1xi64>
    %22 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<6x1xi64>) outs(%20 : tensor<6x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %67 = arith.addi %in, %c1_i64 : i64
      linalg.yield %67 : i64
    } -> tensor<6x1xi64>
    %23 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<6x1xi64>) outs(%20 : tensor<6x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %67 = arith.cmpi sge, %in, %c2_i64 : i64
      %68 = arith.select %67, %c2_i64, %in : i64
      linalg.yield %68 : i64
    } -> tensor<6x1xi64>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%7 : tensor<4xf32>) outs(%0 : tensor<4xi64>) {
    ^bb0(%in: f32, %out: i64):
      %67 = arith.fptosi %in : f32 to i64
      linalg.yield %67 : i64
    } -> tensor<4xi64>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%24 : tensor<4xi64>) outs(%0 : tensor<4xi64>) {
    ^bb0(%in: i64, %out: i64):
      %67 = arith.addi %in, %c1_i64 : i64
      linalg.yield %67 : i64
    } -> tensor<4xi64>
    %26 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%25 : tensor<4xi64>) outs(%0 : tensor<4xi64>) {
    ^bb0(%in: i64, %out: i64):
      %67 = arith.cmpi sge, %in, %c1_i64 : i64
      %68 = arith.select %67, %c1_i64, %in : i64
      linalg.yield %68 : i64
    } -> tensor<4xi64>
    %27 = tensor.empty() : tensor<1xi64>
    %28 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%27 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_3 = tensor.expand_shape %28 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1xi64>
    %expanded_4 = tensor.expand_shape %28 [[0, 1, 2, 3, 4]] output_shape [1, 1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1x1xi64>
    %29 = tensor.empty() : tensor<1x1x4x6x4xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map4, #map5, #map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4, %expanded_3, %9, %21, %24 : tensor<1x1x1x1x1xi64>, tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<6x1xi64>, tensor<4xi64>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: i64, %in_5: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %67 = arith.cmpi slt, %in, %c0_i64 : i64
      %68 = arith.addi %in, %c1_i64 : i64
      %69 = arith.select %67, %68, %in : i64
      %70 = arith.index_cast %69 : i64 to index
      %71 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %72 = arith.addi %in_5, %c1_i64 : i64
      %73 = arith.select %71, %72, %in_5 : i64
      %74 = arith.index_cast %73 : i64 to index
      %75 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %76 = arith.addi %in_6, %c2_i64 : i64
      %77 = arith.select %75, %76, %in_6 : i64
      %78 = arith.index_cast %77 : i64 to index
      %79 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %80 = arith.addi %in_7, %c3_i64 : i64
      %81 = arith.select %79, %80, %in_7 : i64
      %82 = arith.index_cast %81 : i64 to index
      %83 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %84 = arith.addi %in_8, %c2_i64 : i64
      %85 = arith.select %83, %84, %in_8 : i64
      %86 = arith.index_cast %85 : i64 to index
      %extracted = tensor.extract %arg0[%70, %74, %78, %82, %86] : tensor<1x1x2x3x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x4x6x4xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map4, #map5, #map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4, %expanded_3, %9, %21, %26 : tensor<1x1x1x1x1xi64>, tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<6x1xi64>, tensor<4xi64>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: i64, %in_5: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %67 = arith.cmpi slt, %in, %c0_i64 : i64
      %68 = arith.addi %in, %c1_i64 : i64
      %69 = arith.select %67, %68, %in : i64
      %70 = arith.index_cast %69 : i64 to index
      %71 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %72 = arith.addi %in_5, %c1_i64 : i64
      %73 = arith.select %71, %72, %in_5 : i64
      %74 = arith.index_cast %73 : i64 to index
      %75 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %76 = arith.addi %in_6, %c2_i64 : i64
      %77 = arith.select %75, %76, %in_6 : i64
      %78 = arith.index_cast %77 : i64 to index
      %79 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %80 = arith.addi %in_7, %c3_i64 : i64
      %81 = arith.select %79, %80, %in_7 : i64
      %82 = arith.index_cast %81 : i64 to index
      %83 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %84 = arith.addi %in_8, %c2_i64 : i64
      %85 = arith.select %83, %84, %in_8 : i64
      %86 = arith.index_cast %85 : i64 to index
      %extracted = tensor.extract %arg0[%70, %74, %78, %82, %86] : tensor<1x1x2x3x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x4x6x4xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map4, #map5, #map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4, %expanded_3, %9, %23, %24 : tensor<1x1x1x1x1xi64>, tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<6x1xi64>, tensor<4xi64>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: i64, %in_5: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %67 = arith.cmpi slt, %in, %c0_i64 : i64
      %68 = arith.addi %in, %c1_i64 : i64
      %69 = arith.select %67, %68, %in : i64
      %70 = arith.index_cast %69 : i64 to index
      %71 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %72 = arith.addi %in_5, %c1_i64 : i64
      %73 = arith.select %71, %72, %in_5 : i64
      %74 = arith.index_cast %73 : i64 to index
      %75 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %76 = arith.addi %in_6, %c2_i64 : i64
      %77 = arith.select %75, %76, %in_6 : i64
      %78 = arith.index_cast %77 : i64 to index
      %79 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %80 = arith.addi %in_7, %c3_i64 : i64
      %81 = arith.select %79, %80, %in_7 : i64
      %82 = arith.index_cast %81 : i64 to index
      %83 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %84 = arith.addi %in_8, %c2_i64 : i64
      %85 = arith.select %83, %84, %in_8 : i64
      %86 = arith.index_cast %85 : i64 to index
      %extracted = tensor.extract %arg0[%70, %74, %78, %82, %86] : tensor<1x1x2x3x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x4x6x4xf32>
    %33 = linalg.generic {indexing_maps = [#map3, #map4, #map5, #map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4, %expanded_3, %9, %23, %26 : tensor<1x1x1x1x1xi64>, tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<6x1xi64>, tensor<4xi64>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: i64, %in_5: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %67 = arith.cmpi slt, %in, %c0_i64 : i64
      %68 = arith.addi %in, %c1_i64 : i64
      %69 = arith.select %67, %68, %in : i64
      %70 = arith.index_cast %69 : i64 to index
      %71 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %72 = arith.addi %in_5, %c1_i64 : i64
      %73 = arith.select %71, %72, %in_5 : i64
      %74 = arith.index_cast %73 : i64 to index
      %75 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %76 = arith.addi %in_6, %c2_i64 : i64
      %77 = arith.select %75, %76, %in_6 : i64
      %78 = arith.index_cast %77 : i64 to index
      %79 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %80 = arith.addi %in_7, %c3_i64 : i64
      %81 = arith.select %79, %80, %in_7 : i64
      %82 = arith.index_cast %81 : i64 to index
      %83 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %84 = arith.addi %in_8, %c2_i64 : i64
      %85 = arith.select %83, %84, %in_8 : i64
      %86 = arith.index_cast %85 : i64 to index
      %extracted = tensor.extract %arg0[%70, %74, %78, %82, %86] : tensor<1x1x2x3x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x4x6x4xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map4, #map5, #map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4, %expanded_3, %11, %21, %24 : tensor<1x1x1x1x1xi64>, tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<6x1xi64>, tensor<4xi64>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: i64, %in_5: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %67 = arith.cmpi slt, %in, %c0_i64 : i64
      %68 = arith.addi %in, %c1_i64 : i64
      %69 = arith.select %67, %68, %in : i64
      %70 = arith.index_cast %69 : i64 to index
      %71 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %72 = arith.addi %in_5, %c1_i64 : i64
      %73 = arith.select %71, %72, %in_5 : i64
      %74 = arith.index_cast %73 : i64 to index
      %75 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %76 = arith.addi %in_6, %c2_i64 : i64
      %77 = arith.select %75, %76, %in_6 : i64
      %78 = arith.index_cast %77 : i64 to index
      %79 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %80 = arith.addi %in_7, %c3_i64 : i64
      %81 = arith.select %79, %80, %in_7 : i64
      %82 = arith.index_cast %81 : i64 to index
      %83 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %84 = arith.addi %in_8, %c2_i64 : i64
      %85 = arith.select %83, %84, %in_8 : i64
      %86 = arith.index_cast %85 : i64 to index
      %extracted = tensor.extract %arg0[%70, %74, %78, %82, %86] : tensor<1x1x2x3x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x4x6x4xf32>
    %35 = linalg.generic {indexing_maps = [#map3, #map4, #map5, #map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4, %expanded_3, %11, %21, %26 : tensor<1x1x1x1x1xi64>, tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<6x1xi64>, tensor<4xi64>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: i64, %in_5: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %67 = arith.cmpi slt, %in, %c0_i64 : i64
      %68 = arith.addi %in, %c1_i64 : i64
      %69 = arith.select %67, %68, %in : i64
      %70 = arith.index_cast %69 : i64 to index
      %71 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %72 = arith.addi %in_5, %c1_i64 : i64
      %73 = arith.select %71, %72, %in_5 : i64
      %74 = arith.index_cast %73 : i64 to index
      %75 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %76 = arith.addi %in_6, %c2_i64 : i64
      %77 = arith.select %75, %76, %in_6 : i64
      %78 = arith.index_cast %77 : i64 to index
      %79 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %80 = arith.addi %in_7, %c3_i64 : i64
      %81 = arith.select %79, %80, %in_7 : i64
      %82 = arith.index_cast %81 : i64 to index
      %83 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %84 = arith.addi %in_8, %c2_i64 : i64
      %85 = arith.select %83, %84, %in_8 : i64
      %86 = arith.index_cast %85 : i64 to index
      %extracted = tensor.extract %arg0[%70, %74, %78, %82, %86] : tensor<1x1x2x3x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x4x6x4xf32>
    %36 = linalg.generic {indexing_maps = [#map3, #map4, #map5, #map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4, %expanded_3, %11, %23, %24 : tensor<1x1x1x1x1xi64>, tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<6x1xi64>, tensor<4xi64>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: i64, %in_5: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %67 = arith.cmpi slt, %in, %c0_i64 : i64
      %68 = arith.addi %in, %c1_i64 : i64
      %69 = arith.select %67, %68, %in : i64
      %70 = arith.index_cast %69 : i64 to index
      %71 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %72 = arith.addi %in_5, %c1_i64 : i64
      %73 = arith.select %71, %72, %in_5 : i64
      %74 = arith.index_cast %73 : i64 to index
      %75 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %76 = arith.addi %in_6, %c2_i64 : i64
      %77 = arith.select %75, %76, %in_6 : i64
      %78 = arith.index_cast %77 : i64 to index
      %79 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %80 = arith.addi %in_7, %c3_i64 : i64
      %81 = arith.select %79, %80, %in_7 : i64
      %82 = arith.index_cast %81 : i64 to index
      %83 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %84 = arith.addi %in_8, %c2_i64 : i64
      %85 = arith.select %83, %84, %in_8 : i64
      %86 = arith.index_cast %85 : i64 to index
      %extracted = tensor.extract %arg0[%70, %74, %78, %82, %86] : tensor<1x1x2x3x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x4x6x4xf32>
    %37 = linalg.generic {indexing_maps = [#map3, #map4, #map5, #map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4, %expanded_3, %11, %23, %26 : tensor<1x1x1x1x1xi64>, tensor<1x1x1x1xi64>, tensor<4x1x1xi64>, tensor<6x1xi64>, tensor<4xi64>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: i64, %in_5: i64, %in_6: i64, %in_7: i64, %in_8: i64, %out: f32):
      %67 = arith.cmpi slt, %in, %c0_i64 : i64
      %68 = arith.addi %in, %c1_i64 : i64
      %69 = arith.select %67, %68, %in : i64
      %70 = arith.index_cast %69 : i64 to index
      %71 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %72 = arith.addi %in_5, %c1_i64 : i64
      %73 = arith.select %71, %72, %in_5 : i64
      %74 = arith.index_cast %73 : i64 to index
      %75 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %76 = arith.addi %in_6, %c2_i64 : i64
      %77 = arith.select %75, %76, %in_6 : i64
      %78 = arith.index_cast %77 : i64 to index
      %79 = arith.cmpi slt, %in_7, %c0_i64 : i64
      %80 = arith.addi %in_7, %c3_i64 : i64
      %81 = arith.select %79, %80, %in_7 : i64
      %82 = arith.index_cast %81 : i64 to index
      %83 = arith.cmpi slt, %in_8, %c0_i64 : i64
      %84 = arith.addi %in_8, %c2_i64 : i64
      %85 = arith.select %83, %84, %in_8 : i64
      %86 = arith.index_cast %85 : i64 to index
      %extracted = tensor.extract %arg0[%70, %74, %78, %82, %86] : tensor<1x1x2x3x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x1x4x6x4xf32>
    %38 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%7, %24 : tensor<4xf32>, tensor<4xi64>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %in_5: i64, %out: f32):
      %67 = arith.sitofp %in_5 : i64 to f32
      %68 = arith.subf %in, %67 : f32
      linalg.yield %68 : f32
    } -> tensor<4xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%38 : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.cmpf ult, %in, %cst_0 : f32
      %68 = arith.select %67, %cst_0, %in : f32
      %69 = arith.cmpf ugt, %68, %cst_1 : f32
      %70 = arith.select %69, %cst_1, %68 : f32
      linalg.yield %70 : f32
    } -> tensor<4xf32>
    %40 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%31, %30 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.subf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %41 = linalg.generic {indexing_maps = [#map8, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%40, %39 : tensor<1x1x4x6x4xf32>, tensor<4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.mulf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %42 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%30, %41 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.addf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %43 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%33, %32 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.subf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %44 = linalg.generic {indexing_maps = [#map8, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%43, %39 : tensor<1x1x4x6x4xf32>, tensor<4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.mulf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %45 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%32, %44 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.addf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %46 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%35, %34 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.subf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %47 = linalg.generic {indexing_maps = [#map8, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%46, %39 : tensor<1x1x4x6x4xf32>, tensor<4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.mulf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %48 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%34, %47 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.addf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %49 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%37, %36 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.subf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %50 = linalg.generic {indexing_maps = [#map8, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%49, %39 : tensor<1x1x4x6x4xf32>, tensor<4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.mulf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %51 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%36, %50 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.addf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %52 = tensor.empty() : tensor<6x1xf32>
    %53 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%expanded_2, %21 : tensor<6x1xf32>, tensor<6x1xi64>) outs(%52 : tensor<6x1xf32>) {
    ^bb0(%in: f32, %in_5: i64, %out: f32):
      %67 = arith.sitofp %in_5 : i64 to f32
      %68 = arith.subf %in, %67 : f32
      linalg.yield %68 : f32
    } -> tensor<6x1xf32>
    %54 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%53 : tensor<6x1xf32>) outs(%52 : tensor<6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.cmpf ult, %in, %cst_0 : f32
      %68 = arith.select %67, %cst_0, %in : f32
      %69 = arith.cmpf ugt, %68, %cst_1 : f32
      %70 = arith.select %69, %cst_1, %68 : f32
      linalg.yield %70 : f32
    } -> tensor<6x1xf32>
    %55 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%45, %42 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.subf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %56 = linalg.generic {indexing_maps = [#map8, #map6, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%55, %54 : tensor<1x1x4x6x4xf32>, tensor<6x1xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.mulf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %57 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%42, %56 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.addf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %58 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%51, %48 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.subf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %59 = linalg.generic {indexing_maps = [#map8, #map6, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%58, %54 : tensor<1x1x4x6x4xf32>, tensor<6x1xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.mulf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %60 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%48, %59 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.addf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %61 = tensor.empty() : tensor<4x1x1xf32>
    %62 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %9 : tensor<4x1x1xf32>, tensor<4x1x1xi64>) outs(%61 : tensor<4x1x1xf32>) {
    ^bb0(%in: f32, %in_5: i64, %out: f32):
      %67 = arith.sitofp %in_5 : i64 to f32
      %68 = arith.subf %in, %67 : f32
      linalg.yield %68 : f32
    } -> tensor<4x1x1xf32>
    %63 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<4x1x1xf32>) outs(%61 : tensor<4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %67 = arith.cmpf ult, %in, %cst_0 : f32
      %68 = arith.select %67, %cst_0, %in : f32
      %69 = arith.cmpf ugt, %68, %cst_1 : f32
      %70 = arith.select %69, %cst_1, %68 : f32
      linalg.yield %70 : f32
    } -> tensor<4x1x1xf32>
    %64 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%60, %57 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.subf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %65 = linalg.generic {indexing_maps = [#map8, #map5, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%64, %63 : tensor<1x1x4x6x4xf32>, tensor<4x1x1xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.mulf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    %66 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%57, %65 : tensor<1x1x4x6x4xf32>, tensor<1x1x4x6x4xf32>) outs(%29 : tensor<1x1x4x6x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %67 = arith.addf %in, %in_5 : f32
      linalg.yield %67 : f32
    } -> tensor<1x1x4x6x4xf32>
    return %66 : tensor<1x1x4x6x4xf32>
  }
}
// -----
// grid_sample
#map = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, 0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, 1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x1x4x4xf32>, %arg1: tensor<1x2x3x2xf32>) -> tensor<1x1x2x3xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 2.000000e+00 : f32
    %c1_i64 = arith.constant 1 : i64
    %c3_i64 = arith.constant 3 : i64
    %cst_2 = arith.constant 1.500000e+00 : f32
    %c0 = arith.constant 0 : index
    %0 = tensor.empty() : tensor<1x1x2x3xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1, %arg1 : tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) outs(%0 : tensor<1x1x2x3xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %2 = arith.divf %in_3, %cst_1 : f32
      %3 = arith.divf %in, %cst_1 : f32
      %4 = arith.addf %in_3, %cst_0 : f32
      %5 = arith.addf %in, %cst_0 : f32
      %6 = arith.mulf %4, %cst_2 : f32
      %7 = arith.mulf %5, %cst_2 : f32
      %8 = arith.addf %6, %2 : f32
      %9 = arith.addf %7, %3 : f32
      %10 = arith.cmpf olt, %8, %cst : f32
      %11 = arith.cmpf olt, %9, %cst : f32
      %12 = arith.fptosi %8 : f32 to i64
      %13 = arith.fptosi %9 : f32 to i64
      %14 = arith.subi %12, %c1_i64 : i64
      %15 = arith.subi %13, %c1_i64 : i64
      %16 = arith.select %10, %14, %12 : i64
      %17 = arith.select %11, %15, %13 : i64
      %18 = arith.select %10, %c0_i64, %12 : i64
      %19 = arith.select %11, %c0_i64, %13 : i64
      %20 = arith.addi %16, %c1_i64 : i64
      %21 = arith.addi %17, %c1_i64 : i64
      %22 = arith.cmpi sgt, %20, %c3_i64 : i64
      %23 = arith.cmpi sgt, %21, %c3_i64 : i64
      %24 = arith.select %22, %16, %20 : i64
      %25 = arith.select %23, %17, %21 : i64
      %26 = arith.index_cast %18 : i64 to index
      %27 = arith.index_cast %19 : i64 to index
      %28 = arith.index_cast %24 : i64 to index
      %29 = arith.index_cast %25 : i64 to index
      %extracted = tensor.extract %arg0[%c0, %c0, %26, %27] : tensor<1x1x4x4xf32>
      %30 = arith.select %10, %cst, %extracted : f32
      %31 = arith.select %11, %cst, %30 : f32
      %extracted_4 = tensor.extract %arg0[%c0, %c0, %26, %29] : tensor<1x1x4x4xf32>
      %32 = arith.select %23, %cst, %extracted_4 : f32
      %33 = arith.select %10, %cst, %32 : f32
      %extracted_5 = tensor.extract %arg0[%c0, %c0, %28, %27] : tensor<1x1x4x4xf32>
      %34 = arith.select %22, %cst, %extracted_5 : f32
      %35 = arith.select %11, %cst, %34 : f32
      %extracted_6 = tensor.extract %arg0[%c0, %c0, %28, %29] : tensor<1x1x4x4xf32>
      %36 = arith.select %22, %cst, %extracted_6 : f32
      %37 = arith.select %23, %cst, %36 : f32
      %38 = arith.sitofp %16 : i64 to f32
      %39 = arith.sitofp %17 : i64 to f32
      %40 = arith.subf %8, %38 : f32
      %41 = arith.subf %9, %39 : f32
      %42 = arith.subf %cst_0, %41 : f32
      %43 = arith.mulf %31, %42 : f32
      %44 = arith.mulf %33, %41 : f32
      %45 = arith.addf %43, %44 : f32
      %46 = arith.mulf %35, %42 : f32
      %47 = arith.mulf %37, %41 : f32
      %48 = arith.addf %46, %47 : f32
      %49 = arith.subf %cst_0, %40 : f32
      %50 = arith.mulf %45, %49 : f32
      %51 = arith.mulf %48, %40 : f32
      %52 = arith.addf %50, %51 : f32
      linalg.yield %52 : f32
    } -> tensor<1x1x2x3xf32>
    return %1 : tensor<1x1x2x3xf32>
  }
}
// -----
// pixel_shuffle
module {
  func.func @main(%arg0: tensor<1x4x2x3xf32>) -> tensor<1x1x4x6xf32> {
    %expanded = tensor.expand_shape %arg0 [[0], [1, 2, 3], [4], [5]] output_shape [1, 1, 2, 2, 2, 3] : tensor<1x4x2x3xf32> into tensor<1x1x2x2x2x3xf32>
    %0 = tensor.empty() : tensor<1x1x2x2x3x2xf32>
    %transposed = linalg.transpose ins(%expanded : tensor<1x1x2x2x2x3xf32>) outs(%0 : tensor<1x1x2x2x3x2xf32>) permutation = [0, 1, 4, 2, 5, 3] 
    %collapsed = tensor.collapse_shape %transposed [[0], [1], [2, 3], [4, 5]] : tensor<1x1x2x2x3x2xf32> into tensor<1x1x4x6xf32>
    return %collapsed : tensor<1x1x4x6xf32>
  }
}
// -----
// unfold
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5) -> (0, 0, 0, 0, 0, 0)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, 0, 0, 0, 0)>
#map6 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3, 0, 0)>
#map7 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
#map8 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
module {
  func.func @main(%arg0: tensor<1x2x3x3xf32>) -> tensor<1x8x4xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c3_i64 = arith.constant 3 : i64
    %0 = tensor.empty() : tensor<2xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<2xi64>) {
    ^bb0(%out: i64):
      %8 = linalg.index 0 : index
      %9 = arith.index_cast %8 : index to i64
      linalg.yield %9 : i64
    } -> tensor<2xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 2] : tensor<2xi64> into tensor<1x2xi64>
    %expanded_0 = tensor.expand_shape %1 [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>
    %2 = tensor.empty() : tensor<2x2xi64>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_0 : tensor<1x2xi64>, tensor<2x1xi64>) outs(%2 : tensor<2x2xi64>) {
    ^bb0(%in: i64, %in_4: i64, %out: i64):
      %8 = arith.addi %in, %in_4 : i64
      linalg.yield %8 : i64
    } -> tensor<2x2xi64>
    %expanded_1 = tensor.expand_shape %3 [[0], [1, 2, 3]] output_shape [2, 2, 1, 1] : tensor<2x2xi64> into tensor<2x2x1x1xi64>
    %expanded_2 = tensor.expand_shape %1 [[0, 1, 2, 3, 4]] output_shape [2, 1, 1, 1, 1] : tensor<2xi64> into tensor<2x1x1x1x1xi64>
    %4 = tensor.empty() : tensor<1xi64>
    %5 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%4 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_3 = tensor.expand_shape %5 [[0, 1, 2, 3, 4, 5]] output_shape [1, 1, 1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1x1x1xi64>
    %6 = tensor.empty() : tensor<1x2x2x2x2x2xf32>
    %7 = linalg.generic {indexing_maps = [#map4, #map5, #map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3, %expanded_2, %expanded_1, %3 : tensor<1x1x1x1x1x1xi64>, tensor<2x1x1x1x1xi64>, tensor<2x2x1x1xi64>, tensor<2x2xi64>) outs(%6 : tensor<1x2x2x2x2x2xf32>) {
    ^bb0(%in: i64, %in_4: i64, %in_5: i64, %in_6: i64, %out: f32):
      %8 = arith.cmpi slt, %in, %c0_i64 : i64
      %9 = arith.addi %in, %c1_i64 : i64
      %10 = arith.select %8, %9, %in : i64
      %11 = arith.index_cast %10 : i64 to index
      %12 = arith.cmpi slt, %in_4, %c0_i64 : i64
      %13 = arith.addi %in_4, %c2_i64 : i64
      %14 = arith.select %12, %13, %in_4 : i64
      %15 = arith.index_cast %14 : i64 to index
      %16 = arith.cmpi slt, %in_5, %c0_i64 : i64
      %17 = arith.addi %in_5, %c3_i64 : i64
      %18 = arith.select %16, %17, %in_5 : i64
      %19 = arith.index_cast %18 : i64 to index
      %20 = arith.cmpi slt, %in_6, %c0_i64 : i64
      %21 = arith.addi %in_6, %c3_i64 : i64
      %22 = arith.select %20, %21, %in_6 : i64
      %23 = arith.index_cast %22 : i64 to index
      %extracted = tensor.extract %arg0[%11, %15, %19, %23] : tensor<1x2x3x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x2x2x2x2x2xf32>
    %transposed = linalg.transpose ins(%7 : tensor<1x2x2x2x2x2xf32>) outs(%6 : tensor<1x2x2x2x2x2xf32>) permutation = [0, 1, 2, 4, 3, 5] 
    %collapsed = tensor.collapse_shape %transposed [[0], [1, 2, 3], [4, 5]] : tensor<1x2x2x2x2x2xf32> into tensor<1x8x4xf32>
    return %collapsed : tensor<1x8x4xf32>
  }
}
// -----
// activations
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
module {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 5.000000e-01 : f32
    %cst_2 = arith.constant dense<-1.000000e+00> : tensor<f32>
    %cst_3 = arith.constant 1.6732632423543772 : f64
    %cst_4 = arith.constant 1.0507009873554805 : f64
    %cst_5 = arith.constant 2.000000e+01 : f64
    %cst_6 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_7 = arith.constant dense<6.000000e+00> : tensor<f32>
    %cst_8 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_9 = arith.constant 5.000000e-01 : f64
    %cst_10 = arith.constant 1.000000e-02 : f64
    %cst_11 = arith.constant 3.000000e+00 : f32
    %cst_12 = arith.constant 6.000000e+00 : f32
    %cst_13 = arith.constant 2.000000e+01 : f32
    %cst_14 = arith.constant 1.41421354 : f32
    %0 = tensor.empty() : tensor<2x3xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.negf %in : f32
      %50 = math.exp %49 : f32
      %51 = arith.addf %50, %cst : f32
      %52 = arith.divf %cst, %51 : f32
      linalg.yield %52 : f32
    } -> tensor<2x3xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %arg0 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.mulf %in, %in_15 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_8, %arg0 : tensor<f32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.cmpf ogt, %in, %in_15 : f32
      %50 = arith.select %49, %in, %in_15 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_8, %arg0 : tensor<f32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.cmpf olt, %in, %in_15 : f32
      %50 = arith.select %49, %in, %in_15 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = math.exp %in : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.subf %in, %cst : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %6 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.addf %in, %in_15 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.addf %in, %cst_11 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.cmpf ugt, %in, %cst_0 : f32
      %50 = arith.select %49, %in, %cst_0 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %cst_7 : tensor<2x3xf32>, tensor<f32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.cmpf olt, %in, %in_15 : f32
      %50 = arith.select %49, %in, %in_15 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.divf %in, %cst_12 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%11, %arg0 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.mulf %in, %in_15 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.divf %in, %cst_12 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_6, %13 : tensor<f32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.cmpf olt, %in, %in_15 : f32
      %50 = arith.select %49, %in, %in_15 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_8, %14 : tensor<f32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.cmpf ogt, %in, %in_15 : f32
      %50 = arith.select %49, %in, %in_15 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = math.exp %in : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = math.log1p %in : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %18 = tensor.empty() : tensor<2x3xi1>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%18 : tensor<2x3xi1>) {
    ^bb0(%in: f32, %out: i1):
      %49 = arith.cmpf ogt, %in, %cst_13 : f32
      linalg.yield %49 : i1
    } -> tensor<2x3xi1>
    %20 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %arg0, %17 : tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %49 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%18 : tensor<2x3xi1>) {
    ^bb0(%in: f32, %out: i1):
      %49 = arith.extf %in : f32 to f64
      %50 = arith.cmpf ogt, %49, %cst_5 : f64
      linalg.yield %50 : i1
    } -> tensor<2x3xi1>
    %22 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%21, %arg0, %17 : tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %49 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = math.tanh %in : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %23 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.mulf %in, %in_15 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.truncf %cst_10 : f64 to f32
      %50 = arith.mulf %in, %49 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %25 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.addf %in, %in_15 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.cmpf ugt, %in, %cst_0 : f32
      %50 = arith.select %49, %in, %cst_0 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%27, %cst_7 : tensor<2x3xf32>, tensor<f32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.cmpf olt, %in, %in_15 : f32
      %50 = arith.select %49, %in, %in_15 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = math.tanh %in : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.truncf %cst_3 : f64 to f32
      %50 = arith.mulf %in, %49 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %30 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.addf %in, %in_15 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.truncf %cst_4 : f64 to f32
      %50 = arith.mulf %in, %49 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %cst_2 : tensor<2x3xf32>, tensor<f32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.cmpf ogt, %in, %in_15 : f32
      %50 = arith.select %49, %in, %in_15 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_6, %33 : tensor<f32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.cmpf olt, %in, %in_15 : f32
      %50 = arith.select %49, %in, %in_15 : f32
      linalg.yield %50 : f32
    } -> tensor<2x3xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = math.absf %in : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %36 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.addf %in, %cst : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %36 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.divf %in, %in_15 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %38 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = math.log %in : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<2x3xf32>) outs(%18 : tensor<2x3xi1>) {
    ^bb0(%in: f32, %out: i1):
      %49 = arith.extf %in : f32 to f64
      %50 = arith.cmpf ogt, %49, %cst_9 : f64
      linalg.yield %50 : i1
    } -> tensor<2x3xi1>
    %40 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%18 : tensor<2x3xi1>) {
    ^bb0(%in: f32, %out: i1):
      %49 = arith.cmpf ogt, %in, %cst_0 : f32
      linalg.yield %49 : i1
    } -> tensor<2x3xi1>
    %41 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%18 : tensor<2x3xi1>) {
    ^bb0(%in: f32, %out: i1):
      %49 = arith.cmpf olt, %in, %cst_0 : f32
      linalg.yield %49 : i1
    } -> tensor<2x3xi1>
    %42 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%40, %cst_6, %cst_8 : tensor<2x3xi1>, tensor<f32>, tensor<f32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %49 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%41, %cst_2, %42 : tensor<2x3xi1>, tensor<f32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %49 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %44 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%43 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.mulf %in, %cst_1 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %45 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %44 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %49 = arith.subf %in, %in_15 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %46 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.mulf %in, %cst_0 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%39, %45, %46 : tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %49 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %49 : f32
    } -> tensor<2x3xf32>
    %48 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.divf %in, %cst_14 : f32
      %50 = math.erf %49 : f32
      %51 = arith.addf %50, %cst : f32
      %52 = arith.mulf %51, %cst_1 : f32
      %53 = arith.mulf %in, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<2x3xf32>
    return %2, %7, %12, %15, %20, %24, %26, %28, %29, %32, %34, %37, %38, %47, %48 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
// -----
// gated
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x3xf32> {
    %cst = arith.constant 1.000000e+00 : f32
    %extracted_slice = tensor.extract_slice %arg0[0, 0] [2, 3] [1, 1] : tensor<2x6xf32> to tensor<2x3xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 3] [2, 3] [1, 1] : tensor<2x6xf32> to tensor<2x3xf32>
    %0 = tensor.empty() : tensor<2x3xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_0 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.negf %in : f32
      %4 = math.exp %3 : f32
      %5 = arith.addf %4, %cst : f32
      %6 = arith.divf %cst, %5 : f32
      linalg.yield %6 : f32
    } -> tensor<2x3xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice, %1 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %3 = arith.mulf %in, %in_1 : f32
      linalg.yield %3 : f32
    } -> tensor<2x3xf32>
    return %2 : tensor<2x3xf32>
  }
}
// -----
// int8
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<3x4xi8>, %arg1: tensor<4x5xi8>) -> tensor<3x5xi32> {
    %c0_i64 = arith.constant 0 : i64
    %0 = tensor.empty() : tensor<3x4xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<3x4xi8>) outs(%0 : tensor<3x4xi32>) {
    ^bb0(%in: i8, %out: i32):
      %9 = arith.extsi %in : i8 to i32
      linalg.yield %9 : i32
    } -> tensor<3x4xi32>
    %2 = tensor.empty() : tensor<4x5xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x5xi8>) outs(%2 : tensor<4x5xi32>) {
    ^bb0(%in: i8, %out: i32):
      %9 = arith.extsi %in : i8 to i32
      linalg.yield %9 : i32
    } -> tensor<4x5xi32>
    %4 = tensor.empty() : tensor<3x5xi64>
    %5 = linalg.fill ins(%c0_i64 : i64) outs(%4 : tensor<3x5xi64>) -> tensor<3x5xi64>
    %6 = linalg.matmul ins(%1, %3 : tensor<3x4xi32>, tensor<4x5xi32>) outs(%5 : tensor<3x5xi64>) -> tensor<3x5xi64>
    %7 = tensor.empty() : tensor<3x5xi32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<3x5xi64>) outs(%7 : tensor<3x5xi32>) {
    ^bb0(%in: i64, %out: i32):
      %9 = arith.trunci %in : i64 to i32
      linalg.yield %9 : i32
    } -> tensor<3x5xi32>
    return %8 : tensor<3x5xi32>
  }
}
// -----
// integers
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<3x4xi64>, %arg1: tensor<4xi64>) -> (tensor<3x4xi64>, tensor<3x4xi64>, tensor<3x4xi64>, tensor<3x4xi1>, tensor<3x4xi64>, tensor<3x4xi64>, tensor<3x4xf32>) {
    %c0_i64 = arith.constant 0 : i64
    %0 = tensor.empty() : tensor<3x4xi64>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<3x4xi64>, tensor<4xi64>) outs(%0 : tensor<3x4xi64>) {
    ^bb0(%in: i64, %in_0: i64, %out: i64):
      %12 = arith.sitofp %in : i64 to f64
      %13 = arith.sitofp %in_0 : i64 to f64
      %14 = arith.divf %12, %13 : f64
      %15 = math.floor %14 : f64
      %16 = arith.fptosi %15 : f64 to i64
      linalg.yield %16 : i64
    } -> tensor<3x4xi64>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<3x4xi64>, tensor<4xi64>) outs(%0 : tensor<3x4xi64>) {
    ^bb0(%in: i64, %in_0: i64, %out: i64):
      %12 = arith.remsi %in, %in_0 : i64
      %13 = arith.cmpi ne, %12, %c0_i64 : i64
      %14 = arith.cmpi slt, %in_0, %c0_i64 : i64
      %15 = arith.cmpi slt, %12, %c0_i64 : i64
      %16 = arith.xori %14, %15 : i1
      %17 = arith.andi %13, %16 : i1
      %18 = arith.addi %12, %in_0 : i64
      %19 = arith.select %17, %18, %12 : i64
      linalg.yield %19 : i64
    } -> tensor<3x4xi64>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<3x4xi64>, tensor<4xi64>) outs(%0 : tensor<3x4xi64>) {
    ^bb0(%in: i64, %in_0: i64, %out: i64):
      %12 = arith.divsi %in, %in_0 : i64
      linalg.yield %12 : i64
    } -> tensor<3x4xi64>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %arg1 : tensor<3x4xi64>, tensor<4xi64>) outs(%0 : tensor<3x4xi64>) {
    ^bb0(%in: i64, %in_0: i64, %out: i64):
      %12 = arith.muli %in, %in_0 : i64
      linalg.yield %12 : i64
    } -> tensor<3x4xi64>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %4 : tensor<3x4xi64>, tensor<3x4xi64>) outs(%0 : tensor<3x4xi64>) {
    ^bb0(%in: i64, %in_0: i64, %out: i64):
      %12 = arith.subi %in, %in_0 : i64
      linalg.yield %12 : i64
    } -> tensor<3x4xi64>
    %6 = tensor.empty() : tensor<3x4xi1>
    %7 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<3x4xi64>, tensor<4xi64>) outs(%6 : tensor<3x4xi1>) {
    ^bb0(%in: i64, %in_0: i64, %out: i1):
      %12 = arith.cmpi sgt, %in, %in_0 : i64
      linalg.yield %12 : i1
    } -> tensor<3x4xi1>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %arg0, %arg1 : tensor<3x4xi1>, tensor<3x4xi64>, tensor<4xi64>) outs(%0 : tensor<3x4xi64>) {
    ^bb0(%in: i1, %in_0: i64, %in_1: i64, %out: i64):
      %12 = arith.select %in, %in_0, %in_1 : i64
      linalg.yield %12 : i64
    } -> tensor<3x4xi64>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<3x4xi64>, tensor<4xi64>) outs(%0 : tensor<3x4xi64>) {
    ^bb0(%in: i64, %in_0: i64, %out: i64):
      %12 = arith.andi %in, %in_0 : i64
      linalg.yield %12 : i64
    } -> tensor<3x4xi64>
    %10 = tensor.empty() : tensor<3x4xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<3x4xi64>, tensor<4xi64>) outs(%10 : tensor<3x4xf32>) {
    ^bb0(%in: i64, %in_0: i64, %out: f32):
      %12 = arith.sitofp %in : i64 to f32
      %13 = arith.sitofp %in_0 : i64 to f32
      %14 = arith.divf %12, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<3x4xf32>
    return %1, %2, %5, %7, %8, %9, %11 : tensor<3x4xi64>, tensor<3x4xi64>, tensor<3x4xi64>, tensor<3x4xi1>, tensor<3x4xi64>, tensor<3x4xi64>, tensor<3x4xf32>
  }
}
// -----
// bfloat16
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<3x8xbf16>) -> tensor<3x4xbf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_4_8_torch.bfloat16> : tensor<4x8xbf16>
    %cst_1 = arith.constant dense_resource<torch_tensor_4_torch.bfloat16> : tensor<4xbf16>
    %0 = tensor.empty() : tensor<8x4xbf16>
    %transposed = linalg.transpose ins(%cst_0 : tensor<4x8xbf16>) outs(%0 : tensor<8x4xbf16>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<3x4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<3x8xbf16>, tensor<8x4xbf16>) outs(%2 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %4 = tensor.empty() : tensor<3x4xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<3x4xf32>) outs(%4 : tensor<3x4xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %7 = arith.truncf %in : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<3x4xbf16>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %cst_1 : tensor<3x4xbf16>, tensor<4xbf16>) outs(%4 : tensor<3x4xbf16>) {
    ^bb0(%in: bf16, %in_2: bf16, %out: bf16):
      %7 = arith.addf %in, %in_2 : bf16
      linalg.yield %7 : bf16
    } -> tensor<3x4xbf16>
    return %6 : tensor<3x4xbf16>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_8_torch.bfloat16: "0x020000004EBC2DBDA63E25BEAA3E8BBE97BEEB3D53BE3A3E48BE8F3EAF3EB93C9B3DA93E573E9EBE39BCA3BE8A3E85BD22BB5EBE45BE3C3D953E36BE093DA43EA23E8EBD",
      torch_tensor_4_torch.bfloat16: "0x02000000AA3E043EA53E2C3C"
    }
  }
#-}
// -----
// float16
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<3x8xf16>) -> tensor<3x4xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_4_8_torch.float16> : tensor<4x8xf16>
    %cst_1 = arith.constant dense_resource<torch_tensor_4_torch.float16> : tensor<4xf16>
    %0 = tensor.empty() : tensor<8x4xf16>
    %transposed = linalg.transpose ins(%cst_0 : tensor<4x8xf16>) outs(%0 : tensor<8x4xf16>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<3x4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<3x8xf16>, tensor<8x4xf16>) outs(%2 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %4 = tensor.empty() : tensor<3x4xf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<3x4xf32>) outs(%4 : tensor<3x4xf16>) {
    ^bb0(%in: f32, %out: f16):
      %7 = arith.truncf %in : f32 to f16
      linalg.yield %7 : f16
    } -> tensor<3x4xf16>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %cst_1 : tensor<3x4xf16>, tensor<4xf16>) outs(%4 : tensor<3x4xf16>) {
    ^bb0(%in: f16, %in_2: f16, %out: f16):
      %7 = arith.addf %in, %in_2 : f16
      linalg.yield %7 : f16
    } -> tensor<3x4xf16>
    return %6 : tensor<3x4xf16>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_8_torch.float16: "0x02000000AF31C3AF482F6FAC182EF5B27FB4A1B41DB3CAB0BC2AF3AC71B2151A25AFF932A9B42DB045B39629F02435A59D3551B081AAD92DB9344A342B2948B06F2F1E33",
      torch_tensor_4_torch.float16: "0x02000000BA9F3632A13410B2"
    }
  }
#-}
// -----
// rearranged
#map = affine_map<(d0, d1, d2) -> (d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>) -> (tensor<3x8xf32>, tensor<2x3x4xf32>, tensor<3x2xf32>, tensor<6x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<4x3xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %c3 = arith.constant 3 : index
    %concat = tensor.concat dim(1) %arg0, %arg1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
    %expanded = tensor.expand_shape %arg0 [[0, 1], [2]] output_shape [1, 3, 4] : tensor<3x4xf32> into tensor<1x3x4xf32>
    %concat_0 = tensor.concat dim(0) %expanded, %expanded : (tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<2x3x4xf32>
    %extracted_slice = tensor.extract_slice %arg0[0, 2] [3, 2] [1, 1] : tensor<3x4xf32> to tensor<3x2xf32>
    %0 = tensor.empty() : tensor<2x3x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x4xf32>
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
    %2 = tensor.empty() : tensor<3x4xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %4 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<3x4xf32>) outs(%3 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = linalg.index 0 : index
      %8 = linalg.index 1 : index
      %9 = arith.subi %c3, %8 : index
      %extracted = tensor.extract %arg0[%7, %9] : tensor<3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x4xf32>
    %extracted_slice_1 = tensor.extract_slice %arg0[0, 3] [3, 1] [1, 1] : tensor<3x4xf32> to tensor<3x1xf32>
    %cast = tensor.cast %extracted_slice_1 : tensor<3x1xf32> to tensor<3x?xf32>
    %extracted_slice_2 = tensor.extract_slice %arg0[0, 0] [3, 3] [1, 1] : tensor<3x4xf32> to tensor<3x3xf32>
    %cast_3 = tensor.cast %extracted_slice_2 : tensor<3x3xf32> to tensor<3x?xf32>
    %concat_4 = tensor.concat dim(1) %cast, %cast_3 : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x4xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<3x4xf32>) outs(%2 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = linalg.index 0 : index
      %8 = arith.index_cast %7 : index to i64
      %9 = linalg.index 1 : index
      %10 = arith.index_cast %9 : index to i64
      %11 = arith.cmpi sle, %10, %8 : i64
      %12 = arith.select %11, %in, %cst : f32
      linalg.yield %12 : f32
    } -> tensor<3x4xf32>
    %6 = tensor.empty() : tensor<4x3xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<3x4xf32>) outs(%6 : tensor<4x3xf32>) permutation = [1, 0] 
    return %concat, %concat_0, %extracted_slice, %collapsed, %4, %concat_4, %5, %transposed : tensor<3x8xf32>, tensor<2x3x4xf32>, tensor<3x2xf32>, tensor<6x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<4x3xf32>
  }
}
// -----
// masked
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xi1>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<-1.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<3x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %cst_0, %arg0 : tensor<3x4xi1>, tensor<f32>, tensor<3x4xf32>) outs(%0 : tensor<3x4xf32>) {
    ^bb0(%in: i1, %in_1: f32, %in_2: f32, %out: f32):
      %3 = arith.select %in, %in_1, %in_2 : f32
      linalg.yield %3 : f32
    } -> tensor<3x4xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %arg0, %cst : tensor<3x4xi1>, tensor<3x4xf32>, tensor<f32>) outs(%0 : tensor<3x4xf32>) {
    ^bb0(%in: i1, %in_1: f32, %in_2: f32, %out: f32):
      %3 = arith.select %in, %in_1, %in_2 : f32
      linalg.yield %3 : f32
    } -> tensor<3x4xf32>
    return %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>
  }
}
// -----
// bilinear_form
#map = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, 0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) -> tensor<2x2xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_2_3_4_torch.float32> : tensor<2x3x4xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_2_torch.float32> : tensor<2xf32>
    %expanded = tensor.expand_shape %arg0 [[0], [1, 2, 3]] output_shape [2, 1, 3, 1] : tensor<2x3xf32> into tensor<2x1x3x1xf32>
    %expanded_2 = tensor.expand_shape %cst_0 [[0, 1], [2], [3]] output_shape [1, 2, 3, 4] : tensor<2x3x4xf32> into tensor<1x2x3x4xf32>
    %expanded_3 = tensor.expand_shape %arg1 [[0], [1, 2, 3]] output_shape [2, 1, 1, 4] : tensor<2x4xf32> into tensor<2x1x1x4xf32>
    %0 = tensor.empty() : tensor<2x2x3x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_2 : tensor<2x1x3x1xf32>, tensor<1x2x3x4xf32>) outs(%0 : tensor<2x2x3x4xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %10 = arith.mulf %in, %in_4 : f32
      linalg.yield %10 : f32
    } -> tensor<2x2x3x4xf32>
    %2 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %expanded_3 : tensor<2x2x3x4xf32>, tensor<2x1x1x4xf32>) outs(%0 : tensor<2x2x3x4xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %10 = arith.mulf %in, %in_4 : f32
      linalg.yield %10 : f32
    } -> tensor<2x2x3x4xf32>
    %3 = tensor.empty() : tensor<2x2x3xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%2 : tensor<2x2x3x4xf32>) outs(%4 : tensor<2x2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %out : f32
      linalg.yield %10 : f32
    } -> tensor<2x2x3xf32>
    %6 = tensor.empty() : tensor<2x2xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<2x2xf32>) -> tensor<2x2xf32>
    %8 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%5 : tensor<2x2x3xf32>) outs(%7 : tensor<2x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %out : f32
      linalg.yield %10 : f32
    } -> tensor<2x2xf32>
    %9 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel"]} ins(%8, %cst_1 : tensor<2x2xf32>, tensor<2xf32>) outs(%6 : tensor<2x2xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %10 = arith.addf %in, %in_4 : f32
      linalg.yield %10 : f32
    } -> tensor<2x2xf32>
    return %9 : tensor<2x2xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_2_3_4_torch.float32: "0x04000000FBDEED3E445B893D6E35BBBEE5BE58BE35EEF5BE5D0323BEDE55913E42B0B63BBEF10CBFF0C8FFBEF456563ED5B901BF72C7EBBE3C3EB0BE5BDF0C3F6B1B28BE5AC173BE5D98C7BE7C19BD3E3CECBEBDB002E43DBB3B0D3E6DBC263E5A36BD3E",
      torch_tensor_2_torch.float32: "0x040000002A70F53CA39C743D"
    }
  }
#-}
// -----
// cross_entropy
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> ()>
#map5 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<5x3xf32>, %arg1: tensor<5xi64>) -> tensor<f32> {
    %c-100_i64 = arith.constant -100 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %c3 = arith.constant 3 : index
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<0> : tensor<i64>
    %0 = tensor.empty() : tensor<5xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<5xi64>) -> tensor<5xi64>
    %2 = tensor.empty() : tensor<5xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<5xf32>) -> tensor<5xf32>
    %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<5x3xf32>) outs(%3, %1 : tensor<5xf32>, tensor<5xi64>) {
    ^bb0(%in: f32, %out: f32, %out_4: i64):
      %27 = linalg.index 1 : index
      %28 = arith.index_cast %27 : index to i64
      %29 = arith.maximumf %in, %out : f32
      %30 = arith.cmpf ogt, %in, %out : f32
      %31 = arith.select %30, %28, %out_4 : i64
      linalg.yield %29, %31 : f32, i64
    } -> (tensor<5xf32>, tensor<5xi64>)
    %expanded = tensor.expand_shape %4#0 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %5 = tensor.empty() : tensor<5x3xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<5x3xf32>, tensor<5x1xf32>) outs(%5 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %27 = arith.subf %in, %in_4 : f32
      linalg.yield %27 : f32
    } -> tensor<5x3xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<5x3xf32>) outs(%5 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = math.exp %in : f32
      linalg.yield %27 : f32
    } -> tensor<5x3xf32>
    %8 = tensor.empty() : tensor<5x1xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<5x1xf32>) -> tensor<5x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<5x3xf32>) outs(%9 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.addf %in, %out : f32
      linalg.yield %27 : f32
    } -> tensor<5x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<5x1xf32>) outs(%8 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = math.log %in : f32
      linalg.yield %27 : f32
    } -> tensor<5x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%6, %11 : tensor<5x3xf32>, tensor<5x1xf32>) outs(%5 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %27 = arith.subf %in, %in_4 : f32
      linalg.yield %27 : f32
    } -> tensor<5x3xf32>
    %13 = tensor.empty() : tensor<5xi1>
    %14 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg1 : tensor<5xi64>) outs(%13 : tensor<5xi1>) {
    ^bb0(%in: i64, %out: i1):
      %27 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %27 : i1
    } -> tensor<5xi1>
    %15 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map3], iterator_types = ["parallel"]} ins(%14, %arg1, %cst_2 : tensor<5xi1>, tensor<5xi64>, tensor<i64>) outs(%0 : tensor<5xi64>) {
    ^bb0(%in: i1, %in_4: i64, %in_5: i64, %out: i64):
      %27 = arith.select %in, %in_4, %in_5 : i64
      linalg.yield %27 : i64
    } -> tensor<5xi64>
    %expanded_3 = tensor.expand_shape %15 [[0, 1]] output_shape [5, 1] : tensor<5xi64> into tensor<5x1xi64>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_3 : tensor<5x1xi64>) outs(%9 : tensor<5x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %27 = linalg.index 0 : index
      %28 = arith.index_cast %in : i64 to index
      %29 = arith.cmpi slt, %28, %c3 : index
      cf.assert %29, "index must be smaller than dim size"
      %30 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %30, "index must be larger or equal to 0"
      %extracted = tensor.extract %12[%27, %28] : tensor<5x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<5x1xf32>
    %collapsed = tensor.collapse_shape %16 [[0, 1]] : tensor<5x1xf32> into tensor<5xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%collapsed : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.negf %in : f32
      linalg.yield %27 : f32
    } -> tensor<5xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map3], iterator_types = ["parallel"]} ins(%14, %17, %cst_1 : tensor<5xi1>, tensor<5xf32>, tensor<f32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: i1, %in_4: f32, %in_5: f32, %out: f32):
      %27 = arith.select %in, %in_4, %in_5 : f32
      linalg.yield %27 : f32
    } -> tensor<5xf32>
    %19 = tensor.empty() : tensor<i64>
    %20 = linalg.fill ins(%c0_i64 : i64) outs(%19 : tensor<i64>) -> tensor<i64>
    %21 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%14 : tensor<5xi1>) outs(%20 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %27 = arith.extui %in : i1 to i64
      %28 = arith.addi %27, %out : i64
      linalg.yield %28 : i64
    } -> tensor<i64>
    %22 = tensor.empty() : tensor<f32>
    %23 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%21 : tensor<i64>) outs(%22 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %27 = arith.sitofp %in : i64 to f32
      linalg.yield %27 : f32
    } -> tensor<f32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%22 : tensor<f32>) -> tensor<f32>
    %25 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%18 : tensor<5xf32>) outs(%24 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.addf %in, %out : f32
      linalg.yield %27 : f32
    } -> tensor<f32>
    %26 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%25, %23 : tensor<f32>, tensor<f32>) outs(%22 : tensor<f32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %27 = arith.divf %in, %in_4 : f32
      linalg.yield %27 : f32
    } -> tensor<f32>
    return %26 : tensor<f32>
  }
}
// -----
// comparisons
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> ()>
module {
  func.func @main(%arg0: tensor<5x3xf32>, %arg1: tensor<5x3xf32>) -> (tensor<5x3xi1>, tensor<5x3xi1>, tensor<5x3xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>) {
    %false = arith.constant false
    %cst = arith.constant dense<-1.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_1 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %cst_3 = arith.constant -9.000000e+00 : f32
    %cst_4 = arith.constant -5.000000e-01 : f32
    %cst_5 = arith.constant 5.000000e-01 : f32
    %0 = tensor.empty() : tensor<5x3xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<5x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<5x3xi1>) {
    ^bb0(%in: f32, %in_6: f32, %out: i1):
      %21 = arith.cmpf olt, %in, %in_6 : f32
      linalg.yield %21 : i1
    } -> tensor<5x3xi1>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg0 : tensor<5x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<5x3xi1>) {
    ^bb0(%in: f32, %in_6: f32, %out: i1):
      %21 = arith.cmpf une, %in, %in_6 : f32
      linalg.yield %21 : i1
    } -> tensor<5x3xi1>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x3xf32>) outs(%0 : tensor<5x3xi1>) {
    ^bb0(%in: f32, %out: i1):
      %21 = arith.cmpf ogt, %in, %cst_2 : f32
      linalg.yield %21 : i1
    } -> tensor<5x3xi1>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<5x3xf32>) outs(%0 : tensor<5x3xi1>) {
    ^bb0(%in: f32, %out: i1):
      %21 = arith.cmpf ogt, %in, %cst_2 : f32
      linalg.yield %21 : i1
    } -> tensor<5x3xi1>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<5x3xi1>, tensor<5x3xi1>) outs(%0 : tensor<5x3xi1>) {
    ^bb0(%in: i1, %in_6: i1, %out: i1):
      %21 = arith.andi %in, %in_6 : i1
      linalg.yield %21 : i1
    } -> tensor<5x3xi1>
    %6 = tensor.empty() : tensor<5xi1>
    %7 = linalg.fill ins(%false : i1) outs(%6 : tensor<5xi1>) -> tensor<5xi1>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<5x3xi1>) outs(%7 : tensor<5xi1>) {
    ^bb0(%in: i1, %out: i1):
      %21 = arith.ori %in, %out : i1
      linalg.yield %21 : i1
    } -> tensor<5xi1>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x3xf32>) outs(%0 : tensor<5x3xi1>) {
    ^bb0(%in: f32, %out: i1):
      %21 = arith.cmpf ogt, %in, %cst_3 : f32
      linalg.yield %21 : i1
    } -> tensor<5x3xi1>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<5x3xi1>) outs(%0 : tensor<5x3xi1>) {
    ^bb0(%in: i1, %out: i1):
      %21 = arith.cmpi eq, %in, %false : i1
      linalg.yield %21 : i1
    } -> tensor<5x3xi1>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<5x3xi1>) outs(%7 : tensor<5xi1>) {
    ^bb0(%in: i1, %out: i1):
      %21 = arith.ori %in, %out : i1
      linalg.yield %21 : i1
    } -> tensor<5xi1>
    %12 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%11 : tensor<5xi1>) outs(%6 : tensor<5xi1>) {
    ^bb0(%in: i1, %out: i1):
      %21 = arith.cmpi eq, %in, %false : i1
      linalg.yield %21 : i1
    } -> tensor<5xi1>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x3xf32>) outs(%0 : tensor<5x3xi1>) {
    ^bb0(%in: f32, %out: i1):
      %21 = arith.cmpf olt, %in, %cst_2 : f32
      linalg.yield %21 : i1
    } -> tensor<5x3xi1>
    %14 = tensor.empty() : tensor<5x3xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map3, #map3, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %cst_1, %cst_0 : tensor<5x3xi1>, tensor<f32>, tensor<f32>) outs(%14 : tensor<5x3xf32>) {
    ^bb0(%in: i1, %in_6: f32, %in_7: f32, %out: f32):
      %21 = arith.select %in, %in_6, %in_7 : f32
      linalg.yield %21 : f32
    } -> tensor<5x3xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map3, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%13, %cst, %15 : tensor<5x3xi1>, tensor<f32>, tensor<5x3xf32>) outs(%14 : tensor<5x3xf32>) {
    ^bb0(%in: i1, %in_6: f32, %in_7: f32, %out: f32):
      %21 = arith.select %in, %in_6, %in_7 : f32
      linalg.yield %21 : f32
    } -> tensor<5x3xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x3xf32>) outs(%14 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.roundeven %in : f32
      linalg.yield %21 : f32
    } -> tensor<5x3xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x3xf32>) outs(%14 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.cmpf ult, %in, %cst_4 : f32
      %22 = arith.select %21, %cst_4, %in : f32
      %23 = arith.cmpf ugt, %22, %cst_5 : f32
      %24 = arith.select %23, %cst_5, %22 : f32
      linalg.yield %24 : f32
    } -> tensor<5x3xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x3xf32>) outs(%14 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.absf %in : f32
      linalg.yield %21 : f32
    } -> tensor<5x3xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %arg1 : tensor<5x3xf32>, tensor<5x3xf32>) outs(%14 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %21 = math.powf %in, %in_6 : f32
      linalg.yield %21 : f32
    } -> tensor<5x3xf32>
    return %1, %2, %5, %8, %12, %16, %17, %18, %20 : tensor<5x3xi1>, tensor<5x3xi1>, tensor<5x3xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>
  }
}
// -----
// residual_block
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
module {
  func.func @main(%arg0: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_3_torch.float32_7> : tensor<3xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_3_torch.float32_6> : tensor<3xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_3_torch.float32_5> : tensor<3xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_3_torch.float32_4> : tensor<3xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_3_3_3_3_torch.float32_1> : tensor<3x3x3x3xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_3_torch.float32_3> : tensor<3xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_3_torch.float32_2> : tensor<3xf32>
    %cst_7 = arith.constant 1.000000e-05 : f64
    %cst_8 = arith.constant dense_resource<torch_tensor_3_torch.float32_1> : tensor<3xf32>
    %cst_9 = arith.constant dense_resource<torch_tensor_3_torch.float32> : tensor<3xf32>
    %cst_10 = arith.constant dense_resource<torch_tensor_3_3_3_3_torch.float32> : tensor<3x3x3x3xf32>
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x3x4x4xf32> to tensor<1x3x6x6xf32>
    %0 = tensor.empty() : tensor<1x3x4x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %cst_10 : tensor<1x3x6x6xf32>, tensor<3x3x3x3xf32>) outs(%1 : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %3 = tensor.empty() : tensor<3xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_8 : tensor<3xf32>) outs(%3 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.truncf %cst_7 : f64 to f32
      %21 = arith.addf %in, %20 : f32
      linalg.yield %21 : f32
    } -> tensor<3xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<3xf32>) outs(%3 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.rsqrt %in : f32
      linalg.yield %20 : f32
    } -> tensor<3xf32>
    %expanded = tensor.expand_shape %cst_9 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %expanded_11 = tensor.expand_shape %5 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %expanded : tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %20 = arith.subf %in, %in_19 : f32
      linalg.yield %20 : f32
    } -> tensor<1x3x4x4xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %expanded_11 : tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %20 = arith.mulf %in, %in_19 : f32
      linalg.yield %20 : f32
    } -> tensor<1x3x4x4xf32>
    %expanded_12 = tensor.expand_shape %cst_6 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_12 : tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %20 = arith.mulf %in, %in_19 : f32
      linalg.yield %20 : f32
    } -> tensor<1x3x4x4xf32>
    %expanded_13 = tensor.expand_shape %cst_5 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_13 : tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %20 = arith.addf %in, %in_19 : f32
      linalg.yield %20 : f32
    } -> tensor<1x3x4x4xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<1x3x4x4xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.cmpf ugt, %in, %cst : f32
      %21 = arith.select %20, %in, %cst : f32
      linalg.yield %21 : f32
    } -> tensor<1x3x4x4xf32>
    %padded_14 = tensor.pad %10 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<1x3x4x4xf32> to tensor<1x3x6x6xf32>
    %11 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_14, %cst_4 : tensor<1x3x6x6xf32>, tensor<3x3x3x3xf32>) outs(%1 : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_2 : tensor<3xf32>) outs(%3 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.truncf %cst_7 : f64 to f32
      %21 = arith.addf %in, %20 : f32
      linalg.yield %21 : f32
    } -> tensor<3xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%12 : tensor<3xf32>) outs(%3 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.rsqrt %in : f32
      linalg.yield %20 : f32
    } -> tensor<3xf32>
    %expanded_15 = tensor.expand_shape %cst_3 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %expanded_16 = tensor.expand_shape %13 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %expanded_15 : tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %20 = arith.subf %in, %in_19 : f32
      linalg.yield %20 : f32
    } -> tensor<1x3x4x4xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %expanded_16 : tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %20 = arith.mulf %in, %in_19 : f32
      linalg.yield %20 : f32
    } -> tensor<1x3x4x4xf32>
    %expanded_17 = tensor.expand_shape %cst_1 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %expanded_17 : tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %20 = arith.mulf %in, %in_19 : f32
      linalg.yield %20 : f32
    } -> tensor<1x3x4x4xf32>
    %expanded_18 = tensor.expand_shape %cst_0 [[0, 1, 2]] output_shape [3, 1, 1] : tensor<3xf32> into tensor<3x1x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %expanded_18 : tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %20 = arith.addf %in, %in_19 : f32
      linalg.yield %20 : f32
    } -> tensor<1x3x4x4xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %arg0 : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %20 = arith.addf %in, %in_19 : f32
      linalg.yield %20 : f32
    } -> tensor<1x3x4x4xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<1x3x4x4xf32>) outs(%0 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.cmpf ugt, %in, %cst : f32
      %21 = arith.select %20, %in, %cst : f32
      linalg.yield %21 : f32
    } -> tensor<1x3x4x4xf32>
    return %19 : tensor<1x3x4x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_torch.float32_7: "0x04000000000000000000000000000000",
      torch_tensor_3_torch.float32_6: "0x040000000000803F0000803F0000803F",
      torch_tensor_3_torch.float32_5: "0x040000000000803F0000803F0000803F",
      torch_tensor_3_torch.float32_4: "0x04000000000000000000000000000000",
      torch_tensor_3_3_3_3_torch.float32_1: "0x040000003632073EC3249E3D971D41BD6249E13DC2CC81BD07F0273D4C16683DC502A13C684C1E3DD0617ABBC9BA63BDB0E4DB3DD0759B3DF002933D510B053E8338CEBD822537BDD1BEB3BB14081F3E97ED1CBEC213E2BD6DC43BBD1F5628BEB9B21BBE10FF063E9816133C8E891EBEC92802BD0154CFBB501F8CBD87D624BE0F81D63DE7B8C2BCA467403EB9ED16BE7160D8BD20D023BCEC3B09BE4F9E0F3EFD65183E1088323ED6CDF8BDF1360C3EDDD4083E54D39CBDE7FEAC3C9AD0BB3D3D050D3ECE0F38BE6332443E9B3046BDE696A03D6DCBF4BD2EA717BE417605BE7A49E83D3D6AC2BDCF1DE53D8F4E6E3D62C79C3DDF542FBD945979BDCA68B8BD7F4FDCBD25B4353ED85B2BBC3105A9BD975A37BE812B093C359E43BE0E8414BB92DCF83DD702E3BD168ED83DC4737BBD569117BE492F43BEAFCCC33DA5C616BEC772C03D8EBAE13C",
      torch_tensor_3_torch.float32_3: "0x04000000000000000000000000000000",
      torch_tensor_3_torch.float32_2: "0x040000000000803F0000803F0000803F",
      torch_tensor_3_torch.float32_1: "0x040000000000803F0000803F0000803F",
      torch_tensor_3_torch.float32: "0x04000000000000000000000000000000",
      torch_tensor_3_3_3_3_torch.float32: "0x040000009C1DC4BBF139CC3DD5B6FBBBBEF734BBB010C03D274A13BE600A1EBDCA86B33DEB4DC13DBD08373E02EF1BBDEAC53A3D26EDC1BDC94C04BD27DDC5BDB20A123E07A8993A2057A03D40CBD83DD2E4123D56C6A73CC6C766BC9FEE26BE8702FE3C49A32EBD5AA425BE1C9B373ED612A8BC7DB5C4BD97D93FBE768235BEC816963DF8ECB3BDC641AABD7A0EE4BD4D131F3E147E3DBD1C79FF3D01731C3EB0C918BEB305133E018716BD18BF3C3E9B51C93DB2E53EBEE171123DAF8C8A3D7AFB8EBD7C70153E9D3223BEE01F7ABDEAC53B3E8077403E70E3C43D7147EBBDEF8E29BE063B20BE160F45BD0C47DF3D7691793D3075BFBCE83B313E7CC01A3E8636B8BD0FAFAABD7EF913BBCE94233D0D94B4BA8C29983D9EF7073EBB220EBDD08EC13D6F6BD63C674A973D3F42A23D3EB152BDF1BAAFBDE377A83DE758FCBD5BECCE3D14E3FCBD"
    }
  }
#-}
// -----
// linear_of_any_batch
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<?x8xf32>) -> tensor<?x4xf32> {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_4_8_torch.float32> : tensor<4x8xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %0 = tensor.empty() : tensor<8x4xf32>
    %transposed = linalg.transpose ins(%cst_0 : tensor<4x8xf32>) outs(%0 : tensor<8x4xf32>) permutation = [1, 0] 
    %dim = tensor.dim %arg0, %c0 : tensor<?x8xf32>
    %1 = tensor.empty(%dim) : tensor<?x4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<?x8xf32>, tensor<8x4xf32>) outs(%2 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %cst_1 : tensor<?x4xf32>, tensor<4xf32>) outs(%1 : tensor<?x4xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %5 = arith.addf %in, %in_2 : f32
      linalg.yield %5 : f32
    } -> tensor<?x4xf32>
    return %4 : tensor<?x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_8_torch.float32: "0x0400000022792DBB9C36423EB1FC94BE1D3885BED6700BBEAB2AC23D578AE5BB40878F3EDE8300BD9799BF3D5DD3DABD1B548EBDC2EFACBE90C56FBE9F3D15BE4C94563C6B200F3E403B593EDE7075BE86A71DBEA77F033EF750963EE70395BD7A75873E1E6B69BD353C193DA1E8A33E20EDA7BEC5EA63BEAC4FB7BD661F0DBE9E669C3E",
      torch_tensor_4_torch.float32: "0x0400000085AA6ABE86A826BE53EF7CBE2089A9BE"
    }
  }
#-}
// -----
// conv2d_of_any_batch
module {
  func.func @main(%arg0: tensor<?x2x5x6xf32>) -> tensor<?x3x5x6xf32> {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_3_2_3_3_torch.float32> : tensor<3x2x3x3xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_3_torch.float32> : tensor<3xf32>
    %dim = tensor.dim %arg0, %c0 : tensor<?x2x5x6xf32>
    %padded = tensor.pad %arg0 low[0, 0, 2, 2] high[0, 0, 2, 2] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<?x2x5x6xf32> to tensor<?x2x9x10xf32>
    %0 = tensor.empty(%dim) : tensor<?x3x5x6xf32>
    %broadcasted = linalg.broadcast ins(%cst_1 : tensor<3xf32>) outs(%0 : tensor<?x3x5x6xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<2> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %cst_0 : tensor<?x2x9x10xf32>, tensor<3x2x3x3xf32>) outs(%broadcasted : tensor<?x3x5x6xf32>) -> tensor<?x3x5x6xf32>
    return %1 : tensor<?x3x5x6xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_2_3_3_torch.float32: "0x040000000A13353E08659BBDEED3C539C483F83DA06A69BE7A7F2E3ED49547BEE8E5543BF02324BD113CFEBD9A34FF3C9995473EA41B8DBD224B0FBE2887B2BD02396FBE66E5D93D01D5E7BD941121BE1E0C0BBE59C50A3E87A2FF3D973F393ED317AF3D5C35A1BD0CE586BD039C8E3DD467463E503F833D5965E4BD39EAE2BD943264BEA394503D4F7207BEA13057BE63A4533EC7BD1CBEBAA8DBBCB04B8A3DB90EF63BF96722BE871843BE1362403EDE351D3DC93C483EA6D3A1BDF12F8E3DB8C55CBD7BBC2BBC95FF12BE7941A33D7A9E983D19539FBBF52059BD",
      torch_tensor_3_torch.float32: "0x04000000EDC714BE1FE9263E6DAC33BE"
    }
  }
#-}
// -----
// layer_norm_of_any_batch
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @main(%arg0: tensor<?x3x6xf32>) -> tensor<?x3x6xf32> {
    %true = arith.constant true
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %cst_0 = arith.constant 1.000000e-05 : f64
    %cst_1 = arith.constant dense_resource<torch_tensor_6_torch.float32_1> : tensor<6xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %cst_3 = arith.constant 6.000000e+00 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x3x6xf32>
    %0 = tensor.empty(%dim) : tensor<?x3x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x3x1xf32>) -> tensor<?x3x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<?x3x6xf32>) outs(%1 : tensor<?x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.addf %in, %out : f32
      linalg.yield %19 : f32
    } -> tensor<?x3x1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<?x3x1xf32>) outs(%0 : tensor<?x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.divf %in, %cst_3 : f32
      linalg.yield %19 : f32
    } -> tensor<?x3x1xf32>
    %4 = arith.index_cast %dim : index to i64
    %5 = arith.cmpi sge, %4, %c0_i64 : i64
    cf.assert %5, "unimplemented: dynamic negative broadcast sizes"
    %6 = tensor.empty(%dim) : tensor<?x3x6xf32>
    %7 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]} outs(%6 : tensor<?x3x6xf32>) {
    ^bb0(%out: f32):
      %19 = linalg.index 0 : index
      %20 = linalg.index 1 : index
      %21 = arith.cmpi eq, %dim, %c1 : index
      %22 = arith.select %21, %c0, %19 : index
      %extracted = tensor.extract %3[%22, %20, %c0] : tensor<?x3x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x3x6xf32>
    cf.assert %true, "mismatched size for broadcast"
    %8 = tensor.empty(%dim) : tensor<?x3x6xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %7 : tensor<?x3x6xf32>, tensor<?x3x6xf32>) outs(%8 : tensor<?x3x6xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %19 = arith.subf %in, %in_4 : f32
      linalg.yield %19 : f32
    } -> tensor<?x3x6xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %9 : tensor<?x3x6xf32>, tensor<?x3x6xf32>) outs(%8 : tensor<?x3x6xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %19 = arith.mulf %in, %in_4 : f32
      linalg.yield %19 : f32
    } -> tensor<?x3x6xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<?x3x6xf32>) outs(%1 : tensor<?x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.addf %in, %out : f32
      linalg.yield %19 : f32
    } -> tensor<?x3x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<?x3x1xf32>) outs(%0 : tensor<?x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.divf %in, %cst_3 : f32
      linalg.yield %19 : f32
    } -> tensor<?x3x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<?x3x1xf32>) outs(%0 : tensor<?x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.truncf %cst_0 : f64 to f32
      %20 = arith.addf %in, %19 : f32
      linalg.yield %20 : f32
    } -> tensor<?x3x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<?x3x1xf32>) outs(%0 : tensor<?x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = math.rsqrt %in : f32
      linalg.yield %19 : f32
    } -> tensor<?x3x1xf32>
    cf.assert %5, "unimplemented: dynamic negative broadcast sizes"
    %15 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]} outs(%6 : tensor<?x3x6xf32>) {
    ^bb0(%out: f32):
      %19 = linalg.index 0 : index
      %20 = linalg.index 1 : index
      %21 = arith.cmpi eq, %dim, %c1 : index
      %22 = arith.select %21, %c0, %19 : index
      %extracted = tensor.extract %14[%22, %20, %c0] : tensor<?x3x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x3x6xf32>
    cf.assert %true, "mismatched size for broadcast"
    %16 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %15 : tensor<?x3x6xf32>, tensor<?x3x6xf32>) outs(%8 : tensor<?x3x6xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %19 = arith.mulf %in, %in_4 : f32
      linalg.yield %19 : f32
    } -> tensor<?x3x6xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %cst_2 : tensor<?x3x6xf32>, tensor<6xf32>) outs(%8 : tensor<?x3x6xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %19 = arith.mulf %in, %in_4 : f32
      linalg.yield %19 : f32
    } -> tensor<?x3x6xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %cst_1 : tensor<?x3x6xf32>, tensor<6xf32>) outs(%8 : tensor<?x3x6xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %19 = arith.addf %in, %in_4 : f32
      linalg.yield %19 : f32
    } -> tensor<?x3x6xf32>
    return %18 : tensor<?x3x6xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_6_torch.float32_1: "0x04000000000000000000000000000000000000000000000000000000",
      torch_tensor_6_torch.float32: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}
