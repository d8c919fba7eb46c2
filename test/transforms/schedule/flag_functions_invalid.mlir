// A block that is named with a loop says which function is meant; one that no function has is an error.
// RUN: not kc-opt %s --unroll="block=E loop=i" 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines
// RUN: not kc-opt %s --unroll="block=D loop=i" 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: kc-opt %s --unroll="block=C loop=i" | FileCheck %s

func.func @f(%A: memref<8xf32>, %x: f32) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v in 8 = %i) do {
      tir.store %x, %A[%v] : memref<8xf32>
    }
    tir.block "D" (spatial %v in 8 = %i) do {
      tir.store %x, %A[%v] : memref<8xf32>
    }
  }
  func.return
}
func.func @g(%A: memref<8xf32>, %x: f32) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      tir.store %x, %A[%v] : memref<8xf32>
    }
    tir.block "D" (spatial %v in 8 = %i) do {
      tir.store %x, %A[%v] : memref<8xf32>
    }
  }
  func.return
}

// NONE: error[KC3001]: no function has a block 'E'
// NONE-NEXT: {{ *}}try: the blocks are: B, D, C

// TWO: error[KC3006]: unroll: there are 2 functions
// TWO-NEXT: func.func @g(
// TWO-NEXT: try: name one: func=f

// CHECK: func.func @f(
// CHECK: tir.for %i in 8 {
// CHECK: func.func @g(
// CHECK: tir.for %i in 8 unrolled {
