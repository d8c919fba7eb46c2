func.func @syrk(%alpha: f64, %beta: f64, %C: memref<30x30xf64>, %A: memref<30x20xf64>) {
  %m = arith.constant 20 : index
  %n = arith.constant 30 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %0 = affine.load %C[%i, %j] : memref<30x30xf64>
      %1 = arith.mulf %0, %beta : f64
      affine.store %1, %C[%i, %j] : memref<30x30xf64>
    }
    affine.for %k = 0 to %m {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        %2 = affine.load %C[%i, %j] : memref<30x30xf64>
        %3 = affine.load %A[%i, %k] : memref<30x20xf64>
        %4 = arith.mulf %alpha, %3 : f64
        %5 = affine.load %A[%j, %k] : memref<30x20xf64>
        %6 = arith.mulf %4, %5 : f64
        %7 = arith.addf %2, %6 : f64
        affine.store %7, %C[%i, %j] : memref<30x30xf64>
      }
    }
  }
  func.return
}
