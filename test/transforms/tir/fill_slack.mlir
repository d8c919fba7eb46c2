// RUN: kc-opt %s --split-input-file --fill-slack | FileCheck %s
// RUN: kc-opt %s --split-input-file --fill-slack --vectorize-loop=vector-bits=512 | FileCheck %s --check-prefix=VEC
// RUN: kc-opt %s --split-input-file --fill-slack=vector-bits=512 | FileCheck %s --check-prefix=ONE
// RUN: kc-opt %s --split-input-file --fill-slack=vector-bits=512 --vectorize-loop=vector-bits=512 | FileCheck %s --check-prefix=LANES

// Columns from 4 on are used by nobody: lanes compute there, without a condition, and what they read
// is 0. The sums need no zeros: the first store is without its condition, too.
// CHECK-LABEL: func.func @tail
// CHECK: %B = tir.alloc "B" {kc.whole_rows} : memref<8x16xf32>
// CHECK-NEXT: [[ZERO:%.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: tir.for %z0 in 8 {
// CHECK-NEXT: tir.for %z1 in 16 vectorized {
// CHECK-NEXT: tir.store [[ZERO]], %B[%z0, %z1] : memref<8x16xf32>
// CHECK: tir.if (%j < 4) {
// CHECK: tir.store %{{.+}}, %B[%k, %j] : memref<8x16xf32>
// CHECK: %C = tir.alloc "C" {kc.whole_rows} : memref<16xf32, "local">
// CHECK-NEXT: tir.for %j0 in 16 vectorized {
// CHECK-NEXT: arith.constant
// CHECK-NEXT: tir.store %{{.+}}, %C[%j0] : memref<16xf32, "local">
// CHECK: tir.for %jj in 16 vectorized {
// CHECK-NEXT: tir.load %A
// CHECK: tir.for %jjj in 16 vectorized {
// CHECK-NEXT: tir.if (%jjj < 4) {

// VEC-LABEL: func.func @tail
// VEC: tir.load %B[%k_1, 0] : memref<8x16xf32>, vector<16xf32>
// VEC-NOT: arith.select
// VEC: vector.maskedstore %O
func.func @tail(%A: memref<8xf32>, %W: memref<8x4xf32>, %O: memref<4xf32>) {
  %B = tir.alloc "B" : memref<8x16xf32>
  tir.for %k in 8 {
    tir.for %j in 16 {
      tir.if (%j < 4) {
        %w = tir.load %W[%k, %j] : memref<8x4xf32>
        tir.store %w, %B[%k, %j] : memref<8x16xf32>
      }
    }
  }
  %C = tir.alloc "C" : memref<16xf32, "local">
  tir.for %j0 in 16 vectorized {
    tir.if (%j0 < 4) {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %C[%j0] : memref<16xf32, "local">
    }
  }
  tir.for %k_1 in 8 {
    tir.for %jj in 16 vectorized {
      tir.if (%jj < 4) {
        %a = tir.load %A[%k_1] : memref<8xf32>
        %b = tir.load %B[%k_1, %jj] : memref<8x16xf32>
        %p = arith.mulf %a, %b : f32
        %c = tir.load %C[%jj] : memref<16xf32, "local">
        %d = arith.addf %c, %p : f32
        tir.store %d, %C[%jj] : memref<16xf32, "local">
      }
    }
  }
  tir.for %jjj in 16 vectorized {
    tir.if (%jjj < 4) {
      %c_1 = tir.load %C[%jjj] : memref<16xf32, "local">
      tir.store %c_1, %O[%jjj] : memref<4xf32>
    }
  }
  func.return
}

// -----

// The bound is known where the buffer is allocated: zeros where there is slack.
// CHECK-LABEL: func.func @symbolic
// CHECK: %B = tir.alloc "B" {kc.whole_rows} : memref<16xf32>
// CHECK-NEXT: tir.if ({{.*}}%n{{.*}} {
// CHECK-NEXT: arith.constant 0.000000e+00 : f32
// CHECK-NEXT: tir.for %z0 in 16 vectorized {
func.func @symbolic(%n: index, %A: memref<?xf32>, %O: memref<?xf32>) {
  %B = tir.alloc "B" : memref<16xf32>
  tir.for %i in 16 {
    tir.if (%i < %n) {
      %a = tir.load %A[%i] : memref<?xf32>
      tir.store %a, %B[%i] : memref<16xf32>
    }
  }
  tir.for %j in 16 vectorized {
    tir.if (%j < %n) {
      %b = tir.load %B[%j] : memref<16xf32>
      %c = arith.addf %b, %b : f32
      tir.store %c, %O[%j] : memref<?xf32>
    }
  }
  func.return
}

// -----

// Somebody reads behind the bound: the condition is no end of what is used, and stays. Rows of B are
// read under a mask.
// CHECK-LABEL: func.func @used
// CHECK: %B = tir.alloc "B" : memref<16xf32>
// CHECK-NOT: tir.for %z0
// CHECK: tir.if (%j < 4)
// CHECK: tir.store %{{.+}}, %B[%j]

// VEC-LABEL: func.func @used
// VEC: vector.maskedload %B
func.func @used(%A: memref<16xf32>, %O: memref<16xf32>) {
  %B = tir.alloc "B" : memref<16xf32>
  tir.for %i in 8 {
    %a = tir.load %A[%i] : memref<16xf32>
    tir.store %a, %B[%i + 8] : memref<16xf32>
    tir.store %a, %B[%i] : memref<16xf32>
  }
  tir.for %j in 16 vectorized {
    tir.if (%j < 4) {
      %b = tir.load %B[%j] : memref<16xf32>
      %c = arith.addf %b, %b : f32
      tir.store %c, %B[%j] : memref<16xf32>
    }
  }
  tir.for %k in 16 vectorized {
    %b_1 = tir.load %B[%k] : memref<16xf32>
    tir.store %b_1, %O[%k] : memref<16xf32>
  }
  func.return
}

// -----

// What is loaded would be outside of A without the condition, a division could end the program, and
// threads share B: the conditions stay.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-3: tir.if (%{{.*}} < 4) {
func.func @kept(%A: memref<4xf32>, %D: memref<16xi32>, %O: memref<4xf32>) {
  %B = tir.alloc "B" : memref<16xf32>
  tir.for %i in 16 vectorized {
    tir.if (%i < 4) {
      %a = tir.load %A[%i] : memref<4xf32>
      tir.store %a, %B[%i] : memref<16xf32>
    }
  }
  tir.for %p in 2 parallel {
    tir.for %j in 16 vectorized {
      tir.if (%j < 4) {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %B[%j] : memref<16xf32>
      }
    }
  }
  %E = tir.alloc "E" : memref<16xi32>
  tir.for %k in 16 vectorized {
    tir.if (%k < 4) {
      %d = tir.load %D[%k] : memref<16xi32>
      %q = arith.divsi %d, %d : i32
      tir.store %q, %E[%k] : memref<16xi32>
    }
  }
  func.return
}

// -----

// All of B is written before: a part of a row is read whole, and nothing is filled.
// CHECK-LABEL: func.func @written
// CHECK: %B = tir.alloc "B" {kc.whole_rows} : memref<2x16xf32>
// CHECK-NEXT: tir.for %i in 2 {

// VEC-LABEL: func.func @written
// VEC-NOT: maskedload
// VEC: tir.load %B[%i_1, 0] : memref<2x16xf32>, vector<16xf32>
func.func @written(%A: memref<32xf32>, %O: memref<2x11xf32>) {
  %B = tir.alloc "B" : memref<2x16xf32>
  tir.for %i in 2 {
    tir.for %j in 4 {
      tir.for %jj in 4 {
        %a = tir.load %A[%i * 16 + %j * 4 + %jj] : memref<32xf32>
        tir.store %a, %B[%i, %j * 4 + %jj] : memref<2x16xf32>
      }
    }
  }
  tir.for %i_1 in 2 {
    tir.for %k in 11 vectorized {
      %b = tir.load %B[%i_1, %k] : memref<2x16xf32>
      %c = arith.addf %b, %b : f32
      tir.store %c, %O[%i_1, %k] : memref<2x11xf32>
    }
  }
  func.return
}

// -----

// A is too short for all lanes: the load alone keeps the condition, and the maximum has none. Where
// the loop is several vectors, all of it stays under the condition: some of them are not computed.
// CHECK-LABEL: func.func @guarded_load
// CHECK: tir.for %jj in 16 vectorized {
// CHECK-NEXT: tir.if (%jj < 13) {

// ONE-LABEL: func.func @guarded_load
// ONE: tir.for %jj in 16 vectorized {
// ONE-NEXT: %[[ZERO:.+]] = arith.constant 0 : index
// ONE-NEXT: %[[LEFT:.+]] = tir.apply (%jj * -1 + 12)
// ONE-NEXT: %[[HOLDS:.+]] = arith.cmpi sge, %[[LEFT]], %[[ZERO]] : index
// ONE-NEXT: %[[TERM:.+]] = scf.if %[[HOLDS]] -> (f32) {
// ONE-NEXT: tir.load %A[%jj + %k] : memref<17xf32>
// ONE: arith.constant 0.000000e+00 : f32
// ONE: arith.maximumf %{{.+}}, %[[TERM]] : f32

// LANES-LABEL: func.func @guarded_load
// LANES: %[[TERM:.+]] = vector.maskedload %A
// LANES-NOT: arith.select
// LANES: arith.maximumf %{{.+}}, %[[TERM]] : vector<16xf32>
// LANES-NEXT: tir.store
func.func @guarded_load(%A: memref<17xf32>, %O: memref<13xf32>) {
  %C = tir.alloc "C" : memref<16xf32, "local">
  tir.for %j in 16 vectorized {
    tir.if (%j < 13) {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %C[%j] : memref<16xf32, "local">
    }
  }
  tir.for %k in 5 {
    tir.for %jj in 16 vectorized {
      tir.if (%jj < 13) {
        %a = tir.load %A[%jj + %k] : memref<17xf32>
        %c = tir.load %C[%jj] : memref<16xf32, "local">
        %d = arith.maximumf %c, %a : f32
        tir.store %d, %C[%jj] : memref<16xf32, "local">
      }
    }
  }
  tir.for %jjj in 16 vectorized {
    tir.if (%jjj < 13) {
      %e = tir.load %C[%jjj] : memref<16xf32, "local">
      tir.store %e, %O[%jjj] : memref<13xf32>
    }
  }
  func.return
}
