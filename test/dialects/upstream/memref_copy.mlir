// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<4xf32>, %b: memref<?xf32>, %c: memref<*xf32>) {
  memref.copy %a, %b : memref<4xf32> to memref<?xf32>
  memref.copy %b, %c {tag = 1 : i32} : memref<?xf32> to memref<*xf32>
  return
}

// CHECK: func.func @f(%a: memref<4xf32>, %b: memref<?xf32>, %c: memref<*xf32>) {
// CHECK: memref.copy %a, %b : memref<4xf32> to memref<?xf32>
// CHECK: memref.copy %b, %c {tag = 1 : i32} : memref<?xf32> to memref<*xf32>
