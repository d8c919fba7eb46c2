// RUN: not kc-opt %s --fuse="block=C loops=i" 2>&1 | FileCheck %s --check-prefix=ONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse="block=C loops=j,i" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse="block=C loops=i,k" 2>&1 | FileCheck %s --check-prefix=GAP --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="block=C loop=j" --fuse="block=C loops=i,j" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse="func=other loops=u,v" 2>&1 | FileCheck %s --check-prefix=BOX --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse="func=other loops=p,q" 2>&1 | FileCheck %s --check-prefix=CHILD --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse="func=other loops=x,z" 2>&1 | FileCheck %s --check-prefix=NEST --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse="block=C loops=i,i" 2>&1 | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse="block=R loops=i,k" 2>&1 | FileCheck %s --check-prefix=EMPTY --match-full-lines --strict-whitespace

//ONE:error[KC3033]: fuse: 1 loop to fuse
//ONE-NEXT:  --> {{.*}}fuse_invalid.mlir:88:3  tir.for %i in 16 {
//ONE-NEXT:   |  for i in 16:    <-- here
//ONE-NEXT:   |    for j in 12:
//ONE-NEXT:   |      for k in 8:
//ONE-NEXT:   |        block C
//ONE-NEXT:  why: fuse needs at least two loops
//ONE-NEXT:  try: loops=i,j

//ORDER:error[KC3033]: fuse: loops j, i are not consecutive
//ORDER-NEXT:  --> {{.*}}fuse_invalid.mlir:89:5  tir.for %j in 12 {
//ORDER-NEXT:   |  for i in 16:    <-- named
//ORDER-NEXT:   |    for j in 12:    <-- named
//ORDER-NEXT:   |      for k in 8:
//ORDER-NEXT:   |        block C
//ORDER-NEXT:  why: fused loops must be directly nested, and named from the outside in
//ORDER-NEXT:  try: loops=i,j

//GAP:error[KC3033]: fuse: loops i, k are not consecutive
//GAP-NEXT:  --> {{.*}}fuse_invalid.mlir:88:3  tir.for %i in 16 {
//GAP-NEXT:   |  for i in 16:    <-- named
//GAP-NEXT:   |    for j in 12:
//GAP-NEXT:   |      for k in 8:    <-- named
//GAP-NEXT:   |        block C
//GAP-NEXT:  why: fused loops must be directly nested, and named from the outside in
//GAP-NEXT:  try: loops=i,j,k, or reorder first

//KIND:error[KC3010]: fuse: loop j is already vectorized
//KIND-NEXT:  --> {{.*}}fuse_invalid.mlir:89:5  tir.for %j in 12 {
//KIND-NEXT:   |  for i in 16:
//KIND-NEXT:   |    for j in 12 vectorized:    <-- here
//KIND-NEXT:   |      for k in 8:
//KIND-NEXT:   |        block C
//KIND-NEXT:  why: a loop must be restructured before it gets a kind of execution
//KIND-NEXT:  try: fuse first, then vectorize one of the results

//BOX:error[KC3034]: fuse: the extent of v depends on u
//BOX-NEXT:  --> {{.*}}fuse_invalid.mlir:123:5  tir.for %v in %size {
//BOX-NEXT:   |  for u in 8:
//BOX-NEXT:   |    for v in size:    <-- here
//BOX-NEXT:   |      store to A
//BOX-NEXT:  why: fuse needs a rectangular iteration space

//CHILD:error[KC3011]: fuse: loop p is annotated (pragma)
//CHILD-NEXT:  --> {{.*}}fuse_invalid.mlir:134:3  tir.for %p in 4 annotations {pragma = 1 : i64} {
//CHILD-NEXT:   |  for p in 4:    <-- here
//CHILD-NEXT:   |    for q in 4:
//CHILD-NEXT:   |      store to A
//CHILD-NEXT:   |    for r in 4:
//CHILD-NEXT:   |      store to A
//CHILD-NEXT:  why: the annotation refers to this loop and would be lost
//CHILD-NEXT:  try: fuse first, then annotate one of the results

//NEST:error[KC3031]: fuse: loops z and x are not nested
//NEST-NEXT:  --> {{.*}}fuse_invalid.mlir:111:3  tir.for %x in 8 {
//NEST-NEXT:   |  for x in 8:    <-- not inside z
//NEST-NEXT:   |    for y in 8:
//NEST-NEXT:   |      store to A
//NEST-NEXT:  why: the loops of fuse must be in one nest

//TWICE:error[KC3030]: fuse: loop i is named twice
//TWICE-NEXT:  --> {{.*}}fuse_invalid.mlir:88:3  tir.for %i in 16 {
//TWICE-NEXT:   |  for i in 16:    <-- here
//TWICE-NEXT:   |    for j in 12:
//TWICE-NEXT:   |      for k in 8:
//TWICE-NEXT:   |        block C

//EMPTY:error[KC3036]: fuse: the reduction loop k of R may have no iteration
//EMPTY-NEXT:  --> {{.*}}fuse_invalid.mlir:151:5  tir.for %k in %n {
//EMPTY-NEXT:   |  for i in 4:
//EMPTY-NEXT:   |    for k in n:    <-- here
//EMPTY-NEXT:   |      block R
//EMPTY-NEXT:  why: R then stores its initial value, but the fused loop would have no iteration to store it
//EMPTY-NEXT:  try: fuse spatial loops and reduction loops separately


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
