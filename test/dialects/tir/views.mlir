// Parts of buffers, and calls on them: text, and how they are lowered.
// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --convert-tir-to-scf | FileCheck %s --check-prefix=SCF
// RUN: kc-opt %s --convert-tir-to-scf --convert-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @f(
// CHECK:           %a = tir.view %A[%i * 4, 8] : memref<64x?xf32> to memref<4x4xf32, strided<[?, 1], offset: ?>>
// CHECK-NEXT:      %b = tir.view %B[0, %i + 16] along [0] : memref<64x64xf32> to memref<4xf32, strided<[?], offset: ?>>
// CHECK-NEXT:      tir.call @gemm(read %a, update %b, %i) : (memref<4x4xf32, strided<[?, 1], offset: ?>>, memref<4xf32, strided<[?], offset: ?>>, index)
// CHECK-NEXT:      %v = tir.load %a[1, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
// CHECK-NEXT:      tir.store %v, %a[2, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>

// SCF-LABEL: func.func @f(
// SCF:             %[[I4:.*]] = arith.muli %i, %{{.*}} : index
// SCF-NEXT:        %[[A:.*]] = memref.subview %A[%[[I4]], 8] [4, 4] [1, 1] : memref<64x?xf32> to memref<4x4xf32, strided<[?, 1], offset: ?>>
// SCF-NEXT:        %[[I16:.*]] = arith.addi %i, %{{.*}} : index
// SCF-NEXT:        %[[B:.*]] = memref.subview %B[0, %[[I16]]] [4, 1] [1, 1] : memref<64x64xf32> to memref<4xf32, strided<[64], offset: ?>>
// SCF-NEXT:        %[[CAST:.*]] = "memref.cast"(%[[B]]) : (memref<4xf32, strided<[64], offset: ?>>) -> memref<4xf32, strided<[?], offset: ?>>
// SCF-NEXT:        func.call @gemm(%[[A]], %[[CAST]], %i)

// A part is the pointer to its first element and the strides that its type leaves open.
// LLVM-LABEL: llvm.func @gemm(!llvm.ptr {llvm.align = 4 : i64}, i64, !llvm.ptr {llvm.align = 4 : i64}, i64, i64)
// LLVM:       llvm.func @f(%A: !llvm.ptr {{{.*}}}, %[[SIZE:.*]]: i64, %B: !llvm.ptr
// LLVM:            %[[A:.*]] = llvm.getelementptr inbounds %A[
// LLVM:            %[[B:.*]] = llvm.getelementptr inbounds %B[0, %{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<64 x f32>
// LLVM:            llvm.call @gemm(%[[A]], %[[SIZE]], %[[B]], %{{.*}}, %i) : (!llvm.ptr, i64, !llvm.ptr, i64, i64) -> ()
// LLVM-NEXT:       %[[ROW:.*]] = llvm.getelementptr inbounds %[[A]][%[[SIZE]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// LLVM-NEXT:       llvm.load %[[ROW]] {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
func.func private @gemm(memref<4x4xf32, strided<[?, 1], offset: ?>>, memref<4xf32, strided<[?], offset: ?>>, index)
func.func @f(%A: memref<64x?xf32>, %B: memref<64x64xf32>) {
  tir.for %i in 16 {
    %a = tir.view %A[%i * 4, 8] : memref<64x?xf32> to memref<4x4xf32, strided<[?, 1], offset: ?>>
    %b = tir.view %B[0, %i + 16] along [0] : memref<64x64xf32> to memref<4xf32, strided<[?], offset: ?>>
    tir.call @gemm(read %a, update %b, %i) : (memref<4x4xf32, strided<[?, 1], offset: ?>>, memref<4xf32, strided<[?], offset: ?>>, index)
    %v = tir.load %a[1, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    tir.store %v, %a[2, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
  }
  func.return
}
