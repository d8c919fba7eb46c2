// RUN: not kc-opt %s --split-input-file --lower-cross-thread-reduction 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4227]: lower-cross-thread-reduction: the threads of k_i cannot combine their values of B
//CHECK-NEXT:  --> {{.*}}lower_cross_thread_reduction_invalid.mlir:24:9  tir.block "B" (reduce %v_k in 64 = %k_o * 32 + %k_i) init {
//CHECK-NEXT:  why: B is used before the reduction is complete
//CHECK-NEXT:  try: rfactor makes partial results, whose final reduction threads can perform
//CHECK:error[KC4227]: lower-cross-thread-reduction: the threads of t cannot combine their values of B
//CHECK-NEXT:  --> {{.*}}lower_cross_thread_reduction_invalid.mlir:43:5  tir.block "B" (spatial %v_i in 4 = %t floordiv 16, reduce %v_k in 16 = %t mod 16) init {
//CHECK-NEXT:  why: loop t drives both spatial and reduce variables
//CHECK-NEXT:  try: rfactor makes partial results, whose final reduction threads can perform
//CHECK:error[KC4227]: lower-cross-thread-reduction: the threads of k_i cannot combine their values of B
//CHECK-NEXT:  --> {{.*}}lower_cross_thread_reduction_invalid.mlir:59:7  tir.block "B" (reduce %v_k in 64 = %k_o * 32 + %k_i) init {
//CHECK-NEXT:  why: loop k_o of the reduction surrounds the kernel, so each of its iterations is a launch
//CHECK-NEXT:  try: bind a loop around it, such as one of add_unit_loop, to "blockIdx.x"
//CHECK:error[KC4227]: lower-cross-thread-reduction: the threads of k_i cannot combine their values of B
//CHECK-NEXT:  --> {{.*}}lower_cross_thread_reduction_invalid.mlir:77:9  tir.block "B" (reduce %v_k in 64 = (%k_o * 32 + %k_i + 1) mod 64) init {
//CHECK-NEXT:  why: its init may run after some of its terms: B at (k_o=0, k_i=0) updates B[0], which B at (k_o=1, k_i=31) writes
//CHECK-NEXT:  try: rfactor makes partial results, whose final reduction threads can perform

func.func @early(%A: memref<64xf32>, %B: memref<1xf32>, %C: memref<2xf32>) {
  tir.for %g in 1 thread "blockIdx.x" {
    tir.for %k_o in 2 {
      tir.for %k_i in 32 thread "threadIdx.x" {
        tir.block "B" (reduce %v_k in 64 = %k_o * 32 + %k_i) init {
          %0 = arith.constant 0.0 : f32
          tir.store %0, %B[0] : memref<1xf32>
        } do {
          %1 = tir.load %A[%v_k] : memref<64xf32>
          %2 = tir.load %B[0] : memref<1xf32>
          %3 = arith.addf %2, %1 : f32
          tir.store %3, %B[0] : memref<1xf32>
        }
      }
      %b = tir.load %B[0] : memref<1xf32>
      tir.store %b, %C[%k_o] : memref<2xf32>
    }
  }
  func.return
}
// -----
func.func @fused(%A: memref<4x16xf32>, %B: memref<4xf32>) {
  tir.for %t in 64 thread "threadIdx.x" {
    tir.block "B" (spatial %v_i in 4 = %t floordiv 16, reduce %v_k in 16 = %t mod 16) init {
      %0 = arith.constant 0.0 : f32
      tir.store %0, %B[%v_i] : memref<4xf32>
    } do {
      %1 = tir.load %A[%v_i, %v_k] : memref<4x16xf32>
      %2 = tir.load %B[%v_i] : memref<4xf32>
      %3 = arith.addf %2, %1 : f32
      tir.store %3, %B[%v_i] : memref<4xf32>
    }
  }
  func.return
}
// -----
func.func @launches(%A: memref<64xf32>, %B: memref<1xf32>) {
  tir.for %k_o in 2 {
    tir.for %k_i in 32 thread "threadIdx.x" {
      tir.block "B" (reduce %v_k in 64 = %k_o * 32 + %k_i) init {
        %0 = arith.constant 0.0 : f32
        tir.store %0, %B[0] : memref<1xf32>
      } do {
        %1 = tir.load %A[%v_k] : memref<64xf32>
        %2 = tir.load %B[0] : memref<1xf32>
        %3 = arith.addf %2, %1 : f32
        tir.store %3, %B[0] : memref<1xf32>
      }
    }
  }
  func.return
}
// -----
func.func @late(%A: memref<64xf32>, %B: memref<1xf32>) {
  tir.for %g in 1 thread "blockIdx.x" {
    tir.for %k_o in 2 {
      tir.for %k_i in 32 thread "threadIdx.x" {
        tir.block "B" (reduce %v_k in 64 = (%k_o * 32 + %k_i + 1) mod 64) init {
          %0 = arith.constant 0.0 : f32
          tir.store %0, %B[0] : memref<1xf32>
        } do {
          %1 = tir.load %A[%v_k] : memref<64xf32>
          %2 = tir.load %B[0] : memref<1xf32>
          %3 = arith.addf %2, %1 : f32
          tir.store %3, %B[0] : memref<1xf32>
        }
      }
    }
  }
  func.return
}
// -----
//CHECK:error[KC4227]: lower-cross-thread-reduction: the threads of k cannot combine their values of C
//CHECK-NEXT:  --> {{.*}}lower_cross_thread_reduction_invalid.mlir:101:7  tir.block "C" (spatial %v_i in 3 = %i, reduce %v_k in %n = %k) init {
//CHECK-NEXT:  why: there may be no thread, and x is loaded in the loop of threads
//CHECK-NEXT:  try: load x in a block, or bind a loop that always has iterations
func.func @beside(%A: memref<?xi32> {kc.shape = affine_map<()[n] -> (n)>}, %C: memref<3xi32>) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 3 thread "blockIdx.x" {
    tir.for %k in %n thread "threadIdx.x" {
      %x = tir.load %A[%k] : memref<?xi32>
      tir.block "C" (spatial %v_i in 3 = %i, reduce %v_k in %n = %k) init {
        %zero = arith.constant 0 : i32
        tir.store %zero, %C[%v_i] : memref<3xi32>
      } do {
        %c = tir.load %C[%v_i] : memref<3xi32>
        %sum = arith.addi %c, %x : i32
        tir.store %sum, %C[%v_i] : memref<3xi32>
      }
    }
  }
  func.return
}
