// RUN: kc-opt %s --convert-gpu-to-nvvm --target="cuda -arch=sm_80" | FileCheck %s
// RUN: kc-opt %s --expand-math --convert-gpu-to-nvvm --target="cuda -arch=sm_80 -libs=libdevice" | FileCheck %s
// RUN: kc-opt %s --expand-math --target="cuda -arch=sm_80" | FileCheck %s --check-prefix=OWN

// Without the library functions are arithmetic.
// OWN-LABEL: gpu.func @functions(
// OWN-NOT:   math.exp
// OWN-NOT:   math.powf
// OWN:       gpu.return

// CHECK-LABEL: gpu.module @m {
gpu.module @m {
  // A function of the library that no operation stands for.
  // CHECK: llvm.func @__nv_lgammaf(f32) -> f32
  func.func private @__nv_lgammaf(f32) -> f32
  // CHECK-LABEL: llvm.func internal @functions(
  gpu.func @functions(%x: f32, %d: f64, %h: f16, %v: vector<2xf32>) -> (f32, f64, f16, vector<2xf32>) {
    // CHECK: %e = llvm.call @__nv_expf(%x) : (f32) -> f32
    %e = math.exp %x : f32
    // CHECK-NEXT: %p = llvm.call @__nv_pow(%d, %d) : (f64, f64) -> f64
    %p = math.powf %d, %d : f64
    // In f32.
    // CHECK-NEXT: %[[WIDE:.*]] = llvm.fpext %h : f16 to f32
    // CHECK-NEXT: %[[TANH:.*]] = llvm.call @__nv_tanhf(%[[WIDE]]) : (f32) -> f32
    // CHECK-NEXT: %t = llvm.fptrunc %[[TANH]] : f32 to f16
    %t = math.tanh %h : f16
    // Lane by lane.
    // CHECK-COUNT-2: llvm.call @__nv_erff(%{{.*}}) : (f32) -> f32
    %w = math.erf %v : vector<2xf32>
    gpu.return %e, %p, %t, %w : f32, f64, f16, vector<2xf32>
  }
  // CHECK-LABEL: llvm.func @k(
  gpu.func @k(%x: f32) kernel {
    // CHECK: %y = llvm.call @__nv_lgammaf(%x) : (f32) -> f32
    %y = func.call @__nv_lgammaf(%x) : (f32) -> f32
    gpu.return
  }
  // CHECK-DAG: llvm.func @__nv_expf(f32) -> f32
  // CHECK-DAG: llvm.func @__nv_pow(f64, f64) -> f64
  // CHECK-DAG: llvm.func @__nv_tanhf(f32) -> f32
  // CHECK-DAG: llvm.func @__nv_erff(f32) -> f32
}
