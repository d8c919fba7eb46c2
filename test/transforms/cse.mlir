// RUN: kc-opt %s --cse | FileCheck %s

// What two statements compute is computed once, also where one of them stands in a loop of the
// other; what is loaded is not, as a store may come between.
// CHECK-LABEL: func.func @statements
// CHECK-NEXT:    %s = arith.addi %x, %y : i32
// CHECK-NEXT:    %a = tir.load %A[0] : memref<8xi32>
// CHECK-NEXT:    %p = arith.muli %s, %a : i32
// CHECK-NEXT:    tir.store %p, %B[0] : memref<8xi32>
// CHECK-NEXT:    tir.store %s, %A[0] : memref<8xi32>
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      %a_1 = tir.load %A[0] : memref<8xi32>
// CHECK-NEXT:      %q = arith.muli %s, %a_1 : i32
// CHECK-NEXT:      tir.store %q, %B[%i] : memref<8xi32>
// CHECK-NEXT:    }
func.func @statements(%x: i32, %y: i32, %A: memref<8xi32>, %B: memref<8xi32>) {
  %s = arith.addi %x, %y : i32
  %a = tir.load %A[0] : memref<8xi32>
  %p = arith.muli %s, %a : i32
  tir.store %p, %B[0] : memref<8xi32>
  %again = arith.addi %x, %y : i32
  tir.store %again, %A[0] : memref<8xi32>
  tir.for %i in 8 {
    %third = arith.addi %x, %y : i32
    %a_1 = tir.load %A[0] : memref<8xi32>
    %q = arith.muli %third, %a_1 : i32
    tir.store %q, %B[%i] : memref<8xi32>
  }
  func.return
}
