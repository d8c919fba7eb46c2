func.func @lu(%A: memref<40x40xf64>) {
  %n = arith.constant 40 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %i {
      affine.for %k = 0 to %j {
        %0 = affine.load %A[%i, %j] : memref<40x40xf64>
        %1 = affine.load %A[%i, %k] : memref<40x40xf64>
        %2 = affine.load %A[%k, %j] : memref<40x40xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.subf %0, %3 : f64
        affine.store %4, %A[%i, %j] : memref<40x40xf64>
      }
      %5 = affine.load %A[%i, %j] : memref<40x40xf64>
      %6 = affine.load %A[%j, %j] : memref<40x40xf64>
      %7 = arith.divf %5, %6 : f64
      affine.store %7, %A[%i, %j] : memref<40x40xf64>
    }
    affine.for %j = %i to %n {
      affine.for %k = 0 to %i {
        %8 = affine.load %A[%i, %j] : memref<40x40xf64>
        %9 = affine.load %A[%i, %k] : memref<40x40xf64>
        %10 = affine.load %A[%k, %j] : memref<40x40xf64>
        %11 = arith.mulf %9, %10 : f64
        %12 = arith.subf %8, %11 : f64
        affine.store %12, %A[%i, %j] : memref<40x40xf64>
      }
    }
  }
  func.return
}
