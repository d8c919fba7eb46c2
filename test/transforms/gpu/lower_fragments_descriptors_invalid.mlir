// RUN: not kc-opt %s --split-input-file --lower-fragments 2>&1 >/dev/null | FileCheck %s

// Rows that no swizzle is of.
// CHECK: error[KC4248]: lower-fragments: S is not laid out as product reads it
// CHECK: why: its rows are 96 bytes apart, not 32, 64 or 128
func.func @f() {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 128 thread "threadIdx.x" {
      %S = tir.alloc "S" : memref<64x48xf16, "shared">
      %s = tir.view %S[0, 0] : memref<64x48xf16, "shared"> to memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">
      tir.call @product.warp(read %s) : (memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">)
    }
  }
  func.return
}
func.func private @product.warp(memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">) attributes {kc.lanes = @product.lane}
func.func private @product.lane(%A: memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">) {
  %t = tir.view %A[0, 0] : memref<64x16xf16, strided<[?, 1], offset: ?>, "shared"> to memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">
  %d = tir.matrix_descriptor %t along "k" : memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">
  func.return
}

// -----

// A tile between eight rows and the next.
// CHECK: error[KC4248]: lower-fragments: S is not laid out as product reads it
// CHECK: why: tiles begin at multiples of 4 along dimension 0, not of 8
func.func @f() {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 128 thread "threadIdx.x" {
      %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)"} : memref<72x64xf16, "shared">
      %s = tir.view %S[%y * 4, 0] : memref<72x64xf16, "shared"> to memref<64x64xf16, strided<[?, 1], offset: ?>, "shared">
      tir.call @product.warp(read %s) : (memref<64x64xf16, strided<[?, 1], offset: ?>, "shared">)
    }
  }
  func.return
}
func.func private @product.warp(memref<64x64xf16, strided<[?, 1], offset: ?>, "shared">) attributes {kc.lanes = @product.lane}
func.func private @product.lane(%A: memref<64x64xf16, strided<[?, 1], offset: ?>, "shared">) {
  %t = tir.view %A[0, 0] : memref<64x64xf16, strided<[?, 1], offset: ?>, "shared"> to memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">
  %d = tir.matrix_descriptor %t along "k" : memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">
  func.return
}

// -----

// A part of a row, where elements across k are next to each other.
// CHECK: error[KC4248]: lower-fragments: S is not laid out as product reads it
// CHECK: why: a tile has 64 of the 128 bytes of a row, and must have all
func.func @f() {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 128 thread "threadIdx.x" {
      %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)"} : memref<64x64xf16, "shared">
      %s = tir.view %S[0, 0] : memref<64x64xf16, "shared"> to memref<16x32xf16, strided<[?, 1], offset: ?>, "shared">
      tir.call @product.warp(read %s) : (memref<16x32xf16, strided<[?, 1], offset: ?>, "shared">)
    }
  }
  func.return
}
func.func private @product.warp(memref<16x32xf16, strided<[?, 1], offset: ?>, "shared">) attributes {kc.lanes = @product.lane}
func.func private @product.lane(%A: memref<16x32xf16, strided<[?, 1], offset: ?>, "shared">) {
  %t = tir.view %A[0, 0] : memref<16x32xf16, strided<[?, 1], offset: ?>, "shared"> to memref<16x32xf16, strided<[?, 1], offset: ?>, "shared">
  %d = tir.matrix_descriptor %t along "mn" : memref<16x32xf16, strided<[?, 1], offset: ?>, "shared">
  func.return
}

// -----

// A tile that begins within what a product takes of a row.
// CHECK: error[KC4248]: lower-fragments: S is not laid out as product reads it
// CHECK: why: tiles begin at multiples of 16 bytes of a row
func.func @f() {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 128 thread "threadIdx.x" {
      %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)"} : memref<64x64xf16, "shared">
      %s = tir.view %S[0, %y * 8] : memref<64x64xf16, "shared"> to memref<64x32xf16, strided<[?, 1], offset: ?>, "shared">
      tir.call @product.warp(read %s) : (memref<64x32xf16, strided<[?, 1], offset: ?>, "shared">)
    }
  }
  func.return
}
func.func private @product.warp(memref<64x32xf16, strided<[?, 1], offset: ?>, "shared">) attributes {kc.lanes = @product.lane}
func.func private @product.lane(%A: memref<64x32xf16, strided<[?, 1], offset: ?>, "shared">) {
  %t = tir.view %A[0, 0] : memref<64x32xf16, strided<[?, 1], offset: ?>, "shared"> to memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">
  %d = tir.matrix_descriptor %t along "k" : memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">
  func.return
}

// -----

// Panels too far apart.
// CHECK: error[KC4248]: lower-fragments: S is not laid out as product reads it
// CHECK: why: its panels are 262144 bytes apart or more
func.func @f() {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 128 thread "threadIdx.x" {
      %S = tir.alloc "S" {tir.swizzle = "(p, i, j)->(p, i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)"} : memref<2x2048x64xf16, "shared">
      %s = tir.view %S[0, 0, 0] : memref<2x2048x64xf16, "shared"> to memref<2x64x64xf16, strided<[?, ?, 1], offset: ?>, "shared">
      tir.call @product.warp(read %s) : (memref<2x64x64xf16, strided<[?, ?, 1], offset: ?>, "shared">)
    }
  }
  func.return
}
func.func private @product.warp(memref<2x64x64xf16, strided<[?, ?, 1], offset: ?>, "shared">) attributes {kc.lanes = @product.lane}
func.func private @product.lane(%A: memref<2x64x64xf16, strided<[?, ?, 1], offset: ?>, "shared">) {
  %t = tir.view %A[0, 0, 0] : memref<2x64x64xf16, strided<[?, ?, 1], offset: ?>, "shared"> to memref<2x64x64xf16, strided<[?, ?, 1], offset: ?>, "shared">
  %d = tir.matrix_descriptor %t along "mn" : memref<2x64x64xf16, strided<[?, ?, 1], offset: ?>, "shared">
  func.return
}
