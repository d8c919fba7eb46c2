func.func @fdtd_2d(%ex: memref<20x30xf64>, %ey: memref<20x30xf64>, %hz: memref<20x30xf64>,
    %fict: memref<15xf64>) {
  %nx = arith.constant 20 : index
  %ny = arith.constant 30 : index
  %tsteps = arith.constant 15 : index
  affine.for %t = 0 to %tsteps {
    affine.for %j = 0 to %ny {
      %0 = affine.load %fict[%t] : memref<15xf64>
      affine.store %0, %ey[0, %j] : memref<20x30xf64>
    }
    affine.for %i = 1 to %nx {
      affine.for %j = 0 to %ny {
        %1 = affine.load %ey[%i, %j] : memref<20x30xf64>
        %2 = arith.constant 0.5 : f64
        %3 = affine.load %hz[%i, %j] : memref<20x30xf64>
        %4 = affine.load %hz[%i - 1, %j] : memref<20x30xf64>
        %5 = arith.subf %3, %4 : f64
        %6 = arith.mulf %2, %5 : f64
        %7 = arith.subf %1, %6 : f64
        affine.store %7, %ey[%i, %j] : memref<20x30xf64>
      }
    }
    affine.for %i = 0 to %nx {
      affine.for %j = 1 to %ny {
        %8 = affine.load %ex[%i, %j] : memref<20x30xf64>
        %9 = arith.constant 0.5 : f64
        %10 = affine.load %hz[%i, %j] : memref<20x30xf64>
        %11 = affine.load %hz[%i, %j - 1] : memref<20x30xf64>
        %12 = arith.subf %10, %11 : f64
        %13 = arith.mulf %9, %12 : f64
        %14 = arith.subf %8, %13 : f64
        affine.store %14, %ex[%i, %j] : memref<20x30xf64>
      }
    }
    affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%nx] {
      affine.for %j = 0 to affine_map<()[s0] -> (s0 - 1)>()[%ny] {
        %15 = affine.load %hz[%i, %j] : memref<20x30xf64>
        %16 = arith.constant 0.7 : f64
        %17 = affine.load %ex[%i, %j + 1] : memref<20x30xf64>
        %18 = affine.load %ex[%i, %j] : memref<20x30xf64>
        %19 = arith.subf %17, %18 : f64
        %20 = affine.load %ey[%i + 1, %j] : memref<20x30xf64>
        %21 = arith.addf %19, %20 : f64
        %22 = affine.load %ey[%i, %j] : memref<20x30xf64>
        %23 = arith.subf %21, %22 : f64
        %24 = arith.mulf %16, %23 : f64
        %25 = arith.subf %15, %24 : f64
        affine.store %25, %hz[%i, %j] : memref<20x30xf64>
      }
    }
  }
  func.return
}
