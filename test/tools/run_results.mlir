// RUN: kc-run %s --seed=0 | FileCheck %s

// Every result is shown, also where texts give several one name.
// CHECK:      r: int32[]
// CHECK:      r_1: int32[]
// CHECK:      out: float32[]
// CHECK-NEXT: 1.5
func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<i32>, tensor<i32>) {
    scf.yield %y, %x : tensor<i32>, tensor<i32>
  }
  %0 = arith.constant 1.5 : f32
  return %r#0, %r#1, %0 : tensor<i32>, tensor<i32>, f32
}
