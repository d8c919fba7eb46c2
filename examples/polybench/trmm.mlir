func.func @trmm(%alpha: f64, %A: memref<20x20xf64>, %B: memref<20x30xf64>) {
  %m = arith.constant 20 : index
  %n = arith.constant 30 : index
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
        %0 = affine.load %B[%i, %j] : memref<20x30xf64>
        %1 = affine.load %A[%k, %i] : memref<20x20xf64>
        %2 = affine.load %B[%k, %j] : memref<20x30xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %0, %3 : f64
        affine.store %4, %B[%i, %j] : memref<20x30xf64>
      }
      %5 = affine.load %B[%i, %j] : memref<20x30xf64>
      %6 = arith.mulf %alpha, %5 : f64
      affine.store %6, %B[%i, %j] : memref<20x30xf64>
    }
  }
  func.return
}
