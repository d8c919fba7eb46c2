// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Copies to shared memory that a thread starts and waits for later.
// CHECK-LABEL: llvm.func @cp_async
llvm.func @cp_async(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %p: !llvm.ptr, %i: i32) {
  // CHECK: nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // GENERIC: "nvvm.cp.async.shared.global"(%s, %g) <{modifier = #nvvm<load_cache_modifier cg>, size = 16 : i32}> : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.shared.global %s, %g, 16, cache = ca {note} : !llvm.ptr<3>, !llvm.ptr<1>
  // GENERIC: "nvvm.cp.async.shared.global"(%s, %g) <{modifier = #nvvm<load_cache_modifier ca>, size = 16 : i32}> {note} : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  nvvm.cp.async.shared.global %s, %g, 16, cache = ca {note} : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.shared.global %s, %g, 8, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  // GENERIC: "nvvm.cp.async.shared.global"(%s, %g) <{modifier = #nvvm<load_cache_modifier ca>, size = 8 : i32}> : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  nvvm.cp.async.shared.global %s, %g, 8, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.shared.global %s, %g, 4, cache = ca, %i : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // GENERIC: "nvvm.cp.async.shared.global"(%s, %g, %i) <{modifier = #nvvm<load_cache_modifier ca>, size = 4 : i32}> : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
  nvvm.cp.async.shared.global %s, %g, 4, cache = ca, %i : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // CHECK: nvvm.cp.async.commit.group
  // GENERIC: "nvvm.cp.async.commit.group"() : () -> ()
  nvvm.cp.async.commit.group
  // CHECK: nvvm.cp.async.wait.group 1
  // GENERIC: "nvvm.cp.async.wait.group"() <{n = 1 : i32}> : () -> ()
  nvvm.cp.async.wait.group 1
  // CHECK: nvvm.cp.async.wait.group 0 {note}
  // GENERIC: "nvvm.cp.async.wait.group"() <{n = 0 : i32}> {note} : () -> ()
  nvvm.cp.async.wait.group 0 {note}
  // CHECK: nvvm.cp.async.mbarrier.arrive %s : !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.mbarrier.arrive"(%s) <{noinc = false}> : (!llvm.ptr<3>) -> ()
  nvvm.cp.async.mbarrier.arrive %s : !llvm.ptr<3>
  // CHECK: nvvm.cp.async.mbarrier.arrive %s {noinc = true} : !llvm.ptr<3>
  // GENERIC: "nvvm.cp.async.mbarrier.arrive"(%s) <{noinc = true}> : (!llvm.ptr<3>) -> ()
  nvvm.cp.async.mbarrier.arrive %s {noinc = true} : !llvm.ptr<3>
  // CHECK: nvvm.cp.async.mbarrier.arrive %p : !llvm.ptr
  // GENERIC: "nvvm.cp.async.mbarrier.arrive"(%p) <{noinc = false}> : (!llvm.ptr) -> ()
  nvvm.cp.async.mbarrier.arrive %p {noinc = false} : !llvm.ptr
  llvm.return
}
