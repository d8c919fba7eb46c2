func.func @mvt(%x1: memref<40xf64>, %x2: memref<40xf64>, %y1: memref<40xf64>, %y2: memref<40xf64>,
    %A: memref<40x40xf64>) {
  %n = arith.constant 40 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %x1[%i] : memref<40xf64>
      %1 = affine.load %A[%i, %j] : memref<40x40xf64>
      %2 = affine.load %y1[%j] : memref<40xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      affine.store %4, %x1[%i] : memref<40xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %5 = affine.load %x2[%i] : memref<40xf64>
      %6 = affine.load %A[%j, %i] : memref<40x40xf64>
      %7 = affine.load %y2[%j] : memref<40xf64>
      %8 = arith.mulf %6, %7 : f64
      %9 = arith.addf %5, %8 : f64
      affine.store %9, %x2[%i] : memref<40xf64>
    }
  }
  func.return
}
