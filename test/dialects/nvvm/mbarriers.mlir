// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Mbarriers: arrivals, bytes, waiting, and the addresses of other blocks.
// CHECK-LABEL: llvm.func @mbarriers
llvm.func @mbarriers(%s: !llvm.ptr<3>, %p: !llvm.ptr, %c: !llvm.ptr<7>, %i: i32, %j: i32, %l: i64, %b: i1) {
  // CHECK: nvvm.mbarrier.init %s, %i : !llvm.ptr<3>, i32
  // GENERIC: "nvvm.mbarrier.init"(%s, %i) : (!llvm.ptr<3>, i32) -> ()
  nvvm.mbarrier.init %s, %i : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.init %p, %i {note} : !llvm.ptr, i32
  // GENERIC: "nvvm.mbarrier.init"(%p, %i) {note} : (!llvm.ptr, i32) -> ()
  nvvm.mbarrier.init %p, %i {note} : !llvm.ptr, i32
  // CHECK: nvvm.mbarrier.init %s, %i, predicate = %b : !llvm.ptr<3>, i32, i1
  // GENERIC: "nvvm.mbarrier.init"(%s, %i, %b) : (!llvm.ptr<3>, i32, i1) -> ()
  nvvm.mbarrier.init %s, %i, predicate = %b : !llvm.ptr<3>, i32, i1
  // CHECK: nvvm.mbarrier.inval %s : !llvm.ptr<3>
  // GENERIC: "nvvm.mbarrier.inval"(%s) : (!llvm.ptr<3>) -> ()
  nvvm.mbarrier.inval %s : !llvm.ptr<3>
  // CHECK: nvvm.mbarrier.inval %p : !llvm.ptr
  // GENERIC: "nvvm.mbarrier.inval"(%p) : (!llvm.ptr) -> ()
  nvvm.mbarrier.inval %p : !llvm.ptr
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive"(%s) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>) -> i64
  %0 = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive %p {relaxed = true} : !llvm.ptr -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive"(%p) <{relaxed = true, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr) -> i64
  %1 = nvvm.mbarrier.arrive %p {relaxed = true} : !llvm.ptr -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive %s, %i : !llvm.ptr<3> -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive"(%s, %i) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i64
  %2 = nvvm.mbarrier.arrive %s, %i : !llvm.ptr<3> -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive %s, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3> -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive"(%s, %i) <{relaxed = false, scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<3>, i32) -> i64
  %3 = nvvm.mbarrier.arrive %s, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3> -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive %s, %i {relaxed = true} : !llvm.ptr<3> -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive"(%s, %i) <{relaxed = true, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i64
  %4 = nvvm.mbarrier.arrive %s, %i {relaxed = true, scope = #nvvm.mem_scope<cta>} : !llvm.ptr<3> -> i64
  // CHECK: nvvm.mbarrier.arrive %s : !llvm.ptr<3>
  // GENERIC: "nvvm.mbarrier.arrive"(%s) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>) -> ()
  nvvm.mbarrier.arrive %s : !llvm.ptr<3>
  // CHECK: nvvm.mbarrier.arrive %c, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // GENERIC: "nvvm.mbarrier.arrive"(%c, %i) <{relaxed = false, scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<7>, i32) -> ()
  nvvm.mbarrier.arrive %c, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive_drop %s : !llvm.ptr<3> -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive_drop"(%s) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>) -> i64
  %5 = nvvm.mbarrier.arrive_drop %s : !llvm.ptr<3> -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive_drop %s, %i {relaxed = true} : !llvm.ptr<3> -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive_drop"(%s, %i) <{relaxed = true, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i64
  %6 = nvvm.mbarrier.arrive_drop %s, %i {relaxed = true} : !llvm.ptr<3> -> i64
  // CHECK: nvvm.mbarrier.arrive_drop %c, %i : !llvm.ptr<7>
  // GENERIC: "nvvm.mbarrier.arrive_drop"(%c, %i) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<7>, i32) -> ()
  nvvm.mbarrier.arrive_drop %c, %i : !llvm.ptr<7>
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive.nocomplete %s, %i : !llvm.ptr<3>, i32 -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive.nocomplete"(%s, %i) : (!llvm.ptr<3>, i32) -> i64
  %7 = nvvm.mbarrier.arrive.nocomplete %s, %i : !llvm.ptr<3>, i32 -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive.nocomplete %p, %i : !llvm.ptr, i32 -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive.nocomplete"(%p, %i) : (!llvm.ptr, i32) -> i64
  %8 = nvvm.mbarrier.arrive.nocomplete %p, %i : !llvm.ptr, i32 -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive_drop.nocomplete %s, %i : !llvm.ptr<3>, i32 -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive_drop.nocomplete"(%s, %i) : (!llvm.ptr<3>, i32) -> i64
  %9 = nvvm.mbarrier.arrive_drop.nocomplete %s, %i : !llvm.ptr<3>, i32 -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32 -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive.expect_tx"(%s, %i) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i64
  %10 = nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32 -> i64
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive.expect_tx %p, %i {relaxed = true} : !llvm.ptr, i32 -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive.expect_tx"(%p, %i) <{relaxed = true, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr, i32) -> i64
  %11 = nvvm.mbarrier.arrive.expect_tx %p, %i {relaxed = true} : !llvm.ptr, i32 -> i64
  // CHECK: nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32
  // GENERIC: "nvvm.mbarrier.arrive.expect_tx"(%s, %i) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> ()
  nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.arrive.expect_tx %s, %i, predicate = %b : !llvm.ptr<3>, i32, i1
  // GENERIC: "nvvm.mbarrier.arrive.expect_tx"(%s, %i, %b) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32, i1) -> ()
  nvvm.mbarrier.arrive.expect_tx %s, %i, predicate = %b : !llvm.ptr<3>, i32, i1
  // CHECK: nvvm.mbarrier.arrive.expect_tx %c, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // GENERIC: "nvvm.mbarrier.arrive.expect_tx"(%c, %i) <{relaxed = false, scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<7>, i32) -> ()
  nvvm.mbarrier.arrive.expect_tx %c, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // CHECK: %{{.*}} = nvvm.mbarrier.arrive_drop.expect_tx %s, %i : !llvm.ptr<3>, i32 -> i64
  // GENERIC: %{{.*}} = "nvvm.mbarrier.arrive_drop.expect_tx"(%s, %i) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i64
  %12 = nvvm.mbarrier.arrive_drop.expect_tx %s, %i : !llvm.ptr<3>, i32 -> i64
  // CHECK: nvvm.mbarrier.arrive_drop.expect_tx %c, %i {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // GENERIC: "nvvm.mbarrier.arrive_drop.expect_tx"(%c, %i) <{relaxed = true, scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<7>, i32) -> ()
  nvvm.mbarrier.arrive_drop.expect_tx %c, %i {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // CHECK: nvvm.mbarrier.expect_tx %s, %i : !llvm.ptr<3>, i32
  // GENERIC: "nvvm.mbarrier.expect_tx"(%s, %i) <{scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> ()
  nvvm.mbarrier.expect_tx %s, %i : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.expect_tx %c, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // GENERIC: "nvvm.mbarrier.expect_tx"(%c, %i) <{scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<7>, i32) -> ()
  nvvm.mbarrier.expect_tx %c, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // CHECK: nvvm.mbarrier.complete_tx %s, %i : !llvm.ptr<3>, i32
  // GENERIC: "nvvm.mbarrier.complete_tx"(%s, %i) <{scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> ()
  nvvm.mbarrier.complete_tx %s, %i : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.complete_tx %c, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // GENERIC: "nvvm.mbarrier.complete_tx"(%c, %i) <{scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<7>, i32) -> ()
  nvvm.mbarrier.complete_tx %c, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // CHECK: nvvm.mbarrier.try_wait.parity %s, %i, %j : !llvm.ptr<3>, i32, i32
  // GENERIC: "nvvm.mbarrier.try_wait.parity"(%s, %i, %j) : (!llvm.ptr<3>, i32, i32) -> ()
  nvvm.mbarrier.try_wait.parity %s, %i, %j : !llvm.ptr<3>, i32, i32
  // CHECK: nvvm.mbarrier.try_wait.parity %p, %i, %j {note} : !llvm.ptr, i32, i32
  // GENERIC: "nvvm.mbarrier.try_wait.parity"(%p, %i, %j) {note} : (!llvm.ptr, i32, i32) -> ()
  nvvm.mbarrier.try_wait.parity %p, %i, %j {note} : !llvm.ptr, i32, i32
  // CHECK: %{{.*}} = nvvm.mbarrier.try_wait %s, %i : !llvm.ptr<3>, i32 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.try_wait"(%s, %i) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i1
  %13 = nvvm.mbarrier.try_wait %s, %i : !llvm.ptr<3>, i32 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.try_wait %s, %l : !llvm.ptr<3>, i64 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.try_wait"(%s, %l) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i64) -> i1
  %14 = nvvm.mbarrier.try_wait %s, %l : !llvm.ptr<3>, i64 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.try_wait %s, %l, %j : !llvm.ptr<3>, i64, i32 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.try_wait"(%s, %l, %j) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i64, i32) -> i1
  %15 = nvvm.mbarrier.try_wait %s, %l, %j : !llvm.ptr<3>, i64, i32 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.try_wait %p, %i, %j {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr, i32, i32 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.try_wait"(%p, %i, %j) <{relaxed = true, scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr, i32, i32) -> i1
  %16 = nvvm.mbarrier.try_wait %p, %i, %j {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr, i32, i32 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.test.wait %s, %l : !llvm.ptr<3>, i64 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.test.wait"(%s, %l) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i64) -> i1
  %17 = nvvm.mbarrier.test.wait %s, %l : !llvm.ptr<3>, i64 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.test.wait %s, %i : !llvm.ptr<3>, i32 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.test.wait"(%s, %i) <{relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i1
  %18 = nvvm.mbarrier.test.wait %s, %i : !llvm.ptr<3>, i32 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.test.wait %p, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr, i32 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.test.wait"(%p, %i) <{relaxed = false, scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr, i32) -> i1
  %19 = nvvm.mbarrier.test.wait %p, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr, i32 -> i1
  // CHECK: %{{.*}} = nvvm.mbarrier.test.wait %s, %i {relaxed = true} : !llvm.ptr<3>, i32 -> i1
  // GENERIC: %{{.*}} = "nvvm.mbarrier.test.wait"(%s, %i) <{relaxed = true, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i1
  %20 = nvvm.mbarrier.test.wait %s, %i {relaxed = true} : !llvm.ptr<3>, i32 -> i1
  // CHECK: %{{.*}} = nvvm.mapa %s, %i : !llvm.ptr<3> -> !llvm.ptr<7>
  // GENERIC: %{{.*}} = "nvvm.mapa"(%s, %i) : (!llvm.ptr<3>, i32) -> !llvm.ptr<7>
  %21 = nvvm.mapa %s, %i : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: %{{.*}} = nvvm.mapa %p, %i {note} : !llvm.ptr -> !llvm.ptr
  // GENERIC: %{{.*}} = "nvvm.mapa"(%p, %i) {note} : (!llvm.ptr, i32) -> !llvm.ptr
  %22 = nvvm.mapa %p, %i {note} : !llvm.ptr -> !llvm.ptr
  llvm.return
}
