// RUN: not kc-opt %s --split-input-file --lower-thread-allreduce 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4228]: lower-thread-allreduce: the threads cannot combine their values: not all threads of the block reach it
//CHECK-NEXT:  --> {{.*}}lower_thread_allreduce_invalid.mlir:12:7  %1 = tir.thread_allreduce "add" (%0) over ["threadIdx.x"] by (%a: i32) (%b: i32) identity [0 : i3...
//CHECK-NEXT:  why: threads wait for each other to combine their values, and the condition or loop around it depends on the thread
//CHECK-NEXT:  try: apply the condition to the value that each thread adds

func.func @branch(%A: memref<8xi32>) {
  tir.for %x in 8 thread "threadIdx.x" {
    %0 = tir.load %A[%x] : memref<8xi32>
    tir.if (%x < 5) {
      %1 = tir.thread_allreduce "add" (%0) over ["threadIdx.x"] by (%a: i32) (%b: i32) identity [0 : i32] {
        %2 = arith.addi %a, %b : i32
        tir.yield %2 : i32
      }
      tir.store %1, %A[%x] : memref<8xi32>
    }
  }
  func.return
}
