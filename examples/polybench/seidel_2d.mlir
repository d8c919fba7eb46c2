func.func @seidel_2d(%A: memref<40x40xf64>) {
  %n = arith.constant 40 : index
  %tsteps = arith.constant 20 : index
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %0 = affine.load %A[%i - 1, %j - 1] : memref<40x40xf64>
        %1 = affine.load %A[%i - 1, %j] : memref<40x40xf64>
        %2 = arith.addf %0, %1 : f64
        %3 = affine.load %A[%i - 1, %j + 1] : memref<40x40xf64>
        %4 = arith.addf %2, %3 : f64
        %5 = affine.load %A[%i, %j - 1] : memref<40x40xf64>
        %6 = arith.addf %4, %5 : f64
        %7 = affine.load %A[%i, %j] : memref<40x40xf64>
        %8 = arith.addf %6, %7 : f64
        %9 = affine.load %A[%i, %j + 1] : memref<40x40xf64>
        %10 = arith.addf %8, %9 : f64
        %11 = affine.load %A[%i + 1, %j - 1] : memref<40x40xf64>
        %12 = arith.addf %10, %11 : f64
        %13 = affine.load %A[%i + 1, %j] : memref<40x40xf64>
        %14 = arith.addf %12, %13 : f64
        %15 = affine.load %A[%i + 1, %j + 1] : memref<40x40xf64>
        %16 = arith.addf %14, %15 : f64
        %17 = arith.constant 9.0 : f64
        %18 = arith.divf %16, %17 : f64
        affine.store %18, %A[%i, %j] : memref<40x40xf64>
      }
    }
  }
  func.return
}
