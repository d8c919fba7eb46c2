// RUN: kc-opt %s --reorder="block=C loops=k,j" | FileCheck %s
// RUN: kc-opt %s --reorder="block=C loops=k,i" | FileCheck %s --check-prefix=SLOTS
// RUN: kc-opt %s --reorder="block=C loops=i,j,k" | FileCheck %s --check-prefix=SAME
// RUN: kc-opt %s --split="block=C loop=j factors=?,4" --vectorize="block=C loop=j_i" --reorder="block=C loops=j_i,k" | FileCheck %s --check-prefix=KIND
// RUN: kc-opt %s --reorder="func=forward loops=j,i" | FileCheck %s --check-prefix=FORWARD
// RUN: kc-opt %s --reorder="func=triangle loops=i,k,j" | FileCheck %s --check-prefix=TRIANGLE
// RUN: kc-opt %s --reorder="func=triangle loops=j,i" | FileCheck %s --check-prefix=OUTER

// Updates of a reduction may change places.
// CHECK-LABEL: func.func @matmul
// CHECK:       tir.for %i in 16 {
// CHECK-NEXT:    tir.for %k in 8 {
// CHECK-NEXT:      tir.for %j in 12 {
// CHECK-NEXT:        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {

// Only the named loops exchange their places: j stays in the middle.
// SLOTS:       tir.for %k in 8 {
// SLOTS-NEXT:    tir.for %j in 12 {
// SLOTS-NEXT:      tir.for %i in 16 {

// SAME:        tir.for %i in 16 {
// SAME-NEXT:     tir.for %j in 12 {
// SAME-NEXT:       tir.for %k in 8 {

// The kind moves with the loop.
// KIND:        tir.for %j_o in 3 {
// KIND-NEXT:     tir.for %j_i in 4 vectorized {
// KIND-NEXT:       tir.for %k in 8 {
func.func @matmul(%A: memref<16x8xf32>, %B: memref<8x12xf32>, %C: memref<16x12xf32>) {
  tir.for %i in 16 {
    tir.for %j in 12 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%v_i, %v_j] : memref<16x12xf32>
        } do {
          %a = tir.load %A[%v_i, %v_k] : memref<16x8xf32>
          %b = tir.load %B[%v_k, %v_j] : memref<8x12xf32>
          %p = arith.mulf %a, %b : f32
          %c = tir.load %C[%v_i, %v_j] : memref<16x12xf32>
          %s = arith.addf %c, %p : f32
          tir.store %s, %C[%v_i, %v_j] : memref<16x12xf32>
        }
      }
    }
  }
  func.return
}

// A[i + 1, j + 1] depends on A[i, j]: forward in both loops, so the order does not matter.
// FORWARD-LABEL: func.func @forward
// FORWARD:       tir.for %j in 7 {
// FORWARD-NEXT:    tir.for %i in 7 {
// FORWARD-NEXT:      %a = tir.load %A[%i, %j] : memref<8x8xf32>
// FORWARD-NEXT:      tir.store %a, %A[%i + 1, %j + 1] : memref<8x8xf32>
func.func @forward(%A: memref<8x8xf32>) {
  tir.for %i in 7 {
    tir.for %j in 7 {
      %a = tir.load %A[%i, %j] : memref<8x8xf32>
      tir.store %a, %A[%i + 1, %j + 1] : memref<8x8xf32>
    }
  }
  func.return
}

// An extent is computed inside the loops it depends on, wherever they come to stand.
// TRIANGLE-LABEL: func.func @triangle
// TRIANGLE:       tir.for %i in 8 {
// TRIANGLE-NEXT:    %size = tir.apply (%i + 1)
// TRIANGLE-NEXT:    tir.for %k in %size {
// TRIANGLE-NEXT:      tir.for %j in 4 {
// TRIANGLE-NEXT:        %twice = tir.apply (%j * 2)
// TRIANGLE-NEXT:        tir.store %x, %A[%i, %twice, %k] : memref<8x8x8xf32>

// OUTER-LABEL:    func.func @triangle
// OUTER:          tir.for %j in 4 {
// OUTER-NEXT:       tir.for %i in 8 {
// OUTER-NEXT:         %size = tir.apply (%i + 1)
// OUTER-NEXT:         %twice = tir.apply (%j * 2)
// OUTER-NEXT:         tir.for %k in %size {
// OUTER-NEXT:           tir.store %x, %A[%i, %twice, %k] : memref<8x8x8xf32>
func.func @triangle(%A: memref<8x8x8xf32>, %x: f32) {
  tir.for %i in 8 {
    %size = tir.apply (%i + 1)
    tir.for %j in 4 {
      %twice = tir.apply (%j * 2)
      tir.for %k in %size {
        tir.store %x, %A[%i, %twice, %k] : memref<8x8x8xf32>
      }
    }
  }
  func.return
}

// The size of k is computed in two steps, of which the first one is also in front of its loop then.
// RUN: kc-opt %s --reorder="func=two_steps loops=i,k,j" | FileCheck %s --check-prefix=STEPS
func.func @two_steps(%C: memref<4x3x8xf32>) {
  tir.for %i in 4 {
    %rest = tir.apply (%i mod 2)
    %size = arith.addi %rest, %rest : index
    tir.for %j in 3 {
      tir.for %k in %size {
        tir.block "Z" (spatial %u in 4 = %i, spatial %v in 3 = %j, spatial %w in 8 = %k) do {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%u, %v, %w] : memref<4x3x8xf32>
        }
      }
    }
  }
  func.return
}
// STEPS-LABEL: func.func @two_steps(
// STEPS:         %rest = tir.apply (%i mod 2)
// STEPS-NEXT:    %size = arith.addi %rest, %rest : index
// STEPS-NEXT:    tir.for %k in %size {
// STEPS-NEXT:      tir.for %j in 3 {
// STEPS-NEXT:        tir.block "Z"

// A size that stands in a loop, and does not change with it, goes in front of it.
// RUN: kc-opt %s --reorder="func=stands_inside loops=k,j" | FileCheck %s --check-prefix=INSIDE
func.func @stands_inside(%C: memref<4x3x5xf32>) {
  tir.for %i in 4 {
    tir.for %j in 3 {
      %size = tir.apply (%i + 1)
      tir.for %k in %size {
        tir.block "Z" (spatial %u in 4 = %i, spatial %v in 3 = %j, spatial %w in 5 = %k) do {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%u, %v, %w] : memref<4x3x5xf32>
        }
      }
    }
  }
  func.return
}
// INSIDE-LABEL: func.func @stands_inside(
// INSIDE-NEXT:    tir.for %i in 4 {
// INSIDE-NEXT:      %size = tir.apply (%i + 1)
// INSIDE-NEXT:      tir.for %k in %size {
// INSIDE-NEXT:        tir.for %j in 3 {
// INSIDE-NEXT:          tir.block "Z"
