// RUN: not kc-opt %s --split-input-file --convert-gpu-to-nvvm --target="cuda -arch=sm_75" 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4362]: convert-gpu-to-nvvm: memref.alloc in a kernel
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_nvvm_invalid.mlir:24:5  %0 = memref.alloc() : memref<8xf32>
//CHECK-NEXT:  why: a kernel has only the memory that exists when it is launched
//CHECK-NEXT:  try: use memref.alloca, or private(...) of the gpu.func, with a constant size
//CHECK:error[KC4360]: nvvm.redux.sync: the target is sm_75 with PTX 8.0, which does not have it
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_nvvm_invalid.mlir:34:5  %1 = nvvm.redux.sync add %0, %mask : i32 -> i32
//CHECK-NEXT:  why: it needs sm_80 or later and PTX 7.0 or later
//CHECK:error[KC4302]: convert-gpu-to-nvvm: gpu.shuffle of vector<3xf16>
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_nvvm_invalid.mlir:46:5  %1, %valid = gpu.shuffle xor %v, %one, %w : vector<3xf16>
//CHECK-NEXT:  why: values are exchanged in words of 32 bits, and 48 is not a multiple of 32
//CHECK:error[KC4302]: convert-gpu-to-nvvm: gpu.all_reduce cannot be lowered to the dialects llvm and nvvm
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_nvvm_invalid.mlir:56:5  %t = gpu.all_reduce add %0 uniform {} : (f32) -> f32
//CHECK:error[KC4302]: convert-gpu-to-nvvm: func.func cannot be lowered to the dialects llvm and nvvm
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_nvvm_invalid.mlir:62:3  func.func @f() {
//CHECK:error[KC4305]: convert-to-llvm: memref.global @t is not a constant with a value
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_nvvm_invalid.mlir:68:3  memref.global "private" @t : memref<2xi32> = dense<1>
//CHECK-NEXT:  why: kernels have no state between launches
//CHECK-NEXT:  try: pass the memory as an argument

gpu.module @m {
  gpu.func @k(%A: memref<8xf32>) kernel {
    %0 = memref.alloc() : memref<8xf32>
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @k(%A: memref<8xi32>) kernel {
    %i = arith.constant 0 : index
    %mask = arith.constant -1 : i32
    %0 = memref.load %A[%i] : memref<8xi32>
    %1 = nvvm.redux.sync add %0, %mask : i32 -> i32
    memref.store %1, %A[%i] : memref<8xi32>
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @k(%A: memref<4xf16>) kernel {
    %i = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    %v = vector.load %A[%i] : memref<4xf16>, vector<3xf16>
    %1, %valid = gpu.shuffle xor %v, %one, %w : vector<3xf16>
    vector.store %1, %A[%i] : memref<4xf16>, vector<3xf16>
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @k(%A: memref<8xf32>) kernel {
    %i = arith.constant 0 : index
    %0 = memref.load %A[%i] : memref<8xf32>
    %t = gpu.all_reduce add %0 uniform {} : (f32) -> f32
    gpu.return
  }
}
// -----
gpu.module @m attributes {} {
  func.func @f() {
    func.return
  }
}
// -----
gpu.module @m {
  memref.global "private" @t : memref<2xi32> = dense<1>
  gpu.func @k(%A: memref<2xi32>) kernel {
    gpu.return
  }
}
