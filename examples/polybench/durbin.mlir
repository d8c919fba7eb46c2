func.func @durbin(%r: memref<40xf64>, %y: memref<40xf64>, %z: memref<40xf64>) {
  %n = arith.constant 40 : index
  %beta = memref.alloca() : memref<f64>
  %alpha = memref.alloca() : memref<f64>
  %total = memref.alloca() : memref<f64>
  %0 = affine.load %r[0] : memref<40xf64>
  %1 = arith.negf %0 : f64
  affine.store %1, %y[0] : memref<40xf64>
  %2 = arith.constant 1.0 : f64
  affine.store %2, %beta[] : memref<f64>
  %3 = affine.load %r[0] : memref<40xf64>
  %4 = arith.negf %3 : f64
  affine.store %4, %alpha[] : memref<f64>
  affine.for %k = 1 to %n {
    %5 = arith.constant 1.0 : f64
    %6 = affine.load %alpha[] : memref<f64>
    %7 = affine.load %alpha[] : memref<f64>
    %8 = arith.mulf %6, %7 : f64
    %9 = arith.subf %5, %8 : f64
    %10 = affine.load %beta[] : memref<f64>
    %11 = arith.mulf %9, %10 : f64
    affine.store %11, %beta[] : memref<f64>
    %12 = arith.constant 0.0 : f64
    affine.store %12, %total[] : memref<f64>
    affine.for %i = 0 to %k {
      %13 = affine.load %total[] : memref<f64>
      %14 = affine.load %r[%k - %i - 1] : memref<40xf64>
      %15 = affine.load %y[%i] : memref<40xf64>
      %16 = arith.mulf %14, %15 : f64
      %17 = arith.addf %13, %16 : f64
      affine.store %17, %total[] : memref<f64>
    }
    %18 = affine.load %r[%k] : memref<40xf64>
    %19 = affine.load %total[] : memref<f64>
    %20 = arith.addf %18, %19 : f64
    %21 = arith.negf %20 : f64
    %22 = affine.load %beta[] : memref<f64>
    %23 = arith.divf %21, %22 : f64
    affine.store %23, %alpha[] : memref<f64>
    affine.for %i = 0 to %k {
      %24 = affine.load %y[%i] : memref<40xf64>
      %25 = affine.load %alpha[] : memref<f64>
      %26 = affine.load %y[%k - %i - 1] : memref<40xf64>
      %27 = arith.mulf %25, %26 : f64
      %28 = arith.addf %24, %27 : f64
      affine.store %28, %z[%i] : memref<40xf64>
    }
    affine.for %i = 0 to %k {
      %29 = affine.load %z[%i] : memref<40xf64>
      affine.store %29, %y[%i] : memref<40xf64>
    }
    %30 = affine.load %alpha[] : memref<f64>
    affine.store %30, %y[%k] : memref<40xf64>
  }
  func.return
}
