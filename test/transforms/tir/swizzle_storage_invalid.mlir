// RUN: not kc-opt %s --split-input-file --swizzle-storage 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4245]: swizzle-storage: (i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8) does not permute the 16 x 32 elements of S
//CHECK-NEXT:  --> {{.*}}swizzle_storage_invalid.mlir:9:3  %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)"} : memr...
//CHECK-NEXT:  why: element [4, 0] would be at [4, 32], and dimension 1 has 32 elements
//CHECK-NEXT:  try: swizzle groups of elements of a row, each a power of two and as large as one copy

func.func @compacted(%A: memref<16x32xf16>) {
  %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)"} : memref<16x32xf16>
  %0 = tir.load %S[0, 0] : memref<16x32xf16>
  func.return
}

// -----

//CHECK:error[KC4245]: swizzle-storage: (i, j)->(i, (i mod 2 xor j mod 2) + j floordiv 2) does not permute the 16 x 32 elements of S
//CHECK-NEXT:  --> {{.*}}swizzle_storage_invalid.mlir:22:3  %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, j floordiv 2 + (i mod 2 xor j mod 2))"} : memref<1...
//CHECK-NEXT:  why: elements [0, 1] and [0, 2] would both be at [0, 1]
//CHECK-NEXT:  try: swizzle groups of elements of a row, each a power of two and as large as one copy

func.func @together(%A: memref<16x32xf16>) {
  %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, j floordiv 2 + (i mod 2 xor j mod 2))"} : memref<16x32xf16>
  %0 = tir.load %S[0, 0] : memref<16x32xf16>
  func.return
}

// -----

//CHECK:error[KC4245]: swizzle-storage: (i)->(i) does not permute the 16 x 32 elements of S
//CHECK-NEXT:  --> {{.*}}swizzle_storage_invalid.mlir:35:3  %S = tir.alloc "S" {tir.swizzle = "(i)->(i)"} : memref<16x32xf16>
//CHECK-NEXT:  why: it maps 1 index to 1
//CHECK-NEXT:  try: swizzle groups of elements of a row, each a power of two and as large as one copy

func.func @rank(%A: memref<16x32xf16>) {
  %S = tir.alloc "S" {tir.swizzle = "(i)->(i)"} : memref<16x32xf16>
  %0 = tir.load %S[0, 0] : memref<16x32xf16>
  func.return
}

// -----

//CHECK:error[KC4245]: swizzle-storage: (i)->(i xor 1) does not permute the ? elements of S
//CHECK-NEXT:  --> {{.*}}swizzle_storage_invalid.mlir:48:3  %S = tir.alloc "S" (%n) {tir.swizzle = "(i)->(i xor 1)"} : memref<?xf16>
//CHECK-NEXT:  why: its size is known only at the call
//CHECK-NEXT:  try: swizzle groups of elements of a row, each a power of two and as large as one copy

func.func @size(%n: index) {
  %S = tir.alloc "S" (%n) {tir.swizzle = "(i)->(i xor 1)"} : memref<?xf16>
  %0 = tir.load %S[0] : memref<?xf16>
  func.return
}

// -----

//CHECK:error[KC4246]: swizzle-storage: tir.view needs contiguous elements of S, which a swizzle separates
//CHECK-NEXT:  --> {{.*}}swizzle_storage_invalid.mlir:63:3  %s = tir.view %S[0, 0] : memref<16x32xf16> to memref<4x4xf16, strided<[?, 1], offset: ?>>
//CHECK-NEXT:  why: (i, j)->(i, j xor i mod 4) keeps no two elements of a row contiguous
//CHECK-NEXT:  try: use intrinsics that load rows of 16 bytes: mma_load_m16n8k16_f16_a_shared
//CHECK-NEXT:  try: use storage_align of S in place of the swizzle

func.func @view(%A: memref<16x32xf16>) {
  %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, j xor i mod 4)"} : memref<16x32xf16>
  %s = tir.view %S[0, 0] : memref<16x32xf16> to memref<4x4xf16, strided<[?, 1], offset: ?>>
  tir.call @f(write %s) : (memref<4x4xf16, strided<[?, 1], offset: ?>>)
  func.return
}

func.func private @f(memref<4x4xf16, strided<[?, 1], offset: ?>>)

// -----

//CHECK:error[KC4246]: swizzle-storage: a vector needs contiguous elements of S, which a swizzle separates
//CHECK-NEXT:  --> {{.*}}swizzle_storage_invalid.mlir:80:3  %0 = tir.load %S[0, 0] : memref<16x32xf16>, vector<4xf16>
//CHECK-NEXT:  why: (i, j)->(i, j xor i mod 4) keeps no two elements of a row contiguous
//CHECK-NEXT:  try: use intrinsics that load rows of 16 bytes: mma_load_m16n8k16_f16_a_shared
//CHECK-NEXT:  try: use storage_align of S in place of the swizzle

func.func @vector(%A: memref<16x32xf16>) {
  %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, j xor i mod 4)"} : memref<16x32xf16>
  %0 = tir.load %S[0, 0] : memref<16x32xf16>, vector<4xf16>
  func.return
}
