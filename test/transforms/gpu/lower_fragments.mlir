// RUN: kc-opt %s --lower-fragments | FileCheck %s

// Each lane has four words of each of two tiles, and the address of a row of one.
// CHECK-LABEL: func.func @loaded(%S: memref<32x16xf16, "shared">, %O: memref<32x16xf16>) {
// CHECK-NEXT:    tir.for %y in 2 thread "threadIdx.y" {
// CHECK-NEXT:      tir.for %x in 32 thread "threadIdx.x" {
// CHECK-NEXT:        %F = tir.alloc "F" : memref<2x1x4xi32, "local">
// CHECK-NEXT:        %lane_i32 = nvvm.read.ptx.sreg.laneid : i32
// CHECK-NEXT:        %lane = arith.index_cast %lane_i32 : i32 to index
// CHECK-NEXT:        %0, %1, %2, %3, %4, %5 = memref.extract_strided_metadata %S : memref<32x16xf16, "shared"> -> memref<f16, "shared">, index, index, index, index, index
// CHECK-NEXT:        %strides = arith.constant 16 : index
// CHECK-NEXT:        %strides_1 = arith.constant 1 : index
// CHECK-NEXT:        %6 = tir.apply (%y * 16)
// CHECK-NEXT:        %7 = arith.muli %6, %strides : index
// CHECK-NEXT:        %8 = tir.apply (0)
// CHECK-NEXT:        %9 = arith.muli %8, %strides_1 : index
// CHECK-NEXT:        %offset = arith.addi %7, %9 : index
// CHECK-NEXT:        %start = memref.extract_aligned_pointer_as_index %S : memref<32x16xf16, "shared"> -> index
// CHECK-NEXT:        %start_i64 = arith.index_cast %start : index to i64
// CHECK-NEXT:        %first = llvm.inttoptr %start_i64 : i64 to !llvm.ptr<3>
// CHECK-NEXT:        %offset_i64 = arith.index_cast %offset : index to i64
// CHECK-NEXT:        %p = llvm.getelementptr %first[%offset_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f16
// CHECK-NEXT:        %stride = arith.index_cast %strides : index to i64
// CHECK-NEXT:        %row = tir.apply (%lane mod 16)
// CHECK-NEXT:        %column = tir.apply (((%lane floordiv 16) * 8) mod 16)
// CHECK-NEXT:        %row_i64 = arith.index_cast %row : index to i64
// CHECK-NEXT:        %column_i64 = arith.index_cast %column : index to i64
// CHECK-NEXT:        %down = arith.muli %row_i64, %stride : i64
// CHECK-NEXT:        %along = arith.addi %down, %column_i64 : i64
// CHECK-NEXT:        %from = llvm.getelementptr %p[%along] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f16
// CHECK-NEXT:        %r = nvvm.ldmatrix %from {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK-NEXT:        %r0 = llvm.extractvalue %r[0] : !llvm.struct<(i32, i32, i32, i32)>
// CHECK-NEXT:        tir.store %r0, %F[%y, 0, 0] : memref<2x1x4xi32, "local">
// CHECK-NEXT:        %r1 = llvm.extractvalue %r[1] : !llvm.struct<(i32, i32, i32, i32)>
// CHECK-NEXT:        tir.store %r1, %F[%y, 0, 1] : memref<2x1x4xi32, "local">
// CHECK-NEXT:        %r2 = llvm.extractvalue %r[2] : !llvm.struct<(i32, i32, i32, i32)>
// CHECK-NEXT:        tir.store %r2, %F[%y, 0, 2] : memref<2x1x4xi32, "local">
// CHECK-NEXT:        %r3 = llvm.extractvalue %r[3] : !llvm.struct<(i32, i32, i32, i32)>
// CHECK-NEXT:        tir.store %r3, %F[%y, 0, 3] : memref<2x1x4xi32, "local">
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @loaded(%S: memref<32x16xf16, "shared">, %O: memref<32x16xf16>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 32 thread "threadIdx.x" {
      %F = tir.alloc "F" : memref<32x16xf16, "m16n8k16.matrixA">
      %s = tir.view %S[%y * 16, 0] : memref<32x16xf16, "shared"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
      %f = tir.view %F[%y * 16, 0] : memref<32x16xf16, "m16n8k16.matrixA"> to memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">
      tir.call @mma_load_m16n8k16_f16_a_shared.warp(read %s, write %f) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">)
    }
  }
  func.return
}

func.func private @mma_load_m16n8k16_f16_a_shared.warp(memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">) attributes {
    kc.description = @mma_load_m16n8k16_f16_a_shared.tile, kc.lanes = @mma_load_m16n8k16_f16_a_shared.lane}
func.func private @mma_load_m16n8k16_f16_a_shared.tile(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">) {
  tir.for %i in 16 {
    tir.for %j in 16 {
      tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 16 = %j) do {
        %x = tir.load %A[%v_i, %v_j] : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">
        tir.store %x, %C[%v_i, %v_j] : memref<16x16xf16, strided<[?, 1], offset: ?>, "m16n8k16.matrixA">
      }
    }
  }
  func.return
}
func.func private @mma_load_m16n8k16_f16_a_shared.lane(%A: memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">, %C: memref<4xi32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 a f16 row>}) {
  %lane_i32 = nvvm.read.ptx.sreg.laneid : i32
  %lane = arith.index_cast %lane_i32 : i32 to index
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %A : memref<16x16xf16, strided<[?, 1], offset: ?>, "shared"> -> memref<f16, "shared">, index, index, index, index, index
  %start = "memref.extract_aligned_pointer_as_index"(%A) : (memref<16x16xf16, strided<[?, 1], offset: ?>, "shared">) -> index
  %start_i64 = arith.index_cast %start : index to i64
  %first = llvm.inttoptr %start_i64 : i64 to !llvm.ptr<3>
  %offset_i64 = arith.index_cast %offset : index to i64
  %p = llvm.getelementptr %first[%offset_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f16
  %stride = arith.index_cast %strides#0 : index to i64
  %row = tir.apply ((%lane mod 16))
  %column = tir.apply ((((%lane floordiv 16) * 8) mod 16))
  %row_i64 = arith.index_cast %row : index to i64
  %column_i64 = arith.index_cast %column : index to i64
  %down = arith.muli %row_i64, %stride : i64
  %along = arith.addi %down, %column_i64 : i64
  %from = llvm.getelementptr %p[%along] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f16
  %r = nvvm.ldmatrix %from {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %r0 = llvm.extractvalue %r[0] : !llvm.struct<(i32, i32, i32, i32)>
  tir.store %r0, %C[0] : memref<4xi32, "local">
  %r1 = llvm.extractvalue %r[1] : !llvm.struct<(i32, i32, i32, i32)>
  tir.store %r1, %C[1] : memref<4xi32, "local">
  %r2 = llvm.extractvalue %r[2] : !llvm.struct<(i32, i32, i32, i32)>
  tir.store %r2, %C[2] : memref<4xi32, "local">
  %r3 = llvm.extractvalue %r[3] : !llvm.struct<(i32, i32, i32, i32)>
  tir.store %r3, %C[3] : memref<4xi32, "local">
  func.return
}

// Four warps read a tile by a descriptor: 14 bits of its address, eight rows of 64 bytes as far apart as they are, the
// swizzle of such rows. Threads that have written the buffer have a fence in front of the barrier.
// CHECK-LABEL: func.func @described(
// CHECK-NEXT:    tir.for %y in 2 thread "threadIdx.y" {
// CHECK-NEXT:      tir.for %x in 128 thread "threadIdx.x" {
// CHECK-NEXT:        %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, (j floordiv 8 xor i floordiv 2 mod 4) * 8 + j mod 8)", tir.alignment = 1024 : i64} : memref<128x32xf16, "shared">
// CHECK-NEXT:        tir.store %h, %S[%y * 64, %x mod 32] : memref<128x32xf16, "shared">
// CHECK-NEXT:        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:        %0 = memref.extract_aligned_pointer_as_index %S : memref<128x32xf16, "shared"> -> index
// CHECK-NEXT:        %1 = tir.apply (%y * 4096 + 32)
// CHECK-NEXT:        %2 = arith.addi %0, %1 : index
// CHECK-NEXT:        %3 = arith.index_cast %2 : index to i64
// CHECK-NEXT:        %4 = arith.constant 4 : i64
// CHECK-NEXT:        %5 = arith.shrui %3, %4 : i64
// CHECK-NEXT:        %6 = arith.constant 16383 : i64
// CHECK-NEXT:        %7 = arith.andi %5, %6 : i64
// CHECK-NEXT:        %8 = arith.constant -9223371899415756800 : i64
// CHECK-NEXT:        %d = arith.ori %7, %8 : i64
// CHECK-NEXT:        tir.store %d, %O[0] : memref<1xi64>
func.func @described(%O: memref<1xi64>, %h: f16) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 128 thread "threadIdx.x" {
      %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, (j floordiv 8 xor i floordiv 2 mod 4) * 8 + j mod 8)"} : memref<128x32xf16, "shared">
      tir.store %h, %S[%y * 64, %x mod 32] : memref<128x32xf16, "shared">
      gpu.barrier
      %s = tir.view %S[%y * 64, 0] : memref<128x32xf16, "shared"> to memref<64x32xf16, strided<[?, 1], offset: ?>, "shared">
      %o = tir.view %O[0] : memref<1xi64> to memref<1xi64, strided<[1], offset: ?>>
      tir.call @describe.warp(read %s, write %o) : (memref<64x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>>)
    }
  }
  func.return
}

func.func private @describe.warp(memref<64x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>>) attributes {kc.lanes = @describe.lane}
func.func private @describe.lane(%A: memref<64x32xf16, strided<[?, 1], offset: ?>, "shared">, %O: memref<1xi64, strided<[1], offset: ?>>) {
  %t = tir.view %A[0, 16] : memref<64x32xf16, strided<[?, 1], offset: ?>, "shared"> to memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">
  %d = tir.matrix_descriptor %t along "k" : memref<64x16xf16, strided<[?, 1], offset: ?>, "shared">
  tir.store %d, %O[0] : memref<1xi64, strided<[1], offset: ?>>
  func.return
}
