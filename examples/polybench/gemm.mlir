func.func @gemm(%alpha: f64, %beta: f64, %C: memref<20x25xf64>, %A: memref<20x30xf64>,
    %B: memref<30x25xf64>) {
  %ni = arith.constant 20 : index
  %nj = arith.constant 25 : index
  %nk = arith.constant 30 : index
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      %0 = affine.load %C[%i, %j] : memref<20x25xf64>
      %1 = arith.mulf %0, %beta : f64
      affine.store %1, %C[%i, %j] : memref<20x25xf64>
    }
    affine.for %k = 0 to %nk {
      affine.for %j = 0 to %nj {
        %2 = affine.load %C[%i, %j] : memref<20x25xf64>
        %3 = affine.load %A[%i, %k] : memref<20x30xf64>
        %4 = arith.mulf %alpha, %3 : f64
        %5 = affine.load %B[%k, %j] : memref<30x25xf64>
        %6 = arith.mulf %4, %5 : f64
        %7 = arith.addf %2, %6 : f64
        affine.store %7, %C[%i, %j] : memref<20x25xf64>
      }
    }
  }
  func.return
}
