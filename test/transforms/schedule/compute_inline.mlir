// B is computed where it is read, at the elements that are read; variables of B that are used as
// values become tir.apply.
// RUN: kc-opt %s --compute-inline="func=twice block=B" | FileCheck %s --check-prefix=TWICE
// RUN: kc-opt %s --split="func=chain block=C loop=i factors=?,4" --compute-inline="func=chain block=B" --compute-inline="func=chain block=A2" \
// RUN:   | FileCheck %s --check-prefix=CHAIN
// RUN: kc-opt %s --compute-inline="func=index_value block=B" | FileCheck %s --check-prefix=INDEX
// RUN: kc-opt %s --compute-inline="func=unread block=B" | FileCheck %s --check-prefix=UNREAD
// RUN: kc-opt %s --compute-inline="func=padded_twice block=B" | FileCheck %s --check-prefix=GUARDS
// RUN: kc-opt %s --compute-inline="func=padded_differently block=B" | FileCheck %s --check-prefix=APART

te.func @twice(%A: tensor<16x8xf32>) -> tensor<8x14xf32> {
  %B = te.compute "B" [%i = 16, %j = 8] {
    %a = te.read %A[%i, %j] : tensor<16x8xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<16x8xf32>
  %C = te.compute "C" [%i = 8, %j = 14] {
    %x = te.read %B[%j, %i] : tensor<16x8xf32>
    %y = te.read %B[%j + 2, 7 - %i] : tensor<16x8xf32>
    %c = arith.mulf %x, %y : f32
    te.yield %c : f32
  } : tensor<8x14xf32>
  te.return %C : tensor<8x14xf32>
}

te.func @unread(%A: tensor<8xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%b = 8] {
    %a = te.read %A[%b] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %A : tensor<8xf32>
}

te.func @chain(%A: tensor<10xf32>) -> tensor<10xf32> {
  %A2 = te.compute "A2" [%i = 10] {
    %a = te.read %A[9 - %i] : tensor<10xf32>
    %b = arith.mulf %a, %a : f32
    te.yield %b : f32
  } : tensor<10xf32>
  %B = te.compute "B" [%i = 10] {
    %a = te.read %A2[%i] : tensor<10xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<10xf32>
  %C = te.compute "C" [%i = 10] {
    %x = te.read %B[%i] : tensor<10xf32>
    %y = te.read %A2[%i] : tensor<10xf32>
    %c = arith.subf %x, %y : f32
    te.yield %c : f32
  } : tensor<10xf32>
  te.return %C : tensor<10xf32>
}

func.func @index_value(%C: memref<7xindex>) {
  %B = tir.alloc "B" : memref<3x8xindex>
  tir.for %j in 7 {
    tir.block "B" (spatial %v_j in 7 = %j) do {
      %c = arith.constant 3 : index
      %p = arith.muli %v_j, %c : index
      tir.store %p, %B[2, %v_j + 1] : memref<3x8xindex>
    }
  }
  tir.for %i in 7 {
    tir.block "C" (spatial %v_i in 7 = %i) do {
      %x = tir.load %B[2, 7 - %v_i] : memref<3x8xindex>
      tir.store %x, %C[%v_i] : memref<7xindex>
    }
  }
  func.return
}

func.func @padded_twice(%A: memref<8xf32> {kc.role = "in"}, %C: memref<16xf32> {kc.role = "out"}) {
  %B = tir.alloc "B" : memref<10xf32>
  tir.for %i in 10 {
    tir.block "B" (spatial %v_i in 10 = %i) do {
      %one = arith.constant 1 : index
      %nine = arith.constant 9 : index
      %low = arith.cmpi sge, %v_i, %one : index
      %high = arith.cmpi slt, %v_i, %nine : index
      %c = arith.andi %low, %high : i1
      %b = scf.if %c -> (f32) {
        %a = tir.load %A[%v_i - 1] : memref<8xf32>
        scf.yield %a : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      tir.store %b, %B[%v_i] : memref<10xf32>
    }
  }
  tir.for %j in 16 {
    tir.block "C" (spatial %v_j in 16 = %j) do {
      %ten = arith.constant 10 : index
      %c = arith.cmpi slt, %v_j, %ten : index
      %x = scf.if %c -> (f32) {
        %b = tir.load %B[%v_j] : memref<10xf32>
        scf.yield %b : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      tir.store %x, %C[%v_j] : memref<16xf32>
    }
  }
  func.return
}

func.func @padded_differently(%A: memref<8xf32> {kc.role = "in"}, %C: memref<16xf32> {kc.role = "out"}) {
  %B = tir.alloc "B" : memref<10xf32>
  tir.for %i in 10 {
    tir.block "B" (spatial %v_i in 10 = %i) do {
      %one = arith.constant 1 : index
      %nine = arith.constant 9 : index
      %low = arith.cmpi sge, %v_i, %one : index
      %high = arith.cmpi slt, %v_i, %nine : index
      %c = arith.andi %low, %high : i1
      %b = scf.if %c -> (f32) {
        %a = tir.load %A[%v_i - 1] : memref<8xf32>
        scf.yield %a : f32
      } else {
        %zero = arith.constant -0.0 : f32
        scf.yield %zero : f32
      }
      tir.store %b, %B[%v_i] : memref<10xf32>
    }
  }
  tir.for %j in 16 {
    tir.block "C" (spatial %v_j in 16 = %j) do {
      %ten = arith.constant 10 : index
      %c = arith.cmpi slt, %v_j, %ten : index
      %x = scf.if %c -> (f32) {
        %b = tir.load %B[%v_j] : memref<10xf32>
        scf.yield %b : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      tir.store %x, %C[%v_j] : memref<16xf32>
    }
  }
  func.return
}

// TWICE:      func.func @twice(
// TWICE-NEXT:   tir.for %i in 8 {
// TWICE-NEXT:     tir.for %j in 14 {
// TWICE-NEXT:       tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 14 = %j) do {
// TWICE-NEXT:         %a = tir.load %A[%v_j, %v_i] : memref<16x8xf32>
// TWICE-NEXT:         %b = arith.addf %a, %a : f32
// TWICE-NEXT:         %a_1 = tir.load %A[%v_j + 2, %v_i * -1 + 7] : memref<16x8xf32>
// TWICE-NEXT:         %b_1 = arith.addf %a_1, %a_1 : f32
// TWICE-NEXT:         %c = arith.mulf %b, %b_1 : f32
// TWICE-NEXT:         tir.store %c, %C[%v_i, %v_j] : memref<8x14xf32>
// TWICE-NEXT:       }
// TWICE-NEXT:     }
// TWICE-NEXT:   }
// TWICE-NEXT:   func.return
// TWICE-NEXT: }

// CHAIN:      func.func @chain(
// CHAIN-NEXT:   tir.for %i_o in 3 {
// CHAIN-NEXT:     tir.for %i_i in 4 {
// CHAIN-NEXT:       tir.block "C" (spatial %v_i in 10 = %i_o * 4 + %i_i) where (%i_o * 4 + %i_i < 10) do {
// CHAIN-NEXT:         %a = tir.load %A[%v_i * -1 + 9] : memref<10xf32>
// CHAIN-NEXT:         %b = arith.mulf %a, %a : f32
// CHAIN-NEXT:         %b_1 = arith.addf %b, %b : f32
// CHAIN-NEXT:         %a_1 = tir.load %A[%v_i * -1 + 9] : memref<10xf32>
// CHAIN-NEXT:         %b_2 = arith.mulf %a_1, %a_1 : f32
// CHAIN-NEXT:         %c = arith.subf %b_1, %b_2 : f32
// CHAIN-NEXT:         tir.store %c, %C[%v_i] : memref<10xf32>
// CHAIN-NEXT:       }
// CHAIN-NEXT:     }
// CHAIN-NEXT:   }
// CHAIN-NEXT:   func.return
// CHAIN-NEXT: }

// INDEX:      func.func @index_value(
// INDEX-NEXT:   tir.for %i in 7 {
// INDEX-NEXT:     tir.block "C" (spatial %v_i in 7 = %i) do {
// INDEX-NEXT:       %0 = tir.apply (%v_i * -1 + 6)
// INDEX-NEXT:       %c = arith.constant 3 : index
// INDEX-NEXT:       %p = arith.muli %0, %c : index
// INDEX-NEXT:       tir.store %p, %C[%v_i] : memref<7xindex>
// INDEX-NEXT:     }
// INDEX-NEXT:   }
// INDEX-NEXT:   func.return
// INDEX-NEXT: }

// What nothing reads is removed.
// UNREAD-LABEL: func.func @unread(
// UNREAD-NEXT:    tir.for %c0 in 8 {
// UNREAD-NEXT:      tir.block "copy"

// Zeros around zeros are one condition.
// GUARDS-LABEL: func.func @padded_twice(
// GUARDS:             %c = arith.cmpi slt, %v_j, %ten : index
// GUARDS-NEXT:        %0 = tir.apply (%v_j)
// GUARDS:             %c_1 = arith.andi %low, %high : i1
// GUARDS-NEXT:        %1 = arith.andi %c, %c_1 : i1
// GUARDS-NEXT:        %x = scf.if %1 -> (f32) {
// GUARDS-NEXT:          %a = tir.load %A[%v_j - 1] : memref<8xf32>
// GUARDS-NEXT:          scf.yield %a : f32
// GUARDS-NEXT:        } else {
// GUARDS-NEXT:          %zero = arith.constant 0.000000e+00 : f32
// GUARDS-NEXT:          scf.yield %zero : f32
// GUARDS-NEXT:        }
// GUARDS-NEXT:        tir.store %x, %C[%v_j] : memref<16xf32>

// 0.0 and -0.0 are equal, but not the same.
// APART-LABEL: func.func @padded_differently(
// APART:             %x = scf.if %c -> (f32) {
// APART:               %b = scf.if %c_1 -> (f32) {
// APART-NEXT:            %a = tir.load %A[%v_j - 1] : memref<8xf32>
// APART-NEXT:            scf.yield %a : f32
// APART-NEXT:          } else {
// APART-NEXT:            %zero = arith.constant -0.000000e+00 : f32
