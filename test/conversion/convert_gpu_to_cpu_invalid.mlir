// RUN: not kc-opt %s --split-input-file --convert-gpu-to-cpu 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4302]: convert-gpu-to-cpu: gpu.all_reduce is not emulated
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_cpu_invalid.mlir:18:7  %1 = gpu.all_reduce add %0 uniform {} : (f32) -> f32
//CHECK:error[KC4302]: convert-gpu-to-cpu: gpu.shuffle is not emulated
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_cpu_invalid.mlir:32:7  %1, %valid = gpu.shuffle xor %0, %o, %w : vector<4xf32>
//CHECK-NEXT:  why: a value that lanes exchange has at most 64 bits
//CHECK:error[KC4302]: convert-gpu-to-cpu: gpu.func is not emulated
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_cpu_invalid.mlir:41:5  gpu.func @f() {
//CHECK:error[KC4302]: convert-gpu-to-cpu: gpu.memset is not emulated
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_cpu_invalid.mlir:49:5  gpu.memset %A, %x : memref<8xf32>, f32

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%A: memref<32xf32>) kernel {
      %t = gpu.thread_id x
      %0 = memref.load %A[%t] : memref<32xf32>
      %1 = gpu.all_reduce add %0 uniform {} : (f32) -> f32
      memref.store %1, %A[%t] : memref<32xf32>
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%A: memref<32xf32>) kernel {
      %t = gpu.thread_id x
      %o = arith.constant 1 : i32
      %w = arith.constant 32 : i32
      %0 = vector.load %A[%t] : memref<32xf32>, vector<4xf32>
      %1, %valid = gpu.shuffle xor %0, %o, %w : vector<4xf32>
      vector.store %1, %A[%t] : memref<32xf32>, vector<4xf32>
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @f() {
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%A: memref<8xf32>, %x: f32) {
    gpu.memset %A, %x : memref<8xf32>, f32
    func.return
  }
}
