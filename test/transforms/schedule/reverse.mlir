// A loop runs from its last iteration to its first.
// RUN: kc-opt %s --reverse="func=known loop=i" | FileCheck %s --check-prefix=KNOWN
// RUN: kc-opt %s --reverse="func=symbolic loop=i" | FileCheck %s --check-prefix=SYMBOLIC
// RUN: kc-opt %s --reverse="func=rows loop=i" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --reverse="func=known loop=i" --reverse="func=known loop=i_r" | FileCheck %s --check-prefix=TWICE

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
