func.func @atax(%A: memref<38x42xf64>, %x: memref<42xf64>, %y: memref<42xf64>,
    %tmp: memref<38xf64>) {
  %m = arith.constant 38 : index
  %n = arith.constant 42 : index
  affine.for %i = 0 to %n {
    %0 = arith.constant 0.0 : f64
    affine.store %0, %y[%i] : memref<42xf64>
  }
  affine.for %i = 0 to %m {
    %1 = arith.constant 0.0 : f64
    affine.store %1, %tmp[%i] : memref<38xf64>
    affine.for %j = 0 to %n {
      %2 = affine.load %tmp[%i] : memref<38xf64>
      %3 = affine.load %A[%i, %j] : memref<38x42xf64>
      %4 = affine.load %x[%j] : memref<42xf64>
      %5 = arith.mulf %3, %4 : f64
      %6 = arith.addf %2, %5 : f64
      affine.store %6, %tmp[%i] : memref<38xf64>
    }
    affine.for %j = 0 to %n {
      %7 = affine.load %y[%j] : memref<42xf64>
      %8 = affine.load %A[%i, %j] : memref<38x42xf64>
      %9 = affine.load %tmp[%i] : memref<38xf64>
      %10 = arith.mulf %8, %9 : f64
      %11 = arith.addf %7, %10 : f64
      affine.store %11, %y[%j] : memref<42xf64>
    }
  }
  func.return
}
