func.func @nussinov(%seq: memref<60xi32>, %table: memref<60x60xi32>) {
  %n = arith.constant 60 : index
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%n] to %n {
      %0 = affine.load %table[symbol(%n) - %i - 1, %j] : memref<60x60xi32>
      %1 = affine.load %table[symbol(%n) - %i - 1, %j - 1] : memref<60x60xi32>
      %2 = arith.maxsi %0, %1 : i32
      affine.store %2, %table[symbol(%n) - %i - 1, %j] : memref<60x60xi32>
      affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) {
        %3 = affine.load %table[symbol(%n) - %i - 1, %j] : memref<60x60xi32>
        %4 = affine.load %table[symbol(%n) - %i, %j] : memref<60x60xi32>
        %5 = arith.maxsi %3, %4 : i32
        affine.store %5, %table[symbol(%n) - %i - 1, %j] : memref<60x60xi32>
        affine.if affine_set<(d0, d1)[s0] : (d0 - s0 + d1 - 1 >= 0)>(%j, %i)[%n] {
          %6 = affine.load %table[symbol(%n) - %i - 1, %j] : memref<60x60xi32>
          %7 = affine.load %table[symbol(%n) - %i, %j - 1] : memref<60x60xi32>
          %8 = affine.load %seq[symbol(%n) - %i - 1] : memref<60xi32>
          %9 = affine.load %seq[%j] : memref<60xi32>
          %10 = arith.addi %8, %9 : i32
          %11 = arith.constant 3 : i32
          %12 = arith.cmpi eq, %10, %11 : i32
          %13 = arith.extui %12 : i1 to i32
          %14 = arith.addi %7, %13 : i32
          %15 = arith.maxsi %6, %14 : i32
          affine.store %15, %table[symbol(%n) - %i - 1, %j] : memref<60x60xi32>
        } else {
          %16 = affine.load %table[symbol(%n) - %i - 1, %j] : memref<60x60xi32>
          %17 = affine.load %table[symbol(%n) - %i, %j - 1] : memref<60x60xi32>
          %18 = arith.maxsi %16, %17 : i32
          affine.store %18, %table[symbol(%n) - %i - 1, %j] : memref<60x60xi32>
        }
      }
      affine.for %k = affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%n] to %j {
        %19 = affine.load %table[symbol(%n) - %i - 1, %j] : memref<60x60xi32>
        %20 = affine.load %table[symbol(%n) - %i - 1, %k] : memref<60x60xi32>
        %21 = affine.load %table[%k + 1, %j] : memref<60x60xi32>
        %22 = arith.addi %20, %21 : i32
        %23 = arith.maxsi %19, %22 : i32
        affine.store %23, %table[symbol(%n) - %i - 1, %j] : memref<60x60xi32>
      }
    }
  }
  func.return
}
