// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<4xf32>, %n: index) {
  %0 = memref.realloc %a : memref<4xf32> to memref<8xf32>
  %1 = memref.realloc %0(%n) : memref<8xf32> to memref<?xf32>
  return
}

// CHECK: func.func @f(%a: memref<4xf32>, %n: index) {
// CHECK: %{{.*}} = memref.realloc %a : memref<4xf32> to memref<8xf32>
// CHECK: %{{.*}} = memref.realloc %0(%n) : memref<8xf32> to memref<?xf32>
