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
