// RUN: not kc-opt %s --split-input-file --convert-gpu-to-llvm-amdgpu --target=rocm 2>&1 >/dev/null | FileCheck %s --check-prefix=AMD --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split-input-file --convert-gpu-to-llvm-spv --target=opencl 2>&1 >/dev/null | FileCheck %s --check-prefix=SPV --match-full-lines --strict-whitespace

//AMD:error[KC4362]: convert-gpu-to-llvm-amdgpu: memref.alloc in a kernel
//AMD-NEXT:  --> {{.*}}convert_gpu_to_llvm_invalid.mlir:40:5  %0 = memref.alloc() : memref<8xf32>
//AMD-NEXT:  why: a kernel has only the memory that exists when it is launched
//AMD-NEXT:  try: use memref.alloca, or private(...) of the gpu.func, with a constant size
//AMD:error[KC4362]: convert-gpu-to-llvm-amdgpu: memref.alloca in a kernel, of a size that is not constant
//AMD-NEXT:  --> {{.*}}convert_gpu_to_llvm_invalid.mlir:47:5  %0 = memref.alloca(%n) : memref<?xf32>
//AMD-NEXT:  why: a kernel has only the memory that exists when it is launched
//AMD-NEXT:  try: use an array of a constant size
//AMD:error[KC4302]: convert-gpu-to-llvm-amdgpu: @f, which is not a kernel
//AMD-NEXT:  --> {{.*}}convert_gpu_to_llvm_invalid.mlir:53:3  gpu.func @f(%A: memref<8xf32>) {
//AMD-NEXT:  why: only kernels are converted: the address spaces of a function's arguments depend on its caller
//AMD:error[KC4302]: convert-gpu-to-llvm-amdgpu: gpu.shuffle of vector<3xf16>
//AMD-NEXT:  --> {{.*}}convert_gpu_to_llvm_invalid.mlir:64:5  %1, %valid = gpu.shuffle xor %v, %one, %w : vector<3xf16>
//AMD-NEXT:  why: values are exchanged in words of 32 bits, and 48 is not a multiple of 32
//AMD:error[KC4302]: convert-gpu-to-llvm-amdgpu: gpu.all_reduce cannot be lowered to the dialect llvm
//AMD-NEXT:  --> {{.*}}convert_gpu_to_llvm_invalid.mlir:74:5  %t = gpu.all_reduce add %0 uniform {} : (f32) -> f32
//SPV:error[KC4362]: convert-gpu-to-llvm-spv: memref.alloc in a kernel
//SPV-NEXT:  --> {{.*}}convert_gpu_to_llvm_invalid.mlir:40:5  %0 = memref.alloc() : memref<8xf32>
//SPV-NEXT:  why: a kernel has only the memory that exists when it is launched
//SPV-NEXT:  try: use memref.alloca, or private(...) of the gpu.func, with a constant size
//SPV:error[KC4362]: convert-gpu-to-llvm-spv: memref.alloca in a kernel, of a size that is not constant
//SPV-NEXT:  --> {{.*}}convert_gpu_to_llvm_invalid.mlir:47:5  %0 = memref.alloca(%n) : memref<?xf32>
//SPV-NEXT:  why: a kernel has only the memory that exists when it is launched
//SPV-NEXT:  try: use an array of a constant size
//SPV:error[KC4302]: convert-gpu-to-llvm-spv: @f, which is not a kernel
//SPV-NEXT:  --> {{.*}}convert_gpu_to_llvm_invalid.mlir:53:3  gpu.func @f(%A: memref<8xf32>) {
//SPV-NEXT:  why: only kernels are converted: the address spaces of a function's arguments depend on its caller
//SPV:error[KC4302]: convert-gpu-to-llvm-spv: gpu.shuffle
//SPV-NEXT:  --> {{.*}}convert_gpu_to_llvm_invalid.mlir:64:5  %1, %valid = gpu.shuffle xor %v, %one, %w : vector<3xf16>
//SPV-NEXT:  why: OpenCL does not state the size of a warp, whose threads exchange values
//SPV-NEXT:  try: exchange values by memory of the block
//SPV:error[KC4302]: convert-gpu-to-llvm-spv: gpu.all_reduce cannot be lowered to the dialect llvm
//SPV-NEXT:  --> {{.*}}convert_gpu_to_llvm_invalid.mlir:74:5  %t = gpu.all_reduce add %0 uniform {} : (f32) -> f32

gpu.module @m {
  gpu.func @k(%A: memref<8xf32>) kernel {
    %0 = memref.alloc() : memref<8xf32>
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @k(%A: memref<8xf32>, %n: index) kernel {
    %0 = memref.alloca(%n) : memref<?xf32>
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @f(%A: memref<8xf32>) {
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
