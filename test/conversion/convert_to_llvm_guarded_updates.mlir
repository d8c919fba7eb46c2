// After a loop that updates, under a guard, a place of an outer loop that the guard depends on.
// RUN: kc-opt %s --convert-to-llvm --split-input-file | FileCheck %s

// CHECK-LABEL: llvm.func @guard_of_an_outer_loop
// CHECK:         llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr
// CHECK:         llvm.icmp "slt" %k,
// CHECK:         llvm.cond_br
// CHECK:         llvm.cond_br
// CHECK:         llvm.add %k,
// CHECK-NEXT:    llvm.br
// CHECK:         llvm.call_intrinsic "llvm.sideeffect"() : () -> ()
// CHECK-NEXT:    llvm.add %i,
// CHECK-NOT:     sideeffect
func.func @guard_of_an_outer_loop(%C: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %x, %C[%i] : memref<8xf32>
    scf.for %k = %c0 to %c8 step %c1 {
      %p = arith.cmpi eq, %i, %c0 : index
      scf.if %p {
        memref.store %x, %C[%i] : memref<8xf32>
      }
    }
  }
  func.return
}

// -----

// The guard depends on the inner loop alone, or what is stored is at another place in each iteration.
// CHECK-LABEL: llvm.func @other_guards
// CHECK-NOT:     sideeffect
func.func @other_guards(%C: memref<8xf32>, %D: memref<8x8xf32>, %q: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %p = arith.cmpi eq, %i, %c0 : index
    scf.for %k = %c0 to %c8 step %c1 {
      %r = arith.cmpi eq, %k, %c0 : index
      scf.if %r {
        memref.store %x, %C[%i] : memref<8xf32>
      }
      scf.if %q {
        memref.store %x, %C[%i] : memref<8xf32>
      }
    }
    scf.for %k = %c0 to %c8 step %c1 {
      scf.if %p {
        memref.store %x, %D[%i, %k] : memref<8x8xf32>
      }
    }
  }
  func.return
}

// -----

// A loop without iterations is a guard too; so is what decides whether to go on.
// CHECK-LABEL: llvm.func @bounds
// CHECK:         llvm.call_intrinsic "llvm.sideeffect"
// CHECK-NEXT:    llvm.add %i,
// CHECK:         llvm.call_intrinsic "llvm.sideeffect"
// CHECK-NEXT:    llvm.add %j,
// CHECK-NOT:     sideeffect
func.func @bounds(%C: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %k = %c0 to %i step %c1 {
      memref.store %x, %C[%i] : memref<8xf32>
    }
  }
  scf.for %j = %c0 to %c8 step %c1 {
    %n = scf.while (%a = %c0) : (index) -> index {
      %p = arith.cmpi slt, %a, %j : index
      scf.condition(%p) %a : index
    } do {
    ^bb0(%b: index):
      memref.store %x, %C[%j] : memref<8xf32>
      %c = arith.addi %b, %c1 : index
      scf.yield %c : index
    }
  }
  func.return
}
