// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<4x4xf32>) {
  %0 = memref.cast %a : memref<4x4xf32> to memref<?x?xf32>
  %1 = memref.cast %a {tag} : memref<4x4xf32> to memref<*xf32>
  %2 = memref.memory_space_cast %a : memref<4x4xf32> to memref<4x4xf32, 3>
  return
}

// CHECK: func.func @f(%a: memref<4x4xf32>) {
// CHECK: %{{.*}} = memref.cast %a : memref<4x4xf32> to memref<?x?xf32>
// CHECK: %{{.*}} = memref.cast %a {tag} : memref<4x4xf32> to memref<*xf32>
// CHECK: %{{.*}} = memref.memory_space_cast %a : memref<4x4xf32> to memref<4x4xf32, 3
