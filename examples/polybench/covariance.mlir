func.func @covariance(%float_n: f64, %data: memref<32x28xf64>, %cov: memref<28x28xf64>,
    %mean: memref<28xf64>) {
  %m = arith.constant 28 : index
  %n = arith.constant 32 : index
  affine.for %j = 0 to %m {
    %0 = arith.constant 0.0 : f64
    affine.store %0, %mean[%j] : memref<28xf64>
    affine.for %i = 0 to %n {
      %1 = affine.load %mean[%j] : memref<28xf64>
      %2 = affine.load %data[%i, %j] : memref<32x28xf64>
      %3 = arith.addf %1, %2 : f64
      affine.store %3, %mean[%j] : memref<28xf64>
    }
    %4 = affine.load %mean[%j] : memref<28xf64>
    %5 = arith.divf %4, %float_n : f64
    affine.store %5, %mean[%j] : memref<28xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %6 = affine.load %data[%i, %j] : memref<32x28xf64>
      %7 = affine.load %mean[%j] : memref<28xf64>
      %8 = arith.subf %6, %7 : f64
      affine.store %8, %data[%i, %j] : memref<32x28xf64>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = %i to %m {
      %9 = arith.constant 0.0 : f64
      affine.store %9, %cov[%i, %j] : memref<28x28xf64>
      affine.for %k = 0 to %n {
        %10 = affine.load %cov[%i, %j] : memref<28x28xf64>
        %11 = affine.load %data[%k, %i] : memref<32x28xf64>
        %12 = affine.load %data[%k, %j] : memref<32x28xf64>
        %13 = arith.mulf %11, %12 : f64
        %14 = arith.addf %10, %13 : f64
        affine.store %14, %cov[%i, %j] : memref<28x28xf64>
      }
      %15 = affine.load %cov[%i, %j] : memref<28x28xf64>
      %16 = arith.constant 1.0 : f64
      %17 = arith.subf %float_n, %16 : f64
      %18 = arith.divf %15, %17 : f64
      affine.store %18, %cov[%i, %j] : memref<28x28xf64>
      %19 = affine.load %cov[%i, %j] : memref<28x28xf64>
      affine.store %19, %cov[%j, %i] : memref<28x28xf64>
    }
  }
  func.return
}
