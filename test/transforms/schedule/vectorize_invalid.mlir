// RUN: not kc-opt %s --vectorize="block=C loop=k" 2>&1 | FileCheck %s --check-prefix=REDUCE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="func=other loop=z" 2>&1 | FileCheck %s --check-prefix=SIZE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="block=C loop=j" --vectorize="block=C loop=i" 2>&1 | FileCheck %s --check-prefix=NESTED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="func=other loop=x" 2>&1 | FileCheck %s --check-prefix=CARRIED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unroll="block=C loop=j" --vectorize="block=C loop=j" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace

//REDUCE:error[KC3040]: vectorize: loop k is a reduction of C
//REDUCE-NEXT:  --> {{.*}}vectorize_invalid.mlir:52:7  tir.for %k in 8 {
//REDUCE-NEXT:   |  for i in 16:
//REDUCE-NEXT:   |    for j in 12:
//REDUCE-NEXT:   |      for k in 8:    <-- here
//REDUCE-NEXT:   |        block C
//REDUCE-NEXT:  why: C at (k=0) writes C[0, 0], which C at (k=1) updates (for i = 0, j = 0)
//REDUCE-NEXT:  try: vectorize a spatial loop: i, j

//SIZE:error[KC3043]: vectorize: the extent of z is not a constant
//SIZE-NEXT:  --> {{.*}}vectorize_invalid.mlir:79:3  tir.for %z in %n {
//SIZE-NEXT:   |  for z in n:    <-- here
//SIZE-NEXT:   |    store to B
//SIZE-NEXT:  why: the number of lanes must be known at compile time
//SIZE-NEXT:  try: split z by factors=?,8 and vectorize z_i

//NESTED:error[KC3044]: vectorize: loop i is around the vectorized loop j
//NESTED-NEXT:  --> {{.*}}vectorize_invalid.mlir:50:3  tir.for %i in 16 {
//NESTED-NEXT:   |  for i in 16:    <-- here
//NESTED-NEXT:   |    for j in 12 vectorized:    <-- vectorized
//NESTED-NEXT:   |      for k in 8:
//NESTED-NEXT:   |        block C
//NESTED-NEXT:  why: a vector lane is a scalar: it cannot hold vectors or start threads
//NESTED-NEXT:  try: reorder, or fuse j and i before vectorizing

//CARRIED:error[KC3041]: vectorize: the iterations of x depend on each other
//CARRIED-NEXT:  --> {{.*}}vectorize_invalid.mlir:73:3  tir.for %x in 8 {
//CARRIED-NEXT:   |  for x in 8:    <-- here
//CARRIED-NEXT:   |    for y in 8:
//CARRIED-NEXT:   |      store to A
//CARRIED-NEXT:  why: the statement at (x=0, y=1) writes A[1, 1], which the statement at (x=1, y=0) reads

//KIND:error[KC3010]: vectorize: loop j is unrolled already
//KIND-NEXT:  --> {{.*}}vectorize_invalid.mlir:51:5  tir.for %j in 12 {
//KIND-NEXT:   |  for i in 16:
//KIND-NEXT:   |    for j in 12 unrolled:    <-- here
//KIND-NEXT:   |      for k in 8:
//KIND-NEXT:   |        block C
//KIND-NEXT:  why: a loop is restructured before it is given a kind of execution
//KIND-NEXT:  try: vectorize first, then unroll one of the results


func.func @matmul(%A: memref<16x8xf32>, %B: memref<8x12xf32>, %C: memref<16x12xf32>) {
  tir.for %i in 16 {
    tir.for %j in 12 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%v_i, %v_j] : memref<16x12xf32>
        } do {
          %a = tir.load %A[%v_i, %v_k] : memref<16x8xf32>
          %b = tir.load %B[%v_k, %v_j] : memref<8x12xf32>
          %p = arith.mulf %a, %b : f32
          %c = tir.load %C[%v_i, %v_j] : memref<16x12xf32>
          %s = arith.addf %c, %p : f32
          tir.store %s, %C[%v_i, %v_j] : memref<16x12xf32>
        }
      }
    }
  }
  func.return
}

func.func @other(%A: memref<9x9xf32>, %B: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %I: memref<8xi64>)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %x in 8 {
    tir.for %y in 8 {
      %a = tir.load %A[%x, %y + 1] : memref<9x9xf32>
      tir.store %a, %A[%x + 1, %y] : memref<9x9xf32>
    }
  }
  tir.for %z in %n {
    %b = tir.load %B[%z] : memref<?xf32>
    tir.store %b, %B[%z] : memref<?xf32>
  }
  tir.for %u in 8 {
    %size = tir.apply (%u + 1)
    tir.for %v in %size {
      %c = tir.load %A[%u, %v] : memref<9x9xf32>
      tir.store %c, %A[%v, %u] : memref<9x9xf32>
    }
  }
  tir.for %g in 8 {
    %l = tir.load %I[%g] : memref<8xi64>
    %w = arith.index_cast %l : i64 to index
    %d = tir.load %A[0, %g] : memref<9x9xf32>
    tir.store %d, %A[%w, 1] : memref<9x9xf32>
  }
  tir.for %p in 4 annotations {pragma = 1 : i64} {
    tir.for %q in 4 {
      %e = tir.load %A[%p, %q] : memref<9x9xf32>
      tir.store %e, %A[%p, %q] : memref<9x9xf32>
    }
    tir.for %r in 4 {
      %f = tir.load %A[%p, %r] : memref<9x9xf32>
      tir.store %f, %A[%p, %r] : memref<9x9xf32>
    }
  }
  func.return
}

func.func @maybe_empty(%A: memref<4x?xf32> {kc.shape = affine_map<()[s0] -> (4, s0)>}, %R: memref<4xf32>)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 4 {
    tir.for %k in %n {
      tir.block "R" (spatial %v_i in 4 = %i, reduce %v_k in %n = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %R[%v_i] : memref<4xf32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<4x?xf32>
        %r = tir.load %R[%v_i] : memref<4xf32>
        %s = arith.addf %r, %a : f32
        tir.store %s, %R[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}
