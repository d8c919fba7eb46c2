// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Fences of memory, of proxies, and of mbarriers.
// CHECK-LABEL: llvm.func @fences
llvm.func @fences(%p: !llvm.ptr, %i: i32) {
  // CHECK: nvvm.memory.barrier <cta>
  // GENERIC: "nvvm.memory.barrier"() <{scope = #nvvm.mem_scope<cta>}> : () -> ()
  nvvm.memory.barrier <cta>
  // CHECK: nvvm.memory.barrier <cluster>
  // GENERIC: "nvvm.memory.barrier"() <{scope = #nvvm.mem_scope<cluster>}> : () -> ()
  nvvm.memory.barrier <cluster>
  // CHECK: nvvm.memory.barrier <gpu>
  // GENERIC: "nvvm.memory.barrier"() <{scope = #nvvm.mem_scope<gpu>}> : () -> ()
  nvvm.memory.barrier #nvvm.mem_scope<gpu>
  // CHECK: nvvm.memory.barrier <sys> {note}
  // GENERIC: "nvvm.memory.barrier"() <{scope = #nvvm.mem_scope<sys>}> {note} : () -> ()
  nvvm.memory.barrier #nvvm.mem_scope<sys> {note}
  // CHECK: nvvm.fence.mbarrier.init
  // GENERIC: "nvvm.fence.mbarrier.init"() : () -> ()
  nvvm.fence.mbarrier.init
  // CHECK: nvvm.fence.sc.cluster
  // GENERIC: "nvvm.fence.sc.cluster"() : () -> ()
  nvvm.fence.sc.cluster
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
  // GENERIC: "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<alias>}> : () -> ()
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // GENERIC: "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async>}> : () -> ()
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
  // GENERIC: "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.global>}> : () -> ()
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // GENERIC: "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
  // GENERIC: "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}> : () -> ()
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
  // CHECK: nvvm.fence.proxy.acquire <gpu> %p, %i
  // GENERIC: "nvvm.fence.proxy.acquire"(%p, %i) <{fromProxy = #nvvm.proxy_kind<generic>, scope = #nvvm.mem_scope<gpu>, toProxy = #nvvm.proxy_kind<tensormap>}> : (!llvm.ptr, i32) -> ()
  nvvm.fence.proxy.acquire <gpu> %p, %i
  // CHECK: nvvm.fence.proxy.acquire <sys> %p, %i
  // GENERIC: "nvvm.fence.proxy.acquire"(%p, %i) <{fromProxy = #nvvm.proxy_kind<generic>, scope = #nvvm.mem_scope<sys>, toProxy = #nvvm.proxy_kind<tensormap>}> : (!llvm.ptr, i32) -> ()
  nvvm.fence.proxy.acquire #nvvm.mem_scope<sys> %p, %i from_proxy = #nvvm.proxy_kind<generic> to_proxy = #nvvm.proxy_kind<tensormap>
  // CHECK: nvvm.fence.proxy.release <cluster>
  // GENERIC: "nvvm.fence.proxy.release"() <{fromProxy = #nvvm.proxy_kind<generic>, scope = #nvvm.mem_scope<cluster>, toProxy = #nvvm.proxy_kind<tensormap>}> : () -> ()
  nvvm.fence.proxy.release <cluster>
  // CHECK: nvvm.fence.proxy.release <cta>
  // GENERIC: "nvvm.fence.proxy.release"() <{fromProxy = #nvvm.proxy_kind<generic>, scope = #nvvm.mem_scope<cta>, toProxy = #nvvm.proxy_kind<tensormap>}> : () -> ()
  nvvm.fence.proxy.release <cta> from_proxy = #nvvm.proxy_kind<generic>
  // CHECK: nvvm.fence.sync_restrict {order = #nvvm.mem_order<acquire>}
  // GENERIC: "nvvm.fence.sync_restrict"() <{order = #nvvm.mem_order<acquire>}> : () -> ()
  nvvm.fence.sync_restrict {order = #nvvm.mem_order<acquire>}
  // CHECK: nvvm.fence.sync_restrict {order = #nvvm.mem_order<release>}
  // GENERIC: "nvvm.fence.sync_restrict"() <{order = #nvvm.mem_order<release>}> : () -> ()
  nvvm.fence.sync_restrict {order = #nvvm.mem_order<release>}
  // CHECK: nvvm.fence.proxy.sync_restrict {order = #nvvm.mem_order<acquire>}
  // GENERIC: "nvvm.fence.proxy.sync_restrict"() <{fromProxy = #nvvm.proxy_kind<generic>, order = #nvvm.mem_order<acquire>, toProxy = #nvvm.proxy_kind<async>}> : () -> ()
  nvvm.fence.proxy.sync_restrict {order = #nvvm.mem_order<acquire>}
  // CHECK: nvvm.fence.proxy.sync_restrict {order = #nvvm.mem_order<release>}
  // GENERIC: "nvvm.fence.proxy.sync_restrict"() <{fromProxy = #nvvm.proxy_kind<generic>, order = #nvvm.mem_order<release>, toProxy = #nvvm.proxy_kind<async>}> : () -> ()
  nvvm.fence.proxy.sync_restrict {order = #nvvm.mem_order<release>}
  llvm.return
}
