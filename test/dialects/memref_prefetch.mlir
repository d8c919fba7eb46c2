// memref.prefetch as upstream has it.
// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: kc-opt %s --convert-to-llvm | FileCheck %s --check-prefix=LLVM
// REQUIRES: mlir
// RUN: kc-opt %s | mlir-opt | FileCheck %s --check-prefix=UPSTREAM

// CHECK:      memref.prefetch %A[%i, %i], read, locality<3>, data : memref<4x8xf32>
// CHECK-NEXT: memref.prefetch %A[%i, %i], write, locality<0>, instr : memref<4x8xf32>
// UPSTREAM:      memref.prefetch %arg0[%arg1, %arg1], read, locality<3>, data : memref<4x8xf32>
// UPSTREAM-NEXT: memref.prefetch %arg0[%arg1, %arg1], write, locality<0>, instr : memref<4x8xf32>
// GENERIC: "memref.prefetch"(%A, %i, %i) <{isWrite = false, localityHint = 3 : i32, isDataCache = true}> : (memref<4x8xf32>, index, index) -> ()
// LLVM: "llvm.intr.prefetch"(%{{.*}}) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}>
// LLVM: "llvm.intr.prefetch"(%{{.*}}) <{rw = 1 : i32, hint = 0 : i32, cache = 0 : i32}>
func.func @f(%A: memref<4x8xf32>, %i: index) {
  memref.prefetch %A[%i, %i], read, locality<3>, data : memref<4x8xf32>
  memref.prefetch %A[%i, %i], write, locality<0>, instr : memref<4x8xf32>
  func.return
}
