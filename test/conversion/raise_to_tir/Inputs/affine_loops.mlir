// C = A * B in affine loops with tiles, then the sum of each row carried by the loop.
func.func @gemm(%A: memref<10x12xf32>, %B: memref<12x9xf32>, %C: memref<10x9xf32>, %S: memref<10xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 9 {
      affine.store %zero, %C[%i, %j] : memref<10x9xf32>
      affine.for %kk = 0 to 12 step 5 {
        affine.for %k = affine_map<(d0) -> (d0)>(%kk) to min affine_map<(d0) -> (d0 + 5, 12)>(%kk) {
          %a = affine.load %A[%i, %k] : memref<10x12xf32>
          %b = affine.load %B[%k, %j] : memref<12x9xf32>
          %c = affine.load %C[%i, %j] : memref<10x9xf32>
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          affine.store %s, %C[%i, %j] : memref<10x9xf32>
        }
      }
    }
  }
  affine.for %i = 0 to 10 {
    %sum = affine.for %j = 0 to 9 iter_args(%acc = %zero) -> (f32) {
      %c = affine.load %C[%i, %j] : memref<10x9xf32>
      %s = arith.addf %acc, %c : f32
      affine.yield %s : f32
    }
    affine.store %sum, %S[%i] : memref<10xf32>
  }
  return
}
