// A store marked as asynchronous copies by itself where it is 4, 8 or 16 bytes of plain arrays.
// RUN: kc-opt %s --convert-tir-to-scf | FileCheck %s

// CHECK-LABEL: func.func @copy(
// CHECK-NOT:     memref.load
// CHECK:         %[[ROW:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %[[AT:.*]] = arith.addi %[[ROW]], %{{.*}} : index
// CHECK-NEXT:    %[[BASE:.*]] = "memref.extract_aligned_pointer_as_index"(%S)
// CHECK-NEXT:    %[[SIZE:.*]] = arith.constant 4 : index
// CHECK-NEXT:    %[[BYTES:.*]] = arith.muli %[[AT]], %[[SIZE]] : index
// CHECK-NEXT:    %[[PLACE:.*]] = arith.addi %[[BASE]], %[[BYTES]] : index
// CHECK-NEXT:    %[[WORD:.*]] = arith.index_cast %[[PLACE]] : index to i64
// CHECK-NEXT:    %[[TO:.*]] = llvm.inttoptr %[[WORD]] : i64 to !llvm.ptr<3>
// CHECK:         memref.dim %A
// CHECK:         %[[FROM:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
// CHECK-NEXT:    nvvm.cp.async.shared.global %[[TO]], %[[FROM]], 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK-NOT:     memref.store
// CHECK:         func.return
func.func @copy(%A: memref<?x?xf32>, %S: memref<4x8xf32, #gpu.address_space<workgroup>>, %i: index, %j: index) {
  %a = tir.load %A[%i, %j] : memref<?x?xf32>
  tir.store %a, %S[%i, %j] {tir.async_copy} : memref<4x8xf32, #gpu.address_space<workgroup>>
  func.return
}

// Two bytes are too few, and the lanes of a vector may be at an odd place.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     nvvm
// CHECK:         memref.store
// CHECK-NOT:     nvvm
// CHECK:         vector.store
// CHECK-NOT:     nvvm
// CHECK:         func.return
func.func @others(%H: memref<8xf16>, %A: memref<8xf32>, %T: memref<8xf16, #gpu.address_space<workgroup>>,
                  %S: memref<8xf32, #gpu.address_space<workgroup>>, %i: index) {
  %h = tir.load %H[%i] : memref<8xf16>
  tir.store %h, %T[%i] {tir.async_copy} : memref<8xf16, #gpu.address_space<workgroup>>
  %a = tir.load %A[%i] : memref<8xf32>, vector<4xf32>
  tir.store %a, %S[%i] {tir.async_copy} : memref<8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  func.return
}
