// What is refused, and why; nothing is changed then.
// RUN: not kc-opt %s --inject-software-pipeline --split-input-file 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
//CHECK:error[KC4231]: inject-software-pipeline: loop i, which has a software pipeline, is vectorized
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:74:3  tir.for %i in 8 vectorized annotations {software_pipeline_stage = [0]} {
//CHECK-NEXT:  why: a pipeline overlaps an iteration with the next ones, so iterations must run in order
//CHECK-NEXT:  try: annotate a serial loop
//CHECK:error[KC4232]: inject-software-pipeline: software_pipeline_order of loop i stands without software_pipeline_stage
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:83:3  tir.for %i in 8 annotations {software_pipeline_order = [0]} {
//CHECK-NEXT:  why: each statement has a stage
//CHECK:error[KC4232]: inject-software-pipeline: software_pipeline_stage of loop i is "0, 1"
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:92:3  tir.for %i in 8 annotations {software_pipeline_stage = "0, 1"} {
//CHECK-NEXT:  why: it is a list of integers, such as [0]
//CHECK:error[KC4232]: inject-software-pipeline: software_pipeline_stage of loop i is [-1]
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:101:3  tir.for %i in 8 annotations {software_pipeline_stage = -1} {
//CHECK-NEXT:  why: a stage is at least 0
//CHECK:error[KC4232]: inject-software-pipeline: software_pipeline_order of loop i is [1, 1]
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:110:3  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1], software_pipeline_order = [1, 1]} {
//CHECK-NEXT:  why: it has each of 0 to 1 once
//CHECK:error[KC4232]: inject-software-pipeline: software_pipeline_async_stages of loop i has 1, which is the stage of no statement
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:120:3  tir.for %i in 8 annotations {software_pipeline_stage = [0, 3], software_pipeline_async_stages = [...
//CHECK-NEXT:  why: the stages are 0, 3
//CHECK:error[KC4233]: inject-software-pipeline: statements of loop i share a, which is not an element of a buffer
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:133:5  tir.store %a, %C[%i] : memref<8xi32>
//CHECK-NEXT:   |  for i in 8:
//CHECK-NEXT:   |    store to B    <-- has a
//CHECK-NEXT:   |    store to C    <-- uses a
//CHECK-NEXT:  why: two statements may run in different steps, and only buffers keep values between steps
//CHECK-NEXT:  try: store a in a buffer that is allocated in the loop, or load it twice
//CHECK:error[KC4234]: inject-software-pipeline: the pipeline of loop i changes the result
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:141:3  tir.for %i in 8 annotations {software_pipeline_stage = [1, 0], software_pipeline_order = [1, 0]} {
//CHECK-NEXT:   |  0: the store to C: stage 1, order 1
//CHECK-NEXT:   |  1: the store to B: stage 0, order 0
//CHECK-NEXT:  why: the store to C writes C at (i=0), which the store to B reads at (i=1) and would do so before
//CHECK-NEXT:  try: software_pipeline_stage: at least 1 for statement 1
//CHECK-NEXT:  try: software_pipeline_order: statement 1 after statement 0
//CHECK:error[KC4234]: inject-software-pipeline: the pipeline of loop i changes the result
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:153:3  tir.for %i in 8 annotations {software_pipeline_stage = [0, 0], software_pipeline_order = [1, 0]} {
//CHECK-NEXT:   |  0: the store to A: stage 0, order 1
//CHECK-NEXT:   |  1: the store to B: stage 0, order 0
//CHECK-NEXT:  why: the store to A writes A at (i=0), which the store to B reads at (i=0) and would do so before
//CHECK-NEXT:  try: software_pipeline_stage: at least 1 for statement 1
//CHECK-NEXT:  try: software_pipeline_order: statement 1 after statement 0
//CHECK:error[KC4234]: inject-software-pipeline: the pipeline of loop i is not proven to keep the result
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:164:3  tir.for %i in 8 annotations {software_pipeline_stage = [1, 0]} {
//CHECK-NEXT:   |  0: the store to A: stage 1, order 0
//CHECK-NEXT:   |  1: the store to B: stage 0, order 1
//CHECK-NEXT:  why: at is not affine
//CHECK-NEXT:  try: software_pipeline_stage: at least 1 for statement 1
//CHECK:error[KC4235]: inject-software-pipeline: T cannot be allocated 2 times in front of loop i
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:178:5  %T = tir.alloc "T" (%n) : memref<?xi32>
//CHECK-NEXT:  why: n is computed in an iteration, and 2 iterations have values in T at the same time
//CHECK-NEXT:  try: give the statements that use it the same stage
//CHECK:error[KC4236]: inject-software-pipeline: the prologue and the epilogue of loop i have 180000 operations
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:190:3  tir.for %i in 8 annotations {software_pipeline_stage = [0, 90000]} {
//CHECK-NEXT:  why: a pipeline of 90001 stages copies its statements 90000 times outside of the loop, and at most 100000 operations are allowed
//CHECK-NEXT:  try: give its statements smaller stages
//CHECK:error[KC4235]: inject-software-pipeline: T cannot be allocated in front of loop i
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:202:7  %T = tir.alloc "T" : memref<1xi32>
//CHECK-NEXT:  why: it is global memory, which all blocks of a kernel would share, and the blocks are in different iterations at the same time
//CHECK-NEXT:  try: give T the scope "local" or "shared"
//CHECK:error[KC4234]: inject-software-pipeline: the pipeline of loop i changes the result
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:216:3  tir.for %i in 8 annotations {software_pipeline_stage = [2147483648, 1]} {
//CHECK-NEXT:   |  0: the store to B: stage 2147483647, order 0
//CHECK-NEXT:   |  1: the store to C: stage 0, order 1
//CHECK-NEXT:  why: the store to B writes B at (i=0, j=0), which the store to C reads at (i=0, j=0) and would do so before
//CHECK-NEXT:  try: software_pipeline_stage: at least 2147483647 for statement 1
//CHECK:error[KC4236]: inject-software-pipeline: the prologue and the epilogue of loop i have 8589934592 operations
//CHECK-NEXT:  --> {{.*}}inject_software_pipeline_invalid.mlir:233:3  tir.for %i in 8 annotations {software_pipeline_stage = [0, 2147483648]} {
//CHECK-NEXT:  why: a pipeline of 2147483649 stages copies its statements 2147483648 times outside of the loop, and at most 100000 operations are allowed
//CHECK-NEXT:  try: give its statements smaller stages


func.func @kind(%A: memref<8xi32>, %x: i32) {
  tir.for %i in 8 vectorized annotations {software_pipeline_stage = [0]} {
    tir.store %x, %A[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @no_stage(%A: memref<8xi32>, %x: i32) {
  tir.for %i in 8 annotations {software_pipeline_order = [0]} {
    tir.store %x, %A[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @text(%A: memref<8xi32>, %x: i32) {
  tir.for %i in 8 annotations {software_pipeline_stage = "0, 1"} {
    tir.store %x, %A[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @negative(%A: memref<8xi32>, %x: i32) {
  tir.for %i in 8 annotations {software_pipeline_stage = -1} {
    tir.store %x, %A[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @order(%A: memref<8xi32>, %B: memref<8xi32>, %x: i32) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1], software_pipeline_order = [1, 1]} {
    tir.store %x, %A[%i] : memref<8xi32>
    tir.store %x, %B[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @asynchronous(%A: memref<8xi32>, %B: memref<8xi32>, %x: i32) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 3], software_pipeline_async_stages = [1]} {
    tir.store %x, %A[%i] : memref<8xi32>
    tir.store %x, %B[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @shared(%A: memref<8xi32>, %B: memref<8xi32>, %C: memref<8xi32>) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1]} {
    %a = tir.load %A[%i] : memref<8xi32>
    tir.store %a, %B[%i] : memref<8xi32>
    tir.store %a, %C[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @stage(%A: memref<8xi32>, %B: memref<8xi32>, %C: memref<9xi32>) {
  tir.for %i in 8 annotations {software_pipeline_stage = [1, 0], software_pipeline_order = [1, 0]} {
    %a = tir.load %A[%i] : memref<8xi32>
    tir.store %a, %C[%i + 1] : memref<9xi32>
    %c = tir.load %C[%i] : memref<9xi32>
    tir.store %c, %B[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @same_stage(%A: memref<8xi32>, %B: memref<8xi32>, %x: i32) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 0], software_pipeline_order = [1, 0]} {
    tir.store %x, %A[%i] : memref<8xi32>
    %a = tir.load %A[%i] : memref<8xi32>
    tir.store %a, %B[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @undecided(%A: memref<8xi32>, %B: memref<8xi32>, %I: memref<8xindex>, %x: i32) {
  tir.for %i in 8 annotations {software_pipeline_stage = [1, 0]} {
    %at = tir.load %I[%i] : memref<8xindex>
    tir.store %x, %A[%at] : memref<8xi32>
    %a = tir.load %A[%i] : memref<8xi32>
    tir.store %a, %B[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @size(%A: memref<8xi32>, %I: memref<8xindex>) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1]} {
    %n = tir.load %I[%i] : memref<8xindex>
    %T = tir.alloc "T" (%n) : memref<?xi32>
    %a = tir.load %A[%i] : memref<8xi32>
    tir.store %a, %T[0] : memref<?xi32>
    %t = tir.load %T[0] : memref<?xi32>
    tir.store %t, %A[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @large(%A: memref<8xi32>, %C: memref<8xi32>, %x: i32) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 90000]} {
    tir.store %x, %A[%i] : memref<8xi32>
    tir.store %x, %C[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @shared_by_blocks(%A: memref<4x8xi32>, %C: memref<4x8xi32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %i in 8 annotations {software_pipeline_stage = [0, 1]} {
      %T = tir.alloc "T" : memref<1xi32>
      %a = tir.load %A[%b, %i] : memref<4x8xi32>
      tir.store %a, %T[0] : memref<1xi32>
      %t = tir.load %T[0] : memref<1xi32>
      tir.store %t, %C[%b, %i] : memref<4x8xi32>
    }
  }
  func.return
}

// -----

// Stages that are far apart cost nothing to refuse.
func.func @far(%A: memref<8xi32>, %C: memref<8xi32>) {
  tir.for %i in 8 annotations {software_pipeline_stage = [2147483648, 1]} {
    %B = tir.alloc "B" : memref<1xi32>
    tir.for %j in 1 {
      %a = tir.load %A[%i] : memref<8xi32>
      tir.store %a, %B[%j] : memref<1xi32>
    }
    tir.for %j in 1 {
      %b = tir.load %B[%j] : memref<1xi32>
      tir.store %b, %C[%i] : memref<8xi32>
    }
  }
  func.return
}

// -----

func.func @long(%A: memref<8xi32>, %C: memref<8xi32>) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 2147483648]} {
    %B = tir.alloc "B" : memref<1xi32>
    %a = tir.load %A[%i] : memref<8xi32>
    tir.store %a, %B[0] : memref<1xi32>
    %b = tir.load %B[0] : memref<1xi32>
    tir.store %b, %C[%i] : memref<8xi32>
  }
  func.return
}
