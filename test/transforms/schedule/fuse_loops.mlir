// Neighbouring loops become one, the second delayed by what it has to wait for.
// RUN: kc-opt %s --fuse-loops="func=ahead loops=i,j" | FileCheck %s --check-prefix=DELAY
// RUN: kc-opt %s --fuse-loops="func=sizes loops=i,j" | FileCheck %s --check-prefix=EQUAL
// RUN: kc-opt %s --fuse-loops="func=apart loops=i,j" | FileCheck %s --check-prefix=LONGER

// DELAY-LABEL: func.func @ahead(
// DELAY-NEXT:      tir.for %i_m in 16 {
// DELAY-NEXT:        tir.block "B" (spatial %v_i in 16 = %i_m) do {
// DELAY-NEXT:          %a = tir.load %A[%v_i] : memref<16xf32>
// DELAY-NEXT:          tir.store %a, %B[%v_i] : memref<16xf32>
// DELAY-NEXT:        }
// DELAY-NEXT:        tir.block "C" (spatial %v_j in 15 = %i_m - 1) where (%i_m >= 1) do {
// DELAY-NEXT:          %b = tir.load %B[%v_j + 1] : memref<16xf32>
// DELAY-NEXT:          tir.store %b, %C[%v_j] : memref<15xf32>
// DELAY-NEXT:        }
// DELAY-NEXT:      }
func.func @ahead(%A: memref<16xf32>, %B: memref<16xf32>, %C: memref<15xf32>) {
  tir.for %i in 16 {
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %B[%v_i] : memref<16xf32>
    }
  }
  tir.for %j in 15 {
    tir.block "C" (spatial %v_j in 15 = %j) do {
      %b = tir.load %B[%v_j + 1] : memref<16xf32>
      tir.store %b, %C[%v_j] : memref<15xf32>
    }
  }
  func.return
}

// Loops of one symbolic length; two iterations ahead.
// EQUAL-LABEL: func.func @sizes(
// EQUAL-NEXT:      %n = tir.symbol "n"
// EQUAL-NEXT:      %i_size = tir.apply (%n + 2)
// EQUAL-NEXT:      %j_size = tir.apply (%n + 2)
// EQUAL-NEXT:      tir.for %i_s_m in %i_size {
// EQUAL-NEXT:        tir.if (%i_s_m < %n) {
// EQUAL-NEXT:          tir.store %x, %A[%i_s_m] : memref<?xf32>
// EQUAL-NEXT:        }
// EQUAL-NEXT:        tir.if (%i_s_m >= 2) {
// EQUAL-NEXT:          tir.if (%i_s_m < %n) {
// EQUAL-NEXT:            %a = tir.load %A[%i_s_m] : memref<?xf32>
// EQUAL-NEXT:            tir.store %a, %B[%i_s_m - 2] : memref<?xf32>
// EQUAL-NEXT:          }
// EQUAL-NEXT:        }
// EQUAL-NEXT:      }
func.func @sizes(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %B: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %x: f32) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.store %x, %A[%i] : memref<?xf32>
  }
  tir.for %j in %n {
    tir.if (%j < %n - 2) {
      %a = tir.load %A[%j + 2] : memref<?xf32>
      tir.store %a, %B[%j] : memref<?xf32>
    }
  }
  func.return
}

// They have nothing to do with each other: no delay, but one is longer.
// LONGER-LABEL: func.func @apart(
// LONGER-NEXT:      tir.for %i_m in 16 {
// LONGER-NEXT:        tir.store %x, %A[%i_m] : memref<16xf32>
// LONGER-NEXT:        tir.if (%i_m < 12) {
// LONGER-NEXT:          tir.store %x, %B[%i_m] : memref<12xf32>
// LONGER-NEXT:        }
// LONGER-NEXT:      }
func.func @apart(%A: memref<16xf32>, %B: memref<12xf32>, %x: f32) {
  tir.for %i in 16 {
    tir.store %x, %A[%i] : memref<16xf32>
  }
  tir.for %j in 12 {
    tir.store %x, %B[%j] : memref<12xf32>
  }
  func.return
}

// A reduction over nothing has its initial value, which is waited for: that of S[2j + 1].
// RUN: kc-opt %s --fuse-loops="func=nothing loops=i,j" | FileCheck %s --check-prefix=NOTHING
// NOTHING-LABEL: func.func @nothing(
// NOTHING-NEXT:      tir.for %i_m in 8 {
// NOTHING-NEXT:        tir.for %x in 2 {
// NOTHING-NEXT:          tir.block "S" ({{.*}}) where (%x < 0) init {
// NOTHING:             tir.block "T" (spatial %v_j in 4 = %i_m - 4) where (%i_m >= 4) do {
func.func @nothing(%A: memref<4xf32>, %S: memref<8xf32>, %T: memref<4xf32>) {
  tir.for %i in 8 {
    tir.for %x in 2 {
      tir.block "S" (spatial %v_i in 8 = %i, reduce %v_x in 0 = %x) where (%x < 0) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v_i] : memref<8xf32>
      } do {
        %a = tir.load %A[%v_x] : memref<4xf32>
        %s = tir.load %S[%v_i] : memref<8xf32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %S[%v_i] : memref<8xf32>
      }
    }
  }
  tir.for %j in 4 {
    tir.block "T" (spatial %v_j in 4 = %j) do {
      %s = tir.load %S[%v_j * 2 + 1] : memref<8xf32>
      tir.store %s, %T[%v_j] : memref<4xf32>
    }
  }
  func.return
}
