// What distribute refuses, and what it says then.
// RUN: not kc-opt %s --distribute="func=two loop=i block=B" 2>&1 | FileCheck %s --check-prefix=FIRST --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --distribute="func=back loop=i block=C" 2>&1 | FileCheck %s --check-prefix=BACK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --distribute="func=value loop=i block=C" 2>&1 | FileCheck %s --check-prefix=VALUE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=two loop=i" --distribute="func=two loop=i block=C" 2>&1 | FileCheck %s --check-prefix=KIND

//       FIRST:error[KC3463]: distribute: i has no operations before block B
//  FIRST-NEXT:  --> {{.*}}:[[# @LINE + 6]]:3  tir.for %i in 16 {
//  FIRST-NEXT:   |  for i in 16:    <-- here
//  FIRST-NEXT:   |    block B
//  FIRST-NEXT:   |    block C
//  FIRST-NEXT:  why: distribute divides the body before the block, and neither part may be empty
func.func @two(%A: memref<16xf32>, %B: memref<16xf32>, %C: memref<16xf32>) {
  tir.for %i in 16 {
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %B[%v_i] : memref<16xf32>
    }
    tir.block "C" (spatial %v_j in 16 = %i) do {
      %a = tir.load %B[%v_j] : memref<16xf32>
      tir.store %a, %C[%v_j] : memref<16xf32>
    }
  }
  func.return
}

// KIND: error[KC3010]: distribute:

//       BACK:error[KC3464]: distribute: running the iterations of i before block C first changes the result
//  BACK-NEXT:  --> {{.*}}:[[# @LINE + 6]]:3  tir.for %i in 15 {
//  BACK-NEXT:   |  for i in 15:    <-- here
//  BACK-NEXT:   |    block B
//  BACK-NEXT:   |    block C
//  BACK-NEXT:  why: C at (i=0) writes A[1], which B at (i=1) reads
func.func @back(%A: memref<16xf32>, %B: memref<16xf32>) {
  tir.for %i in 15 {
    tir.block "B" (spatial %v_i in 15 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %B[%v_i] : memref<16xf32>
    }
    tir.block "C" (spatial %v_j in 15 = %i) do {
      %a = tir.load %B[%v_j] : memref<16xf32>
      tir.store %a, %A[%v_j + 1] : memref<16xf32>
    }
  }
  func.return
}

//       VALUE:error[KC3465]: distribute: the second part of i uses a result of tir.load
//  VALUE-NEXT:  --> {{.*}}:[[# @LINE + 7]]:3  tir.for %i in 16 {
//  VALUE-NEXT:   |  for i in 16:    <-- here
//  VALUE-NEXT:   |    store to B
//  VALUE-NEXT:   |    block C
//  VALUE-NEXT:  why: the result belongs to one iteration of the first part, and is gone when the second part begins
//  VALUE-NEXT:  try: store the value to a buffer that has an element for each iteration
func.func @value(%A: memref<16xf32>, %B: memref<16xf32>, %C: memref<16xf32>) {
  tir.for %i in 16 {
    %t = tir.load %A[%i] : memref<16xf32>
    tir.store %t, %B[%i] : memref<16xf32>
    tir.block "C" (spatial %v_j in 16 = %i) do {
      tir.store %t, %C[%v_j] : memref<16xf32>
    }
  }
  func.return
}
