// What cache_inplace refuses, and what it says then.
// RUN: not kc-opt %s --cache-inplace="func=reads block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=READS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-inplace="func=reads block=C buffer=D" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-inplace="func=reads block=C buffer=C scope=locl" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-inplace="func=called block=C buffer=C" 2>&1 | FileCheck %s --check-prefix=CALL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-inplace="func=seen block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=SEEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-inplace="func=written block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=WRITTEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-inplace="func=threads block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=THREADS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-inplace="func=lanes block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-inplace="func=combined block=B buffer=B scope=local" 2>&1 | FileCheck %s --check-prefix=COMBINED --match-full-lines --strict-whitespace

func.func @reads(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      %y = tir.load %C[%v_i] : memref<8xf32>
      %z = arith.addf %x, %y : f32
      tir.store %z, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func private @change(memref<8xf32>)

func.func @called(%C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %y = tir.load %C[%v_i] : memref<8xf32>
      tir.store %y, %C[%v_i] : memref<8xf32>
    }
  }
  func.call @change(%C) : (memref<8xf32>) -> ()
  func.return
}

// A lane of D reads what B has updated; there is no place inside of the lanes.
func.func @seen(%B: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 vectorized {
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %B[%v_i] : memref<8xf32>
    }
    tir.block "D" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %D[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// W writes an element that B does not access, but that is in the box around what B does.
func.func @written(%B: memref<8xf32>) {
  tir.for %i in 3 vectorized {
    tir.block "B" (spatial %v_i in 3 = %i) do {
      %x = tir.load %B[%v_i * 2] : memref<8xf32>
      tir.store %x, %B[%v_i * 2 + 2] : memref<8xf32>
    }
    tir.block "W" (spatial %v_i in 3 = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %B[%v_i * 2 + 1] : memref<8xf32>
    }
  }
  func.return
}

// Thread i updates B[i] and B[i + 4]; what is between is in the box around both.
func.func @threads(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %i in 4 parallel {
    tir.block "B" (spatial %v_i in 4 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %B[%v_i] : memref<8xf32>
      tir.store %x, %B[%v_i + 4] : memref<8xf32>
    }
    tir.block "C" (spatial %v_i in 4 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %A[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @lanes(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 vectorized {
    %B = tir.alloc "B" : memref<1xf32>
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[0] : memref<1xf32>
      tir.store %x, %B[0] : memref<1xf32>
    }
  }
  func.return
}

// The threads add up A in a tile that they share.
func.func @combined(%A: memref<3x4xi32>, %C: memref<4xi32>) {
  tir.for %t in 4 thread "threadIdx.x" {
    %B = tir.alloc "B" : memref<i32, "shared">
    tir.for %k in 3 {
      tir.block "B" (reduce %v_t in 4 = %t, reduce %v_k in 3 = %k) init {
        %zero = arith.constant 0 : i32
        tir.store %zero, %B[] : memref<i32, "shared">
      } do {
        %a = tir.load %A[%v_k, %v_t] : memref<3x4xi32>
        %b = tir.load %B[] : memref<i32, "shared">
        %s = arith.addi %b, %a : i32
        tir.store %s, %B[] : memref<i32, "shared">
      }
    }
    tir.block "C" (spatial %v_t in 4 = %t) do {
      %b = tir.load %B[] : memref<i32, "shared">
      tir.store %b, %C[%v_t] : memref<4xi32>
    }
  }
  func.return
}

//READS:error[KC3601]: cache_inplace: block C does not write A
//READS-NEXT:  --> {{.*}}cache_inplace_invalid.mlir:14:5  tir.block "C" (spatial %v_i in 8 = %i) do {
//READS-NEXT:   |  for i in 8:
//READS-NEXT:   |    block C    <-- here
//READS-NEXT:  why: an unchanged copy need not be written back
//READS-NEXT:  try: cache_read of A
//READS-NEXT:  try: buffer=C

//NAME:error[KC3300]: cache_inplace: block C reads no buffer D
//NAME-NEXT:  --> {{.*}}cache_inplace_invalid.mlir:14:5  tir.block "C" (spatial %v_i in 8 = %i) do {
//NAME-NEXT:   |  for i in 8:
//NAME-NEXT:   |    block C    <-- here
//NAME-NEXT:  why: it reads 0: A, 1: C
//NAME-NEXT:  try: the buffers are: A, C

//SCOPE:error[KC3301]: cache_inplace: target llvm has no memory scope 'locl'
//SCOPE-NEXT:  --> {{.*}}cache_inplace_invalid.mlir:12:1  func.func @reads(%A: memref<8xf32>, %C: memref<8xf32>) {
//SCOPE-NEXT:  try: did you mean 'local' or 'global'?

//CALL:error[KC3303]: cache_inplace: C of block C is used by func.call
//CALL-NEXT:  --> {{.*}}cache_inplace_invalid.mlir:33:3  func.call @change(%C) : (memref<8xf32>) -> ()
//CALL-NEXT:   |  func.call    <-- uses C
//CALL-NEXT:  why: the effect of func.call on it is unknown

//SEEN:error[KC3307]: cache_inplace: block D reads B before it would be copied
//SEEN-NEXT:  --> {{.*}}cache_inplace_invalid.mlir:44:5  tir.block "D" (spatial %v_i in 8 = %i) do {
//SEEN-NEXT:   |  for i in 8 vectorized:
//SEEN-NEXT:   |    block B    <-- writes B
//SEEN-NEXT:   |    block D    <-- reads B
//SEEN-NEXT:  why: block D at (i=0) reads what block B at (i=0) writes

//WRITTEN:error[KC3307]: cache_inplace: block W writes B before it would be copied back
//WRITTEN-NEXT:  --> {{.*}}cache_inplace_invalid.mlir:59:5  tir.block "W" (spatial %v_i in 3 = %i) do {
//WRITTEN-NEXT:   |  for i in 3 vectorized:
//WRITTEN-NEXT:   |    block B    <-- updates B
//WRITTEN-NEXT:   |    block W    <-- writes B
//WRITTEN-NEXT:  why: block W at (i=0) writes a copied element

//THREADS:error[KC3307]: cache_inplace: block B writes B before it would be copied back
//THREADS-NEXT:  --> {{.*}}cache_inplace_invalid.mlir:70:5  tir.block "B" (spatial %v_i in 4 = %i) do {
//THREADS-NEXT:   |  for i in 4 parallel:
//THREADS-NEXT:   |    block B    <-- updates B
//THREADS-NEXT:   |    block C
//THREADS-NEXT:  why: block B at (i=0) writes an element that another thread has copied

//LANES:error[KC3310]: cache_inplace: a copy of B cannot be placed
//LANES-NEXT:  --> {{.*}}cache_inplace_invalid.mlir:86:5  tir.block "B" (spatial %v_i in 8 = %i) do {
//LANES-NEXT:   |  for i in 8 vectorized:
//LANES-NEXT:   |    alloc B
//LANES-NEXT:   |    block B    <-- here
//LANES-NEXT:  why: B exists only in a vectorized loop, whose lanes would share the copy
//LANES-NEXT:  try: cache_inplace first, then vectorize

//COMBINED:error[KC3408]: cache_inplace: block B reads a value that another thread writes to B
//COMBINED-NEXT:  --> {{.*}}e_invalid.mlir:99:7  tir.block "B" (reduce %v_t in 4 = %t, reduce %v_k in 3 = %k) init {
//COMBINED-NEXT:   |  for t in 4 threadIdx.x:    <-- threadIdx.x
//COMBINED-NEXT:   |    alloc B
//COMBINED-NEXT:   |    for k in 3:
//COMBINED-NEXT:   |      block B    <-- here
//COMBINED-NEXT:   |    block C
//COMBINED-NEXT:  why: threadIdx.x 0 reads B[], which threadIdx.x 1 writes; threads of threadIdx.x do not share local memory
//COMBINED-NEXT:  try: scope=shared: one copy for all threads of a block
