// memref.atomic_rmw as upstream has it.
// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: kc-opt %s --convert-to-llvm | FileCheck %s --check-prefix=LLVM
// REQUIRES: mlir
// RUN: kc-opt %s | mlir-opt | FileCheck %s --check-prefix=UPSTREAM
// RUN: kc-opt %s --mlir-print-op-generic | mlir-opt | FileCheck %s --check-prefix=UPSTREAM

// CHECK:         %0 = memref.atomic_rmw addf %x, %A[%i, %i] : (f32, memref<4x8xf32>) -> f32
// CHECK-NEXT:    %1 = memref.atomic_rmw assign %x, %A[%i, %i] : (f32, memref<4x8xf32>) -> f32
// CHECK-NEXT:    %2 = memref.atomic_rmw maxnumf %x, %A[%i, %i] : (f32, memref<4x8xf32>) -> f32
// CHECK-NEXT:    %3 = memref.atomic_rmw minimumf %x, %A[%i, %i] : (f32, memref<4x8xf32>) -> f32
// CHECK-NEXT:    %4 = memref.atomic_rmw addi %y, %S[] : (i32, memref<i32>) -> i32
// CHECK-NEXT:    %5 = memref.atomic_rmw andi %y, %S[] : (i32, memref<i32>) -> i32
// CHECK-NEXT:    %6 = memref.atomic_rmw minu %y, %S[] : (i32, memref<i32>) -> i32
// CHECK-NEXT:    %7 = memref.atomic_rmw xori %y, %S[] : (i32, memref<i32>) -> i32
// GENERIC:       "memref.atomic_rmw"(%x, %A, %i, %i) <{kind = 0 : i64}> : (f32, memref<4x8xf32>, index, index) -> f32
// LLVM:          llvm.atomicrmw fadd
// LLVM:          llvm.atomicrmw xchg
// LLVM:          llvm.atomicrmw fmax
// LLVM:          llvm.atomicrmw fminimum
// LLVM:          llvm.atomicrmw add
// LLVM:          llvm.atomicrmw _and
// LLVM:          llvm.atomicrmw umin
// LLVM:          llvm.atomicrmw _xor
// UPSTREAM:      memref.atomic_rmw addf %arg1, %arg0[%arg2, %arg2] : (f32, memref<4x8xf32>) -> f32
// UPSTREAM-NEXT: memref.atomic_rmw assign
// UPSTREAM-NEXT: memref.atomic_rmw maxnumf
// UPSTREAM-NEXT: memref.atomic_rmw minimumf
// UPSTREAM-NEXT: memref.atomic_rmw addi
// UPSTREAM-NEXT: memref.atomic_rmw andi
// UPSTREAM-NEXT: memref.atomic_rmw minu
// UPSTREAM-NEXT: memref.atomic_rmw xori
func.func @f(%A: memref<4x8xf32>, %x: f32, %i: index, %S: memref<i32>, %y: i32) {
  %0 = memref.atomic_rmw addf %x, %A[%i, %i] : (f32, memref<4x8xf32>) -> f32
  %1 = memref.atomic_rmw assign %x, %A[%i, %i] : (f32, memref<4x8xf32>) -> f32
  %2 = memref.atomic_rmw maxnumf %x, %A[%i, %i] : (f32, memref<4x8xf32>) -> f32
  %3 = memref.atomic_rmw minimumf %x, %A[%i, %i] : (f32, memref<4x8xf32>) -> f32
  %4 = memref.atomic_rmw addi %y, %S[] : (i32, memref<i32>) -> i32
  %5 = memref.atomic_rmw andi %y, %S[] : (i32, memref<i32>) -> i32
  %6 = memref.atomic_rmw minu %y, %S[] : (i32, memref<i32>) -> i32
  %7 = memref.atomic_rmw xori %y, %S[] : (i32, memref<i32>) -> i32
  func.return
}
