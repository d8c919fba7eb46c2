// Numbers of rows: each lane combines its elements of a row, and shuffles those of the other lanes.
// RUN: kc-opt %s --lower-fragments | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK:      %M = tir.alloc "M" : memref<1x2xf32, "local">
// CHECK:      %P = tir.alloc "P" : memref<1x1x4xi32, "local">
// The rows of the init: lane / 4, and eight below it.
// CHECK:      tir.apply ((%x mod 32) floordiv 4)
// CHECK-NEXT: tir.store %low, %M[0, 0] : memref<1x2xf32, "local">
// CHECK-NEXT: tir.apply ((%x mod 32) floordiv 4 + 8)
// CHECK-NEXT: tir.store %low, %M[0, 1] : memref<1x2xf32, "local">
// Two of the four elements of a row in two tiles of 16 x 8, then those of the other lanes, then M.
// CHECK:      %[[A:.*]] = tir.load %S[0, 0, 0]
// CHECK:      %[[B:.*]] = tir.load %S[0, 0, 1]
// CHECK-NEXT: %[[AB:.*]] = arith.maximumf %[[A]], %[[B]] : f32
// CHECK:      %[[C:.*]] = tir.load %S[0, 0, 2]
// CHECK:      %[[D:.*]] = tir.load %S[0, 0, 3]
// CHECK-NEXT: %[[CD:.*]] = arith.maximumf %[[C]], %[[D]] : f32
// CHECK:      %[[E:.*]] = tir.load %S[0, 1, 0]
// CHECK-NEXT: %[[ABE:.*]] = arith.maximumf %[[AB]], %[[E]] : f32
// CHECK:      %[[F:.*]] = tir.load %S[0, 1, 1]
// CHECK-NEXT: %[[ABEF:.*]] = arith.maximumf %[[ABE]], %[[F]] : f32
// CHECK:      gpu.shuffle
// CHECK-SAME: %[[ABEF]], %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: %[[TWO:.*]] = arith.maximumf %[[ABEF]], %{{.*}} : f32
// CHECK-NEXT: %{{.*}} = arith.constant 2 : i32
// CHECK-NEXT: gpu.shuffle
// CHECK-NEXT: %[[FOUR:.*]] = arith.maximumf %[[TWO]], %{{.*}} : f32
// CHECK-NEXT: %[[OLD:.*]] = tir.load %M[0, 0] : memref<1x2xf32, "local">
// CHECK-NEXT: %[[NEW:.*]] = arith.maximumf %[[OLD]], %[[FOUR]] : f32
// CHECK-NEXT: tir.store %[[NEW]], %M[0, 0] : memref<1x2xf32, "local">
// CHECK:      tir.store %{{.*}}, %M[0, 1] : memref<1x2xf32, "local">
// The last word of A has elements of the second tile of C.
// CHECK:      tir.load %S[0, 1, 2]
// CHECK-NEXT: tir.load %M[0, 1] : memref<1x2xf32, "local">
// CHECK:      tir.load %S[0, 1, 3]
// CHECK:      %[[PAIR:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf16>
// CHECK-NEXT: %[[WORD:.*]] = llvm.bitcast %[[PAIR]] : vector<2xf16> to i32
// CHECK-NEXT: tir.store %[[WORD]], %P[0, 0, 3] : memref<1x1x4xi32, "local">
// CHECK-NOT:  tir.for
func.func @rows(%low: f32) {
  tir.for %x in 32 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<16x16xf32, "m16n8k16.matrixC">
    %M = tir.alloc "M" : memref<16xf32, "m16n8k16.rowsC">
    %P = tir.alloc "P" : memref<16x16xf16, "m16n8k16.matrixA">
    tir.for %i in 16 {
      tir.store %low, %M[%i] : memref<16xf32, "m16n8k16.rowsC">
    }
    tir.for %i in 16 {
      tir.for %j in 16 {
        %m = tir.load %M[%i] : memref<16xf32, "m16n8k16.rowsC">
        %s = tir.load %S[%i, %j] : memref<16x16xf32, "m16n8k16.matrixC">
        %n = arith.maximumf %m, %s : f32
        tir.store %n, %M[%i] : memref<16xf32, "m16n8k16.rowsC">
      }
    }
    tir.for %i in 16 {
      tir.for %j in 16 {
        %s = tir.load %S[%i, %j] : memref<16x16xf32, "m16n8k16.matrixC">
        %m = tir.load %M[%i] : memref<16xf32, "m16n8k16.rowsC">
        %d = arith.subf %s, %m : f32
        %h = arith.truncf %d : f32 to f16
        tir.store %h, %P[%i, %j] : memref<16x16xf16, "m16n8k16.matrixA">
      }
    }
  }
  func.return
}
