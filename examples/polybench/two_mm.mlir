func.func @two_mm(%alpha: f64, %beta: f64, %tmp: memref<16x18xf64>, %A: memref<16x22xf64>,
    %B: memref<22x18xf64>, %C: memref<18x24xf64>, %D: memref<16x24xf64>) {
  %ni = arith.constant 16 : index
  %nj = arith.constant 18 : index
  %nk = arith.constant 22 : index
  %nl = arith.constant 24 : index
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      %0 = arith.constant 0.0 : f64
      affine.store %0, %tmp[%i, %j] : memref<16x18xf64>
      affine.for %k = 0 to %nk {
        %1 = affine.load %tmp[%i, %j] : memref<16x18xf64>
        %2 = affine.load %A[%i, %k] : memref<16x22xf64>
        %3 = arith.mulf %alpha, %2 : f64
        %4 = affine.load %B[%k, %j] : memref<22x18xf64>
        %5 = arith.mulf %3, %4 : f64
        %6 = arith.addf %1, %5 : f64
        affine.store %6, %tmp[%i, %j] : memref<16x18xf64>
      }
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      %7 = affine.load %D[%i, %j] : memref<16x24xf64>
      %8 = arith.mulf %7, %beta : f64
      affine.store %8, %D[%i, %j] : memref<16x24xf64>
      affine.for %k = 0 to %nj {
        %9 = affine.load %D[%i, %j] : memref<16x24xf64>
        %10 = affine.load %tmp[%i, %k] : memref<16x18xf64>
        %11 = affine.load %C[%k, %j] : memref<18x24xf64>
        %12 = arith.mulf %10, %11 : f64
        %13 = arith.addf %9, %12 : f64
        affine.store %13, %D[%i, %j] : memref<16x24xf64>
      }
    }
  }
  func.return
}
