// RUN: not kc-opt %s --split-input-file --inject-virtual-thread 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4224]: inject-virtual-thread: the number of virtual threads of loop i is not constant
//CHECK-NEXT:  --> {{.*}}inject_virtual_thread_invalid.mlir:42:3  tir.for %i in %n thread "vthread" {
//CHECK-NEXT:  why: it is n, but each virtual thread becomes separate code
//CHECK-NEXT:  try: split the loop by a constant factor, and bind that part
//CHECK:error[KC4224]: inject-virtual-thread: 512 virtual threads run in one thread
//CHECK-NEXT:  --> {{.*}}inject_virtual_thread_invalid.mlir:51:5  tir.for %j in 16 thread "vthread" {
//CHECK-NEXT:  why: each of them becomes separate code, so at most 256 are allowed
//CHECK-NEXT:  try: bind the outer part to "blockIdx" or leave it serial
//CHECK:error[KC4224]: inject-virtual-thread: virtual threads may exchange values in S at a place that not all of them reach
//CHECK-NEXT:  --> {{.*}}inject_virtual_thread_invalid.mlir:61:5  tir.if (%v < 2) {
//CHECK-NEXT:   |  the statement at (v=0) writes S[0], which the statement at (v=1) reads
//CHECK-NEXT:   |  writes S: {{.*}}inject_virtual_thread_invalid.mlir:63:7
//CHECK-NEXT:   |  reads S: {{.*}}inject_virtual_thread_invalid.mlir:64:7
//CHECK-NEXT:  why: virtual threads run in lockstep, and the condition depends on the virtual thread
//CHECK-NEXT:  try: put a condition around the store and another one around the load
//CHECK:error[KC4224]: inject-virtual-thread: virtual threads may exchange values in B at a place that not all of them reach
//CHECK-NEXT:  --> {{.*}}inject_virtual_thread_invalid.mlir:74:5  tir.if (%v < 2) {
//CHECK-NEXT:   |  the statement at (v=1) writes B[0], which the statement at (v=0) writes
//CHECK-NEXT:   |  writes B: {{.*}}inject_virtual_thread_invalid.mlir:76:7
//CHECK-NEXT:   |  writes B: {{.*}}inject_virtual_thread_invalid.mlir:79:9
//CHECK-NEXT:  why: virtual threads run in lockstep, and the condition depends on the virtual thread
//CHECK-NEXT:  try: put a condition around the store and another one around the load
//CHECK:error[KC4224]: inject-virtual-thread: virtual threads may exchange values in S at a place that not all of them reach
//CHECK-NEXT:  --> {{.*}}inject_virtual_thread_invalid.mlir:90:5  tir.if (%v < 2) {
//CHECK-NEXT:   |  the statement at (v=0) writes S[0], which the statement at (v=1) reads
//CHECK-NEXT:   |  writes S: {{.*}}inject_virtual_thread_invalid.mlir:92:7
//CHECK-NEXT:   |  reads S: {{.*}}inject_virtual_thread_invalid.mlir:93:7
//CHECK-NEXT:  why: virtual threads run in lockstep, and the condition depends on the virtual thread
//CHECK-NEXT:  try: put a condition around the store and another one around the load
//CHECK:error[KC4224]: inject-virtual-thread: virtual threads may exchange values in B at a place that not all of them reach
//CHECK-NEXT:  --> {{.*}}inject_virtual_thread_invalid.mlir:104:7  tir.if (%v < 2) {
//CHECK-NEXT:   |  the statement at (u=0, v=1) writes B[1], which the statement at (u=1, v=0) writes
//CHECK-NEXT:   |  writes B: {{.*}}inject_virtual_thread_invalid.mlir:106:9
//CHECK-NEXT:   |  writes B: {{.*}}inject_virtual_thread_invalid.mlir:106:9
//CHECK-NEXT:  why: virtual threads run in lockstep, and the condition depends on the virtual thread
//CHECK-NEXT:  try: fuse the loops of virtual threads into one

func.func @dynamic(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n thread "vthread" {
    %0 = arith.constant 0.0 : f32
    tir.store %0, %A[%i] : memref<?xf32>
  }
  func.return
}
// -----
func.func @many(%A: memref<512xf32>) {
  tir.for %i in 32 thread "vthread" {
    tir.for %j in 16 thread "vthread" {
      %0 = arith.constant 0.0 : f32
      tir.store %0, %A[%i * 16 + %j] : memref<512xf32>
    }
  }
  func.return
}
// -----
func.func @exchange(%A: memref<4xf32>, %S: memref<4xf32, "shared">) {
  tir.for %v in 4 thread "vthread" {
    tir.if (%v < 2) {
      %0 = tir.load %A[%v] : memref<4xf32>
      tir.store %0, %S[%v] : memref<4xf32, "shared">
      %1 = tir.load %S[1 - %v] : memref<4xf32, "shared">
      tir.store %1, %A[%v] : memref<4xf32>
    }
  }
  func.return
}
// -----
// In lockstep the last store is that of A[2]: thread by thread it would be that of A[1].
func.func @last(%A: memref<4xf32>, %B: memref<1xf32>) {
  tir.for %v in 2 thread "vthread" {
    tir.if (%v < 2) {
      %0 = tir.load %A[%v] : memref<4xf32>
      tir.store %0, %B[0] : memref<1xf32>
      tir.if (%v < 1) {
        %1 = tir.load %A[2] : memref<4xf32>
        tir.store %1, %B[0] : memref<1xf32>
      }
    }
  }
  func.return
}
// -----
// A call writes what the next virtual thread, which has not called yet, is to read.
func.func private @fill(memref<1xf32, strided<[1], offset: ?>, "shared">)
func.func @call(%A: memref<4xf32>, %S: memref<4xf32, "shared">) {
  tir.for %v in 4 thread "vthread" {
    tir.if (%v < 2) {
      %w = tir.view %S[%v] : memref<4xf32, "shared"> to memref<1xf32, strided<[1], offset: ?>, "shared">
      tir.call @fill(write %w) : (memref<1xf32, strided<[1], offset: ?>, "shared">)
      %1 = tir.load %S[1 - %v] : memref<4xf32, "shared">
      tir.store %1, %A[%v] : memref<4xf32>
    }
  }
  func.return
}
// -----
// In lockstep the last store to B[1] is that of u=1, v=0: a branch of v runs for v=0 first, then v=1.
func.func @moved(%A: memref<6xf32>, %B: memref<3xf32>) {
  tir.for %u in 2 thread "vthread.x" {
    tir.for %v in 3 thread "vthread.y" {
      tir.if (%v < 2) {
        %0 = tir.load %A[%u * 3 + %v] : memref<6xf32>
        tir.store %0, %B[%u + %v] : memref<3xf32>
      }
    }
  }
  func.return
}
