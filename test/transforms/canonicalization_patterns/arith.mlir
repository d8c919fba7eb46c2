// RUN: kc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @extremes(
// CHECK-NEXT:    %c9 = arith.constant 9 : index
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      %b = arith.minsi %n, %i : index
// CHECK-NEXT:      %d = arith.maxsi %n, %c9 : index
// CHECK-NEXT:      func.call @use(%b, %i, %d)
// CHECK-NEXT:      %e = arith.minsi %m, %n : index
// CHECK-NEXT:      %f = arith.minsi %x, %y : i32
// CHECK-NEXT:      func.call @use32(%f, %e)
func.func @extremes(%n: index, %m: index, %x: i32, %y: i32) {
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  tir.for %i in 8 {
    %a = arith.minsi %n, %c8 : index
    %b = arith.minsi %a, %i : index
    %k = arith.minsi %i, %c8 : index
    %c = arith.maxsi %c9, %i : index
    %d = arith.maxsi %n, %c : index
    func.call @use(%b, %k, %d) : (index, index, index) -> ()
    %p = arith.minsi %n, %m : index
    %e = arith.minsi %p, %n : index
    %f = arith.minsi %x, %y : i32
    func.call @use32(%f, %e) : (i32, index) -> ()
  }
  func.return
}
func.func private @use(index, index, index)
func.func private @use32(i32, index)
