// RUN: not kc-opt %s --verify-gpu-code --target=opencl 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC3408]: verify-gpu-code: block C reads a value that another warp writes to W
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_no_warps_invalid.mlir:18:5  tir.block "C" (spatial %v in 64 = 63 - %p) do {
//CHECK-NEXT:   |  for p in 64 threadIdx.x:
//CHECK-NEXT:   |    alloc W
//CHECK-NEXT:   |    block W    <-- writes W
//CHECK-NEXT:   |    block C    <-- reads W
//CHECK-NEXT:  why: threadIdx.x 0 reads W[63], which threadIdx.x 63 writes; opencl has no warps
//CHECK-NEXT:  try: in shared memory, all threads of a block see W
func.func @warps(%A: memref<64xf32>, %C: memref<64xf32>) {
  tir.for %p in 64 thread "threadIdx.x" {
    %W = tir.alloc "W" : memref<64xf32, "warp">
    tir.block "W" (spatial %v in 64 = %p) do {
      %a = tir.load %A[%v] : memref<64xf32>
      tir.store %a, %W[%v] : memref<64xf32, "warp">
    }
    tir.block "C" (spatial %v in 64 = 63 - %p) do {
      %a = tir.load %W[%v] : memref<64xf32, "warp">
      tir.store %a, %C[%v] : memref<64xf32>
    }
  }
  func.return
}
