// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// CHECK:      tir.for %i in 4 { }
// CHECK-NEXT: tir.if (%n < 4) { }
// CHECK-NEXT: tir.for %k in 4 {
// CHECK-NEXT:   tir.block "B" (reduce %v_k in 4 = %k) init { } do { }
func.func @f(%n: index) {
  tir.for %i in 4 {
  }
  tir.if (%n < 4) {
  } else {
  }
  tir.for %k in 4 {
    tir.block "B" (reduce %v_k in 4 = %k) init {
    } do {
    }
  }
  func.return
}
