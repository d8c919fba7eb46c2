// What is wrong with the operations of a sequence is said where they are, before anything runs.
// RUN: not kc-opt %s --split-input-file --apply-schedule 2>&1 | FileCheck %s

// CHECK: error[KC3702]: 'loop' takes a loop, not a block
// CHECK-NEXT: invalid_sequence.mlir:[[# @LINE + 3]]:3  sched.unroll %C
transform.named_sequence @block(%module: !transform.any_op) {
  %C = sched.get_block "C"
  sched.unroll %C
  transform.yield
}

// -----

// CHECK: error[KC3702]: 'loop' takes a loop, not a value of type !transform.any_op
// CHECK-NEXT: invalid_sequence.mlir:[[# @LINE + 2]]:3  sched.unroll %module
transform.named_sequence @module(%module: !transform.any_op) {
  sched.unroll %module
  transform.yield
}

// -----

// CHECK: error[KC3702]: 'loops' takes a loop, not a sampled number
// CHECK-NEXT: invalid_sequence.mlir:[[# @LINE + 3]]:3  sched.reorder %n
transform.named_sequence @number(%module: !transform.any_op) {
  %n = sched.sample_categorical candidates [1, 2] probs [0.5, 0.5]
  sched.reorder %n
  transform.yield
}

// -----

// CHECK: error[KC3702]: get_block: block is a string, not 3
// CHECK-NEXT: invalid_sequence.mlir:[[# @LINE + 2]]:3  %C = "sched.get_block"()
transform.named_sequence @integer(%module: !transform.any_op) {
  %C = "sched.get_block"() <{block = 3 : i32}> : () -> !sched.block
  transform.yield
}

// -----

// CHECK: error[KC1004]: %i is used but not defined
// CHECK-NEXT: invalid_sequence.mlir:[[# @LINE + 2]]:3  sched.unroll %i
transform.named_sequence @undefined(%module: !transform.any_op) {
  sched.unroll %i
  transform.yield
}
