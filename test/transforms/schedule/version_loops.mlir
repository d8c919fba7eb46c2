// The loops of a block run in one of two versions: the elements of its operands choose.
// RUN: kc-opt %s --version-loops="block=C" | FileCheck %s
// RUN: kc-opt %s --version-loops="block=C exponent=-10" --split="block=C loop=i factors=?,2" --reverse="block=C_1 loop=i" | FileCheck %s --check-prefix=APART

func.func @scale(%A: memref<6xbf16> {kc.name = "A"}, %s: memref<f32> {kc.name = "s"}, %C: memref<6xf32> {kc.name = "C", kc.role = "out"}) {
  tir.for %i in 6 {
    tir.block "C" (spatial %v_i in 6 = %i) do {
      %a = tir.load %A[%v_i] : memref<6xbf16>
      %wide = arith.extf %a : bf16 to f32
      %by = tir.load %s[] : memref<f32>
      %c = arith.mulf %wide, %by : f32
      tir.store %c, %C[%v_i] : memref<6xf32>
    }
  }
  func.return
}

// 2^-55 has the bits 72 << 7 in bf16, and 72 << 23 in f32.
// CHECK:      func.func @scale(
// CHECK-NEXT:   %A_least = tir.alloc "A_least" : memref<i16>
// CHECK-NEXT:   tir.for %ax0 in 6 {
// CHECK-NEXT:     tir.block "A_least" (reduce %v0 in 6 = %ax0) init {
// CHECK-NEXT:       %0 = arith.constant 32767 : i16
// CHECK-NEXT:       tir.store %0, %A_least[] : memref<i16>
// CHECK-NEXT:     } do {
// CHECK-NEXT:       %1 = tir.load %A[%v0] : memref<6xbf16>
// CHECK-NEXT:       %2 = arith.bitcast %1 : bf16 to i16
// CHECK-NEXT:       %3 = arith.constant 32767 : i16
// CHECK-NEXT:       %4 = arith.andi %2, %3 : i16
// CHECK-NEXT:       %5 = arith.constant 0 : i16
// CHECK-NEXT:       %6 = arith.cmpi eq, %4, %5 : i16
// CHECK-NEXT:       %7 = arith.select %6, %3, %4 : i16
// CHECK-NEXT:       %8 = tir.load %A_least[] : memref<i16>
// CHECK-NEXT:       %9 = arith.minsi %8, %7 : i16
// CHECK-NEXT:       tir.store %9, %A_least[] : memref<i16>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   %least = tir.load %A_least[] : memref<i16>
// CHECK-NEXT:   %least_1 = arith.index_cast %least : i16 to index
// CHECK-NEXT:   %s_least = tir.alloc "s_least" : memref<i32>
// CHECK-NEXT:   tir.for %ax0_1 "ax0" in 1 {
// CHECK-NEXT:     tir.block "s_least" (reduce %v0 in 1 = %ax0_1) init {
// CHECK-NEXT:       %0 = arith.constant 2147483647 : i32
// CHECK-NEXT:       tir.store %0, %s_least[] : memref<i32>
// CHECK-NEXT:     } do {
// CHECK-NEXT:       %1 = tir.load %s[] : memref<f32>
// CHECK:        %least_2 = tir.load %s_least[] : memref<i32>
// CHECK-NEXT:   %least_3 = arith.index_cast %least_2 : i32 to index
// CHECK-NEXT:   tir.if (%least_1 >= 9216, %least_3 >= 603979776) {
// CHECK-NEXT:     tir.for %i in 6 {
// CHECK-NEXT:       tir.block "C" (spatial %v_i in 6 = %i) do {
// CHECK-NEXT:         %a = tir.load %A[%v_i] : memref<6xbf16>
// CHECK-NEXT:         %wide = arith.extf %a : bf16 to f32
// CHECK-NEXT:         %by = tir.load %s[] : memref<f32>
// CHECK-NEXT:         %c = arith.mulf %wide, %by : f32
// CHECK-NEXT:         tir.store %c, %C[%v_i] : memref<6xf32>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
// CHECK-NEXT:     tir.for %i_1 "i" in 6 {
// CHECK-NEXT:       tir.block "C_1" (spatial %v_i in 6 = %i_1) do {
// CHECK-NEXT:         %a = tir.load %A[%v_i] : memref<6xbf16>
// CHECK-NEXT:         %wide = arith.extf %a : bf16 to f32
// CHECK-NEXT:         %by = tir.load %s[] : memref<f32>
// CHECK-NEXT:         %c = arith.mulf %wide, %by : f32
// CHECK-NEXT:         tir.store %c, %C[%v_i] : memref<6xf32>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return

// Each version has a schedule of its own.
// APART:      tir.if (%least_1 >= 14976, %least_3 >= 981467136) {
// APART-NEXT:   tir.for %i_o in 3 {
// APART-NEXT:     tir.for %i_i in 2 {
// APART-NEXT:       tir.block "C" (spatial %v_i in 6 = %i_o * 2 + %i_i) do {
// APART:      } else {
// APART-NEXT:   tir.for %i_r in 6 {
// APART-NEXT:     tir.block "C_1" (spatial %v_i in 6 = %i_r * -1 + 5) do {
