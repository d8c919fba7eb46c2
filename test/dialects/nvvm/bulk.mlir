// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Bulk copies of bytes and of boxes of tensors.
// CHECK-LABEL: llvm.func @bulk
llvm.func @bulk(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %p: !llvm.ptr, %c: !llvm.ptr<7>, %i: i32, %j: i32, %l: i64, %w: i16, %b: i1) {
  // CHECK: nvvm.cp.async.bulk.commit.group
  // GENERIC: "nvvm.cp.async.bulk.commit.group"() : () -> ()
  nvvm.cp.async.bulk.commit.group
  // CHECK: nvvm.cp.async.bulk.wait_group 0
  // GENERIC: "nvvm.cp.async.bulk.wait_group"() <{group = 0 : i32}> : () -> ()
  nvvm.cp.async.bulk.wait_group 0
  // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
  // GENERIC: "nvvm.cp.async.bulk.wait_group"() <{group = 1 : i32, read}> : () -> ()
  nvvm.cp.async.bulk.wait_group 1 {read}
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global %c, %g, %s, %i : !llvm.ptr<7>, <1>
  // GENERIC: "nvvm.cp.async.bulk.shared.cluster.global"(%c, %g, %s, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (!llvm.ptr<7>, !llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()
  nvvm.cp.async.bulk.shared.cluster.global %c, %g, %s, %i : !llvm.ptr<7>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global %c, %g, %s, %i multicast_mask = %w l2_cache_hint = %l : !llvm.ptr<7>, <1>
  // GENERIC: "nvvm.cp.async.bulk.shared.cluster.global"(%c, %g, %s, %i, %w, %l) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>}> : (!llvm.ptr<7>, !llvm.ptr<1>, !llvm.ptr<3>, i32, i16, i64) -> ()
  nvvm.cp.async.bulk.shared.cluster.global %c, %g, %s, %i multicast_mask = %w l2_cache_hint = %l : !llvm.ptr<7>, <1>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global %s, %g, %s, %i : !llvm.ptr<3>, <1>
  // GENERIC: "nvvm.cp.async.bulk.shared.cluster.global"(%s, %g, %s, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (!llvm.ptr<3>, !llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()
  nvvm.cp.async.bulk.shared.cluster.global %s, %g, %s, %i : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.shared.cta %c, %s, %s, %i : <7>, <3>
  // GENERIC: "nvvm.cp.async.bulk.shared.cluster.shared.cta"(%c, %s, %s, %i) : (!llvm.ptr<7>, !llvm.ptr<3>, !llvm.ptr<3>, i32) -> ()
  nvvm.cp.async.bulk.shared.cluster.shared.cta %c, %s, %s, %i : !llvm.ptr<7>, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.global.shared.cta %g, %s, %i : <1>, <3>
  // GENERIC: "nvvm.cp.async.bulk.global.shared.cta"(%g, %s, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()
  nvvm.cp.async.bulk.global.shared.cta %g, %s, %i : !llvm.ptr<1>, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.global.shared.cta %g, %s, %i l2_cache_hint = %l byte_mask = %w : <1>, <3>
  // GENERIC: "nvvm.cp.async.bulk.global.shared.cta"(%g, %s, %i, %l, %w) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!llvm.ptr<1>, !llvm.ptr<3>, i32, i64, i16) -> ()
  nvvm.cp.async.bulk.global.shared.cta %g, %s, %i l2_cache_hint = %l byte_mask = %w : !llvm.ptr<1>, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.prefetch %g, %i : <1>
  // GENERIC: "nvvm.cp.async.bulk.prefetch"(%g, %i) : (!llvm.ptr<1>, i32) -> ()
  nvvm.cp.async.bulk.prefetch %g, %i : !llvm.ptr<1>
  // CHECK: nvvm.cp.async.bulk.prefetch %g, %i l2_cache_hint = %l : <1>
  // GENERIC: "nvvm.cp.async.bulk.prefetch"(%g, %i, %l) : (!llvm.ptr<1>, i32, i64) -> ()
  nvvm.cp.async.bulk.prefetch %g, %i l2_cache_hint = %l : !llvm.ptr<1>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j] : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"(%c, %p, %i, %j, %s) <{isCTAOnly = false, mode = #nvvm.tma_load_mode<tile>, operandSegmentSizes = array<i32: 1, 1, 2, 1, 0, 0, 0, 0>}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, !llvm.ptr<3>) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j] multicast_mask = %w l2_cache_hint = %l : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"(%c, %p, %i, %j, %s, %w, %l) <{isCTAOnly = false, mode = #nvvm.tma_load_mode<tile>, operandSegmentSizes = array<i32: 1, 1, 2, 1, 0, 1, 1, 0>}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, !llvm.ptr<3>, i16, i64) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j] multicast_mask = %w l2_cache_hint = %l : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i] predicate = %b : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"(%c, %p, %i, %s, %b) <{isCTAOnly = false, mode = #nvvm.tma_load_mode<tile>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}> : (!llvm.ptr<7>, !llvm.ptr, i32, !llvm.ptr<3>, i1) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i] predicate = %b : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %p, %s, box[%i, %j] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"(%s, %p, %i, %j, %s) <{isCTAOnly = true, mode = #nvvm.tma_load_mode<tile>, operandSegmentSizes = array<i32: 1, 1, 2, 1, 0, 0, 0, 0>}> : (!llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %p, %s, box[%i, %j] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j, %i] im2col[%w] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"(%c, %p, %i, %j, %i, %s, %w) <{isCTAOnly = false, mode = #nvvm.tma_load_mode<im2col>, operandSegmentSizes = array<i32: 1, 1, 3, 1, 1, 0, 0, 0>}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, i32, !llvm.ptr<3>, i16) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j, %i] im2col[%w] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j, %i, %j, %i] {mode = #nvvm.tma_load_mode<tile_gather4>} : !llvm.ptr<7>, !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.shared.cluster.global"(%c, %p, %i, %j, %i, %j, %i, %s) <{isCTAOnly = false, mode = #nvvm.tma_load_mode<tile_gather4>, operandSegmentSizes = array<i32: 1, 1, 5, 1, 0, 0, 0, 0>}> : (!llvm.ptr<7>, !llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr<3>) -> ()
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %p, %s, box[%i, %j, %i, %j, %i] {mode = #nvvm.tma_load_mode<tile_gather4>} : !llvm.ptr<7>, !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.prefetch %p, box[%i, %j] : !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.prefetch"(%p, %i, %j) <{mode = #nvvm.tma_load_mode<tile>, operandSegmentSizes = array<i32: 1, 2, 0, 0>}> : (!llvm.ptr, i32, i32) -> ()
  nvvm.cp.async.bulk.tensor.prefetch %p, box[%i, %j] : !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.prefetch %p, box[%i, %j, %i] im2col[%w] l2_cache_hint = %l {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr
  // GENERIC: "nvvm.cp.async.bulk.tensor.prefetch"(%p, %i, %j, %i, %w, %l) <{mode = #nvvm.tma_load_mode<im2col>, operandSegmentSizes = array<i32: 1, 3, 1, 1>}> : (!llvm.ptr, i32, i32, i32, i16, i64) -> ()
  nvvm.cp.async.bulk.tensor.prefetch %p, box[%i, %j, %i] im2col[%w] l2_cache_hint = %l {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j] : !llvm.ptr, <3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"(%p, %s, %i, %j) <{mode = #nvvm.tma_store_mode<tile>, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j] l2_cache_hint = %l : !llvm.ptr, <3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"(%p, %s, %i, %j, %l) <{mode = #nvvm.tma_store_mode<tile>, operandSegmentSizes = array<i32: 1, 1, 2, 1, 0>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i64) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j] l2_cache_hint = %l : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j], predicate = %b : !llvm.ptr, <3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"(%p, %s, %i, %j, %b) <{mode = #nvvm.tma_store_mode<tile>, operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i1) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j], predicate = %b : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j, %i] {mode = #nvvm.tma_store_mode<im2col>} : !llvm.ptr, <3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.global.shared.cta"(%p, %s, %i, %j, %i) <{mode = #nvvm.tma_store_mode<im2col>, operandSegmentSizes = array<i32: 1, 1, 3, 0, 0>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i32) -> ()
  nvvm.cp.async.bulk.tensor.global.shared.cta %p, %s, box[%i, %j, %i] {mode = #nvvm.tma_store_mode<im2col>} : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.reduce %p, %s, box[%i, %j] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, <3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.reduce"(%p, %s, %i, %j) <{mode = #nvvm.tma_store_mode<tile>, operandSegmentSizes = array<i32: 1, 1, 2, 0>, redKind = #nvvm.tma_redux_kind<add>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32) -> ()
  nvvm.cp.async.bulk.tensor.reduce %p, %s, box[%i, %j] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.reduce %p, %s, box[%i, %j] l2_cache_hint = %l {redKind = #nvvm.tma_redux_kind<xor>} : !llvm.ptr, <3>
  // GENERIC: "nvvm.cp.async.bulk.tensor.reduce"(%p, %s, %i, %j, %l) <{mode = #nvvm.tma_store_mode<tile>, operandSegmentSizes = array<i32: 1, 1, 2, 1>, redKind = #nvvm.tma_redux_kind<xor>}> : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i64) -> ()
  nvvm.cp.async.bulk.tensor.reduce %p, %s, box[%i, %j] l2_cache_hint = %l {redKind = #nvvm.tma_redux_kind<xor>} : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}
