// Vectors of several dimensions are one of all elements in order.
// RUN: kc-opt %s --convert-to-llvm --split-input-file | FileCheck %s

// CHECK-LABEL: llvm.func @moved(%v: vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT:    %t = llvm.shufflevector %v, %v [0, 2, 1, 3] : vector<4xf32>
// CHECK-NEXT:    llvm.return %t : vector<4xf32>
func.func @moved(%v: vector<2x2xf32>) -> vector<4xf32> {
  %t = vector.transpose %v, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
  %c = vector.shape_cast %t : vector<2x2xf32> to vector<4xf32>
  return %c : vector<4xf32>
}

// -----

// What may be outside is masked; what is not, is not.
// CHECK-LABEL: llvm.func @transfers
// CHECK:         %[[FIRST:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         %[[INSIDE:.*]] = llvm.icmp "ult" %{{.*}}, %{{.*}} : vector<4xi64>
// CHECK:         %[[READ:.*]] = llvm.intr.masked.load %{{.*}}, %[[INSIDE]], %{{.*}} {alignment = 4 : i32}
// CHECK:         llvm.intr.masked.store
func.func @transfers(%A: memref<?xf32>, %B: memref<8xf32>, %i: index, %p: f32) {
  %c0 = arith.constant 0 : index
  %v = vector.transfer_read %B[%c0], %p {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
  %w = vector.transfer_read %A[%i], %p : memref<?xf32>, vector<4xf32>
  %s = arith.addf %v, %w : vector<4xf32>
  vector.transfer_write %s, %A[%i] : vector<4xf32>, memref<?xf32>
  return
}

// -----

// Terms are combined in order, without reassociation.
// CHECK-LABEL: llvm.func @combined
// CHECK:         %[[ROW:.*]] = llvm.shufflevector %v, %v [0, 1] : vector<4xf32>
// CHECK-NEXT:    %[[SUM:.*]] = llvm.fadd %acc, %[[ROW]] : vector<2xf32>
// CHECK-NEXT:    %[[NEXT:.*]] = llvm.shufflevector %v, %v [2, 3] : vector<4xf32>
// CHECK-NEXT:    %{{.*}} = llvm.fadd %[[SUM]], %[[NEXT]] : vector<2xf32>
func.func @combined(%v: vector<2x2xf32>, %acc: vector<2xf32>) -> vector<2xf32> {
  %r = vector.multi_reduction <add>, %v, %acc [0] : vector<2x2xf32> to vector<2xf32>
  return %r : vector<2xf32>
}

// -----

// Neighbours in memory that are put together are one load, however many they are,

// CHECK-LABEL: llvm.func @neighbours
// CHECK:         %[[FIRST:.*]] = llvm.getelementptr inbounds %{{.*}}[%i, 0, 0]
// CHECK:         %[[ALL:.*]] = llvm.load %[[FIRST]] {alignment = 1 : i64} : !llvm.ptr -> vector<16xi8>
// CHECK-NEXT:    llvm.return %[[ALL]]
func.func @neighbours(%A: memref<8x4x4xi8>, %i: index) -> vector<16xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = vector.load %A[%i, %c0, %c0] : memref<8x4x4xi8>, vector<4xi8>
  %b = vector.load %A[%i, %c1, %c0] : memref<8x4x4xi8>, vector<4xi8>
  %c = vector.load %A[%i, %c2, %c0] : memref<8x4x4xi8>, vector<4xi8>
  %d = vector.load %A[%i, %c3, %c0] : memref<8x4x4xi8>, vector<4xi8>
  %ab = vector.shuffle %a, %b [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
  %cd = vector.shuffle %c, %d [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
  %all = vector.shuffle %ab, %cd [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
  func.return %all : vector<16xi8>
}

// but not where something is stored in between, where they are apart, or in another order.

// CHECK-LABEL: llvm.func @not_neighbours
// CHECK-NOT:     llvm.load {{.*}} vector<8xi8>
// CHECK-COUNT-3: llvm.shufflevector
func.func @not_neighbours(%A: memref<8x4x4xi8>, %i: index, %x: i8) -> (vector<8xi8>, vector<8xi8>, vector<8xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = vector.load %A[%i, %c0, %c0] : memref<8x4x4xi8>, vector<4xi8>
  memref.store %x, %A[%i, %c1, %c1] : memref<8x4x4xi8>
  %b = vector.load %A[%i, %c1, %c0] : memref<8x4x4xi8>, vector<4xi8>
  %c = vector.load %A[%i, %c2, %c0] : memref<8x4x4xi8>, vector<4xi8>
  %stored = vector.shuffle %a, %b [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
  %apart = vector.shuffle %a, %c [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
  %turned = vector.shuffle %c, %b [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
  func.return %stored, %apart, %turned : vector<8xi8>, vector<8xi8>, vector<8xi8>
}

// Nor where the alignment is that of the type, which is larger for more lanes.

// CHECK-LABEL: llvm.func @aligned_by_type
// CHECK-NOT:     llvm.load {{.*}} vector<8xi8>
// CHECK:         llvm.shufflevector
func.func @aligned_by_type(%p: !llvm.ptr, %q: !llvm.ptr) {
  %a = llvm.getelementptr %p[0] : (!llvm.ptr) -> !llvm.ptr, i8
  %b = llvm.getelementptr %p[4] : (!llvm.ptr) -> !llvm.ptr, i8
  %x = llvm.load %a : !llvm.ptr -> vector<4xi8>
  %y = llvm.load %b : !llvm.ptr -> vector<4xi8>
  %z = vector.shuffle %x, %y [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
  llvm.store %z, %q {alignment = 1 : i64} : vector<8xi8>, !llvm.ptr
  func.return
}

// CHECK-LABEL: llvm.func @scan
// CHECK-NEXT:    %0 = llvm.shufflevector %v, %v [0, 1] : vector<4xf32>
// CHECK-NEXT:    %1 = llvm.shufflevector %0, %0 [0, 1, -1, -1] : vector<2xf32>
// CHECK-NEXT:    %2 = llvm.shufflevector %v, %v [2, 3] : vector<4xf32>
// CHECK-NEXT:    %a = llvm.fadd %0, %2 : vector<2xf32>
// CHECK-NEXT:    %3 = llvm.shufflevector %a, %a [0, 1, -1, -1] : vector<2xf32>
// CHECK-NEXT:    %d = llvm.shufflevector %1, %3 [0, 1, 4, 5] : vector<4xf32>
func.func @scan(%v: vector<2x2xf32>, %start: vector<2xf32>) -> vector<2x2xf32> {
  %d, %a = vector.scan <add>, %v, %start {inclusive = true, reduction_dim = 0 : i64} : vector<2x2xf32>, vector<2xf32>
  return %d : vector<2x2xf32>
}
