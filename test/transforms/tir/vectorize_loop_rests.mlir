// RUN: kc-opt %s --vectorize-loop=vector-bits=256 --split-input-file | FileCheck %s
// RUN: kc-opt %s --vectorize-loop=vector-bits=128 --split-input-file | FileCheck %s --check-prefix=NARROW

// A symbolic extent: whole vectors, and what is left under a mask. Without masks the last whole
// vector is run again, which changes nothing, and narrower ones where there is none.

// CHECK-LABEL:  func.func @symbolic
// CHECK:          %[[N:.*]] = tir.apply max(%n, 0)
// CHECK-NEXT:     %[[WHOLE:.*]] = tir.apply (%[[N]] floordiv 8)
// CHECK-NEXT:     tir.for %k_v in %[[WHOLE]] {
// CHECK-NEXT:       tir.load %A[%k_v * 8] : memref<?xf32>, vector<8xf32>
// CHECK:          tir.if (%[[N]] mod 8 >= 1) {
// CHECK:            vector.maskedload
// CHECK-NEXT:       vector.maskedstore
// NARROW-LABEL: func.func @symbolic
// NARROW:         tir.if (%[[N:.*]] mod 4 >= 1) {
// NARROW-NEXT:      tir.if (%[[N]] >= 4) {
// NARROW-NEXT:        %{{.*}} = tir.load %A[%[[N]] - 4] : memref<?xf32>, vector<4xf32>
// NARROW-NEXT:        tir.store %{{.*}}, %B[%[[N]] - 4] : memref<?xf32>, vector<4xf32>
// NARROW-NEXT:      } else {
// NARROW-NEXT:        tir.if (%[[N]] mod 4 >= 2) {
// NARROW-NEXT:          %{{.*}} = tir.load %A[%[[N]] - %[[N]] mod 4] : memref<?xf32>, vector<2xf32>
// NARROW:             %[[REST:.*]] = tir.apply (%[[N]] mod 2)
// NARROW-NEXT:        tir.for %k in %[[REST]] {
func.func @symbolic(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  tir.for %k in %n vectorized {
    %a = tir.load %A[%k] : memref<?xf32>
    tir.store %a, %B[%k] : memref<?xf32>
  }
  func.return
}

// -----

// It would change something where the loop loads what it stores.

// CHECK-LABEL:  func.func @in_place
// CHECK:          vector.maskedload %A[
// NARROW-LABEL: func.func @in_place
// NARROW:         tir.for %k_v in 7 {
// NARROW:         tir.load %A[28] : memref<31xf32>, vector<2xf32>
// NARROW:         tir.for %k in 1 {
// NARROW-NEXT:      tir.apply (30)
func.func @in_place(%A: memref<31xf32>) {
  tir.for %k in 31 vectorized {
    %a = tir.load %A[%k] : memref<31xf32>
    %b = arith.addf %a, %a : f32
    tir.store %b, %A[%k] : memref<31xf32>
  }
  func.return
}

// -----

// A guard of the first lanes, without masks.

// NARROW-LABEL: func.func @guard
// NARROW:         tir.if (%o * 8 < %n - 7) {
// NARROW:         } else {
// NARROW:           %[[COUNT:.*]] = tir.apply max(min(%n - %o * 8, 7), 0)
// NARROW-NEXT:      tir.if (%[[COUNT]] >= 4) {
// NARROW-NEXT:        tir.load %A[%o * 8] : memref<?xi16>, vector<4xi16>
// NARROW:           tir.if (%[[COUNT]] mod 4 >= 2) {
// NARROW-NEXT:        tir.load %A[%o * 8 + %[[COUNT]] - %[[COUNT]] mod 4] : memref<?xi16>, vector<2xi16>
// NARROW:           tir.for %i_lane in
func.func @guard(%A: memref<?xi16>, %B: memref<?xi16>, %n: index, %m: index) {
  tir.for %o in %m {
    tir.for %i in 8 vectorized {
      tir.if (%o * 8 + %i < %n) {
        %a = tir.load %A[%o * 8 + %i] : memref<?xi16>
        tir.store %a, %B[%o * 8 + %i] : memref<?xi16>
      }
    }
  }
  func.return
}
