// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<2xf32>, %b: memref<4xi32>, %r: memref<?xf32>, %c: i1, %d: i1) -> i1 {
  bufferization.dealloc
  bufferization.dealloc (%a : memref<2xf32>) if (%c)
  %0 = bufferization.dealloc retain (%r : memref<?xf32>)
  %1:2 = bufferization.dealloc (%a, %b : memref<2xf32>, memref<4xi32>) if (%c, %d) retain (%r, %b : memref<?xf32>, memref<4xi32>)
  return %1#0 : i1
}

// CHECK:      bufferization.dealloc{{$}}
// CHECK-NEXT: bufferization.dealloc (%a : memref<2xf32>) if (%c){{$}}
// CHECK-NEXT: %0 = bufferization.dealloc retain (%r : memref<?xf32>)
// CHECK-NEXT: %1, %2 = bufferization.dealloc (%a, %b : memref<2xf32>, memref<4xi32>) if (%c, %d) retain (%r, %b : memref<?xf32>, memref<4xi32>)
