// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused() {
  // expected-error@+1 {{expected one of cta, cluster, gpu, sys}}
  nvvm.memory.barrier <block>
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{expected a #nvvm.mem_scope}}
  nvvm.memory.barrier #nvvm.proxy_kind<async>
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.fence.proxy: property 'kind' expected in operation 'nvvm.fence.proxy'}}
  nvvm.fence.proxy
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.fence.proxy: tensormap has fences of its own, fence.proxy.acquire}}
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<tensormap>}
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.fence.proxy: generic has fences of its own, fence.proxy.acquire}}
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<generic>}
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.fence.proxy: async.shared needs a space}}
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>}
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.fence.proxy: async has no space, only async.shared has}}
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>, space = #nvvm.shared_space<cta>}
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.fence.proxy.acquire: it is from the proxy generic to tensormap, not from async to tensormap}}
  nvvm.fence.proxy.acquire <gpu> %p, %i from_proxy = #nvvm.proxy_kind<async>
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.fence.proxy.release: it is from the proxy generic to tensormap, not from generic to async}}
  nvvm.fence.proxy.release <gpu> to_proxy = #nvvm.proxy_kind<async>
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.fence.sync_restrict: the order is acquire or release, not weak}}
  nvvm.fence.sync_restrict {order = #nvvm.mem_order<weak>}
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.fence.proxy.sync_restrict: the order is acquire or release, not relaxed}}
  nvvm.fence.proxy.sync_restrict {order = #nvvm.mem_order<relaxed>}
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.fence.proxy.sync_restrict: it is from the proxy generic to async, not from async to async}}
  nvvm.fence.proxy.sync_restrict {fromProxy = #nvvm.proxy_kind<async>, order = #nvvm.mem_order<acquire>}
  llvm.return
}
