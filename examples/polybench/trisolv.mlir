func.func @trisolv(%L: memref<40x40xf64>, %x: memref<40xf64>, %b: memref<40xf64>) {
  %n = arith.constant 40 : index
  affine.for %i = 0 to %n {
    %0 = affine.load %b[%i] : memref<40xf64>
    affine.store %0, %x[%i] : memref<40xf64>
    affine.for %j = 0 to %i {
      %1 = affine.load %x[%i] : memref<40xf64>
      %2 = affine.load %L[%i, %j] : memref<40x40xf64>
      %3 = affine.load %x[%j] : memref<40xf64>
      %4 = arith.mulf %2, %3 : f64
      %5 = arith.subf %1, %4 : f64
      affine.store %5, %x[%i] : memref<40xf64>
    }
    %6 = affine.load %x[%i] : memref<40xf64>
    %7 = affine.load %L[%i, %i] : memref<40x40xf64>
    %8 = arith.divf %6, %7 : f64
    affine.store %8, %x[%i] : memref<40xf64>
  }
  func.return
}
