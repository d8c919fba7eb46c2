// A region without results prints the ends of its blocks, and is read again.
// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s | kc-opt - | FileCheck %s

// CHECK-LABEL: func.func @in_a_region
// CHECK:         scf.execute_region {
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        memref.store
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
func.func @in_a_region(%A: memref<8xf32>, %a: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  scf.execute_region {
    scf.if %c {
      memref.store %a, %A[%c0] : memref<8xf32>
    }
    scf.yield
  }
  func.return
}

// CHECK-LABEL: func.func @branches
// CHECK:         scf.execute_region {
// CHECK:           cf.cond_br %c, ^[[A:.*]], ^[[B:.*]]
// CHECK:           cf.br ^[[B]]
// CHECK:           scf.yield
// CHECK:         %x = scf.execute_region -> (f32) {
// CHECK-NEXT:      scf.yield %a : f32
func.func @branches(%A: memref<8xf32>, %a: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  scf.execute_region {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    memref.store %a, %A[%c0] : memref<8xf32>
    cf.br ^bb2
  ^bb2:
    scf.yield
  }
  %x = scf.execute_region -> (f32) {
    scf.yield %a : f32
  }
  memref.store %x, %A[%c0] : memref<8xf32>
  func.return
}
