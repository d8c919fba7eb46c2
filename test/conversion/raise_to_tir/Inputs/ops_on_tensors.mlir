func.func @f(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c = arith.constant dense<2.0> : tensor<4x4xf32>
  %a = arith.addf %x, %y : tensor<4x4xf32>
  %b = math.exp %a : tensor<4x4xf32>
  %d = arith.mulf %b, %c : tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}
