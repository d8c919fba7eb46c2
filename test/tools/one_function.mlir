// func=NAME restricts any pass to one function; the others keep their places.
// RUN: kc-opt %s --dce="func=g" | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %x = arith.constant 1 : i32
// CHECK-LABEL: func.func @g
// CHECK-NEXT:    func.return
// CHECK-LABEL: func.func @h
// CHECK-NEXT:    %x = arith.constant 3 : i32

func.func @f() {
  %x = arith.constant 1 : i32
  func.return
}
func.func @g() {
  %x = arith.constant 2 : i32
  func.return
}
func.func @h() {
  %x = arith.constant 3 : i32
  func.return
}
