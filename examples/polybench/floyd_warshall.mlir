func.func @floyd_warshall(%path: memref<60x60xi32>) {
  %n = arith.constant 60 : index
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %path[%i, %j] : memref<60x60xi32>
        %1 = affine.load %path[%i, %k] : memref<60x60xi32>
        %2 = affine.load %path[%k, %j] : memref<60x60xi32>
        %3 = arith.addi %1, %2 : i32
        %4 = arith.minsi %0, %3 : i32
        affine.store %4, %path[%i, %j] : memref<60x60xi32>
      }
    }
  }
  func.return
}
