// RUN: kc-opt %s --skip-assert | FileCheck %s

// The checks go with what computed their conditions; calls of other functions stay.

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %n_1 = tir.symbol "n"
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      tir.call_extern packed "my.log"("i") : ()
// CHECK-NEXT:      tir.if (%n_1 >= 2) {
// CHECK-NEXT:        tir.call_extern packed "my.log"("n") : ()
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.block "B"
// CHECK-NOT:   assertion_failed
func.func @f(%A: memref<8xf32>, %B: memref<8xf32>,
             %n: index {kc.symbol = "n", kc.dtype = "int32"}) attributes {kc.symbols = ["n"]} {
  %n_1 = tir.symbol "n"
  tir.for %i in 8 {
    %three = arith.constant 3 : index
    %small = arith.cmpi sle, %n_1, %three : index
    %number = arith.index_castui %small : i1 to index
    tir.if (%number == 1) {
      tir.call_extern packed "kc.assertion_failed"("f.py:3:5: n is small") : ()
    }
    tir.call_extern packed "my.log"("i") : ()
    tir.if (%n_1 >= 2) {
      tir.call_extern packed "kc.assertion_failed"("f.py:4:5: never 2") : ()
      tir.call_extern packed "my.log"("n") : ()
    }
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %B[%v_i] : memref<8xf32>
    }
  }
  func.return
}
