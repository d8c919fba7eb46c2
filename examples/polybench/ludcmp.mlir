func.func @ludcmp(%A: memref<40x40xf64>, %b: memref<40xf64>, %x: memref<40xf64>,
    %y: memref<40xf64>) {
  %n = arith.constant 40 : index
  %w = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %i {
      %0 = affine.load %A[%i, %j] : memref<40x40xf64>
      affine.store %0, %w[] : memref<f64>
      affine.for %k = 0 to %j {
        %1 = affine.load %w[] : memref<f64>
        %2 = affine.load %A[%i, %k] : memref<40x40xf64>
        %3 = affine.load %A[%k, %j] : memref<40x40xf64>
        %4 = arith.mulf %2, %3 : f64
        %5 = arith.subf %1, %4 : f64
        affine.store %5, %w[] : memref<f64>
      }
      %6 = affine.load %w[] : memref<f64>
      %7 = affine.load %A[%j, %j] : memref<40x40xf64>
      %8 = arith.divf %6, %7 : f64
      affine.store %8, %A[%i, %j] : memref<40x40xf64>
    }
    affine.for %j = %i to %n {
      %9 = affine.load %A[%i, %j] : memref<40x40xf64>
      affine.store %9, %w[] : memref<f64>
      affine.for %k = 0 to %i {
        %10 = affine.load %w[] : memref<f64>
        %11 = affine.load %A[%i, %k] : memref<40x40xf64>
        %12 = affine.load %A[%k, %j] : memref<40x40xf64>
        %13 = arith.mulf %11, %12 : f64
        %14 = arith.subf %10, %13 : f64
        affine.store %14, %w[] : memref<f64>
      }
      %15 = affine.load %w[] : memref<f64>
      affine.store %15, %A[%i, %j] : memref<40x40xf64>
    }
  }
  affine.for %i = 0 to %n {
    %16 = affine.load %b[%i] : memref<40xf64>
    affine.store %16, %w[] : memref<f64>
    affine.for %j = 0 to %i {
      %17 = affine.load %w[] : memref<f64>
      %18 = affine.load %A[%i, %j] : memref<40x40xf64>
      %19 = affine.load %y[%j] : memref<40xf64>
      %20 = arith.mulf %18, %19 : f64
      %21 = arith.subf %17, %20 : f64
      affine.store %21, %w[] : memref<f64>
    }
    %22 = affine.load %w[] : memref<f64>
    affine.store %22, %y[%i] : memref<40xf64>
  }
  affine.for %i = 0 to %n {
    %23 = affine.load %y[symbol(%n) - %i - 1] : memref<40xf64>
    affine.store %23, %w[] : memref<f64>
    affine.for %j = affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%n] to %n {
      %24 = affine.load %w[] : memref<f64>
      %25 = affine.load %A[symbol(%n) - %i - 1, %j] : memref<40x40xf64>
      %26 = affine.load %x[%j] : memref<40xf64>
      %27 = arith.mulf %25, %26 : f64
      %28 = arith.subf %24, %27 : f64
      affine.store %28, %w[] : memref<f64>
    }
    %29 = affine.load %w[] : memref<f64>
    %30 = affine.load %A[symbol(%n) - %i - 1, symbol(%n) - %i - 1] : memref<40x40xf64>
    %31 = arith.divf %29, %30 : f64
    affine.store %31, %x[symbol(%n) - %i - 1] : memref<40xf64>
  }
  func.return
}
