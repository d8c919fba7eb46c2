// RUN: kc-opt %s --split-input-file --flatten-memrefs-of-vectors | FileCheck %s

// CHECK-LABEL: func.func @f(%A: memref<4x8xf32>, %v: vector<8xf32>, %i: index) -> vector<4x8xf32> {
// CHECK: %m = memref.alloca() : memref<4x8xf32>
// CHECK: vector.transfer_write %v, %m[%i, %{{.*}}] {in_bounds = [true]} : vector<8xf32>, memref<4x8xf32>
// CHECK: memref.copy %m, %A : memref<4x8xf32> to memref<4x8xf32>
// CHECK-NOT: vector.type_cast
// CHECK: [[X:%.+]] = vector.transfer_read %A[%{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [true, true]} : memref<4x8xf32>, vector<4x8xf32>
// CHECK: func.return [[X]]
func.func @f(%A: memref<4xvector<8xf32>>, %v: vector<8xf32>, %i: index) -> vector<4x8xf32> {
  %m = memref.alloca() : memref<4xvector<8xf32>>
  memref.store %v, %m[%i] : memref<4xvector<8xf32>>
  memref.copy %m, %A : memref<4xvector<8xf32>> to memref<4xvector<8xf32>>
  %w = vector.type_cast %A : memref<4xvector<8xf32>> to memref<vector<4x8xf32>>
  %x = memref.load %w[] : memref<vector<4x8xf32>>
  return %x : vector<4x8xf32>
}

// -----

// Something else uses one: nothing changes.
// CHECK-LABEL: func.func @g(
// CHECK: memref.load %A[%i] : memref<4xvector<8xf32>>
func.func @g(%A: memref<4xvector<8xf32>>, %i: index) -> vector<8xf32> {
  %s = memref.subview %A[1] [2] [1] : memref<4xvector<8xf32>> to memref<2xvector<8xf32>, strided<[1], offset: 1>>
  %x = memref.load %A[%i] : memref<4xvector<8xf32>>
  return %x : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @in_loops(%A: memref<8x2x3xf32>) {
// CHECK: [[ROW:%.+]] = affine.apply affine_map<(d0) -> (((d0 * -1) + 7))>(%i)
// CHECK: [[V:%.+]] = vector.transfer_read %A{{\[}}[[ROW]], %{{.+}}, %{{.+}}], %{{.+}} {in_bounds = [true, true]} : memref<8x2x3xf32>, vector<2x3xf32>
// CHECK: vector.transfer_write [[V]], %A[%{{.+}}, %{{.+}}, %{{.+}}] {in_bounds = [true, true]} : vector<2x3xf32>, memref<8x2x3xf32>
func.func @in_loops(%A: memref<8xvector<2x3xf32>>) {
  affine.for %i = 0 to 4 {
    %v = affine.load %A[7 - %i] : memref<8xvector<2x3xf32>>
    affine.store %v, %A[%i] : memref<8xvector<2x3xf32>>
  }
  return
}
