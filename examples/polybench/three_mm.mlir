func.func @three_mm(%E: memref<16x18xf64>, %A: memref<16x20xf64>, %B: memref<20x18xf64>,
    %F: memref<18x22xf64>, %C: memref<18x24xf64>, %D: memref<24x22xf64>, %G: memref<16x22xf64>) {
  %ni = arith.constant 16 : index
  %nj = arith.constant 18 : index
  %nk = arith.constant 20 : index
  %nl = arith.constant 22 : index
  %nm = arith.constant 24 : index
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      %0 = arith.constant 0.0 : f64
      affine.store %0, %E[%i, %j] : memref<16x18xf64>
      affine.for %k = 0 to %nk {
        %1 = affine.load %E[%i, %j] : memref<16x18xf64>
        %2 = affine.load %A[%i, %k] : memref<16x20xf64>
        %3 = affine.load %B[%k, %j] : memref<20x18xf64>
        %4 = arith.mulf %2, %3 : f64
        %5 = arith.addf %1, %4 : f64
        affine.store %5, %E[%i, %j] : memref<16x18xf64>
      }
    }
  }
  affine.for %i = 0 to %nj {
    affine.for %j = 0 to %nl {
      %6 = arith.constant 0.0 : f64
      affine.store %6, %F[%i, %j] : memref<18x22xf64>
      affine.for %k = 0 to %nm {
        %7 = affine.load %F[%i, %j] : memref<18x22xf64>
        %8 = affine.load %C[%i, %k] : memref<18x24xf64>
        %9 = affine.load %D[%k, %j] : memref<24x22xf64>
        %10 = arith.mulf %8, %9 : f64
        %11 = arith.addf %7, %10 : f64
        affine.store %11, %F[%i, %j] : memref<18x22xf64>
      }
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      %12 = arith.constant 0.0 : f64
      affine.store %12, %G[%i, %j] : memref<16x22xf64>
      affine.for %k = 0 to %nj {
        %13 = affine.load %G[%i, %j] : memref<16x22xf64>
        %14 = affine.load %E[%i, %k] : memref<16x18xf64>
        %15 = affine.load %F[%k, %j] : memref<18x22xf64>
        %16 = arith.mulf %14, %15 : f64
        %17 = arith.addf %13, %16 : f64
        affine.store %17, %G[%i, %j] : memref<16x22xf64>
      }
    }
  }
  func.return
}
