// RUN: kc-opt %s --lower-fragments | FileCheck %s

// A lane does what follows a product for the four elements that it holds of a tile of 16 x 8 sums.
// CHECK-LABEL: func.func @relu
// CHECK:      %C = tir.alloc "C" : memref<1x1x4xf32, "local">
// CHECK:      %[[ROW:.*]] = tir.apply ((%x mod 32) floordiv 4)
// CHECK-NEXT: %[[COLUMN:.*]] = tir.apply ((%x mod 32) mod 4 * 2)
// CHECK-NEXT: %[[SUM:.*]] = tir.load %C[0, 0, 0] : memref<1x1x4xf32, "local">
// CHECK-NEXT: %[[BIAS:.*]] = tir.load %bias[%[[COLUMN]]] : memref<8xf32>
// CHECK-NEXT: %[[VALUE:.*]] = arith.addf %[[SUM]], %[[BIAS]] : f32
// CHECK-NEXT: tir.store %[[VALUE]], %C[0, 0, 0] : memref<1x1x4xf32, "local">
// CHECK-NEXT: tir.apply
// CHECK-NEXT: tir.apply ((%x mod 32) mod 4 * 2 + 1)
// CHECK:      tir.store %{{.*}}, %C[0, 0, 1] : memref<1x1x4xf32, "local">
// CHECK-NEXT: tir.apply ((%x mod 32) floordiv 4 + 8)
// CHECK:      tir.store %{{.*}}, %C[0, 0, 2] : memref<1x1x4xf32, "local">
// CHECK:      tir.store %{{.*}}, %C[0, 0, 3] : memref<1x1x4xf32, "local">
// CHECK-NOT:  tir.for
// CHECK:      func.return
func.func @relu(%bias: memref<8xf32>) {
  tir.for %x in 32 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill.warp(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
    tir.for %i in 16 {
      tir.for %j in 8 {
        %s = tir.load %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
        %b = tir.load %bias[%j] : memref<8xf32>
        %v = arith.addf %s, %b : f32
        tir.store %v, %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
      }
    }
  }
  func.return
}

func.func private @fill.warp(memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">) attributes {kc.lanes = @fill.lane}
func.func private @fill.lane(%C: memref<4xf32, "local"> {nvvm.fragment = #nvvm.fragment<mma m16n8k16 c f32 row>}) {
  func.return
}

// Of a tile that goes beyond the last row of its matrix, a lane stores the elements that there are,
// two neighbours at a time. Eight rows are always there, and of the others four.
// CHECK-LABEL: func.func @crop
// CHECK:      %[[FIRST:.*]] = tir.load %C[0, 0, 0] : memref<1x1x4xf32, "local">
// CHECK:      %[[SECOND:.*]] = tir.load %C[0, 0, 1] : memref<1x1x4xf32, "local">
// CHECK-NEXT: %[[BOTH:.*]] = vector.from_elements %[[FIRST]], %[[SECOND]] : vector<2xf32>
// CHECK-NEXT: tir.store %[[BOTH]], %D[%x floordiv 4, (%x mod 4) * 2] : memref<12x8xf32>, vector<2xf32>
// CHECK:      tir.if (%x floordiv 4 < 4) {
// CHECK:        vector.from_elements
// CHECK-NEXT:   tir.store %{{.*}}, %D[%x floordiv 4 + 8, (%x mod 4) * 2] : memref<12x8xf32>, vector<2xf32>
// CHECK-NEXT: }
// CHECK-NOT:  tir.if
// CHECK:      func.return
func.func @crop(%D: memref<12x8xf32>) {
  tir.for %x in 32 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<16x8xf32, "m16n8k16.matrixC">
    %c = tir.view %C[0, 0] : memref<16x8xf32, "m16n8k16.matrixC"> to memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">
    tir.call @fill.warp(write %c) : (memref<16x8xf32, strided<[?, 1], offset: ?>, "m16n8k16.matrixC">)
    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.if (%i < 12) {
          %s = tir.load %C[%i, %j] : memref<16x8xf32, "m16n8k16.matrixC">
          tir.store %s, %D[%i, %j] : memref<12x8xf32>
        }
      }
    }
  }
  func.return
}
