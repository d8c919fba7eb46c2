te.func @f(%A: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %T = te.compute "T" [%x = 64, %y = 64] {
    %0 = te.read %A[%x, %y] : tensor<64x64xf32>
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  } : tensor<64x64xf32>
  %C = te.compute "C" [%i = 64, %j = 64] {
    %0 = te.read %T[%i, %j] : tensor<64x64xf32>
    te.yield %0 : f32
  } : tensor<64x64xf32>
  te.return %C : tensor<64x64xf32>
}
