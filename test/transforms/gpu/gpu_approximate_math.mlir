// RUN: kc-opt %s --gpu-approximate-math --target="cuda -arch=sm_80" | FileCheck %s
// RUN: kc-opt %s --gpu-approximate-math --target="cuda -arch=sm_70" | FileCheck %s --check-prefix=OLD
// RUN: kc-opt %s --gpu-approximate-math --target=llvm | FileCheck %s --check-prefix=HOST

// CHECK-LABEL: gpu.func @k
// OLD-LABEL: gpu.func @k
// HOST-LABEL: gpu.func @k
gpu.module @code {
  gpu.func @k(%x: f32, %y: f32, %h: f16, %v: vector<4xf32>, %d: f64) -> (f32, f32, f32, f16, vector<4xf32>, f64, f32) {
    // By a power of two.
    // CHECK: %[[FACTOR:.*]] = arith.constant 1.44269502 : f32
    // CHECK: %[[SCALED:.*]] = arith.mulf %x, %[[FACTOR]] fastmath<afn> : f32
    // CHECK: %e = math.exp2 %[[SCALED]] fastmath<afn> {kc.library} : f32
    // HOST: %e = math.exp %x fastmath<afn> : f32
    %e = math.exp %x fastmath<afn> : f32
    // CHECK: %[[LOG:.*]] = math.log2 %x fastmath<afn> {kc.library} : f32
    // CHECK: %[[PRODUCT:.*]] = arith.mulf %y, %[[LOG]] fastmath<afn> : f32
    // CHECK: %p = math.exp2 %[[PRODUCT]] fastmath<afn> {kc.library} : f32
    %p = math.powf %x, %y fastmath<afn> : f32
    // An older GPU has no instruction for it.
    // CHECK: %t = math.tanh %x fastmath<afn> {kc.library} : f32
    // OLD: %t = math.tanh %x fastmath<afn> : f32
    %t = math.tanh %x fastmath<afn> : f32
    // In f32.
    // CHECK: %[[WIDE:.*]] = arith.extf %h : f16 to f32
    // CHECK: %[[SINE:.*]] = math.sin %[[WIDE]] fastmath<afn> {kc.library} : f32
    // CHECK: %s = arith.truncf %[[SINE]] : f32 to f16
    %s = math.sin %h fastmath<afn> : f16
    // CHECK: math.exp2 %{{.*}} fastmath<afn> {kc.library} : vector<4xf32>
    %w = math.exp %v fastmath<afn> : vector<4xf32>
    // There are no instructions for f64, and without the flag nothing is approximated.
    // CHECK: %f = math.exp %d fastmath<afn> : f64
    %f = math.exp %d fastmath<afn> : f64
    // CHECK: %exact = math.exp %x fastmath<contract> : f32
    %exact = math.exp %x fastmath<contract> : f32
    gpu.return %e, %p, %t, %s, %w, %f, %exact : f32, f32, f32, f16, vector<4xf32>, f64, f32
  }
}
