// RUN: not kc-opt %s --split-input-file --convert-gpu-to-cpu 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4302]: convert-gpu-to-cpu: gpu.all_reduce is not emulated
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_cpu_invalid.mlir:25:7  %1 = gpu.all_reduce add %0 uniform {} : (f32) -> f32
//CHECK:error[KC4302]: convert-gpu-to-cpu: gpu.shuffle is not emulated
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_cpu_invalid.mlir:39:7  %1, %valid = gpu.shuffle xor %0, %o, %w : vector<4xf32>
//CHECK-NEXT:  why: a value that lanes exchange has at most 64 bits
//CHECK:error[KC4302]: convert-gpu-to-cpu: gpu.func is not emulated
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_cpu_invalid.mlir:48:5  gpu.func @f() {
//CHECK:error[KC4302]: convert-gpu-to-cpu: gpu.printf is not emulated
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_cpu_invalid.mlir:58:7  gpu.printf "%d of %d\n", %t : index
//CHECK-NEXT:  why: the format expects 2 values, not 1
//CHECK:error[KC4302]: convert-gpu-to-cpu: gpu.printf is not emulated
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_cpu_invalid.mlir:68:7  gpu.printf "%f\n", %t : index
//CHECK-NEXT:  why: value 1 is of type index, and %f is of another
//CHECK:error[KC4302]: convert-gpu-to-cpu: gpu.printf is not emulated
//CHECK-NEXT:  --> {{.*}}convert_gpu_to_cpu_invalid.mlir:78:7  gpu.printf "%s\n", %t : index
//CHECK-NEXT:  why: the conversion %s is of no number

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
  gpu.module @m {
    gpu.func @k() kernel {
      %t = gpu.thread_id x
      gpu.printf "%d of %d\n", %t : index
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel {
      %t = gpu.thread_id x
      gpu.printf "%f\n", %t : index
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel {
      %t = gpu.thread_id x
      gpu.printf "%s\n", %t : index
      gpu.return
    }
  }
}
