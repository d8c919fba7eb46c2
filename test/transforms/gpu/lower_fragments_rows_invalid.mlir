// RUN: not kc-opt %s --split-input-file --lower-fragments 2>&1 >/dev/null | FileCheck %s

// The last element of a row is stored, and nothing says which lane has it.
// CHECK: error[KC4240]: lower-fragments: S has uses other than tensor intrinsics
// CHECK-NEXT: lower_fragments_rows_invalid.mlir:
// CHECK-NEXT: why: tir.load in loop j uses single elements of it, but a warp holds "m16n8k16.matrixC" as tiles; a value of a row is stored for each element, and not combined with the elements
func.func @last() {
  tir.for %x in 32 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<16x16xf32, "m16n8k16.matrixC">
    %M = tir.alloc "M" : memref<16xf32, "m16n8k16.rowsC">
    tir.for %i in 16 {
      tir.for %j in 16 {
        %s = tir.load %S[%i, %j] : memref<16x16xf32, "m16n8k16.matrixC">
        tir.store %s, %M[%i] : memref<16xf32, "m16n8k16.rowsC">
      }
    }
  }
  func.return
}

// -----

// A difference depends on the order of the elements.
// CHECK: error[KC4240]: lower-fragments: S has uses other than tensor intrinsics
// CHECK-NEXT: lower_fragments_rows_invalid.mlir:
// CHECK-NEXT: why: tir.load in loop j uses single elements of it, but a warp holds "m16n8k16.matrixC" as tiles; a value of a row is stored for each element, and not combined with the elements
func.func @difference() {
  tir.for %x in 32 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<16x16xf32, "m16n8k16.matrixC">
    %M = tir.alloc "M" : memref<16xf32, "m16n8k16.rowsC">
    tir.for %i in 16 {
      tir.for %j in 16 {
        %s = tir.load %S[%i, %j] : memref<16x16xf32, "m16n8k16.matrixC">
        %m = tir.load %M[%i] : memref<16xf32, "m16n8k16.rowsC">
        %n = arith.subf %s, %m : f32
        tir.store %n, %M[%i] : memref<16xf32, "m16n8k16.rowsC">
      }
    }
  }
  func.return
}

// -----

// The row of another lane.
// CHECK: error[KC4240]: lower-fragments: M has uses other than tensor intrinsics
// CHECK-NEXT: lower_fragments_rows_invalid.mlir:
// CHECK-NEXT: why: tir.{{load|store}} in loop i uses single elements of it, but a warp holds "m16n8k16.rowsC" as tiles; its indices are not the variables of the loops
func.func @reversed() {
  tir.for %x in 32 thread "threadIdx.x" {
    %M = tir.alloc "M" : memref<16xf32, "m16n8k16.rowsC">
    %N = tir.alloc "N" : memref<16xf32, "m16n8k16.rowsC">
    tir.for %i in 16 {
      %m = tir.load %M[15 - %i] : memref<16xf32, "m16n8k16.rowsC">
      tir.store %m, %N[%i] : memref<16xf32, "m16n8k16.rowsC">
    }
  }
  func.return
}

// -----

// CHECK: error[KC4242]: lower-fragments: M does not consist of tiles of 16
// CHECK-NEXT: lower_fragments_rows_invalid.mlir:
// CHECK-NEXT: why: dimension 0 of M has 8 elements, must be a multiple of the tile size 16
// CHECK-NEXT: try: give M the scope "local"
func.func @half(%low: f32) {
  tir.for %x in 32 thread "threadIdx.x" {
    %M = tir.alloc "M" : memref<8xf32, "m16n8k16.rowsC">
    tir.for %i in 8 {
      tir.store %low, %M[%i] : memref<8xf32, "m16n8k16.rowsC">
    }
  }
  func.return
}
