// RUN: kc-opt %s --vectorize-loop=vector-bits=256 --split-input-file | FileCheck %s
// RUN: kc-opt %s --vectorize-loop=vector-bits=128 --split-input-file | FileCheck %s --check-prefix=SCALAR

// A lazy value: lanes that take the other branch load nothing. What all lanes agree on stays a
// branch; the lanes in [low, high] are compared in integers as wide as the data.

// CHECK-LABEL: func.func @padded
// CHECK:         %y_in = arith.cmpi slt, %y, %{{.*}} : index
// CHECK-NEXT:    %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK-NEXT:    %[[LOW:.*]] = tir.apply max(%x_o * -8 + 1, 0)
// CHECK-NEXT:    %[[NARROW:.*]] = arith.index_cast %[[LOW]] : index to i32
// CHECK-NEXT:    %[[SPLAT:.*]] = vector.broadcast %[[NARROW]] : i32 to vector<8xi32>
// CHECK-NEXT:    %x_in = arith.cmpi sge, %[[LANES]], %[[SPLAT]] : vector<8xi32>
// CHECK-NEXT:    %v = scf.if %y_in -> (vector<8xf32>) {
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NEXT:      %[[PLACE:.*]] = tir.apply (%x_o * 8 - 1)
// CHECK-NEXT:      %a = vector.maskedload %A[%y, %[[PLACE]]], %x_in, %[[ZERO]] : memref<15x63xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
// CHECK-NEXT:      scf.yield %a : vector<8xf32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[NONE:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NEXT:      scf.yield %[[NONE]] : vector<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.store %v, %B[%y, %x_o * 8] : memref<16x64xf32>, vector<8xf32>
func.func @padded(%A: memref<15x63xf32>, %B: memref<16x64xf32>) {
  tir.for %y in 16 {
    tir.for %x_o in 8 {
      tir.for %x_i in 8 vectorized {
        %last = arith.constant 15 : index
        %one = arith.constant 1 : index
        %x = tir.apply (%x_o * 8 + %x_i)
        %y_in = arith.cmpi slt, %y, %last : index
        %x_in = arith.cmpi sge, %x, %one : index
        %in = arith.andi %y_in, %x_in : i1
        %v = scf.if %in -> (f32) {
          %a = tir.load %A[%y, %x - 1] : memref<15x63xf32>
          scf.yield %a : f32
        } else {
          %zero = arith.constant 0.0 : f32
          scf.yield %zero : f32
        }
        tir.store %v, %B[%y, %x] : memref<16x64xf32>
      }
    }
  }
  func.return
}

// -----

// Inactive lanes divide by 1 and store nothing.

// CHECK-LABEL: func.func @division
// CHECK:         %c = arith.cmpi ne, %a, %{{.*}} : vector<8xi32>
// CHECK:         %[[ONES:.*]] = arith.constant dense<1> : vector<8xi32>
// CHECK-NEXT:    %[[SAFE:.*]] = arith.select %c, %a, %[[ONES]] : vector<8xi1>, vector<8xi32>
// CHECK-NEXT:    %q = arith.divsi %{{.*}}, %[[SAFE]] : vector<8xi32>
// CHECK:         vector.maskedstore %B[%{{.*}}], %c, %q : memref<8xi32>, vector<8xi1>, vector<8xi32>
// CHECK:         %[[REST:.*]] = arith.xori %c, %{{.*}} : vector<8xi1>
// CHECK:         vector.maskedstore %B[%{{.*}}], %[[REST]], %a : memref<8xi32>, vector<8xi1>, vector<8xi32>
func.func @division(%A: memref<8xi32>, %B: memref<8xi32>, %n: i32) {
  tir.for %i in 8 vectorized {
    %zero = arith.constant 0 : i32
    %a = tir.load %A[%i] : memref<8xi32>
    %c = arith.cmpi ne, %a, %zero : i32
    scf.if %c {
      %q = arith.divsi %n, %a : i32
      tir.store %q, %B[%i] : memref<8xi32>
    } else {
      tir.store %a, %B[%i] : memref<8xi32>
    }
  }
  func.return
}

// -----

// A guard that does not hold in all lanes, inside of the loop.

// CHECK-LABEL: func.func @guard
// CHECK:         tir.for %k in 8 {
// CHECK-NEXT:      tir.if (%k >= 6) {
// CHECK-NEXT:        tir.store %x, %B[%k, 0] : memref<8x8xf32>, vector<8xf32>
// CHECK-NEXT:      } else {
// CHECK:             %[[MASK:.*]] = arith.cmpi sge, %{{.*}}, %{{.*}} : vector<8xindex>
// CHECK:             vector.maskedstore %B[%k, %{{.*}}], %[[MASK]], %x : memref<8x8xf32>, vector<8xi1>, vector<8xf32>
// SCALAR:        tir.for %j_lane in 8 {
// SCALAR-NOT:    mask
func.func @guard(%A: memref<8xf32>, %B: memref<8x8xf32>) {
  tir.for %j in 8 vectorized {
    %x = tir.load %A[%j] : memref<8xf32>
    tir.for %k in 8 {
      tir.if (%j * 2 < %k * 3 - 1) {
        tir.store %x, %B[%k, %j] : memref<8x8xf32>
      }
    }
  }
  func.return
}
