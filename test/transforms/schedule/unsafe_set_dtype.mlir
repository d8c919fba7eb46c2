// A buffer holds its elements in another type; values are converted where they pass.
// RUN: kc-opt %s --unsafe-set-dtype="func=floats block=B buffer=B dtype=float16 unsafe" | FileCheck %s --check-prefix=HALF
// RUN: kc-opt %s --unsafe-set-dtype="func=floats block=B buffer=B dtype=bfloat16 unsafe" | FileCheck %s --check-prefix=BRAIN
// RUN: kc-opt %s --unsafe-set-dtype="func=floats block=B buffer=0 dtype=f64" | FileCheck %s --check-prefix=WIDE
// RUN: kc-opt %s --unsafe-set-dtype="func=ints block=B buffer=B dtype=uint8 unsafe" | FileCheck %s --check-prefix=BYTE
// RUN: kc-opt %s --unsafe-set-dtype="func=floats block=B buffer=B dtype=float16 unsafe" 2>&1 >/dev/null | FileCheck %s --check-prefix=WARN --match-full-lines --strict-whitespace
// RUN: kc-opt %s --unsafe-set-dtype="func=ints block=B buffer=B dtype=int8 unsafe" 2>&1 >/dev/null | FileCheck %s --check-prefix=WRAPS --match-full-lines --strict-whitespace
// RUN: kc-opt %s --unsafe-set-dtype="func=floats block=B buffer=B dtype=float32" 2>&1 >/dev/null | FileCheck %s --check-prefix=SAME --match-full-lines --strict-whitespace

te.func @floats(%A: tensor<16xf32>) -> tensor<16xf32> {
  %B = te.compute "B" [%i = 16] {
    %a = te.read %A[%i] : tensor<16xf32>
    te.yield %a : f32
  } : tensor<16xf32>
  %C = te.compute "C" [%i = 16] {
    %x = te.read %B[%i] : tensor<16xf32>
    te.yield %x : f32
  } : tensor<16xf32>
  te.return %C : tensor<16xf32>
}

// The initial value, and what a reduction reads and writes.
te.func @ints(%A: tensor<4x8xi32>) -> tensor<4xi32> {
  %B = te.compute "B" [%i = 4] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<4x8xi32>
    te.yield %a : i32
  } : tensor<4xi32>
  %C = te.compute "C" [%i = 4] {
    %x = te.read %B[%i] : tensor<4xi32>
    te.yield %x : i32
  } : tensor<4xi32>
  te.return %C : tensor<4xi32>
}

// HALF:      func.func @floats(
// BRAIN: %B = tir.alloc "B" {tir.unsafe_dtype = "f32 as bfloat16"} : memref<16xbf16>
// BRAIN: arith.truncf {{.*}} : f32 to bf16
// BRAIN: arith.extf {{.*}} : bf16 to f32

// HALF-NEXT:   %B = tir.alloc "B" {tir.unsafe_dtype = "f32 as float16"} : memref<16xf16>
// HALF-NEXT:   tir.for %i in 16 {
// HALF-NEXT:     tir.block "B" (spatial %v_i in 16 = %i) do {
// HALF-NEXT:       %a = tir.load %A[%v_i] : memref<16xf32>
// HALF-NEXT:       %0 = arith.truncf %a : f32 to f16
// HALF-NEXT:       tir.store %0, %B[%v_i] : memref<16xf16>
// HALF-NEXT:     }
// HALF-NEXT:   }
// HALF-NEXT:   tir.for %i_1 "i" in 16 {
// HALF-NEXT:     tir.block "C" (spatial %v_i in 16 = %i_1) do {
// HALF-NEXT:       %0 = tir.load %B[%v_i] : memref<16xf16>
// HALF-NEXT:       %x = arith.extf %0 : f16 to f32
// HALF-NEXT:       tir.store %x, %C[%v_i] : memref<16xf32>
// HALF-NEXT:     }
// HALF-NEXT:   }
// HALF-NEXT:   func.return
// HALF-NEXT: }

// WIDE:      func.func @floats(
// WIDE-NEXT:   %B = tir.alloc "B" : memref<16xf64>
// WIDE-NEXT:   tir.for %i in 16 {
// WIDE-NEXT:     tir.block "B" (spatial %v_i in 16 = %i) do {
// WIDE-NEXT:       %a = tir.load %A[%v_i] : memref<16xf32>
// WIDE-NEXT:       %0 = arith.extf %a : f32 to f64
// WIDE-NEXT:       tir.store %0, %B[%v_i] : memref<16xf64>
// WIDE-NEXT:     }
// WIDE-NEXT:   }
// WIDE-NEXT:   tir.for %i_1 "i" in 16 {
// WIDE-NEXT:     tir.block "C" (spatial %v_i in 16 = %i_1) do {
// WIDE-NEXT:       %0 = tir.load %B[%v_i] : memref<16xf64>
// WIDE-NEXT:       %x = arith.truncf %0 : f64 to f32
// WIDE-NEXT:       tir.store %x, %C[%v_i] : memref<16xf32>
// WIDE-NEXT:     }
// WIDE-NEXT:   }
// WIDE-NEXT:   func.return
// WIDE-NEXT: }

// BYTE:      func.func @ints(
// BYTE-NEXT:   %B = tir.alloc "B" {tir.unsafe_dtype = "i32 as uint8"} : memref<4xi8>
// BYTE-NEXT:   tir.for %i in 4 {
// BYTE-NEXT:     tir.for %k in 8 {
// BYTE-NEXT:       tir.block "B" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
// BYTE-NEXT:         %0 = arith.constant 0 : i32
// BYTE-NEXT:         %1 = arith.trunci %0 : i32 to i8
// BYTE-NEXT:         tir.store %1, %B[%v_i] : memref<4xi8>
// BYTE-NEXT:       } do {
// BYTE-NEXT:         %a = tir.load %A[%v_i, %v_k] : memref<4x8xi32>
// BYTE-NEXT:         %2 = tir.load %B[%v_i] : memref<4xi8>
// BYTE-NEXT:         %3 = arith.extui %2 : i8 to i32
// BYTE-NEXT:         %4 = arith.addi %3, %a : i32
// BYTE-NEXT:         %5 = arith.trunci %4 : i32 to i8
// BYTE-NEXT:         tir.store %5, %B[%v_i] : memref<4xi8>
// BYTE-NEXT:       }
// BYTE-NEXT:     }
// BYTE-NEXT:   }
// BYTE-NEXT:   tir.for %i_1 "i" in 4 {
// BYTE-NEXT:     tir.block "C" (spatial %v_i in 4 = %i_1) do {
// BYTE-NEXT:       %0 = tir.load %B[%v_i] : memref<4xi8>
// BYTE-NEXT:       %x = arith.extui %0 : i8 to i32
// BYTE-NEXT:       tir.store %x, %C[%v_i] : memref<4xi32>
// BYTE-NEXT:     }
// BYTE-NEXT:   }
// BYTE-NEXT:   func.return
// BYTE-NEXT: }

//WARN:warning[KC3543]: unsafe_set_dtype: results may change with B as float16
//WARN-NEXT:  --> {{.*}}unsafe_set_dtype.mlir:11:3  %B = te.compute "B" [%i = 16] {
//WARN-NEXT:  why: f16 has 11 bits of precision, and numbers up to 65504

//WRAPS:warning[KC3543]: unsafe_set_dtype: results may change with B as int8
//WRAPS-NEXT:  --> {{.*}}unsafe_set_dtype.mlir:24:3  %B = te.compute "B" [%i = 4] reduce sum [%k = 8] {
//WRAPS-NEXT:  why: values outside of -128 to 127 wrap around

//SAME:warning[KC3542]: unsafe_set_dtype changes nothing
//SAME-NEXT:  --> {{.*}}unsafe_set_dtype.mlir:11:3  %B = te.compute "B" [%i = 16] {
//SAME-NEXT:  why: the elements of B are f32 already

// RUN: kc-opt %s --unsafe-set-dtype="func=halves block=B buffer=B dtype=float32" | FileCheck %s --check-prefix=EXACT
// RUN: kc-opt %s --unsafe-set-dtype="func=halves block=B buffer=B dtype=float64" | FileCheck %s --check-prefix=DOUBLE

// What is loaded and then converted to the type that the buffer holds is not converted, and to
// another one by way of the old one, as before.
// EXACT-LABEL: func.func @halves(
// EXACT-NEXT:   %B = tir.alloc "B" : memref<16xf32>
// EXACT:          %0 = arith.extf %a : f16 to f32
// EXACT-NEXT:     tir.store %0, %B[%v_i] : memref<16xf32>
// EXACT:          tir.block "C"
// EXACT-NEXT:       %x = tir.load %B[%v_i] : memref<16xf32>
// EXACT-NEXT:       tir.store %x, %C[%v_i] : memref<16xf32>
// DOUBLE-LABEL: func.func @halves(
// DOUBLE:         %[[B:.*]] = tir.load %B[%v_i] : memref<16xf64>
// DOUBLE-NEXT:    %x = arith.truncf %[[B]] : f64 to f16
// DOUBLE-NEXT:    %{{.*}} = arith.extf %x : f16 to f32
te.func @halves(%A: tensor<16xf16>) -> tensor<16xf32> {
  %B = te.compute "B" [%i = 16] {
    %a = te.read %A[%i] : tensor<16xf16>
    te.yield %a : f16
  } : tensor<16xf16>
  %C = te.compute "C" [%i = 16] {
    %x = te.read %B[%i] : tensor<16xf16>
    %y = arith.extf %x : f16 to f32
    te.yield %y : f32
  } : tensor<16xf32>
  te.return %C : tensor<16xf32>
}
