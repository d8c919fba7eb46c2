// The custom form, and that both forms read back as the same.
// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s | kc-opt - | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt - | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK: builtin.module attributes {transform.with_named_sequence} {
module attributes {transform.with_named_sequence} {
  // CHECK-NEXT: transform.named_sequence @__transform_main(%module: !transform.any_op) {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    // CHECK-NEXT: %C = sched.get_block "C"
    %C = sched.get_block "C"
    // CHECK-NEXT: %D = sched.get_block "D" in @f
    %D = sched.get_block "D" in @f
    // CHECK-NEXT: %i, %j, %k = sched.get_loops %C : !sched.loop, !sched.loop, !sched.loop
    %i, %j, %k = sched.get_loops %C : !sched.loop, !sched.loop, !sched.loop
    // CHECK-NEXT: %x = sched.get_loop %D "x"
    %x = sched.get_loop %D "x"
    // CHECK-NEXT: %y = sched.get_loop "y" in @f
    %y = sched.get_loop "y" in @f
    // CHECK-NEXT: %p = sched.get_producers %C : !sched.block
    %p = sched.get_producers %C : !sched.block
    // CHECK-NEXT: sched.get_consumers %C
    // CHECK-NOT: :
    sched.get_consumers %C
    // CHECK: %t, %u = sched.sample_perfect_tile %i n 2 max_innermost_factor 8 decision [4, 4]
    // GENERIC: "sched.sample_perfect_tile"(%i) <{n = 2 : i64, max_innermost_factor = 8 : i64, decision = [4 : i64, 4 : i64], operandSegmentSizes = array<i32: 1, 0>}> : (!sched.loop) -> (!sched.param, !sched.param)
    %t, %u = sched.sample_perfect_tile %i n 2 max_innermost_factor 8 decision [4, 4]
    // CHECK-NEXT: %v = sched.sample_categorical candidates [1, 2] probs [0.25, 0.75]
    %v = sched.sample_categorical candidates [1, 2] probs [0.25, 0.75]
    // CHECK-NEXT: %place = sched.sample_compute_location %p decision -1
    %place = sched.sample_compute_location %p decision -1
    // CHECK-NEXT: %i_o, %i_i = sched.split %i factors [?, %u]
    // GENERIC: "sched.split"(%i, %u) <{factors = [unit, #sched.param_at<0>], operandSegmentSizes = array<i32: 1, 1>}> : (!sched.loop, !sched.param) -> (!sched.loop, !sched.loop)
    %i_o, %i_i = sched.split %i factors [?, %u]
    // CHECK-NEXT: %a, %b, %c = sched.split %j factors [2, ?, 4] names ["a", "b", "c"]
    %a, %b, %c = sched.split %j factors [2, ?, 4] names ["a", "b", "c"]
    // CHECK-NEXT: %f = sched.fuse %a, %b, %c
    %f = sched.fuse %a, %b, %c
    // CHECK-NEXT: sched.reorder %f, %i_i {unsafe}
    // GENERIC: "sched.reorder"(%f, %i_i) <{operandSegmentSizes = array<i32: 2, 0>}> {unsafe} : (!sched.loop, !sched.loop) -> ()
    sched.reorder %f, %i_i {unsafe}
    // CHECK-NEXT: %q, %r, %s, %w = sched.tile %x, %y factors [8, 4]
    %q, %r, %s, %w = sched.tile %x, %y factors [8, 4]
    // CHECK-NEXT: sched.compute_at %p, %place
    sched.compute_at %p, %place
    // CHECK-NEXT: sched.compute_at %p, %f preserve_unit_loops index -2
    sched.compute_at %p, %f preserve_unit_loops index -2
    // CHECK-NEXT: sched.compute_at %p, %f preserve_unit_loops false
    sched.compute_at %p, %f preserve_unit_loops false
    // CHECK-NEXT: %cache = sched.cache_read %C buffer "A" scope "local" consumers [%C, %D]
    %cache = sched.cache_read %C buffer "A" scope "local" consumers [%C, %D]
    // CHECK-NEXT: sched.annotate %f key "k" value {n = [1, -2.5, "x", true, ?, %v], "a key" = 1.0e-10}
    sched.annotate %f key "k" value {n = [1, -2.5, "x", true, ?, %v], "a key" = 1.0e-10}
    // CHECK-NEXT: sched.annotate %C key "k" value %v
    // GENERIC: "sched.annotate"(%C, %v) <{key = "k", value = #sched.param_at<0>, operandSegmentSizes = array<i32: 0, 1, 1>}> : (!sched.block, !sched.param) -> ()
    sched.annotate %C key "k" value %v
    // CHECK-NEXT: sched.annotate %C key "inf" value 0x7ff0000000000000 : f64
    sched.annotate %C key "inf" value 0x7FF0000000000000 : f64
    // CHECK-NEXT: sched.enter_postproc
    sched.enter_postproc
    // CHECK-NEXT: transform.yield
    transform.yield
  }
}
