// RUN: not kc-opt %s --split-input-file --lower-tiles 2>&1 >/dev/null | FileCheck %s

// An element of a tile register has no address.
// CHECK: error[KC4256]: lower-tiles: S is not used by intrinsics on tiles alone
// CHECK: why: tir.load uses it, and "amx.tile" is tile registers, whose elements have no addresses
// CHECK: try: tensorize what writes it and what reads it, by intrinsics such as amx_fill_16x16_f32, amx_sync_16x16x32_bf16 and amx_store_16x16_f32
// CHECK: try: give S the scope "local"
func.func @element(%C: memref<16x16xf32>) {
  %S = tir.alloc "S" : memref<16x16xf32, "amx.tile">
  %s = tir.view %S[0, 0] : memref<16x16xf32, "amx.tile"> to memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
  tir.call @fill(write %s) : (memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  %x = tir.load %S[0, 0] : memref<16x16xf32, "amx.tile">
  tir.store %x, %C[0, 0] : memref<16x16xf32>
  func.return
}
func.func private @fill(memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}

// -----

// CHECK: error[KC4257]: lower-tiles: S is not made of tile registers
// CHECK: why: a tile has 17 rows of 64 bytes, and a register at most 16 of 64
// CHECK: try: split the loops over it by the sizes of a tile, and tensorize the inner ones
func.func @too_large() {
  %S = tir.alloc "S" : memref<17x16xf32, "amx.tile">
  %s = tir.view %S[0, 0] : memref<17x16xf32, "amx.tile"> to memref<17x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
  tir.call @fill(write %s) : (memref<17x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  func.return
}
func.func private @fill(memref<17x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}

// -----

// CHECK: error[KC4257]: lower-tiles: S is not made of tile registers
// CHECK: why: dimension 1 of S has 24 elements, and tiles 16
func.func @not_whole() {
  %S = tir.alloc "S" : memref<16x24xf32, "amx.tile">
  %s = tir.view %S[0, 0] : memref<16x24xf32, "amx.tile"> to memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
  tir.call @fill(write %s) : (memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  func.return
}
func.func private @fill(memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}

// -----

// CHECK: error[KC4257]: lower-tiles: S is not made of tile registers
// CHECK: why: small uses tiles of 16 x 8 of it, and fill tiles of 16 x 16
func.func @two_shapes() {
  %S = tir.alloc "S" : memref<16x16xf32, "amx.tile">
  %t = tir.view %S[0, 0] : memref<16x16xf32, "amx.tile"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "amx.tile">
  tir.call @small.tile(write %t) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  %s = tir.view %S[0, 0] : memref<16x16xf32, "amx.tile"> to memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
  tir.call @fill(write %s) : (memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  func.return
}
func.func private @fill(memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}
func.func private @small.tile(memref<16x8xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}

// -----

// CHECK: error[KC4257]: lower-tiles: S is not made of tile registers
// CHECK: why: loop n says which tile is used, and the number of a register is a part of an instruction
func.func @by_a_loop(%k: index) {
  %S = tir.alloc "S" : memref<32x16xf32, "amx.tile">
  tir.for %n in %k {
    %s = tir.view %S[%n * 16, 0] : memref<32x16xf32, "amx.tile"> to memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
    tir.call @fill(write %s) : (memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  }
  func.return
}
func.func private @fill(memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}

// -----

// CHECK: error[KC4258]: lower-tiles: 9 tiles are used at a time
// CHECK: S: 8
// CHECK: T: 1
// CHECK: why: there are 8 tile registers
// CHECK: try: 2 x 2 tiles of sums, with two tiles of each operand, are 8
func.func @nine() {
  %S = tir.alloc "S" : memref<128x16xf32, "amx.tile">
  %T = tir.alloc "T" : memref<16x16xf32, "amx.tile">
  tir.for %n in 8 {
    %s = tir.view %S[%n * 16, 0] : memref<128x16xf32, "amx.tile"> to memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
    tir.call @fill(write %s) : (memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
    %t = tir.view %T[0, 0] : memref<16x16xf32, "amx.tile"> to memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
    tir.call @fill(write %t) : (memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  }
  func.return
}
func.func private @fill(memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}

// -----

// CHECK: error[KC4259]: lower-tiles: a call of anything comes between uses of S
// CHECK: why: what is called may use the tile registers itself, and threads have tile registers of their own
// CHECK: try: store the sums first, or compute what is called in loops of its own
func.func @call(%C: memref<16x16xf32>) {
  %S = tir.alloc "S" : memref<16x16xf32, "amx.tile">
  %s = tir.view %S[0, 0] : memref<16x16xf32, "amx.tile"> to memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
  tir.call @fill(write %s) : (memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  tir.call @anything(update %C) : (memref<16x16xf32>)
  tir.call @fill(write %s) : (memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  func.return
}
func.func private @anything(memref<16x16xf32>)
func.func private @fill(memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}

// -----

// CHECK: error[KC4259]: lower-tiles: the parallel loop i comes between uses of S
func.func @parallel() {
  %S = tir.alloc "S" : memref<16x16xf32, "amx.tile">
  tir.for %i in 4 parallel {
    %s = tir.view %S[0, 0] : memref<16x16xf32, "amx.tile"> to memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
    tir.call @fill(write %s) : (memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  }
  func.return
}
func.func private @fill(memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}
