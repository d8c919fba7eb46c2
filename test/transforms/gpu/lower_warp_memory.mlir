// RUN: kc-opt %s --lower-warp-memory | FileCheck %s

// A copy for each row of threads.
// CHECK-LABEL: func.func @rows(%A: memref<6x32xf32>) {
// CHECK-NEXT:    tir.for %z in 2 thread "threadIdx.z" {
// CHECK-NEXT:      tir.for %y in 3 thread "threadIdx.y" {
// CHECK-NEXT:        tir.for %x in 32 thread "threadIdx.x" {
// CHECK-NEXT:          %W = tir.alloc "W" {tir.storage_align = [array<i64: 1, 32, 8>]} : memref<6x32xf32, "shared">
// CHECK-NEXT:          %0 = tir.load %A[%z * 3 + %y, %x] : memref<6x32xf32>
// CHECK-NEXT:          tir.store %0, %W[%z * 3 + %y, %x] : memref<6x32xf32, "shared">
// CHECK-NEXT:          %1 = tir.load %W[%z * 3 + %y, %x * -1 + 31] : memref<6x32xf32, "shared">
// CHECK-NEXT:          tir.store %1, %A[%z * 3 + %y, %x] : memref<6x32xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @rows(%A: memref<6x32xf32>) {
  tir.for %z in 2 thread "threadIdx.z" {
    tir.for %y in 3 thread "threadIdx.y" {
      tir.for %x in 32 thread "threadIdx.x" {
        %W = tir.alloc "W" {tir.storage_align = [array<i64: 0, 32, 8>]} : memref<32xf32, "warp">
        %0 = tir.load %A[%z * 3 + %y, %x] : memref<6x32xf32>
        tir.store %0, %W[%x] : memref<32xf32, "warp">
        %1 = tir.load %W[31 - %x] : memref<32xf32, "warp">
        tir.store %1, %A[%z * 3 + %y, %x] : memref<6x32xf32>
      }
    }
  }
  func.return
}

// One row; other memory stays.
// CHECK-LABEL: func.func @row(%A: memref<32xf32>) {
// CHECK-NEXT:    tir.for %b in 4 thread "blockIdx.x" {
// CHECK-NEXT:      tir.for %x in 32 thread "threadIdx.x" {
// CHECK-NEXT:        %L = tir.alloc "L" : memref<1xf32, "local">
// CHECK-NEXT:        %W = tir.alloc "W" : memref<1x32xf32, "shared">
// CHECK-NEXT:        %0 = tir.load %A[%x] : memref<32xf32>
// CHECK-NEXT:        tir.store %0, %L[0] : memref<1xf32, "local">
// CHECK-NEXT:        tir.store %0, %W[0, %x] : memref<1x32xf32, "shared">
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @row(%A: memref<32xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %x in 32 thread "threadIdx.x" {
      %L = tir.alloc "L" : memref<1xf32, "local">
      %W = tir.alloc "W" : memref<32xf32, "warp">
      %0 = tir.load %A[%x] : memref<32xf32>
      tir.store %0, %L[0] : memref<1xf32, "local">
      tir.store %0, %W[%x] : memref<32xf32, "warp">
    }
  }
  func.return
}
