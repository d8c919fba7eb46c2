// RUN: not kc-opt %s --split-input-file --lower-fragments 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4240]: lower-fragments: F has uses other than tensor intrinsics
//CHECK-NEXT:  --> {{.*}}lower_fragments_invalid.mlir:16:7  %0 = tir.load %F[0, 0] : memref<32x16xf16, "m16n8k16.matrixA">
//CHECK-NEXT:  why: tir.load uses single elements of it, but a warp holds "m16n8k16.matrixA" as tiles; it is not in two loops over the rows and the columns of tiles
//CHECK-NEXT:  try: tensorize all writers and readers by intrinsics such as mma_load_m16n8k16_f16_a_shared and mma_sync_m16n8k16_f16f16f32
//CHECK-NEXT:  try: give F the scope "local"

func.func @elements(%S: memref<32x16xf16, "shared">, %O: memref<32x16xf16>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 32 thread "threadIdx.x" {
      %F = tir.alloc "F" : memref<32x16xf16, "m16n8k16.matrixA">
      %s = tir.view %S[%y * 16, 0] : memref<32x16xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
      %f = tir.view %F[%y * 16, 0] : memref<32x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">
      tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">)
      %0 = tir.load %F[0, 0] : memref<32x16xf16, "m16n8k16.matrixA">
      tir.store %0, %O[0, 0] : memref<32x16xf16>
    }
  }
  func.return
}

func.func private @mma_load_m16n8k16_f16_a_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">) attributes {kc.lanes = @mma_load_m16n8k16_f16_a_shared.lane}
func.func private @mma_load_m16n8k16_f16_a_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<4xi32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 a f16 row>}) {
  %start = memref.extract_aligned_pointer_as_index %A : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared"> -> index
  func.return
}

// -----

//CHECK:error[KC4241]: lower-fragments: F has the wrong scope, "m16n8k8.matrixA"
//CHECK-NEXT:  --> {{.*}}lower_fragments_invalid.mlir:41:7  tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?,...
//CHECK-NEXT:  why: mma_load_m16n8k16_f16_a_shared takes "m16n8k16.matrixA" for this argument

func.func @scope(%S: memref<32x16xf16, "shared">, %O: memref<32x16xf16>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 32 thread "threadIdx.x" {
      %F = tir.alloc "F" : memref<32x16xf16, "m16n8k8.matrixA">
      %s = tir.view %S[%y * 16, 0] : memref<32x16xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
      %f = tir.view %F[%y * 16, 0] : memref<32x16xf16, "m16n8k8.matrixA"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k8.matrixA">
      tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k8.matrixA">)
    }
  }
  func.return
}

func.func private @mma_load_m16n8k16_f16_a_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k8.matrixA">) attributes {kc.lanes = @mma_load_m16n8k16_f16_a_shared.lane}
func.func private @mma_load_m16n8k16_f16_a_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<4xi32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 a f16 row>}) {
  %start = memref.extract_aligned_pointer_as_index %A : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared"> -> index
  func.return
}

// -----

//CHECK:error[KC4242]: lower-fragments: F does not consist of tiles of 16 x 16
//CHECK-NEXT:  --> {{.*}}lower_fragments_invalid.mlir:65:7  %f = tir.view %F[%y * 8, 0] : memref<24x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<...
//CHECK-NEXT:  why: dimension 0 of F has 24 elements, must be a multiple of the tile size 16
//CHECK-NEXT:  try: split the loop over it by 16, and tensorize the inner loop

func.func @whole(%S: memref<32x16xf16, "shared">, %O: memref<32x16xf16>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 32 thread "threadIdx.x" {
      %F = tir.alloc "F" : memref<24x16xf16, "m16n8k16.matrixA">
      %s = tir.view %S[%y * 16, 0] : memref<32x16xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
      %f = tir.view %F[%y * 8, 0] : memref<24x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">
      tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">)
    }
  }
  func.return
}

func.func private @mma_load_m16n8k16_f16_a_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">) attributes {kc.lanes = @mma_load_m16n8k16_f16_a_shared.lane}
func.func private @mma_load_m16n8k16_f16_a_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<4xi32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 a f16 row>}) {
  %start = memref.extract_aligned_pointer_as_index %A : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared"> -> index
  func.return
}

// -----

//CHECK:error[KC4242]: lower-fragments: F does not consist of tiles of 16 x 16
//CHECK-NEXT:  --> {{.*}}lower_fragments_invalid.mlir:90:7  %f = tir.view %F[%y * 8, 0] : memref<32x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<...
//CHECK-NEXT:  why: a tile begins at multiples of 8 along dimension 0 of F, must be a multiple of the tile size 16
//CHECK-NEXT:  try: split the loop over it by 16, and tensorize the inner loop

func.func @begins(%S: memref<32x16xf16, "shared">, %O: memref<32x16xf16>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 32 thread "threadIdx.x" {
      %F = tir.alloc "F" : memref<32x16xf16, "m16n8k16.matrixA">
      %s = tir.view %S[%y * 16, 0] : memref<32x16xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
      %f = tir.view %F[%y * 8, 0] : memref<32x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">
      tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">)
    }
  }
  func.return
}

func.func private @mma_load_m16n8k16_f16_a_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">) attributes {kc.lanes = @mma_load_m16n8k16_f16_a_shared.lane}
func.func private @mma_load_m16n8k16_f16_a_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<4xi32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 a f16 row>}) {
  %start = memref.extract_aligned_pointer_as_index %A : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared"> -> index
  func.return
}

// -----

//CHECK:error[KC4243]: lower-fragments: mma_load_m16n8k16_f16_a_shared is not executed by whole warps
//CHECK-NEXT:  --> {{.*}}lower_fragments_invalid.mlir:116:7  tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?,...
//CHECK-NEXT:  why: there are 16 threads along threadIdx.x, and a warp is 32 threads
//CHECK-NEXT:  try: bind a loop of 32 iterations to "threadIdx.x" where tiles are copied

func.func @warps(%S: memref<32x16xf16, "shared">, %O: memref<32x16xf16>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 16 thread "threadIdx.x" {
      %F = tir.alloc "F" : memref<32x16xf16, "m16n8k16.matrixA">
      %s = tir.view %S[%y * 16, 0] : memref<32x16xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
      %f = tir.view %F[%y * 16, 0] : memref<32x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">
      tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">)
    }
  }
  func.return
}

func.func private @mma_load_m16n8k16_f16_a_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">) attributes {kc.lanes = @mma_load_m16n8k16_f16_a_shared.lane}
func.func private @mma_load_m16n8k16_f16_a_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<4xi32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 a f16 row>}) {
  %start = memref.extract_aligned_pointer_as_index %A : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared"> -> index
  func.return
}

// -----

//CHECK:error[KC4243]: lower-fragments: mma_load_m16n8k16_f16_a_shared is not executed by whole warps
//CHECK-NEXT:  --> {{.*}}lower_fragments_invalid.mlir:141:7  tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?,...
//CHECK-NEXT:  why: its tiles, or its execution, depend on threadIdx.x
//CHECK-NEXT:  try: bind the loops around it to "threadIdx.y" or "threadIdx.z", a warp for each

func.func @lanes(%S: memref<32x16xf16, "shared">, %O: memref<32x16xf16>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 32 thread "threadIdx.x" {
      %F = tir.alloc "F" : memref<32x16xf16, "m16n8k16.matrixA">
      %s = tir.view %S[%x - (%x mod 16), 0] : memref<32x16xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
      %f = tir.view %F[%y * 16, 0] : memref<32x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">
      tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">)
    }
  }
  func.return
}

func.func private @mma_load_m16n8k16_f16_a_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">) attributes {kc.lanes = @mma_load_m16n8k16_f16_a_shared.lane}
func.func private @mma_load_m16n8k16_f16_a_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<4xi32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 a f16 row>}) {
  %start = memref.extract_aligned_pointer_as_index %A : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared"> -> index
  func.return
}

// -----

//CHECK:error[KC4243]: lower-fragments: mma_load_m16n8k16_f16_a_shared is not executed by whole warps
//CHECK-NEXT:  --> {{.*}}lower_fragments_invalid.mlir:167:7  tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?,...
//CHECK-NEXT:  why: its tiles, or its execution, depend on threadIdx.x
//CHECK-NEXT:  try: bind the loops around it to "threadIdx.y" or "threadIdx.z", a warp for each

func.func @guarded(%S: memref<32x16xf16, "shared">, %O: memref<32x16xf16>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 32 thread "threadIdx.x" {
      %F = tir.alloc "F" : memref<32x16xf16, "m16n8k16.matrixA">
      %s = tir.view %S[%y * 16, 0] : memref<32x16xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
      %f = tir.view %F[%y * 16, 0] : memref<32x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">
      tir.if (%x - 16 >= 0) {
      tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">)
      }
    }
  }
  func.return
}

func.func private @mma_load_m16n8k16_f16_a_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">) attributes {kc.lanes = @mma_load_m16n8k16_f16_a_shared.lane}
func.func private @mma_load_m16n8k16_f16_a_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<4xi32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 a f16 row>}) {
  %start = memref.extract_aligned_pointer_as_index %A : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared"> -> index
  func.return
}

// -----

//CHECK:error[KC4244]: lower-fragments: rows of S do not begin at multiples of 16 bytes
//CHECK-NEXT:  --> {{.*}}lower_fragments_invalid.mlir:193:7  tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?,...
//CHECK-NEXT:  why: mma_load_m16n8k16_f16_a_shared takes 16 bytes of a row at a time; rows are 20 elements of 2 bytes apart, and tiles begin at multiples of 16 bytes
//CHECK-NEXT:  try: let the rows be multiples of 8 elements apart

func.func @rows(%S: memref<32x20xf16, "shared">, %O: memref<32x16xf16>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 32 thread "threadIdx.x" {
      %F = tir.alloc "F" : memref<32x16xf16, "m16n8k16.matrixA">
      %s = tir.view %S[%y * 16, 0] : memref<32x20xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
      %f = tir.view %F[%y * 16, 0] : memref<32x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">
      tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">)
    }
  }
  func.return
}

func.func private @mma_load_m16n8k16_f16_a_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">) attributes {kc.lanes = @mma_load_m16n8k16_f16_a_shared.lane}
func.func private @mma_load_m16n8k16_f16_a_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<4xi32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 a f16 row>}) {
  %start = memref.extract_aligned_pointer_as_index %A : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared"> -> index
  func.return
}

// -----

//CHECK:error[KC4240]: lower-fragments: F has uses other than tensor intrinsics
//CHECK-NEXT:  --> {{.*}}lower_fragments_invalid.mlir:216:7  %F = tir.alloc "F" : memref<32x16xf16, "m16n8k16.matrixA">
//CHECK-NEXT:  why: nothing uses it, and the uses determine the kind of its fragments
//CHECK-NEXT:  try: tensorize all writers and readers by intrinsics such as mma_load_m16n8k16_f16_a_shared and mma_sync_m16n8k16_f16f16f32
//CHECK-NEXT:  try: give F the scope "local"

func.func @unused(%S: memref<32x16xf16, "shared">, %O: memref<32x16xf16>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 32 thread "threadIdx.x" {
      %F = tir.alloc "F" : memref<32x16xf16, "m16n8k16.matrixA">
      %s = tir.view %S[%y * 16, 0] : memref<32x16xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
      %f = tir.view %F[%y * 16, 0] : memref<32x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">
    }
  }
  func.return
}

func.func private @mma_load_m16n8k16_f16_a_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">) attributes {kc.lanes = @mma_load_m16n8k16_f16_a_shared.lane}
func.func private @mma_load_m16n8k16_f16_a_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<4xi32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 a f16 row>}) {
  %start = memref.extract_aligned_pointer_as_index %A : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared"> -> index
  func.return
}

// -----

//CHECK:error[KC4241]: lower-fragments: F is used as two kinds of fragments
//CHECK-NEXT:  --> {{.*}}lower_fragments_invalid.mlir:244:5  tir.call @wmma_load_16x16x16_f16_b_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?...
//CHECK-NEXT:   |  wmma_load_16x16x16_f16_b_trans_shared: #nvvm.fragment<wmma m16n16k16 b f16 col>
//CHECK-NEXT:   |  wmma_load_16x16x16_f16_b_shared: #nvvm.fragment<wmma m16n16k16 b f16 row>
//CHECK-NEXT:  why: the two kinds assign elements to lanes differently
//CHECK-NEXT:  try: use intrinsics of the same shape, types and layouts for all uses

func.func @two(%S: memref<16x16xf16, "shared">) {
  tir.for %x in 32 thread "threadIdx.x" {
    %F = tir.alloc "F" : memref<16x16xf16, "wmma.matrix_b">
    %s = tir.view %S[0, 0] : memref<16x16xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
    %f = tir.view %F[0, 0] : memref<16x16xf16, "wmma.matrix_b"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "wmma.matrix_b">
    tir.call @wmma_load_16x16x16_f16_b_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "wmma.matrix_b">)
    tir.call @wmma_load_16x16x16_f16_b_trans_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "wmma.matrix_b">)
  }
  func.return
}

func.func private @wmma_load_16x16x16_f16_b_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "wmma.matrix_b">) attributes {kc.lanes = @wmma_load_16x16x16_f16_b_shared.lane}
func.func private @wmma_load_16x16x16_f16_b_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<8xi32, "local"> {nvvm.fragment = #nvvm.fragment<wmma m16n16k16 b f16 row>}) {
  func.return
}
func.func private @wmma_load_16x16x16_f16_b_trans_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "wmma.matrix_b">) attributes {kc.lanes = @wmma_load_16x16x16_f16_b_trans_shared.lane}
func.func private @wmma_load_16x16x16_f16_b_trans_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<8xi32, "local"> {nvvm.fragment = #nvvm.fragment<wmma m16n16k16 b f16 col>}) {
  func.return
}
