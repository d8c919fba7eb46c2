// RUN: kc-opt %s --lower-tiles | FileCheck %s

// Sums stay in registers over the loop; its two copies of a tile of A are registers 1 and 2.
// CHECK:      memref.global "private" constant @tile_shapes0 : memref<64xi8> = dense<[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 64, 0, 64, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 12, 12, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> {alignment = 64 : i64}
// CHECK-LABEL: func.func @product
// CHECK-NEXT:   %[[SHAPES:.*]] = memref.get_global @tile_shapes0 : memref<64xi8>
// CHECK-NEXT:   %[[FIRST:.*]] = memref.extract_aligned_pointer_as_index %[[SHAPES]] {kc.first_element} : memref<64xi8> -> index
// CHECK-NEXT:   %[[ADDRESS:.*]] = arith.index_cast %[[FIRST]] : index to i64
// CHECK-NEXT:   %[[POINTER:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr
// CHECK-NEXT:   llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[POINTER]]) : (!llvm.ptr) -> ()
// CHECK-NEXT:   %[[C:.*]] = llvm.mlir.constant(0 : i8) : i8
// CHECK-NEXT:   llvm.call_intrinsic "llvm.x86.tilezero"(%[[C]]) : (i8) -> ()
// CHECK-NEXT:   tir.for %k in 8 {
// CHECK:          %[[ROW:.*]] = arith.constant 512 : i64
// CHECK-NEXT:     %[[A0:.*]] = llvm.mlir.constant(1 : i8) : i8
// CHECK-NEXT:     llvm.call_intrinsic "llvm.x86.tileloadd64"(%[[A0]], %{{.*}}, %[[ROW]]) : (i8, !llvm.ptr, i64) -> ()
// CHECK:          %[[A1:.*]] = llvm.mlir.constant(2 : i8) : i8
// CHECK:          llvm.call_intrinsic "llvm.x86.tileloadd64"(%[[A1]], %{{.*}}, %{{.*}}) : (i8, !llvm.ptr, i64) -> ()
// CHECK:          %[[B:.*]] = llvm.mlir.constant(3 : i8) : i8
// CHECK:          llvm.call_intrinsic "llvm.x86.tileloadd64"(%[[B]], %{{.*}}, %{{.*}}) : (i8, !llvm.ptr, i64) -> ()
// CHECK-NEXT:     %[[A:.*]] = llvm.mlir.constant(2 : i8) : i8
// CHECK-NEXT:     %[[B1:.*]] = llvm.mlir.constant(3 : i8) : i8
// CHECK-NEXT:     %[[C1:.*]] = llvm.mlir.constant(0 : i8) : i8
// CHECK-NEXT:     llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%[[C1]], %[[A]], %[[B1]]) : (i8, i8, i8) -> ()
// CHECK-NEXT:   }
// CHECK:        llvm.call_intrinsic "llvm.x86.tilestored64"(%{{.*}}, %{{.*}}, %{{.*}}) : (i8, !llvm.ptr, i64) -> ()
// CHECK-NEXT:   llvm.call_intrinsic "llvm.x86.tilerelease"() : () -> ()
// CHECK-NEXT:   func.return
func.func @product(%A: memref<24x256xbf16>, %B: memref<128x16x2xbf16>, %C: memref<12x16xf32>) {
  %S = tir.alloc "S" : memref<12x16xf32, "amx.tile">
  %s = tir.view %S[0, 0] : memref<12x16xf32, "amx.tile"> to memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
  tir.call @fill(write %s) : (memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  tir.for %k in 8 {
    %T = tir.alloc "T" : memref<24x32xbf16, "amx.tile">
    tir.for %n in 2 {
      %a = tir.view %A[%n * 12, %k * 32] : memref<24x256xbf16> to memref<12x32xbf16, strided<[?, 1], offset: ?>>
      %t = tir.view %T[%n * 12, 0] : memref<24x32xbf16, "amx.tile"> to memref<12x32xbf16, strided<[?, 1], offset: ?>, "amx.tile">
      tir.call @load_a(read %a, write %t) : (memref<12x32xbf16, strided<[?, 1], offset: ?>>, memref<12x32xbf16, strided<[?, 1], offset: ?>, "amx.tile">)
    }
    %U = tir.alloc "U" : memref<16x16x2xbf16, "amx.tile">
    %b = tir.view %B[%k * 16, 0, 0] : memref<128x16x2xbf16> to memref<16x16x2xbf16, strided<[?, 2, 1], offset: ?>>
    %u = tir.view %U[0, 0, 0] : memref<16x16x2xbf16, "amx.tile"> to memref<16x16x2xbf16, strided<[?, 2, 1], offset: ?>, "amx.tile">
    tir.call @load_b(read %b, write %u) : (memref<16x16x2xbf16, strided<[?, 2, 1], offset: ?>>, memref<16x16x2xbf16, strided<[?, 2, 1], offset: ?>, "amx.tile">)
    %second = tir.view %T[12, 0] : memref<24x32xbf16, "amx.tile"> to memref<12x32xbf16, strided<[?, 1], offset: ?>, "amx.tile">
    tir.call @sync(read %second, read %u, update %s) : (memref<12x32xbf16, strided<[?, 1], offset: ?>, "amx.tile">, memref<16x16x2xbf16, strided<[?, 2, 1], offset: ?>, "amx.tile">, memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
  }
  %c = tir.view %C[0, 0] : memref<12x16xf32> to memref<12x16xf32, strided<[?, 1], offset: ?>>
  tir.call @store(read %s, write %c) : (memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">, memref<12x16xf32, strided<[?, 1], offset: ?>>)
  func.return
}

// The configuration stands in front of the outermost loop without a call; rows are as far apart as
// the argument says.
// CHECK-LABEL: func.func @hoisted
// CHECK-NEXT:   tir.for %i in 4 {
// CHECK-NEXT:     tir.call @anything
// CHECK-NEXT:     %{{.*}} = memref.get_global @tile_shapes1
// CHECK:          llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK-NEXT:     tir.for %j in 3 {
// CHECK-NEXT:       %{{.*}} = llvm.mlir.constant(0 : i8)
// CHECK-NEXT:       llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK:            %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[STRIDE:.*]], %{{.*}} = memref.extract_strided_metadata
// CHECK-NEXT:       %[[ELEMENTS:.*]] = arith.index_cast %[[STRIDE]] : index to i64
// CHECK-NEXT:       %[[SIZE:.*]] = arith.constant 4 : i64
// CHECK-NEXT:       %{{.*}} = arith.muli %[[ELEMENTS]], %[[SIZE]] : i64
// CHECK-NEXT:       llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK-NEXT:     }
// CHECK-NEXT:     llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK-NEXT:   }
func.func @hoisted(%C: memref<12x?xf32, strided<[?, 1], offset: ?>>) {
  tir.for %i in 4 {
    tir.call @anything(update %C) : (memref<12x?xf32, strided<[?, 1], offset: ?>>)
    tir.for %j in 3 {
      %S = tir.alloc "S" : memref<12x16xf32, "amx.tile">
      %s = tir.view %S[0, 0] : memref<12x16xf32, "amx.tile"> to memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
      tir.call @fill(write %s) : (memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
      %c = tir.view %C[0, %j * 16] : memref<12x?xf32, strided<[?, 1], offset: ?>> to memref<12x16xf32, strided<[?, 1], offset: ?>>
      tir.call @store(read %s, write %c) : (memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">, memref<12x16xf32, strided<[?, 1], offset: ?>>)
    }
  }
  func.return
}

// In a parallel loop it is written once for all the iterations that a thread runs in a row. What may
// be memory from the heap is allocated before it: a call keeps no configuration.
// CHECK-LABEL: func.func @chunks
// CHECK-NEXT:   tir.for %i in 4 parallel {
// CHECK-NEXT:     %D = tir.alloc "D" : memref<2048xf32>
// CHECK-NEXT:     %{{.*}} = memref.get_global @tile_shapes1
// CHECK:          llvm.call_intrinsic "llvm.x86.ldtilecfg"(%{{.*}}) {kc.once_per_chunk = "before"} : (!llvm.ptr) -> ()
// CHECK-NEXT:     tir.for %j in 3 {
// CHECK-NEXT:       %{{.*}} = llvm.mlir.constant(0 : i8)
// CHECK-NEXT:       llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK:            llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK-NEXT:     }
// CHECK-NEXT:     llvm.call_intrinsic "llvm.x86.tilerelease"() {kc.once_per_chunk = "behind"} : () -> ()
// CHECK-NEXT:   }
func.func @chunks(%C: memref<12x?xf32, strided<[?, 1], offset: ?>>) {
  tir.for %i in 4 parallel {
    tir.for %j in 3 {
      %D = tir.alloc "D" : memref<2048xf32>
      %S = tir.alloc "S" : memref<12x16xf32, "amx.tile">
      %s = tir.view %S[0, 0] : memref<12x16xf32, "amx.tile"> to memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
      tir.call @fill(write %s) : (memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
      %c = tir.view %C[0, %i * 48 + %j * 16] : memref<12x?xf32, strided<[?, 1], offset: ?>> to memref<12x16xf32, strided<[?, 1], offset: ?>>
      tir.call @store(read %s, write %c) : (memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">, memref<12x16xf32, strided<[?, 1], offset: ?>>)
    }
  }
  func.return
}

// Memory of a size that the iteration says is allocated in each of them: so long does a
// configuration last.
// CHECK-LABEL: func.func @allocations
// CHECK-NEXT:   tir.for %i in 4 parallel {
// CHECK:          tir.for %j in 3 {
// CHECK-NEXT:       %{{.*}} = arith.addi %i, %j
// CHECK-NEXT:       %D = tir.alloc "D" (%{{.*}})
// CHECK:            llvm.call_intrinsic "llvm.x86.ldtilecfg"(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK:            llvm.call_intrinsic "llvm.x86.tilerelease"() : () -> ()
// CHECK-NEXT:     }
// CHECK-NEXT:   }
func.func @allocations(%C: memref<12x?xf32, strided<[?, 1], offset: ?>>) {
  tir.for %i in 4 parallel {
    tir.for %j in 3 {
      %n = arith.addi %i, %j : index
      %D = tir.alloc "D" (%n) : memref<?xf32>
      %S = tir.alloc "S" : memref<12x16xf32, "amx.tile">
      %s = tir.view %S[0, 0] : memref<12x16xf32, "amx.tile"> to memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
      tir.call @fill(write %s) : (memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
      %c = tir.view %C[0, %i * 48 + %j * 16] : memref<12x?xf32, strided<[?, 1], offset: ?>> to memref<12x16xf32, strided<[?, 1], offset: ?>>
      tir.call @store(read %s, write %c) : (memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">, memref<12x16xf32, strided<[?, 1], offset: ?>>)
    }
  }
  func.return
}

// Tiles of two sizes, used in turn, fit into eight registers: both have one configuration, which is
// written once.
// CHECK-LABEL: func.func @turns
// CHECK-NEXT:   memref.get_global @tile_shapes2
// CHECK:        llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK-NEXT:   tir.for %i in 4 {
// CHECK-NEXT:     %[[FIRST:.*]] = llvm.mlir.constant(0 : i8)
// CHECK-NEXT:     llvm.call_intrinsic "llvm.x86.tilezero"(%[[FIRST]])
// CHECK:          llvm.call_intrinsic "llvm.x86.tilestored64"(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NEXT:   }
// CHECK-NEXT:   tir.for %{{.*}} "i" in 4 {
// CHECK-NEXT:     %[[SECOND:.*]] = llvm.mlir.constant(1 : i8)
// CHECK-NEXT:     llvm.call_intrinsic "llvm.x86.tilezero"(%[[SECOND]])
// CHECK:          llvm.call_intrinsic "llvm.x86.tilestored64"(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK-NEXT:   tir.call @anything
// CHECK-NOT:    ldtilecfg
func.func @turns(%C: memref<12x?xf32, strided<[?, 1], offset: ?>>) {
  tir.for %i in 4 {
    %S = tir.alloc "S" : memref<12x16xf32, "amx.tile">
    %s = tir.view %S[0, 0] : memref<12x16xf32, "amx.tile"> to memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
    tir.call @fill(write %s) : (memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
    %c = tir.view %C[0, %i * 16] : memref<12x?xf32, strided<[?, 1], offset: ?>> to memref<12x16xf32, strided<[?, 1], offset: ?>>
    tir.call @store(read %s, write %c) : (memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">, memref<12x16xf32, strided<[?, 1], offset: ?>>)
  }
  tir.for %i in 4 {
    %S = tir.alloc "S" : memref<5x16xf32, "amx.tile">
    %s = tir.view %S[0, 0] : memref<5x16xf32, "amx.tile"> to memref<5x16xf32, strided<[?, 1], offset: ?>, "amx.tile">
    tir.call @fill_5(write %s) : (memref<5x16xf32, strided<[?, 1], offset: ?>, "amx.tile">)
    %c = tir.view %C[0, %i * 16] : memref<12x?xf32, strided<[?, 1], offset: ?>> to memref<5x16xf32, strided<[?, 1], offset: ?>>
    tir.call @store_5(read %s, write %c) : (memref<5x16xf32, strided<[?, 1], offset: ?>, "amx.tile">, memref<5x16xf32, strided<[?, 1], offset: ?>>)
  }
  tir.call @anything(update %C) : (memref<12x?xf32, strided<[?, 1], offset: ?>>)
  func.return
}

func.func private @anything(memref<12x?xf32, strided<[?, 1], offset: ?>>)
// CHECK-NOT: @fill
func.func private @fill(memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}
func.func private @load_a(memref<12x32xbf16, strided<[?, 1], offset: ?>>, memref<12x32xbf16, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tileloadd64"}
func.func private @load_b(memref<16x16x2xbf16, strided<[?, 2, 1], offset: ?>>, memref<16x16x2xbf16, strided<[?, 2, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tileloadd64"}
func.func private @sync(memref<12x32xbf16, strided<[?, 1], offset: ?>, "amx.tile">, memref<16x16x2xbf16, strided<[?, 2, 1], offset: ?>, "amx.tile">, memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tdpbf16ps"}
func.func private @store(memref<12x16xf32, strided<[?, 1], offset: ?>, "amx.tile">, memref<12x16xf32, strided<[?, 1], offset: ?>>) attributes {kc.tiles = "tilestored64"}
func.func private @fill_5(memref<5x16xf32, strided<[?, 1], offset: ?>, "amx.tile">) attributes {kc.tiles = "tilezero"}
func.func private @store_5(memref<5x16xf32, strided<[?, 1], offset: ?>, "amx.tile">, memref<5x16xf32, strided<[?, 1], offset: ?>>) attributes {kc.tiles = "tilestored64"}
