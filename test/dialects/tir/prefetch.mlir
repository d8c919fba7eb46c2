// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --cse --dce --canonicalize | FileCheck %s
// RUN: kc-opt %s --lower-blocks --convert-tir-to-scf | FileCheck %s --check-prefix=SCF
// RUN: kc-opt %s --lower-blocks --convert-tir-to-scf | kc-opt | FileCheck %s --check-prefix=SCF
// RUN: kc-opt %s --lower-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: kc-translate %s --to=llvmir | FileCheck %s --check-prefix=IR

// A prefetch has no effect on memory, but it stays; what it names may be outside of the buffer.
// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      tir.prefetch %A[%i * 4 + 100, 0] {hot} : memref<64x64xf32>
// CHECK-NEXT:      tir.prefetch %A[%i * 4 + 100, 0] : memref<64x64xf32>
// CHECK-NEXT:      tir.block "B" (spatial %v_i in 8 = %i) do {
// CHECK-NEXT:        tir.prefetch %A[%v_i + 1, %v_i floordiv 2] : memref<64x64xf32>
// CHECK-NEXT:      }

// SCF-LABEL: func.func @f(
// SCF:         scf.for %i = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:           memref.prefetch %A[%[[I:.*]], %{{.*}}], read, locality<3>, data : memref<64x64xf32>
// SCF:           memref.prefetch %A[%[[I]], %{{.*}}], read, locality<3>, data : memref<64x64xf32>
// SCF:           memref.prefetch %A[

// LLVM-LABEL: llvm.func @f(
// LLVM:         %[[P:.*]] = llvm.getelementptr %A[%{{.*}}, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<64 x f32>
// LLVM-NEXT:    "llvm.intr.prefetch"(%[[P]]) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()

// IR: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 0, i32 3, i32 1)
func.func @f(%A: memref<64x64xf32>) {
  tir.for %i in 8 {
    tir.prefetch %A[%i * 4 + 100, 0] {hot} : memref<64x64xf32>
    tir.prefetch %A[%i * 4 + 100, 0] : memref<64x64xf32>
    tir.block "B" (spatial %v_i in 8 = %i) do {
      tir.prefetch %A[%v_i + 1, %v_i floordiv 2] : memref<64x64xf32>
    }
  }
  func.return
}
