func.func @deriche(%alpha: f64, %imgIn: memref<64x48xf64>, %imgOut: memref<64x48xf64>,
    %y1: memref<64x48xf64>, %y2: memref<64x48xf64>) {
  %w = arith.constant 64 : index
  %h = arith.constant 48 : index
  %k = memref.alloca() : memref<f64>
  %a1 = memref.alloca() : memref<f64>
  %a2 = memref.alloca() : memref<f64>
  %a3 = memref.alloca() : memref<f64>
  %a4 = memref.alloca() : memref<f64>
  %b1 = memref.alloca() : memref<f64>
  %b2 = memref.alloca() : memref<f64>
  %ym1 = memref.alloca() : memref<f64>
  %ym2 = memref.alloca() : memref<f64>
  %xm1 = memref.alloca() : memref<f64>
  %yp1 = memref.alloca() : memref<f64>
  %yp2 = memref.alloca() : memref<f64>
  %xp1 = memref.alloca() : memref<f64>
  %xp2 = memref.alloca() : memref<f64>
  %tm1 = memref.alloca() : memref<f64>
  %tp1 = memref.alloca() : memref<f64>
  %tp2 = memref.alloca() : memref<f64>
  %0 = arith.constant 1.0 : f64
  %1 = arith.negf %alpha : f64
  %2 = math.exp %1 : f64
  %3 = arith.subf %0, %2 : f64
  %4 = arith.constant 1.0 : f64
  %5 = arith.negf %alpha : f64
  %6 = math.exp %5 : f64
  %7 = arith.subf %4, %6 : f64
  %8 = arith.mulf %3, %7 : f64
  %9 = arith.constant 1.0 : f64
  %10 = arith.constant 2.0 : f64
  %11 = arith.mulf %10, %alpha : f64
  %12 = arith.negf %alpha : f64
  %13 = math.exp %12 : f64
  %14 = arith.mulf %11, %13 : f64
  %15 = arith.addf %9, %14 : f64
  %16 = arith.constant 2.0 : f64
  %17 = arith.mulf %16, %alpha : f64
  %18 = math.exp %17 : f64
  %19 = arith.subf %15, %18 : f64
  %20 = arith.divf %8, %19 : f64
  affine.store %20, %k[] : memref<f64>
  %21 = affine.load %k[] : memref<f64>
  affine.store %21, %a1[] : memref<f64>
  %22 = affine.load %k[] : memref<f64>
  %23 = arith.negf %alpha : f64
  %24 = math.exp %23 : f64
  %25 = arith.mulf %22, %24 : f64
  %26 = arith.constant 1.0 : f64
  %27 = arith.subf %alpha, %26 : f64
  %28 = arith.mulf %25, %27 : f64
  affine.store %28, %a2[] : memref<f64>
  %29 = affine.load %k[] : memref<f64>
  %30 = arith.negf %alpha : f64
  %31 = math.exp %30 : f64
  %32 = arith.mulf %29, %31 : f64
  %33 = arith.constant 1.0 : f64
  %34 = arith.addf %alpha, %33 : f64
  %35 = arith.mulf %32, %34 : f64
  affine.store %35, %a3[] : memref<f64>
  %36 = affine.load %k[] : memref<f64>
  %37 = arith.negf %36 : f64
  %38 = arith.constant 2.0 : f64
  %39 = arith.negf %38 : f64
  %40 = arith.mulf %39, %alpha : f64
  %41 = math.exp %40 : f64
  %42 = arith.mulf %37, %41 : f64
  affine.store %42, %a4[] : memref<f64>
  %43 = arith.negf %alpha : f64
  %44 = math.exp2 %43 : f64
  affine.store %44, %b1[] : memref<f64>
  %45 = arith.constant 2.0 : f64
  %46 = arith.negf %45 : f64
  %47 = arith.mulf %46, %alpha : f64
  %48 = math.exp %47 : f64
  %49 = arith.negf %48 : f64
  affine.store %49, %b2[] : memref<f64>
  affine.for %i = 0 to %w {
    %50 = arith.constant 0.0 : f64
    affine.store %50, %ym1[] : memref<f64>
    %51 = arith.constant 0.0 : f64
    affine.store %51, %ym2[] : memref<f64>
    %52 = arith.constant 0.0 : f64
    affine.store %52, %xm1[] : memref<f64>
    affine.for %j = 0 to %h {
      %53 = affine.load %a1[] : memref<f64>
      %54 = affine.load %imgIn[%i, %j] : memref<64x48xf64>
      %55 = arith.mulf %53, %54 : f64
      %56 = affine.load %a2[] : memref<f64>
      %57 = affine.load %xm1[] : memref<f64>
      %58 = arith.mulf %56, %57 : f64
      %59 = arith.addf %55, %58 : f64
      %60 = affine.load %b1[] : memref<f64>
      %61 = affine.load %ym1[] : memref<f64>
      %62 = arith.mulf %60, %61 : f64
      %63 = arith.addf %59, %62 : f64
      %64 = affine.load %b2[] : memref<f64>
      %65 = affine.load %ym2[] : memref<f64>
      %66 = arith.mulf %64, %65 : f64
      %67 = arith.addf %63, %66 : f64
      affine.store %67, %y1[%i, %j] : memref<64x48xf64>
      %68 = affine.load %imgIn[%i, %j] : memref<64x48xf64>
      affine.store %68, %xm1[] : memref<f64>
      %69 = affine.load %ym1[] : memref<f64>
      affine.store %69, %ym2[] : memref<f64>
      %70 = affine.load %y1[%i, %j] : memref<64x48xf64>
      affine.store %70, %ym1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %w {
    %71 = arith.constant 0.0 : f64
    affine.store %71, %yp1[] : memref<f64>
    %72 = arith.constant 0.0 : f64
    affine.store %72, %yp2[] : memref<f64>
    %73 = arith.constant 0.0 : f64
    affine.store %73, %xp1[] : memref<f64>
    %74 = arith.constant 0.0 : f64
    affine.store %74, %xp2[] : memref<f64>
    affine.for %j = 0 to %h {
      %75 = affine.load %a3[] : memref<f64>
      %76 = affine.load %xp1[] : memref<f64>
      %77 = arith.mulf %75, %76 : f64
      %78 = affine.load %a4[] : memref<f64>
      %79 = affine.load %xp2[] : memref<f64>
      %80 = arith.mulf %78, %79 : f64
      %81 = arith.addf %77, %80 : f64
      %82 = affine.load %b1[] : memref<f64>
      %83 = affine.load %yp1[] : memref<f64>
      %84 = arith.mulf %82, %83 : f64
      %85 = arith.addf %81, %84 : f64
      %86 = affine.load %b2[] : memref<f64>
      %87 = affine.load %yp2[] : memref<f64>
      %88 = arith.mulf %86, %87 : f64
      %89 = arith.addf %85, %88 : f64
      affine.store %89, %y2[%i, symbol(%h) - %j - 1] : memref<64x48xf64>
      %90 = affine.load %xp1[] : memref<f64>
      affine.store %90, %xp2[] : memref<f64>
      %91 = affine.load %imgIn[%i, symbol(%h) - %j - 1] : memref<64x48xf64>
      affine.store %91, %xp1[] : memref<f64>
      %92 = affine.load %yp1[] : memref<f64>
      affine.store %92, %yp2[] : memref<f64>
      %93 = affine.load %y2[%i, symbol(%h) - %j - 1] : memref<64x48xf64>
      affine.store %93, %yp1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %94 = affine.load %y1[%i, %j] : memref<64x48xf64>
      %95 = affine.load %y2[%i, %j] : memref<64x48xf64>
      %96 = arith.addf %94, %95 : f64
      affine.store %96, %imgOut[%i, %j] : memref<64x48xf64>
    }
  }
  affine.for %j = 0 to %h {
    %97 = arith.constant 0.0 : f64
    affine.store %97, %tm1[] : memref<f64>
    %98 = arith.constant 0.0 : f64
    affine.store %98, %ym1[] : memref<f64>
    %99 = arith.constant 0.0 : f64
    affine.store %99, %ym2[] : memref<f64>
    affine.for %i = 0 to %w {
      %100 = affine.load %a1[] : memref<f64>
      %101 = affine.load %imgOut[%i, %j] : memref<64x48xf64>
      %102 = arith.mulf %100, %101 : f64
      %103 = affine.load %a2[] : memref<f64>
      %104 = affine.load %tm1[] : memref<f64>
      %105 = arith.mulf %103, %104 : f64
      %106 = arith.addf %102, %105 : f64
      %107 = affine.load %b1[] : memref<f64>
      %108 = affine.load %ym1[] : memref<f64>
      %109 = arith.mulf %107, %108 : f64
      %110 = arith.addf %106, %109 : f64
      %111 = affine.load %b2[] : memref<f64>
      %112 = affine.load %ym2[] : memref<f64>
      %113 = arith.mulf %111, %112 : f64
      %114 = arith.addf %110, %113 : f64
      affine.store %114, %y1[%i, %j] : memref<64x48xf64>
      %115 = affine.load %imgOut[%i, %j] : memref<64x48xf64>
      affine.store %115, %tm1[] : memref<f64>
      %116 = affine.load %ym1[] : memref<f64>
      affine.store %116, %ym2[] : memref<f64>
      %117 = affine.load %y1[%i, %j] : memref<64x48xf64>
      affine.store %117, %ym1[] : memref<f64>
    }
  }
  affine.for %j = 0 to %h {
    %118 = arith.constant 0.0 : f64
    affine.store %118, %tp1[] : memref<f64>
    %119 = arith.constant 0.0 : f64
    affine.store %119, %tp2[] : memref<f64>
    %120 = arith.constant 0.0 : f64
    affine.store %120, %yp1[] : memref<f64>
    %121 = arith.constant 0.0 : f64
    affine.store %121, %yp2[] : memref<f64>
    affine.for %i = 0 to %w {
      %122 = affine.load %a3[] : memref<f64>
      %123 = affine.load %tp1[] : memref<f64>
      %124 = arith.mulf %122, %123 : f64
      %125 = affine.load %a4[] : memref<f64>
      %126 = affine.load %tp2[] : memref<f64>
      %127 = arith.mulf %125, %126 : f64
      %128 = arith.addf %124, %127 : f64
      %129 = affine.load %b1[] : memref<f64>
      %130 = affine.load %yp1[] : memref<f64>
      %131 = arith.mulf %129, %130 : f64
      %132 = arith.addf %128, %131 : f64
      %133 = affine.load %b2[] : memref<f64>
      %134 = affine.load %yp2[] : memref<f64>
      %135 = arith.mulf %133, %134 : f64
      %136 = arith.addf %132, %135 : f64
      affine.store %136, %y2[symbol(%w) - %i - 1, %j] : memref<64x48xf64>
      %137 = affine.load %tp1[] : memref<f64>
      affine.store %137, %tp2[] : memref<f64>
      %138 = affine.load %imgOut[symbol(%w) - %i - 1, %j] : memref<64x48xf64>
      affine.store %138, %tp1[] : memref<f64>
      %139 = affine.load %yp1[] : memref<f64>
      affine.store %139, %yp2[] : memref<f64>
      %140 = affine.load %y2[symbol(%w) - %i - 1, %j] : memref<64x48xf64>
      affine.store %140, %yp1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %141 = affine.load %y1[%i, %j] : memref<64x48xf64>
      %142 = affine.load %y2[%i, %j] : memref<64x48xf64>
      %143 = arith.addf %141, %142 : f64
      affine.store %143, %imgOut[%i, %j] : memref<64x48xf64>
    }
  }
  func.return
}
