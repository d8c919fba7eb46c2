// Structured branches become conditions and loops; what is not structured is refused.
// RUN: kc-opt %s --raise-to-tir --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @either
// CHECK:         scf.if %p {
// CHECK:         } else {
// CHECK-NOT:     {{[ ]}}cf.
func.func @either(%A: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  cf.cond_br %p, ^twice, ^join(%A : tensor<4xf32>)
^twice:
  %x = arith.addf %A, %A : tensor<4xf32>
  cf.br ^join(%x : tensor<4xf32>)
^join(%r: tensor<4xf32>):
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @only_if
// CHECK:         scf.if %q {
// CHECK:           math.exp
// CHECK-NOT:     {{[ ]}}cf.
func.func @only_if(%a: memref<8xf32>, %b: memref<8xf32>, %q: i1) {
  cf.cond_br %q, ^a, ^b
^a:
  linalg.exp ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  cf.br ^b
^b:
  return
}

// -----

// CHECK-LABEL: func.func @count
// CHECK:         scf.while
// CHECK:           scf.condition
// CHECK-NOT:     {{[ ]}}cf.
func.func @count(%A: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %A : index, tensor<4xf32>)
^head(%i: index, %t: tensor<4xf32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %x = arith.addf %t, %A : tensor<4xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %x : index, tensor<4xf32>)
^exit:
  return %t : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @in_a_region
// CHECK:         scf.if %p {
// CHECK:         } else {
// CHECK-NOT:     {{[ ]}}cf.
func.func @in_a_region(%A: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %r = scf.execute_region -> tensor<4xf32> {
    cf.cond_br %p, ^a, ^b
  ^a:
    %x = arith.addf %A, %A : tensor<4xf32>
    scf.yield %x : tensor<4xf32>
  ^b:
    scf.yield %A : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @two_entries(%A: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  // expected-error@+1 {{raise-to-tir: cf.cond_br has no counterpart in tir}}
  cf.cond_br %p, ^a, ^b
^a:
  %x = arith.addf %A, %A : tensor<4xf32>
  cf.cond_br %p, ^b, ^c
^b:
  %y = arith.mulf %A, %A : tensor<4xf32>
  cf.cond_br %p, ^a, ^c
^c:
  return %A : tensor<4xf32>
}
