// RUN: kc-opt %s --inject-copy-intrin --split-input-file | FileCheck %s

// A box of A is copied to the whole of B: addresses, sizes, and the strides of both.

// CHECK-LABEL: func.func @box
// CHECK:         tir.for %k in 16 {
// CHECK-NEXT:      %[[TO:.*]] = tir.view %B[0, 0] : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
// CHECK-NEXT:      %[[FROM:.*]] = tir.view %A[%k * 4, 2] : memref<64x16xf32> to memref<4x8xf32, strided<[16, 1], offset: ?>>
// CHECK-NEXT:      %[[N0:.*]] = arith.constant 4 : i64
// CHECK-NEXT:      %[[N1:.*]] = arith.constant 8 : i64
// CHECK-NEXT:      %[[T0:.*]] = arith.constant 8 : i64
// CHECK-NEXT:      %[[T1:.*]] = arith.constant 1 : i64
// CHECK-NEXT:      %[[F0:.*]] = arith.constant 16 : i64
// CHECK-NEXT:      %[[F1:.*]] = arith.constant 1 : i64
// CHECK-NEXT:      tir.call_extern "dma_copy"(write %[[TO]], read %[[FROM]], %[[N0]], %[[N1]], %[[T0]], %[[T1]], %[[F0]], %[[F1]])
// CHECK-NEXT:    }
func.func @box(%A: memref<64x16xf32>, %B: memref<4x8xf32>) {
  tir.for %k in 16 {
    tir.for %i in 4 annotations {pragma_copy_intrin = "dma_copy"} {
      tir.for %j in 8 {
        %a = tir.load %A[%k * 4 + %i, %j + 2] : memref<64x16xf32>
        tir.store %a, %B[%i, %j] : memref<4x8xf32>
      }
    }
  }
  func.return
}

// -----

// A row is one dimension of two.

// CHECK-LABEL: func.func @row
// CHECK:         %[[TO:.*]] = tir.view %B[0] : memref<16xf32> to memref<16xf32, strided<[1], offset: ?>>
// CHECK-NEXT:    %[[FROM:.*]] = tir.view %A[%n, 0] : memref<64x16xf32> to memref<16xf32, strided<[1], offset: ?>>
// CHECK-NEXT:    arith.constant 16 : i64
// CHECK:         tir.call_extern "copy"(write %[[TO]], read %[[FROM]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NEXT:    func.return
func.func @row(%A: memref<64x16xf32>, %B: memref<16xf32>, %n: index) {
  tir.for %j in 16 annotations {pragma_copy_intrin = "copy"} {
    %a = tir.load %A[%n, %j] : memref<64x16xf32>
    tir.store %a, %B[%j] : memref<16xf32>
  }
  func.return
}

// -----

// A column: the dimension of the view is the first of the buffer.

// CHECK-LABEL: func.func @column
// CHECK:         tir.view %A[0, %n] along [0] : memref<64x16xf32> to memref<64xf32, strided<[16], offset: ?>>
func.func @column(%A: memref<64x16xf32>, %B: memref<64xf32>, %n: index) {
  tir.for %i in 64 annotations {pragma_copy_intrin = "copy"} {
    %a = tir.load %A[%i, %n] : memref<64x16xf32>
    tir.store %a, %B[%i] : memref<64xf32>
  }
  func.return
}

// -----

// Without the pragma loops stay loops.

// CHECK-LABEL: func.func @plain
// CHECK:         tir.for %j in 16 {
// CHECK-NOT:     tir.call_extern
func.func @plain(%A: memref<16xf32>, %B: memref<16xf32>) {
  tir.for %j in 16 {
    %a = tir.load %A[%j] : memref<16xf32>
    tir.store %a, %B[%j] : memref<16xf32>
  }
  func.return
}
