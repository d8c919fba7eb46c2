// Text that mlir-opt reads in more than one form.
// RUN: kc-opt %s | FileCheck %s

func.func @f(%a: memref<? x 4 x f32>, %b: tensor<2x3 x i1>, %c: memref< f32>, %v: vector<4 x f32>, %i: i32, %x: f32) {
  %0 = arith.cmpi "slt", %i, %i : i32
  %1 = arith.cmpf "olt", %x, %x fastmath<nnan> : f32
  return
}

// CHECK: func.func @f(%a: memref<?x4xf32>, %b: tensor<2x3xi1>, %c: memref<f32>, %v: vector<4xf32>, %i: i32, %x: f32)
// CHECK-NEXT: arith.cmpi slt, %i, %i : i32
// CHECK-NEXT: arith.cmpf olt, %x, %x fastmath<nnan> : f32
