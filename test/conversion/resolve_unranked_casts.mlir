// RUN: kc-opt %s --split-input-file --resolve-unranked-casts | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-NOT:   memref<*
// CHECK-NOT:   tensor<*
// CHECK:       %r = arith.constant 2 : index
// CHECK-NEXT:  %n = memref.dim %m, %i : memref<3x4xf32>
// CHECK-NEXT:  %v = memref.cast %m : memref<3x4xf32> to memref<?x4xf32>
// CHECK-NEXT:  memref.copy %m, %o : memref<3x4xf32> to memref<3x4xf32>
// CHECK-NEXT:  %b = memref.reshape %m(%s) : (memref<3x4xf32>, memref<1xindex>) -> memref<?xf32>
// CHECK-NEXT:  %w = tensor.cast %t : tensor<?x4xf32> to tensor<3x4xf32>
// CHECK-NEXT:  func.return %r, %n, %v, %b, %w
func.func @f(%m: memref<3x4xf32>, %o: memref<3x4xf32>, %s: memref<1xindex>, %t: tensor<?x4xf32>, %i: index)
    -> (index, index, memref<?x4xf32>, memref<?xf32>, tensor<3x4xf32>) {
  %u = memref.cast %m : memref<3x4xf32> to memref<*xf32>
  %r = memref.rank %u : memref<*xf32>
  %n = memref.dim %u, %i : memref<*xf32>
  %v = memref.cast %u : memref<*xf32> to memref<?x4xf32>
  memref.copy %u, %o : memref<*xf32> to memref<3x4xf32>
  %b = memref.reshape %u(%s) : (memref<*xf32>, memref<1xindex>) -> memref<?xf32>
  %p = tensor.cast %t : tensor<?x4xf32> to tensor<*xf32>
  %w = tensor.cast %p : tensor<*xf32> to tensor<3x4xf32>
  return %r, %n, %v, %b, %w : index, index, memref<?x4xf32>, memref<?xf32>, tensor<3x4xf32>
}

// -----

// A cast that fails when it is executed stays.
// CHECK-LABEL: func.func @never(
// CHECK:       memref.cast %u : memref<*xf32> to memref<?x5xf32>
// CHECK-NEXT:  memref.cast %u : memref<*xf32> to memref<?xf32>
func.func @never(%m: memref<3x4xf32>) -> (memref<?x5xf32>, memref<?xf32>) {
  %u = memref.cast %m : memref<3x4xf32> to memref<*xf32>
  %v = memref.cast %u : memref<*xf32> to memref<?x5xf32>
  %w = memref.cast %u : memref<*xf32> to memref<?xf32>
  return %v, %w : memref<?x5xf32>, memref<?xf32>
}
