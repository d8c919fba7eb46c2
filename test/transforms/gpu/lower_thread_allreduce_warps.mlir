// RUN: kc-opt %s --lower-thread-allreduce --target="rocm -arch=gfx90a" | FileCheck %s --check-prefix=WIDE
// RUN: kc-opt %s --lower-thread-allreduce --target=opencl | FileCheck %s --check-prefix=NONE

// A wavefront of 64 threads exchanges values by shuffles alone.
// WIDE-LABEL: func.func @sum(
// WIDE-NOT:     tir.alloc
// WIDE:         %1 = arith.constant 64 : i32
// WIDE-NEXT:    %2 = arith.constant 32 : i32
// WIDE-NEXT:    gpu.shuffle xor %0, %2, %1 : i32
// WIDE-COUNT-5: gpu.shuffle xor
// WIDE-NOT:     gpu.shuffle

// Where nothing is known of warps, all goes by memory of the block, half added to half.
// NONE-LABEL: func.func @sum(
// NONE-NOT:     gpu.shuffle
// NONE:         %reduced = tir.alloc "reduced" : memref<1x64xi32, "shared">
// NONE-NOT:     gpu.shuffle
// NONE:         tir.store %0, %reduced[0, %x] : memref<1x64xi32, "shared">
// NONE-COUNT-6: tir.if
// NONE-NOT:     gpu.shuffle
// NONE:         tir.load %reduced[0, 0] : memref<1x64xi32, "shared">
func.func @sum(%A: memref<64xi32>, %B: memref<64xi32>) {
  tir.for %x in 64 thread "threadIdx.x" {
    %0 = tir.load %A[%x] : memref<64xi32>
    %1 = tir.thread_allreduce "add" (%0) over ["threadIdx.x"] by (%a: i32) (%b: i32) identity [0 : i32] {
      %2 = arith.addi %a, %b : i32
      tir.yield %2 : i32
    }
    tir.store %1, %B[%x] : memref<64xi32>
  }
  func.return
}
