// RUN: not kc-opt %s 2>&1 | FileCheck %s

// CHECK: error[KC1101]: tir.thread_number: is in the body of a scf.parallel, but here of scf.for
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %k = tir.thread_number below %n
  }
  func.return
}
