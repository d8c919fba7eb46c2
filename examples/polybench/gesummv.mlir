func.func @gesummv(%alpha: f64, %beta: f64, %A: memref<30x30xf64>, %B: memref<30x30xf64>,
    %tmp: memref<30xf64>, %x: memref<30xf64>, %y: memref<30xf64>) {
  %n = arith.constant 30 : index
  affine.for %i = 0 to %n {
    %0 = arith.constant 0.0 : f64
    affine.store %0, %tmp[%i] : memref<30xf64>
    %1 = arith.constant 0.0 : f64
    affine.store %1, %y[%i] : memref<30xf64>
    affine.for %j = 0 to %n {
      %2 = affine.load %A[%i, %j] : memref<30x30xf64>
      %3 = affine.load %x[%j] : memref<30xf64>
      %4 = arith.mulf %2, %3 : f64
      %5 = affine.load %tmp[%i] : memref<30xf64>
      %6 = arith.addf %4, %5 : f64
      affine.store %6, %tmp[%i] : memref<30xf64>
      %7 = affine.load %B[%i, %j] : memref<30x30xf64>
      %8 = affine.load %x[%j] : memref<30xf64>
      %9 = arith.mulf %7, %8 : f64
      %10 = affine.load %y[%i] : memref<30xf64>
      %11 = arith.addf %9, %10 : f64
      affine.store %11, %y[%i] : memref<30xf64>
    }
    %12 = affine.load %tmp[%i] : memref<30xf64>
    %13 = arith.mulf %alpha, %12 : f64
    %14 = affine.load %y[%i] : memref<30xf64>
    %15 = arith.mulf %beta, %14 : f64
    %16 = arith.addf %13, %15 : f64
    affine.store %16, %y[%i] : memref<30xf64>
  }
  func.return
}
