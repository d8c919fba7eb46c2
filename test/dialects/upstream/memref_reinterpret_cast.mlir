// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<?xf32>, %n: index) {
  %0 = memref.reinterpret_cast %a to offset: [%n], sizes: [4, 2], strides: [-2, -1] : memref<?xf32> to memref<4x2xf32, strided<[-2, -1], offset: ?>>
  return
}

// CHECK: func.func @f(%a: memref<?xf32>, %n: index) {
// CHECK: %{{.*}} = memref.reinterpret_cast %a to offset: [%n], sizes: [4, 2], strides: [-2, -1] : memref<?xf32> to memref<4x2xf32, strided<[-2, -1], offset: ?>>
