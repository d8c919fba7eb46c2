// RUN: not kc-opt %s --split-input-file --lower-tiles 2>&1 >/dev/null | FileCheck %s

// An element of a tile register has no address.
// CHECK: error[KC4256]: lower-tiles: S has uses other than intrinsics on tiles
// CHECK: why: tir.load uses it, but "amx.tile" stands for tile registers, whose elements have no addresses
// CHECK: try: tensorize all writers and readers by intrinsics such as amx_fill_16x16_f32, amx_sync_16x16x32_bf16 and amx_store_16x16_f32
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

// CHECK: error[KC4257]: lower-tiles: S cannot be kept in tile registers
// CHECK: why: a tile has 17 rows of 64 bytes, but a tile register holds at most 16 rows of 64 bytes
// CHECK: try: split the loops over it by the sizes of a tile, and tensorize the inner loops
func.func @too_large() {
  %S = tir.alloc "S" : memref<17x16xf32, "amx.tile">
  %s = tir.view %S[0, 0] : memref<17x16xf32, "amx.tile"> to memref<17x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
  tir.call @fill(write %s) : (memref<17x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  func.return
}
func.func private @fill(memref<17x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}

// -----

// CHECK: error[KC4257]: lower-tiles: S cannot be kept in tile registers
// CHECK: why: dimension 1 of S has 24 elements, must be a multiple of the tile size 16
func.func @not_whole() {
  %S = tir.alloc "S" : memref<16x24xf32, "amx.tile">
  %s = tir.view %S[0, 0] : memref<16x24xf32, "amx.tile"> to memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
  tir.call @fill(write %s) : (memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  func.return
}
func.func private @fill(memref<16x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}

// -----

// CHECK: error[KC4257]: lower-tiles: S cannot be kept in tile registers
// CHECK: why: small uses tiles of 16 x 8, but fill uses tiles of 16 x 16
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

// CHECK: error[KC4257]: lower-tiles: S cannot be kept in tile registers
// CHECK: why: loop n selects the tile, but an instruction contains the number of its tile register as a constant
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

// CHECK: error[KC4258]: lower-tiles: 9 tiles are live at the same time
// CHECK: S: 8
// CHECK: T: 1
// CHECK: why: there are only 8 tile registers
// CHECK: try: use at most 2 x 2 tiles of sums and two tiles of each operand: 8 in total
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
// CHECK: why: a called function may overwrite the tile registers, and each thread has its own tile registers
// CHECK: try: store the sums first, or make the call in a loop nest of its own
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
