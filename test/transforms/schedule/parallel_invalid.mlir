// RUN: not kc-opt %s --parallel="block=C loop=k" 2>&1 | FileCheck %s --check-prefix=REDUCE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=other loop=x" 2>&1 | FileCheck %s --check-prefix=CARRIED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=other loop=g" 2>&1 | FileCheck %s --check-prefix=GATHER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=shifted loop=i" 2>&1 | FileCheck %s --check-prefix=SHIFTED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=chosen loop=i" 2>&1 | FileCheck %s --check-prefix=CHOSEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="block=C loop=i" --parallel="block=C loop=j" 2>&1 | FileCheck %s --check-prefix=NESTED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="block=C loop=j" --parallel="block=C loop=i" 2>&1 | FileCheck %s --check-prefix=AROUND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="block=C loop=i" --parallel="block=C loop=j" 2>&1 | FileCheck %s --check-prefix=VECTOR --match-full-lines --strict-whitespace

//REDUCE:error[KC3040]: parallel: loop k is a reduction of C
//REDUCE-NEXT:  --> {{.*}}parallel_invalid.mlir:75:7  tir.for %k in 8 {
//REDUCE-NEXT:   |  for i in 16:
//REDUCE-NEXT:   |    for j in 12:
//REDUCE-NEXT:   |      for k in 8:    <-- here
//REDUCE-NEXT:   |        block C
//REDUCE-NEXT:  why: C at (k=0) writes C[0, 0], which C at (k=1) updates (for i = 0, j = 0)
//REDUCE-NEXT:  try: parallel a spatial loop: i, j

//CARRIED:error[KC3041]: parallel: the iterations of x depend on each other
//CARRIED-NEXT:  --> {{.*}}parallel_invalid.mlir:96:3  tir.for %x in 8 {
//CARRIED-NEXT:   |  for x in 8:    <-- here
//CARRIED-NEXT:   |    for y in 8:
//CARRIED-NEXT:   |      store to A
//CARRIED-NEXT:  why: the statement at (x=0, y=1) writes A[1, 1], which the statement at (x=1, y=0) reads

//GATHER:error[KC3041]: parallel: the iterations of g cannot be proven independent
//GATHER-NEXT:  --> {{.*}}parallel_invalid.mlir:113:3  tir.for %g in 8 {
//GATHER-NEXT:   |  for g in 8:    <-- here
//GATHER-NEXT:   |    store to A
//GATHER-NEXT:  why: cannot prove that iterations touch different elements of A: w is not affine

//SHIFTED:error[KC3041]: parallel: the iterations of i depend on each other
//SHIFTED-NEXT:  --> {{.*}}parallel_invalid.mlir:153:3  tir.for %i in 8 {
//SHIFTED-NEXT:   |  for i in 8:    <-- here
//SHIFTED-NEXT:   |    store to A
//SHIFTED-NEXT:  why: the statement at (i=0) writes A[0], which the statement at (i=1) writes (for s = 0)

//CHOSEN:error[KC3041]: parallel: the iterations of i depend on each other
//CHOSEN-NEXT:  --> {{.*}}parallel_invalid.mlir:164:3  tir.for %i in 8 {
//CHOSEN-NEXT:   |  for i in 8:    <-- here
//CHOSEN-NEXT:   |    store to A
//CHOSEN-NEXT:  why: the statement at (i=0) reads A[0], which the statement at (i=1) writes (for b = 0, a = -1)

//NESTED:error[KC3042]: parallel: loop j is inside the parallel loop i
//NESTED-NEXT:  --> {{.*}}parallel_invalid.mlir:74:5  tir.for %j in 12 {
//NESTED-NEXT:   |  for i in 16 parallel:    <-- parallel
//NESTED-NEXT:   |    for j in 12:    <-- here
//NESTED-NEXT:   |      for k in 8:
//NESTED-NEXT:   |        block C
//NESTED-NEXT:  why: a thread or a vector lane cannot start threads
//NESTED-NEXT:  try: only one loop of a nest can be parallel; fuse two of them first

//AROUND:error[KC3042]: parallel: loop i is around the parallel loop j
//AROUND-NEXT:  --> {{.*}}parallel_invalid.mlir:73:3  tir.for %i in 16 {
//AROUND-NEXT:   |  for i in 16:    <-- here
//AROUND-NEXT:   |    for j in 12 parallel:    <-- parallel
//AROUND-NEXT:   |      for k in 8:
//AROUND-NEXT:   |        block C
//AROUND-NEXT:  why: a thread or a vector lane cannot start threads
//AROUND-NEXT:  try: only one loop of a nest can be parallel; fuse two of them first

//VECTOR:error[KC3042]: parallel: loop j is inside the vectorized loop i
//VECTOR-NEXT:  --> {{.*}}parallel_invalid.mlir:74:5  tir.for %j in 12 {
//VECTOR-NEXT:   |  for i in 16 vectorized:    <-- vectorized
//VECTOR-NEXT:   |    for j in 12:    <-- here
//VECTOR-NEXT:   |      for k in 8:
//VECTOR-NEXT:   |        block C
//VECTOR-NEXT:  why: a thread or a vector lane cannot start threads
//VECTOR-NEXT:  try: parallelize an outer loop instead


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

func.func @shifted(%P: memref<1xi32>, %A: memref<16xf32>) {
  %p = tir.load %P[0] : memref<1xi32>
  tir.for %i in 8 {
    %s = arith.index_cast %p : i32 to index
    %x = arith.constant 1.0 : f32
    tir.store %x, %A[%i floordiv 2 + %s] : memref<16xf32>
  }
  func.return
}

// Which of two indices is read and which is written is decided by comparisons that differ.
func.func @chosen(%P: memref<1xi32>, %A: memref<16xf32>, %x: index, %y: index) {
  %p = tir.load %P[0] : memref<1xi32>
  tir.for %i in 8 {
    %e = arith.cmpi eq, %p, %p : i32
    %n = arith.cmpi ne, %p, %p : i32
    %a = arith.select %e, %x, %y : index
    %b = arith.select %n, %x, %y : index
    %z = tir.load %A[%i + %b] : memref<16xf32>
    tir.store %z, %A[%i + %a] : memref<16xf32>
  }
  func.return
}

// A reduction of elements that are not known: whether two iterations update one is not proven.
// RUN: not kc-opt %s --parallel="func=histogram loop=i" 2>&1 | FileCheck %s --check-prefix=HISTOGRAM --match-full-lines --strict-whitespace
func.func @histogram(%I: memref<8xindex>, %H: memref<4xf32>) {
  tir.for %i in 8 {
    tir.block "H" (reduce %v in 8 = %i) do {
      %n = tir.load %I[%v] : memref<8xindex>
      %h = tir.load %H[%n] : memref<4xf32>
      %one = arith.constant 1.0 : f32
      %s = arith.addf %h, %one : f32
      tir.store %s, %H[%n] : memref<4xf32>
    }
  }
  func.return
}
//HISTOGRAM:error[KC3041]: parallel: the iterations of i cannot be proven independent
//HISTOGRAM-NEXT:  --> {{.*}}parallel_invalid.mlir:178:3  tir.for %i in 8 {
//HISTOGRAM-NEXT:   |  for i in 8:    <-- here
//HISTOGRAM-NEXT:   |    block H
//HISTOGRAM-NEXT:  why: cannot prove that iterations touch different elements of H: n is not affine
