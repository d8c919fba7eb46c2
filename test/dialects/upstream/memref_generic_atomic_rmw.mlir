// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<4xf32>, %i: index) {
  %0 = memref.generic_atomic_rmw %a[%i] : memref<4xf32> {
  ^bb0(%old: f32):
    %c = arith.addf %old, %old : f32
    memref.atomic_yield %c : f32
  }
  return
}

// CHECK: func.func @f(%a: memref<4xf32>, %i: index) {
// CHECK: %{{.*}} = memref.generic_atomic_rmw %a[%i] : memref<4xf32> {
// CHECK: ^bb0(%old: f32):
// CHECK: %c = arith.addf %old, %old : f32
// CHECK: memref.atomic_yield %c : f32
