// What reindex refuses, and what it says then.
// RUN: not kc-opt %s --reindex="func=many block=S buffer=Q" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex="func=called block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=CALLED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex="func=many block=S buffer=A" 2>&1 | FileCheck %s --check-prefix=SEVERAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex="func=many block=G buffer=B" 2>&1 | FileCheck %s --check-prefix=GATHER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex="func=many block=W buffer=C" 2>&1 | FileCheck %s --check-prefix=CLASH --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex="func=many block=E buffer=C" 2>&1 | FileCheck %s --check-prefix=UNWRITTEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex="func=many block=P buffer=A" 2>&1 | FileCheck %s --check-prefix=SCAN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex="func=sizes block=D buffer=A" 2>&1 | FileCheck %s --check-prefix=SIZE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex="func=lanes block=C buffer=B" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex="func=vectors block=V buffer=A" 2>&1 | FileCheck %s --check-prefix=VECTORS --match-full-lines --strict-whitespace

func.func private @change(memref<8xf32>)

func.func @called(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %C[%v] : memref<8xf32>
    }
  }
  func.call @change(%A) : (memref<8xf32>) -> ()
  func.return
}

func.func @many(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>, %I: memref<8xindex>) {
  tir.for %i in 7 {
    tir.block "S" (spatial %v in 7 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      %y = tir.load %A[%v + 1] : memref<8xf32>
      %z = arith.addf %x, %y : f32
      tir.store %z, %B[%v] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "G" (spatial %v in 8 = %i) do {
      %n = tir.load %I[%v] : memref<8xindex>
      %x = tir.load %B[%n] : memref<8xf32>
      tir.store %x, %C[%v] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "W" (opaque %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %C[%v floordiv 2] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "E" (spatial %v in 8 = %i) where (%i < 5) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %C[%v] : memref<8xf32>
    }
  }
  tir.block "P" (opaque %u in 4 = 2) do {
    tir.for %i in 4 {
      %x = tir.load %A[%u] : memref<8xf32>
      tir.store %x, %A[%i] : memref<8xf32>
    }
  }
  func.return
}

func.func @sizes(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %i in 4 {
    %e = tir.apply (%i floordiv 2 + 1)
    tir.for %j in %e {
      tir.block "D" (spatial %v in 4 = %i, spatial %w in %e = %j) do {
        %x = tir.load %A[%v + %w] : memref<8xf32>
        tir.store %x, %B[%v * 2 + %w] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @lanes(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 vectorized {
    %B = tir.alloc "B" : memref<1xf32>
    tir.block "B" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %B[0] : memref<1xf32>
    }
    tir.block "C" (spatial %v in 8 = %i) do {
      %x = tir.load %B[0] : memref<1xf32>
      tir.store %x, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

func.func @vectors(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 2 {
    tir.block "V" (spatial %v in 2 = %i) do {
      %x = tir.load %A[%v * 4] : memref<8xf32>, vector<4xf32>
      tir.store %x, %C[%v * 4] : memref<8xf32>, vector<4xf32>
    }
  }
  func.return
}

//NAME:error[KC3300]: reindex: block S uses no buffer Q
//NAME-NEXT:  --> {{.*}}reindex_invalid.mlir:28:5  tir.block "S" (spatial %v in 7 = %i) do {
//NAME-NEXT:   |  for i in 7:
//NAME-NEXT:   |    block S    <-- here
//NAME-NEXT:  why: it uses 0: B, 1: A
//NAME-NEXT:  try: the buffers are: B, A

//CALLED:error[KC3303]: reindex: A of block C is used by func.call
//CALLED-NEXT:  --> {{.*}}reindex_invalid.mlir:22:3  func.call @change(%A) : (memref<8xf32>) -> ()
//CALLED-NEXT:   |  func.call    <-- uses A
//CALLED-NEXT:  why: the effect of func.call on it is unknown

//SEVERAL:error[KC3530]: reindex: block S accesses A at several indices
//SEVERAL-NEXT:  --> {{.*}}reindex_invalid.mlir:28:5  tir.block "S" (spatial %v in 7 = %i) do {
//SEVERAL-NEXT:   |  for i in 7:
//SEVERAL-NEXT:   |    block S    <-- here
//SEVERAL-NEXT:  why: the new buffer has one element for each value of the block's variables
//SEVERAL-NEXT:  try: cache_read of A, and then transform_layout

//GATHER:error[KC3530]: reindex: the index of B in block G does not depend on its variables alone
//GATHER-NEXT:  --> {{.*}}reindex_invalid.mlir:36:5  tir.block "G" (spatial %v in 8 = %i) do {
//GATHER-NEXT:   |  for i in 8:
//GATHER-NEXT:   |    block G    <-- here
//GATHER-NEXT:  why: it contains n, for which the new buffer would have no dimension

//CLASH:error[KC3531]: reindex: the index of C in block W mixes elements
//CLASH-NEXT:  --> {{.*}}reindex_invalid.mlir:43:5  tir.block "W" (opaque %v in 8 = %i) do {
//CLASH-NEXT:   |  for i in 8:
//CLASH-NEXT:   |    block W    <-- here
//CLASH-NEXT:  why: two elements of the new buffer would share one element of C: those of (v=0) and (v=1)

//UNWRITTEN:error[KC3306]: reindex: block E does not write all of C that would be copied
//UNWRITTEN-NEXT:  --> {{.*}}reindex_invalid.mlir:49:5  tir.block "E" (spatial %v in 8 = %i) where (%i < 5) do {
//UNWRITTEN-NEXT:   |  for i in 8:
//UNWRITTEN-NEXT:   |    block E    <-- here
//UNWRITTEN-NEXT:  why: element [5] is in the bounding box of its writes, but is not written

//SCAN:error[KC3530]: reindex: the index of A in block P does not depend on its variables alone
//SCAN-NEXT:  --> {{.*}}reindex_invalid.mlir:54:3  tir.block "P" (opaque %u in 4 = 2) do {
//SCAN-NEXT:   |  block P    <-- here
//SCAN-NEXT:   |    for i in 4:
//SCAN-NEXT:   |      store to A
//SCAN-NEXT:  why: it contains i, for which the new buffer would have no dimension

//SIZE:error[KC3532]: reindex: the extent of w of block D is not available at the place of the copy
//SIZE-NEXT:  --> {{.*}}reindex_invalid.mlir:67:7  tir.block "D" (spatial %v in 4 = %i, spatial %w in %e = %j) do {
//SIZE-NEXT:   |  for i in 4:
//SIZE-NEXT:   |    for j in e:
//SIZE-NEXT:   |      block D    <-- here
//SIZE-NEXT:  why: the new buffer has a dimension of this size

//LANES:error[KC3310]: reindex: a copy of B cannot be placed
//LANES-NEXT:  --> {{.*}}reindex_invalid.mlir:83:5  tir.block "C" (spatial %v in 8 = %i) do {
//LANES-NEXT:   |  for i in 8 vectorized:
//LANES-NEXT:   |    alloc B
//LANES-NEXT:   |    block B
//LANES-NEXT:   |    block C    <-- here
//LANES-NEXT:  why: B exists only in a vectorized loop, whose lanes would share the copy
//LANES-NEXT:  try: reindex first, then vectorize

//VECTORS:error[KC3504]: reindex: A of block V is accessed by vectors
//VECTORS-NEXT:  --> {{.*}}reindex_invalid.mlir:94:7  %x = tir.load %A[%v * 4] : memref<8xf32>, vector<4xf32>
//VECTORS-NEXT:   |  tir.load    <-- a vector<4xf32>
//VECTORS-NEXT:  why: neighbours along the last dimension may be elsewhere in the new layout
//VECTORS-NEXT:  try: reindex before vectorize-loop

// RUN: not kc-opt %s --reindex="func=tile block=S buffer=S" 2>&1 | FileCheck %s --check-prefix=SHARED --match-full-lines --strict-whitespace
//      SHARED:error[KC3415]: reindex: the threads of b overwrite each other's values in a global copy of S
// SHARED-NEXT:  --> {{.*}}
// SHARED-NEXT:   |  for b in 2 blockIdx.x:    <-- blockIdx.x
// SHARED-NEXT:   |    alloc S    <-- each thread has its own (shared)
// SHARED-NEXT:   |    for t in 4 threadIdx.x:
// SHARED-NEXT:   |      block S
// SHARED-NEXT:   |    for t in 4 threadIdx.x:
// SHARED-NEXT:   |      block C
// SHARED-NEXT:  why: the copy would be one buffer for all threads of blockIdx.x
// SHARED-NEXT:  try: reindex_cache_write scope=shared
//  SHARED-NOT:{{.}}
func.func @tile(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %b in 2 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<4xf32, "shared">
    tir.for %t in 4 thread "threadIdx.x" {
      tir.block "S" (spatial %v in 4 = %t, spatial %w in 2 = %b) do {
        %a = tir.load %A[%w * 4 + %v] : memref<8xf32>
        tir.store %a, %S[%v] : memref<4xf32, "shared">
      }
    }
    tir.for %t in 4 thread "threadIdx.x" {
      tir.block "C" (spatial %v in 8 = %b * 4 + %t) do {
        %a = tir.load %S[3 - %t] : memref<4xf32, "shared">
        tir.store %a, %C[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

// Of the two elements that would be copied in each iteration of i, it writes the second.
// RUN: not kc-opt %s --reindex="func=odd block=E buffer=C" 2>&1 | FileCheck %s --check-prefix=ODD --match-full-lines --strict-whitespace
func.func @odd(%A: memref<16xf32>, %C: memref<16xf32>, %T: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %j in 2 {
      tir.block "E" (spatial %v in 16 = %i * 2 + %j) where (%j >= 1) do {
        %x = tir.load %A[%v] : memref<16xf32>
        tir.store %x, %C[%v] : memref<16xf32>
      }
    }
    tir.block "T" (spatial %v in 8 = %i) do {
      %x = tir.load %C[%v * 2 + 1] : memref<16xf32>
      tir.store %x, %T[%v] : memref<8xf32>
    }
  }
  func.return
}
//ODD:error[KC3306]: reindex: block E does not write all of C that would be copied
//ODD-NEXT:  --> {{.*}}reindex_invalid.mlir:203:7  tir.block "E" (spatial %v in 16 = %i * 2 + %j) where (%j >= 1) do {
//ODD-NEXT:   |  for i in 8:
//ODD-NEXT:   |    for j in 2:
//ODD-NEXT:   |      block E    <-- here
//ODD-NEXT:   |    block T
//ODD-NEXT:  why: element [0] is in the bounding box of its writes, but is not written

// The last part of a loop, which may have no iteration where the reduction is not over nothing.
// RUN: not kc-opt %s --reindex-cache-write="func=part block=S buffer=S scope=global index-map=(v_i,v_k)->(v_i)" 2>&1 | FileCheck %s --check-prefix=PART --match-full-lines --strict-whitespace
func.func @part(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %S: memref<1xf32>) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %last = tir.apply max(min(1, %n - 2), 0)
  tir.for %i in 1 {
    tir.for %k in %last {
      tir.block "S" (spatial %v_i in 1 = %i, reduce %v_k in %n = %last - 1 - %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v_i] : memref<1xf32>
      } do {
        %a = tir.load %A[%v_k] : memref<?xf32>
        %s = tir.load %S[%v_i] : memref<1xf32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %S[%v_i] : memref<1xf32>
      }
    }
  }
  func.return
}
//PART:error[KC3306]: reindex_cache_write: block S does not write all of S that would be copied
//PART-NEXT:  --> {{.*}}reindex_invalid.mlir:230:7  tir.block "S" (spatial %v_i in 1 = %i, reduce %v_k in %n = %last - 1 - %k) init {
//PART-NEXT:   |  for i in 1:
//PART-NEXT:   |    for k in last:
//PART-NEXT:   |      block S    <-- here
//PART-NEXT:  why: element [0] (for n = 1) is in the bounding box of its writes, but is not written
