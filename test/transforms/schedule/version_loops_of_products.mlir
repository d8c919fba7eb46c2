// Versions by the size of products.
// RUN: kc-opt %s --version-loops="block=C exponent=-110 of-products=true" | FileCheck %s
// RUN: kc-opt %s --version-loops="block=D exponent=-110 of-products=true" | FileCheck %s --check-prefix=SQUARE
// RUN: not kc-opt %s --version-loops="block=E exponent=-110 of-products=true" 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: not kc-opt %s --version-loops="block=C exponent=-253 of-products=true" 2>&1 | FileCheck %s --check-prefix=SMALL

// The bits of the exponents add up to -110 and twice 127, and no number is subnormal.
// CHECK: tir.if (%least_1 >= 128, %least_3 >= 128, %least_1 floordiv 128 + %least_3 floordiv 128 >= 144) {
// SQUARE: tir.if (%least_1 >= 128, (%least_1 floordiv 128) * 2 >= 144) {
// TYPES: error[KC3623]: version_loops: block E does not multiply numbers of two buffers of one type
// TYPES: why: it loads A of bf16, S of f32
// SMALL: error[KC3625]: version_loops: exponent -253 for A
// SMALL: why: products of normal numbers of bf16 are from 2^-252 to less than 2^256
func.func @f(%A: memref<6xbf16> {kc.name = "A"}, %B: memref<6xbf16> {kc.name = "B"}, %S: memref<6xf32> {kc.name = "S"}, %C: memref<6xf32> {kc.name = "C", kc.role = "out"}, %D: memref<6xf32> {kc.name = "D", kc.role = "out"}, %E: memref<6xf32> {kc.name = "E", kc.role = "out"}) {
  tir.for %i in 6 {
    tir.block "C" (spatial %v_i in 6 = %i) do {
      %a = tir.load %A[%v_i] : memref<6xbf16>
      %b = tir.load %B[%v_i] : memref<6xbf16>
      %x = arith.extf %a : bf16 to f32
      %y = arith.extf %b : bf16 to f32
      %c = arith.mulf %x, %y : f32
      tir.store %c, %C[%v_i] : memref<6xf32>
    }
  }
  tir.for %i in 6 {
    tir.block "D" (spatial %v_i in 6 = %i) do {
      %a = tir.load %A[%v_i] : memref<6xbf16>
      %x = arith.extf %a : bf16 to f32
      %c = arith.mulf %x, %x : f32
      tir.store %c, %D[%v_i] : memref<6xf32>
    }
  }
  tir.for %i in 6 {
    tir.block "E" (spatial %v_i in 6 = %i) do {
      %a = tir.load %A[%v_i] : memref<6xbf16>
      %s = tir.load %S[%v_i] : memref<6xf32>
      %x = arith.extf %a : bf16 to f32
      %c = arith.mulf %x, %s : f32
      tir.store %c, %E[%v_i] : memref<6xf32>
    }
  }
  func.return
}
