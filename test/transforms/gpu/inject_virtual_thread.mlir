// RUN: kc-opt %s --inject-virtual-thread | FileCheck %s

// Each operation for both virtual threads, with registers of their own and one loop; the shared
// memory is one for both, and what does not depend on them is done once.
// CHECK-LABEL: func.func @interleaved(%A: memref<16xf32>, %B: memref<4x2xf32>) {
// CHECK-NEXT:    tir.for %t in 2 thread "threadIdx.x" {
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %S = tir.alloc "S" : memref<4xf32, "shared">
// CHECK-NEXT:      %C = tir.alloc "C" : memref<1xf32, "local">
// CHECK-NEXT:      %C_1 = tir.alloc "C_1" : memref<1xf32, "local">
// CHECK-NEXT:      %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      tir.store %z, %C[0] : memref<1xf32, "local">
// CHECK-NEXT:      tir.store %z, %C_1[0] : memref<1xf32, "local">
// CHECK-NEXT:      %q = tir.load %A[%t * 2 + %0] : memref<16xf32>
// CHECK-NEXT:      %q_1 = tir.load %A[%t * 2 + %1] : memref<16xf32>
// CHECK-NEXT:      tir.store %q, %S[%0 * 2 + %t] : memref<4xf32, "shared">
// CHECK-NEXT:      tir.store %q_1, %S[%1 * 2 + %t] : memref<4xf32, "shared">
// CHECK-NEXT:      tir.for %k in 4 {
// CHECK-NEXT:        %x = tir.load %S[%k] : memref<4xf32, "shared">
// CHECK-NEXT:        %c = tir.load %C[0] : memref<1xf32, "local">
// CHECK-NEXT:        %c_1 = tir.load %C_1[0] : memref<1xf32, "local">
// CHECK-NEXT:        %d = arith.addf %c, %x : f32
// CHECK-NEXT:        %d_1 = arith.addf %c_1, %x : f32
// CHECK-NEXT:        tir.store %d, %C[0] : memref<1xf32, "local">
// CHECK-NEXT:        tir.store %d_1, %C_1[0] : memref<1xf32, "local">
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.if (%0 + %t < 2) {
// CHECK-NEXT:        %e = tir.load %C[0] : memref<1xf32, "local">
// CHECK-NEXT:        tir.store %e, %B[%t, %0] : memref<4x2xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.if (%1 + %t < 2) {
// CHECK-NEXT:        %e_1 = tir.load %C_1[0] : memref<1xf32, "local">
// CHECK-NEXT:        tir.store %e_1, %B[%t, %1] : memref<4x2xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @interleaved(%A: memref<16xf32>, %B: memref<4x2xf32>) {
  tir.for %t in 2 thread "threadIdx.x" {
    tir.for %v in 2 thread "vthread" {
      %S = tir.alloc "S" : memref<4xf32, "shared">
      %C = tir.alloc "C" : memref<1xf32, "local">
      %z = arith.constant 0.0 : f32
      tir.store %z, %C[0] : memref<1xf32, "local">
      %q = tir.load %A[%t * 2 + %v] : memref<16xf32>
      tir.store %q, %S[%v * 2 + %t] : memref<4xf32, "shared">
      tir.for %k in 4 {
        %x = tir.load %S[%k] : memref<4xf32, "shared">
        %c = tir.load %C[0] : memref<1xf32, "local">
        %d = arith.addf %c, %x : f32
        tir.store %d, %C[0] : memref<1xf32, "local">
      }
      tir.if (%v + %t < 2) {
        %e = tir.load %C[0] : memref<1xf32, "local">
        tir.store %e, %B[%t, %v] : memref<4x2xf32>
      }
    }
  }
  func.return
}

// Virtual threads in virtual threads: four. A loop that only some of them run is theirs.
// CHECK-LABEL: func.func @nested(%A: memref<2x2x4xf32>) {
// CHECK-NEXT:    %0 = arith.constant 0 : index
// CHECK-NEXT:    %1 = arith.constant 1 : index
// CHECK-NEXT:    %2 = arith.constant 0 : index
// CHECK-NEXT:    %3 = arith.constant 1 : index
// CHECK-NEXT:    %4 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    tir.if (%0 == 0) {
// CHECK-NEXT:      tir.for %k in 4 {
// CHECK-NEXT:        tir.store %4, %A[%0, %2, %k] : memref<2x2x4xf32>
// CHECK-NEXT:        tir.store %4, %A[%0, %3, %k] : memref<2x2x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.if (%1 == 0) {
// CHECK-NEXT:      tir.for %k_1 "k" in 4 {
// CHECK-NEXT:        tir.store %4, %A[%1, %2, %k_1] : memref<2x2x4xf32>
// CHECK-NEXT:        tir.store %4, %A[%1, %3, %k_1] : memref<2x2x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @nested(%A: memref<2x2x4xf32>) {
  tir.for %v in 2 thread "vthread" {
    tir.for %w in 2 thread "vthread.x" {
      %0 = arith.constant 1.0 : f32
      tir.if (%v == 0) {
        tir.for %k in 4 {
          tir.store %0, %A[%v, %w, %k] : memref<2x2x4xf32>
        }
      }
    }
  }
  func.return
}

// What all do alike is done once, whatever it is.
// CHECK-LABEL: func.func @update(%A: memref<4xf32>) {
// CHECK-NEXT:    %0 = arith.constant 0 : index
// CHECK-NEXT:    %1 = arith.constant 1 : index
// CHECK-NEXT:    %2 = tir.load %A[0] : memref<4xf32>
// CHECK-NEXT:    %3 = arith.addf %2, %2 : f32
// CHECK-NEXT:    tir.store %3, %A[0] : memref<4xf32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @update(%A: memref<4xf32>) {
  tir.for %v in 2 thread "vthread" {
    %0 = tir.load %A[0] : memref<4xf32>
    %1 = arith.addf %0, %0 : f32
    tir.store %1, %A[0] : memref<4xf32>
  }
  func.return
}
