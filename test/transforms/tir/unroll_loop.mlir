// RUN: kc-opt %s --split-input-file --unroll-loop | FileCheck %s
// RUN: kc-opt %s --split-input-file --unroll-loop="auto-max-step=8" | FileCheck %s --check-prefix=STEP
// RUN: kc-opt %s --split-input-file --unroll-loop="auto-max-extent=2 explicit-unroll=false" | FileCheck %s --check-prefix=MARK

// Marked loops are unrolled, the variable of a loop outside is not.

// CHECK-LABEL: func.func @marked
// CHECK-NEXT:    %x = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    tir.for %i in 4 {
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      tir.store %x, %A[%i * 2 + %0] : memref<8xf32>
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      tir.store %x, %A[%i * 2 + %1] : memref<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return

// With room for 8 statements the outer loop is unrolled too: two statements, four times.

// STEP-LABEL: func.func @marked
// STEP-NOT:     tir.for
// STEP-COUNT-8: tir.store
// STEP-NOT:     tir.store

// MARK-LABEL: func.func @marked
// MARK:         tir.for %i in 4 {
// MARK-NEXT:      tir.for %u in 2 unrolled {
func.func @marked(%A: memref<8xf32>) {
  %x = arith.constant 1.0 : f32
  tir.for %i in 4 {
    tir.for %u in 2 unrolled {
      tir.store %x, %A[%i * 2 + %u] : memref<8xf32>
    }
  }
  func.return
}

// -----

// 9 statements are too many for 8; a serial loop around one that stays is not unrolled; two
// iterations are short enough for the last run. A parallel loop stays what it is.

// CHECK-LABEL: func.func @serial
// CHECK:         tir.for %p in 1 parallel {
// CHECK-NEXT:      tir.for %i in 2 {
// CHECK-NEXT:        tir.for %j in 9 {

// STEP-LABEL: func.func @serial
// STEP:         tir.for %p in 1 parallel {
// STEP-NEXT:      tir.for %i in 2 {
// STEP-NEXT:        tir.for %j in 9 {
// STEP:         func.return

// MARK-LABEL: func.func @serial
// MARK:         tir.for %p in 1 parallel {
// MARK-NEXT:      tir.for %i in 2 {
// MARK-NEXT:        tir.for %j in 9 {
// MARK:           tir.for %k in 2 unrolled {
func.func @serial(%A: memref<2x9xf32>) {
  %x = arith.constant 1.0 : f32
  tir.for %p in 1 parallel {
    tir.for %i in 2 {
      tir.for %j in 9 {
        tir.store %x, %A[%i, %j] : memref<2x9xf32>
      }
    }
    tir.for %k in 2 {
      tir.store %x, %A[%k, 0] : memref<2x9xf32>
    }
  }
  func.return
}

// -----

// Pragmas say for a loop, and what is in it, what the options say for all.

// CHECK-LABEL: func.func @pragmas
// CHECK-NOT:     pragma
// CHECK:         tir.for %i in 4 unrolled {
// CHECK-NOT:     tir.for
// CHECK-COUNT-3: tir.store
// CHECK:         func.return
func.func @pragmas(%A: memref<4xf32>) {
  %x = arith.constant 1.0 : f32
  tir.for %i in 4 annotations {pragma_auto_unroll_max_step = 4 : i64, pragma_unroll_explicit = false} {
    tir.store %x, %A[%i] : memref<4xf32>
  }
  tir.for %j in 2 annotations {pragma_auto_unroll_max_step = 2 : i64} {
    tir.store %x, %A[%j] : memref<4xf32>
  }
  func.return
}

// -----

// Blocks, and extents that are not constants, keep their loops.

// CHECK-LABEL: func.func @kept
// CHECK:         tir.for %i in %n unrolled {
// CHECK:         tir.for %j in 2 unrolled {
func.func @kept(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %x = arith.constant 1.0 : f32
  tir.for %i in %n unrolled {
    tir.store %x, %A[%i] : memref<?xf32>
  }
  tir.for %j in 2 unrolled {
    tir.block "A" (spatial %v_j in 2 = %j) do {
      tir.store %x, %A[%v_j] : memref<?xf32>
    }
  }
  func.return
}

// -----

// Conditions and calls are statements in the copies as in the loop; an empty loop goes.

// CHECK-LABEL: func.func @conditions
// CHECK-NOT:     tir.for
// CHECK-COUNT-2: tir.if
// CHECK:         func.return
func.func @conditions(%A: memref<4xf32>, %n: index {kc.symbol = "n"}) attributes {kc.symbols = ["n"]} {
  %x = arith.constant 1.0 : f32
  tir.for %z in 0 unrolled {
    tir.store %x, %A[0] : memref<4xf32>
  }
  tir.for %i in 2 unrolled {
    tir.if (%i < %n) {
      tir.store %x, %A[%i] : memref<4xf32>
    }
  }
  func.return
}
