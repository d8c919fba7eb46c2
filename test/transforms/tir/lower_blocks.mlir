// RUN: kc-opt %s --lower-blocks --split-input-file | FileCheck %s

// Bindings are composed into the index maps, the predicate guards the body.

// CHECK-LABEL: func.func @predicate
// CHECK:         tir.for %j_o in 4 {
// CHECK-NEXT:      tir.for %j_i in 32 {
// CHECK-NEXT:        tir.if (%j_o * 32 + %j_i < 100) {
// CHECK-NEXT:          %v_j = tir.apply (%j_o * 32 + %j_i)
// CHECK-NEXT:          %n = arith.index_cast %v_j : index to i32
// CHECK-NEXT:          tir.store %n, %A[%j_o, %j_i] : memref<4x32xi32>
// CHECK-NEXT:        }
func.func @predicate(%A: memref<4x32xi32>) {
  tir.for %j_o in 4 {
    tir.for %j_i in 32 {
      tir.block "A" (spatial %v_j in 100 = %j_o * 32 + %j_i) where (%j_o * 32 + %j_i < 100) do {
        %n = arith.index_cast %v_j : index to i32
        tir.store %n, %A[%v_j floordiv 32, %v_j mod 32] : memref<4x32xi32>
      }
    }
  }
  func.return
}

// -----

// What the extents of the loops prove goes.

// CHECK-LABEL: func.func @known
// CHECK:         tir.for %i in 4 {
// CHECK-NEXT:      tir.store %x, %A[%i] : memref<8xf32>
// CHECK-NEXT:    }
func.func @known(%A: memref<8xf32>, %x: f32) {
  tir.for %i in 4 {
    tir.block "always" (spatial %v in 8 = %i) where (%i < 8, %i >= 0) do {
      tir.if (%v < 4) {
        tir.store %x, %A[%v] : memref<8xf32>
      } else {
        tir.store %x, %A[0] : memref<8xf32>
      }
    }
    tir.block "never" (spatial %v in 8 = %i) where (%i > 3) do {
      tir.store %x, %A[%v] : memref<8xf32>
    }
  }
  func.return
}

// -----

// Index arithmetic is seen through, and goes when the maps have absorbed it.

// CHECK-LABEL: func.func @arithmetic
// CHECK:         tir.for %f in 96 {
// CHECK-NEXT:      tir.store %x, %A[%f] : memref<99xf32>
// CHECK-NEXT:      tir.store %x, %A[%f + 3] : memref<99xf32>
// CHECK-NEXT:    }
func.func @arithmetic(%A: memref<99xf32>, %x: f32) {
  %three = arith.constant 3 : index
  tir.for %f in 96 {
    %i = tir.apply (%f floordiv 12)
    %j = tir.apply (%f mod 12)
    %k = arith.addi %j, %three : index
    tir.block "A" (spatial %v_i in 8 = %i, spatial %v_j in 12 = %j) do {
      tir.store %x, %A[%v_i * 12 + %v_j] : memref<99xf32>
      tir.store %x, %A[%v_i * 12 + %k] : memref<99xf32>
    }
  }
  func.return
}

// -----

// A loop of one iteration becomes its body, unless it is a thread or has annotations.

// CHECK-LABEL: func.func @unit_loops
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:    {{.*}} = arith.index_cast %[[ZERO]] : index to i32
// CHECK-NEXT:    tir.store {{.*}}, %B[0] : memref<1xi32>
// CHECK-NEXT:    tir.store %x, %A[1] : memref<2xf32>
// CHECK-NEXT:    tir.for %t in 1 thread "threadIdx.x" {
// CHECK-NEXT:      tir.store %x, %A[%t] : memref<2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.for %p in 1 annotations {{.*}} {
// CHECK-NEXT:      tir.store %x, %A[%p] : memref<2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @unit_loops(%A: memref<2xf32>, %B: memref<1xi32>, %x: f32) {
  tir.for %i in 1 {
    %n = arith.index_cast %i : index to i32
    tir.store %n, %B[0] : memref<1xi32>
    tir.for %j in 1 unrolled {
      tir.store %x, %A[%i + %j + 1] : memref<2xf32>
    }
  }
  tir.for %t in 1 thread "threadIdx.x" {
    tir.store %x, %A[%t] : memref<2xf32>
  }
  tir.for %p in 1 annotations {pragma_copy_intrin = "dma_copy"} {
    tir.store %x, %A[%p] : memref<2xf32>
  }
  func.return
}
