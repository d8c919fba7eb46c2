// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<?xf32>, %s: memref<2xindex>, %t: memref<?xi32>) {
  %0 = memref.reshape %a(%s) : (memref<?xf32>, memref<2xindex>) -> memref<?x?xf32>
  %1 = memref.reshape %0(%t) : (memref<?x?xf32>, memref<?xi32>) -> memref<*xf32>
  return
}

// CHECK: func.func @f(%a: memref<?xf32>, %s: memref<2xindex>, %t: memref<?xi32>) {
// CHECK: %{{.*}} = memref.reshape %a(%s) : (memref<?xf32>, memref<2xindex>) -> memref<?x?xf32>
// CHECK: %{{.*}} = memref.reshape %0(%t) : (memref<?x?xf32>, memref<?xi32>) -> memref<*xf32>
