// What merge refuses, and what it says then.
// RUN: not kc-opt %s --merge="func=plain" 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=plain loops=p" 2>&1 | FileCheck %s --check-prefix=SINGLE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=sizes loops=i,i blocks=B" 2>&1 | FileCheck %s --check-prefix=BLOCKS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=sizes loops=i,i" 2>&1 | FileCheck %s --check-prefix=AMBIGUOUS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=plain loops=p,p" 2>&1 | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=plain loops=e,f" 2>&1 | FileCheck %s --check-prefix=NESTED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=guarded loops=p,q" 2>&1 | FileCheck %s --check-prefix=BRANCH --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=plain loops=p,f" 2>&1 | FileCheck %s --check-prefix=DEPTH --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=plain loops=f,h" 2>&1 | FileCheck %s --check-prefix=PERFECT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=plain loop=p" --merge="func=plain loops=p,q" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --annotate="func=plain loop=p key=x value=1" --merge="func=plain loops=p,q" 2>&1 | FileCheck %s --check-prefix=NOTE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=plain loops=p,s" 2>&1 | FileCheck %s --check-prefix=EXTENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=sizes loops=i,i blocks=B,C" 2>&1 | FileCheck %s --check-prefix=SIZES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=plain loops=p,q" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=sum loops=k,j" 2>&1 | FileCheck %s --check-prefix=SUM --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --merge="func=plain loops=p,a" 2>&1 | FileCheck %s --check-prefix=BETWEEN --match-full-lines --strict-whitespace

func.func @plain(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8x8xf32>) {
  tir.for %p in 8 {
    %x = tir.load %A[%p] : memref<8xf32>
    tir.store %x, %B[%p] : memref<8xf32>
  }
  tir.for %q in 8 {
    %y = tir.load %B[7 - %q] : memref<8xf32>
    tir.store %y, %A[%q] : memref<8xf32>
  }
  tir.for %s in 7 {
    %u = tir.load %B[%s] : memref<8xf32>
    tir.store %u, %A[%s] : memref<8xf32>
  }
  tir.for %e in 8 {
    tir.for %f in 8 {
      %z = tir.load %A[%f] : memref<8xf32>
      tir.store %z, %C[%e, %f] : memref<8x8xf32>
    }
  }
  tir.for %g in 8 {
    tir.for %h in 8 {
      %z = tir.load %C[%h, %g] : memref<8x8xf32>
      tir.store %z, %C[%h, %g] : memref<8x8xf32>
    }
    %w = tir.load %A[%g] : memref<8xf32>
    tir.store %w, %B[%g] : memref<8xf32>
  }
  tir.for %a in 8 {
    %z = tir.load %A[%a] : memref<8xf32>
    tir.store %z, %B[%a] : memref<8xf32>
  }
  func.return
}

func.func @guarded(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %i in 4 {
    tir.if (%i < 2) {
      tir.for %p in 8 {
        %x = tir.load %A[%p] : memref<8xf32>
        tir.store %x, %B[%p] : memref<8xf32>
      }
    } else {
      tir.for %q in 8 {
        %x = tir.load %A[%q] : memref<8xf32>
        tir.store %x, %B[%q] : memref<8xf32>
      }
    }
  }
  func.return
}

te.func @sizes(%A: tensor<?x?xf32> {kc.shape = affine_map<()[n, m] -> (n, m)>}) -> (tensor<?xf32>, tensor<?xf32>) attributes {kc.symbols = ["n", "m"]} {
  %n = te.symbol "n"
  %m = te.symbol "m"
  %B = te.compute "B" [%i = %n] {
    %a = te.read %A[%i, 0] : tensor<?x?xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  %C = te.compute "C" [%i = %m] {
    %x = te.read %A[0, %i] : tensor<?x?xf32>
    te.yield %x : f32
  } : tensor<?xf32>
  te.return %B, %C : tensor<?xf32>, tensor<?xf32>
}

te.func @sum(%A: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %S = te.compute "S" [%i = 6] reduce sum [%k = 4] {
    %a = te.read %A[%i, %k] : tensor<6x4xf32>
    te.yield %a : f32
  } : tensor<6xf32>
  %D = te.compute "D" [%i = 6, %j = 4] {
    %x = te.read %S[%i] : tensor<6xf32>
    te.yield %x : f32
  } : tensor<6x4xf32>
  te.return %D : tensor<6x4xf32>
}

//NONE:error[KC3450]: merge: no loops to merge
//NONE-NEXT:  --> {{.*}}merge_invalid.mlir:19:1  func.func @plain(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8x8xf32>) {
//NONE-NEXT:   |  for p in 8:
//NONE-NEXT:   |    store to B
//NONE-NEXT:   |  for q in 8:
//NONE-NEXT:   |    store to A
//NONE-NEXT:   |  for s in 7:
//NONE-NEXT:   |    store to A
//NONE-NEXT:   |  for e in 8:
//NONE-NEXT:   |  ...
//NONE-NEXT:  why: merge joins two or more sibling loops
//NONE-NEXT:  try: loops=i,j

//SINGLE:error[KC3450]: merge: 1 loop to merge
//SINGLE-NEXT:  --> {{.*}}merge_invalid.mlir:20:3  tir.for %p in 8 {
//SINGLE-NEXT:   |  for p in 8:    <-- here
//SINGLE-NEXT:   |    store to B
//SINGLE-NEXT:  why: merge joins two or more sibling loops
//SINGLE-NEXT:  try: loops=i,j

//BLOCKS:error[KC3450]: merge: 1 of 2 loops have a block
//BLOCKS-NEXT:  --> {{.*}}merge_invalid.mlir:70:1  te.func @sizes(%A: tensor<?x?xf32> {kc.shape = affine_map<()[n, m] -> (n, m)>}) -> (tensor<?xf32>...
//BLOCKS-NEXT:   |  for i in n:
//BLOCKS-NEXT:   |    block B
//BLOCKS-NEXT:   |  for i in m:
//BLOCKS-NEXT:   |    block C
//BLOCKS-NEXT:  why: with blocks=, each loop needs a block that identifies it

//AMBIGUOUS:error[KC3004]: there are 2 loops 'i' in @sizes
//AMBIGUOUS-NEXT:  --> {{.*}}merge_invalid.mlir:77:3  %C = te.compute "C" [%i = %m] {
//AMBIGUOUS-NEXT:   |  for i in n:    <-- this one?
//AMBIGUOUS-NEXT:   |    block B
//AMBIGUOUS-NEXT:   |  for i in m:    <-- this one?
//AMBIGUOUS-NEXT:   |    block C
//AMBIGUOUS-NEXT:  try: name a block for each loop too: blocks=NAME,NAME

//TWICE:error[KC3030]: merge: loop p is named twice
//TWICE-NEXT:  --> {{.*}}merge_invalid.mlir:20:3  tir.for %p in 8 {
//TWICE-NEXT:   |  for p in 8:    <-- here
//TWICE-NEXT:   |    store to B

//NESTED:error[KC3451]: merge: loop f is inside e
//NESTED-NEXT:  --> {{.*}}merge_invalid.mlir:33:5  tir.for %f in 8 {
//NESTED-NEXT:   |  for e in 8:    <-- also named
//NESTED-NEXT:   |    for f in 8:    <-- here
//NESTED-NEXT:   |      store to C
//NESTED-NEXT:  why: merge joins sibling loops; fuse joins nested ones
//NESTED-NEXT:  try: fuse loops=e,f

//BRANCH:error[KC3452]: merge: loop p and loop q are not in the same block and branch
//BRANCH-NEXT:  --> {{.*}}merge_invalid.mlir:56:7  tir.for %p in 8 {
//BRANCH-NEXT:   |  for i in 4:
//BRANCH-NEXT:   |    if ...:
//BRANCH-NEXT:   |      for p in 8:    <-- to be merged
//BRANCH-NEXT:   |        store to B
//BRANCH-NEXT:   |      for q in 8:    <-- to be merged
//BRANCH-NEXT:   |        store to B
//BRANCH-NEXT:  why: only consecutive loops of one block and branch can be merged

//DEPTH:error[KC3453]: merge: loops p and f are at different depths
//DEPTH-NEXT:  --> {{.*}}merge_invalid.mlir:20:3  tir.for %p in 8 {
//DEPTH-NEXT:   |  for p in 8:    <-- to be merged
//DEPTH-NEXT:   |    store to B
//DEPTH-NEXT:   |  for e in 8:
//DEPTH-NEXT:   |    for f in 8:    <-- to be merged
//DEPTH-NEXT:   |      store to C
//DEPTH-NEXT:  why: below their common parent there are 1 and 2 loops, which do not pair up
//DEPTH-NEXT:  try: loops=p,e

//PERFECT:error[KC3032]: merge: h is not the only child of g
//PERFECT-NEXT:  --> {{.*}}merge_invalid.mlir:39:5  tir.for %h in 8 {
//PERFECT-NEXT:   |  for g in 8:    <-- also holds tir.load, tir.store
//PERFECT-NEXT:   |    for h in 8:    <-- here
//PERFECT-NEXT:   |      store to C
//PERFECT-NEXT:   |    store to B
//PERFECT-NEXT:  why: merge would also move tir.load, tir.store

//KIND:error[KC3010]: merge: loop p is already parallel
//KIND-NEXT:  --> {{.*}}merge_invalid.mlir:20:3  tir.for %p in 8 {
//KIND-NEXT:   |  for p in 8 parallel:    <-- here
//KIND-NEXT:   |    store to B
//KIND-NEXT:  why: a loop must be restructured before it gets a kind of execution
//KIND-NEXT:  try: merge first, then parallel one of the results

//NOTE:error[KC3011]: merge: loop p is annotated (x)
//NOTE-NEXT:  --> {{.*}}merge_invalid.mlir:20:3  tir.for %p in 8 {
//NOTE-NEXT:   |  for p in 8:    <-- here
//NOTE-NEXT:   |    store to B
//NOTE-NEXT:  why: the annotation refers to this loop and would be lost
//NOTE-NEXT:  try: merge first, then annotate one of the results

//EXTENT:error[KC3454]: merge: loop p has 8 iterations, s has 7
//EXTENT-NEXT:  --> {{.*}}merge_invalid.mlir:20:3  tir.for %p in 8 {
//EXTENT-NEXT:   |  for p in 8:    <-- to be merged
//EXTENT-NEXT:   |    store to B
//EXTENT-NEXT:   |  for s in 7:    <-- to be merged
//EXTENT-NEXT:   |    store to A
//EXTENT-NEXT:  why: merged loops must run the same iterations
//EXTENT-NEXT:  try: loop_partition first: loop=p factors=7,?

//SIZES:error[KC3454]: merge: loop i has n iterations, i has m
//SIZES-NEXT:  --> {{.*}}merge_invalid.mlir:73:3  %B = te.compute "B" [%i = %n] {
//SIZES-NEXT:   |  for i in n:    <-- to be merged
//SIZES-NEXT:   |    block B
//SIZES-NEXT:   |  for i in m:    <-- to be merged
//SIZES-NEXT:   |    block C
//SIZES-NEXT:  why: they are not equal for n = 0, m = 1

//ORDER:error[KC3455]: merge: running p and q together changes the result
//ORDER-NEXT:  --> {{.*}}merge_invalid.mlir:20:3  tir.for %p in 8 {
//ORDER-NEXT:   |  for p in 8:    <-- to be merged
//ORDER-NEXT:   |    store to B
//ORDER-NEXT:   |  for q in 8:    <-- to be merged
//ORDER-NEXT:   |    store to A
//ORDER-NEXT:  why: the statement at (p=4) writes B[4], which the statement at (q=3) reads

//SUM:error[KC3455]: merge: running k and j together changes the result
//SUM-NEXT:  --> {{.*}}merge_invalid.mlir:85:3  %S = te.compute "S" [%i = 6] reduce sum [%k = 4] {
//SUM-NEXT:   |  for i in 6:
//SUM-NEXT:   |    for k in 4:    <-- to be merged
//SUM-NEXT:   |      block S
//SUM-NEXT:   |  for i in 6:
//SUM-NEXT:   |    for j in 4:    <-- to be merged
//SUM-NEXT:   |      block D
//SUM-NEXT:  why: S at (i=0, k=1) updates S[0], which D at (i=0, j=0) reads
//SUM-NEXT:  try: merge loops=i,i is legal

//BETWEEN:error[KC3456]: merge: loop q stands between loops p and a
//BETWEEN-NEXT:  --> {{.*}}merge_invalid.mlir:20:3  tir.for %p in 8 {
//BETWEEN-NEXT:   |  for p in 8:    <-- to be merged
//BETWEEN-NEXT:   |    store to B
//BETWEEN-NEXT:   |  for q in 8:    <-- in between
//BETWEEN-NEXT:   |    store to A
//BETWEEN-NEXT:   |  for a in 8:    <-- to be merged
//BETWEEN-NEXT:   |    store to B
//BETWEEN-NEXT:  why: the statement at (p=0) reads A[0], which the statement at (q=0) writes; the statement at (q=0) reads B[7], which the statement at (a=7) writes
