// One factor of a sum of products is moved by 128; what that adds is subtracted in the end.
// RUN: kc-opt %s --offset-operand="func=signed block=C buffer=A_copy" | FileCheck %s --check-prefix=SIGNED
// RUN: kc-opt %s --offset-operand="func=unsigned block=C buffer=A_copy" | FileCheck %s --check-prefix=UNSIGNED

func.func @signed(%A: memref<2x3xi8> {kc.name = "A"}, %B: memref<4x3xi8> {kc.name = "B"}, %C: memref<2x4xi32> {kc.name = "C", kc.role = "out"}) {
  %A_copy = tir.alloc "A_copy" : memref<2x3xi8>
  tir.for %i in 2 {
    tir.for %k in 3 {
      tir.block "A_copy" (spatial %v_i in 2 = %i, spatial %v_k in 3 = %k) do {
        %a = tir.load %A[%v_i, %v_k] : memref<2x3xi8>
        tir.store %a, %A_copy[%v_i, %v_k] : memref<2x3xi8>
      }
    }
  }
  tir.for %i in 2 {
    tir.for %j in 4 {
      tir.for %k in 3 {
        tir.block "C" (spatial %v_i in 2 = %i, spatial %v_j in 4 = %j, reduce %v_k in 3 = %k) init {
          %zero = arith.constant 0 : i32
          tir.store %zero, %C[%v_i, %v_j] : memref<2x4xi32>
        } do {
          %c = tir.load %C[%v_i, %v_j] : memref<2x4xi32>
          %a = tir.load %A_copy[%v_i, %v_k] : memref<2x3xi8>
          %x = arith.extsi %a : i8 to i32
          %b = tir.load %B[%v_j, %v_k] : memref<4x3xi8>
          %y = arith.extsi %b : i8 to i32
          %p = arith.muli %x, %y : i32
          %s = arith.addi %c, %p : i32
          tir.store %s, %C[%v_i, %v_j] : memref<2x4xi32>
        }
      }
    }
  }
  func.return
}

// SIGNED:      func.func @signed(
// SIGNED:          tir.block "A_copy"
// SIGNED-NEXT:       %a = tir.load %A[%v_i, %v_k] : memref<2x3xi8>
// SIGNED-NEXT:       %0 = arith.constant -128 : i8
// SIGNED-NEXT:       %1 = arith.xori %a, %0 : i8
// SIGNED-NEXT:       tir.store %1, %A_copy[%v_i, %v_k] : memref<2x3xi8>
// SIGNED:        %C_offset = tir.alloc "C_offset" : memref<4xi32>
// SIGNED-NEXT:   tir.for %ax0 in 4 {
// SIGNED-NEXT:     tir.for %ax1 in 3 {
// SIGNED-NEXT:       tir.block "C_offset" (spatial %v0 in 4 = %ax0, reduce %v1 in 3 = %ax1) init {
// SIGNED-NEXT:         %0 = arith.constant 0 : i32
// SIGNED-NEXT:         tir.store %0, %C_offset[%v0] : memref<4xi32>
// SIGNED-NEXT:       } do {
// SIGNED-NEXT:         %b = tir.load %B[%v0, %v1] : memref<4x3xi8>
// SIGNED-NEXT:         %y = arith.extsi %b : i8 to i32
// SIGNED-NEXT:         %1 = arith.constant 128 : i32
// SIGNED-NEXT:         %2 = arith.muli %y, %1 : i32
// SIGNED-NEXT:         %3 = tir.load %C_offset[%v0] : memref<4xi32>
// SIGNED-NEXT:         %4 = arith.addi %3, %2 : i32
// SIGNED-NEXT:         tir.store %4, %C_offset[%v0] : memref<4xi32>
// SIGNED:        %C_sum = tir.alloc "C_sum" : memref<2x4xi32>
// SIGNED:              tir.block "C" (
// SIGNED:                tir.store %zero, %C_sum[%v_i, %v_j] : memref<2x4xi32>
// SIGNED:                %x = arith.extui %a : i8 to i32
// SIGNED:                %y = arith.extsi %b : i8 to i32
// SIGNED:                tir.store %s, %C_sum[%v_i, %v_j] : memref<2x4xi32>
// SIGNED:            tir.block "C_result" (spatial %v0 in 2 = %{{.*}}, spatial %v1 in 4 = %{{.*}}) do {
// SIGNED-NEXT:         %0 = tir.load %C_sum[%v0, %v1] : memref<2x4xi32>
// SIGNED-NEXT:         %1 = tir.load %C_offset[%v1] : memref<4xi32>
// SIGNED-NEXT:         %2 = arith.subi %0, %1 : i32
// SIGNED-NEXT:         tir.store %2, %C[%v0, %v1] : memref<2x4xi32>

// What else loads the elements turns the sign bit back; an unsigned factor is moved down.
func.func @unsigned(%A: memref<2x3xi8> {kc.name = "A"}, %B: memref<4x3xi8> {kc.name = "B"}, %C: memref<2x4xi32> {kc.name = "C", kc.role = "out"}, %D: memref<2x3xi8> {kc.name = "D", kc.role = "out"}) {
  %A_copy = tir.alloc "A_copy" : memref<2x3xi8>
  tir.for %i in 2 {
    tir.for %k in 3 {
      tir.block "A_copy" (spatial %v_i in 2 = %i, spatial %v_k in 3 = %k) do {
        %a = tir.load %A[%v_i, %v_k] : memref<2x3xi8>
        tir.store %a, %A_copy[%v_i, %v_k] : memref<2x3xi8>
      }
    }
  }
  tir.for %i in 2 {
    tir.for %j in 4 {
      tir.for %k in 3 {
        tir.block "C" (spatial %v_i in 2 = %i, spatial %v_j in 4 = %j, reduce %v_k in 3 = %k) init {
          %zero = arith.constant 0 : i32
          tir.store %zero, %C[%v_i, %v_j] : memref<2x4xi32>
        } do {
          %c = tir.load %C[%v_i, %v_j] : memref<2x4xi32>
          %a = tir.load %A_copy[%v_i, %v_k] : memref<2x3xi8>
          %x = arith.extui %a : i8 to i32
          %b = tir.load %B[%v_j, %v_k] : memref<4x3xi8>
          %y = arith.extui %b : i8 to i32
          %p = arith.muli %x, %y : i32
          %s = arith.addi %c, %p : i32
          tir.store %s, %C[%v_i, %v_j] : memref<2x4xi32>
        }
      }
    }
  }
  tir.for %i in 2 {
    tir.for %k in 3 {
      tir.block "D" (spatial %v_i in 2 = %i, spatial %v_k in 3 = %k) do {
        %a = tir.load %A_copy[%v_i, %v_k] : memref<2x3xi8>
        %twice = arith.addi %a, %a : i8
        tir.store %twice, %D[%v_i, %v_k] : memref<2x3xi8>
      }
    }
  }
  func.return
}

// UNSIGNED:      func.func @unsigned(
// UNSIGNED:        %x = arith.extsi %a : i8 to i32
// UNSIGNED:        %y = arith.extui %b : i8 to i32
// UNSIGNED:        tir.block "C_result"
// UNSIGNED:          arith.addi
// UNSIGNED:        tir.block "D"
// UNSIGNED-NEXT:     %a = tir.load %A_copy[%v_i, %v_k] : memref<2x3xi8>
// UNSIGNED-NEXT:     %0 = arith.constant -128 : i8
// UNSIGNED-NEXT:     %a_1 = arith.xori %a, %0 : i8
// UNSIGNED-NEXT:     %twice = arith.addi %a_1, %a_1 : i8
