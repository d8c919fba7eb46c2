// A map with xor that keeps the shape of a buffer is noted at it, and applied when memory is laid out.
// RUN: kc-opt %s --transform-layout="func=swizzled block=S buffer=S index-map=(i,j)->(i,(j//8^i%8)*8+j%8)" | FileCheck %s --check-prefix=NOTED
// RUN: kc-opt %s --transform-layout="block=S buffer=S index-map=(i,j)->(i,(j//8^i%16)*8+j%8)" | FileCheck %s --check-prefix=CHANGED
// RUN: kc-opt %s --transform-layout="func=swizzled block=S buffer=S index-map=(i,j)->(i,(j//8^i%8)*8+j%8)" --lower-blocks --swizzle-storage | FileCheck %s --check-prefix=LOWERED
// RUN: not kc-opt %s --transform-layout="block=S buffer=S index-map=(i,j)->(i,j//8^i%16)" 2>&1 >/dev/null | FileCheck %s --check-prefix=CLASH --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="block=S buffer=S index-map=(i,j)->(i,j^i)" 2>&1 >/dev/null | FileCheck %s --check-prefix=WIDE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=swizzled block=S buffer=S index-map=(i,j)->(i,(j//8^i%8)*8+j%8)" --transform-layout="block=S buffer=S index-map=(i,j)->(j,i)" 2>&1 >/dev/null | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=swizzled block=S buffer=S index-map=(i,j)->(i,(j//8^i%8)*8+j%8)" --storage-align="block=S buffer=S axis=0 factor=8" 2>&1 >/dev/null | FileCheck %s --check-prefix=PADDED --match-full-lines --strict-whitespace

func.func @swizzled(%A: memref<16x64xf16>, %C: memref<64x16xf16>) {
  %S = tir.alloc "S" : memref<16x64xf16>
  tir.for %i in 16 {
    tir.for %j in 64 {
      tir.block "S" (spatial %v_i in 16 = %i, spatial %v_j in 64 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<16x64xf16>
        tir.store %a, %S[%v_i, %v_j] : memref<16x64xf16>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 16 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 16 = %j) do {
        %s = tir.load %S[%v_j, %v_i] : memref<16x64xf16>
        tir.store %s, %C[%v_i, %v_j] : memref<64x16xf16>
      }
    }
  }
  func.return
}

// NOTED:      func.func @swizzled(%A: memref<16x64xf16>, %C: memref<64x16xf16>) {
// NOTED-NEXT:     %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)"} : memref<16x64xf16>
// NOTED-NEXT:     tir.for %i in 16 {
// NOTED-NEXT:       tir.for %j in 64 {
// NOTED-NEXT:         tir.block "S" (spatial %v_i in 16 = %i, spatial %v_j in 64 = %j) do {
// NOTED-NEXT:           %a = tir.load %A[%v_i, %v_j] : memref<16x64xf16>
// NOTED-NEXT:           tir.store %a, %S[%v_i, %v_j] : memref<16x64xf16>
// NOTED-NEXT:         }
// NOTED-NEXT:       }

// CHANGED:      func.func @swizzled(%A: memref<16x64xf16>, %C: memref<64x16xf16>) {
// CHANGED-NEXT:     %S = tir.alloc "S" : memref<16x128xf16>
// CHANGED-NEXT:     tir.for %i in 16 {
// CHANGED-NEXT:       tir.for %j in 64 {
// CHANGED-NEXT:         tir.block "S" (spatial %v_i in 16 = %i, spatial %v_j in 64 = %j) do {
// CHANGED-NEXT:           %a = tir.load %A[%v_i, %v_j] : memref<16x64xf16>
// CHANGED-NEXT:           tir.store %a, %S[%v_i, (%v_j floordiv 8 + %v_i) mod 2 * 8 + (%v_j floordiv 16 + %v_i floordiv 2) mod 2 * 16 + (%v_j floordiv 32 + %v_i floordiv 4) mod 2 * 32 + (%v_i floordiv 8) * 64 + %v_j mod 8] : memref<16x128xf16>
// CHANGED-NEXT:         }
// CHANGED-NEXT:       }

// LOWERED:      func.func @swizzled(%A: memref<16x64xf16>, %C: memref<64x16xf16>) {
// LOWERED-NEXT:     %S = tir.alloc "S" : memref<16x64xf16>
// LOWERED-NEXT:     tir.for %i in 16 {
// LOWERED-NEXT:       tir.for %j in 64 {
// LOWERED-NEXT:         %a = tir.load %A[%i, %j] : memref<16x64xf16>
// LOWERED-NEXT:         tir.store %a, %S[%i, (%j floordiv 8 + %i) mod 2 * 8 + (%j floordiv 16 + (%i mod 8) floordiv 2) mod 2 * 16 + (%j floordiv 32 + (%i mod 8) floordiv 4) mod 2 * 32 + %j mod 8] : memref<16x64xf16>
// LOWERED-NEXT:       }
// LOWERED-NEXT:     }
// LOWERED-NEXT:     tir.for %i_1 "i" in 64 {
// LOWERED-NEXT:       tir.for %j_1 "j" in 16 {
// LOWERED-NEXT:         %s = tir.load %S[%j_1, (%i_1 floordiv 8 + %j_1) mod 2 * 8 + (%i_1 floordiv 16 + (%j_1 mod 8) floordiv 2) mod 2 * 16 + (%i_1 floordiv 32 + (%j_1 mod 8) floordiv 4) mod 2 * 32 + %i_1 mod 8] : memref<16x64xf16>
// LOWERED-NEXT:         tir.store %s, %C[%i_1, %j_1] : memref<64x16xf16>
// LOWERED-NEXT:       }
// LOWERED-NEXT:     }

//CLASH:error[KC3502]: transform_layout: (i, j)->(i, j floordiv 8 xor i mod 16) is not injective on S
//CLASH-NEXT:  --> {{.*}}transform_layout_swizzle.mlir:14:7  tir.block "S" (spatial %v_i in 16 = %i, spatial %v_j in 64 = %j) do {
//CLASH-NEXT:   |  for i in 16:
//CLASH-NEXT:   |    for j in 64:
//CLASH-NEXT:   |      block S    <-- here
//CLASH-NEXT:  why: elements [0, 0] and [0, 1] would both be at [0, 0]

//WIDE:error[KC0012]: transform-layout: option 'index-map' takes an index map (an operand of xor has at most 16 bits, as a remainder does: i % 8), not '(i,j)->(i,j^i)'
//WIDE-NEXT:   |  block=S buffer=S index-map=(i,j)->(i,j^i)
//WIDE-NEXT:   |                             ^^^^^^^^^^^^^^

//TWICE:error[KC3509]: transform_layout: S of block S has a swizzle
//TWICE-NEXT:  --> {{.*}}transform_layout_swizzle.mlir:14:7  tir.block "S" (spatial %v_i in 16 = %i, spatial %v_j in 64 = %j) do {
//TWICE-NEXT:   |  for i in 16:
//TWICE-NEXT:   |    for j in 64:
//TWICE-NEXT:   |      block S    <-- here
//TWICE-NEXT:  why: the swizzle refers to the present elements
//TWICE-NEXT:  try: use one map for both changes

//PADDED:error[KC3509]: storage_align: S of block S has a swizzle
//PADDED-NEXT:  --> {{.*}}transform_layout_swizzle.mlir:14:7  tir.block "S" (spatial %v_i in 16 = %i, spatial %v_j in 64 = %j) do {
//PADDED-NEXT:   |  for i in 16:
//PADDED-NEXT:   |    for j in 64:
//PADDED-NEXT:   |      block S    <-- here
//PADDED-NEXT:  why: padding would move elements that the swizzle has put into different banks
//PADDED-NEXT:  try: use only one of them: each puts rows into different banks
