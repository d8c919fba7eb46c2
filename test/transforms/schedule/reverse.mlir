// A loop runs from its last iteration to its first.
// RUN: kc-opt %s --reverse="func=known loop=i" | FileCheck %s --check-prefix=KNOWN
// RUN: kc-opt %s --reverse="func=symbolic loop=i" | FileCheck %s --check-prefix=SYMBOLIC
// RUN: kc-opt %s --reverse="func=rows loop=i" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --reverse="func=known loop=i" --reverse="func=known loop=i_r" | FileCheck %s --check-prefix=TWICE
// RUN: not kc-opt %s --reverse="func=scan loop=i" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reverse="func=sum loop=k" 2>&1 | FileCheck %s --check-prefix=INIT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=known loop=i" --reverse="func=known loop=i" 2>&1 | FileCheck %s --check-prefix=KIND

// KNOWN-LABEL: func.func @known(
// KNOWN-NEXT:    tir.for %i_r in 16 {
// KNOWN-NEXT:      tir.block "B" (spatial %v_i in 16 = %i_r * -1 + 15) do {
// TWICE-LABEL: func.func @known(
// TWICE-NEXT:    tir.for %i_r_r in 16 {
// TWICE-NEXT:      tir.block "B" (spatial %v_i in 16 = %i_r_r) do {
func.func @known(%A: memref<16xf32>, %B: memref<16xf32>) {
  tir.for %i in 16 {
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %B[%v_i] : memref<16xf32>
    }
  }
  func.return
}

// SYMBOLIC-LABEL: func.func @symbolic(
// SYMBOLIC:         tir.for %i_r in %n {
// SYMBOLIC-NEXT:      tir.block "B" (spatial %v_i in %n = %n - %i_r - 1) do {
func.func @symbolic(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %B: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.block "B" (spatial %v_i in %n = %i) do {
      %a = tir.load %A[%v_i] : memref<?xf32>
      tir.store %a, %B[%v_i] : memref<?xf32>
    }
  }
  func.return
}

// The loop of the rows runs backwards; what carries a dependence is the loop in it.
// ROWS-LABEL: func.func @rows(
// ROWS-NEXT:    tir.for %i_r in 4 {
// ROWS-NEXT:      tir.for %j in 7 {
// ROWS-NEXT:        %a = tir.load %A[%i_r * -1 + 3, %j] : memref<4x8xf32>
// ROWS-NEXT:        tir.store %a, %A[%i_r * -1 + 3, %j + 1] : memref<4x8xf32>
func.func @rows(%A: memref<4x8xf32>) {
  tir.for %i in 4 {
    tir.for %j in 7 {
      %a = tir.load %A[%i, %j] : memref<4x8xf32>
      tir.store %a, %A[%i, %j + 1] : memref<4x8xf32>
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
