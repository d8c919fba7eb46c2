// RUN: kc-opt %s --gpu-launch-sink-index-computations | FileCheck %s

// Constants, dimensions and comparisons move with what they need; what is added up stays.
// CHECK-LABEL: func.func @f
// CHECK: gpu.launch
// CHECK-NEXT:    %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[SIZE:.*]] = memref.dim %m, %[[C0]] : memref<?xf32>
// CHECK-NEXT:    %[[LESS:.*]] = arith.cmpi slt, %n, %[[SIZE]] : index
// CHECK-NEXT:    %[[SMALLER:.*]] = arith.select %[[LESS]], %n, %[[SIZE]] : index
// CHECK-NEXT:    %y = arith.mulf %x, %[[TWO]] : f32
// CHECK-NEXT:    %i = arith.addi %[[SMALLER]], %more : index
// CHECK-NEXT:    memref.store %y, %m[%i] : memref<?xf32>
// CHECK-NEXT:    %again = arith.addi %n, %n : index
// CHECK-NEXT:    gpu.terminator
func.func @f(%m: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %size = memref.dim %m, %c0 : memref<?xf32>
  %less = arith.cmpi slt, %n, %size : index
  %smaller = arith.select %less, %n, %size : index
  %more = arith.addi %n, %n : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %y = arith.mulf %x, %two : f32
    %i = arith.addi %smaller, %more : index
    memref.store %y, %m[%i] : memref<?xf32>
    %again = arith.addi %n, %n : index
    gpu.terminator
  }
  func.return
}
