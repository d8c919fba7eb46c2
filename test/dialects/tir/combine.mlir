// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: kc-opt %s --lower-blocks | FileCheck %s --check-prefix=INLINE
// RUN: kc-opt %s --convert-tir-to-scf | FileCheck %s --check-prefix=INLINE

// CHECK:         %i, %v = tir.combine "argmax" (%x, %y) (%n, %w) by (%ia: i32, %va: f32) (%ib: i32, %vb: f32) identity [-1 : i32, 0xff800000 : f32] {
// CHECK-NEXT:      %c = arith.cmpf oge, %va, %vb : f32
// CHECK-NEXT:      %p = arith.select %c, %ia, %ib : i32
// CHECK-NEXT:      %q = arith.select %c, %va, %vb : f32
// CHECK-NEXT:      tir.yield %p, %q : i32, f32
// CHECK-NEXT:    } {key}
// CHECK-NEXT:    %f = tir.combine "first" (%i) (%n) by (%a: i32) (%b: i32) identity [0 : i32] {
// CHECK-NEXT:      tir.yield %a : i32
// CHECK-NEXT:    } {kc.unsafe = "the first one is wanted"}

// CHECK-NEXT:    %g = tir.combine "nearest" (%i) (%n) (%x) by (%a: i32) (%b: i32) (%c: i32) identity [0 : i32] {
// CHECK:           tir.yield %p : i32

// GENERIC: "tir.combine"(%x, %y, %n, %w) <{combiner_name = "argmax", identity = [-1 : i32, 0xff800000 : f32], operandSegmentSizes = array<i32: 2, 2, 0>}> ({

// INLINE:         %c = arith.cmpf oge, %y, %w : f32
// INLINE-NEXT:    %p = arith.select %c, %x, %n : i32
// INLINE-NEXT:    %q = arith.select %c, %y, %w : f32
// INLINE-NOT:     tir.combine
// INLINE:         store %p
// INLINE:         store %q
func.func @f(%x: i32, %y: f32, %n: i32, %w: f32, %A: memref<i32>, %B: memref<f32>) {
  %i, %v = tir.combine "argmax" (%x, %y) (%n, %w) by (%ia: i32, %va: f32) (%ib: i32, %vb: f32)
      identity [-1 : i32, 0xFF800000 : f32] {
    %c = arith.cmpf oge, %va, %vb : f32
    %p = arith.select %c, %ia, %ib : i32
    %q = arith.select %c, %va, %vb : f32
    tir.yield %p, %q : i32, f32
  } {key}
  %f = tir.combine "first" (%i) (%n) by (%a: i32) (%b: i32) identity [0 : i32] {
    tir.yield %a : i32
  } {kc.unsafe = "the first one is wanted"}
  %g = tir.combine "nearest" (%i) (%n) (%x) by (%a: i32) (%b: i32) (%c: i32) identity [0 : i32] {
    %d = arith.cmpi sle, %a, %c : i32
    %p = arith.select %d, %a, %b : i32
    tir.yield %p : i32
  } {kc.unsafe = "either one is near enough"}
  tir.store %g, %A[] : memref<i32>
  tir.store %f, %A[] : memref<i32>
  tir.store %v, %B[] : memref<f32>
  func.return
}
