func.func @correlation(%float_n: f64, %data: memref<32x28xf64>, %corr: memref<28x28xf64>,
    %mean: memref<28xf64>, %stddev: memref<28xf64>) {
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
  affine.for %j = 0 to %m {
    %6 = arith.constant 0.0 : f64
    affine.store %6, %stddev[%j] : memref<28xf64>
    affine.for %i = 0 to %n {
      %7 = affine.load %stddev[%j] : memref<28xf64>
      %8 = affine.load %data[%i, %j] : memref<32x28xf64>
      %9 = affine.load %mean[%j] : memref<28xf64>
      %10 = arith.subf %8, %9 : f64
      %11 = affine.load %data[%i, %j] : memref<32x28xf64>
      %12 = affine.load %mean[%j] : memref<28xf64>
      %13 = arith.subf %11, %12 : f64
      %14 = arith.mulf %10, %13 : f64
      %15 = arith.addf %7, %14 : f64
      affine.store %15, %stddev[%j] : memref<28xf64>
    }
    %16 = affine.load %stddev[%j] : memref<28xf64>
    %17 = arith.divf %16, %float_n : f64
    affine.store %17, %stddev[%j] : memref<28xf64>
    %18 = affine.load %stddev[%j] : memref<28xf64>
    %19 = math.sqrt %18 : f64
    affine.store %19, %stddev[%j] : memref<28xf64>
    %20 = affine.load %stddev[%j] : memref<28xf64>
    %21 = arith.constant 0.1 : f64
    %22 = arith.constant 1.0 : f64
    %23 = affine.load %stddev[%j] : memref<28xf64>
    %24 = arith.cmpf ole, %20, %21 : f64
    %25 = arith.select %24, %22, %23 : f64
    affine.store %25, %stddev[%j] : memref<28xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %26 = affine.load %data[%i, %j] : memref<32x28xf64>
      %27 = affine.load %mean[%j] : memref<28xf64>
      %28 = arith.subf %26, %27 : f64
      affine.store %28, %data[%i, %j] : memref<32x28xf64>
      %29 = affine.load %data[%i, %j] : memref<32x28xf64>
      %30 = math.sqrt %float_n : f64
      %31 = affine.load %stddev[%j] : memref<28xf64>
      %32 = arith.mulf %30, %31 : f64
      %33 = arith.divf %29, %32 : f64
      affine.store %33, %data[%i, %j] : memref<32x28xf64>
    }
  }
  affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%m] {
    %34 = arith.constant 1.0 : f64
    affine.store %34, %corr[%i, %i] : memref<28x28xf64>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
      %35 = arith.constant 0.0 : f64
      affine.store %35, %corr[%i, %j] : memref<28x28xf64>
      affine.for %k = 0 to %n {
        %36 = affine.load %corr[%i, %j] : memref<28x28xf64>
        %37 = affine.load %data[%k, %i] : memref<32x28xf64>
        %38 = affine.load %data[%k, %j] : memref<32x28xf64>
        %39 = arith.mulf %37, %38 : f64
        %40 = arith.addf %36, %39 : f64
        affine.store %40, %corr[%i, %j] : memref<28x28xf64>
      }
      %41 = affine.load %corr[%i, %j] : memref<28x28xf64>
      affine.store %41, %corr[%j, %i] : memref<28x28xf64>
    }
  }
  %42 = arith.constant 1.0 : f64
  affine.store %42, %corr[symbol(%m) - 1, symbol(%m) - 1] : memref<28x28xf64>
  func.return
}
