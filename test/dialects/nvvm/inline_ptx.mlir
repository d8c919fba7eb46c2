// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// PTX with registers of the program in it.
// CHECK-LABEL: llvm.func @inline
llvm.func @inline(%p: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %b: i1, %f: f32) {
  // CHECK: %{{.*}} = nvvm.inline_ptx "ex2.approx.ftz.f32 $0, $1;" ro(%f : f32) -> f32
  // GENERIC: %{{.*}} = "nvvm.inline_ptx"(%f) <{operandSegmentSizes = array<i32: 1, 0, 0>, ptxCode = "ex2.approx.ftz.f32 $0, $1;"}> : (f32) -> f32
  %0 = nvvm.inline_ptx "ex2.approx.ftz.f32 $0, $1;" ro(%f : f32) -> f32
  // CHECK: %{{.*}} = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%f : f32) -> f32
  // GENERIC: %{{.*}} = "nvvm.inline_ptx"(%f) <{operandSegmentSizes = array<i32: 1, 0, 0>, ptxCode = "ex2.approx.ftz.f32 {$w0}, {$r0};"}> : (f32) -> f32
  %1 = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%f : f32) -> f32
  // CHECK: nvvm.inline_ptx "st.shared.b32 [{$r0}], {$r1};" ro(%s, %i : !llvm.ptr<3>, i32), predicate = %b
  // GENERIC: "nvvm.inline_ptx"(%s, %i, %b) <{operandSegmentSizes = array<i32: 2, 0, 1>, ptxCode = "st.shared.b32 [{$r0}], {$r1};"}> : (!llvm.ptr<3>, i32, i1) -> ()
  nvvm.inline_ptx "st.shared.b32 [{$r0}], {$r1};" ro(%s, %i : !llvm.ptr<3>, i32), predicate = %b
  // CHECK: %{{.*}}, %{{.*}} = nvvm.inline_ptx "add.s32 {$w0}, {$r0}, {$r1}; mov.b32 {$w1}, {$r1};" ro(%i, %i : i32, i32) -> i32, i32
  // GENERIC: %{{.*}}, %{{.*}} = "nvvm.inline_ptx"(%i, %i) <{operandSegmentSizes = array<i32: 2, 0, 0>, ptxCode = "add.s32 {$w0}, {$r0}, {$r1}; mov.b32 {$w1}, {$r1};"}> : (i32, i32) -> (i32, i32)
  %2, %3 = nvvm.inline_ptx "add.s32 {$w0}, {$r0}, {$r1}; mov.b32 {$w1}, {$r1};" ro(%i, %i : i32, i32) -> i32, i32
  // CHECK: nvvm.inline_ptx "membar.cta;" {note}
  // GENERIC: "nvvm.inline_ptx"() <{operandSegmentSizes = array<i32: 0, 0, 0>, ptxCode = "membar.cta;"}> {note} : () -> ()
  nvvm.inline_ptx "membar.cta;" {note}
  llvm.return
}
