// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// CHECK-LABEL: func.func @chosen
// CHECK:         tosa.cond_if %c : tensor<i1> -> tensor<4xf32> {
// CHECK-NEXT:      tosa.yield %a : tensor<4xf32>
// CHECK-NEXT:    } else {
func.func @chosen(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %r = tosa.cond_if %c : tensor<i1> -> tensor<4xf32> {
    tosa.yield %a : tensor<4xf32>
  } else {
    tosa.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @given
// CHECK:         tosa.cond_if %c (%{{.*}} = %a, %{{.*}} = %b) : tensor<i1> (tensor<f32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>):
// CHECK:         } {foo = 1 : i64}
func.func @given(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %r = tosa.cond_if %c (%x = %a, %y = %b) : tensor<i1> (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tosa.yield %x : tensor<f32>
  } else {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tosa.yield %y : tensor<f32>
  } {foo = 1 : i64}
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @counted
// CHECK:         tosa.while_loop (%i = %a, %v = %a) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
// CHECK-NEXT:      tosa.greater
// CHECK:         } do {
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>):
// CHECK:         } attributes {foo = 1 : i32}
func.func @counted(%a: tensor<i32>, %n: tensor<i32>) -> tensor<i32> {
  %r:2 = tosa.while_loop (%i = %a, %v = %a) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %t = tosa.greater %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %t : tensor<i1>
  } do {
  ^bb0(%j: tensor<i32>, %w: tensor<i32>):
    %s = tosa.add %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %s, %w : tensor<i32>, tensor<i32>
  } attributes {foo = 1 : i32}
  return %r#1 : tensor<i32>
}
