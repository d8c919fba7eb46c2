// RUN: kc-opt %s --vectorize-loop --split-input-file | FileCheck %s
// RUN: kc-opt %s --vectorize-loop=vector-bits=512 --split-input-file | FileCheck %s --check-prefix=WIDE

// The loop inside stays; values that all lanes agree on are scalars, broadcast where needed.

// CHECK-LABEL: func.func @matmul
// CHECK:         tir.for %k in 64 {
// CHECK-NEXT:      %a = tir.load %A[%i, %k] : memref<8x64xf32>
// CHECK-NEXT:      %b = tir.load %B[%k, 0] : memref<64x32xf32>, vector<32xf32>
// CHECK-NEXT:      %c = tir.load %C[%i, 0] : memref<8x32xf32>, vector<32xf32>
// CHECK-NEXT:      %[[A:.*]] = vector.broadcast %a : f32 to vector<32xf32>
// CHECK-NEXT:      %p = arith.mulf %[[A]], %b : vector<32xf32>
// CHECK-NEXT:      %s = arith.addf %c, %p : vector<32xf32>
// CHECK-NEXT:      tir.store %s, %C[%i, 0] : memref<8x32xf32>, vector<32xf32>
func.func @matmul(%A: memref<8x64xf32>, %B: memref<64x32xf32>, %C: memref<8x32xf32>) {
  tir.for %i in 8 {
    tir.for %j in 32 vectorized {
      tir.for %k in 64 {
        %a = tir.load %A[%i, %k] : memref<8x64xf32>
        %b = tir.load %B[%k, %j] : memref<64x32xf32>
        %c = tir.load %C[%i, %j] : memref<8x32xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        tir.store %s, %C[%i, %j] : memref<8x32xf32>
      }
    }
  }
  func.return
}

// -----

// Long loops: the widest vectors that divide the extent, else native ones and a tail, whose lanes
// are masked unless they are a vector themselves.

// CHECK-LABEL: func.func @long
// CHECK:         tir.for %i_v in 32 {
// CHECK-NEXT:      %a = tir.load %A[%i_v * 32] : memref<1024xf32>, vector<32xf32>
// CHECK:         tir.for %j_v in 12 {
// CHECK-NEXT:      tir.load %A[%j_v * 8] : memref<1024xf32>, vector<8xf32>
// CHECK:         tir.load %A[96] : memref<1024xf32>, vector<4xf32>
// CHECK:         tir.for %k_v in 3 unrolled {
// CHECK:         %[[LANES:.*]] = arith.constant dense<[true, true, true, false]> : vector<4xi1>
// CHECK:         %[[PLACE:.*]] = arith.constant 24 : index
// CHECK-NEXT:    vector.maskedload %A[%[[PLACE]]], %[[LANES]], %{{.*}} : memref<1024xf32>
// WIDE-LABEL:  func.func @long
// WIDE:          tir.for %i_v in 16 {
// WIDE:          tir.for %j_v in 6 {
// WIDE:          tir.load %A[96] : memref<1024xf32>, vector<4xf32>
func.func @long(%A: memref<1024xf32>) {
  tir.for %i in 1024 vectorized {
    %a = tir.load %A[%i] : memref<1024xf32>
    tir.store %a, %A[%i] : memref<1024xf32>
  }
  tir.for %j in 100 vectorized {
    %a = tir.load %A[%j] : memref<1024xf32>
    tir.store %a, %A[%j] : memref<1024xf32>
  }
  tir.for %k in 27 vectorized {
    %a = tir.load %A[%k] : memref<1024xf32>
    tir.store %a, %A[%k] : memref<1024xf32>
  }
  func.return
}

// -----

// A guard that holds in all lanes or not is decided before the vector code.

// CHECK-LABEL: func.func @guard
// CHECK:         tir.if (%j_o * 8 < %n - 7) {
// CHECK-NEXT:      %a = tir.load %A[%j_o * 8] : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:      tir.store %a, %B[%j_o * 8] : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:    } else {
// CHECK:           %[[MASK:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK:           %a_1 = vector.maskedload %A[%{{.*}}], %[[MASK]], %{{.*}} : memref<?xf32>
// CHECK-NEXT:      vector.maskedstore %B[%{{.*}}], %[[MASK]], %a_1 : memref<?xf32>
func.func @guard(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %m: index) {
  tir.for %j_o in %m {
    tir.for %j_i in 8 vectorized {
      %j = tir.apply (%j_o * 8 + %j_i)
      tir.if (%j < %n) {
        %a = tir.load %A[%j] : memref<?xf32>
        tir.store %a, %B[%j] : memref<?xf32>
      }
    }
  }
  func.return
}

// -----

// The lane as a value; comparisons and choices are elementwise; the mask is a vector of i1.

// CHECK-LABEL: func.func @elementwise
// CHECK:         %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xindex>
// CHECK-NEXT:    %n = arith.index_cast %[[LANES]] : vector<8xindex> to vector<8xi32>
// CHECK:         %t = arith.cmpi slt, %a, %n : vector<8xi32>
// CHECK-NEXT:    tir.store %t, %M[0] : memref<8xi1>, vector<8xi1>
// CHECK-NEXT:    %[[SEVEN:.*]] = arith.constant dense<7> : vector<8xi32>
// CHECK-NEXT:    %s = arith.select %t, %[[SEVEN]], %n : vector<8xi1>, vector<8xi32>
// CHECK-NEXT:    %u = arith.select %c, %s, %a : vector<8xi32>
func.func @elementwise(%A: memref<8xi32>, %M: memref<8xi1>, %c: i1) {
  %seven = arith.constant 7 : i32
  tir.for %j in 8 vectorized {
    %seven_1 = arith.constant 7 : i32
    %n = arith.index_cast %j : index to i32
    %a = tir.load %A[%j] : memref<8xi32>
    %t = arith.cmpi slt, %a, %n : i32
    tir.store %t, %M[%j] : memref<8xi1>
    %s = arith.select %t, %seven_1, %n : i32
    %u = arith.select %c, %s, %a : i32
    tir.store %u, %A[%j] : memref<8xi32>
  }
  func.return
}

// -----

// Lanes that are not neighbours in memory: a scalar each.

// CHECK-LABEL: func.func @scattered
// CHECK:         %[[A0:.*]] = tir.load %A[0] : memref<20xf32>
// CHECK-NEXT:    %[[A1:.*]] = tir.load %A[5] : memref<20xf32>
// CHECK:         %[[V:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:    %[[V0:.*]] = vector.insert %[[A0]], %[[V]] [0] : f32 into vector<4xf32>
// CHECK-NEXT:    %[[V1:.*]] = vector.insert %[[A1]], %[[V0]] [1] : f32 into vector<4xf32>
func.func @scattered(%A: memref<20xf32>, %B: memref<4xf32>) {
  tir.for %j in 4 vectorized {
    %a = tir.load %A[%j * 5] : memref<20xf32>
    tir.store %a, %B[%j] : memref<4xf32>
  }
  func.return
}

// -----

// With small gaps, the row is loaded up to the last lane, and its elements are chosen.

// CHECK-LABEL: func.func @strided
// CHECK-NEXT:   %[[A0:.*]] = tir.load %A[0] : memref<8xf32>, vector<4xf32>
// CHECK-NEXT:   %[[A3:.*]] = tir.load %A[3] : memref<8xf32>, vector<4xf32>
// CHECK-NEXT:   %[[A:.*]] = vector.shuffle %[[A0]], %[[A3]] [0, 2, 5, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:   tir.store %[[A]], %B[0] : memref<4xf32>, vector<4xf32>
func.func @strided(%A: memref<8xf32>, %B: memref<4xf32>) {
  tir.for %j in 4 vectorized {
    %a = tir.load %A[%j * 2] : memref<8xf32>
    tir.store %a, %B[%j] : memref<4xf32>
  }
  func.return
}
