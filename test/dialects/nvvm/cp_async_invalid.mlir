// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>) {
  // expected-error@+1 {{nvvm.cp.async.shared.global: cg copies 16 bytes, not 8}}
  nvvm.cp.async.shared.global %s, %g, 8, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>) {
  // expected-error@+1 {{nvvm.cp.async.shared.global: it copies 4, 8 or 16 bytes, not 3}}
  nvvm.cp.async.shared.global %s, %g, 3, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>) {
  // expected-error@+1 {{nvvm.cp.async.shared.global: the cache is ca or cg, not cs}}
  nvvm.cp.async.shared.global %s, %g, 16, cache = cs : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @refused(%g: !llvm.ptr<1>) {
  // expected-error@+1 {{expected attribute !llvm.ptr<3> but got !llvm.ptr<1>}}
  nvvm.cp.async.shared.global %g, %g, 16, cache = ca : !llvm.ptr<1>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @refused(%g: !llvm.ptr<1>) {
  // expected-error@+1 {{expected one of !llvm.ptr, !llvm.ptr<3>, but got !llvm.ptr<1>}}
  nvvm.cp.async.mbarrier.arrive %g : !llvm.ptr<1>
  llvm.return
}
