// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %i: i32, %w: i16) {
  // expected-error@+1 {{nvvm.cp.async.bulk.shared.cluster.global: a multicast goes to !llvm.ptr<7>}}
  nvvm.cp.async.bulk.shared.cluster.global %s, %g, %s, %i multicast_mask = %w : !llvm.ptr<3>, <1>
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %p: !llvm.ptr, %c: !llvm.ptr<7>) {
  // expected-error@+1 {{nvvm.cp.async.bulk.tensor.shared.cluster.global: tile has 1 to 5 coordinates, not 0}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.cp.async.bulk.tensor.shared.cluster.global: it copies to !llvm.ptr<7>}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %p, %s, box[%i] : !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %p: !llvm.ptr, %c: !llvm.ptr<7>, %i: i32) {
  // expected-error@+1 {{nvvm.cp.async.bulk.tensor.shared.cluster.global: with isCTAOnly it copies to !llvm.ptr<3>}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i] {isCTAOnly = true} : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %p: !llvm.ptr, %i: i32, %w: i16) {
  // expected-error@+1 {{nvvm.cp.async.bulk.tensor.shared.cluster.global: a copy with isCTAOnly cannot have a multicast mask}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %p, %s, box[%i] multicast_mask = %w {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %p: !llvm.ptr, %c: !llvm.ptr<7>, %i: i32, %w: i16) {
  // expected-error@+1 {{nvvm.cp.async.bulk.tensor.shared.cluster.global: tile of 1 coordinates has 0 offsets, not 1}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i] im2col[%w] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.cp.async.bulk.tensor.prefetch: im2col has 3 to 5 coordinates, not 2}}
  nvvm.cp.async.bulk.tensor.prefetch %p, box[%i, %i] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.cp.async.bulk.tensor.prefetch: im2col of 3 coordinates has 1 offsets, not 0}}
  nvvm.cp.async.bulk.tensor.prefetch %p, box[%i, %i, %i] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %p: !llvm.ptr, %i: i32, %l: i64, %b: i1) {
  // expected-error@+1 {{nvvm.cp.async.bulk.tensor.global.shared.cta: a store with a predicate cannot have an l2_cache_hint}}
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i] l2_cache_hint = %l, predicate = %b : !llvm.ptr, <3>
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.cp.async.bulk.tensor.global.shared.cta: tile_scatter4 has 5 coordinates, not 3}}
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %i, %i] {mode = #nvvm.tma_store_mode<tile_scatter4>} : !llvm.ptr, <3>
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.cp.async.bulk.tensor.reduce: property 'redKind' expected in operation 'nvvm.cp.async.bulk.tensor.reduce'}}
  nvvm.cp.async.bulk.tensor.reduce %p, %s, box[%i] : !llvm.ptr, <3>
  llvm.return
}
