// RUN: not kc-opt %s --verify-gpu-code 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC3443]: verify-gpu-code: the number of threads of t is unknown at the launch of the kernel
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_launch_invalid.mlir:15:5  tir.for %t in %m thread "threadIdx.x" {
//CHECK-NEXT:   |  for b in 8 blockIdx.x:    <-- the kernel
//CHECK-NEXT:   |    for t in m threadIdx.x:    <-- threadIdx.x
//CHECK-NEXT:   |      block A
//CHECK-NEXT:  why: it is m, computed in loop b from values that are unknown outside it
//CHECK-NEXT:  try: bind a loop whose extent is a constant or depends on sizes of the function

// Each block would have another number of threads.
func.func @growing(%A: memref<8x8xf32>, %x: f32) {
  tir.for %b in 8 thread "blockIdx.x" {
    %m = tir.apply (%b + 1)
    tir.for %t in %m thread "threadIdx.x" {
      tir.block "A" (spatial %v in 8 = %b, spatial %w in 8 = %t) do {
        tir.store %x, %A[%v, %w] : memref<8x8xf32>
      }
    }
  }
  func.return
}
