// The annotations fit the statements of the schedule.
// RUN: not kc-opt %s --plan-software-pipeline --split-input-file 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
//CHECK:error[KC4230]: plan-software-pipeline: software_pipeline_stage of loop i has 1 entry for 2 statements
//CHECK-NEXT:  --> {{.*}}plan_software_pipeline_invalid.mlir:29:3  tir.for %i in 8 annotations {software_pipeline_stage = [0]} {
//CHECK-NEXT:   |  0: the store to C
//CHECK-NEXT:   |  1: block D
//CHECK-NEXT:  why: it is [0]
//CHECK-NEXT:  try: give 2 numbers, one per statement
//CHECK:error[KC4230]: plan-software-pipeline: software_pipeline_stage of loop i has 3 entries for 4 statements
//CHECK-NEXT:  --> {{.*}}plan_software_pipeline_invalid.mlir:43:3  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1, 2]} {
//CHECK-NEXT:   |  0: the store to A
//CHECK-NEXT:   |  1: the prologue of loop j
//CHECK-NEXT:   |  2: the steady state of loop j
//CHECK-NEXT:   |  3: the epilogue of loop j
//CHECK-NEXT:  why: it is [0, 1, 2]
//CHECK-NEXT:  try: give 4 numbers, one per statement
//CHECK:error[KC4231]: plan-software-pipeline: loop i, which has a software pipeline, is threadIdx.x
//CHECK-NEXT:  --> {{.*}}plan_software_pipeline_invalid.mlir:56:3  tir.for %i in 8 thread "threadIdx.x" annotations {software_pipeline_stage = [0]} {
//CHECK-NEXT:  why: a pipeline overlaps an iteration with the next ones, so iterations must run in order
//CHECK-NEXT:  try: annotate a serial loop
//CHECK:error[KC4230]: plan-software-pipeline: software_pipeline_order of loop i has 1 entry for 2 statements
//CHECK-NEXT:  --> {{.*}}plan_software_pipeline_invalid.mlir:65:3  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1], software_pipeline_order = [0]} {
//CHECK-NEXT:   |  0: the store to A
//CHECK-NEXT:   |  1: the store to C
//CHECK-NEXT:  why: it is [0]
//CHECK-NEXT:  try: give 2 numbers, one per statement

func.func @count(%A: memref<8xi32>, %C: memref<8xi32>) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0]} {
    %a = tir.load %A[%i] : memref<8xi32>
    tir.store %a, %C[%i] : memref<8xi32>
    tir.block "D" (spatial %v in 8 = %i) do {
      %c = tir.load %C[%v] : memref<8xi32>
      tir.store %c, %A[%v] : memref<8xi32>
    }
  }
  func.return
}

// -----

func.func @nested(%A: memref<8xi32>, %C: memref<8xi32>, %x: i32) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1, 2]} {
    tir.store %x, %A[%i] : memref<8xi32>
    tir.for %j in 8 annotations {software_pipeline_stage = [0, 1]} {
      tir.store %x, %A[%j] : memref<8xi32>
      tir.store %x, %C[%j] : memref<8xi32>
    }
  }
  func.return
}

// -----

func.func @kind(%A: memref<8xi32>, %x: i32) {
  tir.for %i in 8 thread "threadIdx.x" annotations {software_pipeline_stage = [0]} {
    tir.store %x, %A[%i] : memref<8xi32>
  }
  func.return
}

// -----

func.func @order(%A: memref<8xi32>, %C: memref<8xi32>, %x: i32) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1], software_pipeline_order = [0]} {
    tir.store %x, %A[%i] : memref<8xi32>
    tir.store %x, %C[%i] : memref<8xi32>
  }
  func.return
}
