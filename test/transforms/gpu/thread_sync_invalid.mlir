// RUN: not kc-opt %s --split-input-file --thread-sync 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4223]: thread-sync: threads need a barrier for S at a place that not all of them reach
//CHECK-NEXT:  --> {{.*}}thread_sync_invalid.mlir:27:7  %1 = tir.load %S[9 - %i] : memref<64xf32, "shared">
//CHECK-NEXT:   |  writes S: {{.*}}thread_sync_invalid.mlir:26:7
//CHECK-NEXT:   |  reads S: {{.*}}thread_sync_invalid.mlir:27:7
//CHECK-NEXT:  why: one thread writes S[0] and another thread then reads it, but not all threads of the block reach any place in between
//CHECK-NEXT:  try: guard each access by a condition of its own, so that all threads can wait in between
//CHECK:error[KC4223]: thread-sync: threads need a barrier for A at a place that not all of them reach
//CHECK-NEXT:  --> {{.*}}thread_sync_invalid.mlir:38:7  tir.store %0, %A[%i] : memref<64xf32>
//CHECK-NEXT:   |  reads A: {{.*}}thread_sync_invalid.mlir:37:7
//CHECK-NEXT:   |  writes A: {{.*}}thread_sync_invalid.mlir:38:7
//CHECK-NEXT:  why: one thread reads A[1] and another thread then writes it, but not all threads of the block reach any place in between
//CHECK-NEXT:  try: guard each access by a condition of its own, so that all threads can wait in between
//CHECK:error[KC4223]: thread-sync: threads need a barrier for S at a place that not all of them reach
//CHECK-NEXT:  --> {{.*}}thread_sync_invalid.mlir:49:7  %1 = tir.load %S[63 - %i] : memref<64xf32, "shared">
//CHECK-NEXT:   |  writes S: {{.*}}thread_sync_invalid.mlir:48:7
//CHECK-NEXT:   |  reads S: {{.*}}thread_sync_invalid.mlir:49:7
//CHECK-NEXT:  why: one thread writes S[1] and another thread then reads it, but not all threads of the block reach any place in between
//CHECK-NEXT:  try: guard each access by a condition of its own, so that all threads can wait in between

func.func @branch(%A: memref<64xf32>, %S: memref<64xf32, "shared">) {
  tir.for %i in 64 thread "threadIdx.x" {
    tir.if (%i < 10) {
      %0 = tir.load %A[%i] : memref<64xf32>
      tir.store %0, %S[%i] : memref<64xf32, "shared">
      %1 = tir.load %S[9 - %i] : memref<64xf32, "shared">
      tir.store %1, %A[%i] : memref<64xf32>
    }
  }
  func.return
}
// -----
func.func @overwrite(%A: memref<64xf32>) {
  tir.for %i in 64 thread "threadIdx.x" {
    tir.if (%i < 10) {
      %0 = tir.load %A[%i + 1] : memref<64xf32>
      tir.store %0, %A[%i] : memref<64xf32>
    }
  }
  func.return
}
// -----
func.func @loop(%A: memref<64xf32>, %S: memref<64xf32, "shared">) {
  tir.for %i in 64 thread "threadIdx.x" {
    tir.for %k in %i {
      %0 = tir.load %A[%i] : memref<64xf32>
      tir.store %0, %S[%i] : memref<64xf32, "shared">
      %1 = tir.load %S[63 - %i] : memref<64xf32, "shared">
      tir.store %1, %A[%i] : memref<64xf32>
    }
  }
  func.return
}
