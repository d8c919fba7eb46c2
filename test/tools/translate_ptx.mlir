// RUN: kc-translate %s --to=ptx --target="cuda -arch=sm_90a" | FileCheck %s
// RUN: not kc-translate %s --to=ptx --target=llvm 2>&1 | FileCheck %s --check-prefix=CPU

// CHECK: .target sm_90a
// CHECK: .visible .entry scale_kernel(
// CHECK: .reqntid 32
// CHECK: ld.global
// CHECK: mul.f32
// CHECK: st.global
// CPU:      error[KC6022]: PTX for the target llvm
// CPU-NEXT:   why: PTX is the assembly of NVIDIA's GPUs
// CPU-NEXT:   try: --target="cuda -arch=sm_80"
func.func @scale(%A: memref<4x32xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %i in 32 thread "threadIdx.x" {
      %three = arith.constant 3.0 : f32
      %0 = tir.load %A[%b, %i] : memref<4x32xf32>
      %1 = arith.mulf %0, %three : f32
      tir.store %1, %A[%b, %i] : memref<4x32xf32>
    }
  }
  func.return
}
