// What reverse refuses, and what it says then.
// RUN: not kc-opt %s --reverse="func=scan loop=i" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reverse="func=sum loop=k" 2>&1 | FileCheck %s --check-prefix=INIT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=known loop=i" --reverse="func=known loop=i" 2>&1 | FileCheck %s --check-prefix=KIND

func.func @known(%A: memref<16xf32>, %B: memref<16xf32>) {
  tir.for %i in 16 {
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %B[%v_i] : memref<16xf32>
    }
  }
  func.return
}

//       ORDER:error[KC3457]: reverse: running i backwards changes the result
//  ORDER-NEXT:  --> {{.*}}:[[# @LINE + 5]]:3  tir.for %i in 7 {
//  ORDER-NEXT:   |  for i in 7:    <-- here
//  ORDER-NEXT:   |    store to A
//  ORDER-NEXT:  why: the statement at (i=0) writes A[1], which the statement at (i=1) reads
func.func @scan(%A: memref<8xf32>) {
  tir.for %i in 7 {
    %a = tir.load %A[%i] : memref<8xf32>
    tir.store %a, %A[%i + 1] : memref<8xf32>
  }
  func.return
}

// KIND: error[KC3010]: reverse:

//       INIT:error[KC3457]: reverse: running k backwards changes the result
//  INIT-NEXT:  --> {{.*}}:[[# @LINE + 5]]:3  tir.for %k in 16 {
//  INIT-NEXT:   |  for k in 16:    <-- here
//  INIT-NEXT:   |    block S
//  INIT-NEXT:  why: S at (k=0) writes S[0], which S at (k=1) updates
func.func @sum(%A: memref<16xf32>, %S: memref<1xf32>) {
  tir.for %k in 16 {
    tir.block "S" (reduce %v_k in 16 = %k) init {
      %z = arith.constant 0.0 : f32
      tir.store %z, %S[0] : memref<1xf32>
    } do {
      %s = tir.load %S[0] : memref<1xf32>
      %a = tir.load %A[%v_k] : memref<16xf32>
      %t = arith.addf %s, %a : f32
      tir.store %t, %S[0] : memref<1xf32>
    }
  }
  func.return
}
