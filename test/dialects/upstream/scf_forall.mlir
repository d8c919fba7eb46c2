// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<?x8xf32>, %t: tensor<16xf32>, %n: index, %z: f32) {
  scf.forall (%i, %j) in (%n, 8) {
    memref.store %z, %a[%i, %j] : memref<?x8xf32>
  }
  scf.forall (%k) = (0) to (%n) step (2) {
  } {tag}
  scf.forall (%p, %q) in (%n, 4) {
  } {mapping = [#gpu.thread<x>, #gpu.block<linear_dim_9>, #gpu.mask<0x8000000000000001>]}
  scf.forall (%p, %q, %r) in (%n, 4, 2) {
  } {mapping = [#gpu.lane<y>, #gpu.warp<z>, #gpu.warpgroup<linear_dim_0>]}
  %0 = scf.forall (%l) in (4) shared_outs(%o = %t) -> (tensor<16xf32>) {
    %s = tensor.extract_slice %t[%l] [1] [1] : tensor<16xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%l] [1] [1] : tensor<1xf32> into tensor<16xf32>
    }
  }
  return
}

// CHECK: func.func @f(%a: memref<?x8xf32>, %t: tensor<16xf32>, %n: index, %z: f32) {
// CHECK: scf.forall (%i, %j) in (%n, 8) {
// CHECK: memref.store %z, %a[%i, %j] : memref<?x8xf32>
// CHECK: scf.forall (%k) = (0) to (%n) step (2) {
// CHECK: } {tag}
// CHECK: } {mapping = [#gpu.thread<x>, #gpu.block<linear_dim_9>, #gpu.mask<9223372036854775809>]}
// CHECK: } {mapping = [#gpu.lane<y>, #gpu.warp<z>, #gpu.warpgroup<linear_dim_0>]}
// CHECK: %{{.*}} = scf.forall (%l) in (4) shared_outs(%o = %t) -> (tensor<16xf32>) {
// CHECK: %s = tensor.extract_slice %t[%l] [1] [1] : tensor<16xf32> to tensor<1xf32>
// CHECK: scf.forall.in_parallel {
// CHECK: tensor.parallel_insert_slice %s into %o[%l] [1] [1] : tensor<1xf32> into tensor<16xf32>
