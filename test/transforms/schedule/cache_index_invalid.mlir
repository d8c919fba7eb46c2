// What cache_index refuses, and what it says then.
// RUN: not kc-opt %s --cache-index="func=plain block=B" 2>&1 | FileCheck %s --check-prefix=PLAIN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-index="func=twice block=B cse_thresh=2" 2>&1 | FileCheck %s --check-prefix=RARE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-index="func=twice block=B scope=regs" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-index="func=tail block=G" 2>&1 | FileCheck %s --check-prefix=TAIL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-index="func=changed block=G" 2>&1 | FileCheck %s --check-prefix=CHANGED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-index="func=threads block=G" 2>&1 | FileCheck %s --check-prefix=THREADS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-index="func=lanes block=B" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace

func.func @plain(%A: memref<9xf32>, %B: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v + 1] : memref<9xf32>
      tir.store %x, %B[%v] : memref<8xf32>
    }
  }
  func.return
}

func.func @twice(%A: memref<9xf32>, %B: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v floordiv 2] : memref<9xf32>
      %y = tir.load %A[%v floordiv 2] : memref<9xf32>
      %z = arith.addf %x, %y : f32
      tir.store %z, %B[%v] : memref<8xf32>
    }
  }
  func.return
}

// I has no element for the values of v that are left out.
func.func @tail(%A: memref<8xf32>, %I: memref<6xindex>, %B: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "G" (spatial %v in 8 = %i) where (%i < 6) do {
      %n = tir.load %I[%v] : memref<6xindex>
      %x = tir.load %A[%n] : memref<8xf32>
      tir.store %x, %B[%v] : memref<8xf32>
    }
  }
  func.return
}

func.func @changed(%A: memref<8xf32>, %I: memref<9xindex>, %B: memref<8xf32>) {
  tir.block "G" (spatial %u in 1 = 0) do {
    %m = tir.load %I[%u + 1] : memref<9xindex>
    tir.store %m, %I[%u] : memref<9xindex>
    %n = tir.load %I[%u] : memref<9xindex>
    %x = tir.load %A[%n] : memref<8xf32>
    tir.store %x, %B[%u] : memref<8xf32>
  }
  func.return
}

// Other threads write what is gathered from.
func.func @threads(%A: memref<8xf32>, %I: memref<8x8xindex>, %B: memref<8xf32>) {
  tir.for %i in 8 parallel {
    tir.block "W" (spatial %v in 8 = %i) do {
      %zero = arith.constant 0 : index
      tir.store %zero, %I[%v, %v] : memref<8x8xindex>
    }
    tir.block "G" (spatial %v in 8 = %i) do {
      %n = tir.load %I[%v, %v] : memref<8x8xindex>
      %x = tir.load %A[%n] : memref<8xf32>
      tir.store %x, %B[%v] : memref<8xf32>
    }
  }
  func.return
}

func.func @lanes(%A: memref<32xf32>, %B: memref<4x8xf32>) {
  tir.for %i in 4 vectorized {
    tir.block "B" (spatial %v in 8 = 3) do {
      %x = tir.load %A[(%v * 5 + %i) mod 32] : memref<32xf32>
      tir.store %x, %B[%i, %v] : memref<4x8xf32>
    }
  }
  func.return
}

//PLAIN:error[KC3604]: cache_index: block B has no index worth a buffer
//PLAIN-NEXT:  --> {{.*}}cache_index_invalid.mlir:12:5  tir.block "B" (spatial %v in 8 = %i) do {
//PLAIN-NEXT:   |  for i in 8:
//PLAIN-NEXT:   |    block B    <-- here
//PLAIN-NEXT:  why: each index of its loads is a variable plus a constant, or cannot be computed elsewhere

//RARE:error[KC3604]: cache_index: block B has no index worth a buffer
//RARE-NEXT:  --> {{.*}}cache_index_invalid.mlir:22:5  tir.block "B" (spatial %v in 8 = %i) do {
//RARE-NEXT:   |  for i in 8:
//RARE-NEXT:   |    block B    <-- here
//RARE-NEXT:  why: its indices occur at most 2 times
//RARE-NEXT:  try: cse_thresh=1

//SCOPE:error[KC3301]: cache_index: target llvm has no memory scope 'regs'
//SCOPE-NEXT:  --> {{.*}}cache_index_invalid.mlir:20:1  func.func @twice(%A: memref<9xf32>, %B: memref<8xf32>) {
//SCOPE-NEXT:  try: the scopes are: global, local, shared, shared.dyn, warp, wmma.matrix_a, wmma.matrix_b, wmma.accumulator

//TAIL:error[KC3605]: cache_index: an index of block G is read from I, and out of bounds
//TAIL-NEXT:  --> {{.*}}cache_index_invalid.mlir:35:5  tir.block "G" (spatial %v in 8 = %i) where (%i < 6) do {
//TAIL-NEXT:   |  for i in 8:
//TAIL-NEXT:   |    block G    <-- here
//TAIL-NEXT:  why: it would be computed for all values of the variables, including v=6

//CHANGED:error[KC3305]: cache_index: I changes between the copy and what block G reads
//CHANGED-NEXT:  --> {{.*}}cache_index_invalid.mlir:45:3  tir.block "G" (spatial %u in 1 = 0) do {
//CHANGED-NEXT:   |  block G    <-- reads I
//CHANGED-NEXT:  why: block G writes what is read

//THREADS:error[KC3305]: cache_index: I changes between the copy and what block G reads
//THREADS-NEXT:  --> {{.*}}cache_index_invalid.mlir:62:5  tir.block "G" (spatial %v in 8 = %i) do {
//THREADS-NEXT:   |  for i in 8 parallel:
//THREADS-NEXT:   |    block W    <-- writes I
//THREADS-NEXT:   |    block G    <-- reads I
//THREADS-NEXT:  why: block W at (i=1) writes what another thread copies

//LANES:error[KC3310]: cache_index: a buffer of the indices of block B cannot be placed
//LANES-NEXT:  --> {{.*}}cache_index_invalid.mlir:73:5  tir.block "B" (spatial %v in 8 = 3) do {
//LANES-NEXT:   |  for i in 4 vectorized:
//LANES-NEXT:   |    block B    <-- here
//LANES-NEXT:  why: their operands exist only in a vectorized loop, whose lanes would share the buffer
//LANES-NEXT:  try: cache_index first, then vectorize
