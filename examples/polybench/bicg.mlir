func.func @bicg(%A: memref<42x38xf64>, %s: memref<38xf64>, %q: memref<42xf64>, %p: memref<38xf64>,
    %r: memref<42xf64>) {
  %m = arith.constant 38 : index
  %n = arith.constant 42 : index
  affine.for %i = 0 to %m {
    %0 = arith.constant 0.0 : f64
    affine.store %0, %s[%i] : memref<38xf64>
  }
  affine.for %i = 0 to %n {
    %1 = arith.constant 0.0 : f64
    affine.store %1, %q[%i] : memref<42xf64>
    affine.for %j = 0 to %m {
      %2 = affine.load %s[%j] : memref<38xf64>
      %3 = affine.load %r[%i] : memref<42xf64>
      %4 = affine.load %A[%i, %j] : memref<42x38xf64>
      %5 = arith.mulf %3, %4 : f64
      %6 = arith.addf %2, %5 : f64
      affine.store %6, %s[%j] : memref<38xf64>
      %7 = affine.load %q[%i] : memref<42xf64>
      %8 = affine.load %A[%i, %j] : memref<42x38xf64>
      %9 = affine.load %p[%j] : memref<38xf64>
      %10 = arith.mulf %8, %9 : f64
      %11 = arith.addf %7, %10 : f64
      affine.store %11, %q[%i] : memref<42xf64>
    }
  }
  func.return
}
