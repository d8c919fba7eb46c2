// What rolling_buffer refuses, and what it says then.
// RUN: not kc-opt %s --rolling-buffer="func=te block=B buffer=A" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rolling-buffer="func=loops block=T" 2>&1 | FileCheck %s --check-prefix=COMPLETE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rolling-buffer="func=te block=C" 2>&1 | FileCheck %s --check-prefix=OUT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rolling-buffer="func=te block=B" 2>&1 | FileCheck %s --check-prefix=ROOT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --compute-at="func=point block=B loop=i" --rolling-buffer="func=point block=B" 2>&1 | FileCheck %s --check-prefix=OWN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --compute-at="func=te block=B loop=i" --parallel="func=te block=C loop=i" --rolling-buffer="func=te block=B" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rolling-buffer="func=loops block=P" 2>&1 | FileCheck %s --check-prefix=ITERATION --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rolling-buffer="func=loops block=G" 2>&1 | FileCheck %s --check-prefix=INPUT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rolling-buffer="func=loops block=E" 2>&1 | FileCheck %s --check-prefix=WRITTEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rolling-buffer="func=loops block=K" 2>&1 | FileCheck %s --check-prefix=KEPT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rolling-buffer="func=loops block=R" 2>&1 | FileCheck %s --check-prefix=SIZE --match-full-lines --strict-whitespace

te.func @te(%A: tensor<16xf32>) -> tensor<14xf32> {
  %B = te.compute "B" [%i = 16] {
    %a = te.read %A[%i] : tensor<16xf32>
    te.yield %a : f32
  } : tensor<16xf32>
  %C = te.compute "C" [%i = 14] {
    %x = te.read %B[%i] : tensor<16xf32>
    %y = te.read %B[%i + 2] : tensor<16xf32>
    %b = arith.addf %x, %y : f32
    te.yield %b : f32
  } : tensor<14xf32>
  te.return %C : tensor<14xf32>
}

func.func @loops(%A: memref<16xf32>, %C: memref<16xf32>, %D: memref<16xf32>, %z: f32) {
  %K = tir.alloc "K" : memref<16xf32>
  tir.for %i in 12 {
    tir.for %d in 3 {
      tir.block "K" (spatial %v in 16 = %i + %d) do {
        %a = tir.load %A[%v] : memref<16xf32>
        tir.store %a, %K[%v] : memref<16xf32>
      }
    }
    tir.block "L" (opaque %v in 12 = %i) where (%i >= 1) do {
      %k = tir.load %K[%v - 1] : memref<16xf32>
      tir.store %k, %C[%v] : memref<16xf32>
    }
  }
  tir.for %i in 12 {
    %E = tir.alloc "E" : memref<16xf32>
    tir.for %d in 3 {
      tir.block "E" (spatial %v in 16 = %i + %d) where ((%i mod 2) * 2 - %d >= 0) do {
        %a = tir.load %A[%v] : memref<16xf32>
        tir.store %a, %E[%v] : memref<16xf32>
      }
    }
    tir.block "F" (spatial %v in 12 = %i) do {
      %e = tir.load %E[%v] : memref<16xf32>
      tir.store %e, %C[%v] : memref<16xf32>
    }
  }
  tir.for %i in 12 {
    %G = tir.alloc "G" : memref<16xf32>
    tir.for %d in 3 {
      tir.block "G" (spatial %v in 16 = %i + %d) do {
        %a = tir.load %A[%v] : memref<16xf32>
        tir.store %a, %G[%v] : memref<16xf32>
      }
    }
    tir.block "H" (spatial %v in 12 = %i) do {
      %g = tir.load %G[%v + 1] : memref<16xf32>
      tir.store %g, %A[%v + 2] : memref<16xf32>
    }
  }
  tir.for %i in 12 {
    %P = tir.alloc "P" : memref<16xindex>
    tir.for %d in 3 {
      tir.block "P" (spatial %v in 16 = %i + %d) do {
        %s = arith.addi %v, %i : index
        tir.store %s, %P[%v] : memref<16xindex>
      }
    }
    tir.block "Q" (spatial %v in 12 = %i) do {
      %p = tir.load %P[%v + 1] : memref<16xindex>
      tir.store %z, %D[%v] : memref<16xf32>
    }
  }
  tir.for %i in 12 {
    %size = tir.apply (%i + 1)
    %R = tir.alloc "R" (%size) : memref<16x?xf32>
    tir.for %d in 3 {
      tir.block "R" (spatial %v in 16 = %i + %d) do {
        tir.store %z, %R[%v, 0] : memref<16x?xf32>
      }
    }
    tir.block "S" (spatial %v in 12 = %i) do {
      %p = tir.load %R[%v + 1, 0] : memref<16x?xf32>
      tir.store %p, %D[%v] : memref<16xf32>
    }
  }
  tir.for %i in 12 {
    %T = tir.alloc "T" : memref<16xf32>
    tir.for %d in 3 {
      tir.block "T" (spatial %v in 16 = %i + %d) do {
        %t = tir.load %T[15 - %v] : memref<16xf32>
        tir.store %t, %T[%v] : memref<16xf32>
      }
    }
  }
  func.return
}

te.func @point(%A: tensor<16xf32>) -> tensor<16xf32> {
  %B = te.compute "B" [%i = 16] {
    %a = te.read %A[%i] : tensor<16xf32>
    te.yield %a : f32
  } : tensor<16xf32>
  %C = te.compute "C" [%i = 16] {
    %x = te.read %B[%i] : tensor<16xf32>
    te.yield %x : f32
  } : tensor<16xf32>
  te.return %C : tensor<16xf32>
}

//NAME:error[KC3300]: rolling_buffer: block B writes no buffer A
//NAME-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:15:3  %B = te.compute "B" [%i = 16] {
//NAME-NEXT:   |  for i in 16:
//NAME-NEXT:   |    block B    <-- here
//NAME-NEXT:  why: it writes 0: B
//NAME-NEXT:  try: the buffers are: B

//COMPLETE:error[KC3200]: rolling_buffer: block T is neither complete nor a reduction
//COMPLETE-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:97:7  tir.block "T" (spatial %v in 16 = %i + %d) do {
//COMPLETE-NEXT:   |  for i in 12:
//COMPLETE-NEXT:   |    alloc T
//COMPLETE-NEXT:   |    for d in 3:
//COMPLETE-NEXT:   |      block T    <-- here
//COMPLETE-NEXT:  why: it reads T, which it writes
//COMPLETE-NEXT:  try: use rolling_buffer on a block that computes each element of one buffer

//OUT:error[KC3202]: rolling_buffer: C of block C is an output
//OUT-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:19:3  %C = te.compute "C" [%i = 14] {
//OUT-NEXT:   |  for i in 14:
//OUT-NEXT:   |    block C    <-- here
//OUT-NEXT:  why: the caller reads all of it after the call
//OUT-NEXT:  try: cache_write gives block C its own buffer

//ROOT:error[KC3490]: rolling_buffer: no part of B is used again in the next iteration of a loop
//ROOT-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:15:3  %B = te.compute "B" [%i = 16] {
//ROOT-NEXT:   |  for i in 16:
//ROOT-NEXT:   |    block B    <-- here
//ROOT-NEXT:  why: no loop contains both block B and all consumers of B
//ROOT-NEXT:  try: compute_at block=B at a loop around the consumers of B

//OWN:error[KC3490]: rolling_buffer: no part of B is used again in the next iteration of a loop
//OWN-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:107:3  %B = te.compute "B" [%i = 16] {
//OWN-NEXT:   |  for i in 16:
//OWN-NEXT:   |    alloc B
//OWN-NEXT:   |    block B    <-- here
//OWN-NEXT:   |    block C
//OWN-NEXT:  why: each iteration of i uses separate elements, or all of them

//KIND:error[KC3491]: rolling_buffer: loop i is parallel
//KIND-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:19:3  %C = te.compute "C" [%i = 14] {
//KIND-NEXT:   |  for i in 14 parallel:    <-- parallel
//KIND-NEXT:   |    alloc B
//KIND-NEXT:   |    for i_1 in 3:
//KIND-NEXT:   |      block B
//KIND-NEXT:   |    block C
//KIND-NEXT:  why: the kept part of B is for the next iteration

//ITERATION:error[KC3494]: rolling_buffer: block P may compute a different element in another iteration of i
//ITERATION-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:71:7  tir.block "P" (spatial %v in 16 = %i + %d) do {
//ITERATION-NEXT:   |  for i in 12:    <-- rolls here
//ITERATION-NEXT:   |    alloc P
//ITERATION-NEXT:   |    for d in 3:
//ITERATION-NEXT:   |      block P    <-- the block
//ITERATION-NEXT:   |    block Q
//ITERATION-NEXT:  why: it uses i, which changes with i

//INPUT:error[KC3493]: rolling_buffer: A, which block G reads, is written by block H in loop i
//INPUT-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:58:7  tir.block "G" (spatial %v in 16 = %i + %d) do {
//INPUT-NEXT:   |  for i in 12:
//INPUT-NEXT:   |    alloc G
//INPUT-NEXT:   |    for d in 3:
//INPUT-NEXT:   |      block G    <-- reads A
//INPUT-NEXT:   |    block H    <-- writes A
//INPUT-NEXT:  why: block H writes at (i=0), after the element was computed at (i=0, d=2) and before it would be computed again at (i=1, d=1)

//WRITTEN:error[KC3492]: rolling_buffer: block F does not find all of its inputs in 3 elements of E
//WRITTEN-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:50:5  tir.block "F" (spatial %v in 12 = %i) do {
//WRITTEN-NEXT:   |  for i in 12:    <-- rolls here
//WRITTEN-NEXT:   |    alloc E
//WRITTEN-NEXT:   |    for d in 3:
//WRITTEN-NEXT:   |      block E
//WRITTEN-NEXT:   |    block F    <-- reads E
//WRITTEN-NEXT:  why: block F at (i=1) reads [1], which is not yet written

//KEPT:error[KC3492]: rolling_buffer: block L does not find all of its inputs in 3 elements of K
//KEPT-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:37:5  tir.block "L" (opaque %v in 12 = %i) where (%i >= 1) do {
//KEPT-NEXT:   |  for i in 12:    <-- rolls here
//KEPT-NEXT:   |    for d in 3:
//KEPT-NEXT:   |      block K
//KEPT-NEXT:   |    block L    <-- reads K
//KEPT-NEXT:  why: block L at (i=1) reads [0], which is already overwritten

//SIZE:error[KC3495]: rolling_buffer: the sizes of R depend on loop i
//SIZE-NEXT:  --> {{.*}}rolling_buffer_invalid.mlir:81:3  tir.for %i in 12 {
//SIZE-NEXT:   |  for i in 12:    <-- rolls here
//SIZE-NEXT:   |    alloc R    <-- here
//SIZE-NEXT:   |    for d in 3:
//SIZE-NEXT:   |      block R
//SIZE-NEXT:   |    block S
//SIZE-NEXT:  why: one buffer serves all iterations of the loop
