// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<10x20xf32>, %n: index, %z: f32) {
  affine.parallel (%i, %j) = (0, 0) to (10, 20) step (2, 1) {
    affine.store %z, %a[%i, %j] : memref<10x20xf32>
  }
  affine.parallel (%k, %l) = (0, max(0, %n - 3)) to (min(%n, 100), symbol(%n) + 20) {
  }
  %0:2 = affine.parallel (%m) = (0) to (10) reduce ("addf", "maximumf") -> (f32, f32) {
    %one = arith.constant 1.000000e+00 : f32
    affine.yield %z, %one : f32, f32
  } {tag}
  return
}

// CHECK: func.func @f(%a: memref<10x20xf32>, %n: index, %z: f32) {
// CHECK: affine.parallel (%i, %j) = (0, 0) to (10, 20) step (2, 1) {
// CHECK: affine.store %z, %a[%i, %j] : memref<10x20xf32>
// CHECK: affine.parallel (%k, %l) = (0, max(0, %n - 3)) to (min(%n, 100), symbol(%n) + 20) {
// CHECK: {{.*}} = affine.parallel (%m) = (0) to (10) reduce ("addf", "maximumf") -> (f32, f32) {
// CHECK: %one = arith.constant 1.000000e+00 : f32
// CHECK: affine.yield %z, %one : f32, f32
// CHECK: } {tag}
