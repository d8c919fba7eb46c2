// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<?x?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i + symbol(%n), %i * 2 - 1] {tag} : memref<?x?xf32>
    affine.store %0, %a[(%i + 1) floordiv 2, %i mod symbol(%n)] {tag = "x"} : memref<?x?xf32>
    affine.prefetch %a[%i, %i + 5], read, locality<3>, data : memref<?x?xf32>
    %1 = affine.vector_load %a[%i + symbol(%n), 0] : memref<?x?xf32>, vector<4xf32>
    affine.vector_store %1, %a[%i, 0] {tag} : memref<?x?xf32>, vector<4xf32>
  }
  return
}

// CHECK: func.func @f(%a: memref<?x?xf32>, %n: index) {
// CHECK: affine.for %i = 0 to %n {
// CHECK: %{{.*}} = affine.load %a[%i + symbol(%n), %i * 2 - 1] {tag} : memref<?x?xf32>
// CHECK: affine.store %0, %a[(%i + 1) floordiv 2, %i mod symbol(%n)] {tag = "x"} : memref<?x?xf32>
// CHECK: affine.prefetch %a[%i, %i + 5], read, locality<3>, data : memref<?x?xf32>
// CHECK: %{{.*}} = affine.vector_load %a[%i + symbol(%n), 0] : memref<?x?xf32>, vector<4xf32>
// CHECK: affine.vector_store %1, %a[%i, 0] {tag} : memref<?x?xf32>, vector<4xf32>
