// RUN: kc-opt %s --hoist-if-then-else --split-input-file | FileCheck %s
// RUN: kc-opt %s --hoist-if-then-else="max-copied-operations=0" --split-input-file | FileCheck %s --check-prefix=MOVED
// RUN: kc-opt %s --hoist-if-then-else="support-block-scope-hosting=true" --split-input-file | FileCheck %s --check-prefix=THREADS

// A guard goes around the loops that it does not depend on; of two conditions, the one that does not.

// CHECK-LABEL: func.func @guard
// CHECK-NEXT:    tir.for %i in 64 {
// CHECK-NEXT:      tir.if (%i < %n) {
// CHECK-NEXT:        tir.for %j in 32 {
// CHECK-NEXT:          tir.for %k in 8 {
// CHECK-NEXT:            tir.if (%j + %k < %n) {
// CHECK-NEXT:              tir.store %x, %C[%i, %j] : memref<64x32xf32>
// MOVED-LABEL: func.func @guard
// MOVED-NEXT:    tir.for %i in 64 {
// MOVED-NEXT:      tir.if (%i < %n) {
// MOVED-NEXT:        tir.for %j in 32 {
func.func @guard(%C: memref<64x32xf32>, %n: index, %x: f32) {
  tir.for %i in 64 {
    tir.for %j in 32 {
      tir.for %k in 8 {
        tir.if (%i < %n, %j + %k < %n) {
          tir.store %x, %C[%i, %j] : memref<64x32xf32>
        }
      }
    }
  }
  func.return
}

// -----

// Two loops where something else is done, or there is an else, if copies are wanted.

// CHECK-LABEL: func.func @versions
// CHECK-NEXT:    tir.if (%n >= 4) {
// CHECK-NEXT:      tir.for %i in 64 {
// CHECK-NEXT:        tir.store %x, %A[%i] : memref<64xf32>
// CHECK-NEXT:        tir.store %x, %B[%i] : memref<64xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK-NEXT:      tir.for %{{.*}} "i" in 64 {
// CHECK-NEXT:        tir.store %x, %A[%{{.*}}] : memref<64xf32>
// CHECK-NEXT:        tir.store %y, %B[%{{.*}}] : memref<64xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// MOVED-LABEL: func.func @versions
// MOVED-NEXT:    tir.for
func.func @versions(%A: memref<64xf32>, %B: memref<64xf32>, %n: index, %x: f32, %y: f32) {
  tir.for %i in 64 {
    tir.store %x, %A[%i] : memref<64xf32>
    tir.if (%n >= 4) {
      tir.store %x, %B[%i] : memref<64xf32>
    } else {
      tir.store %y, %B[%i] : memref<64xf32>
    }
  }
  func.return
}

// -----

// A condition that is a value; that of a loop variable inside stays.

// CHECK-LABEL: func.func @value
// CHECK-NEXT:    scf.if %c {
// CHECK-NEXT:      tir.for %i in 64 {
// CHECK-NEXT:        tir.if (%i < %n) {
// CHECK-NEXT:          tir.store
func.func @value(%A: memref<64xf32>, %c: i1, %n: index, %x: f32) {
  tir.for %i in 64 {
    scf.if %c {
      tir.if (%i < %n) {
        tir.store %x, %A[%i] : memref<64xf32>
      }
    }
  }
  func.return
}

// -----

// Out of loops of threads, but on request.

// CHECK-LABEL:   func.func @kernel
// CHECK-NEXT:      tir.for %b in 4 thread "blockIdx.x" {
// CHECK-NEXT:        tir.for %t in 16 thread "threadIdx.x" {
// CHECK-NEXT:          tir.if (%n >= 4) {
// CHECK-NEXT:            tir.for %k in 4 {
// THREADS-LABEL: func.func @kernel
// THREADS-NEXT:    tir.if (%n >= 4) {
// THREADS-NEXT:      tir.for %b in 4 thread "blockIdx.x" {
func.func @kernel(%A: memref<64xf32>, %n: index, %x: f32) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %t in 16 thread "threadIdx.x" {
      tir.for %k in 4 {
        tir.if (%n >= 4) {
          tir.store %x, %A[%b * 16 + %t] : memref<64xf32>
        }
      }
    }
  }
  func.return
}
