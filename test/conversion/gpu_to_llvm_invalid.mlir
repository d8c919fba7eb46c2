// RUN: not kc-opt %s --split-input-file --gpu-to-llvm 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4370]: gpu-to-llvm: memref.load on the host takes A, which is memory of the device
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:31:5  %0 = memref.load %A[%i] : memref<8xf32>
//CHECK-NEXT:  why: arguments of a function with kernels, and what gpu.alloc gives, are in the memory of the GPU
//CHECK-NEXT:  try: do it in a kernel, or copy it to memory of the host by gpu.memcpy
//CHECK:error[KC4370]: gpu-to-llvm: memref.store on the host takes m, which is memory of the device
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:39:5  memref.store %x, %m[%i] : memref<8xf32>
//CHECK-NEXT:  why: arguments of a function with kernels, and what gpu.alloc gives, are in the memory of the GPU
//CHECK-NEXT:  try: do it in a kernel, or copy it to memory of the host by gpu.memcpy
//CHECK:error[KC4371]: gpu-to-llvm: gpu.launch_func takes m, which is memory of the host
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:48:5  gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>)
//CHECK-NEXT:  why: a GPU reads and writes its own memory
//CHECK-NEXT:  try: allocate it by gpu.alloc, and fill it by gpu.memcpy
//CHECK:error[KC4372]: gpu-to-llvm: this gpu.launch_func is not launched from host code
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:61:5  gpu.launch_func @k::@f clusters in (%c1, %c1, %c1) blocks in (%c1, %c1, %c1) threads in (%c1, %c1...
//CHECK-NEXT:  why: a launch has blocks and threads, and no clusters
//CHECK:error[KC4372]: gpu-to-llvm: this gpu.launch_func is not launched from host code
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:74:5  gpu.launch_func <%s : !llvm.ptr> @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
//CHECK-NEXT:  why: all launches of a module are queued in the stream of the device
//CHECK:error[KC4372]: gpu-to-llvm: this gpu.alloc is not launched from host code
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:86:5  %m = gpu.alloc host_shared () : memref<8xf32>
//CHECK-NEXT:  why: it is memory of the device alone, which copies fill
//CHECK:error[KC4371]: gpu-to-llvm: gpu.dealloc takes h, which is memory of the host
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:95:5  gpu.dealloc %h : memref<8xf32>
//CHECK-NEXT:  why: a GPU reads and writes its own memory
//CHECK-NEXT:  try: allocate it by gpu.alloc, and fill it by gpu.memcpy

module attributes {gpu.container_module} {
  func.func @f(%A: memref<8xf32>, %i: index) {
    %0 = memref.load %A[%i] : memref<8xf32>
    func.return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @f(%x: f32, %i: index) {
    %m = gpu.alloc () : memref<8xf32>
    memref.store %x, %m[%i] : memref<8xf32>
    gpu.dealloc %m : memref<8xf32>
    func.return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @f(%c1: index) {
    %m = memref.alloc() : memref<8xf32>
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>)
    memref.dealloc %m : memref<8xf32>
    func.return
  }
  gpu.module @k {
    gpu.func @f(%m: memref<8xf32>) kernel {
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @f(%c1: index) {
    gpu.launch_func @k::@f clusters in (%c1, %c1, %c1) blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    func.return
  }
  gpu.module @k {
    gpu.func @f() kernel {
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @f(%c1: index) {
    %s = llvm.mlir.zero : !llvm.ptr
    gpu.launch_func <%s : !llvm.ptr> @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    func.return
  }
  gpu.module @k {
    gpu.func @f() kernel {
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @f() {
    %m = gpu.alloc host_shared () : memref<8xf32>
    gpu.dealloc %m : memref<8xf32>
    func.return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @f(%m: memref<8xf32>) {
    %h = memref.alloc() : memref<8xf32>
    gpu.dealloc %h : memref<8xf32>
    func.return
  }
}
