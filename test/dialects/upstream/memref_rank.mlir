// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<4x4xf32>, %b: memref<*xf32>) {
  %0 = memref.rank %a : memref<4x4xf32>
  %1 = memref.rank %b : memref<*xf32>
  %2 = memref.extract_aligned_pointer_as_index %a : memref<4x4xf32> -> index
  return
}

// CHECK: func.func @f(%a: memref<4x4xf32>, %b: memref<*xf32>) {
// CHECK: %{{.*}} = memref.rank %a : memref<4x4xf32>
// CHECK: %{{.*}} = memref.rank %b : memref<*xf32>
// CHECK: %{{.*}} = memref.extract_aligned_pointer_as_index %a : memref<4x4xf32> -> index
