// C = A B for 1024 x 1024 matrices of f32, as a tensor expression.
//
//   kc-opt examples/matmul.mlir --split --vectorize
//   kc-run examples/matmul.mlir --random --time

te.func @matmul(%A: tensor<1024x1024xf32>, %B: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %C = te.compute "C" [%i = 1024, %j = 1024] reduce sum [%k = 1024] {
    %a = te.read %A[%i, %k] : tensor<1024x1024xf32>
    %b = te.read %B[%k, %j] : tensor<1024x1024xf32>
    %product = arith.mulf %a, %b : f32
    te.yield %product : f32
  } : tensor<1024x1024xf32>
  te.return %C : tensor<1024x1024xf32>
}
