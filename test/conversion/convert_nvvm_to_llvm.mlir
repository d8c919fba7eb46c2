// RUN: kc-opt %s --convert-nvvm-to-llvm | FileCheck %s
// RUN: kc-opt %s --convert-nvvm-to-llvm --convert-nvvm-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @words
llvm.func @words(%p: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %n: i32, %f: f32) -> i1 {
  // A number of the text is an operand of the intrinsic.
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.cp.async.wait.group"(%[[ONE]]) : (i32) -> ()
  nvvm.cp.async.wait.group 1
  // PTX that LLVM has no intrinsic for.
  // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "bar.arrive $0, $1;", "r,r" %i, %n : (i32, i32) -> ()
  nvvm.barrier.arrive id = %i number_of_threads = %n
  // LLVM has this for shared memory alone.
  // CHECK-NEXT: %[[COUNT:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %[[SHARED:.*]] = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<3>
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.mbarrier.arrive.drop.scope.cta.space.cta"(%[[SHARED]], %[[COUNT]]) : (!llvm.ptr<3>, i32) -> i64
  %state = nvvm.mbarrier.arrive_drop %p : !llvm.ptr -> i64
  // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "ex2.approx.ftz.f32 $0, $1;", "=f,f" %f : (f32) -> f32
  %e = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%f : f32) -> f32
  // What is one call with the operands of the operation stays.
  // CHECK-NEXT: nvvm.barrier0
  nvvm.barrier0
  // The second of two results.
  // CHECK-NEXT: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32) : i32
  // CHECK-NEXT: %[[BOTH:.*]] = llvm.call_intrinsic "llvm.nvvm.elect.sync"(%[[ALL]]) : (i32) -> !llvm.struct<(i32, i1)>
  // CHECK-NEXT: %[[IS:.*]] = llvm.extractvalue %[[BOTH]][1] : !llvm.struct<(i32, i1)>
  %is = nvvm.elect.sync -> i1
  // CHECK-NEXT: llvm.return %[[IS]] : i1
  llvm.return %is : i1
}
