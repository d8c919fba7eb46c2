// RUN: not kc-opt %s --vectorize="block=D loop=k" 2>&1 | FileCheck %s --check-prefix=SEVERAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="block=S loop=k" 2>&1 | FileCheck %s --check-prefix=USED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="block=W loop=l" 2>&1 | FileCheck %s --check-prefix=RESULTS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="block=T loop=k" 2>&1 | FileCheck %s --check-prefix=PLACE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="block=L loop=k" 2>&1 | FileCheck %s --check-prefix=COMBINER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="func=other loop=z" 2>&1 | FileCheck %s --check-prefix=SIZE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="block=C loop=j" --vectorize="block=C loop=i" 2>&1 | FileCheck %s --check-prefix=NESTED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="func=other loop=x" 2>&1 | FileCheck %s --check-prefix=CARRIED --match-full-lines --strict-whitespace

//SEVERAL:error[KC3041]: vectorize: the iterations of k depend on each other
//SEVERAL-NEXT:  --> {{.*}}vectorize_invalid.mlir:155:5  tir.for %k in 8 {
//SEVERAL-NEXT:   |  for i in 8:
//SEVERAL-NEXT:   |    for k in 8:    <-- here
//SEVERAL-NEXT:   |      block D
//SEVERAL-NEXT:  why: D at (k=0) writes D[0], which D at (k=1) reads (for i = 0)

//USED:error[KC3040]: vectorize: loop k is a reduction of S
//USED-NEXT:  --> {{.*}}vectorize_invalid.mlir:166:5  tir.for %k in 8 {
//USED-NEXT:   |  for i in 8:
//USED-NEXT:   |    for k in 8:    <-- here
//USED-NEXT:   |      block S
//USED-NEXT:   |      block P
//USED-NEXT:  why: the lanes cannot compute partial results: S is used in k before it is complete
//USED-NEXT:  try: vectorize a spatial loop: i

//RESULTS:error[KC3040]: vectorize: loop l is a reduction of W
//RESULTS-NEXT:  --> {{.*}}vectorize_invalid.mlir:179:3  tir.for %l in 16 {
//RESULTS-NEXT:   |  for l in 16:    <-- here
//RESULTS-NEXT:   |    block W
//RESULTS-NEXT:  why: the lanes cannot compute partial results: l does not drive only reduce variables of W
//RESULTS-NEXT:  try: rfactor creates partial results that can be computed in parallel

//PLACE:error[KC3040]: vectorize: loop k is a reduction of T
//PLACE-NEXT:  --> {{.*}}vectorize_invalid.mlir:188:5  tir.for %k in 8 {
//PLACE-NEXT:   |  for i in 8:
//PLACE-NEXT:   |    for k in 8:    <-- here
//PLACE-NEXT:   |      block T
//PLACE-NEXT:  why: the lanes cannot compute partial results: the indices at which T stores depend on more than its spatial variables
//PLACE-NEXT:  try: vectorize a spatial loop: i

//COMBINER:error[KC3040]: vectorize: loop k is a reduction of L
//COMBINER-NEXT:  --> {{.*}}vectorize_invalid.mlir:198:5  tir.for %k in 8 {
//COMBINER-NEXT:   |  for i in 8:
//COMBINER-NEXT:   |    for k in 8:    <-- here
//COMBINER-NEXT:   |      block L
//COMBINER-NEXT:  why: the lanes cannot compute partial results: the combiner of L contains scf.if, which has no vector form
//COMBINER-NEXT:  try: vectorize a spatial loop: i

//SIZE:error[KC3043]: vectorize: the extent of z is not a constant
//SIZE-NEXT:  --> {{.*}}vectorize_invalid.mlir:103:3  tir.for %z in %n {
//SIZE-NEXT:   |  for z in n:    <-- here
//SIZE-NEXT:   |    store to B
//SIZE-NEXT:  why: the number of lanes must be known at compile time
//SIZE-NEXT:  try: split z by factors=?,8 and vectorize z_i

//NESTED:error[KC3044]: vectorize: loop i is around the vectorized loop j
//NESTED-NEXT:  --> {{.*}}vectorize_invalid.mlir:74:3  tir.for %i in 16 {
//NESTED-NEXT:   |  for i in 16:    <-- here
//NESTED-NEXT:   |    for j in 12 vectorized:    <-- vectorized
//NESTED-NEXT:   |      for k in 8:
//NESTED-NEXT:   |        block C
//NESTED-NEXT:  why: a vector lane is a scalar: it cannot hold vectors or start threads
//NESTED-NEXT:  try: reorder, or fuse j and i before vectorizing

//CARRIED:error[KC3041]: vectorize: the iterations of x depend on each other
//CARRIED-NEXT:  --> {{.*}}vectorize_invalid.mlir:97:3  tir.for %x in 8 {
//CARRIED-NEXT:   |  for x in 8:    <-- here
//CARRIED-NEXT:   |    for y in 8:
//CARRIED-NEXT:   |      store to A
//CARRIED-NEXT:  why: the statement at (x=0, y=1) writes A[1, 1], which the statement at (x=1, y=0) reads


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

func.func @reductions(%A: memref<8x8xf32>, %D: memref<8xf32>, %S: memref<8xf32>, %P: memref<8xf32>, %W: memref<15xf32>,
    %L: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %k in 8 {
      tir.block "D" (spatial %v_i in 8 = %i, reduce %v_k in 8 = %k) do {
        %a = tir.load %A[%v_i, %v_k] : memref<8x8xf32>
        %d = tir.load %D[%v_i] : memref<8xf32>
        %e = arith.mulf %d, %d : f32
        %f = arith.addf %e, %a : f32
        tir.store %f, %D[%v_i] : memref<8xf32>
      }
    }
  }
  tir.for %i in 8 {
    tir.for %k in 8 {
      tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 8 = %k) do {
        %a = tir.load %A[%v_i, %v_k] : memref<8x8xf32>
        %d = tir.load %S[%v_i] : memref<8xf32>
        %e = arith.addf %d, %a : f32
        tir.store %e, %S[%v_i] : memref<8xf32>
      }
      tir.block "P" (spatial %v_i in 8 = %i, opaque %v_k in 8 = %k) do {
        %d = tir.load %S[%v_i] : memref<8xf32>
        tir.store %d, %P[%v_k] : memref<8xf32>
      }
    }
  }
  tir.for %l in 16 {
    tir.block "W" (spatial %v_i in 8 = %l floordiv 2, reduce %v_k in 16 = %l) do {
      %a = tir.load %A[0, %v_k floordiv 2] : memref<8x8xf32>
      %d = tir.load %W[%v_i] : memref<15xf32>
      %e = arith.addf %d, %a : f32
      tir.store %e, %W[%v_i] : memref<15xf32>
    }
  }
  tir.for %i in 8 {
    tir.for %k in 8 {
      tir.block "T" (spatial %v_i in 8 = %i, reduce %v_k in 8 = %k) do {
        %a = tir.load %A[%v_i, %v_k] : memref<8x8xf32>
        %d = tir.load %W[%v_k floordiv 2] : memref<15xf32>
        %e = arith.addf %d, %a : f32
        tir.store %e, %W[%v_k floordiv 2] : memref<15xf32>
      }
    }
  }
  tir.for %i in 8 {
    tir.for %k in 8 {
      tir.block "L" (spatial %v_i in 8 = %i, reduce %v_k in 8 = %k) do {
        %a = tir.load %A[%v_i, %v_k] : memref<8x8xf32>
        %d = tir.load %L[%v_i] : memref<8xf32>
        %e = tir.combine "last" (%d) (%a) by (%x: f32) (%y: f32) identity [0.0 : f32] {
          %c = arith.cmpf ogt, %x, %y : f32
          %z = scf.if %c -> (f32) {
            scf.yield %x : f32
          } else {
            scf.yield %y : f32
          }
          tir.yield %z : f32
        }
        tir.store %e, %L[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}
