// RUN: not kc-opt %s --split-input-file --verify-gpu-code --target="cuda -arch=sm_80" 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

// Kernels and launches that are given in the dialect gpu.

//CHECK:error[KC3442]: verify-gpu-code: 2048 threads in one block of @k, sm_80 allows 1024
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_kernels_invalid.mlir:[[# @LINE + 10]]:5  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%x, %y, %c1)
//CHECK-NEXT:   |  threadIdx.x: 1024
//CHECK-NEXT:   |  threadIdx.y: 2
//CHECK-NEXT:  why: the product of threadIdx.{x,y,z} must be <= 1024 on this target

module attributes {gpu.container_module} {
  func.func @main() {
    %c1 = arith.constant 1 : index
    %x = arith.constant 1024 : index
    %y = arith.constant 2 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%x, %y, %c1)
    func.return
  }
  gpu.module @m {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

//CHECK-NEXT:error[KC3444]: verify-gpu-code: 70000 blocks along blockIdx.y in a launch, sm_80 allows 0 to 65535
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_kernels_invalid.mlir:[[# @LINE + 6]]:3  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %n, %gz = %c1)
//CHECK-NEXT:  why: the size of blockIdx.y must be >= 0 and <= 65535 on this target

func.func @tall() {
  %c1 = arith.constant 1 : index
  %n = arith.constant 70000 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %n, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    gpu.terminator
  }
  func.return
}

// -----

//CHECK-NEXT:error[KC3444]: verify-gpu-code: -1 threads along threadIdx.x in a launch, sm_80 allows 1 to 1024
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_kernels_invalid.mlir:[[# @LINE + 6]]:3  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
//CHECK-NEXT:  why: the size of threadIdx.x must be >= 1 and <= 1024 on this target

func.func @nobody() {
  %c1 = arith.constant 1 : index
  %n = arith.constant -1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) {
    gpu.terminator
  }
  func.return
}

// -----

//CHECK-NEXT:error[KC3440]: verify-gpu-code: a block of @k uses 64.25 KiB of static shared memory, CUDA allows 48 KiB
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_kernels_invalid.mlir:[[# @LINE + 7]]:3  gpu.func @k() workgroup(
//CHECK-NEXT:   |  S        64 KiB  16384xf32
//CHECK-NEXT:   |  few       252 B  63xf32
//CHECK-NEXT:  why: each buffer in workgroup(...) occupies its own memory while the kernel runs
//CHECK-NEXT:  try: use parts of gpu.dynamic_shared_memory, whose size is an operand of the launch: dynamic_shared_memory_size

gpu.module @m {
  gpu.func @k() workgroup(
      %S : memref<16384xf32, #gpu.address_space<workgroup>>,
      %few : memref<63xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}
