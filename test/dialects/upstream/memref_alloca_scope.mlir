// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%o: memref<f32>) {
  memref.alloca_scope {
    %0 = memref.alloca() : memref<f32>
  }
  %1 = memref.alloca_scope -> (f32) {
    %2 = memref.load %o[] : memref<f32>
    memref.alloca_scope.return %2 : f32
  }
  return
}

// CHECK: func.func @f(%o: memref<f32>) {
// CHECK: memref.alloca_scope {
// CHECK: %{{.*}} = memref.alloca() : memref<f32>
// CHECK: %{{.*}} = memref.alloca_scope -> (f32) {
// CHECK: %{{.*}} = memref.load %o[] : memref<f32>
// CHECK: memref.alloca_scope.return %2 : f32
