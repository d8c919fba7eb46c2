// RUN: kc-opt %s --legalize-symbols | FileCheck %s

module attributes {gpu.container_module} {
// What the C library has, and what LLVM or an assembler understands otherwise, gets other symbols.
// CHECK-LABEL: memref.global "private" constant @kc.memset
  memref.global "private" constant @memset : memref<2xf64> = dense<[1.0, 2.0]>

// CHECK: func.func private @ceil(f64) -> f64
  func.func private @ceil(%x: f64) -> f64

// CHECK: func.func @kc.floor(
// CHECK: memref.get_global @kc.memset
// CHECK: func.call @ceil(
// CHECK: func.call @kc.a$22$$a$b(
// CHECK: func.call @gemm(
  func.func @floor(%x: f64) -> f64 {
    %t = memref.get_global @memset : memref<2xf64>
    %0 = func.call @ceil(%x) : (f64) -> f64
    %1 = func.call @"a\22\0Ab"(%0) : (f64) -> f64
    %2 = func.call @gemm(%1) : (f64) -> f64
    func.return %2 : f64
  }

// CHECK: func.func @kc.a$22$$a$b(
  func.func @"a\22\0Ab"(%x: f64) -> f64 {
    func.return %x : f64
  }

// CHECK: func.func @gemm(
  func.func @gemm(%x: f64) -> f64 {
    func.return %x : f64
  }

// CHECK: gpu.launch_func @kernels::@memcpy_kernel blocks
// CHECK: gpu.launch_func @kernels::@a_b blocks
// CHECK: gpu.launch_func @kernels::@a_b_1 blocks
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@memcpy blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @kernels::@a_b blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @kernels::@"a b" blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    func.return
  }

// CHECK: gpu.func @memcpy_kernel()
// CHECK: gpu.func @a_b_1()
// CHECK: gpu.func @a_b()
  gpu.module @kernels {
    gpu.func @memcpy() kernel { gpu.return }
    gpu.func @"a b"() kernel { gpu.return }
    gpu.func @a_b() kernel { gpu.return }
  }
}
