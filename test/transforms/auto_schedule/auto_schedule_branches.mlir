// A function with branches has no loops that rules know: it stays as it is, beside one that gets a
// schedule.
// RUN: kc-opt %s --auto-schedule | FileCheck %s

// CHECK-LABEL: func.func @branches
// CHECK:         cf.cond_br
// CHECK:         scf.for
func.func @branches(%A: memref<8xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 5 : i64
  %q = arith.cmpi slt, %c0, %n : index
  cf.cond_br %q, ^bb1, ^bb2
^bb1:
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %A[%i] : memref<8xi64>
  }
  cf.br ^bb2
^bb2:
  func.return
}

// CHECK-LABEL: func.func @loop
// CHECK:         vectorized
func.func @loop(%A: memref<64xf32>, %B: memref<64xf32>) {
  tir.for %i in 64 {
    tir.block "B" (spatial %v in 64 = %i) do {
      %a = tir.load %A[%v] : memref<64xf32>
      tir.store %a, %B[%v] : memref<64xf32>
    }
  }
  func.return
}
