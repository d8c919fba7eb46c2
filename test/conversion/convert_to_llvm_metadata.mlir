// Sizes and strides of memory are what the address computations use.
// RUN: kc-opt %s --convert-to-llvm --split-input-file --verify-diagnostics | FileCheck %s

// The stride of a row is the size of the row, the other one is known.

// CHECK-LABEL: llvm.func @strides
// CHECK-SAME:    (%A: !llvm.ptr {{.*}}, %A_size: i64, %A_size_1: i64, %B: !llvm.ptr
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(1 : i64) : i64
// CHECK:         %double = llvm.mul %A_size_1, %[[ONE]] : i64
// CHECK-NEXT:    llvm.store %double, %B : i64, !llvm.ptr
func.func @strides(%A: memref<?x?xf32>, %B: memref<1xindex>) {
  %zero = arith.constant 0 : index
  %base, %offset, %m, %n, %row, %one = memref.extract_strided_metadata %A : memref<?x?xf32> -> memref<f32>, index, index, index, index, index
  %double = arith.muli %row, %one : index
  memref.store %double, %B[%zero] : memref<1xindex>
  func.return
}

// -----

func.func @base(%A: memref<?xf32>) -> index {
  // expected-error@+1 {{convert-to-llvm: memref.extract_strided_metadata can only be used for sizes and strides}}
  %base, %offset, %n, %one = memref.extract_strided_metadata %A : memref<?xf32> -> memref<f32>, index, index, index
  func.return %offset : index
}
