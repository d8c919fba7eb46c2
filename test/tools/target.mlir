// The vector width comes from the target: generic, given by the flag, or named by the module.
// RUN: kc-opt %s --split-input-file --split | FileCheck %s
// RUN: kc-opt %s --split-input-file --split --target="llvm -mcpu=znver4" 2>%t.err | FileCheck %s --check-prefix=AVX512
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t.err
// RUN: kc-opt %s --split-input-file --split --target="llvm -mcpu=cortex-a72" 2>/dev/null | FileCheck %s --check-prefix=NEON

// CHECK:  tir.for %i_i in 8 {
// AVX512: tir.for %i_i in 16 {
// NEON:   tir.for %i_i in 4 {
func.func @zero(%A: memref<1024xf32>) {
  %z = arith.constant 0.0 : f32
  tir.for %i in 1024 {
    tir.block "A" (spatial %vi in 1024 = %i) do {
      tir.store %z, %A[%vi] : memref<1024xf32>
    }
  }
  func.return
}

// -----
// CHECK:  tir.for %i_i in 2 {
// AVX512: tir.for %i_i in 2 {
// NEON:   tir.for %i_i in 2 {

// WARN:      warning[KC0050]: --target is not used: the module names its own target
// WARN-NEXT: target.mlir:29:1 builtin.module
// WARN-NEXT: {{^ +}}|  kc.target = "llvm -mcpu=nehalem"
// WARN-NOT:  warning
builtin.module attributes {kc.target = "llvm -mcpu=nehalem"} {
  func.func @zero(%A: memref<1024xf64>) {
    %z = arith.constant 0.0 : f64
    tir.for %i in 1024 {
      tir.block "A" (spatial %vi in 1024 = %i) do {
        tir.store %z, %A[%vi] : memref<1024xf64>
      }
    }
    func.return
  }
}
