// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// CHECK-LABEL: func.func @nothing
// CHECK:         scf.while : () -> () {
// CHECK:           scf.condition(%{{.*}})
// CHECK:         } do {
// CHECK:         } attributes {tag = 1 : i32}
// CHECK-LABEL: func.func @number
// CHECK:         scf.while (%i = %n) : (i32) -> i32 {
func.func @nothing(%c: i1) {
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  } attributes {tag = 1 : i32}
  return
}
func.func @number(%c: i1, %n: i32) -> i32 {
  %r = scf.while (%i = %n) : (i32) -> i32 {
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%j: i32):
    scf.yield %j : i32
  }
  return %r : i32
}
