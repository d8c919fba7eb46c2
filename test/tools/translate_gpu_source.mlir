// RUN: kc-translate %s --to=cuda --target="cuda -arch=sm_80" | FileCheck %s --check-prefix=CUDA
// RUN: kc-translate %s --to=opencl --target=opencl | FileCheck %s --check-prefix=OPENCL
// RUN: kc-translate %s --to=metal --target=metal | FileCheck %s --check-prefix=METAL
// RUN: kc-translate %s --to=amdgcn --target="rocm -arch=gfx90a" | FileCheck %s --check-prefix=AMD
// RUN: kc-translate %s --to=spirv --target=opencl -o %t.spv
// RUN: not kc-translate %s --to=opencl --target=cuda 2>&1 | FileCheck %s --check-prefix=OTHER

// CUDA:       #include <stdint.h>
// CUDA:       extern "C" __global__ void __launch_bounds__(32) scale_kernel(float *__restrict__ A) {
// CUDA-NEXT:    const int64_t b = (int64_t)blockIdx.x;
// CUDA-NEXT:    const int64_t i = (int64_t)threadIdx.x;
// CUDA-NEXT:    A[b * 32 + i] = expf(A[b * 32 + i]);
// CUDA-NEXT:  }

// OPENCL:      typedef long int64_t;
// OPENCL:      __kernel __attribute__((reqd_work_group_size(32, 1, 1))) void scale_kernel(__global float *restrict A) {
// OPENCL-NEXT:   const int64_t b = (int64_t)get_group_id(0);
// OPENCL-NEXT:   const int64_t i = (int64_t)get_local_id(0);
// OPENCL-NEXT:   A[b * 32 + i] = exp(A[b * 32 + i]);
// OPENCL-NEXT: }

// METAL:      #include <metal_stdlib>
// METAL-NEXT: using namespace metal;
// METAL:      [max_total_threads_per_threadgroup(32)
// METAL-SAME:   kernel void scale_kernel(device float *A [
// METAL-SAME:   buffer(0)
// METAL-NEXT:   const int64_t b = (int64_t)kc_block.x;
// METAL-NEXT:   const int64_t i = (int64_t)kc_thread.x;
// METAL-NEXT:   A[b * 32 + i] = exp(A[b * 32 + i]);
// METAL-NEXT: }

// AMD:      .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
// AMD:      scale_kernel:
// AMD:        global_load_dword
// AMD:        global_store_dword
// AMD:      .vgpr_spill_count: 0

// OTHER:      error[KC6022]: OpenCL C for the target cuda
// OTHER-NEXT:   why: OpenCL C is made for targets of the kind opencl
// OTHER-NEXT:   try: --target=opencl
func.func @scale(%A: memref<4x32xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %i in 32 thread "threadIdx.x" {
      %0 = tir.load %A[%b, %i] : memref<4x32xf32>
      %1 = math.exp %0 : f32
      tir.store %1, %A[%b, %i] : memref<4x32xf32>
    }
  }
  func.return
}
