// RUN: not kc-opt %s --split-input-file --lower-fragments 2>&1 >/dev/null | FileCheck %s

// A loop over a part of a tile.
// CHECK: error[KC4240]: lower-fragments: C has uses other than tensor intrinsics
// CHECK-NEXT: lower_fragments_elements_invalid.mlir:
// CHECK-NEXT: why: tir.store in loop j uses single elements of it, but a warp holds "m16n8k16.matrixC" as tiles; the loops have 16 x 4 iterations, no multiples of a tile of 16 x 8
func.func @f(%bias: memref<8xf32>) {
  tir.for %x in 32 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill.warp(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
    tir.for %i in 16 {
      tir.for %j in 4 {
        %s = tir.load %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
        %b = tir.load %bias[%j] : memref<8xf32>
        %v = arith.addf %s, %b : f32
        tir.store %v, %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
      }
    }
  }
  func.return
}

func.func private @fill.warp(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @fill.lane}
func.func private @fill.lane(%C: memref<4xf32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 c f32 row>}) {
  func.return
}

// -----

// The element of another lane.
// CHECK: error[KC4240]: lower-fragments: C has uses other than tensor intrinsics
// CHECK-NEXT: lower_fragments_elements_invalid.mlir:
// CHECK-NEXT: why: tir.store in loop j uses single elements of it, but a warp holds "m16n8k16.matrixC" as tiles; its indices are not the variables of the loops
func.func @f(%bias: memref<8xf32>) {
  tir.for %x in 32 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill.warp(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
    tir.for %i in 16 {
      tir.for %j in 8 {
        %s = tir.load %C[15 - %i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
        %b = tir.load %bias[%j] : memref<8xf32>
        %v = arith.addf %s, %b : f32
        tir.store %v, %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
      }
    }
  }
  func.return
}

func.func private @fill.warp(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @fill.lane}
func.func private @fill.lane(%C: memref<4xf32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 c f32 row>}) {
  func.return
}

// -----

// Sums that go to memory from which the loops also load.
// CHECK: error[KC4240]: lower-fragments: C has uses other than tensor intrinsics
// CHECK-NEXT: lower_fragments_elements_invalid.mlir:
// CHECK-NEXT: why: tir.load in loop j uses single elements of it, but a warp holds "m16n8k16.matrixC" as tiles; elements are stored to memory that the loops also load from
func.func @f(%D: memref<16x8xf32>) {
  tir.for %x in 32 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill.warp(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
    tir.for %i in 16 {
      tir.for %j in 8 {
        %s = tir.load %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
        %b = tir.load %D[%i, 7 - %j] : memref<16x8xf32>
        %v = arith.addf %s, %b : f32
        tir.store %v, %D[%i, %j] : memref<16x8xf32>
      }
    }
  }
  func.return
}

func.func private @fill.warp(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @fill.lane}
func.func private @fill.lane(%C: memref<4xf32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 c f32 row>}) {
  func.return
}

// -----

// An element is taken again when it is stored.
// CHECK: error[KC4240]: lower-fragments: C has uses other than tensor intrinsics
// CHECK-NEXT: lower_fragments_elements_invalid.mlir:
// CHECK-NEXT: why: tir.store in loop j uses single elements of it, but a warp holds "m16n8k16.matrixC" as tiles; an element is loaded again after it is stored
func.func @f(%bias: memref<8xf32>) {
  tir.for %x in 32 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill.warp(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
    tir.for %i in 16 {
      tir.for %j in 8 {
        %s = tir.load %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
        %b = tir.load %bias[%j] : memref<8xf32>
        %v = arith.addf %s, %b : f32
        tir.store %v, %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
        %w = tir.load %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
        tir.store %w, %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
      }
    }
  }
  func.return
}

func.func private @fill.warp(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @fill.lane}
func.func private @fill.lane(%C: memref<4xf32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 c f32 row>}) {
  func.return
}

// -----

// One lane for all.
// CHECK: error[KC4240]: lower-fragments: C has uses other than tensor intrinsics
// CHECK-NEXT: lower_fragments_elements_invalid.mlir:
// CHECK-NEXT: why: tir.store in loop j uses single elements of it, but a warp holds "m16n8k16.matrixC" as tiles; its execution depends on threadIdx.x
func.func @f(%bias: memref<8xf32>) {
  tir.for %x in 32 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill.warp(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
    tir.if (%x < 1) {
    tir.for %i in 16 {
      tir.for %j in 8 {
        %s = tir.load %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
        %b = tir.load %bias[%j] : memref<8xf32>
        %v = arith.addf %s, %b : f32
        tir.store %v, %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
      }
    }
    }
  }
  func.return
}

func.func private @fill.warp(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @fill.lane}
func.func private @fill.lane(%C: memref<4xf32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 c f32 row>}) {
  func.return
}

// -----

// A part of the elements of a tile that is stored in it.
// CHECK: error[KC4240]: lower-fragments: C has uses other than tensor intrinsics
// CHECK-NEXT: lower_fragments_elements_invalid.mlir:
// CHECK-NEXT: why: tir.store in loop j uses single elements of it, but a warp holds "m16n8k16.matrixC" as tiles; a condition stores only some elements of a tile of fragments
func.func @f() {
  tir.for %x in 32 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill.warp(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.if (%i < 9) {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
        }
      }
    }
  }
  func.return
}

func.func private @fill.warp(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @fill.lane}
func.func private @fill.lane(%C: memref<4xf32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 c f32 row>}) {
  func.return
}
