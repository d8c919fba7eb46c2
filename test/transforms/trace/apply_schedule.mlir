// A schedule beside the functions, or in a file; from TE too. None is left behind.
// RUN: kc-opt %s --apply-schedule > %t && FileCheck %s < %t && FileCheck %s --check-prefix=ALONE < %t
// RUN: kc-opt %s --apply-schedule="sequence=@other" > %t && FileCheck %s --check-prefix=OTHER < %t && FileCheck %s --check-prefix=ALONE < %t
// RUN: kc-opt %S/Inputs/matmul.mlir --apply-schedule=%s | FileCheck %s --check-prefix=FILE
// RUN: kc-opt %S/Inputs/matmul.mlir --apply-schedule="%s sequence=other" | FileCheck %s --check-prefix=OTHER
// RUN: kc-opt %S/Inputs/matmul.mlir --pass-pipeline="builtin.module(apply-schedule{file=%s sequence=other})" | FileCheck %s --check-prefix=OTHER

// ALONE-NOT: sequence
module attributes {transform.with_named_sequence} {
  func.func @f(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
    %T = tir.alloc "T" : memref<64x64xf32>
    tir.for %x in 64 {
      tir.for %y in 64 {
        tir.block "T" (spatial %v_x in 64 = %x, spatial %v_y in 64 = %y) do {
          %0 = tir.load %A[%v_x, %v_y] : memref<64x64xf32>
          %1 = arith.addf %0, %0 : f32
          tir.store %1, %T[%v_x, %v_y] : memref<64x64xf32>
        }
      }
    }
    tir.for %i in 64 {
      tir.for %j in 64 {
        tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
          %0 = tir.load %T[%v_i, %v_j] : memref<64x64xf32>
          tir.store %0, %C[%v_i, %v_j] : memref<64x64xf32>
        }
      }
    }
    func.return
  }

  // CHECK:       tir.for %i_o in 8 parallel {
  // CHECK-NEXT:    %T = tir.alloc "T"
  // CHECK-NEXT:    tir.for %x in 8 {
  // CHECK-NEXT:      tir.for %y in 64 {
  // CHECK-NEXT:        tir.block "T"
  // CHECK:         tir.for %j_o in 8 {
  // CHECK-NEXT:      tir.for %i_i in 8 {
  // CHECK-NEXT:        tir.for %j_i in 8 vectorized {
  // FILE:        tir.for %i_o in 8 parallel {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %C = sched.get_block "C"
    %i, %j = sched.get_loops %C : !sched.loop, !sched.loop
    %t, %u = sched.sample_perfect_tile %j n 2 decision [8, 8]
    %i_o, %i_i = sched.split %i factors [?, 8]
    %j_o, %j_i = sched.split %j factors [%t, %u]
    sched.reorder %j_o, %i_i
    sched.vectorize %j_i
    %p = sched.get_producers %C : !sched.block
    sched.compute_at %p, %i_o
    sched.parallel %i_o
    transform.yield
  }

  // OTHER:      tir.for %i in 64 {
  // OTHER-NEXT:   tir.for %j in 64 unrolled {
  transform.named_sequence @other() {
    %j = sched.get_loop "j"
    sched.unroll %j
    transform.yield
  }
}
