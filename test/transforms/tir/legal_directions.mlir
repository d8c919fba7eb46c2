// The dependences of nests, and what orders and skews they allow. The module stays as it is.
// RUN: kc-opt %s --legal-directions 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace
// RUN: kc-opt %s --legal-directions 2>/dev/null | FileCheck %s --check-prefix=SAME
// RUN: kc-opt %s --legal-directions="func=seidel loop=i" 2>&1 >/dev/null | FileCheck %s --check-prefix=INNER --match-full-lines --strict-whitespace
// SAME: func.func @seidel(
// SAME: affine.for %t = 0 to 4

//      CHECK:seidel: t in 4, i in 8, j in 8
// CHECK-NEXT:  anti of A, A to A: distance (1..3, -1, 1), direction (+, -, +)
// CHECK-NEXT:  anti of A, A to A: distance (1..3, 0, -1), direction (+, 0, -)
// CHECK-NEXT:  anti of A, A to A: distance (0..3, 1, -1), direction (0+, +, -)
// CHECK-NEXT:  flow of A, A to A: distance (0..3, 1, -1), direction (0+, +, -)
// CHECK-NEXT:  flow of A, A to A: distance (0..3, 0, 1), direction (0+, 0, +)
// CHECK-NEXT:  flow of A, A to A: distance (1..3, -1, 1), direction (+, -, +)
// CHECK-NEXT:  output of A, A to A: distance (1..3, 0, 0), direction (+, 0, 0)
// CHECK-NEXT:  parallel: none
// CHECK-NEXT:  reverse: none
// CHECK-NEXT:  order t, i, j: as it is
// CHECK-NEXT:  order t, j, i: A at (t=0, i=0, j=1) reads A[2, 1], which A at (t=0, i=1, j=0) writes
// CHECK-NEXT:  order i, t, j: A at (t=0, i=1, j=0) reads A[1, 2], which A at (t=1, i=0, j=1) writes
// CHECK-NEXT:  order i, j, t: A at (t=0, i=1, j=0) reads A[1, 2], which A at (t=1, i=0, j=1) writes
// CHECK-NEXT:  order j, t, i: A at (t=0, i=0, j=1) reads A[1, 1], which A at (t=1, i=0, j=0) writes
// CHECK-NEXT:  order j, i, t: A at (t=0, i=0, j=1) reads A[1, 1], which A at (t=1, i=0, j=0) writes
// CHECK-NEXT:  skew: i by 1 t, j by 1 t and 1 i: any order and any tiles are then legal
// CHECK-NEXT:imperfect: i in 8, j in 4
// CHECK-NEXT:  anti of A, y to A: distance (0), direction (0)
// CHECK-NEXT:  flow of y, y to A: distance (0), direction (0)
// CHECK-NEXT:  parallel: i, j
// CHECK-NEXT:  reverse: i, j
// CHECK-NEXT:  order i, j: as it is
// CHECK-NEXT:  order j, i: legal
// CHECK-NEXT:  skew: none needed: any order and any tiles are legal
// CHECK-NEXT:imperfect: i in 8
// CHECK-NEXT:  anti of y, y_1 to y_1: distance (1..7), direction (+)
// CHECK-NEXT:  flow of y, y_1 to y_1: distance (1..7), direction (+)
// CHECK-NEXT:  parallel: none
// CHECK-NEXT:  reverse: none
// CHECK-NEXT:gather: i in 8, j in A
// CHECK-NEXT:  anti of A, A to A: distance (1..7, 0), direction (+, 0), at most: at is not affine
// CHECK-NEXT:  flow of A, A to A: distance (1..7, 0), direction (+, 0), at most: at is not affine
// CHECK-NEXT:  parallel: j
// CHECK-NEXT:  reverse: j
// CHECK-NEXT:  order i, j: as it is
// CHECK-NEXT:  order j, i: legal
// CHECK-NEXT:  skew: none needed: any order and any tiles are legal
//  CHECK-NOT:{{.}}

//      INNER:seidel: i in 8, j in 8
// INNER-NEXT:  anti of A, A to A: distance (1, -1), direction (+, -)
// INNER-NEXT:  flow of A, A to A: distance (1, -1), direction (+, -)
// INNER-NEXT:  flow of A, A to A: distance (0, 1), direction (0, +)
// INNER-NEXT:  parallel: none
// INNER-NEXT:  reverse: none
// INNER-NEXT:  order i, j: as it is
// INNER-NEXT:  order j, i: A at (i=0, j=1) reads A[2, 1], which A at (i=1, j=0) writes (for t = 0)
// INNER-NEXT:  skew: j by 1 i: any order and any tiles are then legal
//  INNER-NOT:{{.}}
func.func @seidel(%A: memref<10x10xf32>) {
  %c = arith.constant 0.25 : f32
  affine.for %t = 0 to 4 {
    affine.for %i = 1 to 9 {
      affine.for %j = 1 to 9 {
        %a = affine.load %A[%i - 1, %j + 1] : memref<10x10xf32>
        %b = affine.load %A[%i, %j - 1] : memref<10x10xf32>
        %d = affine.load %A[%i + 1, %j - 1] : memref<10x10xf32>
        %f = arith.addf %a, %b : f32
        %g = arith.addf %f, %d : f32
        %k = arith.mulf %g, %c : f32
        affine.store %k, %A[%i, %j] : memref<10x10xf32>
      }
    }
  }
  return
}
func.func @imperfect(%A: memref<8x4xf32>, %y: memref<8xf32>, %m: index) {
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i, 0] : memref<8x4xf32>
    affine.store %a, %y[%i] : memref<8xf32>
    affine.for %j = 0 to 4 {
      %s = affine.load %y[%i] : memref<8xf32>
      affine.store %s, %A[%i, %j] : memref<8x4xf32>
    }
  }
  affine.for %i = 0 to 8 {
    %a = affine.load %y[7 - %i] : memref<8xf32>
    affine.store %a, %y[%i] : memref<8xf32>
  }
  return
}
func.func @gather(%A: memref<8x?xf32>, %I: memref<8xindex>) {
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c1 : memref<8x?xf32>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to %n {
      %at = affine.load %I[%i] : memref<8xindex>
      %a = memref.load %A[%at, %j] : memref<8x?xf32>
      affine.store %a, %A[%i, %j] : memref<8x?xf32>
    }
  }
  return
}
