// RUN: not kc-opt %s --split-input-file --lower-fragments 2>&1 >/dev/null | FileCheck %s
// RUN: not kc-opt %s --split-input-file --unify-thread-binding 2>&1 >/dev/null | FileCheck %s

// CHECK: error[KC4254]: the lanes of @fill cannot run @fill
// CHECK-NEXT: lower_fragments_lanes_invalid.mlir:[[# @LINE + 10]]:1
// CHECK-NEXT: why: it is the function itself
func.func @f() {
  tir.for %x in 32 thread "blockIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
  }
  func.return
}
func.func private @fill(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @fill}

// -----

// CHECK: error[KC4254]: the lanes of @fill cannot run @gone
// CHECK-NEXT: lower_fragments_lanes_invalid.mlir:[[# @LINE + 10]]:1
// CHECK-NEXT: why: the module has no function of this name
func.func @f() {
  tir.for %x in 32 thread "blockIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
  }
  func.return
}
func.func private @fill(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @gone}

// -----

// CHECK: error[KC4254]: the lanes of @fill cannot run @lane
// CHECK-NEXT: lower_fragments_lanes_invalid.mlir:[[# @LINE + 10]]:1
// CHECK-NEXT: why: it has no body
func.func @f() {
  tir.for %x in 32 thread "blockIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
  }
  func.return
}
func.func private @fill(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @lane}
func.func private @lane(memref<4xf32, "local">)

// -----

// CHECK: error[KC4254]: the lanes of @fill cannot run @lane
// CHECK-NEXT: lower_fragments_lanes_invalid.mlir:[[# @LINE + 10]]:1
// CHECK-NEXT: why: it takes 0 arguments, but @fill takes 1
func.func @f() {
  tir.for %x in 32 thread "blockIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
  }
  func.return
}
func.func private @fill(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @lane}
func.func private @lane() { func.return }

// -----

// CHECK: error[KC4254]: the lanes of @fill cannot run "lane"
// CHECK-NEXT: lower_fragments_lanes_invalid.mlir:[[# @LINE + 10]]:1
// CHECK-NEXT: why: the module has no function of this name
func.func @f() {
  tir.for %x in 32 thread "blockIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
  }
  func.return
}
func.func private @fill(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = "lane"}
