// What unroll-and-jam refuses, and what it says then.
// RUN: not kc-opt %s --unroll-and-jam="func=nest loop=j" 2>&1 | FileCheck %s --check-prefix=INNERMOST --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unroll-and-jam="func=nest loop=i factor=0" 2>&1 | FileCheck %s --check-prefix=FACTOR --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unroll-and-jam="func=nest loop=i factor=2" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unroll-and-jam="func=chain loop=i factor=2" 2>&1 | FileCheck %s --check-prefix=CHAIN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=mixed loop=p" --unroll-and-jam="func=mixed loop=p factor=2" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace

//      INNERMOST:error[KC3459]: unroll_and_jam: j has no inner loop
// INNERMOST-NEXT:  --> {{.*}}:[[# @LINE + 23]]:5  tir.for %j in 8 {
// INNERMOST-NEXT:   |  for i in 8:
// INNERMOST-NEXT:   |    for j in 8:    <-- here
// INNERMOST-NEXT:   |      store to A
// INNERMOST-NEXT:  why: the iterations are moved into an inner loop
// INNERMOST-NEXT:  try: split j and unroll j_i
//      FACTOR:error[KC3021]: split: factor 0 for loop i
// FACTOR-NEXT:  --> {{.*}}:[[# @LINE + 15]]:3  tir.for %i in 8 {
// FACTOR-NEXT:   |  for i in 8:    <-- here
// FACTOR-NEXT:   |    for j in 8:
// FACTOR-NEXT:   |      store to A
// FACTOR-NEXT:  why: a factor is the extent of a loop, so it must be at least 1
// FACTOR-NEXT:  try: factors=?,4
// FACTOR-NEXT:  try: factors=?,2
//      ORDER:error[KC3035]: reorder: the order j, i_i changes the result
// ORDER-NEXT:  --> {{.*}}:[[# @LINE + 8]]:5  tir.for %j in 8 {
// ORDER-NEXT:   |  for i_o in 4:
// ORDER-NEXT:   |    for i_i in 2:    <-- reordered from here
// ORDER-NEXT:   |      for j in 8:
// ORDER-NEXT:   |        store to A
// ORDER-NEXT:  why: the statement at (i_i=0, j=1) writes A[1, 1], which the statement at (i_i=1, j=0) reads (for i_o = 0)
func.func @nest(%A: memref<9x9xf32>) {
  tir.for %i in 8 {
    tir.for %j in 8 {
      %a = tir.load %A[%i, %j + 1] : memref<9x9xf32>
      tir.store %a, %A[%i + 1, %j] : memref<9x9xf32>
    }
  }
  func.return
}

//      KIND:error[KC3010]: unroll_and_jam: loop p is already parallel
// KIND-NEXT:  --> {{.*}}:[[# @LINE + 13]]:3  tir.for %p in 8 {
// KIND-NEXT:   |  for p in 8 parallel:    <-- here
// KIND-NEXT:   |    for q in 8:
// KIND-NEXT:   |      store to A
// KIND-NEXT:  why: a loop must be restructured before it gets a kind of execution
// KIND-NEXT:  try: unroll_and_jam first, then parallel one of the results
func.func @mixed(%A: memref<8x8xf32>, %B: memref<8xf32>, %x: f32) {
  tir.for %i in 8 {
    tir.for %j in 8 {
      tir.store %x, %A[%i, %j] : memref<8x8xf32>
    }
    tir.store %x, %B[%i] : memref<8xf32>
  }
  tir.for %p in 8 {
    tir.for %q in 8 {
      tir.store %x, %A[%p, %q] : memref<8x8xf32>
    }
  }
  func.return
}

// Statements are repeated where iterations do not depend on each other.
//      CHAIN:error[KC3041]: unroll_and_jam: the iterations of i depend on each other
// CHAIN-NEXT:  --> {{.*}}:[[# @LINE + 7]]:3  tir.for %i in 8 {
// CHAIN-NEXT:   |  for i in 8:    <-- here
// CHAIN-NEXT:   |    store to y
// CHAIN-NEXT:   |    for j in 8:
// CHAIN-NEXT:   |      store to A
// CHAIN-NEXT:  why: the statement at (i=0, j=0) writes A[1, 0], which the statement at (i=1, j=0) reads
func.func @chain(%A: memref<9x8xf32>, %y: memref<8xf32>, %x: f32) {
  tir.for %i in 8 {
    tir.store %x, %y[%i] : memref<8xf32>
    tir.for %j in 8 {
      %a = tir.load %A[%i, %j] : memref<9x8xf32>
      tir.store %a, %A[%i + 1, %j] : memref<9x8xf32>
    }
  }
  func.return
}
