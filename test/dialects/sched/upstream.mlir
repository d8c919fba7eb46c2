// mlir-opt reads the generic form of a schedule.
// REQUIRES: mlir
// RUN: kc-opt %s --mlir-print-op-generic | mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | kc-opt - | FileCheck %s

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    // CHECK: %[[C:.*]] = sched.get_block "C" in @f
    %C = sched.get_block "C" in @f
    // CHECK-NEXT: %[[I:.*]], %[[J:.*]] = sched.get_loops %[[C]] : !sched.loop, !sched.loop
    %i, %j = sched.get_loops %C : !sched.loop, !sched.loop
    // CHECK-NEXT: %[[T:.*]], %[[U:.*]] = sched.sample_perfect_tile %[[I]] n 2 decision [4, 4]
    %t, %u = sched.sample_perfect_tile %i n 2 decision [4, 4]
    // CHECK-NEXT: sched.split %[[I]] factors [?, %[[U]]]
    %i_o, %i_i = sched.split %i factors [?, %u]
    // CHECK-NEXT: sched.annotate %[[J]] key "k" value [1, 2.5, "x", true, ?]
    sched.annotate %j key "k" value [1, 2.5, "x", true, ?]
    transform.yield
  }
}
