// RUN: not kc-opt %s --apply-schedule="sequence=refused" 2>&1 | FileCheck %s --check-prefix=REFUSED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --apply-schedule="sequence=stale" 2>&1 | FileCheck %s --check-prefix=STALE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --apply-schedule="sequence=count" 2>&1 | FileCheck %s --check-prefix=COUNT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --apply-schedule="sequence=argument" 2>&1 | FileCheck %s --check-prefix=ARGUMENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --apply-schedule="sequence=foreign" 2>&1 | FileCheck %s --check-prefix=FOREIGN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --apply-schedule="sequence=refusd" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --apply-schedule 2>&1 | FileCheck %s --check-prefix=SEVERAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %S/Inputs/matmul.mlir --apply-schedule 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --apply-schedule=%S/Inputs/not_there.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not kc-opt %S/Inputs/matmul.mlir --apply-schedule="file=%s sequence=refused" 2>&1 | FileCheck %s --check-prefix=ELSEWHERE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --apply-schedule="sequence=functions" 2>&1 | FileCheck %s --check-prefix=FUNCTIONS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --apply-schedule="sequence=place" 2>&1 | FileCheck %s --check-prefix=PLACE --match-full-lines --strict-whitespace

func.func @f(%A: memref<64x64xf32>, %C: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tir.for %i in 64 {
    tir.for %k in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, reduce %v_k in 64 = %k) init {
        tir.store %zero, %C[%v_i] : memref<64xf32>
      } do {
        %0 = tir.load %A[%v_i, %v_k] : memref<64x64xf32>
        %1 = tir.load %C[%v_i] : memref<64xf32>
        %2 = arith.addf %0, %1 : f32
        tir.store %2, %C[%v_i] : memref<64xf32>
      }
    }
  }
  func.return
}

func.func @g(%A: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tir.for %x in 64 {
    tir.block "G" (spatial %v_x in 64 = %x) do {
      tir.store %zero, %A[%v_x] : memref<64xf32>
    }
  }
  func.return
}

//      REFUSED:error[KC3040]: parallel: loop k is a reduction of C
// REFUSED-NEXT:  --> {{.*}}apply_schedule_invalid.mlir:[[# @LINE + 11]]:3  sched.parallel %k
// REFUSED-NEXT:   |  for i in 64:
// REFUSED-NEXT:   |    for k in 64:    <-- here (from {{.*}}apply_schedule_invalid.mlir:[[# @LINE - 27]]:5)
// REFUSED-NEXT:   |      block C
// REFUSED-NEXT:  why: C at (k=0) writes C[0], which C at (k=1) updates (for i = 0)
// REFUSED-NEXT:  try: parallel a spatial loop: i
//  REFUSED-NOT:{{.}}
transform.named_sequence @refused(%module: !transform.any_op) {
  %C = sched.get_block "C" in @f
  %k = sched.get_loop %C "k"
  // The place of the refusal.
  sched.parallel %k
  transform.yield
}

//      STALE:error[KC3124]: the loop i is gone
// STALE-NEXT:  --> {{.*}}apply_schedule_invalid.mlir:[[# @LINE + 6]]:3  sched.unroll %i
// STALE-NEXT:  why: i was split into i_o, i_i at {{.*}}apply_schedule_invalid.mlir:[[# @LINE + 4]]:3
//  STALE-NOT:{{.}}
transform.named_sequence @stale() {
  %i = sched.get_loop "i" in @f
  %o, %p = sched.split %i factors [?, 4]
  sched.unroll %i
  transform.yield
}

//      COUNT:error[KC3715]: get_loops gives 2 results here, and 1 in the trace
// COUNT-NEXT:  --> {{.*}}apply_schedule_invalid.mlir:[[# @LINE + 5]]:3  %i = sched.get_loops %C : !sched.loop
// COUNT-NEXT:  why: the program differs from the program of which the trace is a record
//  COUNT-NOT:{{.}}
transform.named_sequence @count() {
  %C = sched.get_block "C"
  %i = sched.get_loops %C : !sched.loop
  transform.yield
}

//      ARGUMENT:error[KC3721]: @argument takes 2 arguments
// ARGUMENT-NEXT:  --> {{.*}}apply_schedule_invalid.mlir:[[# @LINE + 4]]:1  transform.named_sequence @argument(%module: !transform.any_op, %b: !sched.block) {
// ARGUMENT-NEXT:  why: a schedule gets only the module as an argument, no !sched.block
// ARGUMENT-NEXT:  try: get_block and get_loops give the handles
//  ARGUMENT-NOT:{{.}}
transform.named_sequence @argument(%module: !transform.any_op, %b: !sched.block) {
  transform.yield
}

//      FOREIGN:error[KC3722]: transform.get_parent_op is not a step of a schedule
// FOREIGN-NEXT:  --> {{.*}}apply_schedule_invalid.mlir:[[# @LINE + 4]]:3  %p = "transform.get_parent_op"(%module) <{nth_parent = 1 : i64}> : (!transform.any_op) -> !transf...
// FOREIGN-NEXT:  why: apply-schedule performs the operations of sched
//  FOREIGN-NOT:{{.}}
transform.named_sequence @foreign(%module: !transform.any_op) {
  %p = "transform.get_parent_op"(%module) <{nth_parent = 1 : i64}> : (!transform.any_op) -> !transform.any_op
  transform.yield
}

//      FUNCTIONS:error[KC3706]: compute-at: the loops and blocks are of @f and @g
// FUNCTIONS-NEXT:  --> {{.*}}apply_schedule_invalid.mlir:[[# @LINE + 6]]:3  sched.compute_at %C, %x
// FUNCTIONS-NEXT:  why: a primitive rewrites one function
//  FUNCTIONS-NOT:{{.}}
transform.named_sequence @functions() {
  %C = sched.get_block "C"
  %x = sched.get_loop "x" in @g
  sched.compute_at %C, %x
  transform.yield
}

//      PLACE:error[KC3708]: root is a place to compute at, not a loop
// PLACE-NEXT:  --> {{.*}}apply_schedule_invalid.mlir:[[# @LINE + 7]]:3  sched.unroll %p
// PLACE-NEXT:  why: the sampled choice is: where it is
// PLACE-NEXT:  try: compute_at and reverse_compute_at take it
//  PLACE-NOT:{{.}}
transform.named_sequence @place() {
  %G = sched.get_block "G"
  %p = sched.sample_compute_location %G decision -1
  sched.unroll %p
  transform.yield
}

//      NAME:error[KC3720]: there is no sequence 'refusd'
// NAME-NEXT:  --> {{.*}}
// NAME-NEXT:  try: did you mean 'refused'?
//  NAME-NOT:{{.}}

//      SEVERAL:error[KC3720]: there is no sequence '__transform_main'
// SEVERAL-NEXT:  --> {{.*}}
// SEVERAL-NEXT:  try: the sequences are: refused, stale, count, argument, foreign, functions, place
//  SEVERAL-NOT:{{.}}

//      NONE:error[KC3720]: there is no transform.named_sequence
// NONE-NEXT:  --> {{.*}}
// NONE-NEXT:  try: transform.named_sequence @__transform_main() { ... transform.yield }
//  NONE-NOT:{{.}}

// FILE: error[KC{{.*}}not_there.mlir

//      ELSEWHERE:error[KC3003]: there is no loop 'k' around block C
// ELSEWHERE-NEXT:  --> {{.*}}apply_schedule_invalid.mlir:{{[0-9]+}}:3  %k = sched.get_loop %C "k"
// ELSEWHERE-NEXT:   |  for i in 64:
// ELSEWHERE-NEXT:   |    for j in 64:
// ELSEWHERE-NEXT:   |      block C
// ELSEWHERE-NEXT:  try: the loops are: i, j
//  ELSEWHERE-NOT:{{.}}
