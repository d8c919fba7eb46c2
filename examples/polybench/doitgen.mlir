func.func @doitgen(%A: memref<10x8x12xf64>, %C4: memref<12x12xf64>, %total: memref<12xf64>) {
  %nr = arith.constant 10 : index
  %nq = arith.constant 8 : index
  %np = arith.constant 12 : index
  affine.for %r = 0 to %nr {
    affine.for %q = 0 to %nq {
      affine.for %p = 0 to %np {
        %0 = arith.constant 0.0 : f64
        affine.store %0, %total[%p] : memref<12xf64>
        affine.for %s = 0 to %np {
          %1 = affine.load %total[%p] : memref<12xf64>
          %2 = affine.load %A[%r, %q, %s] : memref<10x8x12xf64>
          %3 = affine.load %C4[%s, %p] : memref<12x12xf64>
          %4 = arith.mulf %2, %3 : f64
          %5 = arith.addf %1, %4 : f64
          affine.store %5, %total[%p] : memref<12xf64>
        }
      }
      affine.for %p = 0 to %np {
        %6 = affine.load %total[%p] : memref<12xf64>
        affine.store %6, %A[%r, %q, %p] : memref<10x8x12xf64>
      }
    }
  }
  func.return
}
