// MLIR reads each step of the way to a GPU.
// REQUIRES: mlir
// RUN: kc-opt %s --target="cuda -arch=sm_80" --convert-te-to-tir --unify-thread-binding --thread-sync --lower-init-block --lower-blocks --convert-tir-to-gpu --convert-tir-to-scf | mlir-opt | FileCheck %s --check-prefix=GPU
// RUN: kc-opt %s --target="cuda -arch=sm_80" --lower-to-nvvm | mlir-opt | FileCheck %s --check-prefix=NVVM

// GPU-LABEL: func.func @exchange(
// GPU:         gpu.launch blocks(
// GPU-SAME:      workgroup(
// GPU:           gpu.barrier
// GPU:           gpu.terminator

// NVVM:      gpu.launch_func @kernels::@exchange_kernel blocks in
// NVVM:      gpu.module @kernels
// NVVM:        llvm.mlir.global internal @exchange_kernel_S() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
// NVVM:        llvm.func @exchange_kernel(
// NVVM-SAME:     nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>
// NVVM:          nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
// NVVM:          nvvm.barrier
// NVVM:          llvm.return
func.func @exchange(%A: memref<4x64xf32>, %B: memref<4x64xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared">
    tir.for %i in 64 thread "threadIdx.x" {
      %0 = tir.load %A[%b, %i] : memref<4x64xf32>
      tir.store %0, %S[%i] : memref<64xf32, "shared">
    }
    tir.for %i in 64 thread "threadIdx.x" {
      %1 = tir.load %S[63 - %i] : memref<64xf32, "shared">
      tir.store %1, %B[%b, %i] : memref<4x64xf32>
    }
  }
  func.return
}
