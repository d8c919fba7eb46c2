// What runs at the same time may still do so with other loops inside.
// RUN: kc-opt %s --reorder="func=rows loops=i,j" | FileCheck %s
// RUN: not kc-opt %s --reorder="func=diagonal loops=i,j" 2>&1 | FileCheck %s --check-prefix=RACE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="func=scatter loops=i,j" 2>&1 | FileCheck %s --check-prefix=UNSURE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="func=rows loops=k,i" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace

// CHECK-LABEL: func.func @rows
// CHECK:         tir.for %i in 8 parallel {
// CHECK-NEXT:      tir.for %j in 8 {
// CHECK-NEXT:        tir.for %k in 8 vectorized {
func.func @rows(%A: memref<8x8x8xf32>, %x: f32) {
  tir.for %j in 8 {
    tir.for %i in 8 parallel {
      tir.for %k in 8 vectorized {
        tir.store %x, %A[%i, %j, %k] : memref<8x8x8xf32>
      }
    }
  }
  func.return
}

// In one iteration of j all i are independent; i+1, j+1 depends on i, j.
//RACE:error[KC3041]: reorder: with j inside, the iterations of the parallel loop i depend on each other
//RACE-NEXT:  --> {{.*}}reorder_kinds.mlir:32:5  tir.for %i in 8 parallel {
//RACE-NEXT:   |  for j in 8:
//RACE-NEXT:   |    for i in 8 parallel:    <-- here
//RACE-NEXT:   |      store to A
//RACE-NEXT:  why: the statement at (j=0, i=0) writes A[1, 1], which the statement at (j=1, i=1) reads
//RACE-NEXT:  try: keep j outside i
func.func @diagonal(%A: memref<9x9xf32>) {
  tir.for %j in 8 {
    tir.for %i in 8 parallel {
      %a = tir.load %A[%i, %j] : memref<9x9xf32>
      tir.store %a, %A[%i + 1, %j + 1] : memref<9x9xf32>
    }
  }
  func.return
}

//UNSURE:error[KC3041]: reorder: with j inside, the iterations of the vectorized loop i cannot be proven independent
//UNSURE-NEXT:  --> {{.*}}reorder_kinds.mlir:49:5  tir.for %i in 8 vectorized {
//UNSURE-NEXT:   |  for j in 8:
//UNSURE-NEXT:   |    for i in 8 vectorized:    <-- here
//UNSURE-NEXT:   |      store to A
//UNSURE-NEXT:  why: cannot prove that iterations touch different elements of A: at is not affine
//UNSURE-NEXT:  try: keep j outside i
func.func @scatter(%A: memref<9x9xf32>, %I: memref<9xindex>, %x: f32) {
  tir.for %j in 8 {
    tir.for %i in 8 vectorized {
      %at = tir.load %I[%i] : memref<9xindex>
      tir.store %x, %A[%j, %at] : memref<9x9xf32>
    }
  }
  func.return
}

//LANES:error[KC3044]: reorder: the vectorized loop k around the parallel loop i
//LANES-NEXT:  --> {{.*}}reorder_kinds.mlir:14:7  tir.for %k in 8 vectorized {
//LANES-NEXT:   |  for j in 8:
//LANES-NEXT:   |    for i in 8 parallel:
//LANES-NEXT:   |      for k in 8 vectorized:    <-- here
//LANES-NEXT:   |        store to A
//LANES-NEXT:  why: a vector lane is a scalar: it cannot start threads
//LANES-NEXT:  try: keep i outside k
