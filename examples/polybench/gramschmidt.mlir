func.func @gramschmidt(%A: memref<30x20xf64>, %R: memref<20x20xf64>, %Q: memref<30x20xf64>) {
  %m = arith.constant 30 : index
  %n = arith.constant 20 : index
  %nrm = memref.alloca() : memref<f64>
  affine.for %k = 0 to %n {
    %0 = arith.constant 0.0 : f64
    affine.store %0, %nrm[] : memref<f64>
    affine.for %i = 0 to %m {
      %1 = affine.load %nrm[] : memref<f64>
      %2 = affine.load %A[%i, %k] : memref<30x20xf64>
      %3 = affine.load %A[%i, %k] : memref<30x20xf64>
      %4 = arith.mulf %2, %3 : f64
      %5 = arith.addf %1, %4 : f64
      affine.store %5, %nrm[] : memref<f64>
    }
    %6 = affine.load %nrm[] : memref<f64>
    %7 = math.sqrt %6 : f64
    affine.store %7, %R[%k, %k] : memref<20x20xf64>
    affine.for %i = 0 to %m {
      %8 = affine.load %A[%i, %k] : memref<30x20xf64>
      %9 = affine.load %R[%k, %k] : memref<20x20xf64>
      %10 = arith.divf %8, %9 : f64
      affine.store %10, %Q[%i, %k] : memref<30x20xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
      %11 = arith.constant 0.0 : f64
      affine.store %11, %R[%k, %j] : memref<20x20xf64>
      affine.for %i = 0 to %m {
        %12 = affine.load %R[%k, %j] : memref<20x20xf64>
        %13 = affine.load %Q[%i, %k] : memref<30x20xf64>
        %14 = affine.load %A[%i, %j] : memref<30x20xf64>
        %15 = arith.mulf %13, %14 : f64
        %16 = arith.addf %12, %15 : f64
        affine.store %16, %R[%k, %j] : memref<20x20xf64>
      }
      affine.for %i = 0 to %m {
        %17 = affine.load %A[%i, %j] : memref<30x20xf64>
        %18 = affine.load %Q[%i, %k] : memref<30x20xf64>
        %19 = affine.load %R[%k, %j] : memref<20x20xf64>
        %20 = arith.mulf %18, %19 : f64
        %21 = arith.subf %17, %20 : f64
        affine.store %21, %A[%i, %j] : memref<30x20xf64>
      }
    }
  }
  func.return
}
