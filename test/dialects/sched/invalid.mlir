// RUN: kc-opt %s --split-input-file --verify-diagnostics

transform.named_sequence @s() {
  // expected-error@+1 {{there is no operation 'sched.slpit'}}
  %a, %b = sched.slpit %i factors [?, 4]
  transform.yield
}

// -----

transform.named_sequence @s() {
  %i = sched.get_loop "i"
  // expected-error@+1 {{sched.split has no option 'factor'; did you mean 'factors'?}}
  %a, %b = sched.split %i factor [?, 4]
  transform.yield
}

// -----

transform.named_sequence @s() {
  %C = sched.get_block "C"
  // expected-error@+1 {{'loop' takes a loop, not a block}}
  %a, %b = sched.split %C factors [?, 4]
  transform.yield
}

// -----

transform.named_sequence @s() {
  %C = sched.get_block "C"
  %i = sched.get_loop %C "i"
  // expected-error@+1 {{compute_at: index is an integer, not 'last'}}
  sched.compute_at %C, %i index "last"
  transform.yield
}

// -----

transform.named_sequence @s() {
  %C = sched.get_block "C"
  // expected-error@+1 {{compute_at: the argument 'loop' is missing}}
  sched.compute_at %C
  transform.yield
}

// -----

transform.named_sequence @s() {
  %C = sched.get_block "C"
  // expected-error@+1 {{sched.parallel takes fewer loops and blocks: loop}}
  sched.parallel %C, %C
  transform.yield
}

// -----

transform.named_sequence @s() {
  %i = sched.get_loop "i"
  // expected-error@+1 {{'factors' is given twice}}
  %a, %b = sched.split %i factors [?, 4] factors [?, 8]
  transform.yield
}

// -----

transform.named_sequence @s() {
  %i = sched.get_loop "i"
  // expected-error@+1 {{unroll: there is no argument 'unsafe'}}
  sched.unroll %i {unsafe}
  transform.yield
}

// -----

transform.named_sequence @s() {
  // expected-error@+1 {{%j is used but not defined}}
  sched.parallel %j
  transform.yield
}

// -----

transform.named_sequence @s() {
  %i = "sched.get_loop"() <{loop = "i", operandSegmentSizes = array<i32: 0, 0>}> : () -> !sched.loop
  // expected-error@+1 {{sched.split: it gives 2 results, 3 are named}}
  %a, %b, %c = "sched.split"(%i) <{factors = [unit, 4 : i64], operandSegmentSizes = array<i32: 1, 0>}> : (!sched.loop) -> (!sched.loop, !sched.loop, !sched.loop)
  transform.yield
}

// -----

transform.named_sequence @s() {
  // expected-error@+1 {{sched.get_loop: its results are !sched.loop}}
  %i = "sched.get_loop"() <{loop = "i", operandSegmentSizes = array<i32: 0, 0>}> : () -> !sched.block
  transform.yield
}

// -----

transform.named_sequence @s() {
  %i = sched.get_loop "i"
  // expected-error@+1 {{sched.split: #sched.param_at<2> is not one of its 0 params}}
  %a, %b = "sched.split"(%i) <{factors = [unit, #sched.param_at<2>], operandSegmentSizes = array<i32: 1, 0>}> : (!sched.loop) -> (!sched.loop, !sched.loop)
  transform.yield
}

// -----

transform.named_sequence @s() {
  %i = sched.get_loop "i"
  // expected-error@+1 {{sched.sample_perfect_tile gives at most 1024 results}}
  %a, %b = sched.sample_perfect_tile %i n 2147483648
  transform.yield
}
