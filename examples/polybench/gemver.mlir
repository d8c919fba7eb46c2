func.func @gemver(%alpha: f64, %beta: f64, %A: memref<40x40xf64>, %u1: memref<40xf64>,
    %v1: memref<40xf64>, %u2: memref<40xf64>, %v2: memref<40xf64>, %w: memref<40xf64>,
    %x: memref<40xf64>, %y: memref<40xf64>, %z: memref<40xf64>) {
  %n = arith.constant 40 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%i, %j] : memref<40x40xf64>
      %1 = affine.load %u1[%i] : memref<40xf64>
      %2 = affine.load %v1[%j] : memref<40xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      %5 = affine.load %u2[%i] : memref<40xf64>
      %6 = affine.load %v2[%j] : memref<40xf64>
      %7 = arith.mulf %5, %6 : f64
      %8 = arith.addf %4, %7 : f64
      affine.store %8, %A[%i, %j] : memref<40x40xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %9 = affine.load %x[%i] : memref<40xf64>
      %10 = affine.load %A[%j, %i] : memref<40x40xf64>
      %11 = arith.mulf %beta, %10 : f64
      %12 = affine.load %y[%j] : memref<40xf64>
      %13 = arith.mulf %11, %12 : f64
      %14 = arith.addf %9, %13 : f64
      affine.store %14, %x[%i] : memref<40xf64>
    }
  }
  affine.for %i = 0 to %n {
    %15 = affine.load %x[%i] : memref<40xf64>
    %16 = affine.load %z[%i] : memref<40xf64>
    %17 = arith.addf %15, %16 : f64
    affine.store %17, %x[%i] : memref<40xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %18 = affine.load %w[%i] : memref<40xf64>
      %19 = affine.load %A[%i, %j] : memref<40x40xf64>
      %20 = arith.mulf %alpha, %19 : f64
      %21 = affine.load %x[%j] : memref<40xf64>
      %22 = arith.mulf %20, %21 : f64
      %23 = arith.addf %18, %22 : f64
      affine.store %23, %w[%i] : memref<40xf64>
    }
  }
  func.return
}
