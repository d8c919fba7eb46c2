func.func @symm(%alpha: f64, %beta: f64, %C: memref<20x30xf64>, %A: memref<20x20xf64>,
    %B: memref<20x30xf64>) {
  %m = arith.constant 20 : index
  %n = arith.constant 30 : index
  %temp2 = memref.alloca() : memref<f64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %0 = arith.constant 0.0 : f64
      affine.store %0, %temp2[] : memref<f64>
      affine.for %k = 0 to %i {
        %1 = affine.load %C[%k, %j] : memref<20x30xf64>
        %2 = affine.load %B[%i, %j] : memref<20x30xf64>
        %3 = arith.mulf %alpha, %2 : f64
        %4 = affine.load %A[%i, %k] : memref<20x20xf64>
        %5 = arith.mulf %3, %4 : f64
        %6 = arith.addf %1, %5 : f64
        affine.store %6, %C[%k, %j] : memref<20x30xf64>
        %7 = affine.load %temp2[] : memref<f64>
        %8 = affine.load %B[%k, %j] : memref<20x30xf64>
        %9 = affine.load %A[%i, %k] : memref<20x20xf64>
        %10 = arith.mulf %8, %9 : f64
        %11 = arith.addf %7, %10 : f64
        affine.store %11, %temp2[] : memref<f64>
      }
      %12 = affine.load %C[%i, %j] : memref<20x30xf64>
      %13 = arith.mulf %beta, %12 : f64
      %14 = affine.load %B[%i, %j] : memref<20x30xf64>
      %15 = arith.mulf %alpha, %14 : f64
      %16 = affine.load %A[%i, %i] : memref<20x20xf64>
      %17 = arith.mulf %15, %16 : f64
      %18 = arith.addf %13, %17 : f64
      %19 = affine.load %temp2[] : memref<f64>
      %20 = arith.mulf %alpha, %19 : f64
      %21 = arith.addf %18, %20 : f64
      affine.store %21, %C[%i, %j] : memref<20x30xf64>
    }
  }
  func.return
}
