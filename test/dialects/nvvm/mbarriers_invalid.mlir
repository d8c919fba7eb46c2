// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused(%g: !llvm.ptr<1>, %i: i32) {
  // expected-error@+1 {{expected one of !llvm.ptr, !llvm.ptr<3>, but got !llvm.ptr<1>}}
  nvvm.mbarrier.init %g, %i : !llvm.ptr<1>, i32
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.mbarrier.arrive: the scope is cta or cluster, not gpu}}
  %r = nvvm.mbarrier.arrive %p, %i {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr -> i64
  llvm.return
}

// -----

llvm.func @refused(%c: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{nvvm.mbarrier.arrive: in the memory of the cluster it has no result}}
  %r = nvvm.mbarrier.arrive %c, %i : !llvm.ptr<7> -> i64
  llvm.return
}

// -----

llvm.func @refused(%c: !llvm.ptr<7>) {
  // expected-error@+1 {{nvvm.mbarrier.arrive_drop: in the memory of the cluster it has no result}}
  %r = nvvm.mbarrier.arrive_drop %c : !llvm.ptr<7> -> i64
  llvm.return
}

// -----

llvm.func @refused(%c: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{nvvm.mbarrier.arrive.expect_tx: in the memory of the cluster it has no result}}
  %r = nvvm.mbarrier.arrive.expect_tx %c, %i : !llvm.ptr<7>, i32 -> i64
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %i: i32, %b: i1) {
  // expected-error@+1 {{nvvm.mbarrier.arrive.expect_tx: an op with a predicate cannot have a result}}
  %r = nvvm.mbarrier.arrive.expect_tx %s, %i, predicate = %b : !llvm.ptr<3>, i32, i1 -> i64
  llvm.return
}

// -----

llvm.func @refused(%c: !llvm.ptr<7>, %i: i32, %b: i1) {
  // expected-error@+1 {{nvvm.mbarrier.arrive.expect_tx: an op with a predicate cannot have a pointer into the memory of the cluster}}
  nvvm.mbarrier.arrive.expect_tx %c, %i, predicate = %b : !llvm.ptr<7>, i32, i1
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %i: i32, %b: i1) {
  // expected-error@+1 {{nvvm.mbarrier.arrive.expect_tx: an op with a predicate cannot have relaxed order}}
  nvvm.mbarrier.arrive.expect_tx %s, %i, predicate = %b {relaxed = true} : !llvm.ptr<3>, i32, i1
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %i: i32, %b: i1) {
  // expected-error@+1 {{nvvm.mbarrier.arrive.expect_tx: an op with a predicate cannot have a scope other than cta}}
  nvvm.mbarrier.arrive.expect_tx %s, %i, predicate = %b {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32, i1
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{expected one of !llvm.ptr<3>, !llvm.ptr<7>, but got !llvm.ptr}}
  nvvm.mbarrier.expect_tx %p, %i : !llvm.ptr, i32
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{nvvm.mbarrier.complete_tx: the scope is cta or cluster, not sys}}
  nvvm.mbarrier.complete_tx %s, %i {scope = #nvvm.mem_scope<sys>} : !llvm.ptr<3>, i32
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %f: f32) {
  // expected-error@+1 {{expected one of i32, i64, but got f32}}
  %r = nvvm.mbarrier.try_wait %s, %f : !llvm.ptr<3>, f32 -> i1
  llvm.return
}

// -----

llvm.func @refused(%c: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{expected one of !llvm.ptr, !llvm.ptr<3>, but got !llvm.ptr<7>}}
  %r = nvvm.mbarrier.test.wait %c, %i : !llvm.ptr<7>, i32 -> i1
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.mapa: of !llvm.ptr it is !llvm.ptr, not !llvm.ptr<7>}}
  %r = nvvm.mapa %p, %i : !llvm.ptr -> !llvm.ptr<7>
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{expected one of !llvm.ptr, !llvm.ptr<7>, but got !llvm.ptr<3>}}
  %r = nvvm.mapa %s, %i : !llvm.ptr<3> -> !llvm.ptr<3>
  llvm.return
}
