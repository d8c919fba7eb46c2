// RUN: kc-opt %s --split-input-file --partition-loops | FileCheck %s
// RUN: kc-opt %s --split-input-file --partition-loops="partition-const-loop=true" | FileCheck %s --check-prefix=CONST
// RUN: kc-opt %s --split-input-file --partition-loops="partition-const-loop=true no-unroll-loop-with-extent-one=true" | FileCheck %s --check-prefix=ONE
// RUN: kc-opt %s --split-input-file --partition-loops="unroll-loop-with-partition-hint-no-interval=true" | FileCheck %s --check-prefix=HINT

// CHECK-LABEL: func.func @tail
// CHECK:         tir.for %i_o in 4 {
// CHECK:             tir.if

// CONST-LABEL: func.func @tail
// CONST-NEXT:    %x = arith.constant
// CONST-NEXT:    tir.for %i_o in 3 {
// CONST-NEXT:      tir.for %i_i in 32 {
// CONST-NEXT:        tir.store %x, %C[%i_o * 32 + %i_i] : memref<100xf32>
// CONST:         %0 = arith.constant 3 : index
// CONST-NEXT:    tir.for %i_i_1 "i_i" in 4 {
// CONST-NEXT:      tir.store %x, %C[%0 * 32 + %i_i_1] : memref<100xf32>
// CONST-NEXT:    }
// CONST-NEXT:    func.return

// ONE-LABEL:   func.func @tail
// ONE:           tir.for %i_o in 3 {
// ONE:           tir.for %i_o_1 "i_o" in 1 {
// ONE-NEXT:        %0 = tir.apply (%i_o_1 + 3)
// ONE-NEXT:        tir.for %i_i_1 "i_i" in 4 {
func.func @tail(%C: memref<100xf32>) {
  %x = arith.constant 1.0 : f32
  tir.for %i_o in 4 {
    tir.for %i_i in 32 {
      tir.if (%i_o * 32 + %i_i < 100) {
        tir.store %x, %C[%i_o * 32 + %i_i] : memref<100xf32>
      }
    }
  }
  func.return
}

// -----

// A size that is known at the call: the cut is where it is, and no part is lost when there are none.

// CHECK-LABEL: func.func @size
// CHECK:         [[MID:%[0-9]+]] = tir.apply min((%n + 31) floordiv 32, %n floordiv 32)
// CHECK-NEXT:    tir.for %i_o in [[MID]] parallel {
// CHECK-NEXT:      tir.for %i_i in 32 {
// CHECK-NEXT:        tir.store %x, %C[%i_o * 32 + %i_i] : memref<?xf32>
// CHECK:         tir.for %i_o_1 "i_o" in %{{[0-9]+}} parallel {
// CHECK-NEXT:      [[AT:%[0-9]+]] = tir.apply (%i_o_1 + [[MID]])
// CHECK:             tir.if ([[AT]] * 32 + %i_i_1 < %n) {
func.func @size(%C: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %x = arith.constant 1.0 : f32
  %e = tir.apply ((%n + 31) floordiv 32)
  tir.for %i_o in %e parallel {
    tir.for %i_i in 32 {
      tir.if (%i_o * 32 + %i_i < %n) {
        tir.store %x, %C[%i_o * 32 + %i_i] : memref<?xf32>
      }
    }
  }
  func.return
}

// -----

// Before and after: what is done elsewhere stays there.

// CONST-LABEL: func.func @pad
// CONST:         tir.for %i in 2 {
// CONST-NEXT:      tir.store %x, %C[%i] : memref<104xf32>
// CONST-NEXT:    }
// CONST:         tir.for %i_1 "i" in 100 {
// CONST-NEXT:      [[I:%[0-9]+]] = tir.apply (%i_1 + 2)
// CONST-NEXT:      tir.store %x, %A[[[I]] - 2] : memref<100xf32>
// CONST-NEXT:    }
// CONST:         tir.for %i_2 "i" in 2 {
// CONST-NEXT:      [[J:%[0-9]+]] = tir.apply (%i_2 + 102)
// CONST-NEXT:      tir.store %x, %C[[[J]]] : memref<104xf32>
func.func @pad(%A: memref<100xf32>, %C: memref<104xf32>) {
  %x = arith.constant 1.0 : f32
  tir.for %i in 104 {
    tir.if (%i >= 2, %i < 102) {
      tir.store %x, %A[%i - 2] : memref<100xf32>
    } else {
      tir.store %x, %C[%i] : memref<104xf32>
    }
  }
  func.return
}

// -----

// The hint is for one loop; where nothing is known it is unrolled, if asked for.

// CHECK-LABEL: func.func @hints
// CHECK:         tir.for %i in 6 {
// CHECK-NEXT:      tir.store %x, %C[%i] : memref<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.for %j in 8 {
// CHECK-NEXT:      tir.store

// HINT-LABEL: func.func @hints
// HINT:         tir.for %j in 8 unrolled {
func.func @hints(%C: memref<8xf32>) {
  %x = arith.constant 1.0 : f32
  tir.for %i in 8 annotations {pragma_loop_partition_hint = true} {
    tir.if (%i < 6) {
      tir.store %x, %C[%i] : memref<8xf32>
    }
  }
  tir.for %j in 8 annotations {pragma_loop_partition_hint = true} {
    tir.store %x, %C[%j] : memref<8xf32>
  }
  func.return
}

// -----

// Conditions on other loops, on what is not affine, and equalities cut nothing.

// CONST-LABEL: func.func @kept
// CONST-NEXT:    %x = arith.constant
// CONST-NEXT:    tir.for %i in 8 {
// CONST-NEXT:      tir.for %j in 8 {
// CONST-NEXT:        tir.if (%i mod 3 < 2, %i == 5) {
func.func @kept(%C: memref<8x8xf32>) {
  %x = arith.constant 1.0 : f32
  tir.for %i in 8 {
    tir.for %j in 8 {
      tir.if (%i mod 3 < 2, %i == 5) {
        tir.store %x, %C[%i, %j] : memref<8x8xf32>
      }
    }
  }
  func.return
}

// -----

// Conditions that begin to hold behind the last iteration of a short loop.

// CHECK-LABEL: func.func @short
// CHECK:         [[START:%[0-9]+]] = tir.apply min(5, %n)
// CHECK-NEXT:    [[REST:%[0-9]+]] = tir.apply (%n - [[START]])
// CHECK-NEXT:    tir.for %i in [[REST]] {
// CHECK-NEXT:      [[AT:%[0-9]+]] = tir.apply (%i + [[START]])
// CHECK-NEXT:      tir.store %x, %C[[[AT]]] : memref<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @short(%C: memref<?xf32>, %n: index {kc.name = "n"}) {
  %x = arith.constant 1.0 : f32
  tir.for %i in %n {
    tir.if (%i >= 5) {
      tir.store %x, %C[%i] : memref<?xf32>
    }
  }
  func.return
}
