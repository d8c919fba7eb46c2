// RUN: kc-opt %s --split-input-file --verify-diagnostics

// What is known of a slice lies in the buffer, as for mlir-opt.

func.func @larger(%A: memref<4xf32>) {
  // expected-error@+1 {{memref.subview: elements 0 to 7 along dimension 0 of memref<4xf32>, which has 4}}
  %v = memref.subview %A[0] [8] [1] : memref<4xf32> to memref<8xf32, strided<[1]>>
  func.return
}

// -----

func.func @beyond(%A: memref<8x4xf32>) {
  // expected-error@+1 {{memref.subview: elements 3 to 4 along dimension 1 of memref<8x4xf32>, which has 4}}
  %v = memref.subview %A[0, 3] [8, 2] [1, 1] : memref<8x4xf32> to memref<8x2xf32, strided<[4, 1], offset: 3>>
  func.return
}

// -----

func.func @apart(%A: memref<8xf32>, %n: index) {
  // expected-error@+1 {{memref.subview: elements 0 to 9 along dimension 0 of memref<8xf32>, which has 8}}
  %v = memref.subview %A[%n] [4] [3] : memref<8xf32> to memref<4xf32, strided<[3], offset: ?>>
  func.return
}

// -----

// These may lie in it, and an empty slice always does.

func.func @inside(%A: memref<8xf32>, %B: memref<?xf32>, %n: index) {
  %v = memref.subview %A[%n] [8] [1] : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
  %w = memref.subview %B[16] [8] [1] : memref<?xf32> to memref<8xf32, strided<[1], offset: 16>>
  %x = memref.subview %A[8] [0] [1] : memref<8xf32> to memref<0xf32, strided<[1], offset: 8>>
  %y = memref.subview %A[1] [%n] [1] : memref<8xf32> to memref<?xf32, strided<[1], offset: 1>>
  func.return
}
