// Loops and conditions of scf become branches; where a region has one block, they are refused.
// RUN: kc-opt %s --convert-scf-to-cf | FileCheck %s

// CHECK-LABEL: func.func @store
// CHECK:         cf.br ^[[HEAD:.*]](
// CHECK:         ^[[HEAD]](%[[I:.*]]: index):
// CHECK:         cf.cond_br
// CHECK:         cf.cond_br %c
// CHECK:         memref.store %a, %A[%[[I]]]
func.func @store(%A: memref<8xf32>, %a: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.if %c {
      memref.store %a, %A[%i] : memref<8xf32>
    }
  }
  func.return
}
