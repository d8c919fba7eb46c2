// An element that is a vector is one element.
// RUN: kc-opt %s --instrument-bound-checkers | FileCheck %s

// CHECK-LABEL: func.func @elements
// CHECK: [[IN:%.*]] = arith.cmpi ult, %i, %{{.*}} : index
// CHECK: func.call @kc_out_of_bounds_1(%record, %{{.*}}, %i, %{{.*}})
// CHECK: cf.assert [[IN]], "A is accessed outside of its bounds" {leaves}
// CHECK: memref.load %A[%i] : memref<4xvector<2x4xf32>>
func.func @elements(%A: memref<4xvector<2x4xf32>>, %i: index) -> vector<2x4xf32> {
  %x = memref.load %A[%i] : memref<4xvector<2x4xf32>>
  return %x : vector<2x4xf32>
}
