// RUN: not kc-opt %s --split-input-file --gpu-to-llvm 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4370]: gpu-to-llvm: memref.load on the host takes A, which is memory of the device
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:34:5  %0 = memref.load %A[%i] : memref<8xf32>
//CHECK-NEXT:  why: arguments of a function with kernels, and buffers of gpu.alloc, are in GPU memory
//CHECK-NEXT:  try: do it in a kernel, or copy it to memory of the host by gpu.memcpy
//CHECK:error[KC4370]: gpu-to-llvm: memref.store on the host takes m, which is memory of the device
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:42:5  memref.store %x, %m[%i] : memref<8xf32>
//CHECK-NEXT:  why: arguments of a function with kernels, and buffers of gpu.alloc, are in GPU memory
//CHECK-NEXT:  try: do it in a kernel, or copy it to memory of the host by gpu.memcpy
//CHECK:error[KC4371]: gpu-to-llvm: gpu.launch_func takes m, which is memory of the host
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:51:5  gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>)
//CHECK-NEXT:  why: a GPU reads and writes its own memory
//CHECK-NEXT:  try: allocate it by gpu.alloc, and fill it by gpu.memcpy
//CHECK:error[KC4372]: gpu-to-llvm: this gpu.launch_func is not launched from host code
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:64:5  gpu.launch_func @k::@f clusters in (%c1, %c1, %c1) blocks in (%c1, %c1, %c1) threads in (%c1, %c1...
//CHECK-NEXT:  why: a launch has blocks and threads, and no clusters
//CHECK:error[KC4372]: gpu-to-llvm: this gpu.launch_func is not launched from host code
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:77:5  gpu.launch_func <%s : !llvm.ptr> @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
//CHECK-NEXT:  why: all launches of a module are queued in the stream of the device
//CHECK:error[KC4372]: gpu-to-llvm: this gpu.alloc is not launched from host code
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:89:5  %m = gpu.alloc host_shared () : memref<8xf32>
//CHECK-NEXT:  why: it is memory of the device alone, which copies fill
//CHECK:error[KC4371]: gpu-to-llvm: gpu.dealloc takes h, which is memory of the host
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:98:5  gpu.dealloc %h : memref<8xf32>
//CHECK-NEXT:  why: a GPU reads and writes its own memory
//CHECK-NEXT:  try: allocate it by gpu.alloc, and fill it by gpu.memcpy
//CHECK:error[KC4372]: gpu-to-llvm: this gpu.launch_func is not launched from host code
//CHECK-NEXT:  --> {{.*}}gpu_to_llvm_invalid.mlir:107:5  gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%map : !nvgpu.te...
//CHECK-NEXT:  why: it has 64 parameters, and at most 63 where some are tensor maps

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
// -----
module attributes {gpu.container_module} {
  func.func @f(%A: memref<100x128xf16>, %n: i64, %c1: index, %c64: index) {
    %all = memref.cast %A : memref<100x128xf16> to memref<*xf16>
    %map = nvgpu.tma.create.descriptor %all box[%c64, %c64] : memref<*xf16> -> <tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%map : !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64, %n : i64)
    func.return
  }
  gpu.module @k {
    gpu.func @f(%m: !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>, %n0: i64, %n1: i64, %n2: i64, %n3: i64, %n4: i64, %n5: i64, %n6: i64, %n7: i64, %n8: i64, %n9: i64, %n10: i64, %n11: i64, %n12: i64, %n13: i64, %n14: i64, %n15: i64, %n16: i64, %n17: i64, %n18: i64, %n19: i64, %n20: i64, %n21: i64, %n22: i64, %n23: i64, %n24: i64, %n25: i64, %n26: i64, %n27: i64, %n28: i64, %n29: i64, %n30: i64, %n31: i64, %n32: i64, %n33: i64, %n34: i64, %n35: i64, %n36: i64, %n37: i64, %n38: i64, %n39: i64, %n40: i64, %n41: i64, %n42: i64, %n43: i64, %n44: i64, %n45: i64, %n46: i64, %n47: i64, %n48: i64, %n49: i64, %n50: i64, %n51: i64, %n52: i64, %n53: i64, %n54: i64, %n55: i64, %n56: i64, %n57: i64, %n58: i64, %n59: i64, %n60: i64, %n61: i64, %n62: i64) kernel {
      gpu.return
    }
  }
}
