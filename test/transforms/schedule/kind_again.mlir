// Another kind takes the place of the one that a loop has; its annotations stay.
//
// RUN: kc-opt %s --parallel="loop=i" --unroll="loop=i" | FileCheck %s --check-prefix=UNROLLED
// RUN: kc-opt %s --unroll="loop=i" --parallel="loop=i" | FileCheck %s --check-prefix=PARALLEL
// RUN: kc-opt %s --unroll="loop=j" --vectorize="loop=j" | FileCheck %s --check-prefix=LANES
// RUN: kc-opt %s --annotate="loop=i key=a value=1" --bind="loop=i thread_axis=vthread" --parallel="loop=i" | FileCheck %s --check-prefix=NOTED
// RUN: kc-opt %s --parallel="loop=i" --bind="loop=i thread_axis=blockIdx.x" | FileCheck %s --check-prefix=BOUND
// RUN: kc-opt %s --bind="loop=i thread_axis=blockIdx.x" --vectorize="loop=i" | FileCheck %s --check-prefix=FREE
// RUN: not kc-opt %s --bind="loop=i thread_axis=blockIdx.x" --bind="loop=j thread_axis=threadIdx.x" --parallel="loop=i" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not kc-opt %s --unroll="loop=k" --parallel="loop=k" 2>&1 | FileCheck %s --check-prefix=SUM

// UNROLLED: tir.for %i in 16 unrolled {
// UNROLLED: tir.for %j in 8 {
// PARALLEL: tir.for %i in 16 parallel {
// LANES: tir.for %j in 8 vectorized {
// NOTED: tir.for %i in 16 parallel annotations {a = 1 : i64} {
// NOTED: tir.for %j in 8 {
// BOUND: tir.for %i in 16 thread "blockIdx.x" {
// FREE: tir.for %i in 16 vectorized {
// THREADS: error[KC3042]: parallel: loop i is around the threadIdx.x loop j
// SUM: error[KC3040]: parallel: loop k is a reduction of C
func.func @rows(%A: memref<16x8xf32>, %C: memref<16x8xf32>) {
  tir.for %i in 16 {
    tir.for %j in 8 {
      tir.for %k in 4 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j, reduce %v_k in 4 = %k) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%v_i, %v_j] : memref<16x8xf32>
        } do {
          %c = tir.load %C[%v_i, %v_j] : memref<16x8xf32>
          %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
          %s = arith.addf %c, %a : f32
          tir.store %s, %C[%v_i, %v_j] : memref<16x8xf32>
        }
      }
    }
  }
  func.return
}
