// A schedule of matmul.mlir as IR: rows of C in vectors of 16, on all cores.
//
//   kc-opt examples/matmul.mlir --apply-schedule=examples/schedule.mlir

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %C = sched.get_block "C" in @matmul
    %i, %j, %k = sched.get_loops %C : !sched.loop, !sched.loop, !sched.loop
    %j_o, %j_i = sched.split %j factors [?, 16]
    sched.reorder %j_o, %k, %j_i
    sched.parallel %i
    sched.vectorize %j_i
    transform.yield
  }
}
