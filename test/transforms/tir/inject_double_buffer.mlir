// A marked buffer is filled for the next iteration while this one reads it.
// RUN: kc-opt %s --inject-double-buffer | FileCheck %s

// What is noted at the buffer follows its dimensions; the alloc leaves the loop.
// CHECK-LABEL: func.func @constant(
// CHECK-NEXT:    %B = tir.alloc "B" {tir.storage_align = [array<i64: 2, 32, 4>]} : memref<2x4x16xf32, "local">
// CHECK-NEXT:    tir.for %{{.*}} in 16 {
// CHECK-NEXT:      %a = tir.load %A[0, %{{.*}}] : memref<8x16xf32>
// CHECK-NEXT:      tir.store %a, %B[0, 1, %{{.*}}] : memref<2x4x16xf32, "local">
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      tir.if (%i < 7) {
// CHECK-NEXT:        tir.for %[[J:.*]] "j" in 16 {
// CHECK-NEXT:          %[[A:.*]] = tir.load %A[%i + 1, %[[J]]] : memref<8x16xf32>
// CHECK-NEXT:          tir.store %[[A]], %B[(%i + 1) mod 2, 1, %[[J]]] : memref<2x4x16xf32, "local">
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.for %[[J2:.*]] "j" in 16 {
// CHECK-NEXT:        %b = tir.load %B[%i mod 2, 1, %[[J2]]] : memref<2x4x16xf32, "local">
// CHECK-NEXT:        tir.store %b, %C[%i, %[[J2]]] : memref<8x16xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
func.func @constant(%A: memref<8x16xf32>, %C: memref<8x16xf32>) {
  tir.for %i in 8 {
    %B = tir.alloc "B" {tir.double_buffer, tir.storage_align = [array<i64: 1, 32, 4>]} : memref<4x16xf32, "local">
    tir.for %j in 16 {
      %a = tir.load %A[%i, %j] : memref<8x16xf32>
      tir.store %a, %B[1, %j] : memref<4x16xf32, "local">
    }
    tir.for %j in 16 {
      %b = tir.load %B[1, %j] : memref<4x16xf32, "local">
      tir.store %b, %C[%i, %j] : memref<8x16xf32>
    }
  }
  func.return
}

// A loop that may not run fills nothing; what filling computes is computed once more.
// CHECK-LABEL: func.func @symbolic(
// CHECK-NEXT:    %B = tir.alloc "B" (%n) : memref<2x?xi64>
// CHECK-NEXT:    tir.if (%n >= 1) {
// CHECK-NEXT:      %at = tir.load %I[0] : memref<?xindex>
// CHECK-NEXT:      %[[V:.*]] = arith.index_cast %at : index to i64
// CHECK-NEXT:      tir.store %[[V]], %B[0, 0] : memref<2x?xi64>
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.for %i in %n {
// CHECK-NEXT:      tir.if (%i < %n - 1) {
// CHECK-NEXT:        %[[AT:.*]] = tir.load %I[%i + 1] : memref<?xindex>
// CHECK-NEXT:        %[[W:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK-NEXT:        tir.store %[[W]], %B[(%i + 1) mod 2, 0] : memref<2x?xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %b = tir.load %B[%i mod 2, 0] : memref<2x?xi64>
// CHECK-NEXT:      tir.store %b, %C[%i] : memref<?xi64>
// CHECK-NEXT:    }
func.func @symbolic(%I: memref<?xindex>, %C: memref<?xi64>, %n: index) {
  tir.for %i in %n {
    %B = tir.alloc "B" (%n) {tir.double_buffer} : memref<?xi64>
    %at = tir.load %I[%i] : memref<?xindex>
    %value = arith.index_cast %at : index to i64
    tir.store %value, %B[0] : memref<?xi64>
    %b = tir.load %B[0] : memref<?xi64>
    tir.store %b, %C[%i] : memref<?xi64>
  }
  func.return
}
