// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// CHECK-LABEL: func.func @argmax(%i: i32, %v: f32) {
// CHECK-NEXT:    %0, %1 = tir.thread_allreduce "argmax" (%i, %v) over ["threadIdx.x", "threadIdx.y"] by (%a0: i32, %a1: f32) (%b0: i32, %b1: f32) identity [-1 : i32, 0xff800000 : f32] {
// CHECK-NEXT:      %2 = arith.cmpf oge, %a1, %b1 : f32
// CHECK-NEXT:      %3 = arith.select %2, %a0, %b0 : i32
// CHECK-NEXT:      %4 = arith.select %2, %a1, %b1 : f32
// CHECK-NEXT:      tir.yield %3, %4 : i32, f32
// CHECK-NEXT:    }
// CHECK:         tir.thread_allreduce "nearest" (%i) (%0) over ["threadIdx.x"] by (%a: i32) (%b: i32) (%c: i32) identity [0 : i32] {
func.func @argmax(%i: i32, %v: f32) {
  %0, %1 = tir.thread_allreduce "argmax" (%i, %v) over ["threadIdx.x", "threadIdx.y"] by (%a0: i32, %a1: f32) (%b0: i32, %b1: f32) identity [-1 : i32, 0xFF800000 : f32] {
    %2 = arith.cmpf oge, %a1, %b1 : f32
    %3 = arith.select %2, %a0, %b0 : i32
    %4 = arith.select %2, %a1, %b1 : f32
    tir.yield %3, %4 : i32, f32
  }
  %5 = tir.thread_allreduce "nearest" (%i) (%0) over ["threadIdx.x"] by (%a: i32) (%b: i32) (%c: i32) identity [0 : i32] {
    %6 = arith.cmpi sle, %a, %c : i32
    %7 = arith.select %6, %a, %b : i32
    tir.yield %7 : i32
  } {kc.unsafe = "either one is near enough"}
  func.return
}
