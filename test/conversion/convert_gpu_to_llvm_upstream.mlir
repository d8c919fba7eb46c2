// MLIR reads what kernels become for GPUs of AMD and for SPIR-V.
// REQUIRES: mlir
// RUN: kc-opt %s --target="rocm -arch=gfx942" --lower-to-gpu --convert-gpu-to-llvm-amdgpu | mlir-opt | FileCheck %s --check-prefix=AMD
// RUN: kc-opt %s --target=opencl --lower-to-gpu --convert-gpu-to-llvm-spv | mlir-opt | FileCheck %s --check-prefix=SPV

// AMD:      gpu.launch_func @kernels::@exchange_kernel blocks in
// AMD:      llvm.func amdgpu_kernelcc @exchange_kernel(
// AMD:        llvm.fence syncscope("workgroup") release
// AMD-NEXT:   llvm.call_intrinsic "llvm.amdgcn.s.barrier"()
// AMD-NEXT:   llvm.fence syncscope("workgroup") acquire
// SPV:      llvm.func spir_kernelcc @exchange_kernel(
// SPV:        llvm.call spir_funccc @_Z7barrierj(
func.func @exchange(%A: memref<4x64xf32>, %B: memref<4x64xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared">
    tir.for %t in 64 thread "threadIdx.x" {
      %0 = tir.load %A[%b, %t] : memref<4x64xf32>
      tir.store %0, %S[%t] : memref<64xf32, "shared">
      %1 = tir.load %S[63 - %t] : memref<64xf32, "shared">
      tir.store %1, %B[%b, %t] : memref<4x64xf32>
    }
  }
  func.return
}
